//! Reasons why an embedded original cannot be used.

use crate::error::{Error, ErrorKind};
use meshwright_core::LimitExceeded;
use meshwright_files::FilesError;

/// The reason why an [embedded original](super::Original::kept_in) is ignored.
#[derive(Debug)]
pub(super) enum KeptError {
    /// A field is missing or invalid.
    Field(&'static str),
    /// The version is that of a newer program, or invalid.
    Version(i64),
    /// This build does not know the format, or the format is never embedded.
    Format(String),
    /// A file changed after it was embedded.
    Hash(String),
    /// The files cannot be unpacked.
    Pack(FilesError),
    /// The model breaks a rule of its format.
    Read(Error),
    /// It needs more memory than the limits allow.
    Limit(LimitExceeded),
}

meshwright_core::display_error! {
    KeptError:
    Self::Field(value) => "the kept model has no {value} that can be read";
    Self::Version(value) => "the kept model is of version {value}, this program knows version 1";
    Self::Format(value) => "the kept model is of a kind {value:?} that is not known here";
    Self::Hash(value) => "{value:?} is not what it was when it was kept: its hash is another";
    Self::Pack(value) => "the kept files cannot be unpacked: {value}";
    Self::Read(value) => "the kept model cannot be read: {value}";
    Self::Limit(e) => "{e}";
}

impl From<FilesError> for KeptError {
    fn from(e: FilesError) -> Self {
        Self::Pack(e)
    }
}

impl From<LimitExceeded> for KeptError {
    fn from(e: LimitExceeded) -> Self {
        Self::Limit(e)
    }
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
