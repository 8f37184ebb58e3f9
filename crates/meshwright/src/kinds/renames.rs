//! Bones that an edited figure of The Sims calls otherwise, renamed in every file that names them.

use super::Merging;
use meshwright_edit::Patch;
use meshwright_scene::{Budget, ConvertError, Scene};
use meshwright_tso::{Anim, Geometry, Name, Skel, rename_event_bones};
use std::borrow::Cow;

/// Bones that are called otherwise.
pub(super) type Renames = Vec<(Name, Name)>;

/// Gives the bones of a mesh, also those that nothing hangs on, their new names.
pub(super) fn renamed(geometry: &Geometry, renames: &Renames) -> Geometry {
    let mut made = geometry.clone();
    for bone in &mut made.bones {
        rename(bone, renames);
    }
    made
}

/// Gives the bones that an animation moves their new names, each in its place.
fn renamed_motions(anim: &Anim, renames: &Renames) -> Anim {
    let mut made = anim.clone();
    for motion in &mut made.motions {
        rename(&mut motion.bone, renames);
    }
    made
}

pub(super) fn rename(bone: &mut Name, renames: &Renames) {
    if let Some((_, new)) = renames.iter().find(|(old, _)| old.matches(bone)) {
        bone.clone_from(new);
    }
}

/// An animation with what was edited of it.
pub(super) fn animation(
    [native, before, after]: [&Anim; 3],
    rest: Option<&Skel>,
    renames: &Renames,
    budget: &Budget,
) -> Result<Anim, ConvertError> {
    if renames.is_empty() {
        return native.merge(before, after, rest, budget);
    }
    for anim in [native, before] {
        budget.charge_items("keys", anim.translations.len() as u64, size_of::<[f32; 3]>())?;
        budget.charge_items("keys", anim.rotations.len() as u64, size_of::<[f32; 4]>())?;
    }
    renamed_motions(native, renames).merge(&renamed_motions(before, renames), after, rest, budget)
}

/// The bones that the edited scene calls otherwise.
pub(super) fn renames(native: &Scene, patch: &Patch, budget: &Budget) -> Result<Renames, ConvertError> {
    let mut renames = Vec::new();
    for ((old, new), joints) in native.skeletons.iter().zip(&patch.scene.skeletons).zip(&patch.joints) {
        for (new, own) in new.joints.iter().zip(joints).filter(|(_, own)| own.renamed) {
            let Some(old) = own.original.and_then(|at| old.joints.get(at)) else { continue };
            budget.charge_items("names", 1, size_of::<[Name; 2]>())?;
            renames.push((Name::from_text(&old.name).0, Name::from_text(&new.name).0));
        }
    }
    Ok(renames)
}

/// The edited scene, whose events happen at bones by their new names.
pub(super) fn events_renamed<'m>(
    merging: &Merging<'m>,
    renames: &Renames,
    budget: &Budget,
) -> Result<Cow<'m, Scene>, ConvertError> {
    if renames.is_empty() || merging.recovered.clips.iter().all(|clip| clip.extras.is_none()) {
        return Ok(Cow::Borrowed(merging.recovered));
    }
    let mut scene = merging.recovered.copied(budget)?;
    scene.clips.iter_mut().for_each(|clip| rename_event_bones(clip, renames));
    Ok(Cow::Owned(scene))
}

/// The edited scene as what is made of it calls bones.
pub(super) fn edited_scene<'m>(
    merging: &Merging<'m>,
    budget: &Budget,
) -> Result<Cow<'m, Scene>, ConvertError> {
    events_renamed(merging, &renames(merging.native, merging.patch, budget)?, budget)
}
