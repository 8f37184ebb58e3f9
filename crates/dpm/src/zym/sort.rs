//! Reorders a model's bones.

use super::model::Zym;
use crate::bone_order::Renumbering;

impl Zym {
    /// Renumbers bones, or removes bones without children and vertices.
    pub(crate) fn renumber_bones(&mut self, bones: &Renumbering) {
        self.bones = bones.bones(&self.bones);
        bones.poses(&mut self.poses);
        for influence in &mut self.influences {
            influence.bone = bones.new_number(influence.bone);
        }
    }
}
