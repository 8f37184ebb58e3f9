//! The skeleton chunk.

pub(crate) mod model;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod rules;
pub(crate) mod view;
pub(crate) mod write;

use crate::options::{CrucibleOptions, QUATERNIONS};
use meshwright_core::description::Description;
use meshwright_core::{FileFormat, Rule, Setting};
use model::SkeletonChunk;

impl FileFormat for SkeletonChunk {
    const ID: &'static str = "cskel";
    const TITLE: &'static str = "Crucible skeleton chunk";
    const EXTENSIONS: &'static [&'static str] = &["cskel"];
    const RULES: &'static [&'static Rule] = &rules::ALL;
    const DESCRIPTION: Description = record::DESCRIPTION;
    const SETTINGS: &'static [Setting] = &[QUATERNIONS];

    type Options = CrucibleOptions;

    meshwright_core::own_verbs!();
}
