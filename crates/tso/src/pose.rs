//! Bone transforms, in 64 bits.

use meshwright_core::F32;
use meshwright_core::math::{Affine64, Trs64, quat, unit};

/// A bone's transform relative to its parent, as stored in files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BonePose {
    /// Translation.
    pub translation: [f64; 3],
    /// Quaternion x, y, z, w as stored: the conjugate of the rotation.
    pub rotation: [f64; 4],
}

impl BonePose {
    /// Returns the transform: a rotation by the normalised conjugate of the quaternion, then a translation.
    pub fn matrix(&self) -> Affine64 {
        Trs64 { translation: self.translation, rotation: turn(self.rotation), scale: [1.0; 3] }.to_affine()
    }
}

/// Returns the normalised rotation of a stored quaternion.
pub(crate) fn turn(stored: [f64; 4]) -> [f64; 4] {
    quat::conjugate(unit(stored).unwrap_or(quat::IDENTITY))
}

/// The interpolation of rotations between two keys. Translations are interpolated linearly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Between {
    /// Spherical, along the shorter arc, as in FreeSO.
    #[default]
    Slerp,
    /// Linear and normalised, along the shorter arc, as in Niotso.
    Nlerp,
}

impl Between {
    /// Interpolates the rotation at `t` (0 to 1) from `a` to `b`.
    pub fn rotation(self, a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
        let (Some(a), Some(b)) = (unit(a), unit(b)) else { return if t < 0.5 { a } else { b } };
        let b = quat::toward(a, b);
        match self {
            Self::Slerp => quat::slerp(a, b, t),
            Self::Nlerp => quat::nlerp(a, b, t),
        }
    }
}

/// Largest difference of a quaternion's squared length from 1 that is not reported.
const LENGTH_TOLERANCE: f64 = 2e-3;

/// Returns true if a quaternion has length 1 within the tolerance.
pub(crate) fn is_unit(q: [F32; 4]) -> bool {
    let square: f64 = q.iter().map(|c| f64::from(c.get()) * f64::from(c.get())).sum();
    (square - 1.0).abs() <= LENGTH_TOLERANCE
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn quaternion() -> impl Strategy<Value = [f64; 4]> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_filter_map("zero", unit)
    }

    proptest! {
        #[test]
        fn slerp_turns_evenly(a in quaternion(), b in quaternion(), t in 0.0..=1.0_f64) {
            let dot = a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>();
            let angle = dot.abs().min(1.0).acos();
            let sign = if dot < 0.0 { -1.0 } else { 1.0 };
            let want: [f64; 4] = if angle < 1e-9 { a } else {
                core::array::from_fn(|i| {
                    (((1.0 - t) * angle).sin() * a[i] + (t * angle).sin() * sign * b[i]) / angle.sin()
                })
            };
            let got = Between::Slerp.rotation(a, b, t);
            for (got, want) in got.iter().zip(want) {
                prop_assert!((got - want).abs() < 1e-7, "{got} {want}");
            }
        }
    }

    #[test]
    fn the_stored_quaternion_is_the_conjugate() {
        let half = core::f64::consts::FRAC_1_SQRT_2;
        let quarter_about_z = BonePose { translation: [0.0; 3], rotation: [0.0, 0.0, half, half] };
        let y = quarter_about_z.matrix().point([1.0, 0.0, 0.0]);
        assert!((y[1] + 1.0).abs() < 1e-12, "{y:?}");
    }
}
