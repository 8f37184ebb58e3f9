//! Reading: the walk, then the checks.

use crate::check::{self, Broken, Offsets};
use crate::detect;
use crate::extent::Extents;
use crate::metadata::Metadata;
use crate::metadata_read::STREAM;
use crate::model::{Chunk, Dialect, FsoModel, VERSION};
use crate::walk::{CODES, HEADER, MAGIC, chunks};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::{
    Budget, Confidence, Finding, Parsed, Path, ReadError, ReadOptions, Report, Source, Stream,
};

/// How a FSOMODEL file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FsoOptions<'o> {
    /// Limits and strictness. Forgiven are a missing chunk (`MissingChunk`), a partial last vertex, index or mesh
    /// (`StreamSize`), a mesh outside of the indices (`MeshRange`, `Misaligned`) and an index outside of the
    /// vertices (`IndexRange`).
    pub read: ReadOptions,
    /// How vertices and indices are laid out; `None` lets the bytes decide.
    pub dialect: Option<Dialect>,
    /// The text of the companion.
    pub metadata: Option<&'o [u8]>,
}

impl<'o> FsoOptions<'o> {
    /// The same options with a dialect that the bytes cannot overrule.
    #[must_use]
    pub const fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// The same options with the text of the companion, where there is one.
    #[must_use]
    pub fn with_metadata(mut self, text: impl Into<Option<&'o [u8]>>) -> Self {
        self.metadata = text.into();
        self
    }
}

impl From<ReadOptions> for FsoOptions<'_> {
    fn from(read: ReadOptions) -> Self {
        Self { read, ..Self::default() }
    }
}

impl<'a> FsoModel<'a> {
    /// Reads a file without a companion: strictly, within default limits, the dialect as the bytes decide. The model
    /// borrows its chunks from `bytes`; [`into_owned`](Self::into_owned) frees it from them.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        Self::parse_options(bytes, &FsoOptions::default()).map(|p| p.model)
    }

    /// Reads a file without a companion.
    pub fn parse_with(bytes: &'a [u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        Self::parse_options(bytes, &(*options).into())
    }

    /// Reads a file with the format's own options; errors in the companion say so, and their offsets count in it.
    pub fn parse_options(bytes: &'a [u8], options: &FsoOptions<'_>) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.read.limits);
        let source = Source::file(bytes, CODES, &budget);
        let table = Path::ROOT.field("chunks");
        let mut model =
            Self { version: VERSION, dialect: Dialect::default(), chunks: Vec::new(), metadata: None };
        // The chunks and, to check them, where they start.
        let count = chunks(bytes)?.count();
        source.charge(&table, HEADER, "chunks", count as u64, size_of::<(Chunk<'_>, [u64; 2])>())?;
        model.chunks.reserve_exact(count);
        for chunk in chunks(bytes)? {
            let chunk = chunk?;
            model.chunks.push(Chunk { id: chunk.id, data: Cow::Borrowed(chunk.data) });
        }
        if let Some(text) = options.metadata {
            model.metadata = Some(Metadata::read(text, &budget, &mut Report::new())?);
        }
        model.dialect = options.dialect.unwrap_or_else(|| detect::decide(&model));

        let mut forgiven = Report::new();
        // The offsets are put together when the first is wanted.
        let mut offsets = None;
        let mut judge = |model: &Self, broken: Broken| -> Result<(), ReadError> {
            let (at, companion) =
                offsets.get_or_insert_with(|| Offsets::with_companion(model)).at(broken.place);
            let e = broken.place.with_path(|path| source.malformed(broken.code, path, at, broken.message));
            let e = if companion { e.in_stream(Stream::Part(STREAM.into())) } else { e };
            if !options.read.is_lenient() || broken.code == "DuplicateChunk" {
                return Err(e);
            }
            forgiven.push(Finding::from(&e));
            Ok(())
        };
        check::chunks(&model, &mut |broken| judge(&model, broken))?;
        let indices = model.indices();
        let at = Offsets::of(&model).at(check::Place::Index(0)).0;
        source.charge(&Path::ROOT.field("indices"), at, "extents", Extents::memory(indices.len()), 1)?;
        check::ranges(&model, &Extents::new(indices), &mut |broken| judge(&model, broken))?;
        Ok(Parsed::new(model, forgiven))
    }

    /// Whether `bytes` start with the format's magic.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if bytes.starts_with(MAGIC) { Confidence::Certain } else { Confidence::No }
    }
}
