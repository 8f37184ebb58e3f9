//! Writes a ZYM file: computes a layout, then the bytes.

use super::layout::ZymLayout;
use super::model::{Zym, ZymBounds, ZymScene};
use super::parse::{MAGIC, TYPE};
use super::record::{LUMPS, bone as b, bounds as bounds_record, header as h, lump, scene as s};
use super::rules::check;
use crate::bone::Bone;
use crate::encode::{Section, table};
use crate::record::within;
use alloc::vec::Vec;
use meshwright_core::layout::{Placer, emit};
use meshwright_core::record::{Field, Record};
use meshwright_core::{ByteWriter, Findings, LimitExceeded, WriteError};

impl Zym {
    /// Writes the file. A model that was read, and whose size did not change, keeps its file's layout,
    /// including bytes outside all lumps. Any other model gets its lumps in the usual order.
    ///
    /// # Errors
    /// If a strict reader would reject the file, or something does not fit the format's 32 bits.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        check(self, &mut Findings::writing())?;
        let write = |layout: &ZymLayout| emit(layout.size, &layout.gaps, |file| place(self, layout, file));
        if let Some(bytes) = self.layout.original().filter(|layout| layout.fits(self)).and_then(write) {
            return Ok(bytes);
        }
        let layout = ZymLayout::canonical(self)?;
        write(&layout).ok_or_else(|| LimitExceeded::bytes("file", layout.size, usize::MAX as u64).into())
    }
}

fn place(model: &Zym, layout: &ZymLayout, file: &mut Placer) -> Option<()> {
    file.write_section(0_u32, &header(model, layout)?)?;
    let [scenes, poses, bones, counts, vertices, texcoords, render, shaders, trizone] =
        layout.lumps.map(|(start, _)| start);
    file.write_section(scenes, &table(&model.scenes, scene))?;
    Section::begin(file, poses).poses(&model.poses)?;
    file.write_section(bones, &table(&model.bones, bone))?;
    Section::begin(file, counts).words(&model.counts)?;
    Section::begin(file, vertices).items(&model.influences, |w, influences| {
        for influence in influences {
            w.be_u32(influence.bone);
            w.be_f32s(&influence.origin);
        }
    })?;
    Section::begin(file, texcoords).floats(model.texcoords.as_flattened())?;
    let (mut section, mut names) = (Section::begin(file, render), Vec::new());
    for run in &model.runs {
        section.words(&[u32::try_from(run.triangles.len()).ok()?])?;
        section.words(run.triangles.as_flattened())?;
        names.extend_from_slice(run.shader.raw());
    }
    file.write_section(shaders, &names)?;
    file.write_section(trizone, &model.trizone)
}

fn bounds(r: &mut Record<'_>, field: Field, bounds: &ZymBounds) {
    r.be_f32s(within(field, bounds_record::MINS), &bounds.mins);
    r.be_f32s(within(field, bounds_record::MAXS), &bounds.maxs);
    r.be_f32s(within(field, bounds_record::RADIUS), &[bounds.radius_squared]);
}

fn header(model: &Zym, layout: &ZymLayout) -> Option<Vec<u8>> {
    let counts = [
        (h::NUM_VERTS, model.counts.len()),
        (h::NUM_TRIS, model.triangle_count()),
        (h::NUM_SHADERS, model.runs.len()),
        (h::NUM_BONES, model.bones.len()),
        (h::NUM_SCENES, model.scenes.len()),
    ];
    // The format's integers are signed.
    if counts.iter().any(|(_, n)| i32::try_from(*n).is_err()) {
        return None;
    }
    let mut w = ByteWriter::new();
    w.record(h::SIZE, |r| {
        r.bytes(h::ID, MAGIC);
        r.be_u32(h::TYPE, TYPE);
        r.be_u32(h::FILESIZE, layout.filesize);
        bounds(r, h::BOUNDS, &model.bounds);
        for (field, n) in counts {
            r.be_i32(field, i32::try_from(n).unwrap_or(i32::MAX));
        }
        for (field, (start, len)) in LUMPS.into_iter().zip(layout.lumps) {
            r.be_u32(within(field, lump::START), start);
            r.be_u32(within(field, lump::LENGTH), len);
        }
    });
    Some(w.into_bytes())
}

fn scene(w: &mut ByteWriter, scene: &ZymScene) {
    w.record(s::SIZE, |r| {
        r.bytes(s::NAME, scene.name.raw());
        bounds(r, s::BOUNDS, &scene.bounds);
        r.be_f32s(s::FRAMERATE, &[scene.framerate]);
        r.be_u32(s::FLAGS, scene.flags.0);
        r.be_u32(s::START, scene.start);
        r.be_u32(s::LENGTH, scene.length);
    });
}

fn bone(w: &mut ByteWriter, bone: &Bone) {
    w.record(b::SIZE, |r| {
        r.bytes(b::NAME, bone.name.raw());
        r.be_u32(b::FLAGS, bone.flags.0);
        r.be_i32(b::PARENT, bone.parent);
    });
}
