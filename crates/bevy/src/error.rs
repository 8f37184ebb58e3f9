//! Why there is no model.

use bevy_asset::io::{AssetReaderError, MissingAssetSourceError};
use bevy_gltf::GltfError;
use meshwright::Error;
use meshwright::scene::ConvertError;

/// Why there is no model. Bevy wraps it: `error.error().downcast_ref::<ModelError>()` of an `AssetLoaderError` is it again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file, or one that belongs to it, cannot be read as a model: with code, field and offset.
    #[error(transparent)]
    Model(Error),
    /// More than the settings allow.
    #[error("[limit] {0}")]
    Limit(String),
    /// The settings do not fit: no such format, or a root that the file does not lie in.
    #[error("[settings] {0}")]
    Settings(String),
    /// Bytes cannot be read.
    #[error("[cannot-read] {0}")]
    Read(#[from] std::io::Error),
    /// The folder of the model cannot be listed.
    #[error("[cannot-read] {0}")]
    Folder(#[from] AssetReaderError),
    /// The model's source is gone.
    #[error("[cannot-read] {0}")]
    Source(#[from] MissingAssetSourceError),
    /// Bevy does not take what was made of the model.
    #[error("[not-convertible] {0}")]
    Gltf(Box<GltfError>),
}

impl ModelError {
    /// Returns a stable code: that of the broken rule, or as [`Error::code`] says.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Model(failure) => failure.code(),
            Self::Limit(_) => "limit",
            Self::Settings(_) => "settings",
            Self::Gltf(_) => "not-convertible",
            Self::Read(_) | Self::Folder(_) | Self::Source(_) => "cannot-read",
        }
    }

    /// Returns the fault of the file, if the file is the cause.
    pub fn failure(&self) -> Option<&Error> {
        match self {
            Self::Model(failure) => Some(failure),
            _ => None,
        }
    }
}

impl From<GltfError> for ModelError {
    fn from(e: GltfError) -> Self {
        Self::Gltf(Box::new(e))
    }
}

impl From<Error> for ModelError {
    fn from(e: Error) -> Self {
        Self::Model(e)
    }
}

impl From<ConvertError> for ModelError {
    fn from(e: ConvertError) -> Self {
        Self::Model(e.into())
    }
}
