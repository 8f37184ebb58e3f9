//! The content of a skeleton.

use crate::fields::Flag;
use crate::name::Name;
use crate::props::PropertyList;
use alloc::vec::Vec;
use meshwright_core::F32;

/// A `.skel` file of The Sims Online, version 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skel {
    /// The skeleton's name.
    pub name: Name,
    /// The bones. Parents may come after their children.
    pub bones: Vec<Bone>,
    /// Bytes after the last field, which a lenient reader keeps; no known file has any.
    pub trailing: Vec<u8>,
}

/// One bone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bone {
    /// A word of unknown use, 1 in every known file.
    pub unknown: u32,
    /// The name.
    pub name: Name,
    /// The name of the parent bone; `NULL` for a root.
    pub parent: Name,
    /// True if property lists follow in the file.
    pub has_properties: Flag,
    /// Property lists; empty if [`has_properties`](Self::has_properties) is not set.
    pub properties: Vec<PropertyList>,
    /// Translation relative to the parent in the rest pose, 3 units to the metre.
    pub translation: [F32; 3],
    /// The conjugate of the rotation relative to the parent in the rest pose: a quaternion x, y, z, w.
    pub rotation: [F32; 4],
    /// True if animations may move the bone. All programs store it, but none uses it.
    pub can_translate: u32,
    /// True if animations may turn the bone. All programs store it, none obeys it.
    pub can_rotate: u32,
    /// True if suits may blend on the bone. All programs store it, none obeys it.
    pub can_blend: u32,
    /// Unused by every known reader.
    pub wiggle_value: F32,
    /// Unused by every known reader.
    pub wiggle_power: F32,
}

impl Bone {
    /// Returns the parent's name, or `None` for a root.
    pub fn parent_name(&self) -> Option<&Name> {
        (!is_null(&self.parent)).then_some(&self.parent)
    }
}

/// Returns true for the name that means "no parent".
pub(crate) fn is_null(name: &Name) -> bool {
    name.bytes().eq_ignore_ascii_case(b"NULL")
}

/// The bones of the adult skeleton with their parents, parents first. Their rest pose is only in the game's own
/// `adult.skel`.
pub const ADULT_BONES: [(&str, Option<&str>); 29] = [
    ("ROOT", None),
    ("PELVIS", Some("ROOT")),
    ("SPINE", Some("PELVIS")),
    ("SPINE1", Some("SPINE")),
    ("SPINE2", Some("SPINE1")),
    ("NECK", Some("SPINE2")),
    ("HEAD", Some("NECK")),
    ("L_ARM", Some("NECK")),
    ("L_ARM1", Some("L_ARM")),
    ("L_ARM2", Some("L_ARM1")),
    ("L_HAND", Some("L_ARM2")),
    ("L_FINGER0", Some("L_HAND")),
    ("R_ARM", Some("NECK")),
    ("R_ARM1", Some("R_ARM")),
    ("R_ARM2", Some("R_ARM1")),
    ("R_HAND", Some("R_ARM2")),
    ("R_FINGER0", Some("R_HAND")),
    ("L_LEG", Some("PELVIS")),
    ("L_LEG1", Some("L_LEG")),
    ("L_FOOT", Some("L_LEG1")),
    ("L_TOE0", Some("L_FOOT")),
    ("L_TOE01", Some("L_TOE0")),
    ("L_TOE02", Some("L_TOE01")),
    ("R_LEG", Some("PELVIS")),
    ("R_LEG1", Some("R_LEG")),
    ("R_FOOT", Some("R_LEG1")),
    ("R_TOE0", Some("R_FOOT")),
    ("R_TOE01", Some("R_TOE0")),
    ("R_TOE02", Some("R_TOE01")),
];
