//! Writes `.anim`.

use super::model::{Anim, Motion, Nesting};
use super::record::{VERSION, put_header, put_keys};
use super::rules;
use crate::fields::{count, put_pstr};
use crate::props::{put_property_list, put_property_lists};
use crate::rules::writing;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, FieldPath, Limits, ReadOptions, Strictness, WriteError};

impl Anim {
    /// Writes the file. An animation that breaks a rule is refused.
    ///
    /// # Errors
    /// When the model breaks a rule, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// Writes the file; with lenient strictness also one that only a lenient reader opens, such as the one the
    /// animation came from.
    ///
    /// # Errors
    /// When the model breaks a rule that is not passed over, or a number does not fit its field.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        rules::check(self, &mut writing(strictness))?;
        let root = FieldPath::ROOT;
        let mut w = ByteWriter::new();
        w.be_u32(VERSION);
        let name = self.name.bytes();
        w.be_u16(WriteError::fit(&root.field("name"), "name length", name.len() as u64, u16::MAX)?);
        w.bytes(name);
        put_header(&mut w, self);
        w.be_u32(count(&root.field("translations"), self.translations.len())?);
        self.translations.iter().for_each(|key| w.le_f32s(key));
        w.be_u32(count(&root.field("rotations"), self.rotations.len())?);
        self.rotations.iter().for_each(|key| w.le_f32s(key));
        let path = root.field("motions");
        w.be_u32(count(&path, self.motions.len())?);
        for (i, m) in self.motions.iter().enumerate() {
            motion(&mut w, &path.index(i), m, self.nesting)?;
        }
        w.bytes(&self.trailing);
        let bytes = w.into_bytes();
        if self.nesting == Nesting::Two {
            self.reads_back(&bytes, strictness)?;
        }
        Ok(bytes)
    }

    /// Returns true if readers choose the same nesting: they prefer the other one if it fits, so some content cannot
    /// be written in this one.
    fn reads_back(&self, bytes: &[u8], strictness: Strictness) -> Result<(), WriteError> {
        let options = match strictness {
            Strictness::Strict => ReadOptions::default(),
            Strictness::Lenient => ReadOptions::lenient(),
        };
        match Self::parse_with(bytes, &options.with_limits(Limits::UNLIMITED)) {
            Ok(p) if p.model == *self => Ok(()),
            _ => Err(WriteError::invalid(
                rules::NESTING,
                &FieldPath::ROOT.field("nesting"),
                "these properties would be read as lists of lists",
            )),
        }
    }
}

fn motion(w: &mut ByteWriter, path: &FieldPath<'_>, m: &Motion, nesting: Nesting) -> Result<(), WriteError> {
    w.be_u32(m.unknown);
    put_pstr(w, &path.field("bone"), &m.bone)?;
    put_keys(w, m);
    w.u8(m.has_properties.0);
    if m.has_properties.is_set() {
        let path = path.field("properties");
        w.be_u32(count(&path, m.properties.len())?);
        for (i, lists) in m.properties.iter().enumerate() {
            let path = path.index(i);
            match nesting {
                Nesting::Three => put_property_lists(w, &path, lists)?,
                Nesting::Two => lists.iter().try_for_each(|list| put_property_list(w, &path, list))?,
            }
        }
    }
    w.u8(m.has_time_properties.0);
    if m.has_time_properties.is_set() {
        let path = path.field("time_properties");
        w.be_u32(count(&path, m.time_properties.len())?);
        for (i, list) in m.time_properties.iter().enumerate() {
            let path = path.index(i);
            w.be_u32(count(&path, list.len())?);
            for (j, event) in list.iter().enumerate() {
                w.be_u32(event.time);
                put_property_lists(w, &path.index(j), &event.lists)?;
            }
        }
    }
    Ok(())
}
