//! Why a file cannot be played.

/// Why a file cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct PlaybackError {
    /// Where in the document, as a field path.
    pub path: String,
    /// What is wrong, or not supported.
    pub message: String,
}

impl PlaybackError {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}
