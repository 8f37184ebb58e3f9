//! Rules for the headers, sizes and indices of a chunk. The reader, the validator and the writer use them.

use super::{
    ATTRIBUTE_FLAG, DUPLICATE_ATTRIBUTE, INDEX_RANGE, INDEX_SIZE_BYTE, NOT_TRIANGLES, RESERVED_FLAG,
    STREAM_SIZE, VERTEX_COUNT,
};
use crate::chunk::model::Chunk;
use crate::chunk::record::{AttributeFlag, Dialect, chunk_header, stream_header};
use crate::chunk::stream_sizes::StreamSizes;
use crate::stream::Stream;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use meshwright_core::{FieldPath, Findings, Place, ReadError};

/// The offsets of the parts of a chunk in its file, as far as they are known.
pub(crate) struct Places {
    pub(crate) start: Option<u64>,
    pub(crate) streams: Vec<Option<u64>>,
    pub(crate) tail: Option<u64>,
}

impl Places {
    /// The offsets of a chunk that is not in a file.
    pub(crate) const NONE: Self = Self { start: None, streams: Vec::new(), tail: None };

    /// Computes the offsets of a chunk that starts at `start`, up to the first edited stream.
    pub(crate) fn compute(chunk: &Chunk<'_>, start: Option<u64>) -> Self {
        let behind = |at: Option<u64>, header: usize, s: &Stream<'_>| {
            Some(at?.saturating_add(header as u64).saturating_add(s.packed()?.len() as u64))
        };
        let mut at = behind(start, chunk_header::SIZE, &chunk.indices).map(|at| at.saturating_add(1));
        let mut streams = Vec::with_capacity(chunk.streams.len());
        for s in &chunk.streams {
            streams.push(at);
            at = behind(at, stream_header::SIZE, &s.stream);
        }
        // Only a chunk that was read has offsets.
        Self { start: chunk.indices.packed().and(start), streams, tail: at }
    }

    pub(super) fn stream(&self, i: usize) -> Option<u64> {
        self.streams.get(i).copied().flatten()
    }
}

/// The state of the flags: they are checked already when their headers are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flags {
    Checked,
    Unchecked,
}

/// Checks the rules that a reader needs.
pub(crate) fn check(
    chunk: &Chunk<'_>,
    path: &FieldPath<'_>,
    places: &Places,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let sizes = StreamSizes::new(chunk);
    check_sizes(&sizes, chunk.dialect, Flags::Unchecked, path, places, findings)?;
    let byte = chunk.index_size.0;
    if byte > 1 {
        findings.broken(INDEX_SIZE_BYTE, &chunk_header::INDEX_SIZE.path(path), places.start, || {
            format!("byte {byte} means 32-bit indices; the format knows 0 and 1")
        })?;
    }
    let n = chunk.indices().len();
    if !n.is_multiple_of(3) {
        findings.broken(NOT_TRIANGLES, &path.field("indices"), None, || {
            format!("{n} indices are not a whole number of triangles")
        })?;
    }
    let from_file = chunk.indices.packed().is_some();
    check_indices(chunk, sizes.vertices(chunk.dialect), path, from_file, findings)
}

/// Checks flags and sizes against each other.
pub(crate) fn check_sizes(
    sizes: &StreamSizes,
    dialect: Dialect,
    flags: Flags,
    path: &FieldPath<'_>,
    places: &Places,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let (width, bytes) = (sizes.index_size.bytes(), sizes.index_bytes);
    if !bytes.is_multiple_of(width as u64) {
        let at = places.start.map(|at| chunk_header::STATED.offset_in(at));
        findings.broken(STREAM_SIZE, &chunk_header::STATED.path(&path.field("indices")), at, || {
            format!("{bytes} bytes are not a whole number of {width}-byte indices")
        })?;
    }
    check_streams(sizes, dialect, flags, path, places, findings)
}

/// Checks flags and sizes of the attribute streams against each other.
pub(crate) fn check_streams(
    sizes: &StreamSizes,
    dialect: Dialect,
    flags: Flags,
    path: &FieldPath<'_>,
    places: &Places,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let table = path.field("streams");
    let (mut seen, mut first): (u16, Option<(usize, u64)>) = (0, None);
    for (i, &(flag, size)) in sizes.streams.iter().enumerate() {
        let (path, at) = (table.index(i), places.stream(i));
        if flags == Flags::Unchecked && !check_flag(flag, &mut seen, &path, at, findings)? {
            continue;
        }
        let Some(attribute) = flag.attribute(dialect) else {
            if !flag.is_reserved() {
                let at = at.map(|at| stream_header::FLAG.offset_in(at));
                findings.broken(RESERVED_FLAG, &stream_header::FLAG.path(&path), at, || {
                    format!("flag {flag} is reserved in dialect {dialect}")
                })?;
            }
            continue;
        };
        let size_path = stream_header::STATED.path(&path);
        let at = at.map(|at| stream_header::STATED.offset_in(at));
        let each = attribute.size(dialect) as u64;
        if !size.is_multiple_of(each) {
            findings.broken(STREAM_SIZE, &size_path, at, || {
                format!("{size} bytes are not a whole number of {each}-byte {attribute}")
            })?;
        }
        let count = size.checked_div(each).unwrap_or(0);
        match first {
            None => first = Some((i, count)),
            Some((j, n)) if n != count => {
                findings.broken(VERTEX_COUNT, &size_path, at, || {
                    format!("{count} vertices, streams[{j}] has {n}")
                })?;
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Checks the rules of a flag that do not depend on the dialect. Returns false if it is not a single bit.
/// `seen` holds the flags before it; `at` is the offset of the stream's header.
pub(crate) fn check_flag(
    flag: AttributeFlag,
    seen: &mut u16,
    path: &FieldPath<'_>,
    at: Option<u64>,
    findings: &mut Findings,
) -> Result<bool, ReadError> {
    let (path, at) = (stream_header::FLAG.path(path), at.map(|at| stream_header::FLAG.offset_in(at)));
    if !flag.is_single() {
        findings.broken(ATTRIBUTE_FLAG, &path, at, || format!("flag {flag} is not one bit"))?;
        return Ok(false);
    }
    if *seen & flag.0 != 0 {
        findings.broken(DUPLICATE_ATTRIBUTE, &path, at, || format!("a second stream of flag {flag}"))?;
    }
    *seen |= flag.0;
    if flag.is_reserved() {
        findings.broken(RESERVED_FLAG, &path, at, || format!("flag {flag} is reserved in every dialect"))?;
    }
    Ok(true)
}

/// Checks that every index refers to an existing vertex.
pub(crate) fn check_indices(
    chunk: &Chunk<'_>,
    vertices: u64,
    path: &FieldPath<'_>,
    from_file: bool,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let Some((i, index)) = chunk.indices().first_beyond(vertices) else { return Ok(()) };
    let field = path.field("indices");
    let at = (i as u64).saturating_mul(chunk.index_size.bytes() as u64);
    let place = Place::part(field.to_owned().to_string(), from_file.then_some(at));
    findings.broken(INDEX_RANGE, &field.index(i), place, || format!("index {index} of {vertices} vertices"))
}
