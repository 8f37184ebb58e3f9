//! Parsers of records, in the order of the format.

use crate::model::{
    AnimFlags, ArrayFormat, ArrayKind, IqmAnim, IqmBounds, IqmJoint, IqmMesh, IqmPose, TextId,
};
use crate::pose::rotation_of_version_1;
use crate::record::{
    anim as anim_record, array as array_record, bounds as bounds_record, extension as extension_record,
    header as header_record, joint as joint_record, joint_v1, mesh as mesh_record, pose as pose_record,
    pose_v1,
};
use crate::rules::{MAGIC, VERSION};
use meshwright_core::record::field;
use meshwright_core::{F32, Fault};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::{le_i32, le_u32};

pub(crate) type Step<'a, T> = nom::IResult<&'a [u8], T, Fault<'a>>;

/// The magic at the start of a file.
pub(crate) const LETTERS: &[u8; 16] = b"INTERQUAKEMODEL\0";

/// The header of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) version: u32,
    /// All fields after the magic.
    words: [u32; 27],
}

impl Header {
    /// Returns the value of a field.
    pub(crate) fn get(&self, field: meshwright_core::record::Field) -> u32 {
        let place = field.offset.saturating_sub(header_record::VERSION.offset) / 4;
        self.words.get(place).copied().unwrap_or(0)
    }
}

/// Returns the first bytes of a file.
pub(crate) fn magic(i: &[u8]) -> Step<'_, ()> {
    let own = |i| match <[u8]>::strip_prefix(i, LETTERS.as_slice()) {
        Some(rest) => Ok((rest, ())),
        None => {
            let message = alloc::format!("not {}", meshwright_core::text::Escaped(LETTERS));
            Err(nom::Err::Error(Fault::reject(i, MAGIC, message)))
        }
    };
    context(header_record::MAGIC.name, own).parse(i)
}

fn version(i: &[u8]) -> Step<'_, u32> {
    match le_u32(i)? {
        (rest, found @ (1 | 2)) => Ok((rest, found)),
        (_, other) => {
            let message = alloc::format!("version {other:#x}, only 1 and 2 are defined");
            Err(nom::Err::Error(Fault::reject(i, VERSION, message)))
        }
    }
}

pub(crate) fn header(i: &[u8]) -> Step<'_, Header> {
    let (mut i, ()) = magic(i)?;
    let (_, version) = context(header_record::VERSION.name, version).parse(i)?;
    let mut words = [0; 27];
    let fields = header_record::FIELDS.iter().skip(1);
    for (word, own) in words.iter_mut().zip(fields) {
        (i, *word) = field(*own, le_u32).parse(i)?;
    }
    Ok((i, Header { version, words }))
}

fn float(i: &[u8]) -> Step<'_, F32> {
    le_u32.map(F32::from_bits).parse(i)
}

fn floats<const N: usize>(mut i: &[u8]) -> Step<'_, [F32; N]> {
    let mut values = [F32::default(); N];
    for value in &mut values {
        (i, *value) = float(i)?;
    }
    Ok((i, values))
}

fn text(i: &[u8]) -> Step<'_, TextId> {
    le_u32.map(TextId).parse(i)
}

pub(crate) fn mesh(i: &[u8]) -> Step<'_, IqmMesh> {
    let (i, name) = field(mesh_record::NAME, text).parse(i)?;
    let (i, material) = field(mesh_record::MATERIAL, text).parse(i)?;
    let (i, first_vertex) = field(mesh_record::FIRST_VERTEX, le_u32).parse(i)?;
    let (i, vertex_count) = field(mesh_record::NUM_VERTEXES, le_u32).parse(i)?;
    let (i, first_triangle) = field(mesh_record::FIRST_TRIANGLE, le_u32).parse(i)?;
    let (i, triangle_count) = field(mesh_record::NUM_TRIANGLES, le_u32).parse(i)?;
    Ok((i, IqmMesh { name, material, first_vertex, vertex_count, first_triangle, triangle_count }))
}

/// An entry of the table of arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayEntry {
    pub(crate) kind: ArrayKind,
    pub(crate) flags: u32,
    pub(crate) format: ArrayFormat,
    pub(crate) components: u32,
    pub(crate) offset: u32,
}

pub(crate) fn array(i: &[u8]) -> Step<'_, ArrayEntry> {
    let (i, kind) = field(array_record::TYPE, le_u32.map(ArrayKind)).parse(i)?;
    let (i, flags) = field(array_record::FLAGS, le_u32).parse(i)?;
    let (i, format) = field(array_record::FORMAT, le_u32.map(ArrayFormat)).parse(i)?;
    let (i, components) = field(array_record::COMPONENTS, le_u32).parse(i)?;
    let (i, offset) = field(array_record::OFFSET, le_u32).parse(i)?;
    Ok((i, ArrayEntry { kind, flags, format, components, offset }))
}

pub(crate) fn joint(i: &[u8]) -> Step<'_, IqmJoint> {
    let (i, name) = field(joint_record::NAME, text).parse(i)?;
    let (i, parent) = field(joint_record::PARENT, le_i32).parse(i)?;
    let (i, translate) = field(joint_record::TRANSLATE, floats).parse(i)?;
    let (i, rotate) = field(joint_record::ROTATE, floats).parse(i)?;
    let (i, scale) = field(joint_record::SCALE, floats).parse(i)?;
    Ok((i, IqmJoint { name, parent, translate, rotate, scale }))
}

pub(crate) fn joint_of_version_1(i: &[u8]) -> Step<'_, IqmJoint> {
    let (i, name) = field(joint_v1::NAME, text).parse(i)?;
    let (i, parent) = field(joint_v1::PARENT, le_i32).parse(i)?;
    let (i, translate) = field(joint_v1::TRANSLATE, floats).parse(i)?;
    let (i, rotate) = field(joint_v1::ROTATE, floats::<3>).parse(i)?;
    let (i, scale) = field(joint_v1::SCALE, floats).parse(i)?;
    Ok((i, IqmJoint { name, parent, translate, rotate: rotation_of_version_1(rotate), scale }))
}

pub(crate) fn pose(i: &[u8]) -> Step<'_, IqmPose> {
    let (i, parent) = field(pose_record::PARENT, le_i32).parse(i)?;
    let (i, mask) = field(pose_record::MASK, le_u32).parse(i)?;
    let (i, offset) = field(pose_record::OFFSET, floats).parse(i)?;
    let (i, scale) = field(pose_record::SCALE, floats).parse(i)?;
    Ok((i, IqmPose { parent, mask, offset, scale }))
}

pub(crate) fn pose_of_version_1(i: &[u8]) -> Step<'_, IqmPose> {
    let ten = |[a, b, c, d, e, f, g, h, i]: [F32; 9]| [a, b, c, d, e, f, g, h, i, F32::default()];
    let (i, parent) = field(pose_v1::PARENT, le_i32).parse(i)?;
    let (i, mask) = field(pose_v1::MASK, le_u32).parse(i)?;
    let (i, offset) = field(pose_v1::OFFSET, floats.map(ten)).parse(i)?;
    let (i, scale) = field(pose_v1::SCALE, floats.map(ten)).parse(i)?;
    Ok((i, IqmPose { parent, mask, offset, scale }))
}

pub(crate) fn anim(i: &[u8]) -> Step<'_, IqmAnim> {
    let (i, name) = field(anim_record::NAME, text).parse(i)?;
    let (i, first_frame) = field(anim_record::FIRST_FRAME, le_u32).parse(i)?;
    let (i, frame_count) = field(anim_record::NUM_FRAMES, le_u32).parse(i)?;
    let (i, framerate) = field(anim_record::FRAMERATE, float).parse(i)?;
    let (i, flags) = field(anim_record::FLAGS, le_u32.map(AnimFlags)).parse(i)?;
    Ok((i, IqmAnim { name, first_frame, frame_count, framerate, flags }))
}

pub(crate) fn bounds(i: &[u8]) -> Step<'_, IqmBounds> {
    let (i, mins) = field(bounds_record::MINS, floats).parse(i)?;
    let (i, maxs) = field(bounds_record::MAXS, floats).parse(i)?;
    let (i, xyradius) = field(bounds_record::XYRADIUS, float).parse(i)?;
    let (i, radius) = field(bounds_record::RADIUS, float).parse(i)?;
    Ok((i, IqmBounds { mins, maxs, xyradius, radius }))
}

/// A node of the list of extensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExtensionNode {
    pub(crate) name: TextId,
    pub(crate) len: u32,
    pub(crate) data: u32,
    pub(crate) next: u32,
}

pub(crate) fn extension(i: &[u8]) -> Step<'_, ExtensionNode> {
    let (i, name) = field(extension_record::NAME, text).parse(i)?;
    let (i, len) = field(extension_record::NUM_DATA, le_u32).parse(i)?;
    let (i, data) = field(extension_record::OFS_DATA, le_u32).parse(i)?;
    let (i, next) = field(extension_record::NEXT, le_u32).parse(i)?;
    Ok((i, ExtensionNode { name, len, data, next }))
}
