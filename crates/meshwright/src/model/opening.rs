//! The state of an asset while it is opened.

use super::{Finder, Opener, Part};
use crate::formats::Format;
use meshwright_files::TreePath;
use meshwright_scene::Loss;

/// An asset that is being opened: the parts so far, and the finder of more parts.
pub(super) struct Opening<'w> {
    pub(super) finder: &'w Finder,
    pub(super) path: &'w TreePath,
    pub(super) options: &'w Opener,
    pub(super) format: Format,
    pub(super) parts: Vec<Part>,
    pub(super) losses: Vec<Loss>,
}
