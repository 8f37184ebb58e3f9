//! The bounding boxes of the vertices of each joint.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "skins whose ranges and joints the plan has checked"
)]

use crate::matrix::Matrix;
use alloc::vec::Vec;
use glam::{DAffine3, DVec3, Vec3};
use meshwright_scene::{Influence, LocalVertex};

/// A bounding box under construction. It ignores points that are not finite, because they are not finite in
/// any pose.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GrowingBox {
    min: DVec3,
    max: DVec3,
}

impl GrowingBox {
    const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    fn add(&mut self, p: DVec3) {
        if p.is_finite() {
            self.min = self.min.min(p);
            self.max = self.max.max(p);
        }
    }

    fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }
}

/// The bounding boxes of the vertices of each joint. They give a box around the mesh in any pose.
///
/// A vertex is the sum of `w * x` over its influences, where `x` is the vertex moved by this joint only. If
/// all `x` are in a box with centre `c` and half size `h`, the vertex is within `h * sum|w|` of `c *
/// sum(w)`. If the weights sum to 1, that is the box itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JointBounds {
    /// The box of each joint, in the space that its matrix transforms. The last box holds vertices that do not move.
    boxes: Vec<GrowingBox>,
    /// The least and the largest sum of weights of a vertex.
    sums: (f64, f64),
    /// The largest sum of absolute weights.
    absolute: f64,
    /// The largest length and weight of joint-space vertices whose weight is too small to divide by.
    residue: Vec<(f64, f64)>,
    /// The largest number of such influences of one vertex.
    residues: usize,
}

/// Joint-space vertices are not divided by smaller weights.
const SMALL: f32 = 1.0 / 1024.0;

fn wide(p: [f32; 3]) -> DVec3 {
    DVec3::from(p.map(f64::from))
}

impl JointBounds {
    fn empty(joints: usize) -> Self {
        Self {
            boxes: alloc::vec![GrowingBox::EMPTY; joints + 1],
            sums: (f64::INFINITY, f64::NEG_INFINITY),
            absolute: 0.0,
            residue: alloc::vec![(0.0, 0.0); joints],
            residues: 0,
        }
    }

    fn weigh(&mut self, sum: f64, absolute: f64) {
        if absolute.is_finite() {
            self.sums = (self.sums.0.min(sum), self.sums.1.max(sum));
            self.absolute = self.absolute.max(absolute);
        }
    }

    pub(super) fn of_bind(
        joints: usize,
        positions: &[[f32; 3]],
        starts: &[u32],
        influences: &[Influence],
    ) -> Self {
        let mut bounds = Self::empty(joints);
        for (p, w) in positions.iter().zip(starts.windows(2)) {
            let of = &influences[w[0] as usize..w[1] as usize];
            let total: f32 = of.iter().map(|i| i.weight).sum();
            if total == 0.0 {
                bounds.boxes[joints].add(wide(*p));
                bounds.weigh(1.0, 1.0);
                continue;
            }
            for i in of.iter().filter(|i| i.weight != 0.0) {
                bounds.boxes[i.joint as usize].add(wide(*p));
            }
            let weights = of.iter().map(|i| f64::from(i.weight));
            bounds.weigh(weights.clone().sum(), weights.map(f64::abs).sum());
        }
        bounds
    }

    pub(super) fn of_local(
        joints: usize,
        starts: &[u32],
        influences: &[Influence],
        vertices: &[LocalVertex],
    ) -> Self {
        let mut bounds = Self::empty(joints);
        for w in starts.windows(2) {
            let range = w[0] as usize..w[1] as usize;
            let (mut sum, mut absolute, mut residues) = (0.0, 0.0, 0);
            for (i, l) in influences[range.clone()].iter().zip(&vertices[range]) {
                let (p, weight) = (wide(l.position), f64::from(i.weight));
                if i.weight.abs() >= SMALL {
                    bounds.boxes[i.joint as usize].add(p / weight);
                    sum += weight;
                    absolute += weight.abs();
                } else if p.is_finite() {
                    let r = &mut bounds.residue[i.joint as usize];
                    *r = (r.0.max(p.length()), r.1.max(weight.abs()));
                    residues += 1;
                }
            }
            bounds.residues = bounds.residues.max(residues);
            bounds.weigh(sum, absolute);
        }
        bounds
    }

    /// Enlarges the boxes by a share of the largest coordinate.
    pub(super) fn wider(mut self, disagreement: f32) -> Self {
        let all = self.boxes.iter().filter(|b| !b.is_empty());
        let largest = all.map(|b| b.min.abs().max(b.max.abs()).max_element()).fold(0.0, f64::max);
        let more = DVec3::splat(largest * f64::from(disagreement));
        for b in self.boxes.iter_mut().filter(|b| !b.is_empty()) {
            (b.min, b.max) = (b.min - more, b.max + more);
        }
        self
    }

    /// Returns the corners of a box around the mesh, moved by matrices.
    pub(super) fn posed<M: Matrix>(&self, matrices: &[M]) -> Option<(Vec3, Vec3)> {
        let mut all = GrowingBox::EMPTY;
        // The largest sum of absolute products: skinning rounds relative to it, even if the products cancel.
        let mut products = 0.0_f64;
        for (i, b) in self.boxes.iter().enumerate().filter(|(_, b)| !b.is_empty()) {
            let m = matrices.get(i).map_or(DAffine3::IDENTITY, Matrix::to_f64);
            let (centre, half) = ((b.min + b.max) * 0.5, (b.max - b.min) * 0.5);
            let c = m.transform_point3(centre);
            let spread = |v: DVec3| {
                let r = &m.matrix3;
                r.x_axis.abs() * v.x + r.y_axis.abs() * v.y + r.z_axis.abs() * v.z
            };
            let h = spread(half);
            all.add(c - h);
            all.add(c + h);
            let sum = spread(b.min.abs().max(b.max.abs())) + m.translation.abs();
            if sum.is_finite() {
                products = products.max(sum.max_element());
            }
        }
        let mut extra = 0.0_f64;
        if self.residues > 0 {
            for (m, (reach, weight)) in matrices.iter().zip(&self.residue) {
                let m = m.to_f64();
                let r = &m.matrix3;
                let norm = r.x_axis.length() + r.y_axis.length() + r.z_axis.length();
                let one = norm * reach + if *weight > 0.0 { m.translation.length() * weight } else { 0.0 };
                if one.is_finite() {
                    extra = extra.max(one);
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "a count of influences")]
            {
                extra *= self.residues as f64;
            }
        }
        if self.sums.0 > self.sums.1 {
            return None;
        }
        if all.is_empty() {
            // All weights are 0 or tiny.
            all = GrowingBox { min: DVec3::ZERO, max: DVec3::ZERO };
        }
        let (centre, half) = ((all.min + all.max) * 0.5, (all.max - all.min) * 0.5);
        let mut sum = GrowingBox::EMPTY;
        sum.add(centre * self.sums.0);
        sum.add(centre * self.sums.1);
        // A margin for the rounding of skinning in 32 bits.
        let size = products * self.absolute.max(1.0) + extra;
        let margin = half * self.absolute + (extra + size * 2e-6 + f64::from(f32::MIN_POSITIVE));
        Some(((sum.min - margin).as_vec3(), (sum.max + margin).as_vec3()))
    }
}
