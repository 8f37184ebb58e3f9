//! The matrices of one skeleton at one moment.

use crate::error::RigError;
use crate::local_pose::LocalPose;
use crate::matrix::Matrix;
use crate::rig::{NameMatch, Rig};
use crate::sampler::{Blend, Sampler, rigid};
use alloc::vec::Vec;
use glam::Affine3A;
use meshwright_scene::MeshId;

/// Local, model-space and palette matrices of one skeleton. Made once, filled again for every frame without
/// allocating.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose<M> {
    locals: Vec<M>,
    model: Vec<M>,
    palette: Vec<M>,
}

impl<M: Matrix> Pose<M> {
    /// The rest pose.
    pub fn new(rig: &Rig) -> Self {
        let identity = || alloc::vec![M::IDENTITY; rig.joint_count()];
        let mut pose = Self { locals: identity(), model: identity(), palette: identity() };
        // The buffers were made for this rig, so nothing is refused.
        let _ = pose.set_rest(rig);
        pose
    }

    /// Back to the rest pose.
    ///
    /// # Errors
    ///
    /// Where the pose is of another skeleton.
    pub fn set_rest(&mut self, rig: &Rig) -> Result<(), RigError> {
        rig.copy_rest_to(&mut self.locals)?;
        self.update(rig)
    }

    /// The pose of a clip at a frame; see [`Sampler::sample`].
    ///
    /// # Errors
    ///
    /// Where the pose or the clip is of another skeleton.
    pub fn sample(&mut self, rig: &Rig, sampler: &Sampler<'_>, frame: f64) -> Result<(), RigError> {
        sampler.sample(rig, frame, &mut self.locals)?;
        self.update(rig)
    }

    /// The pose of a clip at a time in seconds.
    ///
    /// # Errors
    ///
    /// As [`sample`](Self::sample).
    pub fn sample_seconds(&mut self, rig: &Rig, sampler: &Sampler<'_>, seconds: f64) -> Result<(), RigError> {
        self.sample(rig, sampler, sampler.clip().frame_at(seconds))
    }

    /// Local matrices, to be changed by hand; call [`update`](Self::update) afterwards.
    pub fn local_matrices_mut(&mut self) -> &mut [M] {
        &mut self.locals
    }

    /// Computes model-space matrices and palette from the local matrices.
    ///
    /// # Errors
    ///
    /// Where the pose is of another skeleton.
    pub fn update(&mut self, rig: &Rig) -> Result<(), RigError> {
        rig.compute_model_matrices(&self.locals, &mut self.model)?;
        rig.compute_palette(&self.model, &mut self.palette)
    }

    /// Matrices relative to the parents.
    pub fn local_matrices(&self) -> &[M] {
        &self.locals
    }

    /// Matrices relative to the model.
    pub fn model_matrices(&self) -> &[M] {
        &self.model
    }

    /// Matrices that move vertices from the bind pose to this one.
    pub fn palette(&self) -> &[M] {
        &self.palette
    }

    /// Where something hangs that is attached to the first joint of that name.
    pub fn attachment(&self, rig: &Rig, name: &str, by: NameMatch) -> Option<M> {
        self.model.get(rig.find_joint(name, by)?).copied()
    }

    /// The mesh that bounds a joint, and what takes its positions to where the joint holds them, whatever joints its own
    /// vertices follow. `None` for a joint without.
    pub fn solid(&self, rig: &Rig, joint: usize) -> Option<(MeshId, M)> {
        Some((rig.solid(joint)?, *self.palette.get(joint)?))
    }
}

impl Pose<Affine3A> {
    /// Local, model-space and palette matrices of a pose in parts. Where only the latter two are needed
    /// [`Rig::compose`] is faster.
    ///
    /// # Errors
    ///
    /// Where one of the poses is of another skeleton.
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
/// Where the slices differ in length.
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
