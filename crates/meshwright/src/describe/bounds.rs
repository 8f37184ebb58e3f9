//! The box around a model at rest.

use super::Bounds;
use meshwright_core::math::{Affine64, add, narrow, scale, wide};
use meshwright_scene::{Affine, Mesh, Scene, Skeleton, Skin};

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

/// The box around all that is drawn at rest. Where nothing draws the meshes, around those.
pub(super) fn rest_bounds(scene: &Scene) -> Option<Bounds> {
    let rests: Vec<_> = scene.skeletons.iter().map(Rest::compute).collect();
    let drawn = scene.drawn_meshes().unwrap_or_default();
    let drawn = drawn.iter().filter_map(|(_, mesh, matrix)| Some((scene.meshes.get(mesh.0)?, *matrix)));
    let mut meshes: Vec<(&Mesh, Affine)> = drawn.collect();
    if meshes.is_empty() {
        meshes = scene.meshes.iter().map(|mesh| (mesh, Affine::IDENTITY)).collect();
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
