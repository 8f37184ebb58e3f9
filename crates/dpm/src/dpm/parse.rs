//! Parsers of a DPM file's records, in the order of the format.

use super::model::{Bounds, Frame, PoseId};
use super::record::{bone as bone_record, bounds as bounds_record, frame, header as header_record, mesh};
use crate::bone::{Bone, BoneFlags, Name};
use crate::parse::{Step, float, magic, name, vector, version};
use meshwright_core::F32;
use meshwright_core::bulk::words;
use meshwright_core::record::field;
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::{be_i32, be_u32};

/// The magic at the start of a file.
pub(crate) const MAGIC: &[u8; 16] = b"DARKPLACESMODEL\0";
/// The type number of the format.
pub(crate) const TYPE: u32 = 2;

/// The header of a file.
pub(crate) struct Header {
    pub filesize: u32,
    pub bounds: Bounds,
    pub num_bones: u32,
    pub num_meshes: u32,
    pub num_frames: u32,
    pub ofs_bones: u32,
    pub ofs_meshes: u32,
    pub ofs_frames: u32,
}

fn bounds(i: &[u8]) -> Step<'_, Bounds> {
    let (i, mins) = field(bounds_record::MINS, vector).parse(i)?;
    let (i, maxs) = field(bounds_record::MAXS, vector).parse(i)?;
    let (i, yawradius) = field(bounds_record::YAWRADIUS, float).parse(i)?;
    let (i, allradius) = field(bounds_record::ALLRADIUS, float).parse(i)?;
    Ok((i, Bounds { mins, maxs, yawradius, allradius }))
}

pub(crate) fn header(i: &[u8]) -> Step<'_, Header> {
    use header_record as h;
    let (i, ()) = context(h::ID.name, |i| magic(i, MAGIC)).parse(i)?;
    let (i, ()) = context(h::TYPE.name, |i| version(i, TYPE)).parse(i)?;
    let (i, filesize) = field(h::FILESIZE, be_u32).parse(i)?;
    let (i, bounds) = bounds(i)?;
    let (i, num_bones) = field(h::NUM_BONES, be_u32).parse(i)?;
    let (i, num_meshes) = field(h::NUM_MESHES, be_u32).parse(i)?;
    let (i, num_frames) = field(h::NUM_FRAMES, be_u32).parse(i)?;
    let (i, ofs_bones) = field(h::OFS_BONES, be_u32).parse(i)?;
    let (i, ofs_meshes) = field(h::OFS_MESHES, be_u32).parse(i)?;
    let (i, ofs_frames) = field(h::OFS_FRAMES, be_u32).parse(i)?;
    Ok((i, Header { filesize, bounds, num_bones, num_meshes, num_frames, ofs_bones, ofs_meshes, ofs_frames }))
}

pub(crate) fn bone(i: &[u8]) -> Step<'_, Bone> {
    let (i, name) = field(bone_record::NAME, name).parse(i)?;
    let (i, parent) = field(bone_record::PARENT, be_i32).parse(i)?;
    let (i, flags) = field(bone_record::FLAGS, be_u32.map(BoneFlags)).parse(i)?;
    Ok((i, Bone { name, parent, flags }))
}

/// The offsets of a mesh's sections.
pub(crate) struct MeshHeader {
    pub shader: Name,
    pub num_verts: u32,
    pub num_tris: u32,
    pub ofs_verts: u32,
    pub ofs_texcoords: u32,
    pub ofs_indices: u32,
    pub ofs_groupids: u32,
}

pub(crate) fn mesh_header(i: &[u8]) -> Step<'_, MeshHeader> {
    let (i, shader) = field(mesh::SHADER, name).parse(i)?;
    let (i, num_verts) = field(mesh::NUM_VERTS, be_u32).parse(i)?;
    let (i, num_tris) = field(mesh::NUM_TRIS, be_u32).parse(i)?;
    let (i, ofs_verts) = field(mesh::OFS_VERTS, be_u32).parse(i)?;
    let (i, ofs_texcoords) = field(mesh::OFS_TEXCOORDS, be_u32).parse(i)?;
    let (i, ofs_indices) = field(mesh::OFS_INDICES, be_u32).parse(i)?;
    let (i, ofs_groupids) = field(mesh::OFS_GROUPIDS, be_u32).parse(i)?;
    Ok((i, MeshHeader { shader, num_verts, num_tris, ofs_verts, ofs_texcoords, ofs_indices, ofs_groupids }))
}

/// Decodes a frame. Its pose is still an offset.
pub(crate) fn frame_header(record: &[u8; frame::SIZE]) -> (Frame, u32) {
    let name = record.first_chunk().copied().unwrap_or_default();
    // The eight words of the name, then those of the following fields.
    let [_, _, _, _, _, _, _, _, a, b, c, d, e, f, yawradius, allradius, ofs_pose] =
        words::<{ frame::SIZE }, { frame::SIZE / 4 }>(record, u32::from_be_bytes);
    let bounds = Bounds {
        mins: [a, b, c].map(F32::from_bits),
        maxs: [d, e, f].map(F32::from_bits),
        yawradius: F32::from_bits(yawradius),
        allradius: F32::from_bits(allradius),
    };
    (Frame { name: Name::from_bytes(name), bounds, pose: PoseId::default() }, ofs_pose)
}
