//! Parts of a body, which bone names are mapped to.

use core::fmt;

/// The side of a body. Left is +X of a character that faces +Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// A part on the plane of symmetry.
    Middle,
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

/// The part of a body that a bone moves, without its side. Names follow the humanoid bones of VRM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Part {
    /// A joint above the hips that moves the whole character.
    Root,
    /// The pelvis, from which legs and spine branch off.
    Hips,
    /// The lowest joint of the spine.
    Spine,
    /// The middle of the spine.
    Chest,
    /// The joint of the spine that the shoulders follow, if it is not the chest.
    UpperChest,
    /// The neck.
    Neck,
    /// The head.
    Head,
    /// A collarbone.
    Shoulder,
    /// An arm above the elbow.
    UpperArm,
    /// An arm below the elbow.
    LowerArm,
    /// A hand.
    Hand,
    /// A phalanx of a finger: the finger from thumb (0) to little finger (4), and the phalanx from the hand (0) on.
    Finger(u8, u8),
    /// A leg above the knee.
    UpperLeg,
    /// A leg below the knee.
    LowerLeg,
    /// A foot.
    Foot,
    /// The toes of a foot.
    Toes,
}

/// A part of a body with its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyPart {
    /// The part.
    pub part: Part,
    /// The side that it is on.
    pub side: Side,
}

impl BodyPart {
    /// Combines a part and a side.
    pub const fn new(part: Part, side: Side) -> Self {
        Self { part, side }
    }

    /// Returns a part on the plane of symmetry.
    pub const fn middle(part: Part) -> Self {
        Self::new(part, Side::Middle)
    }
}

/// Writes the name of VRM's humanoid bone, such as `leftUpperArm`.
impl fmt::Display for BodyPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.part {
            Part::Root => "root",
            Part::Hips => "hips",
            Part::Spine => "spine",
            Part::Chest => "chest",
            Part::UpperChest => "upperChest",
            Part::Neck => "neck",
            Part::Head => "head",
            Part::Shoulder => "Shoulder",
            Part::UpperArm => "UpperArm",
            Part::LowerArm => "LowerArm",
            Part::Hand => "Hand",
            Part::UpperLeg => "UpperLeg",
            Part::LowerLeg => "LowerLeg",
            Part::Foot => "Foot",
            Part::Toes => "Toes",
            Part::Finger(finger, phalanx) => {
                let finger = match finger {
                    0 => "Thumb",
                    1 => "Index",
                    2 => "Middle",
                    3 => "Ring",
                    _ => "Little",
                };
                let phalanx = match phalanx {
                    0 => "Proximal",
                    1 => "Intermediate",
                    _ => "Distal",
                };
                return write!(f, "{}{finger}{phalanx}", side_name(self.side));
            }
        };
        write!(f, "{}{name}", side_name(self.side))
    }
}

const fn side_name(side: Side) -> &'static str {
    match side {
        Side::Middle => "",
        Side::Left => "left",
        Side::Right => "right",
    }
}
