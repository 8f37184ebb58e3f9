//! Why there is no asset.

use crate::kinds::Format;
use meshwright_core::ReadError;
use meshwright_files::FilesError;
use meshwright_scene::ConvertError;
use std::sync::Arc;

/// Why there is no asset.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AssetError {
    /// The file cannot be read.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// Neither content nor name tell its kind.
    #[error("not a known format")]
    UnknownFormat,
    /// The file breaks a rule of its format.
    #[error("{error}")]
    Model {
        /// The kind of file that it was read as.
        format: Format,
        /// What it holds.
        bytes: Vec<u8>,
        /// The broken rule.
        error: ReadError,
    },
    /// A companion that was named breaks a rule of its format.
    #[error("{name}: {error}")]
    Companion {
        /// The companion's name.
        name: String,
        /// What it holds.
        bytes: Arc<[u8]>,
        /// The broken rule.
        error: ReadError,
    },
    /// The materials of the model, whose pictures were asked for, are not known.
    #[error(transparent)]
    Scene(#[from] ConvertError),
}
