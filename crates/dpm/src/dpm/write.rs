//! Writes a DPM file: computes a layout, then the bytes.

use super::layout::{Layout, MeshLayout};
use super::model::{Bounds, Dpm, Frame, Mesh, Vertices};
use super::parse::{MAGIC, TYPE};
use super::record::{bone as b, bounds as bounds_record, frame as f, header as h, mesh as m};
use super::rules::check;
use crate::bone::Bone;
use crate::encode::{Section, table};
use crate::record::within;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::layout::{Placer, emit};
use meshwright_core::record::{Field, Record};
use meshwright_core::{ByteWriter, Findings, LimitExceeded, SortedSet, WriteError};

impl Dpm {
    /// Writes the file. A model that was read, and whose size did not change, keeps its file's layout, including bytes
    /// outside all sections. Any other model gets the layout of the dpmodel compiler.
    ///
    /// # Errors
    /// If a strict reader would reject the file, or something does not fit the format's 32 bits.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        check(self, &mut Findings::writing())?;
        let write = |layout: &Layout| {
            emit(layout.size, &layout.gaps, |file| {
                place(self, layout, file)?;
                place_meshes(self.meshes.iter().cloned(), layout, file)
            })
        };
        if let Some(bytes) = self.layout.original().filter(|layout| layout.fits(self)).and_then(write) {
            return Ok(bytes);
        }
        let layout = Layout::canonical(self)?;
        write(&layout).ok_or(beyond_memory(&layout))
    }

    /// Does the same as [`to_bytes`](Self::to_bytes), and frees each array after it is written, so that a model without
    /// a file's layout and its file are not in memory as a whole.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    pub fn into_bytes(mut self) -> Result<Vec<u8>, WriteError> {
        if self.has_own_layout() {
            return self.to_bytes();
        }
        check(&self, &mut Findings::writing())?;
        let layout = Layout::canonical(&self)?;
        let file = emit(layout.size, &layout.gaps, |file| {
            place(&self, &layout, file)?;
            place_meshes(core::mem::take(&mut self.meshes).into_iter(), &layout, file)
        });
        file.ok_or_else(|| beyond_memory(&layout))
    }
}

fn beyond_memory(layout: &Layout) -> WriteError {
    LimitExceeded::bytes("file", layout.size, usize::MAX as u64).into()
}

/// Writes the arrays of meshes. Each is freed after it, if nothing else holds it.
fn place_meshes(meshes: impl Iterator<Item = Mesh>, layout: &Layout, file: &mut Placer) -> Option<()> {
    // A block that many meshes share is written once per offset.
    let mut placed: [SortedSet<(u32, usize)>; 4] = Default::default();
    for (mesh, at) in meshes.zip(&layout.meshes) {
        let Mesh { vertices, texcoords, triangles, groupids: ids, .. } = mesh;
        let [own_vertices, own_texcoords, own_triangles, own_ids] = &mut placed;
        if own_vertices.insert((at.ofs_verts, Arc::as_ptr(&vertices).addr())) {
            place_vertices(&vertices, &mut Section::begin(file, at.ofs_verts))?;
        }
        drop(vertices);
        if own_texcoords.insert((at.ofs_texcoords, Arc::as_ptr(&texcoords).addr())) {
            Section::begin(file, at.ofs_texcoords).floats(texcoords.as_flattened())?;
        }
        drop(texcoords);
        if own_triangles.insert((at.ofs_indices, Arc::as_ptr(&triangles).addr())) {
            Section::begin(file, at.ofs_indices).words(triangles.as_flattened())?;
        }
        drop(triangles);
        if own_ids.insert((at.ofs_groupids, Arc::as_ptr(&ids).addr())) {
            Section::begin(file, at.ofs_groupids).words(&ids)?;
        }
    }
    Some(())
}

/// Writes everything but the arrays of meshes.
fn place(model: &Dpm, layout: &Layout, file: &mut Placer) -> Option<()> {
    file.write_section(0_u32, &header(model, layout)?)?;
    file.write_section(layout.ofs_bones, &table(&model.bones, bone))?;
    let mut heads = ByteWriter::new();
    for (mesh, at) in model.meshes.iter().zip(&layout.meshes) {
        mesh_header(&mut heads, mesh, at);
    }
    file.write_section(layout.ofs_meshes, heads.as_bytes())?;
    let mut heads = ByteWriter::new();
    for frame in &model.frames {
        frame_header(&mut heads, frame, *layout.poses.get(usize::try_from(frame.pose.0).ok()?)?);
    }
    file.write_section(layout.ofs_frames, heads.as_bytes())?;
    for (pose, &at) in model.poses.chunks(model.bones.len().max(1)).zip(&layout.poses) {
        Section::begin(file, at).poses(pose)?;
    }
    Some(())
}

fn header(model: &Dpm, layout: &Layout) -> Option<Vec<u8>> {
    let num_meshes = u32::try_from(layout.meshes.len()).ok()?;
    let mut w = ByteWriter::new();
    w.record(h::SIZE, |r| {
        r.bytes(h::ID, MAGIC);
        r.be_u32(h::TYPE, TYPE);
        r.be_u32(h::FILESIZE, layout.filesize);
        bounds(r, h::BOUNDS, &model.bounds);
        r.be_u32(h::NUM_BONES, layout.num_bones);
        r.be_u32(h::NUM_MESHES, num_meshes);
        r.be_u32(h::NUM_FRAMES, layout.num_frames);
        r.be_u32(h::OFS_BONES, layout.ofs_bones);
        r.be_u32(h::OFS_MESHES, layout.ofs_meshes);
        r.be_u32(h::OFS_FRAMES, layout.ofs_frames);
    });
    Some(w.into_bytes())
}

fn bounds(r: &mut Record<'_>, field: Field, bounds: &Bounds) {
    r.be_f32s(within(field, bounds_record::MINS), &bounds.mins);
    r.be_f32s(within(field, bounds_record::MAXS), &bounds.maxs);
    r.be_f32s(within(field, bounds_record::YAWRADIUS), &[bounds.yawradius]);
    r.be_f32s(within(field, bounds_record::ALLRADIUS), &[bounds.allradius]);
}

fn bone(w: &mut ByteWriter, bone: &Bone) {
    w.record(b::SIZE, |r| {
        r.bytes(b::NAME, bone.name.raw());
        r.be_i32(b::PARENT, bone.parent);
        r.be_u32(b::FLAGS, bone.flags.0);
    });
}

fn mesh_header(w: &mut ByteWriter, mesh: &Mesh, at: &MeshLayout) {
    w.record(m::SIZE, |r| {
        r.bytes(m::SHADER, mesh.shader.raw());
        r.be_u32(m::NUM_VERTS, at.num_verts);
        r.be_u32(m::NUM_TRIS, at.num_tris);
        r.be_u32(m::OFS_VERTS, at.ofs_verts);
        r.be_u32(m::OFS_TEXCOORDS, at.ofs_texcoords);
        r.be_u32(m::OFS_INDICES, at.ofs_indices);
        r.be_u32(m::OFS_GROUPIDS, at.ofs_groupids);
    });
}

fn frame_header(w: &mut ByteWriter, frame: &Frame, ofs_pose: u32) {
    w.record(f::SIZE, |r| {
        r.bytes(f::NAME, frame.name.raw());
        bounds(r, f::BOUNDS, &frame.bounds);
        r.be_u32(f::OFS_POSE, ofs_pose);
    });
}

fn place_vertices(vertices: &Vertices, section: &mut Section<'_>) -> Option<()> {
    let mut rest = vertices.influences.as_slice();
    section.items(&vertices.counts, |w, counts| {
        for count in counts {
            let own;
            (own, rest) = rest.split_at_checked(*count as usize).unwrap_or((rest, &[]));
            w.be_u32(*count);
            for i in own {
                w.be_f32s(&i.origin);
                w.be_f32s(&[i.influence]);
                w.be_f32s(&i.normal);
                w.be_u32(i.bone);
            }
        }
    })
}
