//! Writes `.bmf`.

use super::model::Bmf;
use super::rules;
use crate::fields::put_pstr;
use crate::mesh::record::Order;
use crate::mesh::write;
use crate::rules::writing;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, FieldPath, Strictness, WriteError};

impl Bmf {
    /// Writes the file. A geometry that breaks a rule is refused.
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
        let end = rules::check(self, &mut writing(strictness))?;
        let mut w = ByteWriter::with_capacity(usize::try_from(end).unwrap_or(0));
        put_pstr(&mut w, &FieldPath::ROOT.field("skin"), &self.skin)?;
        put_pstr(&mut w, &FieldPath::ROOT.field("texture"), &self.texture)?;
        write::geometry(&mut w, &self.geometry, Order::Little)?;
        w.bytes(&self.trailing);
        Ok(w.into_bytes())
    }
}
