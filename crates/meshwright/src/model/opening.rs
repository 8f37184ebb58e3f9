//! The state of an asset while it is opened.

use super::{Finder, Opener, Part};
use crate::formats::Format;
use meshwright_files::TreePath;
use meshwright_scene::Loss;
#[cfg(feature = "tso")]
use std::collections::{BTreeMap, BTreeSet};

/// An asset that is being opened: the parts so far, and the finder of more parts.
pub(super) struct Opening<'w> {
    pub(super) finder: &'w Finder,
    pub(super) path: &'w TreePath,
    pub(super) options: &'w Opener,
    pub(super) format: Format,
    pub(super) parts: Vec<Part>,
    pub(super) losses: Vec<Loss>,
    #[cfg(feature = "tso")]
    pub(super) worn: Worn,
}

/// The suits and textures of `--wear` that the model has.
#[cfg(feature = "tso")]
#[derive(Debug, Default)]
pub(super) struct Worn {
    /// Numbers of the suits that the model has.
    pub(super) suits: BTreeSet<usize>,
    /// By the numbers of suit and texture: true if a skin uses the texture and its file was found.
    pub(super) textures: BTreeMap<(usize, usize), bool>,
}
