//! The kernels for AVX2 and FMA: the only unsafe code of this crate.
//!
//! A matrix is two registers, `[x | y]` and `[z | w]`. A vertex is loaded as sixteen bytes, its components are
//! spread over both halves, and the halves are added at the end. Dense results are stored sixteen bytes at a
//! time, each store overwriting the excess of the one before; the last vertex of a range stores twelve.
//!
//! What the unsafe blocks rely on, and where it is checked:
//!
//! 1. the machine has the instructions: a [`Proof`] is only made after asking it;
//! 2. every matrix that a layout names lies below `data.slots()`: [`Data`]'s constructors; and there are that
//!    many matrices: `skin_range` in the module above;
//! 3. every vertex of the range has its entries in the arrays of the layout, and sixteen readable bytes in the
//!    arrays of attributes: [`Data`]'s constructors, and `skin_range`;
//! 4. the target holds every wanted attribute of exactly the vertices of the range: [`Output::fit`]
//!    (super::Output) and `skin_range`.

mod pose;
mod runs;

pub(super) use pose::{compose, with_registers};
use runs::fill_runs;

use super::layout::{Blends, Data, Layout, Segment, TABLE};
use super::output::{Memory, Target};
use super::{BLOCK, Packed};
use core::arch::x86_64::*;
use core::hint::black_box;
use core::mem::MaybeUninit;
use core::ops::Range;

/// That this machine has AVX2 and FMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Proof(());

impl Proof {
    /// Asks the machine, or without the feature `std` the build.
    pub(super) fn detect() -> Option<Self> {
        #[cfg(feature = "std")]
        let found = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
        #[cfg(not(feature = "std"))]
        let found = cfg!(all(target_feature = "avx2", target_feature = "fma"));
        found.then_some(Self(()))
    }
}

/// Skins a range of vertices; the caller compared the lengths.
pub(super) fn skin(_: Proof, data: &Data, matrices: &[Packed], range: Range<usize>, out: &mut Target<'_>) {
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

/// Gives normals and tangents the length 1 where they are not 0.
pub(super) fn normalize(_: Proof, out: &mut Target<'_>) {
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

/// Where vertices go. Attributes that are not wanted are never touched.
#[derive(Clone, Copy)]
struct Sink {
    position: *mut u8,
    normal: *mut u8,
    tangent: *mut u8,
    stride: usize,
}

impl Sink {
    /// The start of each attribute, and whether they lie densely.
    fn new(out: &mut Target<'_>) -> (Self, bool) {
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

    /// From the vertex `count` vertices later on.
    fn behind<const DENSE: bool>(self, count: usize) -> Self {
        Self {
            position: self.position.wrapping_add(count * self.step::<DENSE>(12)),
            normal: self.normal.wrapping_add(count * self.step::<DENSE>(12)),
            tangent: self.tangent.wrapping_add(count * self.step::<DENSE>(16)),
            stride: self.stride,
        }
    }

    const fn step<const DENSE: bool>(self, size: usize) -> usize {
        if DENSE { size } else { self.stride }
    }
}

/// `[x | y]` and `[z | w]`.
type Pair = (__m256, __m256);

/// The matrix at a scaled index.
///
/// # Safety
/// There is one.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn load(matrices: *const Packed, scaled: usize) -> Pair {
    // SAFETY: by this function's contract 64 bytes can be read.
    unsafe {
        let at: *const f32 = matrices.byte_add(scaled * 8).cast();
        (_mm256_load_ps(at), _mm256_load_ps(at.add(8)))
    }
}

/// The products of a vector's components and its fourth one with a matrix in pairs: what is still to be added
/// lies side by side.
///
/// Two floats at a time are spread by loads, which take no part of the shuffling that everything else here
/// competes for.
///
/// # Safety
/// Three floats can be read.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn products((a, b): Pair, v: *const f32, fourth: __m256) -> __m256 {
    // SAFETY: by this function's contract; the loads need no alignment.
    let (xy, z) = unsafe { (broadcast2(v), _mm256_broadcast_ss(&*v.add(2))) };
    let zw = _mm256_blend_ps::<0b1010_1010>(z, fourth);
    _mm256_fmadd_ps(a, xy, _mm256_mul_ps(b, zw))
}

/// # Safety
/// Eight bytes can be read.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn broadcast2(at: *const f32) -> __m256 {
    // SAFETY: by this function's contract.
    _mm256_castpd_ps(_mm256_set1_pd(unsafe { at.cast::<f64>().read_unaligned() }))
}

/// The sums of neighbours: three of `a` in the low half, three of `b` in the high one.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn sums(a: __m256, b: __m256, order: __m256i) -> __m256 {
    let even = _mm256_shuffle_ps::<0b10_00_10_00>(a, b);
    let odd = _mm256_shuffle_ps::<0b11_01_11_01>(a, b);
    _mm256_permutevar8x32_ps(_mm256_add_ps(even, odd), order)
}

/// How [`sums`] brings together what lies in both halves. The compiler is kept from knowing it: it would
/// replace one shuffle across the halves by three others and slower additions.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn order() -> __m256i {
    black_box(_mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7))
}

/// Stores three floats; where `more` is true sixteen bytes, of which the next store overwrites the last.
///
/// # Safety
/// So many bytes can be written.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn store3(at: *mut u8, v: __m128, more: bool) {
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
/// 1 to 4 of the module's documentation.
#[target_feature(enable = "avx2,fma")]
unsafe fn fill<const N: bool, const T: bool, const DENSE: bool>(
    data: &Data,
    matrices: &[Packed],
    range: Range<usize>,
    sink: Sink,
) {
    let m = matrices.as_ptr();
    // SAFETY: `bound` asks for vertices of the range only, and the arrays have entries for them (2, 3).
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
                let (joints, weights) = blends.of(v);
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

/// Vertices that are bound in model space; `matrix` answers that of a vertex.
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
        // SAFETY: `v` lies in the range, so that there are sixteen bytes to read (3) and room to write (4);
        // `more` is only true where another vertex follows.
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

/// # Safety
/// Sixteen bytes can be read and written.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn tangent(pair: Pair, from: *const f32, to: *mut u8, order: __m256i) {
    // SAFETY: by this function's contract.
    unsafe {
        let t = products(pair, from, _mm256_setzero_ps());
        let turned = _mm256_castps256_ps128(sums(t, t, order));
        _mm_storeu_ps(to.cast(), _mm_blend_ps::<0b1000>(turned, _mm_loadu_ps(from)));
    }
}

/// The sum of the matrices of a vertex.
///
/// # Safety
/// There are `K` indices and weights for it, and matrices where they point.
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
        // Volatile, or else the indices are loaded as one vector and taken apart again by shuffles.
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

/// The sum of weighted matrices; zero without any.
///
/// # Safety
/// There are matrices where the indices point.
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
                    let (joints, weights) = blends.of(of.start + b);
                    sum(m, joints, weights)
                }),
            }
            let sink = sink.behind::<DENSE>(from - range.start);
            // Taken after the table was written: writing through it anew ends what an older pointer may read.
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

/// Vertices that each matrix sees in its own space: `K` matrices each, or as many as the segment says.
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
/// There are `count` times twelve bytes, `step` apart.
#[target_feature(enable = "avx2,fma")]
unsafe fn normalize_all(mut at: *mut u8, step: usize, count: usize) {
    for _ in 0..count {
        // SAFETY: by this function's contract; the pointer is moved beyond the last without being used.
        unsafe {
            let low = _mm_castsi128_ps(_mm_loadl_epi64(at.cast()));
            let high = _mm_set_ss(at.add(8).cast::<f32>().read_unaligned());
            let v = _mm_movelh_ps(low, high);
            let rcp = _mm_div_ps(_mm_set1_ps(1.0), _mm_sqrt_ps(_mm_dp_ps::<0x7f>(v, v)));
            // As glam's `try_normalize`: left alone where the factor is infinite, zero or not a number.
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
