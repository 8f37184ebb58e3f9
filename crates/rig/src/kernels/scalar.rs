//! The portable kernels. They run wherever Rust does; glam uses SSE2, NEON or WebAssembly's SIMD where there
//! is any. Kernels for machines that multiply and add in one step are the same with another [`Arithmetic`].
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

use super::layout::{BLOCK, Blends, Data, Layout, Run, Segment, TABLE, unscale};
use super::output::{Interleaved, Memory, Target, put};
use super::packed::Packed;
use core::ops::Range;
use glam::{Vec4, Vec4Swizzles};

/// What a kernel writes to: vertices counted from the start of its range.
trait Sink {
    fn position(&mut self, v: usize, p: Vec4);
    fn normal(&mut self, v: usize, n: Vec4);
    fn tangent(&mut self, v: usize, t: [f32; 4]);
}

struct Separate<'a> {
    positions: &'a mut [[f32; 3]],
    normals: &'a mut [[f32; 3]],
    tangents: &'a mut [[f32; 4]],
}

impl Sink for Separate<'_> {
    #[inline]
    fn position(&mut self, v: usize, p: Vec4) {
        self.positions[v] = p.xyz().into();
    }

    #[inline]
    fn normal(&mut self, v: usize, n: Vec4) {
        self.normals[v] = n.xyz().into();
    }

    #[inline]
    fn tangent(&mut self, v: usize, t: [f32; 4]) {
        self.tangents[v] = t;
    }
}

struct Strided<'a> {
    bytes: &'a mut [u8],
    layout: Interleaved,
}

impl Strided<'_> {
    #[inline]
    fn put<const N: usize>(&mut self, v: usize, at: Option<usize>, values: &[f32; N]) {
        let start = v * self.layout.stride;
        if let (Some(at), Some(vertex)) = (at, self.bytes.get_mut(start..start + self.layout.stride)) {
            put(vertex, at, values);
        }
    }
}

impl Sink for Strided<'_> {
    #[inline]
    fn position(&mut self, v: usize, p: Vec4) {
        self.put(v, Some(self.layout.position), &p.xyz().to_array());
    }

    #[inline]
    fn normal(&mut self, v: usize, n: Vec4) {
        self.put(v, self.layout.normal, &n.xyz().to_array());
    }

    #[inline]
    fn tangent(&mut self, v: usize, t: [f32; 4]) {
        self.put(v, self.layout.tangent, &t);
    }
}

/// How products are added.
pub(super) trait Arithmetic {
    fn point(m: &Packed, p: [f32; 3]) -> Vec4;
    fn vector(m: &Packed, v: [f32; 3]) -> Vec4;
    /// A sum of matrices and one more, weighted.
    fn plus(sum: &Packed, m: &Packed, weight: f32) -> Packed;
    /// A sum and the weighted point of a record.
    fn local(sum: Vec4, m: &Packed, record: &[f32; 8]) -> Vec4;
    /// A sum and the weighted normal of a record.
    fn local_normal(sum: Vec4, m: &Packed, record: &[f32; 8]) -> Vec4;
}

/// Products are rounded before they are added, as on every machine.
pub(super) struct Separately;

impl Arithmetic for Separately {
    #[inline]
    fn point(m: &Packed, p: [f32; 3]) -> Vec4 {
        m.x * p[0] + m.y * p[1] + (m.z * p[2] + m.w)
    }

    #[inline]
    fn vector(m: &Packed, v: [f32; 3]) -> Vec4 {
        m.x * v[0] + m.y * v[1] + m.z * v[2]
    }

    #[inline]
    fn plus(sum: &Packed, m: &Packed, weight: f32) -> Packed {
        Packed {
            x: sum.x + m.x * weight,
            y: sum.y + m.y * weight,
            z: sum.z + m.z * weight,
            w: sum.w + m.w * weight,
        }
    }

    #[inline]
    fn local(sum: Vec4, m: &Packed, r: &[f32; 8]) -> Vec4 {
        sum + (m.x * r[0] + m.y * r[1] + (m.z * r[2] + m.w * r[3]))
    }

    #[inline]
    fn local_normal(sum: Vec4, m: &Packed, r: &[f32; 8]) -> Vec4 {
        sum + Self::vector(m, [r[4], r[5], r[6]])
    }
}

/// A weighted sum of matrices.
#[inline]
fn sum<A: Arithmetic, I: Copy + Into<u32>>(matrices: &[Packed], joints: &[I], weights: &[f32]) -> Packed {
    let mut parts = joints.iter().zip(weights);
    let Some((&joint, &weight)) = parts.next() else { return Packed::default() };
    let Packed { x, y, z, w } = matrices[unscale(joint.into())];
    let first = Packed { x: x * weight, y: y * weight, z: z * weight, w: w * weight };
    parts.fold(first, |m, (&joint, &weight)| A::plus(&m, &matrices[unscale(joint.into())], weight))
}

pub(super) fn skin<A: Arithmetic>(
    data: &Data,
    matrices: &[Packed],
    range: Range<usize>,
    out: &mut Target<'_>,
) {
    let wants = out.wants();
    let has = (wants.normals, wants.tangents);
    match &mut out.memory {
        Memory::Separate { positions, normals, tangents } => {
            let sink = Separate {
                positions,
                normals: normals.as_deref_mut().unwrap_or_default(),
                tangents: tangents.as_deref_mut().unwrap_or_default(),
            };
            fill::<A>(data, matrices, range, has, sink);
        }
        Memory::Interleaved { bytes, layout } => {
            fill::<A>(data, matrices, range, has, Strided { bytes, layout: *layout });
        }
    }
}

fn fill<A: Arithmetic>(
    data: &Data,
    matrices: &[Packed],
    range: Range<usize>,
    has: (bool, bool),
    mut sink: impl Sink,
) {
    let start = range.start;
    let mut bound = |v: usize, m: &Packed| {
        sink.position(v - start, A::point(m, data.positions()[v]));
        if has.0 {
            sink.normal(v - start, A::vector(m, data.normals()[v]));
        }
        if has.1 {
            let t = data.tangents()[v];
            let [x, y, z] = A::vector(m, [t[0], t[1], t[2]]).xyz().to_array();
            sink.tangent(v - start, [x, y, z, t[3]]);
        }
    };
    match data.layout() {
        Layout::Indexed(index) => {
            for (v, &i) in range.clone().zip(&index[range]) {
                bound(v, &matrices[unscale(i)]);
            }
        }
        Layout::Runs { runs, .. } => fill_runs(runs, matrices, range, bound),
        Layout::Fixed { width, joints, weights } => {
            let of = range.start * width..range.end * width;
            let (joints, weights) = (&joints[of.clone()], &weights[of]);
            match width {
                2 => fill_fixed::<A, 2>((joints, weights), matrices, start, bound),
                3 => fill_fixed::<A, 3>((joints, weights), matrices, start, bound),
                _ => fill_fixed::<A, 4>((joints, weights), matrices, start, bound),
            }
        }
        Layout::Many(blends) => {
            for v in range {
                let (joints, weights) = blends.of(v);
                bound(v, &sum::<A, _>(matrices, joints, weights));
            }
        }
        Layout::Table { blends, tables, index, .. } => {
            fill_tables::<A>(blends, (tables, index), matrices, range, bound);
        }
        Layout::Local { segments, blocks, order, joints, records } => {
            let of = blocks[range.start / BLOCK]..blocks[range.end.div_ceil(BLOCK)];
            fill_local::<A>(&segments[of], (order, joints, records), matrices, |v, p, n| {
                sink.position(v - start, p);
                if has.0 {
                    sink.normal(v - start, n);
                }
            });
        }
    }
}

/// Vertices of `K` weighted matrices each.
#[inline]
fn fill_fixed<A: Arithmetic, const K: usize>(
    (joints, weights): (&[u16], &[f32]),
    matrices: &[Packed],
    start: usize,
    mut bound: impl FnMut(usize, &Packed),
) {
    let parts = joints.as_chunks::<K>().0.iter().zip(weights.as_chunks::<K>().0);
    for (k, (joints, weights)) in parts.enumerate() {
        bound(start + k, &sum::<A, _>(matrices, joints, weights));
    }
}

/// Vertices that follow one matrix for a while.
#[inline]
fn fill_runs(runs: &[Run], matrices: &[Packed], range: Range<usize>, mut bound: impl FnMut(usize, &Packed)) {
    each_run(runs, matrices, range, |matrix, vertices| {
        for v in vertices {
            bound(v, matrix);
        }
    });
}

/// The vertices of a range that follow one matrix, and the next.
#[inline]
pub(super) fn each_run(
    runs: &[Run],
    matrices: &[Packed],
    range: Range<usize>,
    mut run: impl FnMut(&Packed, Range<usize>),
) {
    // The first run begins at vertex 0, so that there is one before or at every vertex.
    let mut next = runs.partition_point(|r| r.first <= range.start);
    let mut v = range.start;
    while v < range.end {
        let end = runs.get(next).map_or(range.end, |r| r.first.min(range.end));
        run(&matrices[runs[next - 1].matrix], v..end);
        (v, next) = (end, next + 1);
    }
}

/// Vertices whose blends are computed once for each table.
#[inline]
fn fill_tables<A: Arithmetic>(
    blends: &Blends,
    (tables, index): (&[usize], &[u16]),
    matrices: &[Packed],
    range: Range<usize>,
    mut bound: impl FnMut(usize, &Packed),
) {
    let mut table = [Packed::default(); TABLE];
    for from in range.clone().step_by(TABLE) {
        let to = range.end.min(from + TABLE);
        let first = tables[from / TABLE];
        for (b, slot) in (first..tables[from / TABLE + 1]).zip(&mut table) {
            let (joints, weights) = blends.of(b);
            *slot = sum::<A, _>(matrices, joints, weights);
        }
        for (v, &i) in (from..to).zip(&index[from..to]) {
            bound(v, &table[unscale(i.into())]);
        }
    }
}

/// Vertices that each matrix sees in its own space; `put` takes number, position and normal.
#[inline]
fn fill_local<A: Arithmetic>(
    segments: &[Segment],
    (order, joints, records): (&[u32], &[u32], &[[f32; 8]]),
    matrices: &[Packed],
    mut put: impl FnMut(usize, Vec4, Vec4),
) {
    for segment in segments {
        for k in 0..segment.len {
            let at = segment.first + k;
            let v = if segment.scattered { order[at] as usize } else { at };
            let of = segment.record + k * segment.width..segment.record + (k + 1) * segment.width;
            let (mut p, mut n) = (Vec4::ZERO, Vec4::ZERO);
            for (r, &j) in records[of.clone()].iter().zip(&joints[of]) {
                let m = &matrices[unscale(j)];
                p = A::local(p, m, r);
                n = A::local_normal(n, m, r);
            }
            put(v, p, n);
        }
    }
}
