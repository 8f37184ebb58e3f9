//! Writes outfits and their parts.

use super::model::{Apr, Col, FileRef, Hag, Oft, Po};
use super::rules::Checked;
use crate::bnd::put_resource;
use crate::fields::count;
use crate::rules::writing;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, FieldPath, Strictness, WriteError};

fn reference(w: &mut ByteWriter, r: FileRef) {
    w.be_u32(r.file);
    w.be_u32(r.kind);
}

fn apr(w: &mut ByteWriter, m: &Apr) -> Result<(), WriteError> {
    w.be_u32(1);
    reference(w, m.thumbnail);
    w.be_u32(count(&FieldPath::ROOT.field("bindings"), m.bindings.len())?);
    m.bindings.iter().for_each(|r| reference(w, *r));
    Ok(())
}

fn oft(w: &mut ByteWriter, m: &Oft) -> Result<(), WriteError> {
    w.be_u32(1);
    w.be_u32(m.unknown);
    m.appearances.iter().for_each(|r| reference(w, *r));
    w.be_u32(m.hands);
    w.be_u32(m.region.0);
    Ok(())
}

fn hag(w: &mut ByteWriter, m: &Hag) -> Result<(), WriteError> {
    w.be_u32(1);
    m.appearances.iter().for_each(|r| reference(w, *r));
    Ok(())
}

fn po(w: &mut ByteWriter, m: &Po) -> Result<(), WriteError> {
    w.be_u32(2);
    w.be_u32(m.unknown);
    put_resource(w, m.outfit.as_ref());
    put_resource(w, m.collection.as_ref());
    Ok(())
}

fn col(w: &mut ByteWriter, m: &Col) -> Result<(), WriteError> {
    w.be_u32(count(&FieldPath::ROOT.field("items"), m.items.len())?);
    for item in &m.items {
        w.be_u32(item.index);
        reference(w, item.purchasable);
    }
    Ok(())
}

macro_rules! writers {
    ($($ty:ident: $put:ident;)+) => {$(
        impl $ty {
            /// Returns the file. Trailing bytes are refused.
            ///
            /// # Errors
            /// When the model breaks a rule, or a number does not fit its field.
            pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
                self.to_bytes_with(Strictness::Strict)
            }

            /// Writes the file. With lenient strictness, it includes trailing bytes.
            ///
            /// # Errors
            /// When the model breaks a rule that is not passed over, or a number does not fit its field.
            pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
                Checked::check(self, &mut writing(strictness))?;
                let mut w = ByteWriter::new();
                $put(&mut w, self)?;
                w.bytes(&self.trailing);
                Ok(w.into_bytes())
            }
        }
    )+};
}

writers! {
    Apr: apr;
    Oft: oft;
    Hag: hag;
    Po: po;
    Col: col;
}
