//! Blender's FBX export and FBX2glTF add joints and prefixes (measured with 0.9.7 and Blender 5.0.1).
//!
//! The armature gets a scale of 100 and the translations of its joints are divided by 100. A leaf `<bone>_end` comes to
//! every leaf (35 joints become 56), and clips get the skeleton's name.

/// The name that a material without one gets.
pub(crate) const UNNAMED: &str = "DefaultMaterial";

/// Removes the skeleton's name that FBX puts before the name of a clip.
pub(crate) fn clip_name(name: &str) -> &str {
    name.rsplit_once('|').map_or(name, |(_, own)| own)
}

/// Returns true for the name of the leaf that the export adds to a bone.
pub(crate) fn is_leaf_of(name: &str, bone: &str) -> bool {
    name.strip_suffix("_end") == Some(bone)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of marine's round trip.
    #[test]
    fn prefixes_and_leaves_are_known() {
        assert_eq!(["marine|idle", "a|b|idle", "idle"].map(clip_name), ["idle"; 3]);
        assert!(is_leaf_of("bip01 headnub_end", "bip01 headnub"));
        assert!(!is_leaf_of("bip01 headnub", "bip01 headnub") && !is_leaf_of("rear_end", "front"));
    }
}
