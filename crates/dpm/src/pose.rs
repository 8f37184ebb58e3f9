//! Model-space bones and skinned vertices, computed with 64-bit floats.
#![allow(clippy::arithmetic_side_effects, reason = "vectors of fixed size")]

use crate::bone::{Bone, BonePose};
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, add, length, unit};

/// Vertices in one pose, in the model's own space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The position of each vertex.
    pub positions: Vec<[f32; 3]>,
    /// The normal of each vertex: the sum over its influences. Its length differs from 1 if the root is
    /// scaled or if several influences have different directions.
    pub normals: Vec<[f32; 3]>,
}

/// Computes the model-space matrices of a pose: the parent's matrix times each bone's. A parent that does not come
/// before its child is ignored.
pub(crate) fn concatenate(bones: &[Bone], pose: &[BonePose], out: &mut Vec<Affine64>) {
    out.clear();
    for (bone, local) in bones.iter().zip(pose) {
        let local = Affine64::from(local);
        let parent = bone.parent().and_then(|p| out.get(p));
        out.push(parent.map_or(local, |parent| parent.after(&local)));
    }
}

/// Applies the linear part of a matrix to a vector.
#[cfg(feature = "scene")]
#[inline]
pub(crate) fn rotate_normal(m: &Affine64, [a, b, c]: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = [m.x, m.y, m.z];
    [x[0] * a + y[0] * b + z[0] * c, x[1] * a + y[1] * b + z[1] * c, x[2] * a + y[2] * b + z[2] * c]
}

/// Applies the linear part of a matrix to a vector, and adds `weight` times the translation.
#[cfg(feature = "scene")]
#[inline]
pub(crate) fn weighted(m: &Affine64, v: [f64; 3], weight: f64) -> [f64; 3] {
    let ([x, y, z], t) = (rotate_normal(m, v), m.w);
    [x + weight * t[0], y + weight * t[1], z + weight * t[2]]
}

/// A sum of vectors below this fraction of their lengths is only rounding error.
const NOISE: f64 = 2.0e-5;

/// A sum of vectors, with the sum of their lengths to detect that they cancel out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    pub vector: [f64; 3],
    /// The sum of the lengths of its parts.
    pub lengths: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, v: [f64; 3]) {
        self.vector = add(self.vector, v);
        self.lengths += length(v);
    }

    /// Returns the direction of the sum, or `None` if the vectors cancel out.
    #[inline]
    pub(crate) fn direction(&self) -> Option<[f64; 3]> {
        unit(self.vector).filter(|_| length(self.vector) > NOISE * self.lengths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_leaves_is_no_direction() {
        let sum = |parts: &[[f64; 3]]| {
            let mut sum = Sum::default();
            parts.iter().for_each(|p| sum.add(*p));
            sum.direction()
        };
        assert_eq!(sum(&[[3.0, 4.0, 0.0], [-3.0, -4.0, 3e-5]]), None);
        assert_eq!(sum(&[[0.0, 0.0, 2.0], [0.0; 3]]), Some([0.0, 0.0, 1.0]));
        assert_eq!(sum(&[[1.0, 0.0, 0.0], [-1.0, 0.0, 1e-3]]), Some([0.0, 0.0, 1.0]));
        assert_eq!(sum(&[[1e-30, 0.0, 0.0]]), Some([1.0, 0.0, 0.0]), "small is not cancelled");
        assert_eq!(sum(&[]), None);
    }
}
