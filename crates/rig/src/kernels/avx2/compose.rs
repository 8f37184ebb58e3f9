//! Computes matrices from local transforms.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

use super::super::compose::Bind;
use super::super::lanes;
use super::super::packed_matrix::Packed;
use super::cpu_features::CpuFeatures;
use crate::hierarchy::{Origin, Step, mean};
use crate::joint_pose::{Group, Lanes};
use core::arch::x86_64::*;
use core::mem::offset_of;
use glam::{Affine3A, Mat3A};

// Four columns of sixteen bytes, in order. They are written and read as such here.
const _: () = assert!(size_of::<Affine3A>() == 64 && align_of::<Affine3A>() == 16);
const _: () = assert!(offset_of!(Affine3A, matrix3) == 0 && offset_of!(Affine3A, translation) == 48);
const _: () = assert!(offset_of!(Mat3A, y_axis) == 16 && offset_of!(Mat3A, z_axis) == 32);

/// Computes model-space matrices and palette.
pub(in crate::kernels) fn compose(
    _: CpuFeatures,
    steps: &[Step],
    groups: &[Group],
    bind: &[Bind],
    model: &mut [Affine3A],
    palette: &mut [Affine3A],
) {
    // SAFETY: `CpuFeatures` shows that the machine has the instructions.
    unsafe { compose_all(steps, groups, bind, model, palette) }
}

#[target_feature(enable = "avx2,fma")]
fn compose_all(
    steps: &[Step],
    groups: &[Group],
    bind: &[Bind],
    model: &mut [Affine3A],
    palette: &mut [Affine3A],
) {
    for ((steps, bind), group) in steps.chunks(8).zip(bind.chunks(8)).zip(groups) {
        let rows = lanes::matrices(group);
        for (i, (step, bind)) in steps.iter().zip(bind).enumerate() {
            let columns = match &step.origin {
                // SAFETY: four columns.
                Origin::Root => unsafe { child(&Packed::IDENTITY, &rows, i) },
                Origin::Parent(p) => {
                    let parent: *const Packed = (&raw const model[*p]).cast();
                    // SAFETY: 64 bytes that were stored below before, because parents come first; they are only
                    // read as four columns, aligned to sixteen bytes.
                    unsafe { child(parent, &rows, i) }
                }
                Origin::Mean(parts) => {
                    let m = Packed::new(&mean(parts, model));
                    [m.x, m.y, m.z, m.w].map(|c| {
                        let [x, y, z, w] = c.to_array();
                        _mm_setr_ps(x, y, z, w)
                    })
                }
            };
            let [x, y, z, w] = columns;
            let to: *mut f32 = (&raw mut model[step.joint]).cast();
            // SAFETY: a matrix is four columns of sixteen bytes each.
            unsafe {
                _mm_store_ps(to, x);
                _mm_store_ps(to.add(4), y);
                _mm_store_ps(to.add(8), z);
                _mm_store_ps(to.add(12), w);
            }
            let (xx, yy, zz) = (_mm256_set_m128(x, x), _mm256_set_m128(y, y), _mm256_set_m128(z, z));
            let spread = |k: usize| {
                let s: *const f32 = bind.spread[k].as_ptr();
                // SAFETY: eight floats.
                unsafe { _mm256_loadu_ps(s) }
            };
            let low =
                _mm256_fmadd_ps(xx, spread(0), _mm256_fmadd_ps(yy, spread(1), _mm256_mul_ps(zz, spread(2))));
            let w = _mm256_set_m128(w, _mm_setzero_ps());
            let high = _mm256_fmadd_ps(
                xx,
                spread(3),
                _mm256_fmadd_ps(yy, spread(4), _mm256_fmadd_ps(zz, spread(5), w)),
            );
            let to: *mut f32 = (&raw mut palette[step.joint]).cast();
            // SAFETY: a matrix is 64 bytes.
            unsafe {
                _mm256_storeu_ps(to, low);
                _mm256_storeu_ps(to.add(8), high);
            }
        }
    }
}

/// Returns the columns of `parent` times the matrix of lane `i`.
///
/// # Safety
/// `parent` points to four initialised columns, aligned to sixteen bytes.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn child(parent: *const Packed, rows: &[Lanes; 12], i: usize) -> [__m128; 4] {
    let p: *const f32 = parent.cast();
    // SAFETY: by this function's contract.
    let (px, py, pz, pw) =
        unsafe { (_mm_load_ps(p), _mm_load_ps(p.add(4)), _mm_load_ps(p.add(8)), _mm_load_ps(p.add(12))) };
    let row = |r: usize| _mm_broadcast_ss(&rows[r].0[i]);
    let column =
        |c: usize| _mm_fmadd_ps(px, row(c), _mm_fmadd_ps(py, row(c + 1), _mm_mul_ps(pz, row(c + 2))));
    let w = _mm_fmadd_ps(px, row(9), _mm_fmadd_ps(py, row(10), _mm_fmadd_ps(pz, row(11), pw)));
    [column(0), column(3), column(6), w]
}
