//! The reason why a file cannot be played.

use meshwright_core::ReadError;

/// Why a file cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct PlaybackError {
    /// The field path in the document.
    pub path: String,
    /// The fault, or the unsupported feature.
    pub message: String,
}

impl PlaybackError {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

impl From<ReadError> for PlaybackError {
    fn from(e: ReadError) -> Self {
        Self::new(e.path().to_string(), e.message())
    }
}
