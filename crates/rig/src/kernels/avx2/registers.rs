//! Output pointers, and loads and stores of matrices and vectors.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

use super::super::output::{Memory, Target};
use super::super::packed_matrix::Packed;
use core::arch::x86_64::*;
use core::hint::black_box;

/// The output of a kernel. Attributes that are not requested are never accessed.
#[derive(Clone, Copy)]
pub(super) struct Sink {
    pub(super) position: *mut u8,
    pub(super) normal: *mut u8,
    pub(super) tangent: *mut u8,
    pub(super) stride: usize,
}

impl Sink {
    /// Returns the start of each attribute, and true for arrays without gaps.
    pub(super) fn new(out: &mut Target<'_>) -> (Self, bool) {
        match &mut out.memory {
            Memory::Separate { positions, normals, tangents } => {
                let null = core::ptr::null_mut();
                let sink = Self {
                    position: positions.as_mut_ptr().cast(),
                    normal: normals.as_mut().map_or(null, |n| n.as_mut_ptr().cast()),
                    tangent: tangents.as_mut().map_or(null, |t| t.as_mut_ptr().cast()),
                    stride: 0,
                };
                (sink, true)
            }
            Memory::Interleaved { bytes, layout } => {
                let start = bytes.as_mut_ptr();
                let sink = Self {
                    position: start.wrapping_add(layout.position),
                    normal: start.wrapping_add(layout.normal.unwrap_or(0)),
                    tangent: start.wrapping_add(layout.tangent.unwrap_or(0)),
                    stride: layout.stride,
                };
                (sink, false)
            }
        }
    }

    /// Skips `count` vertices.
    pub(super) fn behind<const DENSE: bool>(self, count: usize) -> Self {
        Self {
            position: self.position.wrapping_add(count * self.step::<DENSE>(12)),
            normal: self.normal.wrapping_add(count * self.step::<DENSE>(12)),
            tangent: self.tangent.wrapping_add(count * self.step::<DENSE>(16)),
            stride: self.stride,
        }
    }

    pub(super) const fn step<const DENSE: bool>(self, size: usize) -> usize {
        if DENSE { size } else { self.stride }
    }
}

/// `[x | y]` and `[z | w]`.
pub(super) type Pair = (__m256, __m256);

/// Loads the matrix at a scaled index.
///
/// # Safety
/// The index is that of an existing matrix.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn load(matrices: *const Packed, scaled: usize) -> Pair {
    // SAFETY: by this function's contract 64 bytes can be read.
    unsafe {
        let at: *const f32 = matrices.byte_add(scaled * 8).cast();
        (_mm256_load_ps(at), _mm256_load_ps(at.add(8)))
    }
}

/// Multiplies a vector, with its fourth component, by a matrix in pairs. The caller must add neighbouring
/// results.
///
/// Loads spread two floats at a time, because the shuffle unit is the bottleneck.
///
/// # Safety
/// Three floats can be read.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn products((a, b): Pair, v: *const f32, fourth: __m256) -> __m256 {
    // SAFETY: by this function's contract; the loads need no alignment.
    let (xy, z) = unsafe { (broadcast2(v), _mm256_broadcast_ss(&*v.add(2))) };
    let zw = _mm256_blend_ps::<0b1010_1010>(z, fourth);
    _mm256_fmadd_ps(a, xy, _mm256_mul_ps(b, zw))
}

/// # Safety
/// Eight bytes can be read.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn broadcast2(at: *const f32) -> __m256 {
    // SAFETY: by this function's contract.
    _mm256_castpd_ps(_mm256_set1_pd(unsafe { at.cast::<f64>().read_unaligned() }))
}

/// Returns the sums of neighbours: three of `a` in the low half, three of `b` in the high half.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn sums(a: __m256, b: __m256, order: __m256i) -> __m256 {
    let even = _mm256_shuffle_ps::<0b10_00_10_00>(a, b);
    let odd = _mm256_shuffle_ps::<0b11_01_11_01>(a, b);
    _mm256_permutevar8x32_ps(_mm256_add_ps(even, odd), order)
}

/// Returns the permutation of [`sums`]. It is hidden from the compiler, which would replace one shuffle
/// across halves by three others and slower additions.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn order() -> __m256i {
    black_box(_mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7))
}

/// Stores three floats. If `more`, it stores sixteen bytes; the next store overwrites the last four.
///
/// # Safety
/// Twelve bytes can be written; sixteen if `more`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn store3(at: *mut u8, v: __m128, more: bool) {
    // SAFETY: by this function's contract.
    unsafe {
        if more {
            _mm_storeu_ps(at.cast(), v);
        } else {
            _mm_storel_epi64(at.cast(), _mm_castps_si128(v));
            at.add(8).cast::<i32>().write_unaligned(_mm_extract_ps::<2>(v));
        }
    }
}

/// # Safety
/// Sixteen bytes can be read and written.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn tangent(pair: Pair, from: *const f32, to: *mut u8, order: __m256i) {
    // SAFETY: by this function's contract.
    unsafe {
        let t = products(pair, from, _mm256_setzero_ps());
        let turned = _mm256_castps256_ps128(sums(t, t, order));
        _mm_storeu_ps(to.cast(), _mm_blend_ps::<0b1000>(turned, _mm_loadu_ps(from)));
    }
}
