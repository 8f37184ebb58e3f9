//! An animation interpreted: keys, frames, poses, events.
#![allow(clippy::indexing_slicing, reason = "vectors and matrices of fixed size")]

use super::model::{Anim, FRAME_RATE, Motion, TimeProperty};
use crate::fields::Flag;
use crate::name::NameIndex;
use crate::pose::{Between, BonePose};
use crate::skel::Skel;
use alloc::vec::Vec;
use meshwright_core::F32;

impl Motion {
    /// Returns the translation of every frame; empty if the motion has none or its range is outside the array.
    pub fn translations<'a>(&self, anim: &'a Anim) -> &'a [[F32; 3]] {
        run(&anim.translations, self.has_translation, self.first_translation, self.frames)
    }

    /// Returns the rotation of every frame; empty where the motion has none or they lie outside the array.
    pub fn rotations<'a>(&self, anim: &'a Anim) -> &'a [[F32; 4]] {
        run(&anim.rotations, self.has_rotation, self.first_rotation, self.frames)
    }

    /// Returns all events, in the file's order.
    pub fn events(&self) -> impl Iterator<Item = &TimeProperty> {
        self.time_properties.iter().flatten()
    }
}

impl TimeProperty {
    /// Returns the time in seconds from the start.
    pub fn seconds(&self) -> f64 {
        f64::from(self.time) / 1000.0
    }
}

fn run<T>(keys: &[T], has: Flag, first: u32, frames: u32) -> &[T] {
    let range = || {
        let first = usize::try_from(first).ok()?;
        Some(first..first.checked_add(usize::try_from(frames).ok()?)?)
    };
    if has.is_set() { range().and_then(|r| keys.get(r)).unwrap_or_default() } else { &[] }
}

/// Returns the two keys around a frame, and the position between them. Before the first frame the first key holds, after the
/// last frame the last one.
fn around<T: Copy>(keys: &[T], frame: f64) -> Option<(T, T, f64)> {
    let last = keys.len().checked_sub(1)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a saturating cast: a frame beyond the last is the last, not a number is the first"
    )]
    let index = (frame as usize).min(last);
    let next = index.saturating_add(1).min(last);
    #[expect(clippy::cast_precision_loss, reason = "exact below 2^53 keys")]
    let t = (frame - index as f64).clamp(0.0, 1.0);
    Some((*keys.get(index)?, *keys.get(next)?, if t.is_nan() { 0.0 } else { t }))
}

impl Anim {
    /// Returns the number of frames: the largest of all motions.
    pub fn frames(&self) -> u32 {
        let has_keys = |m: &&Motion| !m.translations(self).is_empty() || !m.rotations(self).is_empty();
        self.motions.iter().filter(has_keys).map(|m| m.frames).max().unwrap_or(0)
    }

    /// Returns the seconds from the first to the last frame, computed from the frame rate instead of the stored duration.
    pub fn seconds(&self) -> f64 {
        f64::from(self.frames().saturating_sub(1)) / f64::from(FRAME_RATE)
    }

    /// Returns the pose of a skeleton's bones at a frame.
    ///
    /// A channel replaces the bone's rest value, a bone without one stays at rest, motions of unknown bones have
    /// no effect. Each motion holds its last key when it is over. A frame that is not a number is the first.
    pub fn pose(&self, skel: &Skel, frame: f64, between: Between) -> Vec<BonePose> {
        let index = NameIndex::new(skel.bones.iter().map(|b| &b.name));
        let mut pose = skel.rest();
        for motion in &self.motions {
            let Some(bone) = index.find(&motion.bone).and_then(|i| pose.get_mut(i)) else { continue };
            if let Some((a, b, t)) = around(motion.translations(self), frame) {
                let value = |i: usize| {
                    let (a, b) = (f64::from(a[i].get()), f64::from(b[i].get()));
                    if t == 0.0 { a } else { a + (b - a) * t }
                };
                bone.translation = core::array::from_fn(value);
            }
            if let Some((a, b, t)) = around(motion.rotations(self), frame) {
                let (a, b) = (a.map(F32::get).map(f64::from), b.map(F32::get).map(f64::from));
                bone.rotation = if t == 0.0 { a } else { between.rotation(a, b, t) };
            }
        }
        pose
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_outside_hold_the_ends() {
        let keys = [1, 2, 3];
        for (frame, want) in
            [(-5.0, (1, 2, 0.0)), (0.5, (1, 2, 0.5)), (2.0, (3, 3, 0.0)), (9e99, (3, 3, 1.0))]
        {
            assert_eq!(around(&keys, frame), Some(want), "{frame}");
        }
        assert_eq!(around(&keys, f64::NAN), Some((1, 2, 0.0)));
        assert_eq!(around::<u8>(&[], 0.0), None);
    }
}
