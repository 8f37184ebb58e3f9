//! Merging of keys of a channel that was edited in some frames.

use crate::pose::Timing;
use alloc::boxed::Box;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_core::math::quat::{self, Quat};
use meshwright_core::math::{dot, length, narrow, sub};
use meshwright_core::num::{QuatF8, Se32};

/// Smaller differences are not edits: scenes have 32-bit floats, and the format's smallest step is much
/// larger.
const SAME: f64 = 1e-6;

/// A channel with values `V`, which are stored in words `W`.
pub(super) struct Channel<'a, V, W> {
    timing: Timing,
    /// The constant value of a channel without keys.
    still: V,
    /// The edited values at all frames; empty if the bone has no keys.
    made: &'a [V],
    /// Returns the value of the original's keys at a time.
    original: Box<dyn Fn(f64) -> Option<V> + 'a>,
    alike: fn(V, V) -> bool,
    /// Encodes a value relative to the previous one.
    encode: fn(V, Option<V>) -> W,
}

/// Makes a channel of rotations.
pub(super) fn rotations<'a>(
    timing: Timing,
    made: &'a [Quat],
    original: &'a [(u32, Quat)],
) -> Channel<'a, Quat, QuatF8> {
    Channel {
        timing,
        still: quat::IDENTITY,
        made,
        original: Box::new(move |frame| timing.rotation(original, frame)),
        alike: |a, b| {
            // Both signs mean the same rotation.
            let near = if dot(a, b) < 0.0 { b.map(|c| -c) } else { b };
            a.iter().zip(near).all(|(a, b)| (a - b).abs() < SAME)
        },
        encode: |value, last| {
            let other = last.is_some_and(|last| dot(last, value) < 0.0);
            QuatF8::encode(narrow(if other { value.map(|c| -c) } else { value }))
        },
    }
}

/// Makes a channel of translations or scales.
pub(super) fn triples<'a>(
    timing: Timing,
    still: [f64; 3],
    made: &'a [[f64; 3]],
    original: &'a [(u32, [f64; 3])],
) -> Channel<'a, [f64; 3], Se32> {
    Channel {
        timing,
        still,
        made,
        original: Box::new(move |frame| timing.triple(original, frame)),
        // The format's units are 1/40 of the scene's.
        alike: |a, b| length(sub(a, b)) <= 10.0 * SAME * length(a).max(1.0),
        encode: |value, _| Se32::encode(narrow(value)),
    }
}

impl<V: Copy, W: Copy> Channel<'_, V, W> {
    /// Merges keys: the original's, and those of the edited values at frames that were `edited`. Keys next to an edited
    /// range keep the frames around it. If every frame was edited, the result has only the new keys.
    pub(super) fn keys(
        &self,
        edited: impl Fn(u32) -> bool,
        original: &[(u32, W)],
        made: &[(u32, W)],
    ) -> Vec<(u32, W)> {
        let frames = self.timing.frames;
        let value = |frame: u32| self.made.get(frame as usize).copied().unwrap_or(self.still);
        let was = |frame: u32| (self.original)(f64::from(frame)).unwrap_or(self.still);
        let edited: Vec<bool> = (0..frames).map(|f| edited(f) && !(self.alike)(was(f), value(f))).collect();
        if !edited.contains(&true) {
            return original.to_vec();
        }
        if !edited.contains(&false) {
            return made.to_vec();
        }
        let is_edited = |f: u32| edited.get(f as usize) == Some(&true);
        let mut keys: SortedMap<u32, W> = original.iter().copied().collect();
        let mut last = None;
        for frame in (0..frames).filter(|f| is_edited(*f)) {
            for near in self.around(frame).into_iter().flatten().filter(|f| !is_edited(*f)) {
                keys.entry(near).or_insert_with(|| (self.encode)(was(near), last));
            }
            let now = value(frame);
            let before = last.or_else(|| (self.original)(f64::from(frame)));
            keys.insert(frame, (self.encode)(now, before));
            last = Some(now);
        }
        keys.into_iter().collect()
    }

    /// Returns the frames before and after one. In a clip that loops, the last frame is before the first.
    fn around(&self, frame: u32) -> [Option<u32>; 2] {
        let Timing { frames, looping } = self.timing;
        let before = frame.checked_sub(1).or_else(|| frames.checked_sub(1).filter(|_| looping));
        let after = frame.checked_add(1).filter(|f| *f < frames).or(looping.then_some(0));
        [before, after].map(|near| near.filter(|near| *near != frame))
    }
}
