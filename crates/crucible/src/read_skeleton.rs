//! Reading a skeleton chunk, in the order of the engine's own reader.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use crate::lz4;
use crate::read::{CODES, CrucibleOptions, Mercy, Sizes, Step, block, stream};
use crate::skeleton::{Bone, MAX_BONES, Packed, SkeletonChunk};
use alloc::format;
use meshwright_core::{
    Budget, Cursor, F32, Parsed, Path, ReadError, ReadOptions, Report, Source, Stream as Part,
};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::{le_i32, le_u16, le_u32};

/// The 10 bytes at the start of a skeleton chunk.
fn skeleton_header(i: &[u8]) -> Step<'_, (Sizes, u16)> {
    (
        (context("packed", le_i32), context("size", le_i32)), // 0, 4
        context("bone_count", le_u16),                        // 8
    )
        .parse(i)
}

/// A bone up to its children.
struct BoneHeader {
    index: u16,
    position: [F32; 3],
    rotation: [F32; 4],
    scale: [F32; 3],
    parent: u16,
    children: u16,
}

fn le_f32(i: &[u8]) -> Step<'_, F32> {
    le_u32.map(F32::from_bits).parse(i)
}

fn vector(i: &[u8]) -> Step<'_, [F32; 3]> {
    (le_f32, le_f32, le_f32).map(Into::into).parse(i)
}

fn quaternion(i: &[u8]) -> Step<'_, [F32; 4]> {
    (le_f32, le_f32, le_f32, le_f32).map(Into::into).parse(i)
}

fn bone_header(i: &[u8]) -> Step<'_, BoneHeader> {
    let (i, index) = context("index", le_u16).parse(i)?; // 0
    let (i, position) = context("position", vector).parse(i)?; // 2
    let (i, rotation) = context("rotation", quaternion).parse(i)?; // 14
    let (i, scale) = context("scale", vector).parse(i)?; // 30
    let (i, parent) = context("parent", le_u16).parse(i)?; // 42
    let (i, children) = context("child_count", le_u16).parse(i)?; // 44
    Ok((i, BoneHeader { index, position, rotation, scale, parent, children }))
}

/// Where bone `i` starts in the decoded stream.
pub(crate) fn bone_offset(bones: &[Bone], i: usize) -> u64 {
    let size = |b: &Bone| (b.children.len() as u64).saturating_mul(2).saturating_add(46);
    bones.iter().take(i).map(size).fold(0, u64::saturating_add)
}

fn bone(cursor: &mut Cursor<'_, '_>, path: &Path<'_>, number: usize) -> Result<Bone, ReadError> {
    let start = cursor.offset();
    let h = cursor.read(path, bone_header)?;
    if usize::from(h.index) != number {
        let message = format!("bone {number} calls itself {}", h.index);
        return Err(cursor.source().malformed("BoneIndex", &path.field("index"), start, message));
    }
    let count_at = start.saturating_add(44);
    let children = cursor.table(&path.field("children"), count_at, h.children.into(), 2, le_u16)?;
    let parent = Some(h.parent).filter(|p| *p != 0xffff);
    Ok(Bone { position: h.position, rotation: h.rotation, scale: h.scale, parent, children })
}

impl SkeletonChunk {
    /// Reads a skeleton chunk: strictly, within default limits, rotations x, y, z, w.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_options(bytes, &CrucibleOptions::default()).map(|p| p.model)
    }

    /// Reads a skeleton chunk.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        Self::parse_options(bytes, &(*options).into())
    }

    /// Reads a skeleton chunk with the format's own options. Nothing is forgiven.
    pub fn parse_options(bytes: &[u8], options: &CrucibleOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.read.limits);
        let source = Source::file(bytes, CODES, &budget);
        let mut cursor = source.start();
        let (sizes, count) = cursor.read(&Path::ROOT, skeleton_header)?;
        let table = Path::ROOT.field("bones");
        if usize::from(count) > MAX_BONES {
            let message = format!("{count} bones, at most {MAX_BONES} can be numbered");
            return Err(source.malformed("BoneRange", &Path::ROOT.field("bone_count"), 8, message));
        }
        let block = block(&mut cursor, &table, 0, sizes)?;
        let tail_at = cursor.offset();
        source.charge(
            &table,
            tail_at,
            "skeleton",
            (block.packed.len() as u64).saturating_add(cursor.remaining()),
            1,
        )?;
        let tail = cursor.rest().to_vec();
        let mut strict = Mercy::none();
        let decoded = lz4::decode(block.packed, block.size);
        let stream = stream(bytes, &source, &table, &block, Some(decoded), &mut strict)?;

        let part = Source::part("bones", stream.data(), CODES, &budget);
        let mut cursor = part.start();
        // The count stands in the file, not in the stream that is too short for it.
        let mut bones = cursor.reserve(&table, 8, count.into(), 46).map_err(|e| e.in_stream(Part::File))?;
        for i in 0..usize::from(count) {
            bones.push(bone(&mut cursor, &table.index(i), i)?);
        }
        if !cursor.is_at_end() {
            let message = format!("{} bytes behind the last bone", cursor.remaining());
            return Err(cursor.malformed("TrailingBytes", &table, message));
        }
        let packed = Packed(Some(block.packed.to_vec()));
        // Who is listed, seen, reached and missing.
        source.charge(&table, 8, "tree", count.into(), size_of::<(usize, u32, bool, bool)>())?;
        let skeleton = Self { order: options.quaternions, bones, tail, packed };
        skeleton.check(|fault| match fault.bone {
            Some(i) => {
                let at = bone_offset(&skeleton.bones, i);
                let at = at.saturating_add(if fault.field == "parent" { 42 } else { 46 });
                Err(part.malformed(fault.code, &table.index(i).field(fault.field), at, fault.message))
            }
            None => Err(source.malformed(fault.code, &Path::ROOT.field("bone_count"), 8, fault.message)),
        })?;
        Ok(Parsed::new(skeleton, Report::new()))
    }
}
