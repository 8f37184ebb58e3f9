//! Bones in model space, and what is skinned by them, in 64 bits.
#![allow(clippy::arithmetic_side_effects, reason = "vectors of fixed size")]

use crate::bone::{Bone, BonePose};
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, add, length, unit};

/// Vertices in one pose, in the model's own space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// A position per vertex.
    pub positions: Vec<[f32; 3]>,
    /// A normal per vertex, as the sum over its influences gives it: of other length than 1 where the root is
    /// scaled or influences bend.
    pub normals: Vec<[f32; 3]>,
}

/// Model-space matrices of a pose: each bone's matrix after its parent's. Parents that do not come before
/// their children count as none.
pub(crate) fn concatenate(bones: &[Bone], pose: &[BonePose], out: &mut Vec<Affine64>) {
    out.clear();
    for (bone, local) in bones.iter().zip(pose) {
        let local = Affine64::from(local);
        let parent = bone.parent().and_then(|p| out.get(p));
        out.push(parent.map_or(local, |parent| parent.after(&local)));
    }
}

/// The linear part applied to a vector.
#[cfg(feature = "scene")]
#[inline]
pub(crate) fn rotate_normal(m: &Affine64, [a, b, c]: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = [m.x, m.y, m.z];
    [x[0] * a + y[0] * b + z[0] * c, x[1] * a + y[1] * b + z[1] * c, x[2] * a + y[2] * b + z[2] * c]
}

/// The linear part applied to a vector, plus `weight` times the translation.
#[cfg(feature = "scene")]
#[inline]
pub(crate) fn weighted(m: &Affine64, v: [f64; 3], weight: f64) -> [f64; 3] {
    let ([x, y, z], t) = (rotate_normal(m, v), m.w);
    [x + weight * t[0], y + weight * t[1], z + weight * t[2]]
}

/// A sum of vectors below this share of their lengths is what rounding leaves of vectors that cancel.
const NOISE: f64 = 2.0e-5;

/// A sum of vectors that knows whether its parts cancel.
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

    /// The direction of the sum; none where the parts cancel.
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
