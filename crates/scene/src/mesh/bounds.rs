//! Boxes around vertices.

use crate::{Affine, Mesh, Scene, Skeleton, Skin};
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, add, narrow, scale, wide};

/// A box around vertices: its least and its greatest corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates.
    pub min: [f32; 3],
    /// The greatest.
    pub max: [f32; 3],
}

impl Bounds {
    /// The box around some points; `None` without points. NaN coordinates are ignored.
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> Option<Self> {
        let mut bounds = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };
        for point in points {
            let ends = bounds.min.iter_mut().zip(bounds.max.iter_mut());
            for ((min, max), at) in ends.zip(point).filter(|(_, at)| at.is_finite()) {
                (*min, *max) = (min.min(at), max.max(at));
            }
        }
        bounds.min.iter().zip(&bounds.max).all(|(min, max)| min <= max).then_some(bounds)
    }

    /// The size along an axis, 0 to 2.
    pub fn extent(&self, axis: usize) -> f64 {
        match (self.min.get(axis), self.max.get(axis)) {
            (Some(min), Some(max)) => f64::from(*max) - f64::from(*min),
            _ => 0.0,
        }
    }
}

/// As far as a matrix may be from the identity for vertices to stay as they are.
const SAME: f64 = 1.0e-6;

/// The joints of a skeleton at rest, and how far each moves the vertices that are bound to it.
struct Rest {
    model: Vec<Affine64>,
    moves: Vec<Affine64>,
    /// True for each joint whose rest pose equals its bind pose.
    still: Vec<bool>,
}

impl Rest {
    /// None where the joints form no tree.
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

    /// The position of a vertex; without influences, the stored position.
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
    /// Returns the box around all that is drawn at rest, in the units and axes of the scene. If no node draws a mesh, the box is
    /// around the meshes.
    pub fn rest_bounds(&self) -> Option<Bounds> {
        let rests: Vec<_> = self.skeletons.iter().map(Rest::compute).collect();
        let drawn = self.drawn_meshes().unwrap_or_default();
        let drawn = drawn.iter().filter_map(|(_, mesh, matrix)| Some((self.meshes.get(mesh.0)?, *matrix)));
        let mut meshes: Vec<(&Mesh, Affine)> = drawn.collect();
        if meshes.is_empty() {
            meshes = self.meshes.iter().map(|mesh| (mesh, Affine::IDENTITY)).collect();
        }
        let boxes = meshes.iter().filter_map(|(mesh, matrix)| {
            let skin = mesh.skin.as_ref();
            let rest = skin.and_then(|skin| Some((skin, rests.get(skin.skeleton.0)?.as_ref()?)));
            match rest.filter(|(skin, rest)| !rest.is_still(skin)) {
                Some((skin, rest)) => {
                    let positions = mesh.positions.iter().enumerate();
                    Bounds::around(positions.map(|(v, stored)| matrix.point(rest.position(skin, v, *stored))))
                }
                None => Bounds::around(mesh.positions.iter().map(|at| matrix.point(*at))),
            }
        });
        Bounds::around(boxes.flat_map(|b| [b.min, b.max]))
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
