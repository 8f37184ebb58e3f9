//! Converts clips to keys of another skeleton.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint, of skeletons that were prepared"
)]

use crate::geometry::rotation;
use crate::report::EndReport;
use crate::retargeter::Retargeter;
use alloc::vec::Vec;
use meshwright_rig::glam::{DAffine3, DQuat, DVec3};
use meshwright_rig::{RigError, Sampler};
use meshwright_scene::{Budget, Channel, Clip, ConvertError, Motion, Scene, Skeleton, Track};

/// A translation smaller than this part of the character's size counts as none.
const STILL: f64 = 1e-6;

/// Samples clips of the source and writes keys for the target.
#[derive(Debug)]
pub(crate) struct Baker<'a> {
    retargeter: &'a Retargeter,
    budget: &'a Budget,
    source_locals: Vec<DAffine3>,
    source_pose: Vec<DAffine3>,
    target_pose: Vec<DAffine3>,
    /// The height of the target in its rest pose.
    height: f64,
    ends: Vec<Errors>,
}

/// The distances of the end of a limb from its path.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    largest: f64,
    sum: f64,
    count: f64,
}

fn fault(e: RigError) -> ConvertError {
    ConvertError::invalid("clips", alloc::format!("{e}"))
}

impl<'a> Baker<'a> {
    pub(crate) fn new(retargeter: &'a Retargeter, budget: &'a Budget) -> Result<Self, ConvertError> {
        let (source, target) = (retargeter.source.joint_count(), retargeter.target.joint_count());
        let ys = || retargeter.target.rest.iter().map(|m| m.translation.y);
        let height = ys().fold(f64::NEG_INFINITY, f64::max) - ys().fold(f64::INFINITY, f64::min);
        Ok(Self {
            retargeter,
            budget,
            source_locals: budget.filled("joints", source, DAffine3::IDENTITY)?,
            source_pose: budget.filled("joints", source, DAffine3::IDENTITY)?,
            target_pose: budget.filled("joints", target, DAffine3::IDENTITY)?,
            height,
            ends: alloc::vec![Errors::default(); retargeter.ends.len()],
        })
    }

    /// Returns the keys of a clip, and whether it scales joints. Scaling is dropped.
    pub(crate) fn bake(&mut self, scene: &Scene, clip: usize) -> Result<(Vec<Track>, bool), ConvertError> {
        let sampler = Sampler::new(scene, clip).map_err(fault)?;
        let frames = frames(sampler.clip(), self.budget)?;
        let joints = self.retargeter.target.joint_count();
        let keys = (frames.len() as u64).saturating_mul(joints as u64);
        self.budget.charge_items("keys", keys, size_of::<[f32; 9]>())?;
        let mut tracks: Vec<Track> = (0..joints).map(|joint| Track { joint, ..Track::default() }).collect();
        let mut scaled = false;
        for &frame in &frames {
            self.pose(&sampler, f64::from(frame)).map_err(fault)?;
            scaled |= self.is_scaled();
            self.push_keys(frame, &mut tracks);
        }
        for track in &mut tracks {
            self.drop_still(track);
        }
        tracks.retain(|t| !t.translation.is_empty() || !t.rotation.is_empty());
        Ok((tracks, scaled))
    }

    /// Poses both skeletons at a frame.
    fn pose(&mut self, sampler: &Sampler<'_>, frame: f64) -> Result<(), RigError> {
        let rig = &self.retargeter.source.rig;
        sampler.sample(rig, frame, &mut self.source_locals)?;
        rig.compute_model_matrices(&self.source_locals, &mut self.source_pose)?;
        self.retargeter.retarget(&self.source_pose, &mut self.target_pose)?;
        for (end, errors) in self.retargeter.ends.iter().zip(&mut self.ends) {
            let goal = self.retargeter.goal(end, &self.source_pose);
            let off = goal.distance(self.target_pose[end.joint].translation) / self.height;
            if off.is_finite() {
                errors.largest = errors.largest.max(off);
                (errors.sum, errors.count) = (errors.sum + off, errors.count + 1.0);
            }
        }
        Ok(())
    }

    /// Returns true if a mapped joint of the source has another scale than at rest.
    fn is_scaled(&self) -> bool {
        let sizes = |m: &DAffine3| [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis].map(DVec3::length);
        let source = &self.retargeter.source;
        self.retargeter.map.pairs().any(|(_, joint)| {
            let (now, rest) = (sizes(&self.source_locals[joint]), sizes(&source.locals[joint]));
            now.iter().zip(rest).any(|(now, rest)| (now - rest).abs() > 3e-3 * rest.max(1e-3))
        })
    }

    fn push_keys(&self, frame: f32, tracks: &mut [Track]) {
        let target = &self.retargeter.target;
        for (joint, track) in tracks.iter_mut().enumerate() {
            if !self.retargeter.is_posed(joint) {
                continue;
            }
            let pose = &self.target_pose[joint];
            let local = match target.parents[joint] {
                Some(parent) => self.target_pose[parent].inverse() * *pose,
                None => *pose,
            };
            // A parent that flattens space has no inverse.
            let local = if local.is_finite() { local } else { target.locals[joint] };
            let mut turn = rotation(&local) * target.key_turns[joint];
            if let Some(last) = track.rotation.values.last()
                && turn.dot(DQuat::from_array(last.map(f64::from))) < 0.0
            {
                turn = -turn;
            }
            track.rotation.push(frame, turn.as_quat().to_array());
            track.translation.push(frame, local.translation.as_vec3().to_array());
        }
    }

    /// Drops the keys of a constant channel: all of them if the value is that of the rest pose, otherwise
    /// all but one.
    fn drop_still(&self, track: &mut Track) {
        let target = &self.retargeter.target;
        let rest = &target.locals[track.joint];
        let place = rest.translation.as_vec3();
        let still = STILL * self.height.max(f64::from(f32::MIN_POSITIVE));
        let apart = |a: &[f32; 3], b: &[f32; 3]| {
            a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max) > still
        };
        shorten(&mut track.translation, &place.to_array(), apart);
        let turn = (rotation(rest) * target.key_turns[track.joint]).as_quat();
        let apart = |a: &[f32; 4], b: &[f32; 4]| {
            let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            let sign = if dot < 0.0 { -1.0 } else { 1.0 };
            a.iter().zip(b).any(|(a, b)| (a - sign * b).abs() > 1e-6)
        };
        shorten(&mut track.rotation, &turn.to_array(), apart);
    }

    /// Returns how far the ends of limbs were from their paths.
    pub(crate) fn finish(self, target: &Skeleton) -> Vec<EndReport> {
        let one = |(end, errors): (&crate::retargeter::End, &Errors)| {
            (errors.count > 0.0).then(|| EndReport {
                bone: target.joints[end.joint].name.clone(),
                largest: errors.largest,
                mean: errors.sum / errors.count,
            })
        };
        self.retargeter.ends.iter().zip(&self.ends).filter_map(one).collect()
    }
}

fn shorten<T: Copy>(channel: &mut Channel<T>, rest: &T, apart: impl Fn(&T, &T) -> bool) {
    let Some(first) = channel.values.first().copied() else { return };
    if channel.values.iter().any(|value| apart(value, &first)) {
        return;
    }
    let keys = usize::from(apart(&first, rest));
    channel.values.truncate(keys);
    channel.frames.truncate(keys);
}

/// Returns the whole frames of a clip, and the frames of keys between them.
fn frames(clip: &Clip, budget: &Budget) -> Result<Vec<f32>, ConvertError> {
    let mut all: Vec<f32> = budget.reserve("frames", clip.frames as usize)?;
    #[expect(clippy::cast_precision_loss, reason = "frames beyond 2^24 are no floats of their own")]
    all.extend((0..clip.frames).map(|frame| frame as f32));
    if let Motion::Tracks(tracks) = &clip.motion {
        // Between the last frame of a loop and the first there can be keys, too.
        #[expect(clippy::cast_precision_loss, reason = "as above")]
        let end = clip.end() as f32;
        for track in tracks {
            for frames in [&track.translation.frames, &track.rotation.frames, &track.scale.frames] {
                let between = frames.iter().filter(|f| **f > 0.0 && **f < end && **f % 1.0 != 0.0);
                let between: Vec<f32> = between.copied().collect();
                budget.charge_items("frames", between.len() as u64, size_of::<f32>())?;
                all.extend(between);
            }
        }
    }
    all.sort_by(f32::total_cmp);
    all.dedup();
    Ok(all)
}
