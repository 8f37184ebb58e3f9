//! The reader of glTF documents: GLB or JSON, buffers inside or outside the file, and accessors of every kind.
//!
//! A [`Document`] borrows its file. Opening it reads the JSON once into plain tables and checks them against each
//! other: every index is valid, accessors fit their views and views their buffers, attribute types match their meaning,
//! and nodes form trees. A violation is an error with a stable code, the path of the field and its byte offset. Smaller
//! faults are warnings in the [`report`](Document::report). Numbers are decoded on request.
//!
//! ```
//! use meshwright_gltf::document::{Document, Options, no_files};
//!
//! let json = br#"{
//!     "asset": { "version": "2.0" },
//!     "buffers": [{ "byteLength": 8, "uri": "data:;base64,AACAPwAAAEA=" }],
//!     "bufferViews": [{ "buffer": 0, "byteLength": 8 }],
//!     "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR" }]
//! }"#;
//! let document = Document::from_slice(json, &no_files, &Options::default())?;
//! assert_eq!(document.read_f32::<1>(0)?, [[1.0], [2.0]]);
//! # Ok::<(), meshwright_core::ReadError>(())
//! ```

mod accessor;
mod check;
mod codes;
mod glb;
mod ledger;
mod material;
mod meshopt;
mod model;
mod parse;
mod read;
pub(crate) mod rules;
mod uri;
mod write;

pub(crate) use accessor::Blocks;
pub use material::{Alpha, Material, Texture, TextureSampler, TextureUse, Wrap};
pub use meshwright_core::json::{JsonType, JsonValue};
pub(crate) use model::Tables;
pub use model::{
    Accessor, Animation, Buffer, Channel, ComponentType, Compressed, CompressionFilter, CompressionMode,
    ElementType, Image, ImageSource, Interpolation, Mesh, Mode, Node, Primitive, Property, Sampler, Scene,
    Semantic, Skin, Sparse, Target, Transform, VariantUse, View,
};
pub(crate) use write::to_json;

use ledger::Ledger;
pub(crate) use ledger::tell;
use meshwright_core::json::Json;
use meshwright_core::{Budget, FieldPath, Limits, ReadError, Report, Rule};
use rules::{BUFFER_MISSING, BUFFER_SHORT, GLB_CHUNK_UNUSED, INDEX, MESHOPT};
use std::borrow::Cow;
use uri::Uri;
pub use uri::base64_decoded;

/// All rules of a document, including those that are warnings.
pub const RULES: &[&Rule] = rules::RULES;

/// Finds files next to a document.
///
/// The path is relative and has slashes. It stays below the folder of the document: it has no `.` or `..`, and its
/// percent codes are decoded. The function itself must guard against links in the folder.
pub type Files<'f, 'a> = dyn Fn(&str) -> Option<Cow<'a, [u8]>> + 'f;

/// Finds no files: for documents without companion files.
pub fn no_files<'a>(_path: &str) -> Option<Cow<'a, [u8]>> {
    None
}

/// Returns the file path of a URI, as [`Files`] gets it. Returns `None` for embedded data and for paths that must not
/// be read.
pub(crate) fn file_of(uri: &str) -> Option<String> {
    match uri::parse(uri) {
        Ok(Uri::File(name)) => Some(name),
        _ => None,
    }
}

/// Options for reading a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options<'o> {
    /// Limits for reading, including everything that is decoded later.
    pub limits: Limits,
    /// The extensions that the caller supports. A document that requires another one is rejected.
    pub extensions: &'o [&'o str],
}

impl<'o> Options<'o> {
    /// Sets the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the extensions that the caller supports.
    #[must_use]
    pub const fn with_extensions(mut self, extensions: &'o [&'o str]) -> Self {
        self.extensions = extensions;
        self
    }
}

/// A glTF document with its buffers.
#[derive(Debug)]
pub struct Document<'a> {
    json: Json<'a>,
    tables: Tables<'a>,
    /// The bytes of each buffer. Fallback buffers of compressed views may have none.
    buffers: Vec<Option<Cow<'a, [u8]>>>,
    /// The decoded bytes of compressed views.
    decoded: Vec<Option<Vec<u8>>>,
    /// True if the document is the JSON chunk of a GLB.
    in_glb: bool,
    ledger: Ledger,
}

impl<'a> Document<'a> {
    /// Reads a document: a GLB if it has the magic number, otherwise JSON.
    ///
    /// # Errors
    /// If the document breaks a rule, or would take more memory than the options allow.
    pub fn from_slice(
        bytes: &'a [u8],
        files: &Files<'_, 'a>,
        options: &Options<'_>,
    ) -> Result<Self, ReadError> {
        if glb::is_meant(bytes) {
            Self::from_glb(bytes, files, options)
        } else {
            Self::from_json(bytes, files, options)
        }
    }

    /// Reads a document without companion files. Buffers in other files have no bytes.
    ///
    /// # Errors
    /// If the document breaks a rule, or would take more memory than the options allow.
    pub fn tables_of(bytes: &'a [u8], options: &Options<'_>) -> Result<Self, ReadError> {
        let ledger = Ledger::new(options.limits);
        if glb::is_meant(bytes) {
            let chunks = glb::split(bytes, &ledger)?;
            Self::new((chunks.json, chunks.json_offset), chunks.bin, None, options, ledger)
        } else {
            Self::new((bytes, 0), None, None, options, ledger)
        }
    }

    /// Reads a GLB.
    ///
    /// # Errors
    /// If the document breaks a rule, or would take more memory than the options allow.
    pub fn from_glb(
        bytes: &'a [u8],
        files: &Files<'_, 'a>,
        options: &Options<'_>,
    ) -> Result<Self, ReadError> {
        let ledger = Ledger::new(options.limits);
        let chunks = glb::split(bytes, &ledger)?;
        Self::new((chunks.json, chunks.json_offset), chunks.bin, Some(files), options, ledger)
    }

    /// Reads a JSON document, as in `.gltf` files.
    ///
    /// # Errors
    /// If the document breaks a rule, or would take more memory than the options allow.
    pub fn from_json(
        bytes: &'a [u8],
        files: &Files<'_, 'a>,
        options: &Options<'_>,
    ) -> Result<Self, ReadError> {
        Self::new((bytes, 0), None, Some(files), options, Ledger::new(options.limits))
    }

    fn new(
        (json, base): (&'a [u8], u64),
        bin: Option<&'a [u8]>,
        files: Option<&Files<'_, 'a>>,
        options: &Options<'_>,
        ledger: Ledger,
    ) -> Result<Self, ReadError> {
        let json = ledger.json(json, base)?;
        let mut tables = parse::tables(json.root(), options.extensions, &ledger)?;
        check::tables(&mut tables, json.root(), &ledger)?;
        let mut document =
            Self { json, tables, buffers: Vec::new(), decoded: Vec::new(), in_glb: base > 0, ledger };
        document.buffers = document.load(bin, files)?;
        // A compressed stream may be in a file that is not loaded.
        if files.is_some() || document.is_whole() {
            document.decoded = document.decode_views()?;
        }
        Ok(document)
    }

    /// Returns true if every buffer with a URI has bytes.
    pub(crate) fn is_whole(&self) -> bool {
        let known = self.tables.buffers.iter().zip(&self.buffers);
        known.into_iter().all(|(buffer, bytes)| bytes.is_some() || buffer.uri.is_none())
    }

    /// Returns true if a buffer has no bytes because an application must supply them.
    pub(crate) fn is_open(&self) -> bool {
        let known = self.tables.buffers.iter().zip(&self.buffers);
        known.into_iter().any(|(buffer, bytes)| bytes.is_none() && buffer.uri.is_none() && !buffer.fallback)
    }

    /// Returns true if the document lists the extension in `extensionsUsed`.
    pub(crate) fn uses(&self, extension: &str) -> bool {
        let used = self.root().get("extensionsUsed").into_iter().flat_map(JsonValue::items);
        used.filter_map(JsonValue::as_str).any(|name| name == extension)
    }

    /// Returns the extensions in `extensionsRequired`.
    pub(crate) fn required_extensions(&self) -> impl Iterator<Item = Cow<'a, str>> {
        let required = self.root().get("extensionsRequired").into_iter().flat_map(JsonValue::items);
        required.filter_map(JsonValue::as_str)
    }

    /// Returns true if the node has a matrix, which animations cannot move.
    pub(crate) fn has_matrix(&self, node: usize) -> bool {
        self.tables.nodes.get(node).is_some_and(|node| matches!(node.transform, Transform::Matrix(_)))
    }

    /// Returns the number of values in the document's JSON.
    pub(crate) const fn json_values(&self) -> usize {
        self.json.count()
    }

    /// Loads the bytes of all buffers; without `files`, only of those in the document.
    fn load(
        &self,
        bin: Option<&'a [u8]>,
        files: Option<&Files<'_, 'a>>,
    ) -> Result<Vec<Option<Cow<'a, [u8]>>>, ReadError> {
        let all = FieldPath::ROOT.field("buffers");
        let mut buffers = self.ledger.room(&all, 0, "buffers", self.tables.buffers.len())?;
        for (b, buffer) in self.tables.buffers.iter().enumerate() {
            let path = all.index(b);
            let place = || check::offset(self.root(), "buffers", b);
            let bytes = match (&buffer.uri, bin) {
                (Some(text), _) => match (files, uri::parse(text)) {
                    (None, Ok(Uri::File(_))) => None,
                    _ => Some(self.fetch(text, &path.field("uri"), &place, files.unwrap_or(&no_files))?),
                },
                (None, Some(bin)) if b == 0 => Some(Cow::Borrowed(bin)),
                (None, None) if self.in_glb && b == 0 && !buffer.fallback => {
                    let message = "neither a URI nor a binary chunk";
                    return Err(ReadError::broken(BUFFER_MISSING, &path, place(), message));
                }
                (None, _) => None,
            };
            if let Some(bytes) = bytes.as_ref().filter(|bytes| (bytes.len() as u64) < buffer.length) {
                let message = format!("{} bytes of {}", bytes.len(), buffer.length);
                return Err(ReadError::broken(BUFFER_SHORT, &path.field("byteLength"), place(), message));
            }
            buffers.push(bytes);
        }
        if bin.is_some() && self.tables.buffers.first().is_none_or(|b| b.uri.is_some()) {
            let path = FieldPath::ROOT.field("glb");
            self.ledger.warn(GLB_CHUNK_UNUSED, &path, &|| 0, "no buffer uses the binary chunk");
        }
        Ok(buffers)
    }

    /// Decodes all compressed views. Returns an empty list if there are none.
    fn decode_views(&self) -> Result<Vec<Option<Vec<u8>>>, ReadError> {
        let views = &self.tables.views;
        if views.iter().all(|view| view.compressed.is_none()) {
            return Ok(Vec::new());
        }
        let all = FieldPath::ROOT.field("bufferViews");
        let mut decoded = self.ledger.room(&all, 0, "views", views.len())?;
        for (v, view) in views.iter().enumerate() {
            let Some(stream) = &view.compressed else {
                decoded.push(None);
                continue;
            };
            let path = all.index(v);
            let place = || check::offset(self.root(), "bufferViews", v);
            let missing = "the stream is in a fallback buffer without bytes";
            let bytes = self.buffer_bytes(stream.buffer, stream.offset, stream.length);
            let bytes = bytes.ok_or_else(|| ReadError::broken(BUFFER_MISSING, &path, place(), missing))?;
            let length = stream.count.saturating_mul(stream.stride);
            let mut out = self.ledger.room(&path, place(), "decoded view", length)?;
            meshopt::decode(bytes, stream, &mut out)
                .map_err(|message| ReadError::broken(MESHOPT, &path.field("extensions"), place(), message))?;
            decoded.push(Some(out));
        }
        Ok(decoded)
    }

    fn buffer_bytes(&self, buffer: usize, offset: u64, length: u64) -> Option<&[u8]> {
        let number = |n: u64| usize::try_from(n).ok();
        let (start, end) = number(offset).zip(number(offset.saturating_add(length)))?;
        self.buffers.get(buffer)?.as_deref()?.get(start..end)
    }

    /// Returns the bytes of a URI.
    fn fetch(
        &self,
        text: &str,
        path: &FieldPath<'_>,
        place: &dyn Fn() -> u64,
        files: &Files<'_, 'a>,
    ) -> Result<Cow<'a, [u8]>, ReadError> {
        match uri::parse(text).map_err(|(rule, message)| ReadError::broken(rule, path, place(), message))? {
            Uri::Data { base64, text } => uri::data(base64, text, path, place, &self.ledger).map(Cow::Owned),
            Uri::File(name) => {
                let Some(bytes) = files(&name) else {
                    let message = format!("{name:?} not found next to the document");
                    return Err(ReadError::broken(BUFFER_MISSING, path, place(), message));
                };
                self.ledger.charge(path, 0, "file", bytes.len(), 1)?;
                Ok(bytes)
            }
        }
    }

    /// Returns the file offset of an item of a table.
    pub(crate) fn offset_of(&self, table: &str, item: usize) -> u64 {
        check::offset(self.root(), table, item)
    }

    /// Adds a warning to the [`report`](Self::report).
    pub(crate) fn warn(
        &self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        place: (&str, usize),
        message: impl Into<Cow<'static, str>>,
    ) {
        self.ledger.warn(rule, path, &|| self.offset_of(place.0, place.1), message);
    }

    /// Returns the error for an item of a table.
    pub(crate) fn fault(
        &self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        place: (&str, usize),
        message: impl Into<Cow<'static, str>>,
    ) -> ReadError {
        ReadError::broken(rule, path, self.offset_of(place.0, place.1), message)
    }

    /// Charges work whose amount multiplies, such as nodes by keys.
    pub(crate) fn work(
        &self,
        path: &FieldPath<'_>,
        what: &'static str,
        steps: usize,
    ) -> Result<(), ReadError> {
        self.ledger.work(path, what, steps)
    }

    /// Charges memory that other code allocates.
    pub(crate) fn charge<T>(
        &self,
        path: &FieldPath<'_>,
        what: &'static str,
        count: usize,
    ) -> Result<(), ReadError> {
        self.ledger.charge(path, 0, what, count, size_of::<T>())
    }

    /// Returns an empty vector with room for `count` items, charged.
    pub(crate) fn room<T>(
        &self,
        path: &FieldPath<'_>,
        what: &'static str,
        count: usize,
    ) -> Result<Vec<T>, ReadError> {
        self.ledger.room(path, 0, what, count)
    }

    /// Returns `count` default values, charged.
    pub(crate) fn filled<T: Copy + Default>(
        &self,
        path: &FieldPath<'_>,
        what: &'static str,
        count: usize,
    ) -> Result<Vec<T>, ReadError> {
        self.ledger.filled(path, what, count, 1)
    }

    /// Parses a text of the document that contains JSON itself; `None` if it does not.
    pub(crate) fn within<T>(
        &self,
        text: &str,
        read: impl FnOnce(JsonValue<'_, '_>) -> Result<T, ReadError>,
    ) -> Result<Option<T>, ReadError> {
        match self.ledger.json(text.as_bytes(), 0) {
            Ok(json) => read(json.root()).map(Some),
            Err(e) if e.code() == rules::LIMIT.code => Err(e),
            Err(_) => Ok(None),
        }
    }

    const fn root(&self) -> JsonValue<'_, 'a> {
        self.json.root()
    }

    /// Returns the document as JSON, for data that the tables do not have: extras and extensions.
    pub const fn json(&self) -> JsonValue<'_, 'a> {
        self.root()
    }

    /// Returns the warnings found so far.
    pub fn report(&self) -> Report {
        self.ledger.report()
    }

    /// Returns the remaining budget, for code that continues with the decoded data.
    pub const fn budget(&self) -> &Budget {
        &self.ledger.budget
    }

    /// Returns the accessors.
    pub fn accessors(&self) -> &[Accessor] {
        &self.tables.accessors
    }

    /// Returns the buffers.
    pub fn buffers(&self) -> &[Buffer<'a>] {
        &self.tables.buffers
    }

    /// Returns the views.
    pub fn views(&self) -> &[View] {
        &self.tables.views
    }

    /// Returns the nodes.
    pub fn nodes(&self) -> &[Node<'a>] {
        &self.tables.nodes
    }

    /// Returns the indices of all nodes, parents before their children.
    pub fn node_order(&self) -> &[usize] {
        &self.tables.order
    }

    /// Returns the scenes.
    pub fn scenes(&self) -> &[Scene<'a>] {
        &self.tables.scenes
    }

    /// Returns the scene to show first.
    pub const fn default_scene(&self) -> Option<usize> {
        self.tables.scene
    }

    /// Returns the meshes.
    pub fn meshes(&self) -> &[Mesh<'a>] {
        &self.tables.meshes
    }

    /// Returns the skins.
    pub fn skins(&self) -> &[Skin<'a>] {
        &self.tables.skins
    }

    /// Returns the animations.
    pub fn animations(&self) -> &[Animation<'a>] {
        &self.tables.animations
    }

    /// Returns the materials.
    pub fn materials(&self) -> &[Material<'a>] {
        &self.tables.materials
    }

    /// Returns the textures.
    pub fn textures(&self) -> &[Texture] {
        &self.tables.textures
    }

    /// Returns the texture samplers.
    pub fn texture_samplers(&self) -> &[TextureSampler] {
        &self.tables.texture_samplers
    }

    /// Returns the names of the material variants.
    pub fn variants(&self) -> &[Cow<'a, str>] {
        &self.tables.variants
    }

    /// Returns the program that wrote the document; empty if unknown.
    pub fn generator(&self) -> &str {
        &self.tables.generator
    }

    /// Returns the images.
    pub fn images(&self) -> &[Image<'a>] {
        &self.tables.images
    }

    /// Returns the bytes of a view.
    ///
    /// # Errors
    /// If there is no such view, or its buffer is only a fallback.
    pub fn view_bytes(&self, view: usize) -> Result<&[u8], ReadError> {
        let all = FieldPath::ROOT.field("bufferViews");
        let path = all.index(view);
        let fault = |rule, message| {
            ReadError::broken(rule, &path, check::offset(self.root(), "bufferViews", view), message)
        };
        let entry = self.tables.views.get(view).ok_or_else(|| fault(INDEX, "is not there"))?;
        if let Some(Some(bytes)) = self.decoded.get(view) {
            return Ok(bytes);
        }
        if self.buffers.get(entry.buffer).is_none_or(Option::is_none) {
            let all = FieldPath::ROOT.field("buffers");
            let place = check::offset(self.root(), "buffers", entry.buffer);
            return Err(ReadError::broken(BUFFER_MISSING, &all.index(entry.buffer), place, "has no bytes"));
        }
        let bytes = self.buffer_bytes(entry.buffer, entry.offset, entry.length);
        bytes.ok_or_else(|| fault(BUFFER_SHORT, "is cut"))
    }

    /// Returns the bytes of an image, or `None` if the document has no readable path to it.
    ///
    /// # Errors
    /// If the image does not exist, is outside the folder, or cannot be decoded, or if `files` does not find
    /// it.
    pub fn image_bytes<'d>(
        &'d self,
        image: usize,
        files: &Files<'_, 'a>,
    ) -> Result<Option<Cow<'d, [u8]>>, ReadError>
    where
        'a: 'd,
    {
        let all = FieldPath::ROOT.field("images");
        let path = all.index(image);
        let place = || check::offset(self.root(), "images", image);
        match self.tables.images.get(image).map(|image| &image.source) {
            Some(ImageSource::View(view)) => self.view_bytes(*view).map(|bytes| Some(Cow::Borrowed(bytes))),
            Some(ImageSource::Uri(text)) => self.fetch(text, &path.field("uri"), &place, files).map(Some),
            Some(ImageSource::Missing) => Ok(None),
            None => Err(ReadError::broken(INDEX, &path, 0, "is not there")),
        }
    }
}
