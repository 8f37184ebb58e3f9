//! Vertices of a scene at a frame of a clip.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each node, in the order in which parents come first"
)]

use crate::error::RigError;
use crate::kernels::{NormalLength, Output};
use crate::matrix::Matrix;
use crate::pose::Pose;
use crate::rig::Rig;
use crate::sampler::{Blend, Sampler};
use crate::skin::{SkinPlan, Workspace};
use alloc::format;
use alloc::vec::Vec;
use core::ops::Deref;
use glam::DAffine3;
use meshwright_scene::{Clip, Mesh, MeshId, MeshPose, Scene};

/// The precision of vertices. Poses are always computed in 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// 32 bits: the fast kernels. Errors are a few ten-millionths of the distance from the origin. The last bits
    /// depend on the [`InstructionSet`](crate::InstructionSet).
    #[default]
    Single,
    /// 64 bits, rounded once at the end; the same on every machine unless rotations are blended spherically. Slow;
    /// meant for comparisons.
    Double,
}

/// Returns positions and normals of one mesh in model space: in the rest pose, or at a frame of a clip (see
/// [`Sampler::sample`]). The clip does not move a mesh without a skin, or one that is bound to another skeleton. Normals
/// are not normalised.
///
/// Use an [`Evaluator`] for several meshes or frames.
///
/// # Errors
///
/// If the mesh, its skeleton or the clip does not exist, or if they do not fit each other.
pub fn evaluate(scene: &Scene, at: Option<(usize, f64)>, mesh: MeshId) -> Result<MeshPose, RigError> {
    let found = find(scene, mesh)?;
    let Some(skin) = &found.skin else { return Ok(stored_vertices(found)) };
    let skeleton = scene
        .skeletons
        .get(skin.skeleton.0)
        .ok_or_else(|| RigError::invalid(format!("meshes[{}].skin", mesh.0), "names a missing skeleton"))?;
    let rig = Rig::new(skeleton)?;
    let mut pose = Pose::<DAffine3>::new(&rig);
    if let Some((clip, frame)) = at {
        let sampler = Sampler::new(scene, clip)?;
        if sampler.clip().skeleton == skin.skeleton {
            pose.sample(&rig, &sampler, frame)?;
        }
    }
    let (plan, mut work) = (SkinPlan::new(found, &rig)?, Workspace::new());
    skin_mesh(&plan, &pose, Precision::default(), NormalLength::default(), &mut work)
}

fn find(scene: &Scene, mesh: MeshId) -> Result<&Mesh, RigError> {
    let missing = || RigError::invalid(format!("meshes[{}]", mesh.0), "does not exist");
    scene.meshes.get(mesh.0).ok_or_else(missing)
}

fn copy_vectors(from: &[[f32; 3]], to: &mut [[f32; 3]]) -> Option<()> {
    (from.len() == to.len()).then(|| to.copy_from_slice(from))
}

fn set_rest(rigs: &[Rig], poses: &mut [Pose<DAffine3>]) -> Result<(), RigError> {
    rigs.iter().zip(poses).try_for_each(|(rig, pose)| pose.set_rest(rig))
}

fn stored_vertices(mesh: &Mesh) -> MeshPose {
    MeshPose { positions: mesh.positions.clone(), normals: mesh.normals.clone() }
}

fn skin_mesh(
    plan: &SkinPlan,
    pose: &Pose<DAffine3>,
    precision: Precision,
    length: NormalLength,
    work: &mut Workspace,
) -> Result<MeshPose, RigError> {
    let mut made = plan.new_mesh_pose();
    let normals = plan.has_normals().then_some(&mut *made.normals);
    skin_mesh_into(plan, pose, (precision, length), work, &mut made.positions, normals)?;
    Ok(made)
}

fn skin_mesh_into(
    plan: &SkinPlan,
    pose: &Pose<DAffine3>,
    (precision, length): (Precision, NormalLength),
    work: &mut Workspace,
    positions: &mut [[f32; 3]],
    normals: Option<&mut [[f32; 3]]>,
) -> Result<(), RigError> {
    match (precision, normals) {
        (Precision::Single, normals) => {
            let out = Output::positions(positions).with_normal_length(length);
            let out = match normals {
                Some(normals) => out.with_normals(normals),
                None => out,
            };
            plan.skin(pose, work, out)
        }
        (Precision::Double, normals) => {
            plan.positions(pose, positions)?;
            normals.map_or(Ok(()), |normals| plan.normals(pose, length, normals))
        }
    }
}

/// Poses a whole scene and skins its meshes. It borrows the scene, or owns it through an `Arc`.
#[derive(Clone, Debug)]
pub struct Evaluator<S> {
    scene: S,
    rigs: Vec<Rig>,
    poses: Vec<Pose<DAffine3>>,
    plans: Vec<Option<SkinPlan>>,
    blend: Option<Blend>,
    precision: Precision,
    normals: NormalLength,
}

impl<S: Deref<Target = Scene>> Evaluator<S> {
    /// Prepares all skeletons and skinned meshes. The pose is the rest pose.
    ///
    /// # Errors
    ///
    /// If a skeleton has a cycle, or a skin does not fit its mesh and skeleton.
    pub fn new(scene: S) -> Result<Self, RigError> {
        let rigs = scene.skeletons.iter().map(Rig::new).collect::<Result<Vec<_>, _>>()?;
        let plan = |mesh: &Mesh| {
            let Some(skin) = &mesh.skin else { return Ok(None) };
            let rig = rigs
                .get(skin.skeleton.0)
                .ok_or_else(|| RigError::invalid("skin.skeleton", "names a missing skeleton"))?;
            SkinPlan::new(mesh, rig).map(Some)
        };
        let plans = scene.meshes.iter().map(plan).collect::<Result<Vec<_>, _>>()?;
        let poses = rigs.iter().map(Pose::new).collect();
        let (precision, normals) = (Precision::default(), NormalLength::default());
        Ok(Self { scene, rigs, poses, plans, blend: None, precision, normals })
    }

    /// Blends poses by another rule than the clips' own.
    #[must_use]
    pub const fn with_blend(mut self, blend: Blend) -> Self {
        self.blend = Some(blend);
        self
    }

    /// Sets the precision of vertices.
    #[must_use]
    pub const fn with_precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// Sets the length of normals.
    #[must_use]
    pub const fn with_normal_length(mut self, normals: NormalLength) -> Self {
        self.normals = normals;
        self
    }

    /// Poses the scene at a frame of a clip, or in its rest pose.
    ///
    /// # Errors
    ///
    /// If the clip does not exist or does not fit its skeleton. The pose is then unchanged.
    pub fn pose(&mut self, at: Option<(usize, f64)>) -> Result<(), RigError> {
        match at {
            Some((clip, frame)) => self.move_to(clip, |_| frame),
            None => set_rest(&self.rigs, &mut self.poses),
        }
    }

    /// Poses the scene at a time of a clip in seconds. A loop repeats; another clip is clamped at its end.
    ///
    /// # Errors
    ///
    /// The same as for [`pose`](Self::pose).
    pub fn pose_seconds(&mut self, clip: usize, seconds: f64) -> Result<(), RigError> {
        self.move_to(clip, |clip| clip.frame_at(seconds))
    }

    fn move_to(&mut self, clip: usize, frame: impl FnOnce(&Clip) -> f64) -> Result<(), RigError> {
        let plain = Sampler::new(&self.scene, clip)?;
        let sampler = match self.blend {
            Some(blend) => plain.with_blend(blend),
            None => plain,
        };
        set_rest(&self.rigs, &mut self.poses)?;
        let skeleton = sampler.clip().skeleton.0;
        match (self.rigs.get(skeleton), self.poses.get_mut(skeleton)) {
            (Some(rig), Some(pose)) => pose.sample(rig, &sampler, frame(sampler.clip())),
            _ => Ok(()),
        }
    }

    /// Returns a prepared skeleton and its current pose.
    pub fn skeleton(&self, index: usize) -> Option<(&Rig, &Pose<DAffine3>)> {
        Some((self.rigs.get(index)?, self.poses.get(index)?))
    }

    /// Returns a mesh in the current pose, in model space.
    ///
    /// # Errors
    ///
    /// If the mesh does not exist.
    pub fn mesh(&self, mesh: MeshId) -> Result<MeshPose, RigError> {
        self.mesh_with(mesh, &mut Workspace::new())
    }

    fn mesh_with(&self, mesh: MeshId, work: &mut Workspace) -> Result<MeshPose, RigError> {
        match self.plan(mesh)? {
            Some((plan, pose)) => skin_mesh(plan, pose, self.precision, self.normals, work),
            None => find(&self.scene, mesh).map(stored_vertices),
        }
    }

    /// Writes a mesh in the current pose, in model space, to the caller's slices. They have an entry for each vertex.
    /// Normals can be requested if the mesh has them.
    ///
    /// # Errors
    ///
    /// If the mesh does not exist, has no normals, or has another number of vertices.
    pub fn mesh_into(
        &self,
        mesh: MeshId,
        work: &mut Workspace,
        positions: &mut [[f32; 3]],
        normals: Option<&mut [[f32; 3]]>,
    ) -> Result<(), RigError> {
        if let Some((plan, pose)) = self.plan(mesh)? {
            return skin_mesh_into(plan, pose, (self.precision, self.normals), work, positions, normals);
        }
        let found = find(&self.scene, mesh)?;
        let other =
            |what| RigError::invalid(format!("meshes[{}].{what}", mesh.0), "another number of vertices");
        copy_vectors(&found.positions, positions).ok_or_else(|| other("positions"))?;
        normals
            .map_or(Some(()), |normals| copy_vectors(&found.normals, normals))
            .ok_or_else(|| other("normals"))
    }

    /// Returns plan and pose of a skinned mesh.
    fn plan(&self, mesh: MeshId) -> Result<Option<(&SkinPlan, &Pose<DAffine3>)>, RigError> {
        let skin = find(&self.scene, mesh)?.skin.as_ref();
        let plan = self.plans.get(mesh.0).and_then(Option::as_ref);
        Ok(plan.zip(skin.and_then(|skin| self.poses.get(skin.skeleton.0))))
    }

    /// Returns all meshes in the current pose, in model space.
    ///
    /// # Errors
    ///
    /// The same as for [`mesh`](Self::mesh).
    pub fn meshes(&self) -> Result<Vec<MeshPose>, RigError> {
        let mut work = Workspace::new();
        (0..self.scene.meshes.len()).map(|m| self.mesh_with(MeshId(m), &mut work)).collect()
    }
}

/// Returns the transform of every node relative to the scene, in 64 bits.
///
/// # Errors
///
/// If the nodes form a cycle.
pub fn world_transforms(scene: &Scene) -> Result<Vec<DAffine3>, RigError> {
    let order = scene.node_order().ok_or_else(|| RigError::invalid("nodes", "their parents form a cycle"))?;
    let mut worlds: Vec<_> =
        scene.nodes.iter().map(|n| DAffine3::from_affine(&n.local.to_affine())).collect();
    for i in order {
        if let Some(parent) = scene.nodes[i].parent {
            worlds[i] = worlds[parent.0] * worlds[i];
        }
    }
    Ok(worlds)
}
