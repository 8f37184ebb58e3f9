//! Runs of vertices with one matrix: eight at a time, each component in its own register.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

use super::super::layout::{Data, Run, Soa};
use super::super::packed_matrix::Packed;
use super::registers::{Sink, load, order, tangent};
use core::arch::x86_64::*;
use core::ops::Range;

/// # Safety
/// 1 to 4 of the module's documentation.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn fill_runs<const N: bool, const T: bool, const DENSE: bool>(
    data: &Data,
    matrices: &[Packed],
    (runs, positions, normals): (&[Run], &Soa, &Soa),
    range: Range<usize>,
    sink: Sink,
) {
    // The first run begins at vertex 0, so every vertex has a run.
    let mut next = runs.partition_point(|r| r.first <= range.start);
    let mut from = range.start;
    while from < range.end {
        let to = runs.get(next).map_or(range.end, |r| r.first.min(range.end));
        let matrix = &matrices[runs[next - 1].matrix];
        let k = from - range.start;
        // SAFETY: `from..to` is within the range (3, 4), and the arrays of components have eight floats more than
        // vertices.
        unsafe {
            let step = sink.step::<DENSE>(12);
            run::<true, DENSE>(matrix, positions, from..to, sink.position.add(k * step), step);
            if N {
                run::<false, DENSE>(matrix, normals, from..to, sink.normal.add(k * step), step);
            }
            if T {
                let step = sink.step::<DENSE>(16);
                let (pair, order) = (load(&matrix.in_pairs(), 0), order());
                for v in from..to {
                    let at = data.tangents().as_ptr().add(v).cast();
                    tangent(pair, at, sink.tangent.add((v - range.start) * step), order);
                }
            }
        }
        (from, next) = (to, next + 1);
    }
}

/// Skins vertices with one matrix, eight at a time.
///
/// # Safety
/// Each array has eight floats more than `range.end`, and there is room for the range at `out`.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn run<const POINT: bool, const DENSE: bool>(
    m: &Packed,
    soa: &Soa,
    range: Range<usize>,
    out: *mut u8,
    step: usize,
) {
    let [xx, xy, xz, _] = m.x.to_array().map(|c| _mm256_set1_ps(c));
    let [yx, yy, yz, _] = m.y.to_array().map(|c| _mm256_set1_ps(c));
    let [zx, zy, zz, _] = m.z.to_array().map(|c| _mm256_set1_ps(c));
    let [wx, wy, wz, _] = m.w.to_array().map(|c| _mm256_set1_ps(c));
    let (px, py, pz) = (soa.x.as_ptr(), soa.y.as_ptr(), soa.z.as_ptr());
    let eight = |v: usize| {
        // SAFETY: `v` is in the range, so eight floats follow.
        let (x, y, z) =
            unsafe { (_mm256_loadu_ps(px.add(v)), _mm256_loadu_ps(py.add(v)), _mm256_loadu_ps(pz.add(v))) };
        let row = |a, b, c, d| {
            let sum = if POINT { _mm256_fmadd_ps(x, a, d) } else { _mm256_mul_ps(x, a) };
            _mm256_fmadd_ps(z, c, _mm256_fmadd_ps(y, b, sum))
        };
        interleave(row(xx, yx, zx, wx), row(xy, yy, zy, wy), row(xz, yz, zz, wz))
    };
    let mut v = range.start;
    // SAFETY: there is room for every vertex of the range.
    unsafe {
        if DENSE && range.len() >= 8 {
            let store = |v: usize, at: *mut u8| {
                for (i, part) in eight(v).into_iter().enumerate() {
                    _mm256_storeu_ps(at.cast::<f32>().add(8 * i), part);
                }
            };
            let last = range.end - 8;
            store(v, out);
            // The second eight begin at an aligned address, if floats are aligned: eight points are three registers.
            let words = out.addr() / 4 % 8;
            let ahead = (5 * words) % 8;
            let ahead = if ahead == 0 { 8 } else { ahead };
            v += ahead;
            let mut at = out.wrapping_add(12 * ahead);
            while v < last {
                store(v, at);
                (v, at) = (v + 8, at.wrapping_add(96));
            }
            // The last eight overlap those before, which are computed again with the same result.
            store(last, out.add((last - range.start) * 12));
            return;
        }
        while v < range.end {
            let mut few = [0.0_f32; 24];
            for (eight, part) in few.as_chunks_mut::<8>().0.iter_mut().zip(eight(v)) {
                _mm256_storeu_ps(eight.as_mut_ptr(), part);
            }
            for (p, v) in few.as_chunks::<3>().0.iter().zip(v..range.end) {
                out.add((v - range.start) * step).cast::<[f32; 3]>().write_unaligned(*p);
            }
            v += 8;
        }
    }
}

/// Interleaves eight points: 24 floats in order.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn interleave(x: __m256, y: __m256, z: __m256) -> [__m256; 3] {
    let xy = _mm256_shuffle_ps::<0b10_00_10_00>(x, y);
    let yz = _mm256_shuffle_ps::<0b11_01_11_01>(y, z);
    let zx = _mm256_shuffle_ps::<0b11_01_10_00>(z, x);
    // The first and fourth, second and fifth, third and sixth quarter of the result.
    let a = _mm256_shuffle_ps::<0b10_00_10_00>(xy, zx);
    let b = _mm256_shuffle_ps::<0b11_01_10_00>(yz, xy);
    let c = _mm256_shuffle_ps::<0b11_01_11_01>(zx, yz);
    [
        _mm256_permute2f128_ps::<0x20>(a, b),
        _mm256_blend_ps::<0xf0>(c, a),
        _mm256_permute2f128_ps::<0x31>(b, c),
    ]
}
