//! Writes `.bnd`.

use super::model::{Bnd, PRESENT};
use crate::common::{Findings, put_pstr};
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, Path, Strictness, WriteError};

impl Bnd {
    /// The file. Trailing bytes are refused.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// The file; leniently with its trailing bytes.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        if strictness == Strictness::Strict {
            let mut findings = Findings::default();
            findings.trailing(self.size(), &self.trailing);
            findings.refuse()?;
        }
        let mut w = ByteWriter::new();
        w.be_u32(1);
        put_pstr(&mut w, &Path::ROOT.field("bone"), &self.bone)?;
        for resource in [self.mesh, self.texture] {
            match resource {
                None => w.be_u32(0),
                Some(id) => [PRESENT, id.group, id.file, id.kind].into_iter().for_each(|v| w.be_u32(v)),
            }
        }
        w.bytes(&self.trailing);
        Ok(w.into_bytes())
    }
}
