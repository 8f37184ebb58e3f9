//! The skeleton chunk.

pub(crate) mod model;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod rules;
pub(crate) mod view;
pub(crate) mod write;

use crate::options::{CrucibleOptions, QUATERNIONS};
use alloc::vec::Vec;
use meshwright_core::{Confidence, FileFormat, Parsed, ReadError, Report, Rule, Setting, WriteError};
use model::SkeletonChunk;

impl FileFormat for SkeletonChunk {
    const ID: &'static str = "cskel";
    const TITLE: &'static str = "Crucible skeleton chunk";
    const EXTENSIONS: &'static [&'static str] = &["cskel"];
    const RULES: &'static [&'static Rule] = &rules::ALL;
    const SETTINGS: &'static [Setting] = &[QUATERNIONS];

    type Options = CrucibleOptions;

    fn set(options: &mut CrucibleOptions, setting: &str, value: &str) -> bool {
        options.set_quaternions(setting, value)
    }

    fn sniff(bytes: &[u8]) -> Confidence {
        Self::sniff(bytes)
    }

    fn parse_with(bytes: &[u8], options: &CrucibleOptions) -> Result<Parsed<Self>, ReadError> {
        Self::parse_with(bytes, options)
    }

    fn validate(&self) -> Report {
        self.validate()
    }

    fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes()
    }
}
