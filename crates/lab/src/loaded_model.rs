//! Loaded models for measurements and comparisons.

use meshwright::{AnyModel, Companions};

/// A model with the companions that the manifest names.
pub(crate) struct Loaded {
    pub name: String,
    pub model: AnyModel,
    pub companions: Companions,
}
