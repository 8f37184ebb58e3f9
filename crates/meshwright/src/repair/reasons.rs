//! The reasons why a rule is not repaired.

use crate::formats::Format;
use meshwright_core::{Kind, Rule, Severity};

/// Why nothing is done about a broken rule.
pub(super) fn reason_for(format: Format, rule: &Rule) -> &'static str {
    if format.id() == "gltf" {
        return "glTF documents cannot be repaired in place: convert it to glb";
    }
    if rule.severity == Severity::Error && !rule.forgivable {
        return "not even a lenient reader knows what is meant";
    }
    if rule.severity == Severity::Info {
        return "it is no fault";
    }
    let special = SPECIAL.iter().find(|(name, _)| *name == rule.native);
    special.map_or_else(|| of_kind(rule.kind), |(_, why)| why)
}

/// Reasons for rules whose kind of fault is not sufficient, by native name.
const SPECIAL: &[(&str, &str)] = &[
    ("Misaligned", "with which index the mesh should start is not known"),
    ("MissingChunk", "vertices or indices that are missing are lost"),
    ("StreamSize", "of which dialect the chunk is, or what it has lost, is not known"),
    ("E_LOD_RANGE", "which meshes the level should hold is not known"),
    ("E_ANIM_FRAME", "whether the key or the number of frames is wrong is not known"),
    ("E_ANIM_FRAMES0", "how long the clip should be is not known"),
    ("W_NTRI", "the engine wants it so"),
    ("ReservedFlag", "what the stream holds is not known"),
    ("several-influences", "one bone would move the vertex where several do: write a DPM"),
    ("no-influence", "which bone should move the vertex is not known"),
    ("E_CFP_CODE", "which number was meant is lost"),
    ("E_CFP_REPEAT", "whether the run or the skill is wrong is not known"),
    ("E_BINDING_DUP", "which of the two is meant is not known"),
    ("E_BINDING_OVERLAP", "to which of the two the vertices belong is not known"),
    ("E_BLEND_OVERLAP", "to which of the two the vertices belong is not known"),
    ("E_BINDING_GAP", "which bone should move the vertices is not known"),
    ("E_BLEND_GAP", "which bone should pull them is not known"),
    ("E_NESTING", "which of the ways was meant is not known"),
    ("E_NO_ROOT", "which bone is the root is not known"),
    ("E_VERSION", "whether all else is as in the known version is not known"),
    ("bad-text", "the zero byte has no room: the last letter would be lost"),
];

/// Returns the reason for all faults of a kind.
const fn of_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Truncated => "what is missing is lost",
        Kind::OutOfBounds | Kind::BadSize | Kind::BadCount => {
            "whether the size or what it measures is wrong is not known"
        }
        Kind::BadReference => "what was meant is not known",
        Kind::BadHierarchy => "the right parent is not known",
        Kind::Missing => "what is missing is lost",
        Kind::Duplicate | Kind::Overlap => "which of the two is meant is not known",
        Kind::Unused => "it harms nothing, and may mean something to another program",
        Kind::NonFinite => "the number that was meant is lost",
        Kind::NotNormalized | Kind::Degenerate => "the model would be another: it may be meant",
        Kind::BadName => "names are what others know it by: rename it with care",
        Kind::Misaligned => {
            "everything after it would move: convert it to its own format to get a new layout"
        }
        Kind::Ambiguous => "which of the ways is meant is not known: name it when the file is read",
        Kind::Compatibility => "it is sound for others",
        Kind::Syntax => "what was meant is not known",
        Kind::Limit => "it is the limit that was reached",
        _ => "what was meant is not known",
    }
}
