//! The files of an asset.

use meshwright_core::Role;
use meshwright_files::TreePath;
use std::fmt;

/// Extensions of textures in order of preference.
#[cfg(any(feature = "tso", feature = "textures"))]
pub(super) const IMAGES: [&str; 7] = ["png", "jpg", "jpeg", "tga", "bmp", "pcx", "dds"];

/// The role of a file for an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PartRole {
    /// The model itself.
    Model,
    /// A companion file.
    Companion(Role),
    /// A texture of a material.
    Texture,
    /// A data file that the model's file names.
    Data,
    /// A text that assigns textures to meshes.
    Skin,
    /// A level of detail of the model.
    Level,
}

impl fmt::Display for PartRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Model => "model",
            Self::Companion(role) => role.name(),
            Self::Texture => "texture",
            Self::Skin => "skin",
            Self::Level => "level",
            Self::Data => "data",
        })
    }
}

/// The use of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartState {
    /// The caller named it.
    Named,
    /// The search found it in its usual place.
    Found,
    /// It is used, although the engine of the model's format does not search its folder.
    Elsewhere,
    /// It cannot be used, for this reason.
    Ignored(String),
}

/// A file of an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The role.
    pub role: PartRole,
    /// The name; for a file of the tree, its path.
    pub name: String,
    /// The path in the tree; `None` for a file from the caller.
    pub path: Option<TreePath>,
    /// The use of the file.
    pub state: PartState,
}

impl Part {
    pub(crate) fn named(role: PartRole, name: &str, state: PartState) -> Self {
        Self { role, name: name.to_owned(), path: None, state }
    }

    pub(super) fn new(role: PartRole, path: &TreePath, state: PartState) -> Self {
        Self { role, name: path.to_string(), path: Some(path.clone()), state }
    }
}

impl Part {
    /// Returns true if the file is not [ignored](PartState::Ignored).
    pub fn took_part(&self) -> bool {
        !matches!(self.state, PartState::Ignored(_))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.role, self.name)?;
        match &self.state {
            PartState::Ignored(why) => write!(f, ", ignored: {why}"),
            PartState::Elsewhere => f.write_str(", where the engine does not look"),
            PartState::Named | PartState::Found => Ok(()),
        }
    }
}
