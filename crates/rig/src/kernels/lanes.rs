//! Arithmetic on eight joints. It is plain Rust in loops of eight, which the compiler vectorises. All instruction sets
//! round alike.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "eight lanes, and floats in them"
)]

use crate::joint_pose::{Group, Lanes};
use glam::{Quat, Vec4};

/// Returns the square root. Without `std` it is glam's.
#[inline(always)]
fn root(v: f32) -> f32 {
    #[cfg(feature = "std")]
    {
        v.sqrt()
    }
    #[cfg(not(feature = "std"))]
    {
        Vec4::splat(v).sqrt().x
    }
}

/// Interpolates each lane: `a` at 0, `b` at 1.
#[inline(always)]
pub(crate) fn lerp(a: &Lanes, b: &Lanes, t: &Lanes) -> Lanes {
    Lanes::make(|i| a.0[i] + (b.0[i] - a.0[i]) * t.0[i])
}

/// Normalises quaternions; the identity if there is no length.
#[inline(always)]
pub(crate) fn normalize(q: &mut [Lanes; 4]) {
    let [x, y, z, w] = *q;
    let squares = Lanes::make(|i| x.0[i] * x.0[i] + y.0[i] * y.0[i] + (z.0[i] * z.0[i] + w.0[i] * w.0[i]));
    let factor = Lanes::make(|i| 1.0 / root(squares.0[i]));
    // A quaternion that is zero, infinite or NaN has no direction.
    let usable = |i: usize| squares.0[i] > 1e-30 && squares.0[i] < f32::INFINITY;
    let scaled = |c: &Lanes, none: f32| Lanes::make(|i| if usable(i) { c.0[i] * factor.0[i] } else { none });
    *q = [scaled(&x, 0.0), scaled(&y, 0.0), scaled(&z, 0.0), scaled(&w, 1.0)];
}

/// Returns -1 for quaternions of opposite signs, else 1.
#[inline(always)]
pub(crate) fn side(a: &[Lanes; 4], b: &[Lanes; 4]) -> Lanes {
    let dot = Lanes::make(|i| {
        a[0].0[i] * b[0].0[i] + a[1].0[i] * b[1].0[i] + (a[2].0[i] * b[2].0[i] + a[3].0[i] * b[3].0[i])
    });
    Lanes::make(|i| if dot.0[i] < 0.0 { -1.0 } else { 1.0 })
}

/// Blends rotations linearly, the short way if `short`.
#[inline(always)]
pub(crate) fn nlerp(a: &[Lanes; 4], b: &[Lanes; 4], t: &Lanes, short: bool) -> [Lanes; 4] {
    let side = if short { side(a, b) } else { Lanes::ONE };
    let mut q = [Lanes::default(); 4];
    for (q, (a, b)) in q.iter_mut().zip(a.iter().zip(b)) {
        *q = Lanes::make(|i| a.0[i] + (b.0[i] * side.0[i] - a.0[i]) * t.0[i]);
    }
    normalize(&mut q);
    q
}

/// Returns the products of quaternions; `b` is applied first.
#[inline(always)]
pub(crate) fn after(a: &[Lanes; 4], b: &[Lanes; 4]) -> [Lanes; 4] {
    let at = |c: usize, i: usize| (a[c].0[i], b[c].0[i]);
    [
        Lanes::make(|i| {
            let ((ax, bx), (ay, by), (az, bz), (aw, bw)) = (at(0, i), at(1, i), at(2, i), at(3, i));
            aw * bx + ax * bw + (ay * bz - az * by)
        }),
        Lanes::make(|i| {
            let ((ax, bx), (ay, by), (az, bz), (aw, bw)) = (at(0, i), at(1, i), at(2, i), at(3, i));
            aw * by + ay * bw + (az * bx - ax * bz)
        }),
        Lanes::make(|i| {
            let ((ax, bx), (ay, by), (az, bz), (aw, bw)) = (at(0, i), at(1, i), at(2, i), at(3, i));
            aw * bz + az * bw + (ax * by - ay * bx)
        }),
        Lanes::make(|i| {
            let ((ax, bx), (ay, by), (az, bz), (aw, bw)) = (at(0, i), at(1, i), at(2, i), at(3, i));
            aw * bw - ax * bx - (ay * by + az * bz)
        }),
    ]
}

/// Blends the poses of two frames.
#[inline(always)]
pub(crate) fn between(a: &[Group], b: &[Group], t: f32, short: bool, out: &mut [Group]) {
    let t = Lanes([t; 8]);
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        for c in 0..3 {
            out.translation[c] = lerp(&a.translation[c], &b.translation[c], &t);
            out.scale[c] = lerp(&a.scale[c], &b.scale[c], &t);
        }
        out.rotation = nlerp(&a.rotation, &b.rotation, &t, short);
    }
}

/// Returns the matrices of eight joints: columns x, y, z and the translation, each as three rows.
#[inline(always)]
pub(crate) fn matrices(g: &Group) -> [Lanes; 12] {
    let [x, y, z, w] = &g.rotation;
    let double = |a: &Lanes, b: &Lanes| Lanes::make(|i| a.0[i] * (b.0[i] + b.0[i]));
    let (xx, yy, zz) = (double(x, x), double(y, y), double(z, z));
    let (xy, xz, yz) = (double(x, y), double(x, z), double(y, z));
    let (wx, wy, wz) = (double(w, x), double(w, y), double(w, z));
    let [sx, sy, sz] = &g.scale;
    let unit = |a: &Lanes, b: &Lanes, s: &Lanes| Lanes::make(|i| (1.0 - (a.0[i] + b.0[i])) * s.0[i]);
    let plus = |a: &Lanes, b: &Lanes, s: &Lanes| Lanes::make(|i| (a.0[i] + b.0[i]) * s.0[i]);
    let minus = |a: &Lanes, b: &Lanes, s: &Lanes| Lanes::make(|i| (a.0[i] - b.0[i]) * s.0[i]);
    let [tx, ty, tz] = g.translation;
    [
        unit(&yy, &zz, sx),
        plus(&xy, &wz, sx),
        minus(&xz, &wy, sx),
        minus(&xy, &wz, sy),
        unit(&xx, &zz, sy),
        plus(&yz, &wx, sy),
        plus(&xz, &wy, sz),
        minus(&yz, &wx, sz),
        unit(&xx, &yy, sz),
        tx,
        ty,
        tz,
    ]
}

/// Blends rotations spherically, the short way.
pub(crate) fn spherical(a: &[Lanes; 4], b: &[Lanes; 4], t: &Lanes) -> [Lanes; 4] {
    let mut out = [Lanes::default(); 4];
    let quat = |q: &[Lanes; 4], i: usize| {
        let v = Vec4::from_array([0, 1, 2, 3].map(|c: usize| q[c].0[i]));
        v.try_normalize().map_or(Quat::IDENTITY, Quat::from_vec4)
    };
    for i in 0..8 {
        let q = quat(a, i).slerp(quat(b, i), t.0[i]).to_array();
        for (lanes, c) in out.iter_mut().zip(q) {
            lanes.0[i] = c;
        }
    }
    out
}
