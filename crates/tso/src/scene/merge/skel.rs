//! Merges skeletons, bone by bone.

use super::bones::Bones;
use crate::scene::from_scene::MadeSkeleton;
use crate::skel::{Bone, Skel};
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_edit::apply::{Origin, Records, keep_near};
use meshwright_edit::{JointPatch, Patch};
use meshwright_scene::{Budget, ConvertError, Scene};

/// Returns the skeleton with edited names, parents and rest poses. Everything else stays.
pub(super) fn merge(
    original: &Skel,
    made: &MadeSkeleton,
    (native, patch): (&Scene, &Patch),
    bones: &Bones<'_>,
    budget: &Budget,
) -> Result<Skel, ConvertError> {
    let all = original.bones.len().saturating_add(made.skel.bones.len()) as u64;
    budget.charge_items("bones", all, 4 * size_of::<Bone>())?;
    let change = |m: usize| made.joints.get(m).copied().flatten().and_then(|j| bones.joints.get(j)).copied();
    // Conversions put parents before their children. A new root of all others comes first.
    let leads = made.skel.bones.iter().filter(|bone| bone.parent_name().is_none()).count() == 1
        && change(0).is_some_and(|own| own.original.is_none());
    let joint = |m: usize| made.joints.get(m).copied().flatten().filter(|_| m > 0 || !leads);
    let found: Vec<_> = (0..made.skel.bones.len()).map(|m| change(m)?.original).collect();
    let records = Records::ordered(original.bones.len(), |_| true, &found, joint, budget)?;
    // Only meshes name these joints: the skeleton has no such bones.
    let is_own = |o: &Origin| {
        o.original.is_some() || o.made.and_then(&change).is_none_or(|own| own.original.is_none())
    };
    let records = records.filtered(is_own);
    let parents = [original.parents(), made.skel.parents()];
    let changes = |o: &Origin| o.made.and_then(&change).unwrap_or_default();
    let name = |at: usize| {
        let origin = records.list.get(at)?;
        let kept = origin.original.filter(|_| !changes(origin).renamed).map(|n| &original.bones[n]);
        kept.or_else(|| made.skel.bones.get(origin.made?)).map(|bone| bone.name.clone())
    };
    let parent = |origin: &Origin, change: JointPatch, own: &Bone| {
        let was = origin.original.and_then(|n| parents[0][n]);
        let kept = was.and_then(|p| records.of_original(p));
        if origin.original.is_some() && !change.parent && kept.is_some() == was.is_some() {
            let renamed = kept.filter(|p| changes(&records.list[*p]).renamed);
            return renamed.and_then(name).unwrap_or_else(|| own.parent.clone());
        }
        let made = origin.made.and_then(|m| parents[1][m]).and_then(|p| records.of_made(p));
        made.and_then(name).unwrap_or_else(|| "NULL".into())
    };
    let bone = |(at, origin): (usize, &Origin)| {
        let new = origin.made.and_then(|m| made.skel.bones.get(m));
        let old = origin.original.map(|n| &original.bones[n]);
        let change = changes(origin);
        let own = old.or(new)?;
        let rest = new.filter(|_| change.rest);
        Some(Bone {
            name: name(at)?,
            parent: parent(origin, change, own),
            translation: rest.map_or(own.translation, |new| keep_near(own.translation, new.translation)),
            rotation: rest.map_or(own.rotation, |new| merge_rotation(own.rotation, new.rotation)),
            ..own.clone()
        })
    };
    let called =
        |scene: &Scene| scene.skeletons.iter().find(|s| !s.joints.is_empty()).map(|s| s.name.clone());
    let same = called(native) == called(&patch.scene);
    Ok(Skel {
        name: if same { original.name.clone() } else { made.skel.name.clone() },
        bones: records.list.iter().enumerate().filter_map(bone).collect(),
        trailing: original.trailing.clone(),
    })
}

/// The largest difference that counts as rounding, for numbers up to 1.
const SAME: f64 = 1e-6;

/// Returns the edited rotation, or the original's (of any length and sign) if they are equal except for rounding.
pub(super) fn merge_rotation(old: [F32; 4], new: [F32; 4]) -> [F32; 4] {
    let [a, b] = [old, new].map(|q| q.map(wide));
    let dot = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let factor = dot(&a, &b) / dot(&a, &a);
    let near = |(a, b): (&f64, &f64)| (a * factor - b).abs() <= SAME;
    let length = factor.is_finite() && factor != 0.0;
    if length && a.iter().zip(&b).all(near) { old } else { new }
}

fn wide(value: F32) -> f64 {
    f64::from(value.get())
}
