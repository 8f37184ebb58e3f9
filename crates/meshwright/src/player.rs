//! A model that plays its clips.

use crate::clip_frame::find_clip;
use crate::error::{Error, ErrorKind};
use meshwright_rig::Evaluator;
use meshwright_scene::{MeshId, MeshPose, Scene};
use std::sync::Arc;

/// A scene with the pose of its skeletons at a time of a clip. It begins in the bind pose.
#[derive(Debug)]
pub struct Player {
    scene: Arc<Scene>,
    evaluator: Evaluator<Arc<Scene>>,
}

impl Player {
    pub(crate) fn new(scene: Scene) -> Result<Self, Error> {
        let scene = Arc::new(scene);
        Ok(Self { evaluator: Evaluator::new(Arc::clone(&scene))?, scene })
    }

    /// Moves to a time of a clip in seconds. The clip has this name, or this number.
    ///
    /// # Errors
    /// If the scene has no clip of this name or number.
    pub fn seek(&mut self, clip: &str, seconds: f64) -> Result<(), Error> {
        let found = find_clip(clip, &self.scene);
        let clip = found.map_err(|why| Error::new(ErrorKind::NotFound, "usage", why))?;
        Ok(self.evaluator.pose_seconds(clip, seconds)?)
    }

    /// Returns the positions and normals of a mesh in the pose.
    ///
    /// # Errors
    /// If the scene has fewer meshes.
    pub fn mesh(&self, index: usize) -> Result<MeshPose, Error> {
        Ok(self.evaluator.mesh(MeshId(index))?)
    }

    /// Returns the scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }
}
