//! The bones of an original, and what the edited scene calls them.

use crate::name::{Name, NameIndex};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_edit::{JointPatch, Patch};
use meshwright_scene::{Budget, LimitExceeded, Scene};

/// The names of the joints that bones of an original became.
pub(super) fn joint_names(native: &Scene, budget: &Budget) -> Result<Vec<Name>, LimitExceeded> {
    let joints = native.skeletons.first().map_or(&[][..], |s| &s.joints);
    let bytes: u64 = joints.iter().map(|j| j.name.len() as u64).sum();
    budget.charge_items("names", joints.len() as u64, NameIndex::MEMORY + 4 * size_of::<Name>())?;
    budget.charge("names", bytes.saturating_mul(4))?;
    Ok(joints.iter().map(|j| Name::from_text(&j.name).0).collect())
}

/// The bones of an original by name, and the joints that they are in the edited scene.
pub(super) struct Bones<'a> {
    names: &'a [Name],
    index: NameIndex<'a>,
    /// The number in the edited scene of each joint of the original; nothing for a deleted joint.
    now: Vec<Option<usize>>,
    /// The joints of the edited scene.
    pub(super) joints: &'a [JointPatch],
    /// Their names as bones.
    made: &'a [Name],
    by_name: BTreeMap<&'a Name, usize>,
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
        let mut by_name = BTreeMap::new();
        for (j, name) in made.iter().enumerate() {
            by_name.entry(name).or_insert(j);
        }
        Self { names, index: NameIndex::new(names), now, joints, made, by_name }
    }

    /// The joint of the original that a bone is, by its name in a file.
    pub(super) fn joint(&self, bone: &Name) -> Option<usize> {
        self.index.find(bone)
    }

    /// Returns true for a deleted bone of the original.
    pub(super) fn is_gone(&self, bone: &Name) -> bool {
        self.joint(bone).is_some_and(|j| self.now[j].is_none())
    }

    /// The joint of the edited scene that a joint of the original is.
    pub(super) fn edited(&self, joint: usize) -> Option<usize> {
        self.now.get(joint).copied().flatten()
    }

    /// The joint of the edited scene that became a bone of this name.
    pub(super) fn of_made(&self, bone: &Name) -> Option<usize> {
        self.by_name.get(bone).copied()
    }

    /// The name of the bone that a joint of the edited scene is in the result.
    pub(super) fn name(&self, joint: usize) -> Option<&'a Name> {
        let kept = self.joints.get(joint).filter(|own| !own.renamed).and_then(|own| own.original);
        kept.and_then(|n| self.names.get(n)).or_else(|| self.made.get(joint))
    }

    /// The bones with other names: the old and the new one.
    pub(super) fn renames(&self) -> Vec<(Name, Name)> {
        let renamed = self.joints.iter().zip(self.made).filter(|(own, _)| own.renamed);
        renamed.filter_map(|(own, new)| Some((self.names.get(own.original?)?.clone(), new.clone()))).collect()
    }

    /// The name that a bone of the original has now.
    pub(super) fn renamed(&self, bone: &Name) -> Name {
        let now = self.joint(bone).and_then(|j| self.edited(j));
        let new = now.filter(|j| self.joints[*j].renamed).and_then(|j| self.made.get(j));
        new.unwrap_or(bone).clone()
    }

    /// The name for a made bone: that of the original, which has several spellings of the bones in `listed`.
    pub(super) fn spelled(&self, listed: &[Name]) -> BTreeMap<Name, Name> {
        let mut spelled = BTreeMap::new();
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
