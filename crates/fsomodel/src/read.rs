//! Reads a file: first the chunks, then the rules.

use crate::chunks::{CODES, MAGIC, chunks};
use crate::detect;
use crate::dialect::Dialect;
use crate::index_extents::Extents;
use crate::metadata::Metadata;
use crate::model::{Chunk, ChunkId, FsoModel, VERSION};
use crate::record::header;
use crate::rules::offsets::{FieldLocations, ModelField};
use crate::rules::{self, structure};
use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::description::Description;
use meshwright_core::{
    Beside, Budget, Companion, Confidence, FieldPath, FileFormat, Findings, Parsed, ReadError, ReadOptions,
    Role, Rule, Setting, Source,
};

/// Options for reading a FSOMODEL file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FsoOptions {
    /// Limits and strictness. A lenient reader forgives a missing chunk (`MissingChunk`), a partial last
    /// vertex, index or mesh (`StreamSize`), a mesh outside the indices (`MeshRange`, `Misaligned`), an
    /// index outside the vertices (`IndexRange`) and a companion file with another number of meshes
    /// (`Metadata`).
    pub read: ReadOptions,
    /// The layout of vertices and indices; `None` detects it.
    pub dialect: Option<Dialect>,
    /// The text of the companion file.
    pub metadata: Option<Arc<[u8]>>,
}

impl FsoOptions {
    /// Sets the dialect, so that it is not detected.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// Sets the text of the companion file.
    #[must_use]
    pub fn with_metadata(mut self, text: impl Into<Arc<[u8]>>) -> Self {
        self.metadata = Some(text.into());
        self
    }
}

impl From<ReadOptions> for FsoOptions {
    fn from(read: ReadOptions) -> Self {
        Self { read, ..Self::default() }
    }
}

impl From<Dialect> for FsoOptions {
    fn from(dialect: Dialect) -> Self {
        Self::default().with_dialect(dialect)
    }
}

impl<'a> FsoModel<'a> {
    /// Reads a file without a companion file, strictly, within the default limits, and detects its dialect.
    /// The model borrows its chunks from `bytes`; [`into_owned`](Self::into_owned) copies them.
    ///
    /// # Errors
    /// If the file breaks a rule of the format, or would take more memory than the default limits allow.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &FsoOptions::default()).map(|p| p.model)
    }

    /// Reads a file, with the companion file and the dialect of the options. Errors in the companion file
    /// name its stream, and their offsets count in it.
    ///
    /// # Errors
    /// If the file or the companion file breaks a rule that the options do not forgive, or would take more
    /// memory than they allow.
    pub fn parse_with(bytes: &'a [u8], options: &FsoOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.read.limits);
        let source = Source::file(bytes, CODES, &budget);
        let table = FieldPath::ROOT.field("chunks");
        let mut model =
            Self { version: VERSION, dialect: Dialect::default(), chunks: Vec::new(), metadata: None };
        // Memory for the chunks and their offsets.
        let count = chunks(bytes)?.count();
        let each = size_of::<(Chunk<'_>, [u64; 2])>();
        source.charge(&table, header::SIZE as u64, "chunks", count as u64, each)?;
        model.chunks.reserve_exact(count);
        for chunk in chunks(bytes)? {
            let chunk = chunk?;
            model.chunks.push(Chunk { id: chunk.id, data: Cow::Borrowed(chunk.data) });
        }
        if let Some(text) = &options.metadata {
            model.metadata = Some(Metadata::read(text, &budget)?);
        }
        model.dialect = options.dialect.unwrap_or_else(|| detect::decide(&model));

        let mut findings = Findings::reading(&options.read);
        let places = FieldLocations::as_read(&model);
        structure::check_chunks(&model, &places, &mut findings)?;
        let indices = model.indices();
        let at = FieldLocations::as_written(&model).offset(ModelField::Index(0));
        source.charge(&FieldPath::ROOT.field("indices"), at, "extents", Extents::memory(indices.len()), 1)?;
        structure::check_ranges(&model, &Extents::new(indices), &places, &mut findings)?;
        drop(places);
        Ok(Parsed::new(model, findings.into_report()))
    }

    /// Checks whether `bytes` start with the format's magic.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if bytes.starts_with(MAGIC) { Confidence::Certain } else { Confidence::No }
    }
}

impl FileFormat for FsoModel<'static> {
    const ID: &'static str = "fso";
    const TITLE: &'static str = "FreeSpace Open FSOMODEL";
    const EXTENSIONS: &'static [&'static str] = &["fom", "fso", "fsomodel"];
    const RULES: &'static [&'static Rule] = rules::RULES;
    const DESCRIPTION: Description = crate::description::DESCRIPTION;
    const COMPANIONS: &'static [Companion] =
        &[Companion::one(Role::Metadata, Metadata::ID, &[Beside::Replaced("json")]).read_with_model()];

    const SETTINGS: &'static [Setting] = &[Setting { name: "dialect", values: Dialect::NAMES }];

    type Options = FsoOptions;

    fn attach(options: &mut FsoOptions, role: Role, bytes: Arc<[u8]>) -> bool {
        let is_metadata = role == Role::Metadata;
        if is_metadata {
            options.metadata = Some(bytes);
        }
        is_metadata
    }

    meshwright_core::own_verbs!(FsoModel);

    fn needs(&self, role: Role) -> bool {
        let has_table = self.dialect == Dialect::Seed44 && self.chunk(ChunkId::MESH).is_some();
        // The revised description has no table of meshes, so nothing is missing in that dialect.
        role == Role::Metadata && !has_table && self.dialect != Dialect::Doc56
    }
}
