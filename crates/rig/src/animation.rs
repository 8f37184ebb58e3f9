//! Clips prepared for playing many times.

use crate::error::RigError;
use crate::joint_pose::{Group, JointPose};
use crate::kernels::InstructionSet;
use crate::keyed_motion::KeyedMotion;
use crate::local_pose::LocalPose;
use crate::rig::Rig;
use crate::sampler::{MotionSource, Sampler};
use crate::timing::Timing;
use alloc::vec::Vec;
use meshwright_scene::{Interpolation, PoseSet, Trs};

/// A clip, prepared for playback on one skeleton: translations, rotations and scales, ordered for computing eight
/// joints at once. [`Player`](crate::Player)s share it.
///
/// It gives the poses of its [`Sampler`] in 32 bits, without shear, and with unit quaternions.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    pub(crate) instructions: InstructionSet,
    joints: usize,
    pub(crate) timing: Timing,
    duration: f64,
    pub(crate) rule: Interpolation,
    pub(crate) motion: Motion,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Motion {
    /// Complete poses, and the pose of every frame.
    Uniform { groups: Vec<Group>, order: Vec<usize> },
    /// Keys; joints without keys have their rest pose.
    Keyed(KeyedMotion),
}

impl Animation {
    /// Prepares a clip.
    ///
    /// # Errors
    ///
    /// If the sampler belongs to another skeleton, or if it blends the elements of matrices. Choose
    /// [`Blend::Rigid`](crate::Blend::Rigid) for such a sampler, or use the sampler itself.
    pub fn new(rig: &Rig, sampler: &Sampler<'_>) -> Result<Self, RigError> {
        let joints = rig.joint_count();
        let mut rule = sampler.rule();
        if rule == Interpolation::Matrix {
            return Err(fault("blends matrices; choose Blend::Rigid"));
        }
        let motion = match sampler.source() {
            MotionSource::Poses { set, frames } => {
                RigError::length("poses", joints, set.joints)?;
                // The sign of a quaternion from a matrix is arbitrary, so rotations take the short way.
                if rule == Interpolation::Linear && !frames.is_empty() {
                    rule = Interpolation::LinearShort;
                }
                Motion::of_poses(rig, set, frames, rule)?
            }
            // A clip without frames is the rest pose, even if it has keys.
            MotionSource::Tracks(_) if sampler.timing().frames == 0 => {
                Motion::Keyed(KeyedMotion::new(rig, &[], rule)?)
            }
            MotionSource::Tracks(keys) => Motion::Keyed(KeyedMotion::new(rig, keys, rule)?),
        };
        let duration = sampler.clip().duration_seconds();
        Ok(Self {
            instructions: rig.instructions(),
            joints,
            timing: sampler.timing(),
            duration,
            rule,
            motion,
        })
    }

    /// Returns the number of frames.
    pub fn frame_count(&self) -> usize {
        self.timing.frames
    }

    /// Returns the frames per second.
    pub fn rate(&self) -> f32 {
        self.timing.rate
    }

    /// Returns true if the clip loops.
    pub fn is_looping(&self) -> bool {
        self.timing.looping
    }

    /// Returns the frame at a time in seconds. It may be fractional, and is not wrapped at the end of a loop.
    pub fn frame_at(&self, seconds: f64) -> f64 {
        self.timing.frame_at(seconds)
    }

    /// Returns the duration in seconds. That of a loop includes the step from the last frame to the first.
    pub fn duration_seconds(&self) -> f64 {
        self.duration
    }

    /// Returns the number of joints of a pose.
    pub fn joint_count(&self) -> usize {
        self.joints
    }
}

fn fault(message: &'static str) -> RigError {
    RigError::invalid("sampler", message)
}

impl Motion {
    fn of_poses(rig: &Rig, set: &PoseSet, frames: &[u32], rule: Interpolation) -> Result<Self, RigError> {
        if frames.is_empty() {
            return Ok(Self::Keyed(KeyedMotion::new(rig, &[], rule)?));
        }
        let joints = rig.joint_count();
        let mut places = alloc::vec![usize::MAX; set.len()];
        let (mut groups, mut order) = (Vec::new(), Vec::new());
        for &frame in frames {
            let found = set.pose(frame as usize).zip(places.get_mut(frame as usize));
            let (pose, place) = found.ok_or_else(|| fault("names a missing pose"))?;
            if *place == usize::MAX {
                *place = groups.len().checked_div(joints.div_ceil(8)).unwrap_or(0);
                let mut parts = LocalPose::neutral(joints);
                for (joint, m) in pose.iter().enumerate() {
                    parts.set(rig, joint, &JointPose::from(&Trs::from_affine(m).0))?;
                }
                groups.extend_from_slice(parts.groups());
            }
            order.push(*place);
        }
        Ok(Self::Uniform { groups, order })
    }
}
