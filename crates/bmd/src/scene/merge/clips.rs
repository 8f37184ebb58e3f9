//! Clips: keys by bone and channel.

use super::bones::MergedBones;
use super::keys::{rotations, triples};
use super::work::Work;
use crate::model::{Clip, ClipRate};
use crate::pose::{Curves, Timing};
use crate::scene::motion::Values;
use crate::stream::{Keys, Step, Stream};
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_edit::three_way::{Match, Trio, Trios, pick};
use meshwright_scene::ConvertError;

impl Work<'_> {
    pub(super) fn merged_clips(&self, bones: &MergedBones) -> Result<Vec<Clip>, ConvertError> {
        let (before, after) = (self.before, self.after);
        let there: Match = before.clips.iter().map(|c| Some(*c)).collect();
        let found: Match = after
            .clips
            .iter()
            .map(|c| {
                let native = self.clips.get(*c).copied().flatten()?;
                before.clips.iter().position(|b| *b == native)
            })
            .collect();
        let trios = Trios::of(self.native.clips.len(), &there, &found, false, self.budget)?;
        let mut clips = self.budget.reserve("clips", trios.records.len())?;
        // Clips that share their keys share them still.
        let mut streams: Vec<(Arc<Stream>, Stream, Arc<Stream>)> = Vec::new();
        for trio in &trios.records {
            let mut clip = self.clip(trio, bones)?;
            if let Some(native) = trio.native.and_then(|n| self.native.clips.get(n)) {
                let stream = &native.stream;
                if *clip.stream == **stream {
                    clip.stream = Arc::clone(stream);
                } else if let Some((.., shared)) =
                    streams.iter().find(|(old, new, _)| Arc::ptr_eq(old, stream) && *new == *clip.stream)
                {
                    clip.stream = Arc::clone(shared);
                } else {
                    streams.push((Arc::clone(stream), (*clip.stream).clone(), Arc::clone(&clip.stream)));
                }
            }
            clips.push(clip);
        }
        Ok(clips)
    }

    fn clip(&self, trio: &Trio, bones: &MergedBones) -> Result<Clip, ConvertError> {
        let native = trio.native.and_then(|n| self.native.clips.get(n));
        let before = trio.before.and_then(|b| self.before.model.clips.get(b));
        let after = trio.after.and_then(|a| self.after.model.clips.get(a));
        fn stream(clip: Option<&Clip>) -> Option<&Stream> {
            clip.map(|clip| &*clip.stream)
        }
        let same_frames = before.zip(after).is_some_and(|(b, a)| (b.frames, b.rate) == (a.frames, a.rate));
        let streams = [stream(native), stream(before).filter(|_| same_frames), stream(after)];
        let size: usize = streams.iter().flatten().map(|s| s.size()).sum();
        self.budget.charge_items("keys", size as u64, size_of::<Step>())?;
        let records = &bones.trios.records;
        let shape = |c: &Clip| (c.frames, c.rate.is_looping());
        let timing = native.filter(|n| same_frames && after.is_some_and(|a| shape(a) == shape(n)));
        let timing = timing.map(|c| Timing { frames: c.frames.into(), looping: c.rate.is_looping() });
        let motions = (
            trio.before.and_then(|b| self.before.values.get(b)),
            trio.after.and_then(|a| self.after.values.get(a)),
        );
        let steps = |bone: &Trio| {
            let pair = [
                motions.0.zip(bone.before).and_then(|(all, at)| all.get(&at)),
                motions.1.zip(bone.after).and_then(|(all, at)| all.get(&at)),
            ];
            steps(bone, streams, pair, timing)
        };
        let merged = Stream::from_bones(records.iter().map(steps));
        let stream = Arc::new(merged);
        let Some(native) = native else {
            return Ok(Clip { stream, ..after.cloned().unwrap_or_default() });
        };
        let (Some(before), Some(after)) = (before, after) else {
            let kept = bones.trios.is_native();
            return Ok(if kept { native.clone() } else { Clip { stream, ..native.clone() } });
        };
        // Bone 0 never moves, so that a stream may leave out whatever is behind the last bone that does.
        let counted = |s: &Stream| s.bone_count() == self.native.normal_bones();
        let whole = counted(&native.stream) || *stream != trimmed(&native.stream, &stream);
        Ok(Clip {
            name: pick(native.name.clone(), &before.name, after.name.clone()),
            frames: pick(native.frames, &before.frames, after.frames),
            rate: ClipRate(pick(native.rate.0, &before.rate.0, after.rate.0)),
            reserved: native.reserved,
            stream: if whole { stream } else { Arc::clone(&native.stream) },
        })
    }
}

/// A stream as long as another one.
fn trimmed(stream: &Stream, like: &Stream) -> Stream {
    Stream::from_bones((0..like.bone_count()).map(|b| stream.bone(b)))
}

/// The steps of a bone: the native ones as long as no channel was edited.
fn steps(
    bone: &Trio,
    [native, before, after]: [Option<&Stream>; 3],
    [was, is]: [Option<&Values>; 2],
    timing: Option<Timing>,
) -> Vec<Step> {
    let of = |stream: Option<&Stream>, at: Option<usize>| {
        stream.zip(at).map(|(stream, at)| stream.bone(at).to_vec())
    };
    let (n, b, a) = (of(native, bone.native), of(before, bone.before), of(after, bone.after));
    let (n, b, a) = match (n, b, a) {
        (Some(n), Some(b), Some(a)) => (n, b, a),
        (Some(n), _, None) => return n,
        (_, _, a) => return a.unwrap_or_default(),
    };
    let [b, a] = [b, a].map(|steps| Keys::from_steps(&steps));
    if a == b && was.is_none() && is.is_none() {
        return n;
    }
    let own = Keys::from_steps(&n);
    let Some(timing) = timing else {
        let keys = Keys {
            rotation: pick(own.rotation, &b.rotation, a.rotation),
            translation: pick(own.translation, &b.translation, a.translation),
            scale: pick(own.scale, &b.scale, a.scale),
        };
        return keys.to_steps();
    };
    let still = Values::default();
    let (was, is) = (was.unwrap_or(&still), is.unwrap_or(&still));
    let curves = Curves::decode(&own);
    let keys = Keys {
        rotation: rotations(timing, [&was.rotation, &is.rotation], &curves.rotation)
            .keys(&own.rotation, &a.rotation),
        translation: triples(timing, [0.0; 3], [&was.translation, &is.translation], &curves.translation)
            .keys(&own.translation, &a.translation),
        scale: triples(timing, [1.0; 3], [&was.scale, &is.scale], &curves.scale).keys(&own.scale, &a.scale),
    };
    if keys == own { n } else { keys.to_steps() }
}
