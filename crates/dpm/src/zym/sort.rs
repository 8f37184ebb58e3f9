//! Bones of a model in another order.

use super::model::Zym;
use crate::order::{Renumbering, is_in_order, parents_first};

impl Zym {
    /// Puts bones behind those that they hang from, with every vertex and pose that names them by number. False, and
    /// nothing is changed, where bones hang from each other in a circle or from one that is not there.
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

    /// Gives bones other numbers, or leaves those out that nothing hangs from.
    pub(crate) fn renumber_bones(&mut self, bones: &Renumbering) {
        self.bones = bones.bones(&self.bones);
        bones.poses(&mut self.poses);
        for influence in &mut self.influences {
            influence.bone = bones.of(influence.bone);
        }
    }
}
