//! Writes `.bmf`.

use super::model::Bmf;
use crate::common::{Findings, put_pstr};
use crate::mesh::read::Order;
use crate::mesh::write;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, Path, Strictness, WriteError};

impl Bmf {
    /// The file. A geometry that breaks a rule is refused.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// The file; leniently also one that only lenient reading opens.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        if strictness == Strictness::Strict {
            self.rules(Findings::default()).refuse()?;
        }
        let mut w = ByteWriter::new();
        put_pstr(&mut w, &Path::ROOT.field("skin"), &self.skin)?;
        put_pstr(&mut w, &Path::ROOT.field("texture"), &self.texture)?;
        write::geometry(&mut w, &self.geometry, Order::Little)?;
        w.bytes(&self.trailing);
        Ok(w.into_bytes())
    }
}
