//! Motion of the whole character, extracted from its root joint.
#![allow(clippy::arithmetic_side_effects, reason = "floats in vectors and matrices")]

use crate::error::RigError;
use crate::joint_pose::JointPose;
use crate::local_pose::LocalPose;
use crate::player::Player;
use crate::rig::Rig;
use glam::{Quat, Vec3, Vec4};

/// The part of the root's motion that moves the character.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RootAxes {
    /// The share of the translation along x, y and z, usually 1 or 0. With `(1, 0, 1)`, vertical motion stays with the
    /// root joint of a scene with +Y up.
    pub translation: Vec3,
    /// The axis about which the character turns. With `None`, turns stay with the joint.
    pub turn: Option<Vec3>,
}

impl RootAxes {
    /// Motion along the ground and turns about the vertical, in a scene with +Y up.
    pub const GROUND: Self = Self { translation: Vec3::new(1.0, 0.0, 1.0), turn: Some(Vec3::Y) };

    /// Selects a share of the translation and an axis of turns.
    pub const fn new(translation: Vec3, turn: Option<Vec3>) -> Self {
        Self { translation, turn }
    }
}

/// Extracts the motion of the character from a joint. The joint keeps the rest of its motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RootMotion {
    /// The root joint.
    pub joint: usize,
    /// The extracted motion.
    pub axes: RootAxes,
}

impl RootMotion {
    /// Extracts [`RootAxes::GROUND`] from a joint.
    pub const fn new(joint: usize) -> Self {
        Self { joint, axes: RootAxes::GROUND }
    }

    /// Sets the extracted motion.
    #[must_use]
    pub const fn with_axes(mut self, axes: RootAxes) -> Self {
        self.axes = axes;
        self
    }

    /// Returns the part of a joint's transform that moves the character.
    fn part(&self, joint: &JointPose) -> JointPose {
        let rotation = match self.axes.turn.and_then(Vec3::try_normalize) {
            Some(axis) => {
                let along = joint.rotation.xyz().dot(axis);
                let twist = Quat::from_xyzw(axis.x * along, axis.y * along, axis.z * along, joint.rotation.w);
                // A half turn about a perpendicular axis has no turn about this one.
                if twist.length_squared() > 1e-12 { unit(twist) } else { Quat::IDENTITY }
            }
            None => Quat::IDENTITY,
        };
        JointPose { translation: joint.translation * self.axes.translation, rotation, scale: Vec3::ONE }
    }

    fn joint(&self, rig: &Rig, pose: &LocalPose) -> Result<JointPose, RigError> {
        RigError::length("joints of the pose", rig.joint_count(), pose.joint_count())?;
        pose.get(rig, self.joint).ok_or_else(|| RigError::invalid("joint", "does not exist"))
    }

    /// Extracts the motion from a pose and returns it. The old transform of the joint is the product of the returned
    /// one and the new one.
    ///
    /// # Errors
    ///
    /// If the pose belongs to another skeleton, or the joint does not exist.
    pub fn extract(&self, rig: &Rig, pose: &mut LocalPose) -> Result<JointPose, RigError> {
        let joint = self.joint(rig, pose)?;
        let part = self.part(&joint);
        pose.set(rig, self.joint, &after(&inverse(&part), &joint))?;
        Ok(part)
    }

    /// Returns the motion of the character from one frame to another, relative to the first. `scratch` is
    /// overwritten.
    ///
    /// The root of a looping walk jumps back at the end of the clip. There the character continues as in the
    /// step before: the last step counts twice.
    ///
    /// # Errors
    ///
    /// If `scratch` or the animation belongs to another skeleton, or the joint does not exist.
    pub fn between_frames(
        &self,
        rig: &Rig,
        player: &mut Player<'_>,
        from: f64,
        to: f64,
        scratch: &mut LocalPose,
    ) -> Result<JointPose, RigError> {
        let timing = player.animation().timing;
        let period = timing.period();
        let mut at = |frame: f64| -> Result<JointPose, RigError> {
            player.sample(frame, scratch)?;
            Ok(self.part(&self.joint(rig, scratch)?))
        };
        if !(from.is_finite() && to.is_finite()) || timing.frames == 0 {
            return Ok(JointPose::IDENTITY);
        }
        if !timing.looping || period < 2.0 {
            return Ok(after(&inverse(&at(from)?), &at(to)?));
        }
        let (first, last) = (at(0.0)?, at(period - 1.0)?);
        let step = after(&inverse(&at(period - 2.0)?), &last);
        // The motion from the start of the clip to a frame.
        let mut since = |frame: f64| -> Result<JointPose, RigError> {
            let beyond = frame - (period - 1.0);
            if beyond <= 0.0 {
                return Ok(after(&inverse(&first), &at(frame)?));
            }
            #[expect(clippy::cast_possible_truncation, reason = "a part of one frame")]
            let part = beyond as f32;
            let some = JointPose {
                translation: step.translation * part,
                rotation: Quat::IDENTITY.slerp(step.rotation, part),
                scale: Vec3::ONE,
            };
            Ok(after(&after(&inverse(&first), &last), &some))
        };
        let whole = after(&after(&inverse(&first), &last), &step);
        let (a, b) = (timing.place(from), timing.place(to));
        let (start, end) = (since(a)?, since(b)?);
        let rounds = power(&whole, rounds(to - b, period).saturating_sub(rounds(from - a, period)));
        Ok(after(&inverse(&start), &after(&rounds, &end)))
    }
}

/// Returns the number of whole periods, rounded.
fn rounds(frames: f64, period: f64) -> i64 {
    let quotient = frames / period;
    #[expect(clippy::cast_possible_truncation, reason = "saturates, and so many rounds are not played")]
    {
        (quotient + if quotient < 0.0 { -0.5 } else { 0.5 }) as i64
    }
}

/// Returns the product of two rigid motions, with the scale of `b`.
fn after(a: &JointPose, b: &JointPose) -> JointPose {
    JointPose {
        translation: a.translation + a.rotation * b.translation,
        rotation: unit(a.rotation * b.rotation),
        scale: b.scale,
    }
}

/// Normalises a quaternion; the identity if it has no length.
fn unit(q: Quat) -> Quat {
    Vec4::from(q).try_normalize().map_or(Quat::IDENTITY, Quat::from_vec4)
}

fn inverse(a: &JointPose) -> JointPose {
    let rotation = a.rotation.conjugate();
    JointPose { translation: rotation * -a.translation, rotation, scale: Vec3::ONE }
}

/// Repeats a motion; a negative count repeats its inverse.
fn power(motion: &JointPose, times: i64) -> JointPose {
    let mut base = if times < 0 { inverse(motion) } else { *motion };
    let mut left = times.unsigned_abs();
    let mut out = JointPose::IDENTITY;
    while left > 0 {
        if left % 2 == 1 {
            out = after(&out, &base);
        }
        base = after(&base, &base);
        left /= 2;
    }
    out
}
