//! Writes `.cmx`.

use super::model::Cmx;
use super::rules;
use super::text::image;
use crate::rules::writing;
use alloc::vec::Vec;
use meshwright_core::{Strictness, WriteError};

impl Cmx {
    /// Returns the file. Records that break a rule are refused, as are numbers that no text holds.
    ///
    /// Floats have as many digits as bring them back, and look as the game writes them: six where these do.
    ///
    /// # Errors
    /// When the model breaks a rule, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// Returns the file; leniently also one that only lenient reading opens.
    ///
    /// # Errors
    /// When the model breaks a rule that is not passed over, or a number does not fit its field.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        rules::check(self, &[], &mut writing(strictness))?;
        image(self, &mut writing(strictness))
    }
}
