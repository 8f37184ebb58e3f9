//! Why a native model that went along cannot be used.

use crate::asset::AssetError;
use meshwright_core::LimitExceeded;
use meshwright_files::FilesError;

/// Why a native model that is [kept](super::Original::kept_in) in a document is left out of account.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KeptError {
    /// A field is not there, or not what it must be.
    #[error("the kept model has no {0} that can be read")]
    Field(&'static str),
    /// A newer version of this program kept it, or none.
    #[error("the kept model is of version {0}, this program knows version 1")]
    Version(i64),
    /// It is of a kind that this build does not know, or that none keeps.
    #[error("the kept model is of a kind {0:?} that is not known here")]
    Format(String),
    /// A file is not what it was when it was kept.
    #[error("{0:?} is not what it was when it was kept: its hash is another")]
    Hash(String),
    /// The files cannot be unpacked.
    #[error("the kept files cannot be unpacked: {0}")]
    Pack(#[from] FilesError),
    /// The model breaks a rule of its format.
    #[error("the kept model cannot be read: {0}")]
    Read(Box<AssetError>),
    /// It takes more memory than is allowed.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
}

impl KeptError {
    pub(super) fn read(e: AssetError) -> Self {
        Self::Read(Box::new(e))
    }
}
