//! Joins the skeletons of a scene, and reduces them to the number of joints that a format allows.

use crate::animation::motion::{Clip, Motion, PoseSet, PoseSetId, Track};
use crate::convert::ConvertError;
use crate::convert::loss::Loss;
use crate::flatten::bytes as mesh_bytes;
use crate::model::Scene;
use crate::model::extra::Extra;
use crate::model::ids::SkeletonId;
use crate::skeleton::{Joint, Skeleton};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::Affine;
use meshwright_core::{Budget, LimitExceeded, SortedMap};

/// The maximum number of bones of a format, or of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostBones<'a> {
    /// The maximum number of joints of a skeleton.
    pub most: usize,
    /// The name of the limit's owner: `the format`, or the name of an engine.
    pub by: &'a str,
}

impl Scene {
    /// Joins all skeletons that are `meant` into the first of them, for formats with a single skeleton. The
    /// joints are appended. The other skeletons stay in the list without joints, so that ids stay valid.
    /// Clips of several skeletons with the same name, rate and length become one clip. A scene with one such
    /// skeleton is unchanged.
    ///
    /// # Errors
    /// If a clip does not fit its skeleton, or if the budget does not suffice for the copy.
    pub fn with_one_skeleton<'s>(
        scene: Cow<'s, Self>,
        meant: impl Fn(SkeletonId) -> bool,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Cow<'s, Self>, ConvertError> {
        let mut joints = 0_usize;
        let mut firsts: SortedMap<usize, usize> = SortedMap::new();
        for (i, skeleton) in scene.skeletons.iter().enumerate() {
            if meant(SkeletonId(i)) && !skeleton.joints.is_empty() {
                firsts.insert(i, joints);
                joints = joints.saturating_add(skeleton.joints.len());
            }
        }
        let Some((&home, _)) = firsts.first_key_value().filter(|_| firsts.len() > 1) else {
            return Ok(scene);
        };
        let mut made = owned(scene, budget)?;
        let message = "skeletons became one; each keeps its position";
        losses.push(Loss::note("skeletons-joined", "skeletons", message).counted(firsts.len()));
        let union = JoinedSkeletons { firsts, home, joints };
        union.skeletons(&mut made, budget)?;
        union.skins(&mut made);
        union.clips(&mut made, budget)?;
        let merged = merge_clips(&mut made, &union, budget)?;
        if merged > 0 {
            let message = "clips of the same name for different skeletons became one";
            losses.push(Loss::note("clips-merged", "clips", message).with_count(merged, "clip", "clips"));
        }
        Ok(Cow::Owned(made))
    }

    /// Reduces a skeleton to the maximum number of joints of a format. It removes joints that move nothing:
    /// leaves first, starting with the last, no more than necessary. It never removes parents, joints that
    /// others follow, joints with a solid, or joints that are `kept`, such as attachments.
    ///
    /// # Errors
    /// If too many joints move something: the error names the limit. If joints do not form a tree, or if the budget
    /// does not suffice for the copy.
    pub fn with_fewer_joints<'s>(
        scene: Cow<'s, Self>,
        id: SkeletonId,
        limit: MostBones<'_>,
        kept: impl Fn(&Joint) -> bool,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Cow<'s, Self>, ConvertError> {
        let count = scene.skeletons.get(id.0).map_or(0, |s| s.joints.len());
        if count <= limit.most {
            return Ok(scene);
        }
        let path = format!("skeletons[{}]", id.0);
        let mut keep = needed(&scene, id, &kept, budget)?;
        let least = keep.iter().filter(|k| **k).count();
        if least > limit.most {
            let message = format!("{count} bones, {least} of them used; {} accepts {}", limit.by, limit.most);
            return Err(ConvertError::unsupported(path, message));
        }
        let order = scene.skeletons.get(id.0).and_then(Skeleton::order).unwrap_or_default();
        let mut spare = limit.most.saturating_sub(least);
        // Parents first: a joint stays only if its parent stays.
        for j in order {
            if let Some(slot) = keep.get_mut(j).filter(|k| !**k && spare > 0) {
                *slot = true;
                spare = spare.saturating_sub(1);
            }
        }
        let dropped = keep.iter().filter(|k| !**k).count();
        let message =
            format!("bones that move nothing were dropped, because {} accepts {}", limit.by, limit.most);
        losses.push(Loss::new("bones-dropped", path, message).with_count(dropped, "bone", "bones"));
        let mut made = owned(scene, budget)?;
        drop_joints(&mut made, id, &keep, budget)?;
        Ok(Cow::Owned(made))
    }
}

/// Returns the scene for changing. A copy is charged.
pub(crate) fn owned(scene: Cow<'_, Scene>, budget: &Budget) -> Result<Scene, LimitExceeded> {
    match scene {
        Cow::Borrowed(scene) => scene.copied(budget),
        Cow::Owned(scene) => Ok(scene),
    }
}

impl Scene {
    /// Returns a copy of the scene, within a budget.
    ///
    /// # Errors
    /// If it would take more memory than is left.
    pub fn copied(&self, budget: &Budget) -> Result<Self, LimitExceeded> {
        budget.charge("the scene", size(self))?;
        Ok(self.clone())
    }
}

/// Estimates the memory of a copy of a scene.
fn size(scene: &Scene) -> u64 {
    let mut all = extra_size(scene.extras.as_ref());
    let mut add = |own: u64, extras: Option<&Extra>| {
        all = all.saturating_add(own).saturating_add(extra_size(extras));
    };
    for mesh in &scene.meshes {
        add(mesh_bytes(mesh), mesh.extras.as_ref());
    }
    for node in &scene.nodes {
        let lists = node.name.len().saturating_add(node.meshes.len().saturating_mul(8));
        add(lists.saturating_add(size_of::<[usize; 40]>()) as u64, node.extras.as_ref());
    }
    for joint in scene.skeletons.iter().flat_map(|s| &s.joints) {
        let lists = joint.name.len().saturating_add(joint.follows.len().saturating_mul(16));
        add(lists.saturating_add(size_of::<Joint>()) as u64, joint.extras.as_ref());
    }
    for set in &scene.pose_sets {
        add((set.locals.len() as u64).saturating_mul(size_of::<Affine>() as u64), None);
    }
    for clip in &scene.clips {
        let motion = match &clip.motion {
            Motion::Poses { frames, .. } => frames.len().saturating_mul(4),
            Motion::Tracks(tracks) => tracks.iter().map(track_size).fold(0, usize::saturating_add),
        };
        let own = size_of::<Clip>().saturating_add(clip.name.len()).saturating_add(motion);
        add(own as u64, clip.extras.as_ref());
    }
    for material in &scene.materials {
        add((material.name.len() as u64).saturating_add(256), None);
    }
    all
}

fn track_size(track: &Track) -> usize {
    let keys = [(&track.translation.frames, 16), (&track.rotation.frames, 20), (&track.scale.frames, 16)];
    keys.iter().map(|(f, each)| f.len().saturating_mul(*each)).fold(size_of::<Track>(), usize::saturating_add)
}

fn extra_size(extra: Option<&Extra>) -> u64 {
    let mut open: Vec<&Extra> = extra.into_iter().collect();
    let mut sum = 0_u64;
    while let Some(value) = open.pop() {
        let own = match value {
            Extra::Text(text) => text.len(),
            Extra::List(list) => {
                open.extend(list);
                0
            }
            Extra::Map(fields) => {
                open.extend(fields.iter().map(|f| &f.1));
                fields.iter().map(|f| f.0.len().saturating_add(size_of::<String>())).sum()
            }
            _ => 0,
        };
        sum = sum.saturating_add(own as u64).saturating_add(size_of::<Extra>() as u64);
    }
    sum
}

/// The skeletons that are being joined.
struct JoinedSkeletons {
    /// The number of the first joint of each skeleton.
    firsts: SortedMap<usize, usize>,
    /// The skeleton that gets all joints.
    home: usize,
    joints: usize,
}

impl JoinedSkeletons {
    fn skeletons(&self, scene: &mut Scene, budget: &Budget) -> Result<(), LimitExceeded> {
        let mut joints = budget.reserve("joints", self.joints)?;
        for (&i, &first) in &self.firsts {
            let Some(skeleton) = scene.skeletons.get_mut(i) else { continue };
            joints.extend(core::mem::take(&mut skeleton.joints).into_iter().map(|mut joint| {
                joint.parent = joint.parent.map(|p| p.saturating_add(first));
                joint.follows.iter_mut().for_each(|f| f.0 = f.0.saturating_add(first));
                joint
            }));
        }
        if let Some(home) = scene.skeletons.get_mut(self.home) {
            home.joints = joints;
        }
        Ok(())
    }

    fn skins(&self, scene: &mut Scene) {
        for skin in scene.meshes.iter_mut().filter_map(|m| m.skin.as_mut()) {
            let Some(&first) = self.firsts.get(&skin.skeleton.0) else { continue };
            let first = u32::try_from(first).unwrap_or(u32::MAX);
            skin.skeleton = SkeletonId(self.home);
            skin.influences.iter_mut().for_each(|i| i.joint = i.joint.saturating_add(first));
        }
    }

    fn clips(&self, scene: &mut Scene, budget: &Budget) -> Result<(), ConvertError> {
        let Scene { clips, pose_sets, skeletons, .. } = scene;
        let joints = skeletons.get(self.home).map_or(&[][..], |s| &s.joints);
        // The extended pose sets, by the original set and the number of its first joint.
        let mut known: SortedMap<(usize, usize), usize> = SortedMap::new();
        for (i, clip) in clips.iter_mut().enumerate() {
            let Some(&first) = self.firsts.get(&clip.skeleton.0) else { continue };
            match &mut clip.motion {
                Motion::Tracks(tracks) => {
                    tracks.iter_mut().for_each(|t| t.joint = t.joint.saturating_add(first));
                }
                Motion::Poses { set, .. } => {
                    let missing = || ConvertError::invalid(format!("clips[{i}]"), "names missing poses");
                    let old = pose_sets.get(set.0).ok_or_else(missing)?;
                    set.0 = match known.get(&(set.0, first)) {
                        Some(known) => *known,
                        None => {
                            let wide = widened(old, first, joints, budget)?;
                            pose_sets.push(wide);
                            let new = pose_sets.len().saturating_sub(1);
                            known.insert((set.0, first), new);
                            new
                        }
                    };
                }
            }
            // The clip keeps its skeleton number, because the merge of clips needs it. It is changed
            // afterwards.
        }
        Ok(())
    }
}

/// Extends poses of some joints to all joints. The others have their rest pose.
fn widened(set: &PoseSet, first: usize, joints: &[Joint], budget: &Budget) -> Result<PoseSet, LimitExceeded> {
    let mut locals = budget.reserve("poses", set.len().saturating_mul(joints.len()))?;
    for p in 0..set.len() {
        let start = locals.len();
        locals.extend(joints.iter().map(|j| j.rest.to_affine()));
        let own = start.saturating_add(first);
        let to = locals.iter_mut().skip(own);
        for (to, from) in to.zip(set.pose(p).unwrap_or_default()) {
            *to = *from;
        }
    }
    Ok(PoseSet { joints: joints.len(), locals })
}

/// Moves the clips of all skeletons to the joint one, and merges those of one motion. Returns how many were
/// merged.
fn merge_clips(scene: &mut Scene, union: &JoinedSkeletons, budget: &Budget) -> Result<usize, LimitExceeded> {
    type Key = (String, u32, u32, bool, u8, usize);
    budget.charge_items("clips", scene.clips.len() as u64, size_of::<(Clip, Key)>())?;
    let mut places: SortedMap<Key, usize> = SortedMap::new();
    // Counts how often a skeleton has a clip with this key.
    let mut seen: SortedMap<(usize, Key), usize> = SortedMap::new();
    let before = scene.clips.len();
    let mut made: Vec<Clip> = Vec::with_capacity(before);
    for mut clip in core::mem::take(&mut scene.clips) {
        let Some(&first) = union.firsts.get(&clip.skeleton.0) else {
            made.push(clip);
            continue;
        };
        budget.charge("names", (clip.name.len() as u64).saturating_mul(2))?;
        let tracks = matches!(clip.motion, Motion::Tracks(_));
        let rule = clip.interpolation as u8;
        let mut key = (clip.name.clone(), clip.rate.to_bits(), clip.frames, clip.looping, rule, 0);
        let nth = seen.entry((clip.skeleton.0, key.clone())).or_insert(0);
        key.5 = *nth;
        *nth = nth.saturating_add(1);
        let own = union.size_of(clip.skeleton.0);
        clip.skeleton = SkeletonId(union.home);
        let there = places.get(&key).and_then(|p| made.get_mut(*p));
        match (there, clip.motion) {
            (Some(Clip { motion: Motion::Tracks(all), .. }), Motion::Tracks(more)) => all.extend(more),
            (
                Some(Clip { motion: Motion::Poses { set, frames }, .. }),
                Motion::Poses { set: more, frames: shown },
            ) => {
                let both = merged_poses(
                    &scene.pose_sets,
                    (*set, frames),
                    (more, &shown),
                    first..first.saturating_add(own),
                    budget,
                )?;
                scene.pose_sets.push(both);
                *set = PoseSetId(scene.pose_sets.len().saturating_sub(1));
                *frames = (0..clip.frames).collect();
            }
            (_, motion) => {
                clip.motion = motion;
                // Poses and keys cannot be merged.
                if tracks || !places.contains_key(&key) {
                    places.insert(key, made.len());
                }
                made.push(clip);
            }
        }
    }
    scene.clips = made;
    Ok(before.saturating_sub(scene.clips.len()))
}

impl JoinedSkeletons {
    /// Returns the number of joints of a skeleton before joining.
    fn size_of(&self, skeleton: usize) -> usize {
        let first = self.firsts.get(&skeleton).copied().unwrap_or(0);
        let next = self.firsts.range(skeleton.saturating_add(1)..).next().map_or(self.joints, |n| *n.1);
        next.saturating_sub(first)
    }
}

/// Returns a pose for every frame: that of one clip with some joints of another.
fn merged_poses(
    sets: &[PoseSet],
    (base, shown): (PoseSetId, &[u32]),
    (over, placed): (PoseSetId, &[u32]),
    joints: core::ops::Range<usize>,
    budget: &Budget,
) -> Result<PoseSet, LimitExceeded> {
    let (Some(base), Some(over)) = (sets.get(base.0), sets.get(over.0)) else {
        return Ok(PoseSet::default());
    };
    let mut locals = budget.reserve("poses", shown.len().saturating_mul(base.joints))?;
    for (a, b) in shown.iter().zip(placed) {
        let start = locals.len();
        locals.extend_from_slice(base.pose(*a as usize).unwrap_or_default());
        let to = locals.get_mut(start..).and_then(|p| p.get_mut(joints.clone()));
        let from = over.pose(*b as usize).and_then(|p| p.get(joints.clone()));
        if let Some((to, from)) = to.zip(from) {
            to.copy_from_slice(from);
        }
    }
    Ok(PoseSet { joints: base.joints, locals })
}

/// Marks the joints that move, bind or carry something, or are kept, and all joints that these need.
fn needed(
    scene: &Scene,
    id: SkeletonId,
    kept: &impl Fn(&Joint) -> bool,
    budget: &Budget,
) -> Result<Vec<bool>, ConvertError> {
    let invalid = || ConvertError::invalid(format!("skeletons[{}]", id.0), "its joints form no tree");
    let skeleton = scene.skeletons.get(id.0).ok_or_else(invalid)?;
    budget.charge_items("joints", skeleton.joints.len() as u64, size_of::<[usize; 4]>())?;
    let mut keep: Vec<bool> = skeleton.joints.iter().map(|j| j.solid.is_some() || kept(j)).collect();
    for skin in scene.meshes.iter().filter_map(|m| m.skin.as_ref()).filter(|s| s.skeleton == id) {
        for i in skin.influences.iter().filter(|i| i.weight != 0.0) {
            if let Some(slot) = keep.get_mut(i.joint as usize) {
                *slot = true;
            }
        }
    }
    for j in skeleton.order().ok_or_else(invalid)?.into_iter().rev() {
        let Some(joint) = skeleton.joints.get(j).filter(|_| keep.get(j) == Some(&true)) else { continue };
        for other in joint.parent.iter().chain(joint.follows.iter().map(|f| &f.0)) {
            if let Some(slot) = keep.get_mut(*other) {
                *slot = true;
            }
        }
    }
    Ok(keep)
}

/// Removes joints that no remaining joint needs.
fn drop_joints(
    scene: &mut Scene,
    id: SkeletonId,
    keep: &[bool],
    budget: &Budget,
) -> Result<(), ConvertError> {
    let mut places: Vec<Option<usize>> = budget.reserve("joints", keep.len())?;
    let mut next = 0_usize;
    for &stays in keep {
        places.push(stays.then_some(next));
        next = next.saturating_add(usize::from(stays));
    }
    let place = |j: usize| places.get(j).copied().flatten();
    let Scene { skeletons, meshes, clips, pose_sets, .. } = scene;
    if let Some(skeleton) = skeletons.get_mut(id.0) {
        let mut stays = keep.iter();
        skeleton.joints.retain(|_| stays.next() == Some(&true));
        for joint in &mut skeleton.joints {
            joint.parent = joint.parent.and_then(place);
            joint.follows.retain_mut(|(j, _)| place(*j).map(|at| *j = at).is_some());
        }
    }
    for skin in meshes.iter_mut().filter_map(|m| m.skin.as_mut()).filter(|s| s.skeleton == id) {
        // Influences on removed joints have weight 0.
        for i in &mut skin.influences {
            i.joint = place(i.joint as usize).and_then(|p| u32::try_from(p).ok()).unwrap_or(0);
        }
    }
    let mut known: SortedMap<usize, usize> = SortedMap::new();
    for clip in clips.iter_mut().filter(|c| c.skeleton == id) {
        match &mut clip.motion {
            Motion::Tracks(tracks) => tracks.retain_mut(|t| place(t.joint).map(|p| t.joint = p).is_some()),
            Motion::Poses { set, .. } => {
                if let Some(new) = known.get(&set.0) {
                    set.0 = *new;
                    continue;
                }
                let Some(old) = pose_sets.get(set.0) else { continue };
                let mut locals = budget.reserve("poses", old.len().saturating_mul(next))?;
                for p in 0..old.len() {
                    let pose = old.pose(p).unwrap_or_default().iter().zip(keep);
                    locals.extend(pose.filter(|(_, stays)| **stays).map(|(m, _)| *m));
                }
                pose_sets.push(PoseSet { joints: next, locals });
                let new = pose_sets.len().saturating_sub(1);
                known.insert(set.0, new);
                set.0 = new;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
