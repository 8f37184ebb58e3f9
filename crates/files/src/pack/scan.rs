//! Reads a pack's directory within its bounds and the budget, and reports offsets in the file.

use super::rules;
use crate::byte_source::ByteSource;
use crate::error::Refused;
use meshwright_core::{Budget, FieldPath, Findings, ReadError, Rule};
use std::borrow::Cow;

/// Returns the error for a rule that the pack breaks at an offset.
pub(crate) fn broken(rule: &'static Rule, at: u64, message: impl Into<Cow<'static, str>>) -> Refused {
    ReadError::broken(rule, &FieldPath::ROOT, at, message).into()
}

/// The state of reading a pack's directory.
pub(crate) struct Scan<'s> {
    source: &'s dyn ByteSource,
    budget: &'s Budget,
    /// Findings about the directory.
    pub findings: Findings,
}

impl<'s> Scan<'s> {
    pub(crate) fn new(source: &'s dyn ByteSource, budget: &'s Budget) -> Self {
        Self { source, budget, findings: Findings::validating() }
    }

    /// Returns the size of the pack in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.source.size()
    }

    /// Returns some bytes of the pack. They are charged.
    pub(crate) fn bytes(&self, at: u64, count: u64) -> Result<Vec<u8>, Refused> {
        if at.checked_add(count).is_none_or(|end| end > self.size()) {
            let message = format!("{count} bytes wanted, the pack has {}", self.size());
            return Err(broken(rules::TRUNCATED, at, message));
        }
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let mut bytes = self.budget.filled("directory", count, 0_u8)?;
        self.source.read_at(at, &mut bytes)?;
        Ok(bytes)
    }

    /// Reports a fault that does not prevent opening the pack.
    pub(crate) fn odd(&mut self, rule: &'static Rule, at: u64, message: impl Into<Cow<'static, str>>) {
        // These findings never end the check.
        let _ = self.findings.broken(rule, &FieldPath::ROOT, at, || message);
    }

    /// Returns the name in a field up to its NUL. Without a NUL it takes `unended` bytes and reports it.
    pub(crate) fn ended(&mut self, field: &[u8], place: u64, unended: usize) -> Vec<u8> {
        let end = field.iter().position(|b| *b == 0);
        if end.is_none() {
            let message = format!("nothing ends the name: {unended} of {} bytes are taken", field.len());
            self.odd(rules::UNTERMINATED, place, message);
        }
        field.get(..end.unwrap_or(unended)).unwrap_or_default().to_vec()
    }

    /// Charges the entries of a directory before they are read.
    pub(crate) fn entries(&self, count: u64, at: u64) -> Result<(), Refused> {
        const MOST: u64 = 1 << 18;
        /// The memory of an entry, with its names and its place in listings.
        const ENTRY: usize = 640;
        if count > MOST {
            return Err(broken(rules::FILES, at, format!("{count} files, at most {MOST} are read")));
        }
        self.budget.charge_items("directory", count, ENTRY)?;
        Ok(())
    }
}
