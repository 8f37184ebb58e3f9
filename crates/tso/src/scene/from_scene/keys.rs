//! Samples a scene's clip at 30 frames per second.

use super::transforms::{self, has_scale, is_scaled, stored};
use crate::anim::FRAME_RATE;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::math::narrow1;
use meshwright_scene::math::{Trs64, wide};
use meshwright_scene::{AxisMap, Budget, Clip, ConvertError, Interpolation, Loss, Motion, Sampler, Scene};

/// The keys of one joint, one per frame, or none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Keys {
    pub(crate) translations: Vec<[F32; 3]>,
    pub(crate) rotations: Vec<[F32; 4]>,
}

impl Keys {
    /// Returns the keys of a motion.
    #[cfg(feature = "recover")]
    pub(crate) fn of_motion(anim: &crate::anim::Anim, motion: &crate::anim::Motion) -> Self {
        let (translations, rotations) = (motion.translations(anim), motion.rotations(anim));
        Self { translations: translations.to_vec(), rotations: rotations.to_vec() }
    }

    /// Returns true if a joint keeps its rest pose.
    pub(crate) fn is_empty(&self) -> bool {
        self.translations.is_empty() && self.rotations.is_empty()
    }

    /// Samples the keys of all joints.
    pub(crate) fn sample(
        sampler: &Sampler<'_, '_>,
        scene: &Scene,
        frames: Frames,
        axes: &AxisMap,
        budget: &Budget,
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<Self>, ConvertError> {
        let (clip, skeleton) = (sampler.clip(), sampler.skeleton());
        let mut scaled = scaled_joints(scene, clip, skeleton.joints.len(), budget)?;
        if clip.interpolation == Interpolation::Matrix {
            scaled_between(sampler, frames, &mut scaled)?;
        }
        let count = scaled.iter().filter(|s| **s).count();
        let mut keys = budget.filled("motions", skeleton.joints.len(), Self::default())?;
        let rests = || skeleton.joints.iter().map(|j| j.rest.to_affine64());
        if count == 0 && !rests().any(|rest| is_scaled(&rest)) {
            let channels = channels(clip, skeleton.joints.len());
            for ((joint, keys), [moves, turns]) in keys.iter_mut().enumerate().zip(channels) {
                keys.reserve(moves, turns, frames, budget)?;
                budget.work("keys", u64::from(frames.count) * u64::from(moves || turns))?;
                for frame in frames.times().filter(|_| moves || turns) {
                    keys.push(moves, turns, axes, &sampler.trs(joint, frame));
                }
            }
            return Ok(keys);
        }
        // The children of a scaled joint have other positions than their own keys state.
        keys.iter_mut().try_for_each(|keys| keys.reserve(true, true, frames, budget))?;
        let (mut bones, mut locals) = (transforms::bones(skeleton, budget)?, Vec::new());
        let mut lost = 0.0_f64;
        for frame in frames.times() {
            sampler.locals(frame, &mut locals)?;
            lost = lost.max(bones.to_rigid_bones(&mut locals, budget)?);
            for (keys, local) in keys.iter_mut().zip(&locals) {
                keys.push(true, true, axes, &Trs64::from_affine(local));
            }
        }
        if count > 0 || lost > Loss::NOISE {
            // The rest scale of joints is already applied to the vertices.
            let loss = Loss::new("scale-dropped", path, "bones have no scale beyond that of the rest pose");
            losses.push(
                loss.with_count(count, "joint", "joints")
                    .with_amount(lost, "of a matrix")
                    .noise_below(Loss::NOISE),
            );
        }
        Ok(keys)
    }

    pub(crate) fn reserve(
        &mut self,
        moves: bool,
        turns: bool,
        frames: Frames,
        budget: &Budget,
    ) -> Result<(), ConvertError> {
        let count = usize::try_from(frames.count).unwrap_or(usize::MAX);
        if moves {
            self.translations = budget.reserve("keys", count)?;
        }
        if turns {
            self.rotations = budget.reserve("keys", count)?;
        }
        Ok(())
    }

    fn push(&mut self, moves: bool, turns: bool, axes: &AxisMap, trs: &Trs64) {
        let (translation, rotation) = stored(axes, trs);
        if moves {
            self.translations.push(translation);
        }
        if turns {
            self.rotations.push(rotation);
        }
    }
}

/// Returns for every joint whether a clip has translations and rotations for it. Other channels keep the values of the
/// skeleton.
fn channels(clip: &Clip, n: usize) -> Vec<[bool; 2]> {
    match &clip.motion {
        Motion::Poses { frames, .. } => alloc::vec![[!frames.is_empty(); 2]; n],
        Motion::Tracks(tracks) => {
            let mut channels = alloc::vec![[false; 2]; n];
            for track in tracks {
                if let Some([moves, turns]) = channels.get_mut(track.joint) {
                    *moves |= !track.translation.is_empty();
                    *turns |= !track.rotation.is_empty();
                }
            }
            channels
        }
    }
}

/// Returns the joints that a clip scales.
fn scaled_joints(scene: &Scene, clip: &Clip, n: usize, budget: &Budget) -> Result<Vec<bool>, ConvertError> {
    let mut scaled = budget.filled("joints", n, false)?;
    match &clip.motion {
        Motion::Tracks(tracks) => {
            for track in tracks.iter().filter(|t| t.scale.values.iter().any(|s| has_scale(wide(*s)))) {
                if let Some(slot) = scaled.get_mut(track.joint) {
                    *slot = true;
                }
            }
        }
        Motion::Poses { set, frames } => {
            let set = scene.pose_sets.get(set.0);
            budget.work("poses", (frames.len() as u64).saturating_mul(n as u64))?;
            for pose in frames.iter().filter_map(|f| set?.pose(usize::try_from(*f).ok()?)) {
                for (slot, local) in scaled.iter_mut().zip(pose) {
                    *slot |= is_scaled(&local.wide());
                }
            }
        }
    }
    Ok(scaled)
}

/// Returns the joints without scale at rest that are scaled between keys: the mean of two rotation matrices is not a
/// rotation.
fn scaled_between(
    sampler: &Sampler<'_, '_>,
    frames: Frames,
    scaled: &mut [bool],
) -> Result<(), ConvertError> {
    let mut locals = Vec::new();
    for frame in frames.times() {
        sampler.locals(frame, &mut locals)?;
        let joints = sampler.skeleton().joints.iter().zip(&locals);
        for (slot, (joint, local)) in scaled.iter_mut().zip(joints) {
            *slot = *slot || is_scaled(local) && !is_scaled(&joint.rest.to_affine64());
        }
    }
    Ok(())
}

/// The frames of a clip at 30 per second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    pub(crate) count: u32,
    /// Frames of the clip per sample.
    step: f64,
    /// Frames of the clip from one repetition to the next, if it loops.
    period: Option<f64>,
}

impl Frames {
    pub(crate) fn of_clip(
        sampler: &Sampler<'_, '_>,
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Self, ConvertError> {
        let clip = sampler.clip();
        let step = f64::from(clip.rate) / f64::from(FRAME_RATE);
        let last = f64::from(clip.end());
        let count = (last / step + 0.5).clamp(0.0, f64::from(u32::MAX));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 32 bits")]
        let count = (count as u32).saturating_add(1);
        if count > 1 << f32::MANTISSA_DIGITS {
            return Err(ConvertError::unsupported(path, "more than 16777216 frames"));
        }
        if step != 1.0 || sampler.is_off_frame() {
            let message = match step == 1.0 {
                true => String::from("keys between frames were resampled"),
                false => format!("{} frames per second were resampled to 30", clip.rate),
            };
            sampler.resampling(step, count)?.report(path, &message, losses);
        }
        Ok(Self { count, step, period: clip.looping.then_some(last) })
    }

    /// Returns the time of each sample in frames of the clip.
    pub(crate) fn times(self) -> impl Iterator<Item = f64> {
        let own = move |t: f64| self.period.filter(|p| t >= *p).map_or(t, |_| 0.0);
        (0..self.count).map(move |f| own(f64::from(f) * self.step))
    }

    pub(crate) fn milliseconds(self) -> f32 {
        narrow1(f64::from(self.count) * 1000.0 / f64::from(FRAME_RATE))
    }
}
