//! The text of a model that is made.

use crate::model::TextId;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_scene::{Budget, LimitExceeded};

/// Strings one after the other, each once.
pub(super) struct Text<'b> {
    bytes: Vec<u8>,
    known: BTreeMap<Vec<u8>, TextId>,
    budget: &'b Budget,
}

impl<'b> Text<'b> {
    /// A text with only the empty string.
    pub(super) fn new(budget: &'b Budget) -> Self {
        Self { bytes: alloc::vec![0], known: BTreeMap::from([(Vec::new(), TextId(0))]), budget }
    }

    /// Returns the offset of a string without zero bytes.
    pub(super) fn add(&mut self, string: &[u8]) -> Result<TextId, LimitExceeded> {
        if let Some(id) = self.known.get(string) {
            return Ok(*id);
        }
        self.budget.charge_items("text", string.len() as u64 + 32, 3)?;
        let id = TextId(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        self.bytes.extend_from_slice(string);
        self.bytes.push(0);
        self.known.insert(string.to_vec(), id);
        Ok(id)
    }

    /// The finished text, padded to four bytes.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.bytes
    }
}

/// A string of a model for people: UTF-8, else byte by byte.
pub(super) fn decoded(bytes: &[u8]) -> alloc::string::String {
    match core::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => meshwright_core::text::latin1(bytes),
    }
}
