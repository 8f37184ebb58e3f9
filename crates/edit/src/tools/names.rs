//! Names that tools make up or change.

use alloc::string::String;

/// Names that tools give to materials of meshes that have none.
pub(crate) const UNNAMED: [&str; 4] = ["", "Material_0", "material", "DefaultMaterial"];

/// True for what tools call joints and materials that have no name: `Node_2`, `Material_0`.
pub(crate) fn is_filler(name: &str) -> bool {
    let kind = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['_', '.']);
    matches!(kind, "" | "Node" | "Bone" | "Material")
}

/// A name without the number that tools put behind names that are there twice.
pub(crate) fn stem(name: &str) -> &str {
    match name.rsplit_once(['_', '.']) {
        Some((stem, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// A name as three.js writes it: blanks become `_`, characters of property paths go.
pub(crate) fn name_of(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '[' | ']' | '.' | ':' | '/'));
    kept.map(|c| if c.is_whitespace() { '_' } else { c }).collect()
}
