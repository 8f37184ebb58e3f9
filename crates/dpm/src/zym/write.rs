//! Writing a ZYM file.

use super::layout::ZymLayout;
use super::model::{Zym, ZymBounds};
use crate::layout::Retained;
use crate::write::{floats, poses, refuse, words};
use alloc::vec::Vec;
use meshwright_core::layout::Image;
use meshwright_core::{ByteWriter, Path, Report, WriteError};

impl Zym {
    /// The file. A model that was read and not changed in size keeps its file's layout, bytes that no lump
    /// covers included; any other has its lumps in the usual order.
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
        let layout = ZymLayout::canonical(self)?;
        let e = WriteError::Limit { what: "file", wanted: layout.size, limit: usize::MAX as u64 };
        emit(self, &layout).ok_or(e)
    }
}

fn emit(model: &Zym, layout: &ZymLayout) -> Option<Vec<u8>> {
    let mut image = Image::new(layout.size, &layout.gaps)?;
    let head = header(model, layout)?;
    let lumps = lumps(model)?;
    image.place(0, &head)?;
    for ((start, _), bytes) in layout.lumps.iter().zip(&lumps) {
        image.place((*start).into(), bytes)?;
    }
    if image.has_overlaps() {
        let kept = layout.lumps.iter().zip(&lumps).all(|((start, _), b)| image.holds((*start).into(), b));
        if !kept || !image.holds(0, &head) {
            return None;
        }
    }
    Some(image.into_bytes())
}

fn bounds(w: &mut ByteWriter, b: &ZymBounds) {
    w.be_f32s(&b.mins);
    w.be_f32s(&b.maxs);
    w.be_f32s(&[b.radius_squared]);
}

fn header(model: &Zym, layout: &ZymLayout) -> Option<Vec<u8>> {
    let mut w = ByteWriter::with_capacity(140);
    w.bytes(b"ZYMOTICMODEL"); // 0
    w.be_u32(1); // 12
    w.be_u32(layout.filesize); // 16
    bounds(&mut w, &model.bounds); // 20
    let counts =
        [model.counts.len(), model.triangle_count(), model.runs.len(), model.bones.len(), model.scenes.len()];
    for n in counts {
        w.be_i32(i32::try_from(n).ok()?); // 48
    }
    for (start, len) in layout.lumps {
        w.be_u32(start); // 68
        w.be_u32(len);
    }
    Some(w.into_bytes())
}

fn lumps(model: &Zym) -> Option<[Vec<u8>; 9]> {
    let mut scenes = ByteWriter::new();
    for scene in &model.scenes {
        scenes.bytes(scene.name.raw()); // 0
        bounds(&mut scenes, &scene.bounds); // 32
        scenes.be_f32s(&[scene.framerate]); // 60
        scenes.be_u32(scene.flags.0); // 64
        scenes.be_u32(scene.start); // 68
        scenes.be_u32(scene.length); // 72
    }
    let mut bones = ByteWriter::new();
    for bone in &model.bones {
        bones.bytes(bone.name.raw()); // 0
        bones.be_u32(bone.flags.0); // 32
        bones.be_i32(bone.parent); // 36
    }
    let mut verts = ByteWriter::new();
    for influence in &model.influences {
        verts.be_u32(influence.bone); // 0
        verts.be_f32s(&influence.origin); // 4
    }
    let (mut render, mut shaders) = (Vec::new(), Vec::new());
    for run in &model.runs {
        render.extend_from_slice(&u32::try_from(run.triangles.len()).ok()?.to_be_bytes());
        render.extend_from_slice(&words(run.triangles.as_flattened()));
        shaders.extend_from_slice(run.shader.raw());
    }
    Some([
        scenes.into_bytes(),
        poses(&model.poses),
        bones.into_bytes(),
        words(&model.counts),
        verts.into_bytes(),
        floats(model.texcoords.as_flattened()),
        render,
        shaders,
        model.trizone.clone(),
    ])
}
