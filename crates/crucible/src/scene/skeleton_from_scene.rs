//! Converts a scene to a skeleton, by the inverse of the engine's pose rule.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "vectors of fixed size, and scenes that were checked before"
)]

use crate::scene::from_scene::one_skeleton;
use crate::scene::target::CrucibleTarget;
use crate::scene::to_scene::AXES;
use crate::skeleton::model::{Bone, MAX_BONES, QuaternionOrder, SkeletonChunk};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::f32s;
use meshwright_core::math::{Trs64, narrow, quat, sub};
use meshwright_scene::{
    AxisMap, BindPose, Budget, ConvertError, Converted, FromSceneOptions, Loss, Scene, SkeletonId,
    Unsupported,
};

/// Joints whose matrices differ from translation, rotation and scale by more than this are reported.
const SHEAR: f64 = 1e-5;

impl SkeletonChunk {
    /// Converts a skeleton in its bind pose: the one that the options choose, otherwise that of the first
    /// mesh that has one, otherwise the first. If it has several roots, they get a new root above them,
    /// which has the last number so that the others keep theirs.
    ///
    /// # Errors
    /// If the scene breaks its own rules or has no such skeleton, if there are too many bones to number, or
    /// if the skeleton would take more than the limits allow.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<CrucibleTarget>,
    ) -> Result<Converted<Self>, ConvertError> {
        let budget = options.budget();
        let (scene, mut losses) = one_skeleton(scene, options, &budget)?;
        let scene = &*scene;
        let used = || scene.meshes.iter().find_map(|m| Some(m.skin.as_ref()?.skeleton));
        let id = options.format.skeleton.or_else(used).unwrap_or(SkeletonId(0));
        let lacks = [Unsupported::Clips, Unsupported::Materials];
        Unsupported::report(&lacks, scene, &mut losses);
        if !scene.meshes.is_empty() {
            let message = "the format has no meshes";
            losses.push(Loss::new("meshes-dropped", "meshes", message).with_count(
                scene.meshes.len(),
                "mesh",
                "meshes",
            ));
        }
        // Skeletons that were joined to another have no joints left.
        let others =
            scene.skeletons.iter().enumerate().filter(|(i, s)| *i != id.0 && !s.joints.is_empty()).count();
        let skeleton = skeleton(scene, (id, others), &AXES, options, &budget, &mut losses)?;
        Ok(Converted::new(skeleton, losses))
    }
}

/// Converts one skeleton of a validated scene; the others are lost. `axes` convert from the file's space to
/// glTF's.
pub(crate) fn skeleton(
    scene: &Scene,
    (id, others): (SkeletonId, usize),
    axes: &AxisMap,
    options: &FromSceneOptions<CrucibleTarget>,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<SkeletonChunk, ConvertError> {
    let path = || format!("skeletons[{}]", id.0);
    let missing = || ConvertError::invalid(path(), "does not exist or its joints form no tree");
    let source = scene.skeletons.get(id.0).ok_or_else(missing)?;
    // A chunk stores vertices in the bind pose, and no bind matrices.
    let bind = BindPose::solve(scene, id, budget)?;
    let map = options.axes(scene, axes);
    let each =
        size_of::<Bone>() + size_of::<Trs64>() + size_of::<Option<usize>>() + size_of::<Vec<u16>>() + 2;
    budget.charge_items("bones", (source.joints.len() as u64).saturating_add(1), each)?;
    let (mut poses, mut shear) = (Vec::with_capacity(source.joints.len() + 1), 0.0_f64);
    for matrix in bind.model.iter().map(|m| map.affine64(m)) {
        let pose = Trs64::from_affine(&matrix);
        shear = shear.max(pose.misfit(&matrix));
        poses.push(pose);
    }
    let mut parents: Vec<_> = source.joints.iter().map(|j| j.parent).collect();
    if parents.iter().filter(|p| p.is_none()).count() != 1 {
        let root = poses.len();
        parents.iter_mut().filter(|p| p.is_none()).for_each(|p| *p = Some(root));
        parents.push(None);
        poses.push(Trs64::IDENTITY);
        losses.push(Loss::note("root-added", path(), format!("bone {root} was added as the only root")));
    }
    if poses.len() > MAX_BONES {
        let message = format!("{} bones, at most {MAX_BONES} can be numbered", poses.len());
        return Err(ConvertError::unsupported(path(), message));
    }
    let bones = poses.iter().zip(&parents).map(|(pose, parent)| {
        let above = parent.and_then(|p| poses.get(p));
        bone(pose, above, parent.and_then(|p| u16::try_from(p).ok()), options.format.quaternions)
    });
    let mut made = SkeletonChunk::new(bones.collect());
    made.order = options.format.quaternions;
    made.list_children();
    if others > 0 {
        let message = "a file holds one skeleton";
        losses
            .push(Loss::new("skeletons-dropped", "skeletons", message).with_count(others, "other", "others"));
    }
    if bind.differs_from_rest {
        let message = "joints rest elsewhere than they are bound";
        losses.push(Loss::new("rest-pose-dropped", path(), message));
    }
    if shear > SHEAR {
        let loss = Loss::new("joint-shear", path(), "bones cannot shear").with_amount(shear, "of a matrix");
        losses.push(loss.noise_below(Loss::NOISE));
    }
    Unsupported::report(&[Unsupported::JointNames, Unsupported::Follows], scene, losses);
    Ok(made)
}

/// Returns the bone whose pose by the engine's rule is `pose`, if the pose of its parent is `above`.
fn bone(pose: &Trs64, above: Option<&Trs64>, parent: Option<u16>, order: QuaternionOrder) -> Bone {
    let above = above.copied().unwrap_or(Trs64::IDENTITY);
    let over = |a: f64, b: f64, flat: f64| if b == 0.0 { flat } else { a / b };
    // The engine rotates by the inverse of the parent's rotation. The inverse of that is the rotation
    // itself.
    let turned = quat::rotate(above.rotation, sub(pose.translation, above.translation));
    let divided = |[a, b, c]: [f64; 3], [x, y, z]: [f64; 3], flat| {
        [over(a, x, flat), over(b, y, flat), over(c, z, flat)]
    };
    let position = divided(turned, above.scale, 0.0);
    let scale = divided(pose.scale, above.scale, 1.0);
    let [x, y, z, w] = narrow(quat::product(pose.rotation, quat::conjugate(above.rotation)));
    let rotation = match order {
        QuaternionOrder::Xyzw => [x, y, z, w],
        QuaternionOrder::Wxyz => [w, x, y, z],
    };
    Bone {
        position: f32s(narrow(position)),
        rotation: f32s(rotation),
        scale: f32s(narrow(scale)),
        parent,
        children: Vec::new(),
    }
}
