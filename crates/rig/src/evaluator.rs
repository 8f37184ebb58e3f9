//! The vertices of a scene at a frame.
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

/// In how many bits vertices are computed. Poses always are in 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// In 32: the fast kernels, on matrices rounded to 32 bits. Off by a few ten-millionths of the distance
    /// from the origin, which counts for a small thing far out; the last places depend on the machine's
    /// instructions, see [`InstructionSet`](crate::InstructionSet).
    #[default]
    Single,
    /// In 64, one attribute at a time: rounded once, at the end, on every machine alike. For comparisons.
    Double,
}

/// The positions and normals of one mesh in model space: in the rest pose, or at a frame of
/// a clip (see [`Sampler::sample`]). A mesh without a skin, or bound to another skeleton than the clip's, is
/// not moved by it. NormalLength are as the sum over the joints gives them.
///
/// For many meshes or frames an [`Evaluator`] is made once.
///
/// # Errors
///
/// Where the mesh, its skeleton or the clip does not exist, or does not fit the others.
pub fn evaluate(scene: &Scene, at: Option<(usize, f64)>, mesh: MeshId) -> Result<MeshPose, RigError> {
    let found = find(scene, mesh)?;
    let Some(skin) = &found.skin else { return Ok(unskinned(found)) };
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
    skinned(&plan, &pose, Precision::default(), NormalLength::default(), &mut work)
}

fn find(scene: &Scene, mesh: MeshId) -> Result<&Mesh, RigError> {
    let missing = || RigError::invalid(format!("meshes[{}]", mesh.0), "does not exist");
    scene.meshes.get(mesh.0).ok_or_else(missing)
}

fn copied(from: &[[f32; 3]], to: &mut [[f32; 3]]) -> Option<()> {
    (from.len() == to.len()).then(|| to.copy_from_slice(from))
}

fn rest(rigs: &[Rig], poses: &mut [Pose<DAffine3>]) -> Result<(), RigError> {
    rigs.iter().zip(poses).try_for_each(|(rig, pose)| pose.set_rest(rig))
}

fn unskinned(mesh: &Mesh) -> MeshPose {
    MeshPose { positions: mesh.positions.clone(), normals: mesh.normals.clone() }
}

fn skinned(
    plan: &SkinPlan,
    pose: &Pose<DAffine3>,
    precision: Precision,
    length: NormalLength,
    work: &mut Workspace,
) -> Result<MeshPose, RigError> {
    let mut made = plan.new_mesh_pose();
    let normals = plan.has_normals().then_some(&mut *made.normals);
    skinned_into(plan, pose, (precision, length), work, &mut made.positions, normals)?;
    Ok(made)
}

fn skinned_into(
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

/// A whole scene prepared, standing in its rest pose or at a frame of a clip. The scene is borrowed, or held by an `Arc`
/// where an evaluator is to live by itself.
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
    /// Prepares every skeleton and every skinned mesh.
    ///
    /// # Errors
    ///
    /// Where a skeleton has a cycle, or a skin does not fit its mesh and skeleton.
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

    /// The same scene, with poses blended by another rule than the clips' own.
    #[must_use]
    pub const fn with_blend(mut self, blend: Blend) -> Self {
        self.blend = Some(blend);
        self
    }

    /// The same scene, with vertices computed in so many bits.
    #[must_use]
    pub const fn with_precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// The same scene, with normals of such length.
    #[must_use]
    pub const fn with_normal_length(mut self, normals: NormalLength) -> Self {
        self.normals = normals;
        self
    }

    /// Moves to a frame of a clip, or back to the rest pose.
    ///
    /// # Errors
    ///
    /// Where the clip does not exist, or does not fit its skeleton; the pose then stays as it is.
    pub fn pose(&mut self, at: Option<(usize, f64)>) -> Result<(), RigError> {
        match at {
            Some((clip, frame)) => self.move_to(clip, |_| frame),
            None => rest(&self.rigs, &mut self.poses),
        }
    }

    /// Moves to a time of a clip, in seconds by the clip's own rate; a loop begins again behind its end, another
    /// clip is held there.
    ///
    /// # Errors
    ///
    /// As [`pose`](Self::pose).
    pub fn pose_seconds(&mut self, clip: usize, seconds: f64) -> Result<(), RigError> {
        self.move_to(clip, |clip| clip.frame_at(seconds))
    }

    fn move_to(&mut self, clip: usize, frame: impl FnOnce(&Clip) -> f64) -> Result<(), RigError> {
        let plain = Sampler::new(&self.scene, clip)?;
        let sampler = match self.blend {
            Some(blend) => plain.with_blend(blend),
            None => plain,
        };
        rest(&self.rigs, &mut self.poses)?;
        let skeleton = sampler.clip().skeleton.0;
        match (self.rigs.get(skeleton), self.poses.get_mut(skeleton)) {
            (Some(rig), Some(pose)) => pose.sample(rig, &sampler, frame(sampler.clip())),
            _ => Ok(()),
        }
    }

    /// The skeleton of that index, prepared, and its current pose.
    pub fn skeleton(&self, index: usize) -> Option<(&Rig, &Pose<DAffine3>)> {
        Some((self.rigs.get(index)?, self.poses.get(index)?))
    }

    /// A mesh in the current pose, in model space.
    ///
    /// # Errors
    ///
    /// Where the mesh does not exist.
    pub fn mesh(&self, mesh: MeshId) -> Result<MeshPose, RigError> {
        self.mesh_with(mesh, &mut Workspace::new())
    }

    fn mesh_with(&self, mesh: MeshId, work: &mut Workspace) -> Result<MeshPose, RigError> {
        match self.plan(mesh)? {
            Some((plan, pose)) => skinned(plan, pose, self.precision, self.normals, work),
            None => find(&self.scene, mesh).map(unskinned),
        }
    }

    /// A mesh in the current pose, in model space, into memory of the caller's: an entry for each vertex. NormalLength may be
    /// asked for where the mesh has them.
    ///
    /// # Errors
    ///
    /// Where the mesh does not exist, has no normals, or another number of vertices.
    pub fn mesh_into(
        &self,
        mesh: MeshId,
        work: &mut Workspace,
        positions: &mut [[f32; 3]],
        normals: Option<&mut [[f32; 3]]>,
    ) -> Result<(), RigError> {
        if let Some((plan, pose)) = self.plan(mesh)? {
            return skinned_into(plan, pose, (self.precision, self.normals), work, positions, normals);
        }
        let found = find(&self.scene, mesh)?;
        let other =
            |what| RigError::invalid(format!("meshes[{}].{what}", mesh.0), "another number of vertices");
        copied(&found.positions, positions).ok_or_else(|| other("positions"))?;
        normals.map_or(Some(()), |normals| copied(&found.normals, normals)).ok_or_else(|| other("normals"))
    }

    /// How a mesh that has a skin is moved.
    fn plan(&self, mesh: MeshId) -> Result<Option<(&SkinPlan, &Pose<DAffine3>)>, RigError> {
        let skin = find(&self.scene, mesh)?.skin.as_ref();
        let plan = self.plans.get(mesh.0).and_then(Option::as_ref);
        Ok(plan.zip(skin.and_then(|skin| self.poses.get(skin.skeleton.0))))
    }

    /// All meshes in the current pose, in model space.
    ///
    /// # Errors
    ///
    /// As [`mesh`](Self::mesh).
    pub fn meshes(&self) -> Result<Vec<MeshPose>, RigError> {
        let mut work = Workspace::new();
        (0..self.scene.meshes.len()).map(|m| self.mesh_with(MeshId(m), &mut work)).collect()
    }
}

/// The transform of every node relative to the scene, in 64 bits.
///
/// # Errors
///
/// Where the nodes form a cycle.
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
