//! The portable kernels. They run wherever Rust does; glam uses SSE2, NEON or WebAssembly's SIMD where there
//! is any.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

use super::layout::{BLOCK, Blends, Data, Layout, Run, Segment, TABLE, unscale};
use super::output::{Interleaved, Memory, Target, put};
use super::packed::Packed;
use core::ops::Range;
use glam::{Vec3, Vec4, Vec4Swizzles};

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

impl Packed {
    #[inline]
    fn point(&self, p: [f32; 3]) -> Vec4 {
        self.x * p[0] + self.y * p[1] + (self.z * p[2] + self.w)
    }

    #[inline]
    fn vector(&self, v: [f32; 3]) -> Vec4 {
        self.x * v[0] + self.y * v[1] + self.z * v[2]
    }

    #[inline]
    fn times(&self, weight: f32) -> Self {
        Self { x: self.x * weight, y: self.y * weight, z: self.z * weight, w: self.w * weight }
    }

    #[inline]
    fn plus(&self, m: &Self, weight: f32) -> Self {
        Self {
            x: self.x + m.x * weight,
            y: self.y + m.y * weight,
            z: self.z + m.z * weight,
            w: self.w + m.w * weight,
        }
    }
}

/// A weighted sum of matrices.
#[inline]
fn sum<I: Copy + Into<u32>>(matrices: &[Packed], joints: &[I], weights: &[f32]) -> Packed {
    let mut parts = joints.iter().zip(weights);
    let Some((&joint, &weight)) = parts.next() else { return Packed::default() };
    let first = matrices[unscale(joint.into())].times(weight);
    parts.fold(first, |m, (&joint, &weight)| m.plus(&matrices[unscale(joint.into())], weight))
}

pub(super) fn skin(data: &Data, matrices: &[Packed], range: Range<usize>, out: &mut Target<'_>) {
    let wants = out.wants();
    let has = (wants.normals, wants.tangents);
    match &mut out.memory {
        Memory::Separate { positions, normals, tangents } => {
            let sink = Separate {
                positions,
                normals: normals.as_deref_mut().unwrap_or_default(),
                tangents: tangents.as_deref_mut().unwrap_or_default(),
            };
            fill(data, matrices, range, has, sink);
        }
        Memory::Interleaved { bytes, layout } => {
            fill(data, matrices, range, has, Strided { bytes, layout: *layout });
        }
    }
}

fn fill(data: &Data, matrices: &[Packed], range: Range<usize>, has: (bool, bool), mut sink: impl Sink) {
    let start = range.start;
    let mut bound = |v: usize, m: &Packed| {
        sink.position(v - start, m.point(data.positions()[v]));
        if has.0 {
            sink.normal(v - start, m.vector(data.normals()[v]));
        }
        if has.1 {
            let t = data.tangents()[v];
            let [x, y, z] = m.vector([t[0], t[1], t[2]]).xyz().to_array();
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
            for v in range {
                let of = v * width..(v + 1) * width;
                bound(v, &sum(matrices, &joints[of.clone()], &weights[of]));
            }
        }
        Layout::Many(blends) => {
            for v in range {
                let (joints, weights) = blends.of(v);
                bound(v, &sum(matrices, joints, weights));
            }
        }
        Layout::Table { blends, tables, index, .. } => {
            fill_tables(blends, (tables, index), matrices, range, bound);
        }
        Layout::Local { segments, blocks, order, joints, records } => {
            let of = blocks[range.start / BLOCK]..blocks[range.end.div_ceil(BLOCK)];
            fill_local(&segments[of], (order, joints, records), matrices, |v, p, n| {
                sink.position(v - start, p);
                if has.0 {
                    sink.normal(v - start, n);
                }
            });
        }
    }
}

/// Vertices that follow one matrix for a while.
#[inline]
fn fill_runs(runs: &[Run], matrices: &[Packed], range: Range<usize>, mut bound: impl FnMut(usize, &Packed)) {
    // The first run begins at vertex 0, so that there is one before or at every vertex.
    let mut next = runs.partition_point(|r| r.first <= range.start);
    let mut v = range.start;
    while v < range.end {
        let end = runs.get(next).map_or(range.end, |r| r.first.min(range.end));
        let matrix = &matrices[runs[next - 1].matrix];
        for v in v..end {
            bound(v, matrix);
        }
        (v, next) = (end, next + 1);
    }
}

/// Vertices whose blends are computed once for each table.
#[inline]
fn fill_tables(
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
            *slot = sum(matrices, joints, weights);
        }
        for (v, &i) in (from..to).zip(&index[from..to]) {
            bound(v, &table[unscale(i.into())]);
        }
    }
}

/// Vertices that each matrix sees in its own space; `put` takes number, position and normal.
#[inline]
fn fill_local(
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
                p += m.x * r[0] + m.y * r[1] + (m.z * r[2] + m.w * r[3]);
                n += m.vector(Vec3::new(r[4], r[5], r[6]).into());
            }
            put(v, p, n);
        }
    }
}
