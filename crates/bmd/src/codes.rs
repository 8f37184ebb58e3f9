//! The codes of errors and warnings.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)+) => {
        $($(#[$doc])* pub(crate) const $name: &str = $text;)+

        #[cfg(test)]
        pub(crate) const ALL: &[&str] = &[$($text),+];
    };
}

codes! {
    TRUNC_HEADER = "E_TRUNC_HEADER";
    MAGIC = "E_MAGIC";
    LIMIT = "E_LIMIT";
    TABLE_RANGE = "E_TABLE_RANGE";
    TABLE_SIZE = "E_TABLE_SIZE";
    TABLE_OFS0 = "E_TABLE_OFS0";
    OVERLAP = "E_OVERLAP";
    RANGE = "E_RANGE";
    STR_RANGE = "E_STR_RANGE";
    STR_TERM = "E_STR_TERM";
    /// More vertices stated than the list holds.
    NVTX = "E_NVTX";
    /// A vertex cut, or of a reserved tag.
    VTX = "E_VTX";
    VTX_SUBTYPE = "E_VTX_SUBTYPE";
    VTX_BONE = "E_VTX_BONE";
    /// A position that is not finite.
    VTX_POS = "E_VTX_POS";
    /// A primitive cut.
    TRI = "E_TRI";
    TRI_SUBTYPE = "E_TRI_SUBTYPE";
    TAG2 = "E_TAG2";
    INDEX = "E_INDEX";
    NTRI = "E_NTRI";
    LOD_RANGE = "E_LOD_RANGE";
    BONE_PARENT = "E_BONE_PARENT";
    BONE_CYCLE = "E_BONE_CYCLE";
    PSEUDO_ORDER = "E_PSEUDO_ORDER";
    PSEUDO_REF = "E_PSEUDO_REF";
    PSEUDO_WEIGHT = "E_PSEUDO_WEIGHT";
    SOLID_RANGE = "E_SOLID_RANGE";
    ANIM_TRUNC = "E_ANIM_TRUNC";
    ANIM_FRAME = "E_ANIM_FRAME";
    ANIM_FRAMES0 = "E_ANIM_FRAMES0";

    W_MBZ = "W_MBZ";
    W_FLAGS = "W_FLAGS";
    W_VTX_SLACK = "W_VTX_SLACK";
    W_VTX_TAG = "W_VTX_TAG";
    W_VTX_BONE = "W_VTX_BONE";
    W_NTRI = "W_NTRI";
    W_INDEX = "W_INDEX";
    W_DEGENERATE = "W_DEGENERATE";
    W_LOD_EMPTY = "W_LOD_EMPTY";
    W_LOD_HIDDEN = "W_LOD_HIDDEN";
    W_PARENT_ORDER = "W_PARENT_ORDER";
    W_SOLID_OPEN = "W_SOLID_OPEN";
    W_SOLID_BONES = "W_SOLID_BONES";
    W_SOLID_INVERTED = "W_SOLID_INVERTED";
    W_SOLID_CROSS = "W_SOLID_CROSS";
    W_ANIM_HZ = "W_ANIM_HZ";
    W_ANIM_SLACK = "W_ANIM_SLACK";
    W_ANIM_ABSENT = "W_ANIM_ABSENT";
    W_ANIM_BONE0 = "W_ANIM_BONE0";
    W_ANIM_BONES = "W_ANIM_BONES";
    W_MAT_NAME = "W_MAT_NAME";
    W_ALIGN = "W_ALIGN";
    W_OVERLAP = "W_OVERLAP";
    W_TRAILING = "W_TRAILING";
    W_ST_LEGACY = "W_ST_LEGACY";

    I_VTX_UNUSED = "I_VTX_UNUSED";
    I_TRI_WIDE = "I_TRI_WIDE";
    I_MAT_EXT = "I_MAT_EXT";
    I_BONE_NAME = "I_BONE_NAME";
    I_SOLID_UNCHECKED = "I_SOLID_UNCHECKED";
}

/// What a lenient reading passes over.
pub(crate) const FORGIVEN: &[&str] =
    &[NTRI, VTX_SUBTYPE, TRI_SUBTYPE, TAG2, LOD_RANGE, SOLID_RANGE, ANIM_FRAME, ANIM_FRAMES0];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_distinct() {
        assert_eq!(ALL.iter().collect::<BTreeSet<_>>().len(), ALL.len());
    }
}
