//! Clips prepared for playing many times.

use crate::error::RigError;
use crate::joint_pose::{Group, JointPose};
use crate::kernels::InstructionSet;
use crate::keyed_motion::Keyed;
use crate::local_pose::LocalPose;
use crate::rig::Rig;
use crate::sampler::{Sampler, Source};
use crate::timing::Timing;
use alloc::vec::Vec;
use meshwright_scene::{Interpolation, PoseSet, Trs};

/// A clip prepared for one skeleton: translations, rotations and scales in the order in which eight joints
/// are computed at once. [`Player`](crate::Player)s share it.
///
/// It gives what the [`Sampler`] does that it was made from, up to the precision of 32 bits and up to shear, and
/// with rotations of unit length.
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
    /// A pose for every frame: `groups` groups each, and the pose of every frame.
    Uniform { groups: Vec<Group>, order: Vec<usize> },
    /// Keys, and the rest pose for joints without.
    Keyed(Keyed),
}

impl Animation {
    /// Prepares a clip.
    ///
    /// # Errors
    ///
    /// Where the sampler is not of this skeleton, and where the elements of matrices would have to be blended,
    /// which has no such form: choose [`Blend::Rigid`](crate::Blend::Rigid) for the sampler, or sample matrices
    /// with it.
    pub fn new(rig: &Rig, sampler: &Sampler<'_>) -> Result<Self, RigError> {
        let joints = rig.joint_count();
        let mut rule = sampler.rule();
        if rule == Interpolation::Matrix {
            return Err(fault("blends matrices; choose Blend::Rigid"));
        }
        let motion = match sampler.source() {
            Source::Poses { set, frames } => {
                RigError::length("poses", joints, set.joints)?;
                // Signs of quaternions that come from matrices mean nothing: the short way.
                if rule == Interpolation::Linear && !frames.is_empty() {
                    rule = Interpolation::LinearShort;
                }
                Motion::of_poses(rig, set, frames, rule)?
            }
            // A clip without frames is the rest pose, keys or not.
            Source::Tracks(_) if sampler.timing().frames == 0 => Motion::Keyed(Keyed::new(rig, &[], rule)?),
            Source::Tracks(keys) => Motion::Keyed(Keyed::new(rig, keys, rule)?),
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

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.timing.frames
    }

    /// Frames per second.
    pub fn rate(&self) -> f32 {
        self.timing.rate
    }

    /// Whether it loops.
    pub fn is_looping(&self) -> bool {
        self.timing.looping
    }

    /// The frame at a time in seconds, which may lie between two; behind the end of a loop it is not wrapped.
    pub fn frame_at(&self, seconds: f64) -> f64 {
        self.timing.frame_at(seconds)
    }

    /// How long the clip takes once, in seconds; a loop includes the way from the last frame back to the first.
    pub fn duration_seconds(&self) -> f64 {
        self.duration
    }

    /// How many joints a pose has.
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
            return Ok(Self::Keyed(Keyed::new(rig, &[], rule)?));
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
