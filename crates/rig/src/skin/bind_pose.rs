//! Converts joint-space vertices to bind-pose vertices, if all joints agree about them.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "skins whose ranges and joints the plan has checked"
)]

use super::skin_source::SkinArrays;
use crate::matrix::Matrix;
use crate::rig::Rig;
use alloc::vec::Vec;
use glam::{DAffine3, DVec3};
use meshwright_scene::Affine;

/// The maximum disagreement of joints about a vertex, relative to the largest coordinate of the mesh, and
/// about a normal. Rounding to 32 bits can cause that much.
const TOLERANCE: f64 = 1e-6;

/// With a smaller sum of weights, the position of a vertex is too inaccurate.
const LEAST_SUM: f64 = 1.0 / 1024.0;

/// A mesh in the bind pose.
#[derive(Debug)]
pub(super) struct BindVertices {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    /// The largest disagreement of joints, relative to the largest coordinate of the mesh.
    pub(super) disagreement: f32,
}

/// The transforms between model space in the bind pose and the space of a joint.
struct JointSpace {
    from_model: DAffine3,
    to_model: DAffine3,
}

impl JointSpace {
    /// Returns `None` if the inverse bind matrix has no inverse.
    fn new(inverse_bind: &Affine) -> Option<Self> {
        let from_model = DAffine3::from_affine(inverse_bind);
        let to_model = from_model.inverse();
        to_model.is_finite().then_some(Self { from_model, to_model })
    }
}

/// The weighted mean of positions, and the sum of weighted distances from it.
#[derive(Clone, Copy)]
struct WeightedMean {
    at: DVec3,
    disagreement: f64,
}

impl WeightedMean {
    fn new(seen: impl Iterator<Item = (f64, DVec3)> + Clone, sum: f64) -> Self {
        let at = seen.clone().map(|(_, p)| p).sum::<DVec3>() / sum;
        Self { at, disagreement: seen.map(|(w, p)| (p - at * w).length()).sum() }
    }
}

/// Returns the vertices of a skin in the bind pose, if all joints agree about all of them.
pub(super) fn find_bind_vertices(rig: &Rig, arrays: SkinArrays<'_>, normals: bool) -> Option<BindVertices> {
    let SkinArrays { starts, influences, local } = arrays;
    // A joint without inverse only matters if a vertex follows it.
    let joints: Vec<Option<JointSpace>> = rig.inverse_bind().iter().map(JointSpace::new).collect();
    let count = starts.len().saturating_sub(1);
    let mut bind_vertices =
        BindVertices { positions: Vec::with_capacity(count), normals: Vec::new(), disagreement: 0.0 };
    let (mut largest, mut farthest) = (0.0_f64, 0.0_f64);
    let (mut largest_local, mut rounding) = (0.0_f64, 0.0_f64);
    for bounds in starts.windows(2) {
        let range = bounds[0] as usize..bounds[1] as usize;
        let of = &influences[range.clone()];
        let sum: f64 = of.iter().map(|i| f64::from(i.weight)).sum();
        if sum.is_nan() || sum.abs() < LEAST_SUM || of.iter().any(|i| joints[i.joint as usize].is_none()) {
            return None;
        }
        let seen = of.iter().zip(&local[range]).filter_map(|(i, l)| {
            let m = &joints[i.joint as usize].as_ref()?.to_model;
            Some((m, f64::from(i.weight), wide(l.position), wide(l.normal)))
        });
        let points = seen.clone().map(|(m, w, p, _)| (w, m.matrix3 * p + m.translation * w));
        let point = WeightedMean::new(points, sum);
        largest = largest.max(point.at.abs().max_element());
        farthest = farthest.max(point.disagreement);
        let rounded = point.at.as_vec3();
        bind_vertices.positions.push(rounded.to_array());
        for i in of.iter().filter(|i| i.weight != 0.0) {
            let Some(JointSpace { from_model, .. }) = &joints[i.joint as usize] else { continue };
            largest_local = largest_local.max(from_model.transform_point3(point.at).abs().max_element());
            let error = from_model.transform_vector3(rounded.as_dvec3() - point.at);
            rounding = rounding.max(error.length());
        }
        if normals {
            let normal = WeightedMean::new(seen.map(|(m, w, _, n)| (w, m.matrix3 * n)), sum);
            if normal.disagreement.is_nan() || normal.disagreement > TOLERANCE {
                return None;
            }
            bind_vertices.normals.push(normal.at.as_vec3().to_array());
        }
        if !point.at.is_finite() || !point.disagreement.is_finite() {
            return None;
        }
    }
    // A joint that is nearly flat in the bind pose enlarges the rounding error of a vertex.
    if farthest > largest * TOLERANCE || rounding > largest.max(largest_local) * TOLERANCE {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a figure for a report")]
    {
        bind_vertices.disagreement = if farthest > 0.0 { (farthest / largest) as f32 } else { 0.0 };
    }
    Some(bind_vertices)
}

fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::from(v.map(f64::from))
}
