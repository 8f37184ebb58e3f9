//! Merging of keys of a channel that was edited in some frames.

use crate::pose::Timing;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_core::math::quat::{self, Quat};
use meshwright_core::math::{length, narrow, sub};
use meshwright_core::num::{QuatF8, Se32};

/// Smaller differences are not edits: scenes have 32-bit floats, and the format's smallest step is much
/// larger.
const SAME: f64 = 1e-6;

/// A value of a channel.
pub(super) trait Value: Copy {
    /// The stored form.
    type Word: Copy;

    /// Returns the value of the original's keys at a time.
    fn value_at(timing: Timing, keys: &[(u32, Self)], frame: f64) -> Option<Self>;

    /// Returns true if two values differ only by rounding.
    fn is_near(self, other: Self) -> bool;

    /// Encodes the value; `last` is the one before it.
    fn encode(self, last: Option<Self>) -> Self::Word;
}

impl Value for Quat {
    type Word = QuatF8;

    fn value_at(timing: Timing, keys: &[(u32, Self)], frame: f64) -> Option<Self> {
        timing.rotation(keys, frame)
    }

    fn is_near(self, other: Self) -> bool {
        let other = quat::toward(self, other);
        self.iter().zip(other).all(|(a, b)| (a - b).abs() < SAME)
    }

    fn encode(self, last: Option<Self>) -> QuatF8 {
        QuatF8::encode(narrow(last.map_or(self, |last| quat::toward(last, self))))
    }
}

impl Value for [f64; 3] {
    type Word = Se32;

    fn value_at(timing: Timing, keys: &[(u32, Self)], frame: f64) -> Option<Self> {
        timing.triple(keys, frame)
    }

    fn is_near(self, other: Self) -> bool {
        // The format's units are 1/40 of the scene's.
        length(sub(self, other)) <= 10.0 * SAME * length(self).max(1.0)
    }

    fn encode(self, _: Option<Self>) -> Se32 {
        Se32::encode(narrow(self))
    }
}

/// A translation, rotation or scale of a bone.
pub(super) struct Channel<'a, V> {
    pub(super) timing: Timing,
    /// The constant value of a channel without keys.
    pub(super) still: V,
    /// The edited values at all frames; empty if the bone has no keys.
    pub(super) made: &'a [V],
    /// The original's keys.
    pub(super) native: &'a [(u32, V)],
}

impl<V: Value> Channel<'_, V> {
    /// Merges keys: the original's, and those of the edited values at frames that were `edited`. Keys next to an edited
    /// range keep the frames around it. If every frame was edited, the result has only the new keys.
    pub(super) fn keys(
        &self,
        edited: impl Fn(u32) -> bool,
        [original, made]: [&[(u32, V::Word)]; 2],
    ) -> Vec<(u32, V::Word)> {
        let frames = self.timing.frames;
        let native = |frame: u32| V::value_at(self.timing, self.native, f64::from(frame));
        let value = |frame: u32| self.made.get(frame as usize).copied().unwrap_or(self.still);
        let was = |frame: u32| native(frame).unwrap_or(self.still);
        let edited: Vec<bool> = (0..frames).map(|f| edited(f) && !was(f).is_near(value(f))).collect();
        if !edited.contains(&true) {
            return original.to_vec();
        }
        if !edited.contains(&false) {
            return made.to_vec();
        }
        let is_edited = |f: u32| edited.get(f as usize) == Some(&true);
        let mut keys: SortedMap<u32, V::Word> = original.iter().copied().collect();
        let mut last = None;
        for frame in (0..frames).filter(|f| is_edited(*f)) {
            for near in self.around(frame).into_iter().flatten().filter(|f| !is_edited(*f)) {
                keys.entry(near).or_insert_with(|| was(near).encode(last));
            }
            let now = value(frame);
            let before = last.or_else(|| native(frame));
            keys.insert(frame, now.encode(before));
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
