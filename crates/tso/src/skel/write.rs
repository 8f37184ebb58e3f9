//! Writes `.skel`.

use super::model::Skel;
use super::record::{VERSION, put_tail};
use super::rules;
use crate::fields::put_pstr;
use crate::props::put_property_lists;
use crate::rules::writing;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, FieldPath, Strictness, WriteError};

impl Skel {
    /// Writes the file. A skeleton that breaks a rule is rejected.
    ///
    /// # Errors
    /// When the model breaks a rule, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// Writes the file; with lenient strictness also one that only a lenient reader opens, such as the one the
    /// skeleton came from.
    ///
    /// # Errors
    /// When the model breaks a rule that is not passed over, or a number does not fit its field.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        rules::check(self, &mut writing(strictness))?;
        let root = FieldPath::ROOT;
        let mut w = ByteWriter::new();
        w.be_u32(VERSION);
        put_pstr(&mut w, &root.field("name"), &self.name)?;
        let path = root.field("bones");
        w.be_u16(WriteError::fit(&path, "bone count", self.bones.len() as u64, u16::MAX)?);
        for (i, bone) in self.bones.iter().enumerate() {
            let path = path.index(i);
            w.be_u32(bone.unknown);
            put_pstr(&mut w, &path.field("name"), &bone.name)?;
            put_pstr(&mut w, &path.field("parent"), &bone.parent)?;
            w.u8(bone.has_properties.0);
            if bone.has_properties.is_set() {
                put_property_lists(&mut w, &path.field("properties"), &bone.properties)?;
            }
            put_tail(&mut w, bone);
        }
        w.bytes(&self.trailing);
        Ok(w.into_bytes())
    }
}
