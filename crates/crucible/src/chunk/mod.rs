//! The mesh chunk.

pub(crate) mod dialect;
pub(crate) mod model;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod rules;
pub(crate) mod sizes;
pub(crate) mod view;
pub(crate) mod write;

use crate::options::{CrucibleOptions, DIALECT};
use alloc::vec::Vec;
use meshwright_core::{
    Beside, Companion, Confidence, FileFormat, Parsed, ReadError, Report, Role, Rule, Setting, WriteError,
};
use model::Chunk;

/// The skeleton that bone weights name bones of.
pub(crate) const SKELETON: Companion = Companion::one(Role::Skeleton, "cskel", &[Beside::Replaced("cskel")]);

impl FileFormat for Chunk<'static> {
    const ID: &'static str = "crucible";
    const TITLE: &'static str = "Crucible mesh chunk";
    const EXTENSIONS: &'static [&'static str] = &["cmesh"];
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
        Chunk::parse_with(bytes, options).map(|p| p.map(Chunk::into_owned))
    }

    fn validate(&self) -> Report {
        self.validate()
    }

    fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes()
    }
}
