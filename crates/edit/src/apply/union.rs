//! A patch of a scene with several skeletons, for formats that have one.

use crate::patch::{ClipPatch, Patch, Poses};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::Budget;
use meshwright_scene::{ConvertError, Loss, Scene};

impl Patch {
    /// The patch with all skeletons of the scene as one, as [`Scene::with_one_skeleton`] puts them together. A clip that
    /// becomes one with others is new.
    ///
    /// # Errors
    /// As [`Scene::with_one_skeleton`].
    pub fn with_one_skeleton(
        &self,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Cow<'_, Self>, ConvertError> {
        let Cow::Owned(scene) =
            Scene::with_one_skeleton(Cow::Borrowed(&self.scene), |_| true, budget, losses)?
        else {
            return Ok(Cow::Borrowed(self));
        };
        let mut joints: Vec<Vec<_>> = scene.skeletons.iter().map(|_| Vec::new()).collect();
        let home = self.joints.iter().position(|list| !list.is_empty());
        if let Some(all) = home.and_then(|home| joints.get_mut(home)) {
            all.extend(self.joints.iter().flatten().copied());
        }
        let mut old = self.scene.clips.iter().zip(&self.clips);
        let mut clips: Vec<ClipPatch> = Vec::with_capacity(scene.clips.len());
        for clip in &scene.clips {
            let (was, own) = match old.find(|(was, _)| (&was.name, was.frames) == (&clip.name, clip.frames)) {
                Some((was, own)) => (Some(was), own.clone()),
                None => (None, ClipPatch::default()),
            };
            let joined = was.is_none_or(|was| was.motion != clip.motion);
            let first = was.map(|was| was.skeleton.0) == home;
            clips.push(if joined || !first { ClipPatch { poses: Poses::New, ..own } } else { own });
        }
        Ok(Cow::Owned(Self { scene, joints, clips, ..self.clone() }))
    }
}
