//! Rules of animations.

use super::table::*;
use crate::layout::{Layout, ListPlace};
use crate::model::{Bmd, identity};
use crate::record::{Table, anim, header};
use crate::stream::{NO_KEY, Stream, frames};
use alloc::format;
use meshwright_core::record::Field;
use meshwright_core::{FieldPath, Findings, ReadError, SortedMap, SortedSet};

type Checked = Result<(), ReadError>;

pub(super) fn check(model: &Bmd, layout: Option<&Layout>, findings: &mut Findings) -> Checked {
    let root = FieldPath::ROOT.field(Table::Anims.name());
    let normal = model.normal_bones();
    let mut last: SortedMap<usize, Option<LastKey>> = SortedMap::new();
    for (i, clip) in model.clips.iter().enumerate() {
        let path = root.index(i);
        if clip.frames == 0 {
            let offset = layout.map(|l| l.field(Table::Anims, i, anim::N_FRAMES));
            findings.broken(ANIM_FRAMES0, &anim::N_FRAMES.path(&path), offset, || "no frames")?;
        }
        let stream = &clip.stream;
        let path = path.field("frames");
        if stream.bone_count() != normal {
            let message = || format!("keys for {} bones, there are {normal}", stream.bone_count());
            findings.broken(ANIM_TRUNC, &path, None, message)?;
        }
        let key = *last.entry(identity(stream)).or_insert_with(|| LastKey::find(stream));
        if let Some(key) = key.filter(|k| k.frame >= u32::from(clip.frames)) {
            let message = || format!("key at frame {} of {}", key.frame, clip.frames);
            let start = layout.and_then(|l| l.clips.get(i)).map(|c| c.stream.at);
            let offset = start.map(|s| u64::from(s).saturating_add(key.offset));
            findings.broken(ANIM_FRAME, &path.index(key.bone), offset, message)?;
        }
    }
    Ok(())
}

/// The key at the highest frame of a stream.
#[derive(Clone, Copy)]
struct LastKey {
    frame: u32,
    bone: usize,
    /// The offset of its tag in the stream.
    offset: u64,
}

impl LastKey {
    fn find(stream: &Stream) -> Option<Self> {
        let mut best: Option<Self> = None;
        let mut offset = 0_u64;
        for (bone, steps) in stream.bones().enumerate() {
            for (frame, step) in frames(steps) {
                if step.has_key() && best.is_none_or(|b| frame > b.frame) {
                    best = Some(Self { frame, bone, offset });
                }
                offset = offset.saturating_add(step.size() as u64);
            }
            offset = offset.saturating_add(1);
        }
        best
    }
}

pub(super) fn remarks(model: &Bmd, layout: Option<&Layout>, findings: &mut Findings) -> Checked {
    let root = FieldPath::ROOT.field(Table::Anims.name());
    if model.bones.is_empty() && !model.clips.is_empty() {
        let at = layout.map(|_| header::OFS_ANIMS.offset_in(0));
        findings.broken(W_ANIM_BONES, &root, at, || "animations without bones")?;
    }
    let mut streams = SortedSet::new();
    for (i, clip) in model.clips.iter().enumerate() {
        let path = root.index(i);
        let at = |field: Field| layout.map(|l| l.field(Table::Anims, i, field));
        for (field, value) in [anim::RESERVED1, anim::RESERVED2].into_iter().zip(clip.reserved) {
            if value != 0 {
                let message = || format!("{value:#x}, must be zero");
                findings.broken(W_MBZ, &field.path(&path), at(field), message)?;
            }
        }
        if clip.rate.frames_per_second() == 0.0 {
            findings.broken(W_ANIM_HZ, &anim::FL_HZ.path(&path), at(anim::FL_HZ), || "the rate is zero")?;
        }
        let place = layout.and_then(|l| l.clips.get(i)).map(|c| c.stream);
        let spare = place.map_or(0, ListPlace::spare);
        if spare > 0 {
            let message = || format!("{spare} bytes after the last bone");
            findings.broken(W_ANIM_SLACK, &anim::SZ_FRAMES.path(&path), at(anim::SZ_FRAMES), message)?;
        }
        if streams.insert(identity(&clip.stream)) {
            stream_remarks(&clip.stream, &path.field("frames"), place, findings)?;
        }
    }
    Ok(())
}

fn stream_remarks(
    stream: &Stream,
    path: &FieldPath<'_>,
    place: Option<ListPlace>,
    findings: &mut Findings,
) -> Checked {
    let mut at = place.map(|p| u64::from(p.at));
    for (bone, steps) in stream.bones().enumerate() {
        for step in steps {
            if step.words().into_iter().flatten().any(|w| w == NO_KEY) {
                let message = || "a payload of FFFFFFFF is read as no key";
                findings.broken(W_ANIM_NO_KEY, &path.index(bone), at, message)?;
            }
            if bone == 0 && step.has_key() {
                findings.broken(W_ANIM_BONE0, &path.index(0), at, || "keys of bone 0 have no effect")?;
            }
            at = at.map(|a| a.saturating_add(step.size() as u64));
        }
        at = at.map(|a| a.saturating_add(1));
    }
    Ok(())
}
