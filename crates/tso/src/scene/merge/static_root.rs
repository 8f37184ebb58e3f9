//! A root that does not move, for vertices whose bones were removed.

use crate::scene::from_scene::is_near;
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::SortedSet;
use meshwright_core::math::{Affine, Affine64};
use meshwright_edit::{JointPatch, Patch};
use meshwright_scene::{
    Budget, ConvertError, Influence, Joint, Local, Loss, Motion, Sampler, Scene, Skeleton, SkeletonId, Skin,
};

/// Binds vertices without a joint to a root that no clip moves. If the skeleton has no such root, it gets one above all
/// others.
pub(super) fn bind_loose_vertices(
    patch: &mut Cow<'_, Patch>,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<(), ConvertError> {
    let Some(id) = patch.scene.skeletons.iter().position(|s| !s.joints.is_empty()) else { return Ok(()) };
    let id = SkeletonId(id);
    let loose = |skin: &Skin| (0..skin.vertex_count()).filter(|v| is_loose(skin, *v)).count();
    let skins = patch.scene.meshes.iter().map(|m| m.skin.as_ref().filter(|skin| skin.skeleton == id));
    let counts: Vec<usize> = skins.map(|skin| skin.map_or(0, loose)).collect();
    if counts.iter().all(|n| *n == 0) {
        return Ok(());
    }
    let found = find_static_root(&patch.scene, id, budget)?;
    if let Cow::Borrowed(own) = patch {
        *patch = Cow::Owned(own.copied(budget)?);
    }
    let Patch { scene, joints, .. } = patch.to_mut();
    let root = match (found, joints.get_mut(id.0)) {
        (Some(root), _) => root,
        (None, Some(list)) => add_root(scene, list, id),
        (None, None) => return Ok(()),
    };
    for (m, (mesh, n)) in scene.meshes.iter_mut().zip(counts).enumerate().filter(|(_, (_, n))| *n > 0) {
        mesh.skin.iter_mut().for_each(|skin| bind(skin, root));
        let message = "vertices without a joint were bound to a root that no clip moves";
        let loss = Loss::note("vertices-unbound", format!("meshes[{m}]"), message);
        losses.push(loss.with_count(n, "vertex", "vertices"));
    }
    Ok(())
}

fn is_loose(skin: &Skin, v: usize) -> bool {
    !skin.influences(v).iter().any(|i| i.weight > 0.0 && i.weight.is_finite())
}

/// Returns a root that rests in its bind pose in every frame of every clip.
fn find_static_root(scene: &Scene, id: SkeletonId, budget: &Budget) -> Result<Option<usize>, ConvertError> {
    let Some(Skeleton { joints, .. }) = scene.skeletons.get(id.0) else { return Ok(None) };
    let rests = |j: &Joint, m: &Affine64| is_near(&m.after(&j.inverse_bind.wide()), &Affine64::IDENTITY);
    let mut roots: Vec<_> = joints.iter().enumerate().filter(|(_, j)| j.parent.is_none()).collect();
    roots.retain(|(_, joint)| rests(joint, &joint.rest.to_affine64()));
    for c in (0..scene.clips.len()).filter(|c| scene.clips.get(*c).is_some_and(|c| c.skeleton == id)) {
        let sampler = Sampler::new(scene, c, budget)?;
        let frames = || sampler.whole_frames();
        budget.work("keys", (frames().len() as u64).saturating_mul(roots.len() as u64))?;
        roots.retain(|(j, joint)| frames().all(|frame| rests(joint, &sampler.local(*j, frame))));
    }
    Ok(roots.first().map(|(j, _)| *j))
}

/// Adds a root above all others to a skeleton and to the poses of its clips. Returns its index.
fn add_root(scene: &mut Scene, list: &mut Vec<JointPatch>, id: SkeletonId) -> usize {
    let Scene { skeletons, clips, pose_sets, .. } = scene;
    let Some(Skeleton { joints, .. }) = skeletons.get_mut(id.0) else { return 0 };
    let root = joints.len();
    for (joint, own) in joints.iter_mut().zip(list.iter_mut()).filter(|(joint, _)| joint.parent.is_none()) {
        (joint.parent, own.parent) = (Some(root), true);
    }
    joints.push(Joint::new("ROOT", None, Local::default()));
    list.push(JointPatch::default());
    let set = |clip: &meshwright_scene::Clip| match clip.motion {
        Motion::Poses { set, .. } if clip.skeleton == id => Some(set.0),
        _ => None,
    };
    for set in clips.iter().filter_map(set).collect::<SortedSet<_>>() {
        let Some(set) = pose_sets.get_mut(set).filter(|set| set.joints == root) else { continue };
        let mut locals = Vec::new();
        for pose in set.locals.chunks(root) {
            locals.extend_from_slice(pose);
            locals.push(Affine::IDENTITY);
        }
        set.locals = locals;
        set.joints = root.saturating_add(1);
    }
    root
}

/// Binds the vertices of a mesh without a joint to one.
fn bind(skin: &mut Skin, joint: usize) {
    let own = core::mem::replace(skin, Skin::new(skin.skeleton));
    let joint = u32::try_from(joint).unwrap_or(u32::MAX);
    for v in 0..own.vertex_count() {
        if is_loose(&own, v) {
            skin.influences.push(Influence { joint, weight: 1.0 });
        } else {
            skin.influences.extend(own.influences(v));
        }
        skin.end_vertex();
    }
}
