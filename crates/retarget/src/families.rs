//! The bone names of well-known kinds of skeleton.

use crate::body::{BodyPart, Part, Side};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_scene::Skeleton;

/// A kind of skeleton with known bone names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Family {
    /// The short name, such as `mixamo`.
    pub id: &'static str,
    /// The name for messages.
    pub title: &'static str,
    /// Prefixes that exporters add to every name, without a number and colon after them.
    prefixes: &'static [&'static str],
    /// The bones on the plane of symmetry.
    middle: &'static [(Part, &'static str)],
    /// The bones that exist on both sides; `*` is replaced by the mark of the side.
    sided: &'static [(Part, &'static str)],
    /// The marks of the left and the right side.
    sides: [&'static str; 2],
}

/// All families, in the order in which they are tried.
pub const FAMILIES: &[Family] = &[SIMS, MIXAMO, RIGIFY, VROID, BIPED, QUAKE];

/// The Sims and The Sims Online, which share their bone names.
const SIMS: Family = Family {
    id: "sims",
    title: "The Sims and The Sims Online",
    prefixes: &[],
    middle: &[
        (Part::Root, "ROOT"),
        (Part::Hips, "PELVIS"),
        (Part::Spine, "SPINE"),
        (Part::Chest, "SPINE1"),
        (Part::UpperChest, "SPINE2"),
        (Part::Neck, "NECK"),
        (Part::Head, "HEAD"),
    ],
    sided: &[
        (Part::Shoulder, "*_ARM"),
        (Part::UpperArm, "*_ARM1"),
        (Part::LowerArm, "*_ARM2"),
        (Part::Hand, "*_HAND"),
        (Part::Finger(2, 0), "*_FINGER0"),
        (Part::UpperLeg, "*_LEG"),
        (Part::LowerLeg, "*_LEG1"),
        (Part::Foot, "*_FOOT"),
        (Part::Toes, "*_TOE0"),
    ],
    sides: ["L", "R"],
};

const MIXAMO: Family = Family {
    id: "mixamo",
    title: "Mixamo",
    prefixes: &["mixamorig"],
    middle: &[
        (Part::Hips, "Hips"),
        (Part::Spine, "Spine"),
        (Part::Chest, "Spine1"),
        (Part::UpperChest, "Spine2"),
        (Part::Neck, "Neck"),
        (Part::Head, "Head"),
    ],
    sided: &[
        (Part::Shoulder, "*Shoulder"),
        (Part::UpperArm, "*Arm"),
        (Part::LowerArm, "*ForeArm"),
        (Part::Hand, "*Hand"),
        (Part::Finger(0, 0), "*HandThumb1"),
        (Part::Finger(0, 1), "*HandThumb2"),
        (Part::Finger(0, 2), "*HandThumb3"),
        (Part::Finger(1, 0), "*HandIndex1"),
        (Part::Finger(1, 1), "*HandIndex2"),
        (Part::Finger(1, 2), "*HandIndex3"),
        (Part::Finger(2, 0), "*HandMiddle1"),
        (Part::Finger(2, 1), "*HandMiddle2"),
        (Part::Finger(2, 2), "*HandMiddle3"),
        (Part::Finger(3, 0), "*HandRing1"),
        (Part::Finger(3, 1), "*HandRing2"),
        (Part::Finger(3, 2), "*HandRing3"),
        (Part::Finger(4, 0), "*HandPinky1"),
        (Part::Finger(4, 1), "*HandPinky2"),
        (Part::Finger(4, 2), "*HandPinky3"),
        (Part::UpperLeg, "*UpLeg"),
        (Part::LowerLeg, "*Leg"),
        (Part::Foot, "*Foot"),
        (Part::Toes, "*ToeBase"),
    ],
    sides: ["Left", "Right"],
};

/// Blender's Rigify: the bones of its human meta-rig, and the same with `DEF-` or `ORG-` in the generated rig.
const RIGIFY: Family = Family {
    id: "rigify",
    title: "Rigify",
    prefixes: &["DEF-", "ORG-"],
    middle: &[
        (Part::Root, "root"),
        (Part::Hips, "spine"),
        (Part::Spine, "spine.001"),
        (Part::Chest, "spine.002"),
        (Part::UpperChest, "spine.003"),
        (Part::Neck, "spine.004"),
        (Part::Head, "spine.006"),
    ],
    sided: &[
        (Part::Shoulder, "shoulder.*"),
        (Part::UpperArm, "upper_arm.*"),
        (Part::LowerArm, "forearm.*"),
        (Part::Hand, "hand.*"),
        (Part::Finger(0, 0), "thumb.01.*"),
        (Part::Finger(0, 1), "thumb.02.*"),
        (Part::Finger(0, 2), "thumb.03.*"),
        (Part::Finger(1, 0), "f_index.01.*"),
        (Part::Finger(1, 1), "f_index.02.*"),
        (Part::Finger(1, 2), "f_index.03.*"),
        (Part::Finger(2, 0), "f_middle.01.*"),
        (Part::Finger(2, 1), "f_middle.02.*"),
        (Part::Finger(2, 2), "f_middle.03.*"),
        (Part::Finger(3, 0), "f_ring.01.*"),
        (Part::Finger(3, 1), "f_ring.02.*"),
        (Part::Finger(3, 2), "f_ring.03.*"),
        (Part::Finger(4, 0), "f_pinky.01.*"),
        (Part::Finger(4, 1), "f_pinky.02.*"),
        (Part::Finger(4, 2), "f_pinky.03.*"),
        (Part::UpperLeg, "thigh.*"),
        (Part::LowerLeg, "shin.*"),
        (Part::Foot, "foot.*"),
        (Part::Toes, "toe.*"),
    ],
    sides: ["L", "R"],
};

/// VRM models of VRoid Studio, and others with its names. The names of VRM's humanoid bones themselves are
/// detected by their words.
const VROID: Family = Family {
    id: "vrm",
    title: "VRM",
    prefixes: &["J_Bip_"],
    middle: &[
        (Part::Root, "Root"),
        (Part::Hips, "C_Hips"),
        (Part::Spine, "C_Spine"),
        (Part::Chest, "C_Chest"),
        (Part::UpperChest, "C_UpperChest"),
        (Part::Neck, "C_Neck"),
        (Part::Head, "C_Head"),
    ],
    sided: &[
        (Part::Shoulder, "*_Shoulder"),
        (Part::UpperArm, "*_UpperArm"),
        (Part::LowerArm, "*_LowerArm"),
        (Part::Hand, "*_Hand"),
        (Part::Finger(0, 0), "*_Thumb1"),
        (Part::Finger(0, 1), "*_Thumb2"),
        (Part::Finger(0, 2), "*_Thumb3"),
        (Part::Finger(1, 0), "*_Index1"),
        (Part::Finger(1, 1), "*_Index2"),
        (Part::Finger(1, 2), "*_Index3"),
        (Part::Finger(2, 0), "*_Middle1"),
        (Part::Finger(2, 1), "*_Middle2"),
        (Part::Finger(2, 2), "*_Middle3"),
        (Part::Finger(3, 0), "*_Ring1"),
        (Part::Finger(3, 1), "*_Ring2"),
        (Part::Finger(3, 2), "*_Ring3"),
        (Part::Finger(4, 0), "*_Little1"),
        (Part::Finger(4, 1), "*_Little2"),
        (Part::Finger(4, 2), "*_Little3"),
        (Part::UpperLeg, "*_UpperLeg"),
        (Part::LowerLeg, "*_LowerLeg"),
        (Part::Foot, "*_Foot"),
        (Part::Toes, "*_ToeBase"),
    ],
    sides: ["L", "R"],
};

/// Character Studio's biped. The players of Nexuiz and of many mods were exported from it.
const BIPED: Family = Family {
    id: "nexuiz",
    title: "Nexuiz players and other bipeds of Character Studio",
    prefixes: &["Bip01 ", "Bip001 ", "Bip01_", "Bip001_", "ValveBiped.Bip01_"],
    middle: &[
        (Part::Hips, "Pelvis"),
        (Part::Spine, "Spine"),
        (Part::Chest, "Spine1"),
        (Part::UpperChest, "Spine2"),
        (Part::Neck, "Neck"),
        (Part::Neck, "Neck1"),
        (Part::Head, "Head"),
    ],
    sided: &[
        (Part::Shoulder, "* Clavicle"),
        (Part::UpperArm, "* UpperArm"),
        (Part::LowerArm, "* Forearm"),
        (Part::Hand, "* Hand"),
        (Part::Finger(0, 0), "* Finger0"),
        (Part::Finger(0, 1), "* Finger01"),
        (Part::Finger(0, 2), "* Finger02"),
        (Part::Finger(1, 0), "* Finger1"),
        (Part::Finger(1, 1), "* Finger11"),
        (Part::Finger(1, 2), "* Finger12"),
        (Part::Finger(2, 0), "* Finger2"),
        (Part::Finger(2, 1), "* Finger21"),
        (Part::Finger(2, 2), "* Finger22"),
        (Part::Finger(3, 0), "* Finger3"),
        (Part::Finger(3, 1), "* Finger31"),
        (Part::Finger(3, 2), "* Finger32"),
        (Part::Finger(4, 0), "* Finger4"),
        (Part::Finger(4, 1), "* Finger41"),
        (Part::Finger(4, 2), "* Finger42"),
        (Part::UpperLeg, "* Thigh"),
        (Part::LowerLeg, "* Calf"),
        (Part::Foot, "* Foot"),
        (Part::Toes, "* Toe0"),
    ],
    sides: ["L", "R"],
};

/// Players of games on engines of the Quake family: the names of Doom 3's md5 players and of later games.
const QUAKE: Family = Family {
    id: "quake",
    title: "Quake-style players",
    prefixes: &[],
    middle: &[
        (Part::Root, "origin"),
        (Part::Hips, "Hips"),
        (Part::Spine, "Waist"),
        (Part::Chest, "Chest"),
        (Part::Neck, "Neck"),
        (Part::Head, "Head"),
    ],
    sided: &[
        (Part::Shoulder, "*shoulder"),
        (Part::UpperArm, "*uparm"),
        (Part::LowerArm, "*loarm"),
        (Part::Hand, "*hand"),
        (Part::UpperLeg, "*upleg"),
        (Part::LowerLeg, "*loleg"),
        (Part::Foot, "*ankle"),
        (Part::Foot, "*foot"),
        (Part::Toes, "*ball"),
        (Part::Toes, "*toe"),
    ],
    sides: ["L", "R"],
};

/// The parts that every humanoid skeleton has.
pub(crate) const CORE: [BodyPart; 14] = {
    const fn on_left(part: Part) -> BodyPart {
        BodyPart::new(part, Side::Left)
    }
    const fn on_right(part: Part) -> BodyPart {
        BodyPart::new(part, Side::Right)
    }
    [
        BodyPart::middle(Part::Hips),
        BodyPart::middle(Part::Head),
        on_left(Part::UpperArm),
        on_left(Part::LowerArm),
        on_left(Part::Hand),
        on_left(Part::UpperLeg),
        on_left(Part::LowerLeg),
        on_left(Part::Foot),
        on_right(Part::UpperArm),
        on_right(Part::LowerArm),
        on_right(Part::Hand),
        on_right(Part::UpperLeg),
        on_right(Part::LowerLeg),
        on_right(Part::Foot),
    ]
};

/// A family is chosen if it finds at least this many [`CORE`] parts in a skeleton.
const ENOUGH: usize = 10;

impl Family {
    /// Returns the family whose names a skeleton has, and the part of each joint that the family knows.
    pub(crate) fn detect(skeleton: &Skeleton) -> Option<(&'static Self, Vec<Option<BodyPart>>)> {
        let known = |parts: &[Option<BodyPart>]| CORE.iter().filter(|c| parts.contains(&Some(**c))).count();
        let all = FAMILIES.iter().map(|family| (family, family.parts(skeleton)));
        let scored = all.map(|(family, parts)| (known(&parts), family, parts));
        // The first of the best families wins; `max_by_key` would return the last.
        let best = scored.reduce(|best, other| if other.0 > best.0 { other } else { best })?;
        (best.0 >= ENOUGH).then_some((best.1, best.2))
    }

    /// Returns the part of each joint, according to this family's names. If several joints match one part,
    /// the one whose prefix is listed first wins, then the first joint.
    fn parts(&self, skeleton: &Skeleton) -> Vec<Option<BodyPart>> {
        let mut best: BTreeMap<BodyPart, (usize, usize)> = BTreeMap::new();
        for (joint, found) in skeleton.joints.iter().enumerate() {
            let Some((part, rank)) = self.part(&found.name) else { continue };
            let slot = best.entry(part).or_insert((rank, joint));
            *slot = (*slot).min((rank, joint));
        }
        let mut parts = alloc::vec![None; skeleton.joints.len()];
        for (part, (_, joint)) in best {
            if let Some(slot) = parts.get_mut(joint) {
                *slot = Some(part);
            }
        }
        parts
    }

    /// Returns the part of a bone name in this family, and the position of its prefix in the list.
    fn part(&self, name: &str) -> Option<(BodyPart, usize)> {
        // Blender and other tools put the name of the armature before the bone's name.
        let name = name.rsplit('|').next().unwrap_or(name);
        let after = |(rank, prefix): (usize, &&str)| {
            let (start, rest) = name.split_at_checked(prefix.len())?;
            // Mixamo numbers characters: `mixamorig9:Hips`.
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
            start.eq_ignore_ascii_case(prefix).then_some((rest, rank))
        };
        let found = self.prefixes.iter().enumerate().find_map(after);
        let (name, rank) = found.unwrap_or((name, self.prefixes.len()));
        if let Some((part, _)) = self.middle.iter().find(|(_, known)| is_same(known, name)) {
            return Some((BodyPart::middle(*part), rank));
        }
        let [left, right] = self.sides;
        [(Side::Left, left), (Side::Right, right)].into_iter().find_map(|(side, mark)| {
            let known = |pattern: &str| is_same(&pattern.replace('*', mark), name);
            let (part, _) = self.sided.iter().find(|(_, pattern)| known(pattern))?;
            Some((BodyPart::new(*part, side), rank))
        })
    }
}

/// Compares names, ignoring case and the characters that exporters put for a space or a dot.
fn is_same(a: &str, b: &str) -> bool {
    let plain = |s: &str| -> String {
        let blank = |c: char| matches!(c, ' ' | '.' | '-');
        s.chars().map(|c| if blank(c) { '_' } else { c.to_ascii_lowercase() }).collect()
    };
    plain(a) == plain(b)
}
