//! Reads a skeleton chunk in the order of the engine's own reader.

use crate::block::{self, Sizes, Step};
use crate::options::CrucibleOptions;
use crate::rules::CODES;
use crate::skeleton::model::{Bone, SkeletonChunk};
use crate::skeleton::record::{BONES_BLOCK, CHILD, NO_PARENT, bone_header, skeleton_header};
use crate::skeleton::rules::{BONE_INDEX, OUTPUT_TOO_SHORT, TRAILING_BONES, check, check_count};
use crate::stream::Packed;
use alloc::format;
use meshwright_core::record::field;
use meshwright_core::{
    Budget, Confidence, Cursor, F32, FieldPath, Findings, Parsed, ReadError, Source, Stream as Part,
};
use nom::Parser as _;
use nom::number::complete::{le_u16, le_u32};

fn skeleton_header(i: &[u8]) -> Step<'_, (Sizes, u16)> {
    (block::sizes(BONES_BLOCK), field(skeleton_header::BONE_COUNT, le_u16)).parse(i)
}

/// The fields of a bone before its children.
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
    let (i, index) = field(bone_header::INDEX, le_u16).parse(i)?;
    let (i, position) = field(bone_header::POSITION, vector).parse(i)?;
    let (i, rotation) = field(bone_header::ROTATION, quaternion).parse(i)?;
    let (i, scale) = field(bone_header::SCALE, vector).parse(i)?;
    let (i, parent) = field(bone_header::PARENT, le_u16).parse(i)?;
    let (i, children) = field(bone_header::CHILD_COUNT, le_u16).parse(i)?;
    Ok((i, BoneHeader { index, position, rotation, scale, parent, children }))
}

fn bone(cursor: &mut Cursor<'_, '_>, path: &FieldPath<'_>, number: usize) -> Result<Bone, ReadError> {
    let start = cursor.offset();
    let h = cursor.read(path, bone_header)?;
    if usize::from(h.index) != number {
        let (field, message) = (bone_header::INDEX, format!("bone {number} calls itself {}", h.index));
        return Err(cursor.source().broken(BONE_INDEX, &field.path(path), field.offset_in(start), message));
    }
    let count_at = bone_header::CHILD_COUNT.offset_in(start);
    let children =
        cursor.table(&path.field("children"), count_at, h.children.into(), CHILD as u64, le_u16)?;
    let parent = Some(h.parent).filter(|p| *p != NO_PARENT);
    Ok(Bone { position: h.position, rotation: h.rotation, scale: h.scale, parent, children })
}

impl SkeletonChunk {
    /// Reads a skeleton chunk strictly, within the default limits, with rotations x, y, z, w.
    ///
    /// # Errors
    /// If the bytes break a rule of the format, or would take more memory than the default limits allow.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        read(bytes, &CrucibleOptions::default()).map(|p| p.model)
    }

    /// Reads a skeleton chunk with options of this format or of all formats. No rule is forgiven.
    ///
    /// # Errors
    /// If the bytes break a rule of the format, or would take more memory than the options allow.
    pub fn parse_with(
        bytes: &[u8],
        options: &(impl Copy + Into<CrucibleOptions>),
    ) -> Result<Parsed<Self>, ReadError> {
        read(bytes, &(*options).into())
    }

    /// Returns how likely `bytes` are a skeleton chunk: its sizes must agree with the number of bones.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let walked = || {
            let (rest, (sizes, count)) = skeleton_header(bytes).ok()?;
            let rest = block::skip(rest, sizes)?;
            // Every bone except the root is the child of a bone.
            let bone = bone_header::SIZE.saturating_add(CHILD);
            let expected = usize::from(count).checked_mul(bone)?.checked_sub(CHILD)?;
            Some((usize::try_from(sizes.1) == Ok(expected), rest.len()))
        };
        match walked() {
            Some((true, 0)) => Confidence::Likely,
            Some((true, _)) => Confidence::Possible,
            _ => Confidence::No,
        }
    }
}

fn read(bytes: &[u8], options: &CrucibleOptions) -> Result<Parsed<SkeletonChunk>, ReadError> {
    let budget = Budget::new(options.read.limits);
    let source = Source::file(bytes, CODES, &budget);
    // A partial tree is useless, so no rule is forgiven, whatever the options say.
    let mut findings = Findings::writing();
    let mut cursor = source.start();
    let (sizes, count) = cursor.read(&FieldPath::ROOT, skeleton_header)?;
    let table = FieldPath::ROOT.field("bones");
    check_count(count.into(), &mut findings)?;
    let block = block::take(&mut cursor, &table, 0, BONES_BLOCK, sizes)?;
    let rest = (block.packed.len() as u64).saturating_add(cursor.remaining());
    source.charge(&table, cursor.offset(), "skeleton", rest, 1)?;
    let tail = cursor.rest().to_vec();
    let stream = block.stream(block.decode(), (bytes, &source), &table, OUTPUT_TOO_SHORT, &mut findings)?;

    let part = Source::part("bones", stream.data(), CODES, &budget);
    let mut cursor = part.start();
    // The count is a field of the file, but the decoded stream is too short for it.
    let count_at = skeleton_header::BONE_COUNT.offset_in(0);
    let mut bones = cursor
        .reserve(&table, count_at, count.into(), bone_header::SIZE as u64)
        .map_err(|e| e.in_stream(Part::File))?;
    for i in 0..usize::from(count) {
        bones.push(bone(&mut cursor, &table.index(i), i)?);
    }
    if !cursor.is_at_end() {
        let message = format!("{} bytes after the last bone", cursor.remaining());
        return Err(part.broken(TRAILING_BONES, &table, cursor.offset(), message));
    }
    let packed = Packed::new(block.packed).into_owned();
    // Memory for the lists of listed, visited, reachable and missing bones.
    source.charge(&table, count_at, "tree", count.into(), size_of::<(usize, u32, bool, bool)>())?;
    let skeleton = SkeletonChunk { order: options.quaternions, bones, tail, packed };
    check(&skeleton, true, &mut findings)?;
    Ok(Parsed::new(skeleton, findings.into_report()))
}
