//! A model of any format, from its bytes.

use crate::detect::detect;
use crate::kinds::{AnyModel, Format, ReadSettings};
use meshwright_core::{Parsed, ReadError, ReadOptions};

/// The reason why some bytes are not a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Neither the content nor the name is of a known kind.
    #[error("not a known format")]
    UnknownFormat,
    /// The file breaks a rule of its format.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl AnyModel {
    /// Reads a file of whatever kind it is, strictly and within the default limits.
    ///
    /// # Errors
    /// When neither content nor name is of a known kind, or the file breaks a rule of its format.
    pub fn open(bytes: &[u8], name: &str) -> Result<Self, OpenError> {
        let found = detect(bytes, Some(name)).ok_or(OpenError::UnknownFormat)?;
        Ok(Self::parse(bytes, found.format, &ReadOptions::default())?.model)
    }

    /// Reads a file of a known format. Some formats need more settings: see [`parse_with`](Self::parse_with).
    ///
    /// # Errors
    /// As [`parse_with`](Self::parse_with).
    pub fn parse(bytes: &[u8], format: Format, options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        Self::parse_with(bytes, format, &ReadSettings::from(*options))
    }
}
