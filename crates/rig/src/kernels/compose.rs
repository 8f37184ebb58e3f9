//! Computes matrices from local transforms: the portable version, and the types that all versions share.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

use super::lanes;
use crate::hierarchy::{Origin, Step, mean};
use crate::joint_pose::Group;
use crate::matrix::Matrix;
use glam::{Affine3A, Mat3A, Vec3A};

/// An inverse bind matrix. It is also stored spread over register halves: rows 1 to 3 of columns x and y,
/// then of column z and the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Bind {
    pub(super) spread: [[f32; 8]; 6],
    matrix: Affine3A,
}

impl Bind {
    pub(crate) fn new(m: &Affine3A) -> Self {
        let [x, y, z, w] = m.columns().map(|c| c.to_array());
        let pair = |a: [f32; 4], b: [f32; 4], row: usize| {
            let (a, b) = (a[row], b[row]);
            [a, a, a, a, b, b, b, b]
        };
        let spread =
            [pair(x, y, 0), pair(x, y, 1), pair(x, y, 2), pair(z, w, 0), pair(z, w, 1), pair(z, w, 2)];
        Self { spread, matrix: *m }
    }
}

/// Returns the product of two transforms by glam.
pub(super) fn product(a: &Affine3A, b: &Affine3A) -> Affine3A {
    *a * *b
}

/// Computes model-space matrices and palette. `product` multiplies two transforms.
#[inline]
pub(super) fn compose(
    product: impl Fn(&Affine3A, &Affine3A) -> Affine3A,
    steps: &[Step],
    groups: &[Group],
    bind: &[Bind],
    model: &mut [Affine3A],
    palette: &mut [Affine3A],
) {
    for ((steps, bind), group) in steps.chunks(8).zip(bind.chunks(8)).zip(groups) {
        let rows = lanes::matrices(group);
        for (i, (step, bind)) in steps.iter().zip(bind).enumerate() {
            let column = |c: usize| Vec3A::new(rows[c].0[i], rows[c + 1].0[i], rows[c + 2].0[i]);
            let local = Affine3A {
                matrix3: Mat3A::from_cols(column(0), column(3), column(6)),
                translation: column(9),
            };
            let m = match &step.origin {
                Origin::Root => local,
                Origin::Parent(p) => product(&model[*p], &local),
                Origin::Mean(parts) => mean(parts, model),
            };
            model[step.joint] = m;
            palette[step.joint] = product(&m, &bind.matrix);
        }
    }
}
