//! The container of chunks.

pub(crate) mod model;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod rules;
pub(crate) mod write;

use crate::chunk::SKELETON;
use crate::options::{CrucibleOptions, DIALECT};
use alloc::vec::Vec;
use meshwright_core::{
    Companion, Confidence, FileFormat, Parsed, ReadError, Report, Rule, Setting, WriteError,
};
use model::CModel;

impl FileFormat for CModel<'static> {
    const ID: &'static str = "cmodel";
    const TITLE: &'static str = "Crucible model";
    const EXTENSIONS: &'static [&'static str] = &["cmodel"];
    const RULES: &'static [&'static Rule] = &rules::ALL;
    const COMPANIONS: &'static [Companion] = &[SKELETON];
    const SETTINGS: &'static [Setting] = &[DIALECT];

    type Options = CrucibleOptions;

    fn set(options: &mut CrucibleOptions, setting: &str, value: &str) -> bool {
        options.set_dialect(setting, value)
    }

    fn sniff(bytes: &[u8]) -> Confidence {
        Self::sniff(bytes)
    }

    fn parse_with(bytes: &[u8], options: &CrucibleOptions) -> Result<Parsed<Self>, ReadError> {
        CModel::parse_with(bytes, options).map(|p| p.map(CModel::into_owned))
    }

    fn validate(&self) -> Report {
        self.validate()
    }

    fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes()
    }
}
