//! The mesh chunk.

pub(crate) mod dialect;
pub(crate) mod model;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod rules;
pub(crate) mod stream_sizes;
pub(crate) mod view;
pub(crate) mod write;

use crate::options::{CrucibleOptions, DIALECT};
use meshwright_core::description::Description;
use meshwright_core::{Beside, Companion, FileFormat, Role, Rule, Setting};
use model::Chunk;

/// The skeleton with the bones that bone weights refer to.
pub(crate) const SKELETON: Companion = Companion::one(Role::Skeleton, "cskel", &[Beside::Replaced("cskel")]);

impl FileFormat for Chunk<'static> {
    const ID: &'static str = "crucible";
    const TITLE: &'static str = "Crucible mesh chunk";
    const EXTENSIONS: &'static [&'static str] = &["cmesh"];
    const RULES: &'static [&'static Rule] = &rules::ALL;
    const DESCRIPTION: Description = record::DESCRIPTION;
    const COMPANIONS: &'static [Companion] = &[SKELETON];
    const SETTINGS: &'static [Setting] = &[DIALECT];

    type Options = CrucibleOptions;

    meshwright_core::own_verbs!(Chunk);
}
