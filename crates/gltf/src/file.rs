//! Implements [`FileFormat`](meshwright_core::FileFormat) for glTF files.

use crate::audit::audit;
use crate::document::rules::{BUFFER_MISSING, BUFFER_OPEN};
use crate::document::{Document, Files, ImageSource, Options, RULES, file_of};
use crate::import::{EXTENSIONS, Import, ImportOptions, import};
use meshwright_core::description::Description;
use meshwright_core::{
    Budget, Confidence, FieldPath, FileFormat, Finding, Limits, Order as _, Parsed, ReadError, ReadOptions,
    Report, Rule, WriteError,
};
use meshwright_scene::{Converted, Extra};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// The memory of a name in a growing list, in addition to its bytes.
const REFERENCE: usize = 3 * size_of::<String>();

/// A GLB or `.gltf` with the files that it names.
///
/// This type does not open files next to a `.gltf`: the caller [supplies](Self::supply) those that it
/// [references](Self::references).
#[derive(Clone)]
pub struct GltfFile {
    bytes: Arc<[u8]>,
    files: Vec<(String, Arc<[u8]>)>,
    references: Vec<String>,
    generator: String,
    options: ReadOptions,
    /// The result, if all needed files are present.
    made: Option<Arc<Made>>,
}

/// The result of reading all parts of a file.
struct Made {
    report: Report,
    /// The memory that it took.
    needs: u64,
    /// Embedded data of the export.
    kept: Option<Extra>,
    /// The scene, until a caller takes it; it is built again for the next one.
    scene: Mutex<Option<Converted<Import>>>,
}

impl Made {
    fn new(document: &Document<'_>, options: &ImportOptions<'_>, limits: Limits) -> Result<Self, ReadError> {
        let mut scene = import(document, options)?;
        let kept = scene.value.kept.take();
        let budget = document.budget();
        let full = Budget::new(limits);
        let worked = full.work_left().saturating_sub(budget.work_left()).div_ceil(Budget::STEPS_PER_BYTE);
        let needs = full.remaining().saturating_sub(budget.remaining()).max(worked);
        Ok(Self { report: document.report(), needs, kept, scene: Mutex::new(Some(scene)) })
    }

    /// Returns the result, or `None` if a buffer has no bytes.
    fn unless_open(
        document: &Document<'_>,
        options: &ImportOptions<'_>,
        limits: Limits,
    ) -> Result<Option<Arc<Self>>, ReadError> {
        match Self::new(document, options, limits) {
            Err(e) if document.is_open() && e.code() == BUFFER_MISSING.code => Ok(None),
            made => made.map(|made| Some(Arc::new(made))),
        }
    }

    fn take(&self) -> Option<Converted<Import>> {
        self.scene.lock().ok().and_then(|mut scene| scene.take())
    }
}

impl PartialEq for GltfFile {
    fn eq(&self, other: &Self) -> bool {
        (&self.bytes, &self.files) == (&other.bytes, &other.files)
    }
}

impl std::fmt::Debug for GltfFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let files: Vec<_> = self.files.iter().map(|(name, _)| name).collect();
        f.debug_struct("GltfFile")
            .field("bytes", &self.bytes.len())
            .field("files", &files)
            .finish_non_exhaustive()
    }
}

impl GltfFile {
    /// Returns how certainly the bytes are glTF: a GLB has a magic, a text must be an object with an asset.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        /// The number of bytes in which the asset is searched.
        const NEAR: usize = 64 << 10;
        if bytes.starts_with(b"glTF") {
            return Confidence::Certain;
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        let near = text.get(..text.len().min(NEAR)).unwrap_or_default();
        let has = |word: &[u8]| near.windows(word.len()).any(|part| part == word);
        match near.first() {
            Some(b'{') if has(b"\"asset\"") && has(b"\"version\"") => Confidence::Likely,
            _ => Confidence::No,
        }
    }

    /// Reads a file like [`parse_with`](Self::parse_with), strictly and within the default limits.
    ///
    /// # Errors
    /// As [`parse_with`](Self::parse_with).
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|parsed| parsed.model)
    }

    /// Reads a file and checks all of it. If it names companion files, vertices and keys are checked when those are
    /// supplied.
    ///
    /// # Errors
    /// If the document breaks a rule, or would take more memory than the options allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let limits = Options::default().with_limits(options.limits).with_extensions(EXTENSIONS);
        let document = Document::tables_of(bytes, &limits)?;
        let buffers = document.buffers().iter().filter_map(|b| b.uri.as_deref()).filter_map(file_of);
        let images = document.images().iter().filter_map(|image| match &image.source {
            ImageSource::Uri(uri) => file_of(uri),
            _ => None,
        });
        let mut references = Vec::new();
        for name in buffers.chain(images) {
            // A list grows to twice its length, and exists twice while it grows.
            let bytes = name.len().saturating_add(REFERENCE);
            document.charge::<u8>(&FieldPath::ROOT, "names of files", bytes)?;
            references.push(name);
        }
        references.order();
        references.dedup();
        let made = match document.is_whole() {
            true => Made::unless_open(&document, &ImportOptions::default(), options.limits)?,
            false => None,
        };
        let generator = document.generator().to_owned();
        let (bytes, files) = (bytes.into(), Vec::new());
        let file = Self { bytes, files, references, generator, options: *options, made };
        Ok(Parsed::new(file, Report::new()))
    }

    /// Returns the decoded relative paths of the companion files, with slashes, each once.
    pub fn references(&self) -> &[String] {
        &self.references
    }

    /// Returns the program that wrote the document; empty if unknown.
    pub fn generator(&self) -> &str {
        &self.generator
    }

    /// Supplies a file that the document names.
    pub fn supply(&mut self, name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) {
        self.files.push((name.into(), bytes.into()));
        self.made = None;
    }

    /// Completes the checks that need the named files, and keeps the converted scene.
    ///
    /// # Errors
    /// As [`import`](Self::import).
    pub fn complete(&mut self) -> Result<(), ReadError> {
        if self.made.is_none() {
            let document = self.document()?;
            let pictures = |name: &str| self.find(name).map(<[u8]>::to_vec);
            let options = ImportOptions::named("").with_files(&pictures);
            self.made = Made::unless_open(&document, &options, self.options.limits)?;
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Option<&[u8]> {
        self.files.iter().find(|(n, _)| n == name).map(|(_, bytes)| &**bytes)
    }

    /// Returns the data that an export of this crate [embedded](crate::export_keeping), once all named files are present.
    pub fn embedded(&self) -> Option<&Extra> {
        self.made.as_deref()?.kept.as_ref()
    }

    /// Frees the bytes and the scene, for callers that took the scene.
    pub fn drop_content(&mut self) {
        (self.bytes, self.files, self.made) = (Arc::default(), Vec::new(), None);
    }

    /// Returns true if the content was [dropped](Self::drop_content).
    pub fn is_dropped(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the document without its companion files.
    ///
    /// # Errors
    /// As [`parse_with`](Self::parse_with).
    pub fn tables(&self) -> Result<Document<'_>, ReadError> {
        let options = Options::default().with_limits(self.options.limits).with_extensions(EXTENSIONS);
        Document::tables_of(&self.bytes, &options)
    }

    /// Returns the document with its buffers.
    ///
    /// # Errors
    /// When a buffer is not there or too short, or a compressed view cannot be decoded.
    pub fn document(&self) -> Result<Document<'_>, ReadError> {
        self.document_within(self.options.limits)
    }

    fn document_within(&self, limits: Limits) -> Result<Document<'_>, ReadError> {
        let options = Options::default().with_limits(limits).with_extensions(EXTENSIONS);
        let files: &Files<'_, '_> = &|name| self.find(name).map(Cow::Borrowed);
        Document::from_slice(&self.bytes, files, &options)
    }

    fn make(&self, name: &str, rate: Option<f32>, limits: Limits) -> Result<Made, ReadError> {
        let document = self.document_within(limits)?;
        let pictures = |name: &str| self.find(name).map(<[u8]>::to_vec);
        Made::new(&document, &ImportOptions::named(name).with_rate(rate).with_files(&pictures), limits)
    }

    /// Returns the scene, and the findings of the document. `rate` replaces the rates of all clips. The scene with the
    /// document's own rates was made during reading, so the first call without `rate` is fast.
    ///
    /// # Errors
    /// As [`document`](Self::document) and [`import`].
    pub fn import(&self, name: &str, rate: Option<f32>) -> Result<(Converted<Import>, Report), ReadError> {
        self.import_within(name, rate, self.options.limits)
    }

    /// Does the same as [`import`](Self::import) within other limits.
    ///
    /// # Errors
    /// As [`document`](Self::document) and [`import`].
    pub fn import_within(
        &self,
        name: &str,
        rate: Option<f32>,
        limits: Limits,
    ) -> Result<(Converted<Import>, Report), ReadError> {
        let known = self.made.as_deref().filter(|made| rate.is_none() && made.needs <= limits.memory);
        if let Some((mut scene, made)) = known.and_then(|made| Some((made.take()?, made))) {
            name.clone_into(&mut scene.value.scene.name);
            return Ok((scene, made.report.clone()));
        }
        let Made { report, scene, .. } = self.make(name, rate, limits)?;
        let scene = scene.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((scene.unwrap_or_else(|| Converted::new(Import::default(), Vec::new())), report))
    }

    /// Returns the memory that reading took, if no file was missing. With a smaller limit the scene cannot be built.
    pub fn memory_needed(&self) -> Option<u64> {
        self.made.as_deref().map(|made| made.needs)
    }

    /// Returns true if a buffer has no bytes because an application must supply them, or because its file was not
    /// supplied.
    fn is_open(&self) -> bool {
        let missing = |uri: &str| file_of(uri).is_some_and(|name| self.find(&name).is_none());
        self.tables().is_ok_and(|tables| {
            tables.is_open() || tables.buffers().iter().any(|b| b.uri.as_deref().is_some_and(missing))
        })
    }

    /// Reports all findings of the file and of the supplied files. A named file that was not supplied is a warning:
    /// this type cannot know whether there is such a file. [`complete`](Self::complete) refuses it.
    pub fn validate(&self) -> Report {
        if let Some(made) = &self.made {
            return made.report.clone();
        }
        let mut report = Report::new();
        match self.import("", None) {
            Ok((_, found)) => return found,
            Err(error) if error.code() == BUFFER_MISSING.code && self.is_open() => {
                let path = FieldPath::ROOT.field("buffers");
                report.broken(BUFFER_OPEN, &path, Some(error.offset()), || error.message().to_owned());
            }
            Err(error) => report.push(Finding::from(&error)),
        }
        report
    }

    /// Reports every violation of glTF 2.0 in the file and in its supplied companions, whether or not it can be
    /// converted to a scene. Errors of the Khronos validator are errors here.
    pub fn conformance(&self) -> Report {
        let files: &Files<'_, '_> = &|name| self.find(name).map(Cow::Borrowed);
        let mut report = match self.document() {
            Ok(document) => audit(&self.bytes, &document, files),
            Err(_) => Report::new(),
        };
        report.append_new(self.validate());
        report
    }

    /// Returns the bytes that were read.
    ///
    /// # Errors
    /// Never; other formats may.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        Ok(self.bytes.to_vec())
    }
}

impl FileFormat for GltfFile {
    const ID: &'static str = "gltf";
    const TITLE: &'static str = "glTF 2.0";
    const EXTENSIONS: &'static [&'static str] = &["glb", "gltf"];
    const RULES: &'static [&'static Rule] = RULES;
    const DESCRIPTION: Description = crate::description::DESCRIPTION;

    type Options = ReadOptions;

    meshwright_core::own_verbs!();
}
