//! The container of chunks.

pub(crate) mod model;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod rules;
pub(crate) mod write;

use crate::chunk::SKELETON;
use crate::options::{CrucibleOptions, DIALECT};
use meshwright_core::description::Description;
use meshwright_core::{Companion, FileFormat, Rule, Setting};
use model::CModel;

impl FileFormat for CModel<'static> {
    const ID: &'static str = "cmodel";
    const TITLE: &'static str = "Crucible model";
    const EXTENSIONS: &'static [&'static str] = &["cmodel"];
    const RULES: &'static [&'static Rule] = &rules::ALL;
    const DESCRIPTION: Description = record::DESCRIPTION;
    const COMPANIONS: &'static [Companion] = &[SKELETON];
    const SETTINGS: &'static [Setting] = &[DIALECT];

    type Options = CrucibleOptions;

    meshwright_core::own_verbs!(CModel);
}
