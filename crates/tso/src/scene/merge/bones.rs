//! The bones of an original, and their names in the edited scene.

use crate::name::{Name, NameIndex};
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_edit::{JointPatch, Patch};
use meshwright_scene::{Budget, LimitExceeded, Scene};

/// Returns the names of the joints that bones of an original became.
pub(super) fn joint_names(native: &Scene, budget: &Budget) -> Result<Vec<Name>, LimitExceeded> {
    let joints = native.skeletons.first().map_or(&[][..], |s| &s.joints);
    let bytes: u64 = joints.iter().map(|j| j.name.len() as u64).sum();
    budget.charge_items("names", joints.len() as u64, NameIndex::MEMORY + 4 * size_of::<Name>())?;
    budget.charge("names", bytes.saturating_mul(4))?;
    Ok(joints.iter().map(|j| Name::from_text(&j.name).0).collect())
}

/// The bones of an original by name, and their joints in the edited scene.
pub(super) struct Bones<'a> {
    names: &'a [Name],
    index: NameIndex<'a>,
    /// The index in the edited scene of each joint of the original; `None` for a deleted joint.
    now: Vec<Option<usize>>,
    /// The joints of the edited scene.
    pub(super) joints: &'a [JointPatch],
    /// The names of the joints as bones.
    made: &'a [Name],
    by_name: SortedMap<&'a Name, usize>,
}

impl<'a> Bones<'a> {
    /// Finds the bones `names` in an edited scene whose joints became bones with the names `made`, one list per skeleton.
    pub(super) fn new(names: &'a [Name], patch: &'a Patch, made: &'a [Vec<Name>]) -> Self {
        let own = patch.joints.iter().zip(made).find(|(list, _)| !list.is_empty());
        let (joints, made) = own.map_or((&[][..], &[][..]), |(list, made)| (list, made));
        let mut now = alloc::vec![None; names.len()];
        for (j, own) in joints.iter().enumerate() {
            if let Some(slot) = own.original.and_then(|n| now.get_mut(n)) {
                *slot = Some(j);
            }
        }
        let mut by_name = SortedMap::new();
        for (j, name) in made.iter().enumerate() {
            by_name.entry(name).or_insert(j);
        }
        Self { names, index: NameIndex::new(names), now, joints, made, by_name }
    }

    /// Returns the joint of the original for the name of a bone in a file.
    pub(super) fn joint(&self, bone: &Name) -> Option<usize> {
        self.index.find(bone)
    }

    /// Returns true for a deleted bone of the original.
    pub(super) fn is_gone(&self, bone: &Name) -> bool {
        self.joint(bone).is_some_and(|j| self.now[j].is_none())
    }

    /// Returns the joint of the edited scene for a joint of the original.
    pub(super) fn edited(&self, joint: usize) -> Option<usize> {
        self.now.get(joint).copied().flatten()
    }

    /// Returns the joint of the edited scene that became a bone with this name.
    pub(super) fn of_made(&self, bone: &Name) -> Option<usize> {
        self.by_name.get(bone).copied()
    }

    /// Returns the bone name of an edited joint in the result.
    pub(super) fn name(&self, joint: usize) -> Option<&'a Name> {
        let kept = self.joints.get(joint).filter(|own| !own.renamed).and_then(|own| own.original);
        kept.and_then(|n| self.names.get(n)).or_else(|| self.made.get(joint))
    }

    /// Returns the renamed bones with their old and new names.
    pub(super) fn renames(&self) -> Vec<(Name, Name)> {
        let renamed = self.joints.iter().zip(self.made).filter(|(own, _)| own.renamed);
        renamed.filter_map(|(own, new)| Some((self.names.get(own.original?)?.clone(), new.clone()))).collect()
    }

    /// Returns the current name of a bone of the original.
    pub(super) fn renamed(&self, bone: &Name) -> Name {
        let now = self.joint(bone).and_then(|j| self.edited(j));
        let new = now.filter(|j| self.joints[*j].renamed).and_then(|j| self.made.get(j));
        new.unwrap_or(bone).clone()
    }

    /// Returns the spelling of each made bone. It is the original's, which may spell the bones in `listed` differently.
    pub(super) fn spelled(&self, listed: &[Name]) -> SortedMap<Name, Name> {
        let mut spelled = SortedMap::new();
        for bone in listed {
            if let Some(j) = self.joint(bone).and_then(|j| self.edited(j)) {
                spelled.entry(self.made[j].clone()).or_insert_with(|| self.renamed(bone));
            }
        }
        for (joint, made) in self.made.iter().enumerate() {
            spelled.entry(made.clone()).or_insert_with(|| self.name(joint).unwrap_or(made).clone());
        }
        spelled
    }
}
