//! Bone transforms in 64 bits.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "vectors and matrices of fixed size"
)]

use crate::model::BonePose;

/// An affine transform in 64 bits: three rows of four, the last of each row being the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    /// The rows.
    pub rows: [[f64; 4]; 3],
}

impl From<&BonePose> for Matrix {
    fn from(pose: &BonePose) -> Self {
        Self { rows: pose.0.map(|row| row.map(|v| f64::from(v.get()))) }
    }
}

impl Matrix {
    /// The transform that changes nothing.
    pub const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// This transform after `first`.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        let [x, y, z] = &first.rows;
        Self {
            rows: self.rows.map(|[a, b, c, t]| {
                let column = |i: usize| a * x[i] + b * y[i] + c * z[i];
                [column(0), column(1), column(2), column(3) + t]
            }),
        }
    }

    /// The rotation part applied to a vector, plus `weight` times the translation.
    #[inline]
    pub(crate) fn weighted(&self, v: [f64; 3], weight: f64) -> [f64; 3] {
        self.rows.map(|[a, b, c, t]| a * v[0] + b * v[1] + c * v[2] + weight * t)
    }

    /// The image of a point.
    #[must_use]
    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        self.weighted(p, 1.0)
    }

    /// The image of a direction.
    #[must_use]
    #[inline]
    pub fn vector(&self, v: [f64; 3]) -> [f64; 3] {
        self.rows.map(|[a, b, c, _]| a * v[0] + b * v[1] + c * v[2])
    }

    /// The inverse, or `None` where the transform flattens space.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let [[a, b, c, p], [d, e, f, q], [g, h, i, r]] = self.rows;
        let cofactors = [
            [e * i - f * h, c * h - b * i, b * f - c * e],
            [f * g - d * i, a * i - c * g, c * d - a * f],
            [d * h - e * g, b * g - a * h, a * e - b * d],
        ];
        let determinant = a * cofactors[0][0] + b * cofactors[1][0] + c * cofactors[2][0];
        let scale = 1.0 / determinant;
        if determinant == 0.0 || !scale.is_finite() {
            return None;
        }
        let rows = cofactors.map(|row| {
            let [x, y, z] = row.map(|v| v * scale);
            [x, y, z, -(x * p + y * q + z * r)]
        });
        rows.as_flattened().iter().all(|v| v.is_finite()).then_some(Self { rows })
    }

    /// Rounded to 32 bits.
    #[cfg(feature = "scene")]
    #[expect(clippy::cast_possible_truncation, reason = "rounding to the stored precision is the purpose")]
    pub(crate) fn narrow(&self) -> [[f32; 4]; 3] {
        self.rows.map(|row| row.map(|v| v as f32))
    }
}

/// Rounds a vector to 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "rounding to the stored precision is the purpose")]
pub(crate) fn narrow(v: [f64; 3]) -> [f32; 3] {
    v.map(|c| c as f32)
}

/// Model-space matrices of a pose: each bone's matrix after its parent's. Parents that do not come before
/// their children count as none.
pub(crate) fn concatenate<'a>(
    pose: impl Iterator<Item = (&'a BonePose, Option<usize>)>,
    out: &mut alloc::vec::Vec<Matrix>,
) {
    out.clear();
    for (local, parent) in pose {
        let local = Matrix::from(local);
        let matrix = match parent.and_then(|p| out.get(p)) {
            Some(parent) => parent.after(&local),
            None => local,
        };
        out.push(matrix);
    }
}

/// The square root, which `core` has not got: Newton's method from a guess that halves the exponent.
pub(crate) fn sqrt(v: f64) -> f64 {
    if !(v.is_finite() && v > f64::MIN_POSITIVE) {
        return 0.0;
    }
    let mut x = f64::from_bits((v.to_bits() >> 1) + 0x1ff8_0000_0000_0000);
    for _ in 0..5 {
        x = 0.5 * (x + v / x);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_inverse_undoes(rows in any::<[[i8; 4]; 3]>()) {
            let m = Matrix { rows: rows.map(|r| r.map(f64::from)) };
            let p = [1.0, -2.0, 3.0];
            if let Some(inverse) = m.inverse() {
                for (a, b) in inverse.point(m.point(p)).iter().zip(p) {
                    prop_assert!((a - b).abs() < 1e-6);
                }
                let both = inverse.after(&m);
                prop_assert!((both.rows[0][0] - 1.0).abs() < 1e-6 && both.rows[1][3].abs() < 1e-5);
            } else {
                let [x, y, z] = m.rows.map(|r| [r[0], r[1], r[2]]);
                let det = x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0])
                    + x[2] * (y[0] * z[1] - y[1] * z[0]);
                prop_assert_eq!(det, 0.0);
            }
        }

        #[test]
        fn roots_are_those_of_the_machine(v in 1e-290_f64..1e290) {
            prop_assert!((sqrt(v) - v.sqrt()).abs() <= v.sqrt() * 4e-16);
        }
    }
}
