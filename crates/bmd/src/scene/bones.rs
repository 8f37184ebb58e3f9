//! Converts joints to bones.

use super::names::name;
use crate::math::degrees;
use crate::model::{Bmd, Bone};
use crate::pose::Base;
use crate::transform::BoneTransform;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64, distance, narrow, quat};
use meshwright_core::num::{F8A, QuatF8, Se32};
use meshwright_core::{Order as _, SortedMap};
use meshwright_scene::names::Names;
use meshwright_scene::{
    Affine, AxisMap, BindPose, Budget, Channel, Clip, ConvertError, Joint, Local, Loss, Motion, Scene,
    Skeleton, SkeletonId, Track, Trs, Unscaled,
};

/// The maximum number of bones that a vertex can refer to, the base included: 0xFF marks pseudo-bones.
pub(super) const MOST: usize = 255;
/// The memory that the conversion of a joint to a bone needs.
const JOINT: usize = 768;

/// The bones of a model under construction.
pub(super) struct Bones {
    pub(super) skeleton: SkeletonId,
    pub(super) bones: Vec<Bone>,
    /// The bone of each joint, with its transforms.
    pub(super) joints: Vec<Placed>,
    /// True if bones move exactly as their joints: no joint is scaled at rest, and the parent of each bone
    /// is the bone of the joint's parent.
    pub(super) plain: bool,
}

/// The bone of a joint.
#[derive(Clone, Copy, Default)]
pub(super) struct Placed {
    pub(super) bone: usize,
    /// Transforms vertices in the rest pose to the space of the bone, after rounding.
    resting: Binding,
    /// Transforms vertices in the bind pose to the space of the bone.
    bound: Binding,
}

/// The transform of vertices into the space of a bone.
#[derive(Clone, Copy, Default)]
pub(super) struct Binding {
    pub(super) points: Affine64,
    pub(super) normals: Affine64,
}

impl Bones {
    /// Converts the joints of a skeleton to bones, parents first, and joints that follow others last.
    pub(super) fn convert(
        scene: &Scene,
        skeleton: SkeletonId,
        axes: &AxisMap,
        names: &mut Names<'_>,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Self, ConvertError> {
        let path = format!("skeletons[{}]", skeleton.0);
        let invalid = |message: &str| ConvertError::invalid(path.as_str(), message);
        let source = scene.skeletons.get(skeleton.0).ok_or_else(|| invalid("does not exist"))?;
        budget.charge_items("bones", source.joints.len() as u64, JOINT)?;
        let order = source.order().ok_or_else(|| invalid("joints form a cycle"))?;
        let base = order.first().copied().filter(|j| is_base(scene, skeleton, *j));
        let follows = |j: &usize| source.joints.get(*j).is_some_and(|j| !j.follows.is_empty());
        let normal = order.iter().copied().filter(|j| !follows(j) && Some(*j) != base);
        let placed: Vec<usize> = normal.chain(order.iter().copied().filter(follows)).collect();
        if placed.len() >= MOST {
            let message = format!("{} bones, the format has {MOST}", placed.len().saturating_add(1));
            return Err(ConvertError::unsupported(path, message));
        }
        let base_name = base.and_then(|j| source.joints.get(j)).map_or("base", |j| j.name.as_str());
        let base = Bone { name: Some(name(names, base_name, &path, losses)?), ..Bone::default() };
        let unscaled = unscaled(source, budget)?;
        let hung = |joint: &Joint| joint.parent.is_none_or(|p| leader(source, p) == p);
        let plain = unscaled.scaled() == 0 && source.joints.iter().all(hung);
        let mut rests = budget.reserve("bones", source.joints.len())?;
        match plain {
            true => rests.extend(source.joints.iter().map(|j| j.rest.to_trs64())),
            false => rests.extend(unscaled.rest_locals().map(|m| Trs64::from_affine(&m))),
        }
        let mut making = BoneConversion {
            source,
            rests,
            axes,
            path,
            names,
            losses,
            bones: alloc::vec![base],
            joints: alloc::vec![Placed::default(); source.joints.len()],
            followed: SortedMap::new(),
            turned: 0.0,
            moved: 0.0,
        };
        for j in placed {
            making.place(j)?;
        }
        let rounded = [
            ("bones-turned", "bones at rest were rounded; largest turn", making.turned, "degrees"),
            ("bones-moved", "bones at rest were rounded; largest move", making.moved, "units"),
        ];
        for (code, message, amount, unit) in rounded.into_iter().filter(|r| r.2 > Loss::NOISE) {
            making.losses.push(Loss::new(code, making.path.as_str(), message).with_amount(amount, unit));
        }
        if unscaled.scaled() > 0 {
            let message = "joints that are scaled at rest: their vertices and children were moved instead";
            let loss = Loss::note("joint-scale", making.path.as_str(), message);
            making.losses.push(loss.with_count(unscaled.scaled(), "joint", "joints"));
        }
        making.bind(scene, skeleton, budget)?;
        let BoneConversion { bones, joints, .. } = making;
        Ok(Self { skeleton, bones, joints, plain })
    }

    /// Returns a bone's base transform after rounding.
    pub(super) fn base(&self, bone: usize) -> Base {
        self.bones.get(bone).map_or(Base { rotation: quat::IDENTITY, origin: [0.0; 3] }, Base::decode)
    }

    /// Returns true if a clip of the scene becomes a clip of the model.
    pub(super) fn are_moved_by(&self, clip: &Clip) -> bool {
        clip.skeleton == self.skeleton && clip.frames > 0
    }

    /// Returns the clips of a scene that become clips of the model.
    pub(super) fn moved_by<'s>(&self, scene: &'s Scene) -> impl Iterator<Item = (usize, &'s Clip)> {
        scene.clips.iter().enumerate().filter(|(_, clip)| self.are_moved_by(clip))
    }

    /// Returns the joints that each mesh of the scene bounds.
    pub(super) fn solids(&self, scene: &Scene) -> SortedMap<usize, Vec<u32>> {
        let joints = scene.skeletons.get(self.skeleton.0).map_or(&[][..], |s| &s.joints);
        let mut solids: SortedMap<usize, Vec<u32>> = SortedMap::new();
        for (joint, solid) in (0..).zip(joints).filter_map(|(i, j)| Some((i, j.solid?))) {
            solids.entry(solid.0).or_default().push(joint);
        }
        solids
    }

    /// Returns the bone of a joint, and the transform of the joint's vertices to the bone's space. `resting`
    /// states whether vertices are given in the rest pose or in the bind pose.
    pub(super) fn binding(&self, joint: u32, resting: bool) -> (usize, Binding) {
        let placed = self.joints.get(joint as usize).copied().unwrap_or_default();
        (placed.bone, if resting { placed.resting } else { placed.bound })
    }
}

/// Converts joints to bones.
struct BoneConversion<'s, 'n, 'b> {
    source: &'s Skeleton,
    /// The rest transform of each joint's bone, relative to its parent.
    rests: Vec<Trs64>,
    axes: &'s AxisMap,
    path: String,
    names: &'n mut Names<'b>,
    losses: &'n mut Vec<Loss>,
    bones: Vec<Bone>,
    joints: Vec<Placed>,
    /// The bones and weights of joints that follow others.
    followed: SortedMap<usize, Vec<(u8, f32)>>,
    /// The largest turn of a bone by rounding, in degrees. Other poses than the rest pose show it.
    turned: f64,
    /// The largest move of a bone by rounding, in units of the file.
    moved: f64,
}

impl BoneConversion<'_, '_, '_> {
    fn joint_path(&self, j: usize) -> String {
        format!("{}.joints[{j}]", self.path)
    }

    fn place(&mut self, j: usize) -> Result<(), ConvertError> {
        let source = self.source;
        let Some(joint) = source.joints.get(j) else { return Ok(()) };
        let id = self.bones.len();
        if let Some(placed) = self.joints.get_mut(j) {
            placed.bone = id;
        }
        let bone = if joint.follows.is_empty() { self.normal(j, joint)? } else { self.follower(j, joint)? };
        self.bones.push(bone);
        Ok(())
    }

    /// Converts a joint that does not follow others to a bone.
    fn normal(&mut self, j: usize, joint: &Joint) -> Result<Bone, ConvertError> {
        let path = self.joint_path(j);
        let trs = self.rests.get(j).copied().unwrap_or(Trs64::IDENTITY);
        let trs = self.axes.trs64(&trs);
        let origin = trs.translation;
        let rotation = match QuatF8::encode(narrow(trs.rotation)) {
            // The original tool stores the identity as 0.
            QuatF8::IDENTITY => QuatF8::from_bits(0),
            word => word,
        };
        let parent = joint.parent.map(|p| leader(self.source, p));
        if parent != joint.parent {
            let message = "its parent is a joint that follows others; the one with the largest weight becomes its parent";
            self.losses.push(Loss::new("parent-follows", path.as_str(), message));
        }
        let parent = parent.and_then(|p| self.joints.get(p)).map_or(0, |p| p.bone);
        let bone = Bone {
            transform: BoneTransform::new(Se32::encode(narrow(origin)), rotation),
            name: Some(name(self.names, &joint.name, &path, self.losses)?),
            parent: u8::try_from(parent).unwrap_or(0),
            ..Bone::default()
        };
        let base = Base::decode(&bone);
        self.turned = self.turned.max(degrees(trs.rotation, base.rotation));
        self.moved = self.moved.max(distance(origin, base.origin));
        Ok(bone)
    }

    /// Converts a joint that follows others to a pseudo-bone.
    fn follower(&mut self, j: usize, joint: &Joint) -> Result<Bone, ConvertError> {
        let path = self.joint_path(j);
        let parts = self.spread(&joint.follows);
        let bone = Bone {
            transform: BoneTransform::following(stored_parts(&parts, &path, self.losses)),
            name: Some(name(self.names, &joint.name, &path, self.losses)?),
            parent: Bone::PSEUDO,
            ..Bone::default()
        };
        self.followed.insert(j, parts);
        Ok(bone)
    }

    /// Returns the bones that a joint follows. Joints that follow others themselves are replaced by the
    /// bones they follow.
    fn spread(&self, follows: &[(usize, f32)]) -> Vec<(u8, f32)> {
        let mut sum: SortedMap<u8, f32> = SortedMap::new();
        for (j, weight) in follows {
            match self.followed.get(j) {
                Some(parts) => {
                    let total: f32 = parts.iter().map(|p| p.1).sum();
                    let share = if total == 0.0 { 0.0 } else { weight / total };
                    for (bone, w) in parts {
                        *sum.entry(*bone).or_insert(0.0) += share * w;
                    }
                }
                None => {
                    let bone = self.joints.get(*j).and_then(|p| u8::try_from(p.bone).ok());
                    *sum.entry(bone.unwrap_or(0)).or_insert(0.0) += weight;
                }
            }
        }
        sum.into_iter().filter(|p| p.1.is_finite()).collect()
    }

    /// Computes the transform of vertices to the space of each bone. Bones have the rest pose of the joints,
    /// up to rounding, so that joints without keys are correct. Vertices that are bound in another pose are
    /// transformed.
    fn bind(&mut self, scene: &Scene, skeleton: SkeletonId, budget: &Budget) -> Result<(), ConvertError> {
        let cycle = || ConvertError::invalid(self.path.as_str(), "joints form a cycle");
        let rounded = Bmd::default().with_bones(self.bones.clone(), Vec::new());
        let rounded = rounded.rest().ok_or_else(cycle)?.pose(0.0);
        let rest = self.source.rest_model().ok_or_else(cycle)?;
        let moved = match BindPose::solve(scene, skeleton, budget) {
            Ok(bind) => bind.differs_from_rest,
            // No bind pose can be computed, but the positions of joints are not needed here.
            Err(ConvertError::Unsupported { .. }) => true,
            Err(e) => return Err(e),
        };
        if moved {
            let message = "vertices are bound in another pose than the joints rest in; they were moved there";
            self.losses.push(Loss::note("bind-pose", self.path.as_str(), message));
        }
        for ((placed, joint), rest) in self.joints.iter_mut().zip(&self.source.joints).zip(&rest) {
            let bone = rounded.matrices().get(placed.bone).filter(|_| placed.bone > 0);
            // The evaluation transforms normals by the matrix itself, so its inverse undoes that, even with
            // stretching.
            let into = bone.and_then(Affine64::inverse).unwrap_or_default();
            placed.resting = Binding { points: into, normals: into };
            placed.bound = placed.resting;
            if moved {
                let rested = rest.wide().after(&joint.inverse_bind.wide());
                let rested = self.axes.affine64(&rested);
                let normals = rested.normals().unwrap_or(rested);
                placed.bound = Binding { points: into.after(&rested), normals: into.after(&normals) };
            }
        }
        Ok(())
    }
}

/// Prepares the skeleton without scale at rest. Parents are joints that do not follow others.
pub(super) fn unscaled<'s>(source: &'s Skeleton, budget: &Budget) -> Result<Unscaled<'s>, ConvertError> {
    let above = |j: usize| source.joints.get(j).and_then(|j| j.parent).map(|p| leader(source, p));
    Unscaled::new(source, above, budget)
}

/// Returns the joint itself if it does not follow others; otherwise the joint with the largest weight among
/// those it follows.
fn leader(skeleton: &Skeleton, mut joint: usize) -> usize {
    // An ordered skeleton has no cycles, so this ends before it has named every joint.
    for _ in 0..skeleton.joints.len() {
        let follows = skeleton.joints.get(joint).map_or(&[][..], |j| &j.follows);
        match follows.iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((heaviest, _)) => joint = *heaviest,
            None => break,
        }
    }
    joint
}

/// Returns the four bones with the largest weights that a pseudo-bone follows, as stored.
fn stored_parts(follows: &[(u8, f32)], path: &str, losses: &mut Vec<Loss>) -> [(u8, F8A); 4] {
    let mut parts = follows.to_vec();
    parts.order_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    if parts.len() > 4 {
        let message = format!("follows {} others; the four heaviest kept", parts.len());
        losses.push(Loss::new("follows-dropped", path, message));
    }
    parts.truncate(4);
    // Only the ratios matter. The largest weight becomes 1, well inside the range.
    let top = parts.first().map_or(1.0, |p| p.1.abs()).max(f32::MIN_POSITIVE);
    let mut stored = [(0, F8A::ZERO); 4];
    for (slot, (id, weight)) in stored.iter_mut().zip(parts) {
        *slot = (id, F8A::encode(weight / top));
    }
    // Weights that cancel out have no mean, so only the first bone is kept.
    let sum: f64 = stored.iter().map(|p| f64::from(p.1.decode())).sum();
    if sum == 0.0 {
        stored = [(stored[0].0, F8A::ONE), (0, F8A::ZERO), (0, F8A::ZERO), (0, F8A::ZERO)];
        losses.push(Loss::new("follows-cancel", path, "the weights of those it follows sum to zero"));
    }
    stored
}

/// Returns true if the first joint of a skeleton matches the format's bone 0.
pub(super) fn has_base(scene: &Scene, skeleton: SkeletonId) -> bool {
    let order = scene.skeletons.get(skeleton.0).and_then(Skeleton::order).unwrap_or_default();
    order.first().is_some_and(|j| is_base(scene, skeleton, *j))
}

/// Returns true if a transform is the identity up to rounding.
fn stands_still(local: &Affine) -> bool {
    let off = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-6;
    local.to_array().iter().zip(&Affine::IDENTITY.to_array()).all(off)
}

/// Returns true if a joint matches the format's bone 0: a root at the origin that never moves.
fn is_base(scene: &Scene, skeleton: SkeletonId, joint: usize) -> bool {
    let source = scene.skeletons.get(skeleton.0).and_then(|s| s.joints.get(joint));
    let stands =
        |j: &Joint| j.parent.is_none() && j.follows.is_empty() && j.rest == Local::Trs(Trs::IDENTITY);
    let has_keys = |t: &Track| {
        let any = |c: &Channel<[f32; 3]>| !c.is_empty();
        any(&t.translation) || any(&t.scale) || !t.rotation.is_empty()
    };
    let mut clips = scene.clips.iter().filter(|c| c.skeleton == skeleton);
    let moved = clips.any(|c| match &c.motion {
        // A pose set holds a matrix for every joint.
        Motion::Poses { set, frames } => scene.pose_sets.get(set.0).is_none_or(|set| {
            let local = |frame: &u32| set.pose(*frame as usize).and_then(|pose| pose.get(joint));
            frames.iter().filter_map(local).any(|local| !stands_still(local))
        }),
        Motion::Tracks(tracks) => tracks.iter().any(|t| t.joint == joint && has_keys(t)),
    });
    source.is_some_and(stands) && !moved
}
