//! Writes a file: computes a layout, then the bytes.

use crate::check::check;
use crate::layout::Layout;
use crate::model::{Iqm, IqmAnim, IqmBounds, IqmJoint, IqmMesh, IqmPose, VertexArray};
use crate::parse::LETTERS;
use crate::plan::lengths;
use crate::record::{
    EXTENSIONS, TABLES, anim as a, array as v, bounds as b, extension as e, header as h, joint as j,
    joint_v1 as j1, mesh as m, pose as p, pose_v1 as p1,
};
use alloc::vec::Vec;
use meshwright_core::layout::{Placer, emit};
use meshwright_core::record::Record;
use meshwright_core::{ByteWriter, Findings, LimitExceeded, WriteError};

impl Iqm {
    /// Writes the file. A model that was read, and whose size did not change, keeps its file's layout,
    /// including bytes outside all sections. Any other model gets the layout of the format's own tool.
    ///
    /// # Errors
    /// If a strict reader would reject the file, or something does not fit the format's 32 bits.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        check(self, &mut Findings::writing())?;
        let write = |layout: &Layout| emit(layout.size, &layout.gaps, |file| place(self, layout, file));
        if let Some(bytes) = self.layout.original().filter(|layout| layout.fits(self)).and_then(write) {
            return Ok(bytes);
        }
        let layout = Layout::canonical(self)?;
        write(&layout).ok_or_else(|| LimitExceeded::bytes("file", layout.size, usize::MAX as u64).into())
    }
}

fn place(model: &Iqm, layout: &Layout, file: &mut Placer) -> Option<()> {
    file.write_section(0_u32, &header(model, layout)?)?;
    for (number, section) in layout.tables.iter().enumerate().filter(|(n, s)| *n != EXTENSIONS && s.len > 0) {
        file.write_section(section.start, &section_of(model, layout, number))?;
    }
    for (array, section) in model.arrays.iter().zip(&layout.arrays).filter(|(_, s)| s.len > 0) {
        file.write_section(section.start, &array.data)?;
    }
    for (extension, node) in model.extensions.iter().zip(&layout.nodes) {
        let mut w = ByteWriter::new();
        w.record(e::SIZE, |r| {
            r.le_u32(e::NAME, extension.name.0);
            r.le_u32(e::NUM_DATA, u32::try_from(node.data.len).unwrap_or(u32::MAX));
            r.le_u32(e::OFS_DATA, node.data.start);
            r.le_u32(e::NEXT, node.next);
        });
        file.write_section(node.start, w.as_bytes())?;
        if node.data.len > 0 {
            file.write_section(node.data.start, &extension.data)?;
        }
    }
    Some(())
}

fn header(model: &Iqm, layout: &Layout) -> Option<Vec<u8>> {
    let count = |n: usize| u32::try_from(n).ok();
    let counts = [
        (h::NUM_TEXT, count(model.text.len())?),
        (h::NUM_MESHES, count(model.meshes.len())?),
        (h::NUM_ARRAYS, count(model.arrays.len())?),
        (h::NUM_VERTEXES, model.vertex_count),
        (h::NUM_TRIANGLES, count(model.triangles.len())?),
        (h::NUM_JOINTS, count(model.joints.len())?),
        (h::NUM_POSES, count(model.poses.len())?),
        (h::NUM_ANIMS, count(model.anims.len())?),
        (h::NUM_FRAMES, model.frame_count),
        (h::NUM_CHANNELS, count(model.frame_channels())?),
        (h::NUM_COMMENT, count(model.comment.len())?),
        (h::NUM_EXTENSIONS, count(model.extensions.len())?),
    ];
    let mut w = ByteWriter::new();
    w.record(h::SIZE, |r| {
        r.bytes(h::MAGIC, LETTERS);
        r.le_u32(h::VERSION, model.version);
        r.le_u32(h::FILESIZE, layout.filesize);
        r.le_u32(h::FLAGS, model.flags);
        for (field, n) in counts {
            r.le_u32(field, n);
        }
        for (table, section) in TABLES.iter().zip(&layout.tables) {
            r.le_u32(table.offset, section.start);
        }
    });
    Some(w.into_bytes())
}

/// Returns the bytes of a section, by its number in [`TABLES`].
fn section_of(model: &Iqm, layout: &Layout, number: usize) -> Vec<u8> {
    use crate::record::{
        ADJACENCY, ANIMS, ARRAYS, BOUNDS, COMMENT, FRAMES, JOINTS, MESHES, POSES, TEXT, TRIANGLES,
    };
    let len = lengths(model).get(number).and_then(|n| usize::try_from(*n).ok()).unwrap_or(0);
    let mut w = ByteWriter::with_capacity(len);
    let first = model.version == 1;
    let (joints, poses) =
        if first { (joint_v1 as fn(&mut _, &_), pose_v1 as fn(&mut _, &_)) } else { (joint as _, pose as _) };
    match number {
        TEXT => w.bytes(&model.text),
        MESHES => model.meshes.iter().for_each(|x| mesh(&mut w, x)),
        ARRAYS => model.arrays.iter().zip(&layout.arrays).for_each(|(x, s)| array(&mut w, x, s.start)),
        TRIANGLES => words(&mut w, &model.triangles),
        ADJACENCY => words(&mut w, model.adjacency.as_deref().unwrap_or_default()),
        JOINTS => model.joints.iter().for_each(|x| joints(&mut w, x)),
        POSES => model.poses.iter().for_each(|x| poses(&mut w, x)),
        ANIMS => model.anims.iter().for_each(|x| anim(&mut w, x)),
        FRAMES => model.frames.iter().for_each(|x| w.le_u16(*x)),
        BOUNDS => model.bounds.iter().flatten().for_each(|x| bounds(&mut w, x)),
        COMMENT => w.bytes(&model.comment),
        _ => {}
    }
    w.into_bytes()
}

fn words(w: &mut ByteWriter, triples: &[[u32; 3]]) {
    triples.as_flattened().iter().for_each(|x| w.le_u32(*x));
}

fn mesh(w: &mut ByteWriter, mesh: &IqmMesh) {
    w.record(m::SIZE, |r| {
        r.le_u32(m::NAME, mesh.name.0);
        r.le_u32(m::MATERIAL, mesh.material.0);
        r.le_u32(m::FIRST_VERTEX, mesh.first_vertex);
        r.le_u32(m::NUM_VERTEXES, mesh.vertex_count);
        r.le_u32(m::FIRST_TRIANGLE, mesh.first_triangle);
        r.le_u32(m::NUM_TRIANGLES, mesh.triangle_count);
    });
}

fn array(w: &mut ByteWriter, array: &VertexArray, offset: u32) {
    w.record(v::SIZE, |r| {
        r.le_u32(v::TYPE, array.kind.0);
        r.le_u32(v::FLAGS, array.flags);
        r.le_u32(v::FORMAT, array.format.0);
        r.le_u32(v::COMPONENTS, array.components);
        r.le_u32(v::OFFSET, offset);
    });
}

fn joint(w: &mut ByteWriter, joint: &IqmJoint) {
    w.record(j::SIZE, |r: &mut Record<'_>| {
        r.le_u32(j::NAME, joint.name.0);
        r.le_i32(j::PARENT, joint.parent);
        r.le_f32s(j::TRANSLATE, &joint.translate);
        r.le_f32s(j::ROTATE, &joint.rotate);
        r.le_f32s(j::SCALE, &joint.scale);
    });
}

fn joint_v1(w: &mut ByteWriter, joint: &IqmJoint) {
    let [x, y, z, _] = joint.rotate;
    w.record(j1::SIZE, |r| {
        r.le_u32(j1::NAME, joint.name.0);
        r.le_i32(j1::PARENT, joint.parent);
        r.le_f32s(j1::TRANSLATE, &joint.translate);
        r.le_f32s(j1::ROTATE, &[x, y, z]);
        r.le_f32s(j1::SCALE, &joint.scale);
    });
}

fn pose(w: &mut ByteWriter, pose: &IqmPose) {
    w.record(p::SIZE, |r| {
        r.le_i32(p::PARENT, pose.parent);
        r.le_u32(p::MASK, pose.mask);
        r.le_f32s(p::OFFSET, &pose.offset);
        r.le_f32s(p::SCALE, &pose.scale);
    });
}

fn pose_v1(w: &mut ByteWriter, pose: &IqmPose) {
    let ([offset @ .., _], [scale @ .., _]) = (&pose.offset, &pose.scale);
    w.record(p1::SIZE, |r| {
        r.le_i32(p1::PARENT, pose.parent);
        r.le_u32(p1::MASK, pose.mask);
        r.le_f32s(p1::OFFSET, offset);
        r.le_f32s(p1::SCALE, scale);
    });
}

fn anim(w: &mut ByteWriter, anim: &IqmAnim) {
    w.record(a::SIZE, |r| {
        r.le_u32(a::NAME, anim.name.0);
        r.le_u32(a::FIRST_FRAME, anim.first_frame);
        r.le_u32(a::NUM_FRAMES, anim.frame_count);
        r.le_f32s(a::FRAMERATE, &[anim.framerate]);
        r.le_u32(a::FLAGS, anim.flags.0);
    });
}

fn bounds(w: &mut ByteWriter, bounds: &IqmBounds) {
    w.record(b::SIZE, |r| {
        r.le_f32s(b::MINS, &bounds.mins);
        r.le_f32s(b::MAXS, &bounds.maxs);
        r.le_f32s(b::XYRADIUS, &[bounds.xyradius]);
        r.le_f32s(b::RADIUS, &[bounds.radius]);
    });
}
