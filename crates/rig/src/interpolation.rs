//! Interpolation of values between keys.
#![allow(clippy::arithmetic_side_effects, reason = "floats in vectors and matrices")]

use glam::{DAffine3, DMat3, DQuat, DVec3};
use meshwright_scene::{Channel, Interpolation, Local, Trs};

/// Translation, rotation and scale in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TrsParts {
    pub(crate) translation: DVec3,
    pub(crate) rotation: Rotation,
    pub(crate) scale: DVec3,
}

/// A rotation: a quaternion of any length, or a blend of two matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rotation {
    Quat(DQuat),
    Mat(DMat3),
}

pub(crate) fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::from(v.map(f64::from))
}

fn quat(q: [f32; 4]) -> DQuat {
    DQuat::from_array(q.map(f64::from))
}

/// Returns the matrix of a quaternion of any length. Only a unit quaternion gives a rotation.
fn matrix(q: DQuat) -> DMat3 {
    let (x, y, z, w) = (q.x, q.y, q.z, q.w);
    DMat3::from_cols(
        DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        DVec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
}

impl TrsParts {
    pub(crate) fn to_matrix(self) -> DAffine3 {
        let turn = match self.rotation {
            Rotation::Quat(q) => matrix(q),
            Rotation::Mat(m) => m,
        };
        let s = self.scale;
        let matrix3 = DMat3::from_cols(turn.x_axis * s.x, turn.y_axis * s.y, turn.z_axis * s.z);
        DAffine3 { matrix3, translation: self.translation }
    }
}

impl From<&Trs> for TrsParts {
    fn from(t: &Trs) -> Self {
        Self {
            translation: wide(t.translation),
            rotation: Rotation::Quat(quat(t.rotation)),
            scale: wide(t.scale),
        }
    }
}

/// Returns a local transform as translation, rotation and scale; shear is dropped.
pub(crate) fn to_trs(local: &Local) -> Trs {
    match local {
        Local::Trs(t) => *t,
        Local::Affine(m) => Trs::from_affine(m).0,
    }
}

fn unit(q: DQuat) -> DQuat {
    let l = q.length_squared();
    if l > 0.0 && l.is_finite() { q * (1.0 / meshwright_scene::sqrt(l)) } else { DQuat::IDENTITY }
}

/// Blends the rotations of two keys.
pub(crate) fn blend_rotation(a: DQuat, b: DQuat, t: f64, rule: Interpolation) -> Rotation {
    match rule {
        // Exactly opposite quaternions are the same rotation, and have no mean: the earlier one is used.
        Interpolation::Linear if a == -b => Rotation::Quat(a),
        Interpolation::Linear => Rotation::Quat(unit(a * (1.0 - t) + b * t)),
        Interpolation::LinearShort => {
            let b = if a.dot(b) < 0.0 { -b } else { b };
            Rotation::Quat(unit(a * (1.0 - t) + b * t))
        }
        Interpolation::Spherical => Rotation::Quat(unit(a).slerp(unit(b), t)),
        Interpolation::Matrix => Rotation::Mat(matrix(a) * (1.0 - t) + matrix(b) * t),
    }
}

/// The keys around a frame: one key if the frame is that of a key, or is outside all keys of a clip that
/// does not loop.
enum KeySpan {
    At(usize),
    Between(usize, usize, f64),
}

/// Finds the keys around `frame`, which is in the clip. `period` is that of a looping clip.
fn span(keys: &[f32], frame: f64, period: Option<f64>) -> Option<KeySpan> {
    let last = keys.len().checked_sub(1)?;
    let key = |i: usize| keys.get(i).copied().map_or(0.0, f64::from);
    // The number of keys at or before the frame.
    let n = keys.partition_point(|&k| f64::from(k) <= frame);
    if let Some(before) = n.checked_sub(1)
        && (key(before) == frame || n <= last)
    {
        if key(before) == frame {
            return Some(KeySpan::At(before));
        }
        return Some(KeySpan::Between(before, n, (frame - key(before)) / (key(n) - key(before))));
    }
    // Before the first key or after the last.
    let edge = if n == 0 { 0 } else { last };
    let Some(period) = period else { return Some(KeySpan::At(edge)) };
    let gap = key(0) + period - key(last);
    let passed = if n == 0 { frame + period - key(last) } else { frame - key(last) };
    // Keys after the end of the loop leave no gap to blend across.
    if last == 0 || gap <= 0.0 || !(0.0..=gap).contains(&passed) {
        return Some(KeySpan::At(edge));
    }
    Some(KeySpan::Between(last, 0, passed / gap))
}

/// Returns the frames of the keys. Frames beyond the number of values are ignored.
fn frames<T>(channel: &Channel<T>) -> &[f32] {
    channel.frames.get(..channel.values.len()).unwrap_or(&channel.frames)
}

/// Returns a translation or scale at a frame.
pub(crate) fn vector(channel: &Channel<[f32; 3]>, frame: f64, period: Option<f64>) -> Option<DVec3> {
    let value = |i: usize| channel.values.get(i).map(|v| wide(*v));
    match span(frames(channel), frame, period)? {
        KeySpan::At(i) => value(i),
        KeySpan::Between(a, b, t) => Some(value(a)? * (1.0 - t) + value(b)? * t),
    }
}

/// Returns a rotation at a frame.
pub(crate) fn rotation(
    channel: &Channel<[f32; 4]>,
    frame: f64,
    period: Option<f64>,
    rule: Interpolation,
) -> Option<Rotation> {
    let value = |i: usize| channel.values.get(i).map(|v| quat(*v));
    match span(frames(channel), frame, period)? {
        KeySpan::At(i) => value(i).map(Rotation::Quat),
        KeySpan::Between(a, b, t) => Some(blend_rotation(value(a)?, value(b)?, t, rule)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(keys: &[(f32, f32)]) -> Channel<[f32; 3]> {
        let mut c = Channel::new();
        for &(f, v) in keys {
            c.push(f, [v, 0.0, 0.0]);
        }
        c
    }

    fn x(c: &Channel<[f32; 3]>, frame: f64, period: Option<f64>) -> f64 {
        vector(c, frame, period).unwrap().x
    }

    #[test]
    fn keys_hold_outside_of_a_clip_that_does_not_loop() {
        let c = channel(&[(1.0, 10.0), (3.0, 30.0)]);
        assert_eq!([0.0, 1.0, 2.0, 3.0, 9.0].map(|f| x(&c, f, None)), [10.0, 10.0, 20.0, 30.0, 30.0]);
    }

    #[test]
    fn looping_keys_blend_across_the_end() {
        // Period 4: between the key at 3 and the one at 1 + 4 there are two frames.
        let c = channel(&[(1.0, 10.0), (3.0, 30.0)]);
        assert_eq!([0.0, 0.5, 1.0, 3.0, 3.5].map(|f| x(&c, f, Some(4.0))), [20.0, 15.0, 10.0, 30.0, 25.0]);
        // With one key, or keys longer than the period, there is nothing to blend.
        assert_eq!(x(&channel(&[(2.0, 7.0)]), 3.0, Some(4.0)), 7.0);
        let long = channel(&[(1.0, 1.0), (9.0, 9.0)]);
        assert_eq!([0.0, 1.0, 5.0].map(|f| x(&long, f, Some(4.0))), [1.0, 1.0, 5.0]);
        assert_eq!(vector(&channel(&[]), 0.0, Some(4.0)), None);
    }

    #[test]
    fn rules_differ_where_signs_do() {
        let a = DQuat::IDENTITY;
        let b = -DQuat::from_rotation_x(1.0);
        let mid = |rule| match blend_rotation(a, b, 0.5, rule) {
            Rotation::Quat(q) => 2.0 * q.xyz().length().atan2(q.w.abs()),
            Rotation::Mat(m) => m.determinant(),
        };
        assert!((mid(Interpolation::LinearShort) - 0.5).abs() < 1e-12);
        assert!((mid(Interpolation::Spherical) - 0.5).abs() < 1e-12);
        // The middle of the long way is opposite to that of the short way.
        assert!((mid(Interpolation::Linear) - (core::f64::consts::PI - 0.5)).abs() < 1e-12);
        assert!(mid(Interpolation::Matrix) < 0.9);
    }

    #[test]
    fn opposite_keys_hold_the_earlier() {
        let a = DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8);
        for t in [0.25, 0.5, 0.75] {
            assert_eq!(blend_rotation(a, -a, t, Interpolation::Linear), Rotation::Quat(a), "{t}");
        }
    }
}
