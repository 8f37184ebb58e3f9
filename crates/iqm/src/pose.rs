//! Transforms of joints and frames, and skinned vertices, in 64 bits.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "vectors and channels of fixed size"
)]

use crate::model::{ArrayKind, Iqm, IqmJoint, IqmMesh, IqmPose};
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64, add, cross, narrow, narrow1, scale, sqrt, unit};
use meshwright_core::{F32, values};

/// Vertices in one pose, in the model's own space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// A position per vertex.
    pub positions: Vec<[f32; 3]>,
    /// A normal per vertex, of length 1 or 0; empty if the file stores none.
    pub normals: Vec<[f32; 3]>,
}

/// Returns the rotation from the x, y and z of version 1. w is the negative root of 1 - x² - y² - z².
#[must_use]
pub(crate) fn rotation_of_version_1([x, y, z]: [F32; 3]) -> [F32; 4] {
    let [a, b, c] = values([x, y, z]).map(f64::from);
    let rest = 1.0 - (a * a + b * b + c * c);
    // If the sum is NaN, w is 0, as for a negative number.
    let w = if rest > 0.0 { narrow1(-sqrt(rest)) } else { -0.0 };
    [x, y, z, F32::new(w)]
}

/// Returns a transform with a normalised rotation, which is the identity if its length is 0.
fn transform(translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3]) -> Trs64 {
    let rotation = unit(rotation).unwrap_or(Trs64::IDENTITY.rotation);
    Trs64 { translation, rotation, scale }
}

impl IqmJoint {
    /// Returns the parent joint.
    #[must_use]
    pub fn parent(&self) -> Option<usize> {
        usize::try_from(self.parent).ok()
    }

    /// Returns the transform relative to the parent in the rest pose.
    #[must_use]
    pub fn transform(&self) -> Trs64 {
        let wide = |v: [F32; 3]| values(v).map(f64::from);
        transform(wide(self.translate), values(self.rotate).map(f64::from), wide(self.scale))
    }
}

impl IqmPose {
    /// Returns the parent joint.
    #[must_use]
    pub fn parent(&self) -> Option<usize> {
        usize::try_from(self.parent).ok()
    }
}

impl Iqm {
    /// Returns the rotation from the x, y and z that a file of version 1 stores. w is the negative root of
    /// what is missing to a length of 1.
    #[must_use]
    pub fn rotation_of_version_1(stored: [F32; 3]) -> [F32; 4] {
        rotation_of_version_1(stored)
    }

    /// Returns the numbers of one frame; `None` if it does not exist.
    #[must_use]
    pub fn frame(&self, frame: u32) -> Option<&[u16]> {
        if frame >= self.frame_count {
            return None;
        }
        let channels = self.frame_channels();
        let start = (frame as usize).checked_mul(channels)?;
        self.frames.get(start..start.checked_add(channels)?)
    }

    /// Returns the ten channels of every joint at a frame: translation, the stored rotation x y z w, scale.
    /// They are computed in 32 bits, as in engines.
    #[must_use]
    pub fn frame_channels_at(&self, frame: u32) -> Option<Vec<[f32; 10]>> {
        let mut numbers = self.frame(frame)?.iter();
        Some(self.poses.iter().map(|pose| self.channels_of(pose, &mut numbers)).collect())
    }

    fn channels_of<'n>(&self, pose: &IqmPose, numbers: &mut impl Iterator<Item = &'n u16>) -> [f32; 10] {
        let mut found = [0.0_f32; 10];
        for (c, value) in found.iter_mut().enumerate().take(self.channels()) {
            *value = pose.offset[c].get();
            if pose.stores(c) {
                let number = numbers.next().copied().unwrap_or(0);
                *value += f32::from(number) * pose.scale[c].get();
            }
        }
        if self.version == 1 {
            let [a, b, c, x, y, z, d, e, f, _] = found;
            let [x, y, z, w] = rotation_of_version_1([x, y, z].map(F32::new)).map(F32::get);
            found = [a, b, c, x, y, z, w, d, e, f];
        }
        found
    }

    /// Returns every joint's transform relative to its parent at a frame.
    #[must_use]
    pub fn frame_transforms(&self, frame: u32) -> Option<Vec<Trs64>> {
        let of = |c: [f32; 10]| {
            let [a, b, c, x, y, z, w, d, e, f] = c.map(f64::from);
            transform([a, b, c], [x, y, z, w], [d, e, f])
        };
        Some(self.frame_channels_at(frame)?.into_iter().map(of).collect())
    }

    /// Returns the model-space matrix of every joint in the rest pose.
    #[must_use]
    pub fn rest_matrices(&self) -> Vec<Affine64> {
        concatenate(self.joints.iter().map(|j| (j.parent(), j.transform())))
    }

    /// Returns the model-space matrix of every joint at a frame.
    #[must_use]
    pub fn frame_matrices(&self, frame: u32) -> Option<Vec<Affine64>> {
        let locals = self.frame_transforms(frame)?;
        Some(concatenate(self.poses.iter().map(IqmPose::parent).zip(locals)))
    }

    /// Returns the matrices that move vertices from the rest pose to their positions at a frame. A joint whose rest pose is
    /// flat moves nothing.
    #[must_use]
    pub fn skin_matrices(&self, frame: u32) -> Option<Vec<Affine64>> {
        let rest = self.rest_matrices();
        let posed = self.frame_matrices(frame)?;
        let skin = |(posed, rest): (Affine64, &Affine64)| {
            rest.inverse().map_or(Affine64::IDENTITY, |inverse| posed.after(&inverse))
        };
        Some(posed.into_iter().zip(&rest).map(skin).collect())
    }

    /// Returns the vertices of a mesh at a frame, or in the stored rest pose; `None` if the frame does not exist.
    #[must_use]
    pub fn evaluate(&self, mesh: &IqmMesh, frame: Option<u32>) -> Option<Surface> {
        let first = mesh.first_vertex as usize;
        let last = first.saturating_add(mesh.vertex_count as usize).min(self.vertex_count as usize);
        let matrices = match frame {
            Some(frame) => Some(self.skin_matrices(frame)?),
            None => None,
        };
        let positions = self.array(ArrayKind::POSITION);
        let normals = self.array(ArrayKind::NORMAL);
        let mut surface = Surface::default();
        for v in first..last {
            let position = positions.map_or([0.0; 3], |a| a.floats::<3>(v, [0.0; 3]));
            let normal = normals.map(|a| a.floats::<3>(v, [0.0; 3]));
            let blended = matrices.as_deref().filter(|m| !m.is_empty()).and_then(|m| self.blended(v, m));
            surface.positions.push(narrow(blended.map_or(position, |m| m.point(position))));
            surface.normals.extend(normal.map(|n| narrow(blended.map_or(n, |m| rotate_normal(&m, n)))));
        }
        Some(surface)
    }

    /// Returns the weighted sum of the matrices that a vertex follows; `None` if it follows none.
    fn blended(&self, vertex: usize, matrices: &[Affine64]) -> Option<Affine64> {
        let zero = Affine64 { x: [0.0; 3], y: [0.0; 3], z: [0.0; 3], w: [0.0; 3] };
        let mut sum = None;
        for (joint, weight) in self.influences(vertex).into_iter().filter(|(_, w)| *w != 0.0) {
            let Some(m) = usize::try_from(joint).ok().and_then(|j| matrices.get(j)) else { continue };
            let s: Affine64 = sum.unwrap_or(zero);
            let more = |a, b| add(a, scale(b, weight));
            sum =
                Some(Affine64 { x: more(s.x, m.x), y: more(s.y, m.y), z: more(s.z, m.z), w: more(s.w, m.w) });
        }
        sum
    }
}

/// Transforms a normal by the cofactors of the linear part, and normalises it.
fn rotate_normal(m: &Affine64, n: [f64; 3]) -> [f64; 3] {
    let cofactors = Affine64 { x: cross(m.y, m.z), y: cross(m.z, m.x), z: cross(m.x, m.y), w: [0.0; 3] };
    unit(cofactors.vector(n)).unwrap_or([0.0; 3])
}

/// Multiplies each matrix by its parent's. A parent that does not come before its child is ignored.
pub(crate) fn concatenate(locals: impl Iterator<Item = (Option<usize>, Trs64)>) -> Vec<Affine64> {
    let mut out: Vec<Affine64> = Vec::new();
    for (parent, local) in locals {
        let local = local.to_affine();
        let matrix = parent.and_then(|p| out.get(p)).map_or(local, |parent| parent.after(&local));
        out.push(matrix);
    }
    out
}
