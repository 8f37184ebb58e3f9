//! Patches of scenes with several skeletons or many joints, for formats with one skeleton or fewer joints.

use crate::patch::{ClipPatch, Patch, Poses};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::Budget;
use meshwright_scene::{ConvertError, Joint, Loss, MostBones, Scene, SkeletonId};

impl Patch {
    /// Joins the skeletons for which `meant` returns true, as [`Scene::with_one_skeleton`] does. Clips that were joined
    /// count as new.
    ///
    /// # Errors
    /// As [`Scene::with_one_skeleton`].
    pub fn with_one_skeleton(
        &self,
        meant: impl Fn(SkeletonId) -> bool,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Cow<'_, Self>, ConvertError> {
        let Cow::Owned(scene) = Scene::with_one_skeleton(Cow::Borrowed(&self.scene), &meant, budget, losses)?
        else {
            return Ok(Cow::Borrowed(self));
        };
        let mut joints: Vec<Vec<_>> = scene.skeletons.iter().map(|_| Vec::new()).collect();
        let home = (0..self.joints.len())
            .find(|s| meant(SkeletonId(*s)) && self.joints.get(*s).is_some_and(|list| !list.is_empty()));
        for (s, list) in self.joints.iter().enumerate() {
            let to = if meant(SkeletonId(s)) { home } else { Some(s) };
            to.and_then(|to| joints.get_mut(to)).into_iter().for_each(|all| all.extend(list));
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

    /// Reduces a skeleton to the number of joints that a format allows, as [`Scene::with_fewer_joints`] does.
    ///
    /// # Errors
    /// As [`Scene::with_fewer_joints`].
    pub fn with_fewer_joints(
        &self,
        id: SkeletonId,
        limit: MostBones<'_>,
        kept: impl Fn(&Joint) -> bool,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Cow<'_, Self>, ConvertError> {
        let own = Cow::Borrowed(&self.scene);
        let scene = Scene::with_fewer_joints(own, id, limit, kept, budget, losses)?;
        let Cow::Owned(scene) = scene else { return Ok(Cow::Borrowed(self)) };
        let list = |scene: &Scene| scene.skeletons.get(id.0).map(|s| s.joints.clone()).unwrap_or_default();
        // Remaining joints keep their order.
        let before = list(&self.scene);
        let mut old = before.iter().enumerate();
        let same = |a: &Joint, b: &Joint| (&a.name, &a.rest) == (&b.name, &b.rest);
        let stays = list(&scene);
        let numbers: Vec<_> =
            stays.iter().filter_map(|new| old.find(|(_, old)| same(old, new)).map(|(n, _)| n)).collect();
        let mut made = Self { scene, ..self.clone() };
        if let Some((to, from)) = made.joints.get_mut(id.0).zip(self.joints.get(id.0)) {
            *to = numbers.iter().filter_map(|n| from.get(*n)).copied().collect();
        }
        let place = |joint: usize| numbers.binary_search(&joint).ok();
        for clip in &mut made.clips {
            if let Poses::Changed(keys) = &mut clip.poses {
                *keys = keys.iter().filter_map(|(frame, joint)| Some((*frame, place(*joint)?))).collect();
            }
        }
        Ok(Cow::Owned(made))
    }
}
