//! Writes `.bcf`.

use super::binary::BinaryOut;
use super::model::Bcf;
use super::read::tree;
use super::rules;
use crate::fields::file;
use crate::rules::writing;
use crate::ts1::character::write;
use alloc::vec::Vec;
use meshwright_core::{Budget, Limits, Strictness, WriteError};

/// The bytes of the file, whatever rules it breaks.
pub(crate) fn image(bcf: &Bcf) -> Result<Vec<u8>, WriteError> {
    if !bcf.kept().is_empty() {
        let budget = Budget::new(Limits::UNLIMITED);
        if tree(&file(bcf.kept(), &budget), None).is_ok_and(|b| b == *bcf) {
            return Ok(bcf.kept().to_vec());
        }
    }
    let mut out = Vec::new();
    write::character(&mut BinaryOut(&mut out), &bcf.character)?;
    out.extend_from_slice(&bcf.trailing);
    Ok(out)
}

impl Bcf {
    /// The file. Records that break a rule are refused.
    ///
    /// # Errors
    /// When the model breaks a rule, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// The file; leniently also one that only lenient reading opens.
    ///
    /// # Errors
    /// When the model breaks a rule that is not passed over, or a number does not fit its field.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        rules::check(self, &[], &mut writing(strictness))?;
        image(self)
    }
}
