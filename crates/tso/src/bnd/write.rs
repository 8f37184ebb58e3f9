//! Writes `.bnd`.

use super::model::{Bnd, ResourceId};
use super::record::{PRESENT, VERSION, id};
use super::rules;
use crate::fields::put_pstr;
use crate::rules::writing;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, FieldPath, Strictness, WriteError};

impl Bnd {
    /// Returns the file. Trailing bytes are refused.
    ///
    /// # Errors
    /// When the model breaks a rule, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// Returns the file; leniently with its trailing bytes.
    ///
    /// # Errors
    /// When the model breaks a rule that is not passed over, or a number does not fit its field.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        rules::check(self, &mut writing(strictness))?;
        let mut w = ByteWriter::new();
        w.be_u32(VERSION);
        put_pstr(&mut w, &FieldPath::ROOT.field("bone"), &self.bone)?;
        put_resource(&mut w, self.mesh.as_ref());
        put_resource(&mut w, self.texture.as_ref());
        w.bytes(&self.trailing);
        Ok(w.into_bytes())
    }
}

/// Appends a resource after its word.
pub(crate) fn put_resource(w: &mut ByteWriter, resource: Option<&ResourceId>) {
    let Some(named) = resource else { return w.be_u32(0) };
    w.be_u32(PRESENT);
    w.record(id::SIZE, |r| {
        r.be_u32(id::GROUP, named.group);
        r.be_u32(id::FILE, named.file);
        r.be_u32(id::KIND, named.kind);
    });
}
