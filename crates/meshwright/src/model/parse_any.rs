//! A model of any format, from its bytes.

use crate::detect::detect;
use crate::error::Error;
use crate::formats::{AnyModel, Format, ReadSettings};
use meshwright_core::{Parsed, ReadError, ReadOptions};

impl AnyModel {
    /// Reads a file of any format, strictly and within the default limits.
    ///
    /// # Errors
    /// If neither content nor name is of a known kind, or the file breaks a rule of its format.
    pub fn open(bytes: &[u8], name: &str) -> Result<Self, Error> {
        let format = detect(bytes, Some(name)).ok_or_else(Error::unknown_format)?.format;
        let parsed = Self::parse(bytes, format, &ReadOptions::default());
        Ok(parsed.map_err(|e| Error::broken(format, e))?.model)
    }

    /// Reads a file of a known format. Some formats need more settings: see [`parse_with`](Self::parse_with).
    ///
    /// # Errors
    /// As [`parse_with`](Self::parse_with).
    pub fn parse(bytes: &[u8], format: Format, options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        Self::parse_with(bytes, format, &ReadSettings::from(*options))
    }
}
