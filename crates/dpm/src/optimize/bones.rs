//! Chooses bones to remove because they move nothing.

use super::UnusedBones;
use crate::bone::{Bone, BoneFlags, Name};
use crate::bone_order::Renumbering;
use alloc::vec::Vec;

/// The chosen bones.
pub(crate) struct BoneChoice {
    pub kept: Renumbering,
    /// The bones that are removed.
    pub removed: Vec<Name>,
    /// The bones that would be removed if they were known not to be attachments.
    pub unmarked: Vec<Name>,
}

/// Chooses bones to remove. `moving` states for each bone whether it moves a vertex. Parents come before
/// their children.
pub(super) fn choose(bones: &[Bone], moving: &[bool], rule: UnusedBones) -> BoneChoice {
    let marked = |bone: &Bone| bone.flags.contains(BoneFlags::ATTACHMENT);
    let marks = bones.iter().any(marked);
    let (mut removed, mut unmarked, mut order) = (Vec::new(), Vec::new(), Vec::new());
    // The loop runs from children to parents.
    let (mut needed, mut spared) = (moving.to_vec(), Vec::new());
    needed.resize(bones.len(), false);
    spared.resize(bones.len(), false);
    for (i, bone) in bones.iter().enumerate().rev() {
        let own = i == 0 || marked(bone);
        needed[i] |= own;
        let spare = match rule {
            UnusedBones::Keep => true,
            UnusedBones::Unmarked => !marks && !bone.name.bytes().is_empty(),
            UnusedBones::Remove => false,
        };
        spared[i] |= spare;
        if let Some(parent) = bone.parent().filter(|p| *p < i) {
            needed[parent] |= needed[i];
            spared[parent] |= spared[i];
        }
    }
    for (i, bone) in bones.iter().enumerate() {
        match (needed[i], spared[i]) {
            (true, _) => order.push(u32::try_from(i).unwrap_or(u32::MAX)),
            (false, true) => {
                order.push(u32::try_from(i).unwrap_or(u32::MAX));
                unmarked.push(bone.name);
            }
            (false, false) => removed.push(bone.name),
        }
    }
    BoneChoice { kept: Renumbering::new(order, bones.len()), removed, unmarked }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;

    fn remaining_bones(
        bones: &[(&str, i32, u32)],
        moving: &[usize],
        rule: UnusedBones,
    ) -> (Vec<String>, Vec<String>) {
        let bones: Vec<_> = bones
            .iter()
            .map(|&(name, parent, flags)| Bone {
                name: Name::truncated(name.as_bytes()),
                parent,
                flags: BoneFlags(flags),
            })
            .collect();
        let moves: Vec<_> = (0..bones.len()).map(|i| moving.contains(&i)).collect();
        let choice = choose(&bones, &moves, rule);
        let names = |list: &[Name]| list.iter().map(Name::text).collect::<Vec<_>>();
        let kept: Vec<_> = choice.kept.bones(&bones).iter().map(|b| b.name).collect();
        assert_eq!(kept.len() + choice.removed.len(), bones.len());
        (names(&kept), names(&choice.unmarked))
    }

    #[test]
    fn attachments_and_what_others_hang_from_stay() {
        let bones =
            [("root", -1, 0), ("arm", 0, 0), ("hand", 1, 0), ("tag", 1, 1), ("loose", 0, 0), ("", 4, 0)];
        assert_eq!(remaining_bones(&bones, &[2], UnusedBones::Unmarked).0, ["root", "arm", "hand", "tag"]);
        assert_eq!(remaining_bones(&bones, &[], UnusedBones::Remove).0, ["root", "arm", "tag"]);
        assert_eq!(remaining_bones(&bones, &[2], UnusedBones::Keep).1, ["loose", ""]);
        // Without flags every named bone may be an attachment.
        let bare = bones.map(|(name, parent, _)| (name, parent, 0));
        let (kept, unmarked) = remaining_bones(&bare, &[2], UnusedBones::Unmarked);
        assert_eq!(kept, ["root", "arm", "hand", "tag", "loose"]);
        assert_eq!(unmarked, ["tag", "loose"]);
        assert_eq!(remaining_bones(&bare, &[2], UnusedBones::Remove).0, ["root", "arm", "hand"]);
        assert_eq!(remaining_bones(&bare, &[], UnusedBones::Remove).0, vec!["root"], "an engine needs one");
    }
}
