//! The `.framegroups` companion: clips as text, by the rules of DarkPlaces.

mod clips;
mod model;
mod numbers;
mod read;
mod rules;
mod text;
mod write;

pub use clips::{ClipRange, ResolvedClips};
pub use model::{FrameGroup, FrameGroups};

use alloc::vec::Vec;
use meshwright_core::{Confidence, FileFormat, Parsed, ReadError, ReadOptions, Report, Rule, WriteError};

impl FileFormat for FrameGroups {
    const ID: &'static str = "framegroups";
    const TITLE: &'static str = "DarkPlaces frame groups";
    const EXTENSIONS: &'static [&'static str] = &["framegroups"];
    const RULES: &'static [&'static Rule] = rules::RULES;
    type Options = ReadOptions;

    fn sniff(bytes: &[u8]) -> Confidence {
        Self::sniff(bytes)
    }

    fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        Self::parse_with(bytes, options)
    }

    fn validate(&self) -> Report {
        self.validate()
    }

    fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes()
    }
}
