//! Posed vertices and joints.
#![allow(clippy::arithmetic_side_effects, reason = "of floats")]

use meshwright_core::math::{Affine64, add, narrow, scale, unit, wide};
use meshwright_scene::{Budget, ConvertError, LimitExceeded, Mesh, MeshPose, Sampler, Scene, Skin};

/// A pose of a whole scene. Meshes and skeletons without an entry are in their bind pose.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ScenePose {
    /// The vertices of each mesh of the scene, in model space; empty for a mesh in its bind pose.
    pub meshes: Vec<MeshPose>,
    /// The joints of each skeleton of the scene, in model space.
    pub joints: Vec<Vec<Affine64>>,
}

impl ScenePose {
    /// Returns the bind pose, without joints.
    #[must_use]
    pub const fn bind_pose() -> Self {
        Self { meshes: Vec::new(), joints: Vec::new() }
    }

    /// Makes a pose of vertices and joints that the caller computed.
    #[must_use]
    pub const fn new(meshes: Vec<MeshPose>, joints: Vec<Vec<Affine64>>) -> Self {
        Self { meshes, joints }
    }

    /// Poses a scene at a frame of a clip, which may be fractional, or in its rest pose. The result is the same to the
    /// bit on every machine.
    ///
    /// # Errors
    /// If the scene is invalid or has no such clip, or if the budget does not suffice.
    pub fn sample(scene: &Scene, clip: Option<(usize, f64)>, budget: &Budget) -> Result<Self, ConvertError> {
        scene.validate()?;
        let sampler = clip.map(|(clip, _)| Sampler::new(scene, clip, budget)).transpose()?;
        let moved = sampler.as_ref().map(|s| s.clip().skeleton.0);
        let mut joints = budget.reserve("poses", scene.skeletons.len())?;
        for (i, skeleton) in scene.skeletons.iter().enumerate() {
            let n = skeleton.joints.len();
            budget.charge_items("poses", n as u64, 2 * size_of::<Affine64>())?;
            let mut model = Vec::new();
            match (&sampler, clip) {
                (Some(sampler), Some((_, frame))) if moved == Some(i) => sampler.model(frame, &mut model)?,
                _ => model.extend(skeleton.rest_model().unwrap_or_default().iter().map(Affine64::from)),
            }
            joints.push(model);
        }
        let mut meshes = budget.reserve("posed meshes", scene.meshes.len())?;
        for mesh in &scene.meshes {
            meshes.push(match &mesh.skin {
                Some(skin) => skinned(scene, mesh, skin, &joints, budget)?,
                None => MeshPose::default(),
            });
        }
        Ok(Self { meshes, joints })
    }
}

fn skinned(
    scene: &Scene,
    mesh: &Mesh,
    skin: &Skin,
    joints: &[Vec<Affine64>],
    budget: &Budget,
) -> Result<MeshPose, LimitExceeded> {
    let id = skin.skeleton.0;
    let (Some(skeleton), Some(model)) = (scene.skeletons.get(id), joints.get(id)) else {
        return Ok(MeshPose::default());
    };
    budget.work("posed vertices", skin.influences.len().saturating_add(mesh.positions.len()) as u64)?;
    let local = !skin.local.is_empty();
    let mut palette = budget.reserve("palettes", model.len())?;
    palette.extend(
        model.iter().zip(&skeleton.joints).map(
            |(m, joint)| {
                if local { *m } else { m.after(&joint.inverse_bind.wide()) }
            },
        ),
    );
    let mut posed = MeshPose {
        positions: budget.reserve("posed vertices", mesh.positions.len())?,
        normals: budget.reserve("posed vertices", mesh.normals.len())?,
    };
    for (v, bound) in mesh.positions.iter().enumerate() {
        let range = skin.range(v);
        let influences = skin.influences.get(range.clone()).unwrap_or_default();
        let own = mesh.normals.get(v).map(|n| wide(*n));
        let (mut position, mut normal) = ([0.0; 3], [0.0; 3]);
        if local {
            for (influence, seen) in influences.iter().zip(skin.local.get(range).unwrap_or_default()) {
                let Some(m) = palette.get(influence.joint as usize) else { continue };
                let moved = add(m.vector(wide(seen.position)), scale(m.w, f64::from(influence.weight)));
                position = add(position, moved);
                normal = add(normal, m.vector(wide(seen.normal)));
            }
        } else {
            for influence in influences {
                let Some(m) = palette.get(influence.joint as usize) else { continue };
                let weight = f64::from(influence.weight);
                position = add(position, scale(m.point(wide(*bound)), weight));
                normal = add(normal, scale(m.vector(own.unwrap_or_default()), weight));
            }
        }
        // A vertex in model space whose weights sum to 0 does not move.
        let total: f32 = influences.iter().map(|influence| influence.weight).sum();
        let nowhere = influences.is_empty() || !local && total == 0.0;
        posed.positions.push(if nowhere { *bound } else { narrow(position) });
        if let Some(own) = own {
            posed.normals.push(if nowhere { narrow(own) } else { narrow(unit(normal).unwrap_or_default()) });
        }
    }
    Ok(posed)
}
