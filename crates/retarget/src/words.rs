//! Finds body parts by the words in bone names.

use crate::body::{BodyPart, Part, Side};
use alloc::string::String;
use alloc::vec::Vec;

/// The meaning of a bone name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A part that the words name.
    Part(BodyPart),
    /// An arm or a leg; the hierarchy decides whether it is the upper or the lower part.
    Limb { leg: bool, side: Side },
}

/// Words of bones that are not a body part: twists, targets of inverse kinematics, ends, attachments.
const IGNORED: &[&str] = &[
    "twist",
    "roll",
    "ik",
    "pole",
    "target",
    "helper",
    "nub",
    "end",
    "tag",
    "ctrl",
    "control",
    "mch",
    "weapon",
    "footsteps",
    "eye",
    "jaw",
    "tail",
    "hair",
    "cloth",
    "skirt",
    "dummy",
    "camera",
    "ear",
    "brow",
    "lip",
    "tongue",
];

/// Words for parts. Each entry is a whole word or several consecutive words.
const WORDS: &[(&str, Part)] = &[
    ("root", Part::Root),
    ("pelvis", Part::Hips),
    ("hips", Part::Hips),
    ("hip", Part::Hips),
    ("spine", Part::Spine),
    ("abdomen", Part::Spine),
    ("stomach", Part::Spine),
    ("waist", Part::Spine),
    ("torso", Part::Spine),
    ("upperchest", Part::UpperChest),
    ("chest", Part::Chest),
    ("thorax", Part::Chest),
    ("ribcage", Part::Chest),
    ("neck", Part::Neck),
    ("head", Part::Head),
    ("clavicle", Part::Shoulder),
    ("collar", Part::Shoulder),
    ("collarbone", Part::Shoulder),
    ("shoulder", Part::Shoulder),
    ("upperarm", Part::UpperArm),
    ("uparm", Part::UpperArm),
    ("bicep", Part::UpperArm),
    ("shldr", Part::UpperArm),
    ("forearm", Part::LowerArm),
    ("lowerarm", Part::LowerArm),
    ("loarm", Part::LowerArm),
    ("elbow", Part::LowerArm),
    ("hand", Part::Hand),
    ("wrist", Part::Hand),
    ("palm", Part::Hand),
    ("thigh", Part::UpperLeg),
    ("upperleg", Part::UpperLeg),
    ("upleg", Part::UpperLeg),
    ("shin", Part::LowerLeg),
    ("calf", Part::LowerLeg),
    ("knee", Part::LowerLeg),
    ("lowerleg", Part::LowerLeg),
    ("loleg", Part::LowerLeg),
    ("foot", Part::Foot),
    ("ankle", Part::Foot),
    ("toe", Part::Toes),
    ("toes", Part::Toes),
    ("toebase", Part::Toes),
    ("ball", Part::Toes),
    ("thumb", Part::Finger(0, 0)),
    ("index", Part::Finger(1, 0)),
    ("middle", Part::Finger(2, 0)),
    ("ring", Part::Finger(3, 0)),
    ("pinky", Part::Finger(4, 0)),
    ("little", Part::Finger(4, 0)),
];

/// Returns the meaning of a bone name, if its words are known.
pub(crate) fn meaning(name: &str) -> Option<Meaning> {
    let words = split(name);
    if words.iter().any(|word| IGNORED.contains(&word.as_str())) {
        return None;
    }
    let mut side = words.iter().find_map(|word| side_of(word)).unwrap_or(Side::Middle);
    let joined: String = words.iter().filter(|w| side_of(w).is_none()).map(String::as_str).collect();
    let joined = joined.trim_end_matches(|c: char| c.is_ascii_digit());
    let mut part = find(joined).or_else(|| words.iter().find_map(|word| find(word)));
    let limb = |word: &str| match word {
        "arm" => Some(false),
        "leg" => Some(true),
        _ => None,
    };
    let mut leg = limb(joined).or_else(|| words.iter().find_map(|word| limb(word)));
    if part.is_none() && leg.is_none() && side == Side::Middle {
        // Names such as `Lhand` and `handR` are a single word.
        let marks = [("l", Side::Left), ("r", Side::Right)];
        let cut = marks.iter().find_map(|(mark, side)| {
            let rest = [joined.strip_prefix(mark), joined.strip_suffix(mark)];
            let known = rest.into_iter().flatten().find(|rest| find(rest).is_some() || limb(rest).is_some());
            known.map(|rest| (rest, *side))
        });
        if let Some((rest, found)) = cut {
            (side, part, leg) = (found, find(rest), limb(rest));
        }
    }
    match (part, leg) {
        // A hip joint on one side is the upper leg.
        (Some(Part::Hips), _) if side != Side::Middle => {
            Some(Meaning::Part(BodyPart::new(Part::UpperLeg, side)))
        }
        // A finger begins after its metacarpal bone, a thumb with it.
        (Some(Part::Finger(1.., _)), _) if words.iter().any(|word| word == "metacarpal") => None,
        (Some(Part::Finger(finger, _)), _) => {
            let digits: String = name.chars().filter(char::is_ascii_digit).collect();
            let phalanx = digits.parse::<u8>().unwrap_or(1).clamp(1, 3).saturating_sub(1);
            let part = Part::Finger(finger, phalanx);
            (side != Side::Middle).then_some(Meaning::Part(BodyPart::new(part, side)))
        }
        (Some(part), _) if is_sided(part) == (side != Side::Middle) => {
            Some(Meaning::Part(BodyPart::new(part, side)))
        }
        (None, Some(leg)) if side != Side::Middle => Some(Meaning::Limb { leg, side }),
        _ => None,
    }
}

const fn is_sided(part: Part) -> bool {
    !matches!(
        part,
        Part::Root | Part::Hips | Part::Spine | Part::Chest | Part::UpperChest | Part::Neck | Part::Head
    )
}

fn find(word: &str) -> Option<Part> {
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, part)| *part)
}

fn side_of(word: &str) -> Option<Side> {
    match word {
        "l" | "left" | "lft" => Some(Side::Left),
        "r" | "right" | "rgt" => Some(Side::Right),
        _ => None,
    }
}

/// Splits a name into lower-case words: at separators, before capitals, and between letters and digits.
fn split(name: &str) -> Vec<String> {
    let (mut words, mut word, mut before) = (Vec::new(), String::new(), ' ');
    for c in name.chars() {
        let breaks = c.is_uppercase() && before.is_lowercase()
            || c.is_ascii_digit() != before.is_ascii_digit()
            || !c.is_alphanumeric();
        if breaks && !word.is_empty() {
            words.push(core::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_many_programs_are_understood() {
        let part = |part, side| Some(Meaning::Part(BodyPart::new(part, side)));
        for (name, expected) in [
            ("upperarm_l", part(Part::UpperArm, Side::Left)),
            ("LeftUpperArm", part(Part::UpperArm, Side::Left)),
            ("Right forearm", part(Part::LowerArm, Side::Right)),
            ("hip.R", part(Part::UpperLeg, Side::Right)),
            ("Hips", part(Part::Hips, Side::Middle)),
            ("leftToes", part(Part::Toes, Side::Left)),
            ("spine_02", part(Part::Spine, Side::Middle)),
            ("Rthigh", part(Part::UpperLeg, Side::Right)),
            ("calf_r", part(Part::LowerLeg, Side::Right)),
            ("index_02_l", part(Part::Finger(1, 1), Side::Left)),
            ("index_metacarpal_l", None),
            ("leftThumbMetacarpal", part(Part::Finger(0, 0), Side::Left)),
            ("lShldrBend", part(Part::UpperArm, Side::Left)),
            ("arm_L.001", Some(Meaning::Limb { leg: false, side: Side::Left })),
            ("leg_R", Some(Meaning::Limb { leg: true, side: Side::Right })),
            ("upperarm_twist_01_l", None),
            ("foot_ik.L", None),
            ("tag_head", None),
            ("hand", None),
            ("box", None),
            ("", None),
        ] {
            assert_eq!(meaning(name), expected, "{name}");
        }
    }
}
