//! Removes joints that exporters add for vertices without weights.

use crate::document::Document;
use meshwright_core::math::Affine64;
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::{Motion, Scene, Skin};

/// The name that exporters use.
const NAME: &str = "neutral_bone";

/// The tolerance for a joint that moves nothing.
const STILL: f64 = 1e-5;

/// Removes such joints. Their vertices then have no joints.
pub(super) fn remove(document: &Document<'_>, scene: &mut Scene) -> Result<(), ReadError> {
    for s in 0..scene.skeletons.len() {
        let Some(skeleton) = scene.skeletons.get(s) else { continue };
        if !skeleton.joints.iter().any(|joint| joint.name == NAME) {
            continue;
        }
        let path = FieldPath::ROOT.field("nodes");
        document.charge::<[u64; 32]>(&path, "joints", skeleton.joints.len())?;
        let Some(world) = skeleton.rest_model() else { continue };
        let still = |j: usize| {
            let joint = skeleton.joints.get(j)?;
            let m = world.get(j)?.wide().after(&joint.inverse_bind.wide());
            let far = [
                (m.x, Affine64::IDENTITY.x),
                (m.y, Affine64::IDENTITY.y),
                (m.z, Affine64::IDENTITY.z),
                (m.w, Affine64::IDENTITY.w),
            ];
            let away = far.iter().flat_map(|(a, b)| a.iter().zip(b)).map(|(a, b)| (a - b).abs());
            Some(joint.name == NAME && away.fold(0.0, f64::max) <= STILL)
        };
        let held = |j: usize| skeleton.joints.iter().any(|joint| joint.parent == Some(j));
        let moved = |j: usize| {
            scene.clips.iter().filter(|clip| clip.skeleton.0 == s).any(|clip| match &clip.motion {
                Motion::Tracks(tracks) => tracks.iter().any(|t| t.joint == j),
                Motion::Poses { .. } => true,
            })
        };
        let candidate = (0..skeleton.joints.len()).rev();
        let Some(joint) = candidate.into_iter().find(|j| still(*j) == Some(true)) else { continue };
        let skins =
            || scene.meshes.iter().filter_map(|mesh| mesh.skin.as_ref()).filter(|k| k.skeleton.0 == s);
        if !held(joint) && !moved(joint) && skins().all(|skin| alone(skin, joint)) {
            drop_joint(scene, s, joint);
        }
    }
    Ok(())
}

/// Returns whether no vertex follows both this joint and another one.
fn alone(skin: &Skin, joint: usize) -> bool {
    let is = |j: u32| usize::try_from(j) == Ok(joint);
    let vertices = skin.starts.iter().zip(skin.starts.iter().skip(1));
    vertices.into_iter().all(|(start, end)| {
        let all = skin.influences.get(*start as usize..*end as usize).unwrap_or_default();
        all.iter().all(|i| is(i.joint)) || !all.iter().any(|i| is(i.joint))
    })
}

fn drop_joint(scene: &mut Scene, s: usize, joint: usize) {
    let lower = |j: usize| if j > joint { j.saturating_sub(1) } else { j };
    for skin in scene.meshes.iter_mut().filter_map(|mesh| mesh.skin.as_mut()).filter(|k| k.skeleton.0 == s) {
        // Each start is reduced by the number of removed influences before it.
        let gone = |i: u32| usize::try_from(i) == Ok(joint);
        let (mut left, mut at) = (0_u32, 0_usize);
        for start in &mut skin.starts {
            while at < *start as usize {
                let kept = skin.influences.get(at).is_some_and(|i| !gone(i.joint));
                left = left.saturating_add(u32::from(kept));
                at = at.saturating_add(1);
            }
            *start = left;
        }
        skin.influences.retain(|i| !gone(i.joint));
        for influence in &mut skin.influences {
            influence.joint = u32::try_from(lower(influence.joint as usize)).unwrap_or(influence.joint);
        }
    }
    if let Some(skeleton) = scene.skeletons.get_mut(s) {
        skeleton.joints.remove(joint);
        for other in &mut skeleton.joints {
            other.parent = other.parent.map(lower);
            other.follows.iter_mut().for_each(|(j, _)| *j = lower(*j));
        }
    }
    for clip in scene.clips.iter_mut().filter(|clip| clip.skeleton.0 == s) {
        if let Motion::Tracks(tracks) = &mut clip.motion {
            tracks.iter_mut().for_each(|t| t.joint = lower(t.joint));
        }
    }
}
