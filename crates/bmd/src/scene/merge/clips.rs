//! Clips: keys by bone and channel.

use super::bones::MergedBones;
use super::keys::Channel;
use super::{BmdMerge, Sharing};
use crate::model::Clip;
use crate::pose::{Curves, Timing};
use crate::scene::motion::Values;
use crate::stream::{Keys, Step, Stream};
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::math::quat;
use meshwright_edit::Poses;
use meshwright_edit::apply::{Origin, Records};
use meshwright_scene::ConvertError;

impl BmdMerge<'_> {
    pub(super) fn merged_clips(&self, bones: &MergedBones) -> Result<Vec<Clip>, ConvertError> {
        let of = |clip: &usize| self.patch.clips.get(*clip)?.original;
        let found: Vec<_> = self.made.clips.iter().map(of).collect();
        let shown = |n: usize| self.native.clips.get(n).is_some_and(|c| c.frames > 0);
        let records = Records::new(self.original.clips.len(), shown, &found, self.budget)?;
        let mut clips = self.budget.reserve("clips", records.list.len())?;
        let mut streams = Sharing::new();
        for origin in &records.list {
            let mut clip = self.clip(origin, bones)?;
            if let Some(old) = origin.original.and_then(|n| self.original.clips.get(n)) {
                streams.share(&old.stream, &mut clip.stream);
            }
            clips.push(clip);
        }
        Ok(clips)
    }

    fn clip(&self, origin: &Origin, bones: &MergedBones) -> Result<Clip, ConvertError> {
        let old = origin.original.and_then(|n| self.original.clips.get(n));
        let new = origin.made.and_then(|m| self.made.model.clips.get(m));
        let streams = [old, new].map(|clip| clip.map(|clip| &*clip.stream));
        let size: usize = streams.iter().flatten().map(|s| s.size()).sum();
        self.budget.charge_items("keys", size as u64, size_of::<Step>())?;
        let shape = |c: &Clip| (c.frames, c.rate.is_looping());
        let timing = old.filter(|old| new.is_some_and(|new| shape(new) == shape(old)));
        let timing = timing.map(|c| Timing { frames: c.frames.into(), looping: c.rate.is_looping() });
        let number = origin.made.and_then(|m| self.made.clips.get(m)).copied();
        let poses = number.and_then(|c| self.patch.clips.get(c)).map_or(&Poses::Unchanged, |own| &own.poses);
        let values = origin.made.and_then(|m| self.made.values.get(m));
        let steps = |bone: &Origin| {
            let joint = bone.made.and_then(|m| bones.joint(m));
            let values = bone.made.and_then(|m| values?.get(&m));
            let rests = self.scaled || joint.is_some_and(|(_, change)| change.rest);
            let needs_keys = joint.zip(number).is_none_or(|((j, _), clip)| (self.needs_keys)(clip, j));
            if let (Some(old), false) = (old.zip(bone.original), needs_keys) {
                return old.0.stream.bone(old.1).to_vec();
            }
            let edited = |f: u32| joint.is_some_and(|(j, _)| rests || poses.is_changed(f, j));
            steps(bone, streams, values, timing, edited)
        };
        let stream = Arc::new(Stream::from_bones(bones.records.list.iter().map(steps)));
        let Some(old) = old else {
            return Ok(Clip { stream, ..new.cloned().unwrap_or_default() });
        };
        let scenes = origin.original.and_then(|n| self.native.clips.get(n)).zip(number);
        let scenes = scenes.and_then(|(was, c)| Some((was, self.patch.scene.clips.get(c)?)));
        let (Some(new), Some((was, is))) = (new, scenes) else {
            let kept = bones.records.is_original();
            return Ok(if kept { old.clone() } else { Clip { stream, ..old.clone() } });
        };
        // Bone 0 never moves. A stream may leave out the bones after the last moving one.
        let counted = |s: &Stream| s.bone_count() == self.original.normal_bones();
        let whole = counted(&old.stream) || *stream != trimmed(&old.stream, &stream);
        let same_rate = (was.rate.to_bits(), was.looping) == (is.rate.to_bits(), is.looping);
        Ok(Clip {
            name: if was.name == is.name { old.name.clone() } else { new.name.clone() },
            frames: if was.frames == is.frames { old.frames } else { new.frames },
            rate: if same_rate { old.rate } else { new.rate },
            reserved: old.reserved,
            stream: if whole { stream } else { Arc::clone(&old.stream) },
        })
    }
}

/// Cuts a stream to the length of another one.
fn trimmed(stream: &Stream, like: &Stream) -> Stream {
    Stream::from_bones((0..like.bone_count()).map(|b| stream.bone(b)))
}

/// Returns the steps of a bone. They are the original's if no channel was edited.
fn steps(
    bone: &Origin,
    [old, new]: [Option<&Stream>; 2],
    values: Option<&Values>,
    timing: Option<Timing>,
    edited: impl Fn(u32) -> bool,
) -> Vec<Step> {
    let of = |stream: Option<&Stream>, at: Option<usize>| {
        stream.zip(at).map(|(stream, at)| stream.bone(at).to_vec())
    };
    let (old, new) = match (of(old, bone.original), of(new, bone.made)) {
        (Some(old), Some(new)) => (old, new),
        (old, new) => return old.or(new).unwrap_or_default(),
    };
    let Some(timing) = timing else { return new };
    if !(0..timing.frames).any(&edited) {
        return old;
    }
    let [own, made] = [&old, &new].map(|steps| Keys::from_steps(steps));
    let still = Values::default();
    let values = values.unwrap_or(&still);
    let curves = Curves::decode(&own);
    let edited = &edited;
    let rotation =
        Channel { timing, still: quat::IDENTITY, made: &values.rotation, native: &curves.rotation };
    let [translation, scale] =
        [([0.0; 3], &values.translation, &curves.translation), ([1.0; 3], &values.scale, &curves.scale)]
            .map(|(still, made, native)| Channel { timing, still, made, native });
    let keys = Keys {
        rotation: rotation.keys(edited, [&own.rotation, &made.rotation]),
        translation: translation.keys(edited, [&own.translation, &made.translation]),
        scale: scale.keys(edited, [&own.scale, &made.scale]),
    };
    if keys == own { old } else { keys.to_steps() }
}
