//! Bone transforms, in 64 bits.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "vectors and matrices of fixed size"
)]

use meshwright_core::F32;

/// A bone's place in model space as three rows of four, the last of each row the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneMatrix {
    /// The rows.
    pub rows: [[f64; 4]; 3],
}

impl Default for BoneMatrix {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl BoneMatrix {
    /// Changes nothing.
    pub const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// The image of a point.
    #[must_use]
    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        self.rows.map(|r| r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3])
    }

    /// The image of a direction.
    #[must_use]
    pub fn vector(&self, v: [f64; 3]) -> [f64; 3] {
        self.rows.map(|r| r[0] * v[0] + r[1] * v[1] + r[2] * v[2])
    }

    /// This transform after `first`: `p -> self(first(p))`.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        let column = |c: usize| first.rows.map(|r| r[c]);
        let (x, y, z, w) =
            (self.vector(column(0)), self.vector(column(1)), self.vector(column(2)), self.point(column(3)));
        Self { rows: core::array::from_fn(|i| [x[i], y[i], z[i], w[i]]) }
    }

    /// The way back, for a matrix that turns and moves only, as every bone's does.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let r = &self.rows;
        let turn = |v: [f64; 3]| -> [f64; 3] {
            core::array::from_fn(|i| r[0][i] * v[0] + r[1][i] * v[1] + r[2][i] * v[2])
        };
        let t = turn([r[0][3], r[1][3], r[2][3]]);
        Self { rows: core::array::from_fn(|i| [r[0][i], r[1][i], r[2][i], -t[i]]) }
    }

    /// No component is infinite or NaN.
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|c| c.is_finite())
    }
}

/// A bone's transform relative to its parent, as the files have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BonePose {
    /// Translation.
    pub translation: [f64; 3],
    /// Quaternion x, y, z, w as stored, which is the conjugate of the rotation.
    pub rotation: [f64; 4],
}

impl BonePose {
    /// The transform: translation after the rotation by the conjugate of the quaternion, taken at length 1.
    pub fn matrix(&self) -> BoneMatrix {
        let [x, y, z, w] = unit(self.rotation).unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let (x, y, z, t) = (-x, -y, -z, self.translation);
        BoneMatrix {
            rows: [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y), t[0]],
                [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x), t[1]],
                [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y), t[2]],
            ],
        }
    }
}

/// How rotations between two keys are found. Translations are blended linearly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Between {
    /// Spherical, the short way, as FreeSO does.
    #[default]
    Slerp,
    /// Linear and renormalised, the short way, as Niotso does.
    Nlerp,
}

impl Between {
    /// The rotation at `t` (0 to 1) from `a` to `b`.
    pub fn rotation(self, a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
        let (Some(a), Some(b)) = (unit(a), unit(b)) else { return if t < 0.5 { a } else { b } };
        let near = a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() >= 0.0;
        self.way(a, if near { b } else { b.map(|c| -c) }, t)
    }

    /// As [`rotation`](Self::rotation), the way that the signs of the keys say.
    #[cfg(feature = "scene")]
    pub(crate) fn long_way(self, a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
        let (Some(a), Some(b)) = (unit(a), unit(b)) else { return if t < 0.5 { a } else { b } };
        self.way(a, b, t)
    }

    fn way(self, a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
        match self {
            Self::Slerp => slerp(a, b, t),
            Self::Nlerp => nlerp(a, b, t),
        }
    }
}

fn nlerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    unit(core::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)).unwrap_or(a)
}

/// `core` has no sine: the arc is halved until it is so short that its chord will do.
fn slerp(mut a: [f64; 4], mut b: [f64; 4], mut t: f64) -> [f64; 4] {
    // A quarter turn halved 14 times is 1e-4; the error of the chord falls with the cube of that.
    for _ in 0..14 {
        let middle = nlerp(a, b, 0.5);
        if t < 0.5 {
            (b, t) = (middle, t * 2.0);
        } else {
            (a, t) = (middle, t * 2.0 - 1.0);
        }
    }
    nlerp(a, b, t)
}

/// `v` at length 1, or `None` where it has no direction.
pub(crate) fn unit<const N: usize>(v: [f64; N]) -> Option<[f64; N]> {
    // Scaled by the largest component first, so that squares neither overflow nor vanish.
    let largest = v.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if largest == 0.0 || !v.iter().all(|c| c.is_finite()) {
        return None;
    }
    let v = v.map(|c| c / largest);
    let length = sqrt(v.iter().map(|c| c * c).sum());
    Some(v.map(|c| c / length))
}

/// The square root of a number from 1 to a few: `core` has none.
fn sqrt(v: f64) -> f64 {
    let mut x = 0.5 + 0.5 * v;
    for _ in 0..6 {
        x = 0.5 * (x + v / x);
    }
    x
}

/// Quaternions whose squared length differs from 1 by more are reported.
const LENGTH_TOLERANCE: f64 = 2e-3;

/// True where a quaternion can be taken as it is.
pub(crate) fn is_unit(q: [F32; 4]) -> bool {
    let square: f64 = q.iter().map(|c| f64::from(c.get()) * f64::from(c.get())).sum();
    (square - 1.0).abs() <= LENGTH_TOLERANCE
}

/// Rounded to the precision of the files.
#[expect(clippy::cast_possible_truncation, reason = "rounding a result to the precision it is stored in")]
pub(crate) fn narrow<const N: usize>(v: [f64; N]) -> [f32; N] {
    v.map(|c| c as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
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

        #[test]
        fn inverse_undoes(q in quaternion(), t in [-9.0..9.0, -9.0..9.0, -9.0..9.0_f64]) {
            let m = BonePose { translation: t, rotation: q }.matrix();
            let id = m.inverse().after(&m);
            for (a, b) in id.rows.iter().flatten().zip(BoneMatrix::IDENTITY.rows.iter().flatten()) {
                prop_assert!((a - b).abs() < 1e-12);
            }
        }

        #[test]
        fn lengths_of_all_sizes(v: [f32; 3]) {
            if let Some(u) = unit(v.map(f64::from)) {
                prop_assert!((u.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-12);
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
