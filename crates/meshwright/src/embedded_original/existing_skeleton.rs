//! Conversion of edited files of The Sims for an existing skeleton.

use super::Original;
use crate::convert::Target;
use crate::formats::{AnyModel, WriteOptions, character};
use meshwright_edit::{Patch, Recovery, State};
use meshwright_scene::{ConvertError, Scene};
use meshwright_tso::{CharacterSkeleton, Skel};

/// Converts an edited scene for the skeleton of its original, for targets that need one: joints get their original
/// names, whatever tools call them, and the clips are those of the edited file.
pub(super) fn fitted(
    original: &Original,
    [recovered, native]: [&Scene; 2],
    report: &Recovery,
    target: Target,
    options: &WriteOptions,
) -> Result<Option<(Scene, WriteOptions)>, ConvertError> {
    let Target::Native(format) = target else { return Ok(None) };
    let own = format == original.asset().format();
    let is_made_for_one = target.is_made_for_skeleton() && !format.traits().is_outfit;
    if !is_made_for_one || own && !is_another_motion(report, target) {
        return Ok(None);
    }
    let Some(skel) = skeleton(original) else { return Ok(None) };
    let mut scene = recovered.copied(&options.shared.budget())?;
    // The joints of the result begin with the native ones.
    for (is, was) in scene.skeletons.iter_mut().zip(&native.skeletons) {
        for (is, was) in is.joints.iter_mut().zip(&was.joints) {
            is.name.clone_from(&was.name);
        }
    }
    let mut parts = report.clips.iter().filter(|part| part.state != State::Gone);
    scene.clips.retain(|_| parts.next().is_none_or(|part| !part.change.absent));
    let mut options = options.clone();
    options.tso.made_for = Some(skel);
    Ok(Some((scene, options)))
}

/// Returns true if an animation has nothing in common with its original.
pub(super) fn is_another_motion(report: &Recovery, target: Target) -> bool {
    let clips = &report.clips;
    let first = clips.first().is_some_and(|part| part.change.absent);
    matches!(target, Target::Native(format) if format.traits().is_clip)
        && first
        && clips.iter().any(|part| part.state == State::New)
}

/// Rejects edits of a mesh if its original was opened without a skeleton: without it, the mesh would be written in
/// another position.
pub(super) fn require_skeleton(
    original: &Original,
    edited: &Scene,
    patch: &Patch,
) -> Result<(), ConvertError> {
    let is_mesh = original.asset().format().traits().needs_skeleton;
    let placed = patch.joints.iter().flatten().any(|j| j.original.is_none() || j.parent || j.rest);
    if !is_mesh || !placed || skeleton(original).is_some() {
        return Ok(());
    }
    let name = edited.skeletons.first().map_or("", |skeleton| skeleton.name.as_str());
    let message = format!(
        "the edited mesh needs the skeleton {name:?}, which was not found with the original {}: name it with \
         --skeleton",
        original.asset().path().text()
    );
    Err(ConvertError::unsupported("skeletons", message))
}

/// Returns the skeleton in a model or in its companion files.
fn skeleton(original: &Original) -> Option<Skel> {
    let asset = original.asset();
    if let AnyModel::TsoSkeleton(skel) = asset.model() {
        return Some((**skel).clone());
    }
    let own = asset.model().character().and_then(|c| c.skeletons.first()).map(CharacterSkeleton::to_skel);
    let mesh = character::geometries(asset.model(), asset.companions()).next();
    own.or_else(|| character::skeleton_for(&asset.stem(), mesh, asset.companions()).cloned())
}
