//! Computes the transform that brings points closest to others, by least squares.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "matrices of fixed size")]

use meshwright_core::Order as _;
use meshwright_core::math::{Affine64, add, distance, quat, scale, sqrt, sub};

/// If the second direction of points is this much weaker than the first, they are in line with the centre.
const IN_LINE: f64 = 1.0e-3;

/// A point in the space of a bone, and its target.
type Points<'p> = &'p [([f64; 3], [f64; 3])];

/// Returns the largest distance of the points from their targets.
pub(crate) fn largest(m: &Affine64, points: Points<'_>) -> f64 {
    points.iter().map(|(p, q)| distance(m.point(*p), *q)).fold(0.0, f64::max)
}

/// Fits points to their targets.
pub(crate) struct Fit;

impl Fit {
    /// Returns the rotation about the origin; `None` if the points are in line with it.
    pub(crate) fn turn(points: Points<'_>) -> Option<Affine64> {
        let mut s = [[0.0; 3]; 3];
        for (p, q) in points {
            for i in 0..3 {
                s[i] = add(s[i], scale(*q, p[i]));
            }
        }
        if is_line(&s) {
            return None;
        }
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = s;
        // Its strongest direction is the rotation, as a quaternion w, x, y, z.
        let (_, [w, x, y, z]) = strongest([
            [xx + yy + zz, yz - zy, zx - xz, xy - yx],
            [yz - zy, xx - yy - zz, xy + yx, zx + xz],
            [zx - xz, xy + yx, yy - xx - zz, yz + zy],
            [xy - yx, zx + xz, yz + zy, zz - xx - yy],
        ]);
        let [bx, by, bz] = quat::to_basis(meshwright_core::math::unit([x, y, z, w])?);
        Some(Affine64 { x: bx, y: by, z: bz, w: [0.0; 3] })
    }

    /// Returns the rotation and translation; `None` if the points are in line with each other.
    pub(crate) fn fit_free(points: Points<'_>) -> Option<Affine64> {
        #[expect(clippy::cast_precision_loss, reason = "a number of vertices")]
        let part = 1.0 / points.len() as f64;
        let (mut own, mut other) = ([0.0; 3], [0.0; 3]);
        for (p, q) in points {
            (own, other) = (add(own, scale(*p, part)), add(other, scale(*q, part)));
        }
        let centred: alloc::vec::Vec<_> =
            points.iter().map(|(p, q)| (sub(*p, own), sub(*q, other))).collect();
        let turn = Self::turn(&centred)?;
        Some(Affine64 { w: sub(other, turn.vector(own)), ..turn })
    }
}

/// Returns true if only the first eigenvalue of a matrix of products is not negligible, so the points are on a line.
fn is_line(s: &[[f64; 3]; 3]) -> bool {
    let square = core::array::from_fn(|i| core::array::from_fn(|j| (0..3).map(|k| s[k][i] * s[k][j]).sum()));
    let mut values = eigen(square).0;
    values.order_by(|a, b| b.total_cmp(a));
    let [first, second, _] = values.map(|v: f64| sqrt(v.max(0.0)));
    // Not a number is a line too.
    !(second >= first * IN_LINE && second > 0.0)
}

/// Returns the largest eigenvalue with its vector.
fn strongest<const N: usize>(m: [[f64; N]; N]) -> (f64, [f64; N]) {
    let (values, vectors) = eigen(m);
    let best = (0..N).fold(0, |best, i| if values[i] > values[best] { i } else { best });
    (values[best], core::array::from_fn(|k| vectors[k][best]))
}

/// The number of sweeps after which a small symmetric matrix is diagonal.
const SWEEPS: usize = 32;

/// Returns the eigenvalues of a symmetric matrix, and its eigenvectors as columns, by Jacobi rotations.
fn eigen<const N: usize>(mut m: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut v = [[0.0; N]; N];
    for (i, row) in v.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for _ in 0..SWEEPS {
        for p in 0..N {
            for q in p + 1..N {
                if m[p][q] == 0.0 || !m[p][q].is_finite() {
                    continue;
                }
                let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                let t = theta.signum() / (theta.abs() + sqrt(theta * theta + 1.0));
                let c = 1.0 / sqrt(t * t + 1.0);
                let s = t * c;
                for row in &mut m {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (above, below) = (m[p], m[q]);
                m[p] = core::array::from_fn(|k| c * above[k] - s * below[k]);
                m[q] = core::array::from_fn(|k| s * above[k] + c * below[k]);
                for row in &mut v {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
            }
        }
    }
    (core::array::from_fn(|i| m[i][i]), v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use meshwright_core::math::unit;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_known_place_is_found(
            q in [-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_filter_map("zero", unit),
            shift in [-3.0..3.0, -3.0..3.0, -3.0..3.0_f64],
            points in prop::collection::vec([-2.0..2.0, -2.0..2.0, -2.0..2.0_f64], 4..12),
        ) {
            let moved = |w: [f64; 3]| points.iter().map(|p| (*p, add(quat::rotate(q, *p), w))).collect::<Vec<_>>();
            for (found, pairs) in [(Fit::turn(&moved([0.0; 3])), moved([0.0; 3])), (Fit::fit_free(&moved(shift)), moved(shift))] {
                if let Some(m) = found {
                    prop_assert!(largest(&m, &pairs) < 1e-6, "{}", largest(&m, &pairs));
                    prop_assert!((m.determinant() - 1.0).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn points_in_line_with_the_joint_tell_no_turn() {
        let line = [([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), ([2.0, 0.0, 0.0], [0.0, 2.0, 0.0])];
        assert!(Fit::turn(&line).is_none() && Fit::turn(&[]).is_none());
        let two = [line[0], ([0.0, 1.0, 0.0], [-1.0, 0.0, 0.0])];
        assert!(largest(&Fit::turn(&two).unwrap(), &two) < 1e-12);
        assert!(Fit::fit_free(&two).is_none());
    }
}
