//! Measures the loss if a format stores a clip's poses at other frames.

use super::{JointKeys, MotionSource, Sampler};
use crate::convert::loss::Loss;
use alloc::vec::Vec;
use meshwright_core::LimitExceeded;
use meshwright_core::Order as _;
use meshwright_core::math::{Trs64, distance, lerp, quat};

/// Frames that differ by at most this count as equal.
const SAME_FRAME: f64 = 1.0e-4;
/// Degrees in a radian.
const DEGREES: f64 = 180.0 / core::f64::consts::PI;

/// The difference between a clip and its poses at equal steps with blending. It is the maximum over all
/// joints, relative to their parents, at the keys or poses of the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Resampling {
    /// The number of keys, or poses of a joint, between two stored poses.
    pub between: u64,
    /// The largest error of a joint's rotation, in degrees.
    pub turned: f64,
    /// The largest error of a joint's position, in units of the scene.
    pub moved: f64,
    /// The largest error of a scale.
    pub scaled: f64,
}

impl Resampling {
    /// Reports the difference: `resampled` with degrees, `resampled-moved` with the scene's unit of length,
    /// `resampled-scaled`. Errors within rounding are a note.
    pub fn report(&self, path: &str, message: &str, losses: &mut Vec<Loss>) {
        let small = self.turned <= 1.0e-3 && self.moved <= 1.0e-6 && self.scaled <= 1.0e-6;
        let loss = if small {
            Loss::note("resampled", path, message)
        } else {
            Loss::new("resampled", path, message)
        };
        losses.push(loss.with_amount(self.turned, "degrees"));
        for (code, amount, unit) in
            [("resampled-moved", self.moved, "units"), ("resampled-scaled", self.scaled, "of the size")]
        {
            if amount > 1.0e-6 {
                let message = "poses between the stored ones are blended; maximum error of a joint";
                losses.push(Loss::new(code, path, message).with_amount(amount, unit));
            }
        }
    }
}

impl Sampler<'_, '_> {
    /// Compares the clip with its poses at the frames 0, `step`, 2 `step` and so on, `count` of them. The
    /// last pose is held; in a looping clip it blends into the first.
    ///
    /// # Errors
    /// If the budget does not suffice for the work.
    pub fn resampling(&self, step: f64, count: u32) -> Result<Resampling, LimitExceeded> {
        let mut worst = Resampling::default();
        // The last pose of a looping clip blends into its first.
        let ends = u32::from(!self.clip.looping);
        let (last, moving) = (f64::from(count.saturating_sub(ends)), 0..self.skeleton.joints.len());
        if count == 0 || !(step.is_finite() && step > 0.0) {
            return Ok(worst);
        }
        for joint in moving.filter(|j| self.moves(*j)) {
            let stored = |k: f64| self.trs(joint, k * step);
            for frame in self.stated_frames(joint)? {
                let place = (frame / step).clamp(0.0, last);
                // Round down: the number is clamped to a 32-bit count.
                let before = place - place % 1.0;
                let part = place - before;
                let held = frame / step > last + SAME_FRAME;
                if !held && !(SAME_FRAME..=1.0 - SAME_FRAME).contains(&part) {
                    continue;
                }
                let (a, b) = (stored(before), stored((before + 1.0).min(last)));
                let (own, blend) = (self.trs(joint, frame), blended(&a, &b, part));
                worst.between = worst.between.saturating_add(1);
                worst.turned = worst.turned.max(quat::angle(own.rotation, blend.rotation) * DEGREES);
                worst.moved = worst.moved.max(distance(own.translation, blend.translation));
                worst.scaled = worst.scaled.max(distance(own.scale, blend.scale));
            }
        }
        Ok(worst)
    }

    /// Returns the frames at which the clip has a key or pose of a joint.
    fn stated_frames(&self, joint: usize) -> Result<Vec<f64>, LimitExceeded> {
        let end = f64::from(self.clip.end());
        let mut frames = match &self.source {
            MotionSource::Poses { frames, .. } => {
                let mut all = self.budget.reserve("frames", frames.len())?;
                all.extend(self.whole_frames());
                all
            }
            MotionSource::JointKeys(keys) => {
                let JointKeys { translation, rotation, scale } = keys.get(joint).copied().unwrap_or_default();
                let lists = [
                    translation.map_or(&[][..], |c| &c.frames),
                    rotation.map_or(&[][..], |c| &c.frames),
                    scale.map_or(&[][..], |c| &c.frames),
                ];
                let count = lists.iter().map(|frames| frames.len()).sum();
                let mut all: Vec<f64> = self.budget.reserve("frames", count)?;
                for frames in lists {
                    all.extend(frames.iter().map(|f| f64::from(*f)).filter(|f| *f <= end));
                }
                all.order_by(f64::total_cmp);
                all.dedup();
                all
            }
        };
        self.budget.work("frames", (frames.len() as u64).saturating_mul(8))?;
        frames.retain(|f| f.is_finite());
        Ok(frames)
    }
}

fn blended(a: &Trs64, b: &Trs64, t: f64) -> Trs64 {
    Trs64 {
        translation: lerp(a.translation, b.translation, t),
        rotation: quat::nlerp(a.rotation, quat::toward(a.rotation, b.rotation), t),
        scale: lerp(a.scale, b.scale, t),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channel, Clip, Joint, Limits, Local, Motion, Scene, Skeleton, SkeletonId, Track};
    use alloc::vec;
    use meshwright_core::Budget;

    fn scene(keys: &[(f32, f32)]) -> Scene {
        let mut translation = Channel::new();
        for (frame, x) in keys {
            translation.push(*frame, [*x, 0.0, 0.0]);
        }
        let track = Track { translation, ..Track::default() };
        let joint = Joint::new("j", None, Local::default());
        Scene::default()
            .with_skeletons(vec![Skeleton { joints: vec![joint], ..Skeleton::default() }])
            .with_clips(vec![Clip::new("c", SkeletonId(0), 60.0, Motion::Tracks(vec![track]))])
    }

    fn measure(keys: &[(f32, f32)], step: f64, count: u32) -> Resampling {
        let (scene, budget) = (scene(keys), Budget::new(Limits::default()));
        Sampler::new(&scene, 0, &budget).unwrap().resampling(step, count).unwrap()
    }

    #[test]
    fn keys_that_are_stored_cost_nothing() {
        assert_eq!(measure(&[(0.0, 0.0), (2.0, 1.0), (4.0, 0.0)], 2.0, 3), Resampling::default());
        assert_eq!(measure(&[], 2.0, 3), Resampling::default());
        assert_eq!(measure(&[(0.0, 5.0)], f64::NAN, 3), Resampling::default());
    }

    #[test]
    fn a_peak_between_two_stored_poses_is_measured() {
        let found = measure(&[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)], 2.0, 2);
        assert_eq!((found.between, found.moved, found.turned), (1, 1.0, 0.0));
        // If a clip is longer than its poses, the last pose is held.
        let found = measure(&[(0.0, 0.0), (3.0, 3.0)], 2.0, 2);
        assert_eq!(found.moved, 1.0);
        let mut losses = Vec::new();
        found.report("clips[0]", "resampled", &mut losses);
        let codes: Vec<_> = losses.iter().map(|l| (l.code, l.is_note())).collect();
        assert_eq!(codes, [("resampled", false), ("resampled-moved", false)]);
    }
}
