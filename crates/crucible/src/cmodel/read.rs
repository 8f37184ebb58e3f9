//! Reads a container in the order of the file.

use crate::block::{Step, bytes_of_section};
use crate::chunk::model::Chunk;
use crate::chunk::read::{Undecoded, decode, undecoded};
use crate::chunk::record::{chunk_header, stream_count};
use crate::cmodel::model::CModel;
use crate::cmodel::record::{MAGIC, mesh_header, model_header};
use crate::cmodel::rules::BAD_MAGIC;
use crate::options::CrucibleOptions;
use crate::rules::{CODES, TRUNCATED};
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::record::field;
use meshwright_core::{Budget, Confidence, Cursor, Fault, FieldPath, Findings, Parsed, ReadError, Source};
use nom::Parser as _;
use nom::bytes::complete::tag;
use nom::number::complete::{le_u32, le_u64};

/// The size of an empty chunk in bytes, including a block of one byte.
const SMALLEST_CHUNK: usize = chunk_header::SIZE + 1 + stream_count::SIZE;

fn magic(i: &[u8]) -> Step<'_, ()> {
    let short = i.len() < MAGIC.len() && MAGIC.starts_with(i);
    match tag::<_, _, Fault<'_>>(MAGIC.as_slice()).parse(i) {
        Ok((rest, _)) => Ok((rest, ())),
        Err(e) if short => Err(e),
        Err(_) => {
            Err(nom::Err::Error(Fault::reject(i, BAD_MAGIC, "a .cmodel file starts with \"cmodel\\n\"")))
        }
    }
}

/// Returns the section of the chunk at the cursor.
fn chunk<'a, 's>(cursor: &mut Cursor<'a, 's>, path: &FieldPath<'_>) -> Result<Cursor<'a, 's>, ReadError> {
    let source = cursor.source();
    let header = cursor.offset();
    let len = cursor.read(path, |i| field(mesh_header::LENGTH, le_u64).parse(i))?;
    let (path, at) = (mesh_header::LENGTH.path(path), mesh_header::LENGTH.offset_in(header));
    let start = cursor.offset();
    cursor.bytes(&path, len).map_err(|_| {
        let message = format!("{len} bytes wanted, {} left", cursor.remaining());
        source.broken(TRUNCATED, &path, at, message)
    })?;
    source.section(&path, at, start, len, 1)
}

impl<'a> CModel<'a> {
    /// Reads a container strictly, within the default limits, and detects the dialects. The chunks borrow
    /// their compressed blocks from `bytes`; [`into_owned`](Self::into_owned) copies them.
    ///
    /// # Errors
    /// If the bytes break a rule of the format, or would take more memory than the default limits allow.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        read(bytes, &CrucibleOptions::default()).map(|p| p.model)
    }

    /// Reads a container with options of this format or of all formats.
    ///
    /// # Errors
    /// If the bytes break a rule that the options do not forgive, or would take more memory than they allow.
    pub fn parse_with(
        bytes: &'a [u8],
        options: &(impl Copy + Into<CrucibleOptions>),
    ) -> Result<Parsed<Self>, ReadError> {
        read(bytes, &(*options).into())
    }

    /// Checks whether `bytes` start with the container's magic.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if bytes.starts_with(MAGIC) { Confidence::Certain } else { Confidence::No }
    }
}

fn read<'a>(bytes: &'a [u8], options: &CrucibleOptions) -> Result<Parsed<CModel<'a>>, ReadError> {
    let budget = Budget::new(options.read.limits);
    let source = Source::file(bytes, CODES, &budget);
    let mut findings = Findings::reading(&options.read);
    let mut cursor = source.start();
    cursor.read(&model_header::MAGIC.path(&FieldPath::ROOT), magic)?;
    let table = FieldPath::ROOT.field("meshes");
    let count_at = cursor.offset();
    let count = cursor.read(&FieldPath::ROOT, |i| field(model_header::MESH_COUNT, le_u32).parse(i))?;
    let smallest = SMALLEST_CHUNK.saturating_add(mesh_header::SIZE) as u64;
    let mut taken: Vec<Undecoded<'_>> = cursor.reserve(&table, count_at, count.into(), smallest)?;
    let mut meshes: Vec<Chunk<'_>> = cursor.reserve(&table, count_at, count.into(), smallest)?;
    for i in 0..usize::try_from(count).unwrap_or(usize::MAX) {
        let path = table.index(i);
        let mut section = chunk(&mut cursor, &path)?;
        taken.push(undecoded(&mut section, &path, options, &mut findings)?);
    }
    let tail = bytes_of_section(bytes, cursor.rest(), cursor.offset());
    let blocks: Vec<_> = taken.iter().flat_map(Undecoded::blocks).collect();
    let mut decoded = decode(&blocks, options.parallel).into_iter();
    for (i, chunk) in taken.into_iter().enumerate() {
        let own = decoded.by_ref().take(chunk.block_count());
        meshes.push(chunk.finish((bytes, &source), &table.index(i), own, options, &mut findings)?);
    }
    let model = CModel { meshes, tail: Cow::Borrowed(tail) };
    Ok(Parsed::new(model, findings.into_report()))
}
