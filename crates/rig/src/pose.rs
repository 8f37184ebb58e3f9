//! The matrices of one skeleton at one time.

use crate::error::RigError;
use crate::local_pose::LocalPose;
use crate::matrix::Matrix;
use crate::rig::{NameMatch, Rig};
use crate::sampler::{Blend, Sampler, rigid};
use alloc::vec::Vec;
use glam::Affine3A;
use meshwright_scene::MeshId;

/// The local, model-space and palette matrices of one skeleton. Create it once; updates do not allocate.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose<M> {
    locals: Vec<M>,
    model: Vec<M>,
    palette: Vec<M>,
}

impl<M: Matrix> Pose<M> {
    /// Makes the rest pose.
    pub fn new(rig: &Rig) -> Self {
        let identity = || alloc::vec![M::IDENTITY; rig.joint_count()];
        let mut pose = Self { locals: identity(), model: identity(), palette: identity() };
        // The buffers fit this rig, so there is no error.
        let _ = pose.set_rest(rig);
        pose
    }

    /// Sets the rest pose.
    ///
    /// # Errors
    ///
    /// If the pose belongs to another skeleton.
    pub fn set_rest(&mut self, rig: &Rig) -> Result<(), RigError> {
        rig.copy_rest_to(&mut self.locals)?;
        self.update(rig)
    }

    /// Sets the pose of a clip at a frame; see [`Sampler::sample`].
    ///
    /// # Errors
    ///
    /// If the pose or the clip belongs to another skeleton.
    pub fn sample(&mut self, rig: &Rig, sampler: &Sampler<'_>, frame: f64) -> Result<(), RigError> {
        sampler.sample(rig, frame, &mut self.locals)?;
        self.update(rig)
    }

    /// Sets the pose of a clip at a time in seconds.
    ///
    /// # Errors
    ///
    /// The same as for [`sample`](Self::sample).
    pub fn sample_seconds(&mut self, rig: &Rig, sampler: &Sampler<'_>, seconds: f64) -> Result<(), RigError> {
        self.sample(rig, sampler, sampler.clip().frame_at(seconds))
    }

    /// Returns the local matrices for changes. Call [`update`](Self::update) afterwards.
    pub fn local_matrices_mut(&mut self) -> &mut [M] {
        &mut self.locals
    }

    /// Computes model-space matrices and palette from the local matrices.
    ///
    /// # Errors
    ///
    /// If the pose belongs to another skeleton.
    pub fn update(&mut self, rig: &Rig) -> Result<(), RigError> {
        rig.compute_model_matrices(&self.locals, &mut self.model)?;
        rig.compute_palette(&self.model, &mut self.palette)
    }

    /// Returns the matrices relative to the parents.
    pub fn local_matrices(&self) -> &[M] {
        &self.locals
    }

    /// Returns the matrices relative to the model.
    pub fn model_matrices(&self) -> &[M] {
        &self.model
    }

    /// Returns the matrices that move vertices from the bind pose to this pose.
    pub fn palette(&self) -> &[M] {
        &self.palette
    }

    /// Returns the model-space matrix of the first joint with this name, for attaching objects.
    pub fn attachment(&self, rig: &Rig, name: &str, by: NameMatch) -> Option<M> {
        self.model.get(rig.find_joint(name, by)?).copied()
    }

    /// Returns the mesh that bounds a joint, and the matrix that moves it with the joint. `None` if no mesh bounds it.
    pub fn solid(&self, rig: &Rig, joint: usize) -> Option<(MeshId, M)> {
        Some((rig.solid(joint)?, *self.palette.get(joint)?))
    }
}

impl Pose<Affine3A> {
    /// Computes all matrices of a [`LocalPose`]. If local matrices are not needed, [`Rig::compose`] is faster.
    ///
    /// # Errors
    ///
    /// If one of the poses belongs to another skeleton.
    pub fn compose(&mut self, rig: &Rig, pose: &LocalPose) -> Result<(), RigError> {
        rig.compose(pose, &mut self.model, &mut self.palette)?;
        for (joint, local) in self.locals.iter_mut().enumerate() {
            if let Some(parts) = pose.get(rig, joint) {
                *local = parts.to_matrix();
            }
        }
        Ok(())
    }
}

/// Blends two poses joint by joint: `a` at 0, `b` at 1.
///
/// # Errors
///
/// If the slices differ in length.
pub fn blend_poses<M: Matrix>(a: &[M], b: &[M], t: f64, blend: Blend, out: &mut [M]) -> Result<(), RigError> {
    RigError::length("second pose", a.len(), b.len())?;
    RigError::length("result", a.len(), out.len())?;
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *out = match blend {
            Blend::Matrix => a.lerp(b, t),
            Blend::Rigid => rigid(&a.to_affine(), &b.to_affine(), t, blend.rule()),
        };
    }
    Ok(())
}
