//! The motion of the whole figure, taken out of its root joint.
#![allow(clippy::arithmetic_side_effects, reason = "floats in vectors and matrices")]

use crate::error::RigError;
use crate::joint_pose::JointPose;
use crate::local_pose::LocalPose;
use crate::player::Player;
use crate::rig::Rig;
use glam::{Quat, Vec3, Vec4};

/// Which part of the root's motion moves the figure.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RootAxes {
    /// The share of the translation along x, y and z: 1 or 0 each, as a rule. `(1, 0, 1)` leaves bobbing up
    /// and down to the root joint of a scene with +Y up.
    pub translation: Vec3,
    /// The axis about which the figure turns; `None` when turns stay with the joint.
    pub turn: Option<Vec3>,
}

impl RootAxes {
    /// Along the ground and about the vertical of a scene with +Y up.
    pub const GROUND: Self = Self { translation: Vec3::new(1.0, 0.0, 1.0), turn: Some(Vec3::Y) };

    /// These shares of the translation, and turns about this axis.
    pub const fn new(translation: Vec3, turn: Option<Vec3>) -> Self {
        Self { translation, turn }
    }
}

/// Takes the motion of the figure out of a joint: the joint keeps the rest, and the figure is moved by what was
/// taken out.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RootMotion {
    /// The root joint.
    pub joint: usize,
    /// What is taken out.
    pub axes: RootAxes,
}

impl RootMotion {
    /// Takes [`RootAxes::GROUND`] out of a joint.
    pub const fn new(joint: usize) -> Self {
        Self { joint, axes: RootAxes::GROUND }
    }

    /// The same along and about other axes.
    #[must_use]
    pub const fn with_axes(mut self, axes: RootAxes) -> Self {
        self.axes = axes;
        self
    }

    /// The part of a joint's transform that moves the figure.
    fn part(&self, joint: &JointPose) -> JointPose {
        let rotation = match self.axes.turn.and_then(Vec3::try_normalize) {
            Some(axis) => {
                let along = joint.rotation.xyz().dot(axis);
                let twist = Quat::from_xyzw(axis.x * along, axis.y * along, axis.z * along, joint.rotation.w);
                // A half turn about an axis across has no part about this one.
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

    /// Takes the motion out of a pose and returns it: the returned transform after the joint's new one is the
    /// joint's old one.
    ///
    /// # Errors
    ///
    /// Where the pose is of another skeleton, or the joint does not exist.
    pub fn extract(&self, rig: &Rig, pose: &mut LocalPose) -> Result<JointPose, RigError> {
        let joint = self.joint(rig, pose)?;
        let part = self.part(&joint);
        pose.set(rig, self.joint, &after(&inverse(&part), &joint))?;
        Ok(part)
    }

    /// How the figure moves from one frame to another, seen from where it stands at the first; `scratch` is
    /// overwritten.
    ///
    /// A looping clip whose root walks away jumps back at its end. There the figure goes on as it did in the
    /// frame before: the last step of the clip counts twice.
    ///
    /// # Errors
    ///
    /// Where `scratch` or the animation is of another skeleton, or the joint does not exist.
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
        // From the start of the clip to a frame in it.
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

/// How many periods that is, a whole number but for rounding.
fn rounds(frames: f64, period: f64) -> i64 {
    let quotient = frames / period;
    #[expect(clippy::cast_possible_truncation, reason = "saturates, and so many rounds are not played")]
    {
        (quotient + if quotient < 0.0 { -0.5 } else { 0.5 }) as i64
    }
}

/// `a` after `b`, both without scale in what matters: scales are those of `b`.
fn after(a: &JointPose, b: &JointPose) -> JointPose {
    JointPose {
        translation: a.translation + a.rotation * b.translation,
        rotation: unit(a.rotation * b.rotation),
        scale: b.scale,
    }
}

/// At length 1; the identity where there is no length.
fn unit(q: Quat) -> Quat {
    Vec4::from(q).try_normalize().map_or(Quat::IDENTITY, Quat::from_vec4)
}

fn inverse(a: &JointPose) -> JointPose {
    let rotation = a.rotation.conjugate();
    JointPose { translation: rotation * -a.translation, rotation, scale: Vec3::ONE }
}

/// A motion so many times after itself, backwards where that is negative.
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
