//! Writing a DPM file: a layout first, then the bytes.
#![allow(clippy::arithmetic_side_effects, reason = "capacities for what is in memory already")]

use crate::layout::{Layout, MeshLayout, Retained};
use crate::model::{Bone, BonePose, Bounds, Dpm, Frame, Mesh, Vertices};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::layout::Image;
use meshwright_core::{ByteWriter, F32, Path, Report, WriteError};

impl Dpm {
    /// The file. A model that was read and not changed in size keeps its file's layout, bytes that no
    /// section covers included; any other is laid out as the dpmodel compiler does.
    ///
    /// # Errors
    /// When a strict reader would refuse the file, or something does not fit the format's 32 bits.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let mut errors = Report::new();
        self.find_errors(&mut errors);
        refuse(&errors)?;
        if let Retained::Own(layout) = &self.layout
            && layout.fits(self)
        {
            if !layout.is_sound() {
                let message = "the stored file size contradicts the file; discard the layout to write anew";
                return Err(WriteError::invalid("truncated", &Path::ROOT.field("filesize"), message));
            }
            if let Some(bytes) = emit(self, layout) {
                return Ok(bytes);
            }
        }
        let layout = Layout::canonical(self)?;
        let e = WriteError::Limit { what: "file", wanted: layout.size, limit: usize::MAX as u64 };
        emit(self, &layout).ok_or(e)
    }
}

/// The first error of a report, as a reason not to write.
pub(crate) fn refuse(report: &Report) -> Result<(), WriteError> {
    match report.findings().first() {
        None => Ok(()),
        Some(f) => Err(WriteError::InvalidModel {
            code: f.code,
            kind: meshwright_core::Kind::BadValue,
            path: f.path.clone(),
            message: f.message.clone(),
        }),
    }
}

/// The file in the given layout; `None` where memory does not suffice, or where sections overlap and no longer
/// agree on the bytes they share.
fn emit(model: &Dpm, layout: &Layout) -> Option<Vec<u8>> {
    let mut image = Placer { image: Image::new(layout.size, &layout.gaps)?, check: false };
    place_all(model, layout, &mut image)?;
    if image.image.has_overlaps() {
        image.check = true;
        place_all(model, layout, &mut image)?;
    }
    Some(image.image.into_bytes())
}

/// Puts sections into an image, or in a second pass checks that they are still there.
struct Placer {
    image: Image,
    check: bool,
}

impl Placer {
    fn put(&mut self, start: u32, bytes: &[u8]) -> Option<()> {
        if self.check {
            self.image.holds(start.into(), bytes).then_some(())
        } else {
            self.image.place(start.into(), bytes)
        }
    }
}

fn place_all(model: &Dpm, layout: &Layout, image: &mut Placer) -> Option<()> {
    image.put(0, &header(model, layout)?)?;
    image.put(layout.ofs_bones, &table(&model.bones, bone))?;
    let mut heads = ByteWriter::new();
    for (mesh, at) in model.meshes.iter().zip(&layout.meshes) {
        mesh_header(&mut heads, mesh, at);
    }
    image.put(layout.ofs_meshes, heads.as_bytes())?;
    let mut heads = ByteWriter::new();
    for frame in &model.frames {
        frame_header(&mut heads, frame, *layout.poses.get(usize::try_from(frame.pose.0).ok()?)?);
    }
    image.put(layout.ofs_frames, heads.as_bytes())?;
    // A block that many meshes share is written once per place.
    let mut placed: [BTreeMap<(u32, usize), ()>; 4] = Default::default();
    for (mesh, at) in model.meshes.iter().zip(&layout.meshes) {
        let [verts, texcoords, indices, groupids] = &mut placed;
        if verts.insert((at.ofs_verts, Arc::as_ptr(&mesh.vertices).addr()), ()).is_none() {
            image.put(at.ofs_verts, &vertices(&mesh.vertices))?;
        }
        if texcoords.insert((at.ofs_texcoords, Arc::as_ptr(&mesh.texcoords).addr()), ()).is_none() {
            image.put(at.ofs_texcoords, &floats(mesh.texcoords.as_flattened()))?;
        }
        if indices.insert((at.ofs_indices, Arc::as_ptr(&mesh.triangles).addr()), ()).is_none() {
            image.put(at.ofs_indices, &words(mesh.triangles.as_flattened()))?;
        }
        if groupids.insert((at.ofs_groupids, Arc::as_ptr(&mesh.groupids).addr()), ()).is_none() {
            image.put(at.ofs_groupids, &words(&mesh.groupids))?;
        }
    }
    for (pose, &at) in model.poses.chunks(model.bones.len().max(1)).zip(&layout.poses) {
        image.put(at, &poses(pose))?;
    }
    Some(())
}

fn header(model: &Dpm, layout: &Layout) -> Option<Vec<u8>> {
    let mut w = ByteWriter::with_capacity(80);
    w.bytes(b"DARKPLACESMODEL\0"); // 0
    w.be_u32(2); // 16
    w.be_u32(layout.filesize); // 20
    bounds(&mut w, &model.bounds); // 24
    w.be_u32(layout.num_bones); // 56
    w.be_u32(u32::try_from(layout.meshes.len()).ok()?); // 60
    w.be_u32(layout.num_frames); // 64
    w.be_u32(layout.ofs_bones); // 68
    w.be_u32(layout.ofs_meshes); // 72
    w.be_u32(layout.ofs_frames); // 76
    Some(w.into_bytes())
}

fn table<T>(items: &[T], put: fn(&mut ByteWriter, &T)) -> Vec<u8> {
    let mut w = ByteWriter::new();
    for item in items {
        put(&mut w, item);
    }
    w.into_bytes()
}

fn bounds(w: &mut ByteWriter, b: &Bounds) {
    w.be_f32s(&b.mins);
    w.be_f32s(&b.maxs);
    w.be_f32s(&[b.yawradius, b.allradius]);
}

fn bone(w: &mut ByteWriter, b: &Bone) {
    w.bytes(b.name.raw()); // 0
    w.be_i32(b.parent); // 32
    w.be_u32(b.flags.0); // 36
}

fn mesh_header(w: &mut ByteWriter, mesh: &Mesh, at: &MeshLayout) {
    w.bytes(mesh.shader.raw()); // 0
    w.be_u32(at.num_verts); // 32
    w.be_u32(at.num_tris); // 36
    w.be_u32(at.ofs_verts); // 40
    w.be_u32(at.ofs_texcoords); // 44
    w.be_u32(at.ofs_indices); // 48
    w.be_u32(at.ofs_groupids); // 52
}

fn frame_header(w: &mut ByteWriter, frame: &Frame, ofs_pose: u32) {
    w.bytes(frame.name.raw()); // 0
    bounds(w, &frame.bounds); // 32
    w.be_u32(ofs_pose); // 64
}

fn vertices(v: &Vertices) -> Vec<u8> {
    let mut w = ByteWriter::with_capacity(v.counts.len() * 4 + v.influences.len() * 32);
    for (influences, count) in v.iter().zip(&v.counts) {
        w.be_u32(*count);
        for i in influences {
            w.be_f32s(&i.origin); // 0
            w.be_f32s(&[i.influence]); // 12
            w.be_f32s(&i.normal); // 16
            w.be_u32(i.bone); // 28
        }
    }
    w.into_bytes()
}

/// Floats, big endian.
pub(crate) fn floats(values: &[F32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * 4);
    for v in values {
        bytes.extend_from_slice(&v.to_bits().to_be_bytes());
    }
    bytes
}

/// Integers, big endian.
pub(crate) fn words(values: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * 4);
    for v in values {
        bytes.extend_from_slice(&v.to_be_bytes());
    }
    bytes
}

/// Bone poses, big endian.
pub(crate) fn poses(poses: &[BonePose]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(poses.len() * 48);
    for v in poses.iter().flat_map(|p| p.0.as_flattened()) {
        bytes.extend_from_slice(&v.to_bits().to_be_bytes());
    }
    bytes
}
