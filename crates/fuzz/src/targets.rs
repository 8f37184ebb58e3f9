//! The targets: what is done with which kind of file.

use meshwright::Format;
use meshwright::files::PackKind;

/// The use of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// They are read, strictly and leniently.
    Parse,
    /// Files that open are validated, written and read again.
    Round,
    /// They are a model and its companions, with which everything is done that the facade can do.
    Scene,
    /// They are random numbers, of which a model is made, written, broken and read.
    Model,
    /// They are a glTF document, which is read and played.
    Document,
    /// They are a model and its companions, which lie in a folder with pictures and go through the program's commands.
    Program,
    /// They are a pack, whose members are read, and which is packed again.
    Pack,
    /// They are random numbers, of which documents, archives and manifests with hostile names are made, which go through
    /// commands that write into a folder with files of its own.
    Outputs,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Parse,
        Self::Round,
        Self::Scene,
        Self::Model,
        Self::Document,
        Self::Program,
        Self::Pack,
        Self::Outputs,
    ];

    /// Returns the first part of a target's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Round => "round",
            Self::Scene => "scene",
            Self::Model => "model",
            Self::Document => "document",
            Self::Program => "program",
            Self::Pack => "pack",
            Self::Outputs => "outputs",
        }
    }
}

/// The meaning of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file, or a model of its kind.
    File(Format),
    /// An LZ4 block, which a Crucible chunk is put around.
    Lz4,
    /// A scene of random numbers.
    Scene,
    /// A GLB, or its JSON, and its binary chunk after the first zero byte.
    Glb,
    /// A pack of a kind.
    Pack(PackKind),
}

impl Input {
    /// Returns the second part of a target's name: the extension of such files.
    pub fn name(self) -> &'static str {
        match self {
            Self::File(format) => format.extensions()[0],
            Self::Lz4 => "lz4",
            Self::Scene => "scene",
            Self::Glb => "glb",
            Self::Pack(kind) => kind.extensions()[0],
        }
    }
}

/// An operation and its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The operation.
    pub action: Action,
    /// The input.
    pub input: Input,
}

impl Target {
    /// Returns every target.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for action in Action::ALL {
            if action == Action::Pack {
                let packs = [PackKind::Zip, PackKind::Pak, PackKind::Vp].map(Input::Pack).into_iter();
                all.extend(packs.map(|input| Self { action, input }));
                continue;
            }
            let formats = Format::ALL.iter().map(|format| Input::File(*format));
            let more = match action {
                Action::Parse | Action::Round => Some(Input::Lz4),
                Action::Model => Some(Input::Scene),
                Action::Document | Action::Outputs => Some(Input::Glb),
                Action::Scene | Action::Program | Action::Pack => None,
            };
            let inputs = formats.chain(more).filter(|input| match (action, input) {
                // Nothing is drawn of these.
                (Action::Scene | Action::Program, Input::File(f)) => f.holds_model(),
                (Action::Document | Action::Outputs, Input::File(_)) => false,
                // Made only from text.
                (Action::Model, Input::File(f)) => *f != Format::FrameGroups,
                _ => true,
            });
            all.extend(inputs.map(|input| Self { action, input }));
        }
        all
    }

    /// Returns the target of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|target| target.name() == name)
    }

    /// The name, such as `parse_dpm`.
    pub fn name(self) -> String {
        format!("{}_{}", self.action.name(), self.input.name())
    }
}
