//! The reasons why a rule is not repaired.

use crate::formats::Format;
use meshwright_core::{Kind, Rule, Severity};

/// Returns the reason why a broken rule is not repaired.
pub(super) fn reason_for(format: Format, rule: &Rule) -> &'static str {
    if format.id() == "gltf" {
        return "glTF documents cannot be repaired in place: convert it to glb";
    }
    if rule.severity == Severity::Error && !rule.forgivable {
        return "a lenient reader cannot guess the intended value either";
    }
    if rule.severity == Severity::Info {
        return "it is not a fault";
    }
    let special = SPECIAL.iter().find(|(name, _)| *name == rule.native);
    special.map_or_else(|| of_kind(rule.kind), |(_, why)| why)
}

/// Reasons for rules whose kind of fault is not sufficient, by native name.
const SPECIAL: &[(&str, &str)] = &[
    ("Misaligned", "the first index of the mesh is unknown"),
    ("MissingChunk", "missing vertices or indices cannot be restored"),
    ("StreamSize", "the dialect of the chunk, or its missing part, is unknown"),
    ("E_LOD_RANGE", "the meshes of the level are unknown"),
    ("E_ANIM_FRAME", "either the key or the number of frames may be wrong"),
    ("E_ANIM_FRAMES0", "the length of the clip is unknown"),
    ("W_NTRI", "the engine requires it"),
    ("ReservedFlag", "the content of the stream is unknown"),
    ("several-influences", "one bone would move the vertex instead of several: convert it to DPM"),
    ("no-influence", "the bone that should move the vertex is unknown"),
    ("E_CFP_CODE", "the intended number is lost"),
    ("E_CFP_REPEAT", "either the run or the skill may be wrong"),
    ("E_BINDING_DUP", "either of the two may be the intended one"),
    ("E_BINDING_OVERLAP", "the vertices may belong to either of the two"),
    ("E_BLEND_OVERLAP", "the vertices may belong to either of the two"),
    ("E_BINDING_GAP", "the bone that should move the vertices is unknown"),
    ("E_BLEND_GAP", "the bone that should pull them is unknown"),
    ("E_NESTING", "the intended nesting is unknown"),
    ("E_NO_ROOT", "the root bone is unknown"),
    ("E_VERSION", "the rest of the file may differ from the known version"),
    ("bad-text", "the zero byte would replace the last letter"),
];

/// Returns the reason for all faults of a kind.
const fn of_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Truncated => "the missing data is lost",
        Kind::OutOfBounds | Kind::BadSize | Kind::BadCount => "either the size or the data may be wrong",
        Kind::BadReference => "the intended value is unknown",
        Kind::BadHierarchy => "the right parent is unknown",
        Kind::Missing => "the missing data is lost",
        Kind::Duplicate | Kind::Overlap => "either of the two may be the intended one",
        Kind::Unused => "it is harmless, and another program may use it",
        Kind::NonFinite => "the intended number is lost",
        Kind::NotNormalized | Kind::Degenerate => "the model would change: it may be intended",
        Kind::BadName => "other files may refer to the name: rename it yourself",
        Kind::Misaligned => {
            "everything after it would move: convert it to its own format to get a new layout"
        }
        Kind::Ambiguous => "the intended reading is unknown: choose one with an option when the file is read",
        Kind::Compatibility => "it is valid for other engines",
        Kind::Syntax => "the intended value is unknown",
        Kind::Limit => "the limit was reached; the file may be valid",
        _ => "the intended value is unknown",
    }
}
