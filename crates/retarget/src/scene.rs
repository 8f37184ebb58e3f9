//! Retargets whole scenes to another skeleton.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint, of skeletons that were prepared"
)]

use crate::clip::Baker;
use crate::error::MapError;
use crate::limbs::Hold;
use crate::map::BoneMap;
use crate::map_file::MapFile;
use crate::mesh::Rebinding;
use crate::report::{BoneReport, Report};
use crate::retargeter::Retargeter;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_rig::Matrix;
use meshwright_rig::glam::DAffine3;
use meshwright_scene::math::Affine64;
use meshwright_scene::{
    Affine, BindPose, Budget, ConvertError, Converted, Limits, Local, Loss, Mesh, Motion, Scene, Skeleton,
    SkeletonId,
};

/// Options of [`retarget_scene`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RetargetOptions {
    /// The bone map; if `None`, it is guessed.
    pub map: Option<MapFile>,
    /// The ends of limbs that follow the source's path.
    pub hold: Hold,
    /// The limit of memory.
    pub limits: Limits,
}

impl RetargetOptions {
    /// Sets the bone map.
    #[must_use]
    pub fn with_map(mut self, map: impl Into<Option<MapFile>>) -> Self {
        self.map = map.into();
        self
    }

    /// Sets whether feet or hands follow the source's path.
    #[must_use]
    pub const fn with_hold(mut self, hold: Hold) -> Self {
        self.hold = hold;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// A scene that was retargeted to another skeleton.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retargeted {
    /// The meshes and clips of the source on the target's skeleton.
    pub scene: Scene,
    /// The map that was used.
    pub map: MapFile,
    /// The mapped bones, and the errors of the ends of limbs.
    pub report: Report,
}

/// Moves the meshes and clips of a scene to the skeleton of another one.
///
/// If a scene has several skeletons, the pair with the most mapped bones is used. Meshes and clips of the
/// others are dropped, which is a loss.
///
/// # Errors
/// If either scene has no skeleton, if no bone can be mapped, or if the result would take more memory than the limits allow.
pub fn retarget_scene(
    source: &Scene,
    target: &Scene,
    options: &RetargetOptions,
) -> Result<Converted<Retargeted>, ConvertError> {
    let budget = Budget::new(options.limits);
    source.validate().map_err(|e| ConvertError::invalid("source", format!("{e}")))?;
    target.validate().map_err(|e| ConvertError::invalid("target", format!("{e}")))?;
    let (from, to, map) = choose(source, target, options)?;
    let (old, new) = (&source.skeletons[from.0], &target.skeletons[to.0]);
    let joints = old.joints.len().saturating_add(new.joints.len());
    budget.charge_items("joints", joints as u64, 16 * size_of::<DAffine3>())?;
    let retargeter = Retargeter::new(old, new, &map).map_err(unfit)?.with_hold(options.hold);
    let mut losses = Vec::new();
    let mut made = copy_meshes(source, from, target, &mut losses);
    let skeleton = bind(source, from, new, &retargeter, &mut made, &budget)?;
    made.skeletons = alloc::vec![skeleton];
    let mut report = Report { scale: retargeter.scale(), ..Report::default() };
    let mut baker = Baker::new(&retargeter, &budget)?;
    for (i, clip) in source.clips.iter().enumerate().filter(|(_, c)| c.skeleton == from) {
        let (tracks, scaled) = baker.bake(source, i)?;
        if scaled {
            let message = "scale keys are dropped; the target's bones keep their scale";
            losses.push(Loss::new("retarget-scale-dropped", format!("clips[{i}]"), message));
        }
        let mut clip = clip.clone();
        (clip.skeleton, clip.motion) = (SkeletonId(0), Motion::Tracks(tracks));
        if clip.interpolation == meshwright_scene::Interpolation::Matrix {
            clip.interpolation = meshwright_scene::Interpolation::LinearShort;
        }
        made.clips.push(clip);
    }
    report.ends = baker.finish(new);
    report.bones = bones(&map, old, new);
    report.unused = unused(source, from, &map);
    losses.extend(report.losses());
    let map = map.to_file(old, new);
    Ok(Converted::new(Retargeted { scene: made, map, report }, losses))
}

fn unfit(e: MapError) -> ConvertError {
    ConvertError::unsupported("map", format!("{e}"))
}

/// Returns the pair of skeletons with the most mapped bones.
fn choose(
    source: &Scene,
    target: &Scene,
    options: &RetargetOptions,
) -> Result<(SkeletonId, SkeletonId, BoneMap), ConvertError> {
    for (scene, what) in [(source, "source"), (target, "target")] {
        if scene.skeletons.is_empty() {
            return Err(ConvertError::unsupported(
                what,
                "has no skeleton; retargeting needs one on both sides",
            ));
        }
    }
    let mut best: Option<(usize, SkeletonId, SkeletonId, BoneMap)> = None;
    let mut refused = None;
    for (i, old) in source.skeletons.iter().enumerate() {
        for (j, new) in target.skeletons.iter().enumerate() {
            let map = match &options.map {
                Some(file) => BoneMap::from_file(file, old, new),
                None => BoneMap::guess(old, new),
            };
            match map {
                Ok(map) => {
                    let count = map.pairs().count();
                    if best.as_ref().is_none_or(|b| count > b.0) {
                        best = Some((count, SkeletonId(i), SkeletonId(j), map));
                    }
                }
                Err(e) => {
                    refused.get_or_insert(e);
                }
            }
        }
    }
    match (best, refused) {
        (Some((_, from, to, map)), _) => Ok((from, to, map)),
        (None, e) => Err(unfit(e.unwrap_or(MapError::Empty))),
    }
}

/// Returns the source with the meshes that are bound to its skeleton `from`, without skeletons and clips.
fn copy_meshes(source: &Scene, from: SkeletonId, target: &Scene, losses: &mut Vec<Loss>) -> Scene {
    let mut made = Scene::new(source.name.clone()).in_space(source.space).with_format(target.format.clone());
    made.scale = target.scale;
    made.materials.clone_from(&source.materials);
    made.variants.clone_from(&source.variants);
    made.meshes.clone_from(&source.meshes);
    made.nodes.clone_from(&source.nodes);
    made.levels.clone_from(&source.levels);
    let is_dropped = |mesh: &Mesh| {
        !mesh.positions.is_empty() && mesh.skin.as_ref().is_none_or(|skin| skin.skeleton != from)
    };
    for node in &mut made.nodes {
        node.meshes.retain(|m| !is_dropped(&made.meshes[m.0]));
    }
    let mut dropped = 0;
    // The others keep their numbers.
    for mesh in made.meshes.iter_mut().filter(|mesh| is_dropped(mesh)) {
        dropped += 1;
        *mesh = Mesh::default().with_name(core::mem::take(&mut mesh.name));
    }
    if dropped > 0 {
        let message = "meshes that are not bound to the skeleton are dropped";
        losses.push(
            Loss::new("retarget-meshes-dropped", "meshes", message).with_count(dropped, "mesh", "meshes"),
        );
    }
    let clips = source.clips.iter().filter(|c| c.skeleton != from).count();
    if clips > 0 {
        let message = "clips of other skeletons are dropped";
        losses.push(Loss::new("retarget-clips-dropped", "clips", message).with_count(clips, "clip", "clips"));
    }
    made
}

/// Binds the meshes to the target's skeleton, in the pose in which the source is bound. Returns that
/// skeleton.
fn bind(
    source: &Scene,
    from: SkeletonId,
    new: &Skeleton,
    retargeter: &Retargeter,
    made: &mut Scene,
    budget: &Budget,
) -> Result<Skeleton, ConvertError> {
    let pose: Vec<DAffine3> = BindPose::solve(source, from, budget)?.model.iter().map(wide).collect();
    let mut target_pose = alloc::vec![DAffine3::IDENTITY; new.joints.len()];
    retargeter.retarget(&pose, &mut target_pose).map_err(|e| unfit(e.into()))?;
    let rebinding = Rebinding::new(retargeter, &pose, &target_pose);
    for mesh in &mut made.meshes {
        rebinding.apply(mesh, SkeletonId(0), budget)?;
    }
    let mut skeleton = new.clone();
    for (joint, pose) in skeleton.joints.iter_mut().zip(&target_pose) {
        // Meshes that bound joints stay with the target.
        joint.solid = None;
        let inverse = pose.inverse();
        joint.inverse_bind = if inverse.is_finite() { Matrix::to_affine(&inverse) } else { Affine::IDENTITY };
    }
    Ok(skeleton)
}

fn wide(m: &Affine64) -> DAffine3 {
    DAffine3::from_cols_array_2d(&[m.x, m.y, m.z, m.w])
}

fn bones(map: &BoneMap, old: &Skeleton, new: &Skeleton) -> Vec<BoneReport> {
    let one = |(i, joint): (usize, &meshwright_scene::Joint)| {
        let bone = map.get(i);
        let source = bone.and_then(|bone| Some(old.joints.get(bone.source)?.name.clone()));
        BoneReport { target: joint.name.clone(), source, basis: bone.map(|b| b.basis) }
    };
    new.joints.iter().enumerate().map(one).collect()
}

/// Returns the source bones whose motion in a clip is not transferred.
fn unused(source: &Scene, from: SkeletonId, map: &BoneMap) -> Vec<String> {
    let skeleton = &source.skeletons[from.0];
    let joints = &skeleton.joints;
    let mut is_lost = alloc::vec![false; joints.len()];
    for clip in source.clips.iter().filter(|c| c.skeleton == from) {
        match &clip.motion {
            Motion::Tracks(tracks) => tracks.iter().for_each(|t| is_lost[t.joint] |= is_moving(t, joints)),
            Motion::Poses { .. } => is_lost.fill(true),
        }
    }
    let lost = joints.iter().zip(is_lost).zip(map.transferred(skeleton));
    lost.filter(|((_, is_lost), transferred)| *is_lost && !transferred)
        .map(|((j, _), _)| j.name.clone())
        .collect()
}

/// Returns true if keys differ from the rest pose.
fn is_moving(track: &meshwright_scene::Track, joints: &[meshwright_scene::Joint]) -> bool {
    let Some(Local::Trs(rest)) = joints.get(track.joint).map(|j| j.rest) else { return true };
    let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-4 * b.abs().max(1.0));
    let turned = |q: &[f32; 4]| !near(q, &rest.rotation) && !near(&q.map(|c| -c), &rest.rotation);
    track.translation.values.iter().any(|t| !near(t, &rest.translation))
        || track.rotation.values.iter().any(turned)
        || track.scale.values.iter().any(|s| !near(s, &rest.scale))
}
