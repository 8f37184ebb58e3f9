//! Reads a chunk in the order of the description. The headers of all streams are read and compared before
//! the first block is decoded.

use crate::block::{self, Block, Sizes, Step, bytes_of_section};
use crate::chunk::dialect::decide;
use crate::chunk::model::{AttributeStream, Chunk};
use crate::chunk::record::{
    AttributeFlag, Dialect, INDEX_BLOCK, IndexSize, STREAM_BLOCK, chunk_header, stream_count, stream_header,
};
use crate::chunk::rules::OUTPUT_TOO_SHORT;
use crate::chunk::rules::structure::{Flags, Places, check_flag, check_indices, check_sizes};
use crate::chunk::stream_sizes::StreamSizes;
use crate::lz4::DecodeError;
use crate::options::CrucibleOptions;
use crate::rules::CODES;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::record::field;
use meshwright_core::{Budget, Confidence, Cursor, FieldPath, Findings, Parsed, ReadError, Source};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::{le_u8, le_u16};

/// The fields before the indices.
struct IndexHeader {
    index_size: u8,
    sizes: Sizes,
}

fn index_header(i: &[u8]) -> Step<'_, IndexHeader> {
    let (i, index_size) = field(chunk_header::INDEX_SIZE, le_u8).parse(i)?;
    let (i, sizes) = context("indices", block::sizes(INDEX_BLOCK)).parse(i)?;
    Ok((i, IndexHeader { index_size, sizes }))
}

/// The fields before the block of an attribute.
#[derive(Clone, Copy)]
struct StreamHeader {
    flag: AttributeFlag,
    sizes: Sizes,
}

fn stream_header(i: &[u8]) -> Step<'_, StreamHeader> {
    let (i, flag) = field(stream_header::FLAG, le_u16).parse(i)?;
    let (i, sizes) = block::sizes(STREAM_BLOCK).parse(i)?;
    Ok((i, StreamHeader { flag: AttributeFlag(flag), sizes }))
}

/// A chunk whose headers are read and whose blocks are located, but not decoded.
pub(crate) struct Undecoded<'a> {
    start: u64,
    index_size: IndexSize,
    indices: Block<'a>,
    streams: Vec<(StreamHeader, u64, Block<'a>)>,
    tail: &'a [u8],
    tail_at: u64,
}

/// Reads everything of a chunk except the contents of its blocks.
pub(crate) fn undecoded<'a>(
    cursor: &mut Cursor<'a, '_>,
    path: &FieldPath<'_>,
    options: &CrucibleOptions,
    findings: &mut Findings,
) -> Result<Undecoded<'a>, ReadError> {
    let start = cursor.offset();
    let header = cursor.read(path, index_header)?;
    let indices = block::take(cursor, &path.field("indices"), start, INDEX_BLOCK, header.sizes)?;
    let table = path.field("streams");
    let count_at = cursor.offset();
    let count = cursor.read(path, |i| field(stream_count::COUNT, le_u8).parse(i))?;
    let mut streams = cursor.reserve(&table, count_at, count.into(), stream_header::SIZE as u64)?;
    let mut seen = 0_u16;
    for i in 0..usize::from(count) {
        let path = table.index(i);
        let at = cursor.offset();
        let header: StreamHeader = cursor.read(&path, stream_header)?;
        check_flag(header.flag, &mut seen, &path, Some(at), findings)?;
        let block = block::take(cursor, &path, at, STREAM_BLOCK, header.sizes)?;
        streams.push((header, at, block));
    }
    let (tail, tail_at) = (cursor.rest(), cursor.offset());
    let index_size = IndexSize(header.index_size);
    let read = Undecoded { start, index_size, indices, streams, tail, tail_at };
    // Sizes that fit no dialect, or not the chosen one, are reported before anything is decoded.
    if !findings.is_lenient() {
        let dialect = options.dialect.unwrap_or_else(|| decide(&read.sizes(), None));
        read.check(dialect, path, findings)?;
    }
    Ok(read)
}

impl<'a> Undecoded<'a> {
    fn sizes(&self) -> StreamSizes {
        StreamSizes {
            index_size: self.index_size,
            index_bytes: self.indices.size as u64,
            streams: self.streams.iter().map(|(h, _, b)| (h.flag, b.size as u64)).collect(),
        }
    }

    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block<'a>> {
        core::iter::once(&self.indices).chain(self.streams.iter().map(|s| &s.2))
    }

    /// Returns the number of blocks.
    pub(crate) fn block_count(&self) -> usize {
        self.streams.len().saturating_add(1)
    }

    /// Checks the sizes against each other.
    fn check(
        &self,
        dialect: Dialect,
        path: &FieldPath<'_>,
        findings: &mut Findings,
    ) -> Result<(), ReadError> {
        let streams = self.streams.iter().map(|s| Some(s.1)).collect();
        let places = Places { start: Some(self.start), streams, tail: Some(self.tail_at) };
        check_sizes(&self.sizes(), dialect, Flags::Checked, path, &places, findings)
    }

    /// Builds the chunk. It borrows the blocks from `file`.
    pub(crate) fn finish<'f>(
        self,
        (file, source): (&'f [u8], &Source<'a>),
        path: &FieldPath<'_>,
        decoded: impl Iterator<Item = Result<Vec<u8>, DecodeError>>,
        options: &CrucibleOptions,
        findings: &mut Findings,
    ) -> Result<Chunk<'f>, ReadError> {
        let table = path.field("streams");
        let mut chunk = Chunk { index_size: self.index_size, ..Chunk::default() };
        chunk.streams.reserve_exact(self.streams.len());
        let mut decoded = decoded;
        let mut stream = |block: &Block<'_>, path: &FieldPath<'_>, findings: &mut Findings| {
            let decoded = decoded.next().unwrap_or(Err(DecodeError::Memory));
            block.stream(decoded, (file, source), path, OUTPUT_TOO_SHORT, findings)
        };
        chunk.indices = stream(&self.indices, &path.field("indices"), findings)?;
        for (i, (header, _, block)) in self.streams.iter().enumerate() {
            let stream = stream(block, &table.index(i), findings)?;
            chunk.streams.push(AttributeStream { flag: header.flag, stream });
        }
        let (sizes, highest) = (self.sizes(), chunk.indices().highest());
        chunk.dialect = options.dialect.unwrap_or_else(|| decide(&sizes, highest));
        self.check(chunk.dialect, path, findings)?;
        let vertices = sizes.vertices(chunk.dialect);
        if highest.is_some_and(|h| u64::from(h) >= vertices) {
            check_indices(&chunk, vertices, path, true, findings)?;
        }
        chunk.tail = Cow::Borrowed(bytes_of_section(file, self.tail, self.tail_at));
        Ok(chunk)
    }
}

/// Returns the decoded blocks in order, up to the first that is broken.
pub(crate) fn decode(blocks: &[&Block<'_>], parallel: bool) -> Vec<Result<Vec<u8>, DecodeError>> {
    #[cfg(feature = "rayon")]
    if parallel {
        use rayon::prelude::*;
        return blocks.par_iter().map(|b| b.decode()).collect();
    }
    let _ = parallel;
    let mut decoded = Vec::with_capacity(blocks.len());
    for block in blocks {
        let data = block.decode();
        let stop = matches!(data, Err(DecodeError::Block(_) | DecodeError::TooLong | DecodeError::Memory));
        decoded.push(data);
        if stop {
            break;
        }
    }
    decoded
}

impl<'a> Chunk<'a> {
    /// Reads a chunk strictly, within the default limits, and detects its dialect. The chunk borrows the
    /// compressed blocks from `bytes`; [`into_owned`](Self::into_owned) copies them.
    ///
    /// # Errors
    /// If the bytes break a rule of the format, or would take more memory than the default limits allow.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        read(bytes, &CrucibleOptions::default()).map(|p| p.model)
    }

    /// Reads a chunk with options of this format or of all formats.
    ///
    /// # Errors
    /// If the bytes break a rule that the options do not forgive, or would take more memory than they allow.
    pub fn parse_with(
        bytes: &'a [u8],
        options: &(impl Copy + Into<CrucibleOptions>),
    ) -> Result<Parsed<Self>, ReadError> {
        read(bytes, &(*options).into())
    }

    /// Returns how likely `bytes` are a mesh chunk. It steps through the streams and decodes nothing. The format has
    /// no magic, so that the answer is at most [`Confidence::Likely`].
    pub fn sniff(bytes: &[u8]) -> Confidence {
        // The engine treats any other value as 32 bits, but no writer of its own stores one.
        let odd = !matches!(bytes.first(), Some(0 | 1));
        match walk(bytes) {
            Some((1.., 0)) if odd => Confidence::Possible,
            _ if odd => Confidence::No,
            Some((1.., 0)) => Confidence::Likely,
            Some((1.., _) | (0, 0)) => Confidence::Possible,
            _ => Confidence::No,
        }
    }
}

fn read<'a>(bytes: &'a [u8], options: &CrucibleOptions) -> Result<Parsed<Chunk<'a>>, ReadError> {
    let budget = Budget::new(options.read.limits);
    let source = Source::file(bytes, CODES, &budget);
    let mut findings = Findings::reading(&options.read);
    let read = undecoded(&mut source.start(), &FieldPath::ROOT, options, &mut findings)?;
    let blocks: Vec<_> = read.blocks().collect();
    let decoded = decode(&blocks, options.parallel).into_iter();
    let chunk = read.finish((bytes, &source), &FieldPath::ROOT, decoded, options, &mut findings)?;
    Ok(Parsed::new(chunk, findings.into_report()))
}

/// Returns the number of streams in the chunk, and the number of bytes after them.
fn walk(bytes: &[u8]) -> Option<(u8, usize)> {
    let (rest, header) = index_header(bytes).ok()?;
    let (&count, mut rest) = block::skip(rest, header.sizes)?.split_first()?;
    let mut seen = 0_u16;
    for _ in 0..count {
        let (behind, StreamHeader { flag, sizes }) = stream_header(rest).ok()?;
        if !flag.is_single() || seen & flag.0 != 0 || flag.is_reserved() {
            return None;
        }
        seen |= flag.0;
        rest = block::skip(behind, sizes)?;
    }
    Some((count, rest.len()))
}
