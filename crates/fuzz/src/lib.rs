//! What is fuzzed: functions of any bytes that panic when a law is broken. The kinds of file are those of the registry.
//!
//! Ordinary tests run the same functions over the fixtures and the kept inputs; they include this file by its path.

mod bytes;
#[path = "../../meshwright/tests/support/exercise.rs"]
#[allow(dead_code, reason = "shared with tests that use all of it")]
mod exercise;
mod models;
#[allow(dead_code, reason = "fuzzers are given their seeds")]
mod seeds;

use exercise::Subject;
use meshwright::Format;
use meshwright_core::Limits;
#[allow(unused_imports, reason = "fuzzers are given their seeds")]
pub(crate) use seeds::seeds;

/// What a file may cost: far more than the small inputs of a fuzzer need, far less than the default.
const LIMITS: Limits = Limits::UNLIMITED.with_memory(64 << 20);

/// What is done with the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// They are read, strictly and leniently.
    Parse,
    /// What opens is validated, written and read again.
    Round,
    /// They are a model and its companions, with which everything is done that the facade can do.
    Scene,
    /// They are random numbers, of which a model is made, written, broken and read.
    Model,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Parse, Self::Round, Self::Scene, Self::Model];

    /// The first part of a target's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Round => "round",
            Self::Scene => "scene",
            Self::Model => "model",
        }
    }
}

/// What the bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file, or a model of its kind.
    File(Format),
    /// An LZ4 block, which a Crucible chunk is put around.
    Lz4,
    /// A scene of random numbers.
    Scene,
}

impl Input {
    /// The second part of a target's name: the extension of such files.
    pub fn name(self) -> &'static str {
        match self {
            Self::File(format) => format.extensions()[0],
            Self::Lz4 => "lz4",
            Self::Scene => "scene",
        }
    }
}

/// What is done with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// What is done.
    pub action: Action,
    /// With what.
    pub input: Input,
}

impl Target {
    /// Every target.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for action in Action::ALL {
            let formats = Format::ALL.iter().map(|format| Input::File(*format));
            let more = match action {
                Action::Parse | Action::Round => Some(Input::Lz4),
                Action::Model => Some(Input::Scene),
                Action::Scene => None,
            };
            let inputs = formats.chain(more).filter(|input| match (action, input) {
                // Nothing is drawn of these.
                (Action::Scene, Input::File(f)) => !f.is_companion() && *f != Format::TsoBinding,
                // Made of text alone.
                (Action::Model, Input::File(f)) => *f != Format::FrameGroups,
                _ => true,
            });
            all.extend(inputs.map(|input| Self { action, input }));
        }
        all
    }

    /// The target of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|target| target.name() == name)
    }

    /// Its name, such as `parse_dpm`.
    pub fn name(self) -> String {
        format!("{}_{}", self.action.name(), self.input.name())
    }

    /// Panics when the bytes break a law.
    pub fn run(self, bytes: &[u8]) {
        match (self.action, self.input) {
            (Action::Parse, Input::File(format)) => format.visit(bytes::Parse(bytes)),
            (Action::Round, Input::File(format)) => format.visit(bytes::Round(bytes)),
            (Action::Parse, Input::Lz4) => Format::CrucibleMesh.visit(bytes::Parse(&bytes::chunk_around(bytes))),
            (Action::Round, Input::Lz4) => Format::CrucibleMesh.visit(bytes::Round(&bytes::chunk_around(bytes))),
            (Action::Scene, Input::File(format)) => drop(exercise::run(&Subject::split(format, bytes))),
            (Action::Model, Input::File(format)) => models::run(format, bytes),
            (Action::Model, Input::Scene) => models::scene(bytes),
            (_, Input::Lz4 | Input::Scene) => {}
        }
    }
}
