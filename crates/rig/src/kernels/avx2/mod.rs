//! The kernels for AVX2 and FMA: the only unsafe code of this crate on x86.
//!
//! A matrix is two registers, `[x | y]` and `[z | w]`. A vertex is loaded as sixteen bytes, its components are
//! spread over both halves, and the halves are added at the end. Dense results are stored sixteen bytes at a
//! time, each store overwriting the excess of the one before; the last vertex of a range stores twelve.
//!
//! What the unsafe blocks rely on, and where it is checked:
//!
//! 1. The machine has the instructions: [`CpuFeatures`] are created only after detecting them.
//! 2. Every matrix index of a layout is below `data.slots()`: [`Data`]'s constructors check it. There are
//!    that many matrices: `skin_range` in the module above checks it.
//! 3. Every vertex of the range has its entries in the arrays of the layout, and sixteen readable bytes in
//!    the arrays of attributes: [`Data`]'s constructors and `skin_range` check it.
//! 4. The target holds every wanted attribute of exactly the vertices of the range: `Output::fit` and
//!    `skin_range` check it.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

mod compose;
mod cpu_features;
mod registers;
mod runs;

pub(super) use compose::compose;
pub(super) use cpu_features::{CpuFeatures, with_registers};

use super::layout::{BLOCK, Blends, Data, Layout, Segment, TABLE};
use super::output::Target;
use super::packed_matrix::Packed;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;
use core::ops::Range;
use registers::{Pair, Sink, load, order, products, store3, sums, tangent};
use runs::fill_runs;

/// Skins a range of vertices. The caller has compared the lengths.
pub(super) fn skin(
    _: CpuFeatures,
    data: &Data,
    matrices: &[Packed],
    range: Range<usize>,
    out: &mut Target<'_>,
) {
    let wants = out.wants();
    let (sink, dense) = Sink::new(out);
    // SAFETY: 1 to 4.
    unsafe {
        match (wants.normals, wants.tangents, dense) {
            (false, false, true) => fill::<false, false, true>(data, matrices, range, sink),
            (true, false, true) => fill::<true, false, true>(data, matrices, range, sink),
            (false, true, true) => fill::<false, true, true>(data, matrices, range, sink),
            (true, true, true) => fill::<true, true, true>(data, matrices, range, sink),
            (false, false, false) => fill::<false, false, false>(data, matrices, range, sink),
            (true, false, false) => fill::<true, false, false>(data, matrices, range, sink),
            (false, true, false) => fill::<false, true, false>(data, matrices, range, sink),
            (true, true, false) => fill::<true, true, false>(data, matrices, range, sink),
        }
    }
}

/// Normalises normals and tangents that are not 0.
pub(super) fn normalize(_: CpuFeatures, out: &mut Target<'_>) {
    let (wants, count) = (out.wants(), out.len());
    let (sink, dense) = Sink::new(out);
    let step = |size: usize| if dense { size } else { sink.stride };
    // SAFETY: 1 and 4; nothing of the other vertices is touched, because twelve bytes are read and written.
    unsafe {
        if wants.normals {
            normalize_all(sink.normal, step(12), count);
        }
        if wants.tangents {
            normalize_all(sink.tangent, step(16), count);
        }
    }
}

/// # Safety
/// 1 to 4 of the module's documentation.
#[target_feature(enable = "avx2,fma")]
unsafe fn fill<const N: bool, const T: bool, const DENSE: bool>(
    data: &Data,
    matrices: &[Packed],
    range: Range<usize>,
    sink: Sink,
) {
    let m = matrices.as_ptr();
    // SAFETY: `bound` requests vertices of the range only, and the arrays have entries for them (2, 3).
    unsafe {
        match data.layout() {
            Layout::Indexed(index) => {
                let index = index.as_ptr();
                bound::<N, T, DENSE>(data, range, sink, |v| load(m, *index.add(v) as usize));
            }
            Layout::Runs { runs, positions, normals } => {
                fill_runs::<N, T, DENSE>(data, matrices, (runs, positions, normals), range, sink);
            }
            Layout::Fixed { width, joints, weights } => {
                let (j, w) = (joints.as_ptr(), weights.as_ptr());
                match width {
                    2 => bound::<N, T, DENSE>(data, range, sink, |v| fixed::<2, u16>(m, j, w, v)),
                    3 => bound::<N, T, DENSE>(data, range, sink, |v| fixed::<3, u16>(m, j, w, v)),
                    _ => bound::<N, T, DENSE>(data, range, sink, |v| fixed::<4, u16>(m, j, w, v)),
                }
            }
            Layout::Many(blends) => bound::<N, T, DENSE>(data, range, sink, |v| {
                let (joints, weights) = blends.parts(v);
                sum(m, joints, weights)
            }),
            Layout::Table { blends, width, tables, index } => {
                let (blends, tables) = ((blends, *width), (&**tables, &**index));
                fill_tables::<N, T, DENSE>(data, m, blends, tables, range, sink);
            }
            Layout::Local { segments, blocks, order, joints, records } => {
                let of = blocks[range.start / BLOCK]..blocks[range.end.div_ceil(BLOCK)];
                for s in &segments[of] {
                    let order = if s.scattered { order[s.first..].as_ptr() } else { core::ptr::null() };
                    let source = Records {
                        order,
                        joints: joints[s.record..].as_ptr(),
                        records: records[s.record..].as_ptr(),
                    };
                    match s.width {
                        1 => local::<1, N, DENSE>(m, s, source, range.start, sink),
                        2 => local::<2, N, DENSE>(m, s, source, range.start, sink),
                        3 => local::<3, N, DENSE>(m, s, source, range.start, sink),
                        4 => local::<4, N, DENSE>(m, s, source, range.start, sink),
                        _ => local::<0, N, DENSE>(m, s, source, range.start, sink),
                    }
                }
            }
        }
    }
}

/// Skins vertices in model space. `matrix` returns the matrix of a vertex.
///
/// # Safety
/// 1 to 4 of the module's documentation.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn bound<const N: bool, const T: bool, const DENSE: bool>(
    data: &Data,
    range: Range<usize>,
    sink: Sink,
    matrix: impl Fn(usize) -> Pair,
) {
    let (positions, normals, tangents) =
        (data.positions().as_ptr(), data.normals().as_ptr(), data.tangents().as_ptr());
    let order = order();
    let vertex = |v: usize, more: bool| {
        let k = v - range.start;
        // SAFETY: `v` is in the range: sixteen bytes can be read (3), and the vertex can be written (4). `more` is
        // true only if another vertex follows.
        unsafe {
            let pair = matrix(v);
            let p = products(pair, positions.add(v).cast(), _mm256_set1_ps(1.0));
            let step = sink.step::<DENSE>(12);
            if N {
                let n = products(pair, normals.add(v).cast(), _mm256_setzero_ps());
                let both = sums(p, n, order);
                store3(sink.position.add(k * step), _mm256_castps256_ps128(both), more);
                store3(sink.normal.add(k * step), _mm256_extractf128_ps::<1>(both), more);
            } else {
                store3(sink.position.add(k * step), _mm256_castps256_ps128(sums(p, p, order)), more);
            }
            if T {
                tangent(pair, tangents.add(v).cast(), sink.tangent.add(k * sink.step::<DENSE>(16)), order);
            }
        }
    };
    let Some(last) = range.end.checked_sub(1) else { return };
    for v in range.start..last {
        vertex(v, DENSE);
    }
    vertex(last, false);
}

/// Returns the sum of the matrices of a vertex.
///
/// # Safety
/// The vertex has `K` indices and weights, and the indices are less than the number of matrices.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn fixed<const K: usize, I: Copy + Into<u32>>(
    m: *const Packed,
    joints: *const I,
    weights: *const f32,
    v: usize,
) -> Pair {
    // SAFETY: by this function's contract.
    unsafe {
        let (joints, weights) = (joints.add(v * K), weights.add(v * K));
        // The reads are volatile; otherwise the compiler loads the indices as one vector and separates them
        // by shuffles.
        let joint = |i: usize| joints.add(i).read_volatile().into() as usize;
        let w = _mm256_broadcast_ss(&*weights);
        let (a, b) = load(m, joint(0));
        let (mut a, mut b) = (_mm256_mul_ps(a, w), _mm256_mul_ps(b, w));
        for i in 1..K {
            let w = _mm256_broadcast_ss(&*weights.add(i));
            let (c, d) = load(m, joint(i));
            a = _mm256_fmadd_ps(c, w, a);
            b = _mm256_fmadd_ps(d, w, b);
        }
        (a, b)
    }
}

/// Returns the sum of weighted matrices; zero without any.
///
/// # Safety
/// All indices are those of existing matrices.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn sum(m: *const Packed, joints: &[u32], weights: &[f32]) -> Pair {
    let (mut a, mut b) = (_mm256_setzero_ps(), _mm256_setzero_ps());
    for (&joint, &weight) in joints.iter().zip(weights) {
        let w = _mm256_set1_ps(weight);
        // SAFETY: by this function's contract.
        let (c, d) = unsafe { load(m, joint as usize) };
        a = _mm256_fmadd_ps(c, w, a);
        b = _mm256_fmadd_ps(d, w, b);
    }
    (a, b)
}

/// # Safety
/// 1 to 4 of the module's documentation.
#[target_feature(enable = "avx2,fma")]
unsafe fn fill_tables<const N: bool, const T: bool, const DENSE: bool>(
    data: &Data,
    m: *const Packed,
    (blends, width): (&Blends, usize),
    (tables, index): (&[usize], &[u16]),
    range: Range<usize>,
    sink: Sink,
) {
    let mut table = [const { MaybeUninit::<Packed>::uninit() }; TABLE];
    let index = index.as_ptr();
    for from in range.clone().step_by(TABLE) {
        let to = range.end.min(from + TABLE);
        let of = tables[from / TABLE]..tables[from / TABLE + 1];
        let slots = &mut table[..of.len()];
        let (joints, weights) = blends.range(of.clone());
        let (j, w) = (joints.as_ptr(), weights.as_ptr());
        // SAFETY: every blend has `width` parts where that is not 0, and matrices where they point (2). The
        // vertices of a table name only blends of the table, which have all been written (3); the target is
        // that of the range, of which `from..to` is a part (4).
        unsafe {
            match width {
                2 => tabulate(slots, |b| fixed::<2, u32>(m, j, w, b)),
                3 => tabulate(slots, |b| fixed::<3, u32>(m, j, w, b)),
                4 => tabulate(slots, |b| fixed::<4, u32>(m, j, w, b)),
                _ => tabulate(slots, |b| {
                    let (joints, weights) = blends.parts(of.start + b);
                    sum(m, joints, weights)
                }),
            }
            let sink = sink.behind::<DENSE>(from - range.start);
            // The pointer is taken after the table is written, because a write through `table` invalidates
            // older pointers.
            let base: *const Packed = table.as_ptr().cast();
            bound::<N, T, DENSE>(data, from..to, sink, |v| load(base, usize::from(*index.add(v))));
        }
    }
}

/// Writes all matrices of a table.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn tabulate(table: &mut [MaybeUninit<Packed>], blend: impl Fn(usize) -> Pair) {
    for (b, slot) in table.iter_mut().enumerate() {
        let (x, y) = blend(b);
        let at: *mut f32 = slot.as_mut_ptr().cast();
        // SAFETY: a matrix is 64 bytes, aligned to 32.
        unsafe {
            _mm256_store_ps(at, x);
            _mm256_store_ps(at.add(8), y);
        }
    }
}

/// The records of one segment.
#[derive(Clone, Copy)]
struct Records {
    order: *const u32,
    joints: *const u32,
    records: *const [f32; 8],
}

/// Skins vertices in joint space, with `K` matrices each; if `K` is 0, with the number that the segment
/// states.
///
/// # Safety
/// 1 to 4 of the module's documentation.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn local<const K: usize, const N: bool, const DENSE: bool>(
    m: *const Packed,
    segment: &Segment,
    source: Records,
    start: usize,
    sink: Sink,
) {
    let width = if K == 0 { segment.width } else { K };
    let step = sink.step::<DENSE>(12);
    for k in 0..segment.len {
        // SAFETY: the segment has that many vertices and records (2, 3), all of them in the range (4).
        unsafe {
            let v = if segment.scattered { *source.order.add(k) as usize } else { segment.first + k };
            // Position in the low half, normal in the high one.
            let mut both = _mm256_setzero_ps();
            for i in k * width..(k + 1) * width {
                let at: *const f32 = m.byte_add(*source.joints.add(i) as usize * 8).cast();
                let r: *const f32 = source.records.add(i).cast();
                if N {
                    let r = _mm256_loadu_ps(r);
                    let axis = |c: usize| _mm256_broadcast_ps(&*at.add(4 * c).cast());
                    both = _mm256_fmadd_ps(axis(0), _mm256_permute_ps::<0x00>(r), both);
                    both = _mm256_fmadd_ps(axis(1), _mm256_permute_ps::<0x55>(r), both);
                    both = _mm256_fmadd_ps(axis(2), _mm256_permute_ps::<0xaa>(r), both);
                    both = _mm256_fmadd_ps(axis(3), _mm256_permute_ps::<0xff>(r), both);
                } else {
                    let r = _mm_loadu_ps(r);
                    let mut low = _mm256_castps256_ps128(both);
                    low = _mm_fmadd_ps(_mm_load_ps(at), _mm_permute_ps::<0x00>(r), low);
                    low = _mm_fmadd_ps(_mm_load_ps(at.add(4)), _mm_permute_ps::<0x55>(r), low);
                    low = _mm_fmadd_ps(_mm_load_ps(at.add(8)), _mm_permute_ps::<0xaa>(r), low);
                    low = _mm_fmadd_ps(_mm_load_ps(at.add(12)), _mm_permute_ps::<0xff>(r), low);
                    both = _mm256_castps128_ps256(low);
                }
            }
            let more = DENSE && !segment.scattered && k + 1 < segment.len;
            store3(sink.position.add((v - start) * step), _mm256_castps256_ps128(both), more);
            if N {
                store3(sink.normal.add((v - start) * step), _mm256_extractf128_ps::<1>(both), more);
            }
        }
    }
}

/// # Safety
/// `count` blocks of twelve bytes, `step` bytes apart, can be read and written.
#[target_feature(enable = "avx2,fma")]
unsafe fn normalize_all(mut at: *mut u8, step: usize, count: usize) {
    for _ in 0..count {
        // SAFETY: by this function's contract; the pointer is moved beyond the last without being used.
        unsafe {
            let low = _mm_castsi128_ps(_mm_loadl_epi64(at.cast()));
            let high = _mm_set_ss(at.add(8).cast::<f32>().read_unaligned());
            let v = _mm_movelh_ps(low, high);
            let rcp = _mm_div_ps(_mm_set1_ps(1.0), _mm_sqrt_ps(_mm_dp_ps::<0x7f>(v, v)));
            // Like glam's `try_normalize`: unchanged if the factor is infinite, zero or NaN.
            let usable = _mm_and_ps(
                _mm_cmplt_ps(_mm_setzero_ps(), rcp),
                _mm_cmplt_ps(rcp, _mm_set1_ps(f32::INFINITY)),
            );
            let factor = _mm_blendv_ps(_mm_set1_ps(1.0), rcp, usable);
            store3(at, _mm_mul_ps(v, factor), false);
        }
        at = at.wrapping_add(step);
    }
}
