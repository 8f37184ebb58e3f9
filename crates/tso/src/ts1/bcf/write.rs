//! Writes `.bcf`.

use super::model::Bcf;
use super::record::image;
use super::rules;
use crate::rules::writing;
use alloc::vec::Vec;
use meshwright_core::{Strictness, WriteError};

impl Bcf {
    /// Writes the file. Records that break a rule are refused.
    ///
    /// # Errors
    /// When the model breaks a rule, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// Writes the file; with lenient strictness also one that only a lenient reader opens.
    ///
    /// # Errors
    /// When the model breaks a rule that is not passed over, or a number does not fit its field.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        rules::check(self, &[], &mut writing(strictness))?;
        image(self)
    }
}
