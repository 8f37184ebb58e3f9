//! The `.framegroups` companion: clips as text, by the rules of DarkPlaces.

mod clips;
mod edit;
mod model;
mod numbers;
mod read;
mod rules;
mod scanner;
mod write;

pub use clips::{ClipRange, ResolvedClips};
pub(crate) use numbers::number;

pub use model::{FrameGroup, FrameGroups};

use meshwright_core::{FileFormat, ReadOptions, Rule};

impl FileFormat for FrameGroups {
    const ID: &'static str = "framegroups";
    const TITLE: &'static str = "DarkPlaces frame groups";
    const EXTENSIONS: &'static [&'static str] = &["framegroups"];
    const RULES: &'static [&'static Rule] = rules::RULES;
    const HOLDS_MODEL: bool = false;

    type Options = ReadOptions;

    meshwright_core::own_verbs!();
}
