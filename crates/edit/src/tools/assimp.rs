//! assimp names materials without a name (measured with 5.2.5: each of them becomes `material`).

/// The name that a material without one gets.
pub(crate) const UNNAMED: &str = "material";
