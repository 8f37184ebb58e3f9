//! Writes a model at its original offsets, or in one of the known arrangements.

mod elements;
mod plan;
mod write_at;

pub(crate) use elements::{primitives_size, stream_bytes, vertices_size};
pub use plan::Arrangement;

use crate::model::Bmd;
use crate::rules;
use alloc::vec::Vec;
use meshwright_core::{FieldPath, Findings, WriteError};

impl Bmd {
    /// Writes the model at the original offsets of its file. An unedited model is written byte for byte.
    ///
    /// If the model was not read from a file, or its parts no longer fit, it gets the current tool's
    /// arrangement with the described alignment ([`Arrangement::Aligned`]). Bytes that nothing refers to are
    /// then lost.
    ///
    /// # Errors
    /// If the model breaks a rule of the format, or the file would exceed 4 GiB.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        rules::check(self, self.layout.get(), &mut Findings::writing())?;
        if let Some(layout) = self.layout.original().filter(|l| write_at::fits(self, l))
            && let Some(bytes) = write_at::emitted(self, layout)
        {
            return Ok(bytes);
        }
        self.to_bytes_as(Arrangement::default())
    }

    /// Writes the model in the given arrangement.
    ///
    /// # Errors
    /// If the model breaks a rule of the format, or the file would exceed 4 GiB.
    pub fn to_bytes_as(&self, arrangement: Arrangement) -> Result<Vec<u8>, WriteError> {
        rules::check(self, None, &mut Findings::writing())?;
        arranged(self, arrangement)
    }

    /// Returns the number of bytes that [`to_bytes_as`](Self::to_bytes_as) writes.
    pub(crate) fn size_as(&self, arrangement: Arrangement) -> Result<usize, WriteError> {
        rules::check(self, None, &mut Findings::writing())?;
        let len = plan::plan(self, arrangement)?.len;
        usize::try_from(len).map_err(|_| too_long(len))
    }

    /// Returns the arrangement of the file that the model was read from, if it is a known one.
    pub fn arrangement(&self) -> Option<Arrangement> {
        let bytes = self.to_bytes().ok()?;
        let known =
            [Arrangement::P2, Arrangement::Aligned, Arrangement::P1, Arrangement::P0, Arrangement::Compact];
        known.into_iter().find(|a| arranged(self, *a).is_ok_and(|b| b == bytes))
    }
}

fn arranged(model: &Bmd, arrangement: Arrangement) -> Result<Vec<u8>, WriteError> {
    let layout = plan::plan(model, arrangement)?;
    write_at::emitted(model, &layout).ok_or_else(|| too_long(layout.len))
}

fn too_long(len: u64) -> WriteError {
    WriteError::does_not_fit(&FieldPath::ROOT, "file", len, u64::from(u32::MAX))
}
