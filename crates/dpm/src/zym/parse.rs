//! Parsers of a ZYM file's records, in the order of the format.

use super::model::{SceneFlags, ZymBounds, ZymScene};
use super::record::{
    LUMPS, bone as bone_record, bounds as bounds_record, header as header_record, scene as scene_record,
};
use crate::bone::{Bone, BoneFlags};
use crate::parse::{Step, float, magic, name, vector, version};
use meshwright_core::record::field;
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::{be_i32, be_u32};

/// The magic at the start of a file.
pub(crate) const MAGIC: &[u8; 12] = b"ZYMOTICMODEL";
/// The type number of the format.
pub(crate) const TYPE: u32 = 1;

/// The header of a file.
pub(crate) struct Header {
    pub filesize: u32,
    pub bounds: ZymBounds,
    /// The numbers of vertices, triangles, shaders, bones and scenes. They are signed in the file.
    pub counts: [i32; 5],
    /// The start and length of each lump.
    pub lumps: [(u32, u32); LUMPS.len()],
}

fn bounds(i: &[u8]) -> Step<'_, ZymBounds> {
    let (i, mins) = field(bounds_record::MINS, vector).parse(i)?;
    let (i, maxs) = field(bounds_record::MAXS, vector).parse(i)?;
    let (i, radius_squared) = field(bounds_record::RADIUS, float).parse(i)?;
    Ok((i, ZymBounds { mins, maxs, radius_squared }))
}

pub(crate) fn header(i: &[u8]) -> Step<'_, Header> {
    use header_record as h;
    let (i, ()) = context(h::ID.name, |i| magic(i, MAGIC)).parse(i)?;
    let (i, ()) = context(h::TYPE.name, |i| version(i, TYPE)).parse(i)?;
    let (i, filesize) = field(h::FILESIZE, be_u32).parse(i)?;
    let (mut i, bounds) = bounds(i)?;
    let mut counts = [0; 5];
    let fields = [h::NUM_VERTS, h::NUM_TRIS, h::NUM_SHADERS, h::NUM_BONES, h::NUM_SCENES];
    for (count, own) in counts.iter_mut().zip(fields) {
        (i, *count) = field(own, be_i32).parse(i)?;
    }
    let mut lumps = [(0, 0); LUMPS.len()];
    for (place, own) in lumps.iter_mut().zip(LUMPS) {
        (i, *place) = field(own, (be_u32, be_u32)).parse(i)?;
    }
    Ok((i, Header { filesize, bounds, counts, lumps }))
}

pub(crate) fn scene(i: &[u8]) -> Step<'_, ZymScene> {
    let (i, name) = field(scene_record::NAME, name).parse(i)?;
    let (i, bounds) = bounds(i)?;
    let (i, framerate) = field(scene_record::FRAMERATE, float).parse(i)?;
    let (i, flags) = field(scene_record::FLAGS, be_u32.map(SceneFlags)).parse(i)?;
    let (i, start) = field(scene_record::START, be_u32).parse(i)?;
    let (i, length) = field(scene_record::LENGTH, be_u32).parse(i)?;
    Ok((i, ZymScene { name, bounds, framerate, flags, start, length }))
}

pub(crate) fn bone(i: &[u8]) -> Step<'_, Bone> {
    let (i, name) = field(bone_record::NAME, name).parse(i)?;
    let (i, flags) = field(bone_record::FLAGS, be_u32.map(BoneFlags)).parse(i)?;
    let (i, parent) = field(bone_record::PARENT, be_i32).parse(i)?;
    Ok((i, Bone { name, parent, flags }))
}
