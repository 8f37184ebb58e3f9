//! Vertices that every joint sees at one place in the bind pose: then they are ordinary vertices, however they are stored.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "skins whose ranges and joints the plan has checked"
)]

use crate::matrix::Matrix;
use crate::rig::Rig;
use alloc::vec::Vec;
use glam::{DAffine3, DVec3};
use meshwright_scene::{Affine, Influence, LocalVertex};

/// How far joints may disagree about a vertex of a mesh whose largest coordinate is 1, and about its normal: what
/// rounding to 32 bits makes of the stored numbers and of the inverse bind matrices.
const TOLERANCE: f64 = 1e-6;

/// Below this sum of weights where a vertex is says nothing.
const LEAST_SUM: f64 = 1.0 / 1024.0;

/// A mesh in the bind pose.
#[derive(Debug)]
pub(super) struct Agreed {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    /// How far joints disagree at most, in parts of the mesh's largest coordinate.
    pub(super) apart: f32,
}

/// The sum of what joints see, where they see the same: and how far they are from that together, weighted.
#[derive(Clone, Copy)]
struct Meeting {
    at: DVec3,
    apart: f64,
}

impl Meeting {
    fn of(seen: impl Iterator<Item = (f64, DVec3)> + Clone, sum: f64) -> Self {
        let at = seen.clone().map(|(_, p)| p).sum::<DVec3>() / sum;
        Self { at, apart: seen.map(|(w, p)| (p - at * w).length()).sum() }
    }
}

/// The vertices of a skin in the bind pose, where all joints agree about all of them.
pub(super) fn agree(
    rig: &Rig,
    (starts, influences, local): (&[u32], &[Influence], &[LocalVertex]),
    normals: bool,
) -> Option<Agreed> {
    let stands = |bind: &Affine| {
        let m = DAffine3::from_affine(bind);
        let inverse = m.inverse();
        inverse.is_finite().then_some(inverse)
    };
    // A joint that is flat only matters where something follows it.
    let stands: Vec<Option<DAffine3>> = rig.inverse_bind().iter().map(stands).collect();
    let count = starts.len().saturating_sub(1);
    let mut agreed = Agreed { positions: Vec::with_capacity(count), normals: Vec::new(), apart: 0.0 };
    let (mut largest, mut farthest) = (0.0_f64, 0.0_f64);
    for bounds in starts.windows(2) {
        let range = bounds[0] as usize..bounds[1] as usize;
        let of = &influences[range.clone()];
        let sum: f64 = of.iter().map(|i| f64::from(i.weight)).sum();
        if sum.is_nan() || sum.abs() < LEAST_SUM || of.iter().any(|i| stands[i.joint as usize].is_none()) {
            return None;
        }
        let seen = of.iter().zip(&local[range]).filter_map(|(i, l)| {
            Some((stands[i.joint as usize].as_ref()?, f64::from(i.weight), wide(l.position), wide(l.normal)))
        });
        let points = seen.clone().map(|(m, w, p, _)| (w, m.matrix3 * p + m.translation * w));
        let point = Meeting::of(points, sum);
        largest = largest.max(point.at.abs().max_element());
        farthest = farthest.max(point.apart);
        agreed.positions.push(point.at.as_vec3().to_array());
        if normals {
            let normal = Meeting::of(seen.map(|(m, w, _, n)| (w, m.matrix3 * n)), sum);
            if normal.apart.is_nan() || normal.apart > TOLERANCE {
                return None;
            }
            agreed.normals.push(normal.at.as_vec3().to_array());
        }
        if !point.at.is_finite() || !point.apart.is_finite() {
            return None;
        }
    }
    if farthest > largest * TOLERANCE {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a figure to be told")]
    {
        agreed.apart = if farthest > 0.0 { (farthest / largest) as f32 } else { 0.0 };
    }
    Some(agreed)
}

fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::from(v.map(f64::from))
}
