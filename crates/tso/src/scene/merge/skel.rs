//! Skeletons, bone by bone.

use crate::skel::{Bone, Skel};
use alloc::vec::Vec;
use meshwright_edit::three_way::{Trio, Trios, named, pick};
use meshwright_scene::{Budget, ConvertError};

impl Skel {
    /// The skeleton with what is other in `after` than in `before`: what is made of the edited scene, and of the native one.
    /// Bones go by name; their names, parents, translations and rotations are kept apart, and everything else stays.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn merge(&self, before: &Self, after: &Self, budget: &Budget) -> Result<Self, ConvertError> {
        fn names(skel: &Skel) -> Vec<&[u8]> {
            skel.bones.iter().map(|b| b.name.bytes()).collect()
        }
        let all = self.bones.len() + before.bones.len() + after.bones.len();
        budget.charge_items("bones", all as u64, size_of::<&[u8]>() + size_of::<Bone>())?;
        let stands = |n: usize, b: usize| n == b;
        let there = named(&names(self), &names(before), stands, budget)?;
        let as_many = before.bones.len() == after.bones.len();
        let placed = |bone: &Bone| (bone.translation, bone.rotation);
        let alike =
            |b: usize, a: usize| as_many && b == a || placed(&before.bones[b]) == placed(&after.bones[a]);
        let edited = named(&names(before), &names(after), alike, budget)?;
        let trios = Trios::of(self.bones.len(), &there, &edited, false, budget)?;
        let bone = |trio: &Trio| {
            let native = trio.native.map(|n| &self.bones[n]);
            let after = trio.after.map(|a| &after.bones[a]);
            let (Some(native), Some(before), Some(after)) =
                (native, trio.before.map(|b| &before.bones[b]), after)
            else {
                return native.or(after).cloned();
            };
            Some(Bone {
                name: pick(native.name.clone(), &before.name, after.name.clone()),
                parent: pick(native.parent.clone(), &before.parent, after.parent.clone()),
                translation: pick(native.translation, &before.translation, after.translation),
                rotation: pick(native.rotation, &before.rotation, after.rotation),
                ..native.clone()
            })
        };
        Ok(Self {
            name: pick(self.name.clone(), &before.name, after.name.clone()),
            bones: trios.records.iter().filter_map(bone).collect(),
            trailing: self.trailing.clone(),
        })
    }
}
