//! The portable kernels. glam uses SSE2, NEON or WebAssembly SIMD in them if available. Kernels with fused
//! multiply-add are the same with another [`Arithmetic`].
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

use super::layout::{BLOCK, Blends, Data, Layout, Run, Segment, TABLE, unscale};
use super::output::{InterleavedLayout, Memory, Target, write_floats};
use super::packed_matrix::Packed;
use core::ops::Range;
use glam::{Vec4, Vec4Swizzles};

/// The output of a kernel. Vertices are counted from the start of its range.
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
    layout: InterleavedLayout,
}

impl Strided<'_> {
    #[inline]
    fn write<const N: usize>(&mut self, v: usize, at: Option<usize>, values: &[f32; N]) {
        let start = v * self.layout.stride;
        if let (Some(at), Some(vertex)) = (at, self.bytes.get_mut(start..start + self.layout.stride)) {
            write_floats(vertex, at, values);
        }
    }
}

impl Sink for Strided<'_> {
    #[inline]
    fn position(&mut self, v: usize, p: Vec4) {
        self.write(v, Some(self.layout.position), &p.xyz().to_array());
    }

    #[inline]
    fn normal(&mut self, v: usize, n: Vec4) {
        self.write(v, self.layout.normal, &n.xyz().to_array());
    }

    #[inline]
    fn tangent(&mut self, v: usize, t: [f32; 4]) {
        self.write(v, self.layout.tangent, &t);
    }
}

/// The rounding of products and sums.
pub(super) trait Arithmetic {
    fn point(m: &Packed, p: [f32; 3]) -> Vec4;
    fn vector(m: &Packed, v: [f32; 3]) -> Vec4;
    /// Adds a weighted matrix to a sum.
    fn plus(sum: &Packed, m: &Packed, weight: f32) -> Packed;
    /// Adds the weighted point of a record to a sum.
    fn local(sum: Vec4, m: &Packed, record: &[f32; 8]) -> Vec4;
    /// Adds the weighted normal of a record to a sum.
    fn local_normal(sum: Vec4, m: &Packed, record: &[f32; 8]) -> Vec4;
}

/// Products are rounded before they are added.
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

/// Returns a weighted sum of matrices.
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
    match (wants.normals, wants.tangents) {
        (false, false) => skin_into::<A, false, false>(data, matrices, range, out),
        (true, false) => skin_into::<A, true, false>(data, matrices, range, out),
        (false, true) => skin_into::<A, false, true>(data, matrices, range, out),
        (true, true) => skin_into::<A, true, true>(data, matrices, range, out),
    }
}

/// Skins with normals if `N`, and with tangents if `T`.
fn skin_into<A: Arithmetic, const N: bool, const T: bool>(
    data: &Data,
    matrices: &[Packed],
    range: Range<usize>,
    out: &mut Target<'_>,
) {
    match &mut out.memory {
        Memory::Separate { positions, normals, tangents } => {
            let sink = Separate {
                positions,
                normals: normals.as_deref_mut().unwrap_or_default(),
                tangents: tangents.as_deref_mut().unwrap_or_default(),
            };
            fill::<A, N, T>(data, matrices, range, sink);
        }
        Memory::Interleaved { bytes, layout } => {
            fill::<A, N, T>(data, matrices, range, Strided { bytes, layout: *layout });
        }
    }
}

/// The vertices of a range in the bind pose, and their output.
struct Bound<'d, S, const N: bool, const T: bool> {
    positions: &'d [[f32; 3]],
    normals: &'d [[f32; 3]],
    tangents: &'d [[f32; 4]],
    sink: S,
}

impl<S: Sink, const N: bool, const T: bool> Bound<'_, S, N, T> {
    /// Moves a vertex, counted from the start of the range, by a matrix.
    #[inline(always)]
    fn move_vertex<A: Arithmetic>(&mut self, v: usize, m: &Packed) {
        self.sink.position(v, A::point(m, self.positions[v]));
        if N {
            self.sink.normal(v, A::vector(m, self.normals[v]));
        }
        if T {
            let [x, y, z, w] = self.tangents[v];
            let [x, y, z] = A::vector(m, [x, y, z]).xyz().to_array();
            self.sink.tangent(v, [x, y, z, w]);
        }
    }
}

fn fill<A: Arithmetic, const N: bool, const T: bool>(
    data: &Data,
    matrices: &[Packed],
    range: Range<usize>,
    mut sink: impl Sink,
) {
    let start = range.start;
    if let Layout::Local { segments, blocks, order, joints, records } = data.layout() {
        let of = blocks[start / BLOCK]..blocks[range.end.div_ceil(BLOCK)];
        fill_local::<A>(&segments[of], (order, joints, records), matrices, |v, p, n| {
            sink.position(v - start, p);
            if N {
                sink.normal(v - start, n);
            }
        });
        return;
    }
    let mut bound = Bound::<_, N, T> {
        positions: &data.positions()[range.clone()],
        normals: if N { &data.normals()[range.clone()] } else { &[] },
        tangents: if T { &data.tangents()[range.clone()] } else { &[] },
        sink,
    };
    match data.layout() {
        Layout::Indexed(index) => {
            for (v, &i) in index[range].iter().enumerate() {
                bound.move_vertex::<A>(v, &matrices[unscale(i)]);
            }
        }
        Layout::Runs { runs, .. } => each_run(runs, matrices, range, |matrix, vertices| {
            for v in vertices {
                bound.move_vertex::<A>(v - start, matrix);
            }
        }),
        Layout::Fixed { width, joints, weights } => {
            let of = range.start * width..range.end * width;
            let parts = (&joints[of.clone()], &weights[of]);
            match width {
                2 => fill_fixed::<A, 2>(parts, matrices, |v, m| bound.move_vertex::<A>(v, m)),
                3 => fill_fixed::<A, 3>(parts, matrices, |v, m| bound.move_vertex::<A>(v, m)),
                _ => fill_fixed::<A, 4>(parts, matrices, |v, m| bound.move_vertex::<A>(v, m)),
            }
        }
        Layout::Many(blends) => {
            for v in range {
                let (joints, weights) = blends.parts(v);
                bound.move_vertex::<A>(v - start, &sum::<A, _>(matrices, joints, weights));
            }
        }
        Layout::Table { blends, tables, index, .. } => {
            let tables = (tables.as_slice(), index.as_slice());
            fill_tables::<A>(blends, tables, matrices, range, |v, m| bound.move_vertex::<A>(v - start, m));
        }
        Layout::Local { .. } => {}
    }
}

/// Skins vertices with `K` weighted matrices each.
#[inline]
fn fill_fixed<A: Arithmetic, const K: usize>(
    (joints, weights): (&[u16], &[f32]),
    matrices: &[Packed],
    mut bound: impl FnMut(usize, &Packed),
) {
    let parts = joints.as_chunks::<K>().0.iter().zip(weights.as_chunks::<K>().0);
    for (v, (joints, weights)) in parts.enumerate() {
        bound(v, &sum::<A, _>(matrices, joints, weights));
    }
}

/// Calls `run` for each run of vertices with one matrix.
#[inline]
pub(super) fn each_run(
    runs: &[Run],
    matrices: &[Packed],
    range: Range<usize>,
    mut run: impl FnMut(&Packed, Range<usize>),
) {
    // The first run begins at vertex 0, so every vertex has a run.
    let mut next = runs.partition_point(|r| r.first <= range.start);
    let mut v = range.start;
    while v < range.end {
        let end = runs.get(next).map_or(range.end, |r| r.first.min(range.end));
        run(&matrices[runs[next - 1].matrix], v..end);
        (v, next) = (end, next + 1);
    }
}

/// Skins vertices whose blends are computed once for each table.
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
            let (joints, weights) = blends.parts(b);
            *slot = sum::<A, _>(matrices, joints, weights);
        }
        for (v, &i) in (from..to).zip(&index[from..to]) {
            bound(v, &table[unscale(i.into())]);
        }
    }
}

/// Skins vertices in joint space; `put` takes number, position and normal.
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
