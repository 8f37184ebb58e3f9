//! Bounding boxes of vertices.

use crate::{Affine, Mesh, Scene, Skeleton, Skin};
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, add, narrow, scale, wide};

/// An axis-aligned bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The minimum corner.
    pub min: [f32; 3],
    /// The maximum corner.
    pub max: [f32; 3],
}

impl Bounds {
    /// Returns the bounding box of some points; `None` without points. NaN coordinates are ignored.
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> Option<Self> {
        let mut bounds = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };
        for point in points {
            // Minimum and maximum ignore NaN. Without a branch, several coordinates are compared at once.
            let point = point.map(|at| if at.is_finite() { at } else { f32::NAN });
            for ((min, max), at) in bounds.min.iter_mut().zip(&mut bounds.max).zip(point) {
                (*min, *max) = (min.min(at), max.max(at));
            }
        }
        bounds.min.iter().zip(&bounds.max).all(|(min, max)| min <= max).then_some(bounds)
    }

    /// Returns the size along an axis, 0 to 2.
    pub fn extent(&self, axis: usize) -> f64 {
        match (self.min.get(axis), self.max.get(axis)) {
            (Some(min), Some(max)) => f64::from(*max) - f64::from(*min),
            _ => 0.0,
        }
    }
}

/// A matrix that differs from the identity by at most this does not move vertices.
const SAME: f64 = 1.0e-6;

/// The rest pose of a skeleton, with the transforms of vertices from the bind pose to it.
struct RestPose {
    model: Vec<Affine64>,
    moves: Vec<Affine64>,
    /// True for each joint whose rest pose equals its bind pose.
    still: Vec<bool>,
}

impl RestPose {
    /// Computes the rest pose; `None` if the joints form no tree.
    fn compute(skeleton: &Skeleton) -> Option<Self> {
        let model: Vec<Affine64> = skeleton.rest_model()?.iter().map(Affine::wide).collect();
        let moved =
            skeleton.joints.iter().zip(&model).map(|(joint, model)| model.after(&joint.inverse_bind.wide()));
        let moves: Vec<Affine64> = moved.collect();
        let still = moves.iter().map(is_identity).collect();
        Some(Self { model, moves, still })
    }

    fn is_still(&self, skin: &Skin) -> bool {
        skin.influences
            .iter()
            .all(|i| i.weight == 0.0 || self.still.get(i.joint as usize).copied().unwrap_or(true))
    }

    /// Returns the position of a vertex at rest; the stored position if it has no influences.
    fn position(&self, skin: &Skin, vertex: usize, stored: [f32; 3]) -> [f32; 3] {
        let influences = skin.influences(vertex);
        if influences.iter().all(|i| i.weight == 0.0) {
            return stored;
        }
        let first = skin.starts.get(vertex).map_or(0, |start| *start as usize);
        let mut sum = [0.0; 3];
        for (n, influence) in influences.iter().enumerate() {
            let (joint, weight) = (influence.joint as usize, f64::from(influence.weight));
            let part = match skin.local.get(first.saturating_add(n)) {
                Some(local) => {
                    self.model.get(joint).map(|m| add(m.vector(wide(local.position)), scale(m.w, weight)))
                }
                None => self.moves.get(joint).map(|m| scale(m.point(wide(stored)), weight)),
            };
            sum = part.map_or(sum, |part| add(sum, part));
        }
        narrow(sum)
    }
}

fn is_identity(m: &Affine64) -> bool {
    let one = Affine64::IDENTITY;
    let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME);
    near(m.x, one.x) && near(m.y, one.y) && near(m.z, one.z) && near(m.w, one.w)
}

impl Scene {
    /// Returns the bounding box of everything that is drawn at rest, in the units and axes of the scene. If
    /// no node draws a mesh, it is the bounding box of the meshes.
    pub fn rest_bounds(&self) -> Option<Bounds> {
        let rests: Vec<_> = self.skeletons.iter().map(RestPose::compute).collect();
        let mut meshes: Vec<(&Mesh, Affine)> = Vec::new();
        for (_, mesh, matrix) in self.drawn_meshes().unwrap_or_default() {
            meshes.extend(self.meshes.get(mesh.0).map(|mesh| (mesh, matrix)));
        }
        if meshes.is_empty() {
            meshes = self.meshes.iter().map(|mesh| (mesh, Affine::IDENTITY)).collect();
        }
        let mut corners = Vec::new();
        for (mesh, matrix) in meshes {
            let skin = mesh.skin.as_ref();
            let rest = skin.and_then(|skin| Some((skin, rests.get(skin.skeleton.0)?.as_ref()?)));
            let bounds = match rest.filter(|(skin, rest)| !rest.is_still(skin)) {
                Some((skin, rest)) => {
                    let positions = mesh.positions.iter().enumerate();
                    Bounds::around(positions.map(|(v, stored)| matrix.point(rest.position(skin, v, *stored))))
                }
                // The sum with 0 removes the sign of zeros, as the multiplication does.
                None if matrix == Affine::IDENTITY => {
                    Bounds::around(mesh.positions.iter().map(|at| at.map(|at| at + 0.0)))
                }
                None => Bounds::around(mesh.positions.iter().map(|at| matrix.point(*at))),
            };
            if let Some(bounds) = bounds {
                corners.extend([bounds.min, bounds.max]);
            }
        }
        Bounds::around(corners)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing test panics")]
mod tests {
    use super::*;

    #[test]
    fn boxes_leave_out_what_is_no_number() {
        let points = [[1.0, f32::NAN, 3.0], [-1.0, 2.0, f32::INFINITY], [0.0, 5.0, 0.0]];
        let bounds = Bounds::around(points).unwrap();
        assert_eq!((bounds.min, bounds.max), ([-1.0, 2.0, 0.0], [1.0, 5.0, 3.0]));
        assert_eq!([0, 1, 2, 3].map(|axis| bounds.extent(axis)), [2.0, 3.0, 3.0, 0.0]);
        assert_eq!(Bounds::around([[f32::NAN; 3]]), None);
        assert_eq!(Bounds::around([]), None);
    }
}
