//! Builds the text of a model, or adds strings to an existing one.

use crate::model::TextId;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_scene::{Budget, LimitExceeded};

/// Strings one after the other, each stored once.
pub(super) struct Text<'b> {
    bytes: Vec<u8>,
    known: SortedMap<Vec<u8>, TextId>,
    /// The length of the original text, if strings are added to one.
    original: Option<usize>,
    budget: &'b Budget,
}

impl<'b> Text<'b> {
    /// Returns a text with only the empty string.
    pub(super) fn new(budget: &'b Budget) -> Self {
        Self {
            bytes: alloc::vec![0],
            known: SortedMap::from([(Vec::new(), TextId(0))]),
            original: None,
            budget,
        }
    }

    /// Reads a text to which strings can be added.
    #[cfg(feature = "recover")]
    pub(super) fn parse(text: &[u8], budget: &'b Budget) -> Result<Self, LimitExceeded> {
        // A short string takes the minimum size of an allocation.
        let strings = text.split(|b| *b == 0).count() as u64;
        budget.charge_items("text", strings, 96)?;
        budget.charge("text", (text.len() as u64).saturating_mul(2))?;
        let (mut known, mut at) = (SortedMap::new(), 0_usize);
        let mut strings = text.split(|b| *b == 0).peekable();
        while let Some(string) = strings.next() {
            // Text after the last zero byte has no terminator.
            if strings.peek().is_some() {
                known.entry(string.to_vec()).or_insert(TextId(u32::try_from(at).unwrap_or(u32::MAX)));
            }
            at += string.len() + 1;
        }
        Ok(Self { bytes: text.to_vec(), known, original: Some(text.len()), budget })
    }

    /// Returns the offset of a string without zero bytes.
    pub(super) fn add(&mut self, string: &[u8]) -> Result<TextId, LimitExceeded> {
        if let Some(id) = self.known.get(string) {
            return Ok(*id);
        }
        self.budget.charge_items("text", string.len() as u64 + 32, 3)?;
        if self.bytes.last().is_some_and(|b| *b != 0) {
            self.bytes.push(0);
        }
        let id = TextId(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        self.bytes.extend_from_slice(string);
        self.bytes.push(0);
        self.known.insert(string.to_vec(), id);
        Ok(id)
    }

    /// Returns the finished text, padded to four bytes; the original's if nothing was added.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.original != Some(self.bytes.len()) {
            self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        }
        self.bytes
    }
}

/// Decodes a string of a model: as UTF-8 if it is valid, otherwise byte by byte.
pub(super) fn decoded(bytes: &[u8]) -> alloc::string::String {
    match core::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => meshwright_core::text::latin1(bytes),
    }
}
