//! Reasons why an embedded original cannot be used.

use crate::model::AssetError;
use meshwright_core::LimitExceeded;
use meshwright_files::FilesError;

/// The reason why an [embedded original](super::Original::kept_in) is ignored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KeptError {
    /// A field is missing or invalid.
    #[error("the kept model has no {0} that can be read")]
    Field(&'static str),
    /// The version is that of a newer program, or invalid.
    #[error("the kept model is of version {0}, this program knows version 1")]
    Version(i64),
    /// This build does not know the format, or the format is never embedded.
    #[error("the kept model is of a kind {0:?} that is not known here")]
    Format(String),
    /// A file changed after it was embedded.
    #[error("{0:?} is not what it was when it was kept: its hash is another")]
    Hash(String),
    /// The files cannot be unpacked.
    #[error("the kept files cannot be unpacked: {0}")]
    Pack(#[from] FilesError),
    /// The model breaks a rule of its format.
    #[error("the kept model cannot be read: {0}")]
    Read(Box<AssetError>),
    /// It needs more memory than the limits allow.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
}

impl KeptError {
    pub(super) fn read(e: AssetError) -> Self {
        Self::Read(Box::new(e))
    }
}
