//! Reasons why an embedded original cannot be used.

use crate::error::{Error, ErrorKind};
use meshwright_core::LimitExceeded;
use meshwright_files::FilesError;

/// The reason why an [embedded original](super::Original::kept_in) is ignored.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeptError {
    /// A field is missing or invalid.
    #[error("the embedded original has no readable {0}")]
    Field(&'static str),
    /// The version is that of a newer program, or invalid.
    #[error("the embedded original has version {0}; this program reads versions 1 and 2")]
    Version(i64),
    /// This build does not know the format, or the format is never embedded.
    #[error("the embedded original has the unknown kind {0:?}")]
    Format(String),
    /// A file changed after it was embedded.
    #[error("{0:?} of the embedded original was changed: its hash differs")]
    Hash(String),
    /// The files cannot be unpacked.
    #[error("the files of the embedded original cannot be unpacked: {0}")]
    Pack(#[from] FilesError),
    /// The model breaks a rule of its format.
    #[error("the embedded original cannot be read: {0}")]
    Read(Error),
    /// It needs more memory than the limits allow.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
}

impl From<KeptError> for Error {
    fn from(e: KeptError) -> Self {
        let kind = match e {
            KeptError::Version(_) | KeptError::Format(_) => ErrorKind::Unsupported,
            KeptError::Limit(_) => ErrorKind::Limit,
            _ => ErrorKind::Malformed,
        };
        Self::new(kind, "kept-ignored", e.to_string())
    }
}
