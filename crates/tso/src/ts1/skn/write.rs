//! Writes `.skn`.

use super::canonical::canonical;
use super::model::Skn;
use super::read::model;
use super::rules;
use crate::fields::file;
use crate::mesh::offsets::Places;
use crate::rules::writing;
use alloc::vec::Vec;
use meshwright_core::{Budget, Limits, Strictness, WriteError};

impl Skn {
    /// Writes the file. A geometry that breaks a rule is refused, and so are numbers that a text cannot store.
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
        rules::check(self, &Places::Binary(0), &mut writing(strictness))?;
        if !self.text().is_empty() {
            let budget = Budget::new(Limits::UNLIMITED);
            let source = file(self.text(), &budget);
            if model(&mut source.start()).is_ok_and(|m| m == *self) {
                return Ok(self.text().to_vec());
            }
        }
        canonical(self)
    }
}
