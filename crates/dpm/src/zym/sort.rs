//! Reorders a model's bones.

use super::model::Zym;
use crate::bone_order::{Renumbering, is_in_order, parents_first};

impl Zym {
    /// Moves bones after their parents, and renumbers every vertex and pose. Returns false without a change
    /// if the parents of bones form a cycle or do not exist.
    ///
    /// A model with the layout of its file keeps it.
    pub fn sort_bones(&mut self) -> bool {
        if is_in_order(&self.bones) {
            return true;
        }
        let Ok(order) = parents_first(&self.bones) else { return false };
        self.renumber_bones(&Renumbering::new(order, self.bones.len()));
        true
    }

    /// Renumbers bones, or removes bones without children and vertices.
    pub(crate) fn renumber_bones(&mut self, bones: &Renumbering) {
        self.bones = bones.bones(&self.bones);
        bones.poses(&mut self.poses);
        for influence in &mut self.influences {
            influence.bone = bones.new_number(influence.bone);
        }
    }
}
