//! The kernels for aarch64, where every machine has NEON. Products are added without intermediate rounding, and one
//! instruction stores separate components as points.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

use super::compose::{self, Bind};
use super::layout::{Data, Layout, Run, Soa};
use super::output::{Memory, Target};
use super::packed_matrix::Packed;
use super::portable::{self, Arithmetic, each_run};
use crate::hierarchy::Step;
use crate::joint_pose::Group;
use core::arch::aarch64::{float32x4x3_t, vst3q_f32};
use core::ops::Range;
use glam::{Affine3A, Mat3A, Vec3A, Vec4, Vec4Swizzles};

/// Products and sums are rounded once.
struct Fused;

impl Arithmetic for Fused {
    #[inline]
    fn point(m: &Packed, [x, y, z]: [f32; 3]) -> Vec4 {
        m.z.mul_add(Vec4::splat(z), m.y.mul_add(Vec4::splat(y), m.x.mul_add(Vec4::splat(x), m.w)))
    }

    #[inline]
    fn vector(m: &Packed, [x, y, z]: [f32; 3]) -> Vec4 {
        m.z.mul_add(Vec4::splat(z), m.y.mul_add(Vec4::splat(y), m.x * x))
    }

    #[inline]
    fn plus(sum: &Packed, m: &Packed, weight: f32) -> Packed {
        let weight = Vec4::splat(weight);
        Packed {
            x: m.x.mul_add(weight, sum.x),
            y: m.y.mul_add(weight, sum.y),
            z: m.z.mul_add(weight, sum.z),
            w: m.w.mul_add(weight, sum.w),
        }
    }

    #[inline]
    fn local(sum: Vec4, m: &Packed, r: &[f32; 8]) -> Vec4 {
        let r = [r[0], r[1], r[2], r[3]].map(Vec4::splat);
        m.w.mul_add(r[3], m.z.mul_add(r[2], m.y.mul_add(r[1], m.x.mul_add(r[0], sum))))
    }

    #[inline]
    fn local_normal(sum: Vec4, m: &Packed, r: &[f32; 8]) -> Vec4 {
        let r = [r[4], r[5], r[6]].map(Vec4::splat);
        m.z.mul_add(r[2], m.y.mul_add(r[1], m.x.mul_add(r[0], sum)))
    }
}

/// Computes model-space matrices and palette.
pub(super) fn compose(
    steps: &[Step],
    groups: &[Group],
    bind: &[Bind],
    model: &mut [Affine3A],
    palette: &mut [Affine3A],
) {
    compose::compose(product, steps, groups, bind, model, palette);
}

#[inline]
fn product(a: &Affine3A, b: &Affine3A) -> Affine3A {
    let Mat3A { x_axis, y_axis, z_axis } = a.matrix3;
    let upon = |v: Vec3A, rest: Vec3A| {
        let [x, y, z] = v.to_array().map(Vec3A::splat);
        x_axis.mul_add(x, y_axis.mul_add(y, z_axis.mul_add(z, rest)))
    };
    // A sum that starts at 0 has no rounding error.
    let column = |v: Vec3A| upon(v, Vec3A::ZERO);
    let m = &b.matrix3;
    Affine3A {
        matrix3: Mat3A::from_cols(column(m.x_axis), column(m.y_axis), column(m.z_axis)),
        translation: upon(b.translation, a.translation),
    }
}

/// Skins a range of vertices. The caller has compared the lengths.
pub(super) fn skin(data: &Data, matrices: &[Packed], range: Range<usize>, out: &mut Target<'_>) {
    match (data.layout(), &mut out.memory) {
        (
            Layout::Runs { runs, positions: p, normals: n },
            Memory::Separate { positions, normals, tangents: None },
        ) => {
            fill_runs::<true>((runs, matrices), p, data.positions(), range.clone(), positions);
            if let Some(normals) = normals {
                fill_runs::<false>((runs, matrices), n, data.normals(), range, normals);
            }
        }
        _ => portable::skin::<Fused>(data, matrices, range, out),
    }
}

/// Transforms runs of points or vectors that follow one matrix, four at a time.
fn fill_runs<const POINT: bool>(
    (runs, matrices): (&[Run], &[Packed]),
    soa: &Soa,
    all: &[[f32; 3]],
    range: Range<usize>,
    out: &mut [[f32; 3]],
) {
    let start = range.start;
    each_run(runs, matrices, range, |m, run| {
        let rows = [0, 1, 2].map(|row| [m.x[row], m.y[row], m.z[row], m.w[row]].map(Vec4::splat));
        let part = |from: &[f32]| Vec4::from_slice(from);
        let to = &mut out[run.start - start..run.end - start];
        let (fours, rest) = to.as_chunks_mut::<4>();
        let (x, y, z) = (&soa.x[run.clone()], &soa.y[run.clone()], &soa.z[run.clone()]);
        let components = x.as_chunks::<4>().0.iter().zip(y.as_chunks::<4>().0).zip(z.as_chunks::<4>().0);
        for (four, ((x, y), z)) in fours.iter_mut().zip(components) {
            let (x, y, z) = (part(x), part(y), part(z));
            store(
                four,
                rows.map(|[a, b, c, d]| {
                    // The order of operations is that of a single point.
                    let first = if POINT { a.mul_add(x, d) } else { a * x };
                    c.mul_add(z, b.mul_add(y, first))
                }),
            );
        }
        let first = run.end - rest.len();
        for (to, from) in rest.iter_mut().zip(&all[first..run.end]) {
            let v = if POINT { Fused::point(m, *from) } else { Fused::vector(m, *from) };
            *to = v.xyz().into();
        }
    });
}

/// Stores four points from their components.
#[inline]
#[allow(unsafe_code, reason = "the instruction that interleaves")]
fn store(points: &mut [[f32; 3]; 4], [x, y, z]: [Vec4; 3]) {
    // SAFETY: the module is compiled where the target has NEON, and there are twelve floats.
    unsafe { vst3q_f32(points.as_mut_ptr().cast(), float32x4x3_t(x.into(), y.into(), z.into())) }
}
