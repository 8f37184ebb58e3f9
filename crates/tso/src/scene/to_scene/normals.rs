//! Computes normals from the faces.

use super::bones::Joints;
use crate::mesh::{Geometry, Owners};
use alloc::vec::Vec;
use meshwright_core::math::{add, corner_angle, dot, face_normal, scale, unit, wide};
use meshwright_core::{F32, SortedMap};

/// The memory for computing the normal of a vertex.
pub(crate) const EACH: usize = 224;

/// The common data of several vertices that are one corner of the surface.
struct Corner {
    sum: [f64; 3],
    stored: Option<[f64; 3]>,
    computed: Option<[f64; 3]>,
    /// The smallest cosine to a face around it: of the stored normal, of the computed one.
    worst: [f64; 2],
}

/// Computes normals of real vertices from the faces around them in the rest pose, weighted by the angle at the vertex.
/// `None` for a vertex without faces, and for one whose stored normal fits all its faces at least as well.
///
/// Vertices of one bone with the same position and stored normal that differ only in texture coordinates are one
/// corner. Others at the same position keep the edge between them. A face between bones counts if the skeleton has
/// both. The stored numbers make the cross product point outward.
pub(crate) fn computed(
    g: &Geometry,
    owners: &Owners,
    owned: &[usize],
    joints: &Joints,
) -> Vec<Option<[f64; 3]>> {
    let joint = |owner: Option<u32>| {
        let bone = owner.and_then(|b| usize::try_from(b).ok());
        bone.and_then(|b| owned.get(b)).copied().unwrap_or(usize::MAX)
    };
    let (mut keys, mut corners) = (SortedMap::new(), Vec::new());
    let (mut corner_of, mut place) = (Vec::with_capacity(g.real.len()), Vec::with_capacity(g.real.len()));
    for (v, owner) in g.real.iter().zip(&owners.real) {
        let world = joints.world.get(joint(*owner)).copied().unwrap_or_default();
        let next = corners.len();
        let key = (*owner, v.position.map(F32::to_bits), v.normal.map(F32::to_bits));
        let corner = *keys.entry(key).or_insert(next);
        if corner == next {
            let stored = unit(world.vector(wide(v.normal.map(F32::get))));
            corners.push(Corner { sum: [0.0; 3], stored, computed: None, worst: [1.0; 2] });
        }
        corner_of.push(corner);
        // Bones that no skeleton places lie at the origin, each in a space of its own.
        let space = Some(joint(*owner)).filter(|j| *j >= joints.known);
        place.push((space, world.point(wide(v.position.map(F32::get)))));
    }
    let faces = || {
        g.sound_faces().filter_map(|(_, face)| {
            let at = face.map(|v| usize::try_from(v).unwrap_or(0));
            let [a, b, c] = at.map(|v| place[v]);
            let placed = a.0 == b.0 && b.0 == c.0;
            let positions = [a.1, b.1, c.1];
            Some((at.map(|v| corner_of[v]), positions, face_normal(positions).filter(|_| placed)?))
        })
    };
    for (around, [a, b, c], normal) in faces() {
        for (corner, angle) in around.into_iter().zip([[a, b, c], [b, c, a], [c, a, b]].map(corner_angle)) {
            corners[corner].sum = add(corners[corner].sum, scale(normal, angle));
        }
    }
    corners.iter_mut().for_each(|c| c.computed = unit(c.sum));
    for (around, _, normal) in faces() {
        for corner in around {
            let corner = &mut corners[corner];
            for (worst, own) in corner.worst.iter_mut().zip([corner.stored, corner.computed]) {
                *worst = worst.min(own.map_or(-1.0, |own| dot(own, normal)));
            }
        }
    }
    let better = |c: &Corner| c.computed.filter(|_| c.worst[1] > c.worst[0] || c.stored.is_none());
    corner_of.into_iter().map(|c| better(&corners[c])).collect()
}
