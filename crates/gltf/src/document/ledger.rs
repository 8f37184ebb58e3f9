//! The memory and work that a reader spends, and the warnings that it collects.

use super::rules::{JSON_BOM, JSON_DEPTH, JSON_DUPLICATE, JSON_ENCODING, JSON_NUMBER, JSON_SYNTAX, LIMIT};
use meshwright_core::json::{Grammar, Json};
use meshwright_core::{Budget, Codes, FieldPath, KEPT_PER_CODE, Limits, ReadError, Report, Rule, Source};
use std::borrow::Cow;
use std::cell::RefCell;

#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) budget: Budget,
    report: RefCell<Report>,
}

const GRAMMAR: Grammar = {
    let mut grammar = Grammar::new(JSON_SYNTAX, 128);
    grammar.encoding = JSON_ENCODING;
    grammar.depth = JSON_DEPTH;
    grammar.number = JSON_NUMBER;
    grammar.duplicate = Some(JSON_DUPLICATE);
    grammar
};

/// Only limits use these rules; other faults name their own rule.
const CODES: Codes = Codes { short: LIMIT, count: LIMIT, limit: LIMIT };

impl Ledger {
    pub(super) fn new(limits: Limits) -> Self {
        Self { budget: Budget::new(limits), report: RefCell::default() }
    }

    pub(super) fn charge(
        &self,
        path: &FieldPath<'_>,
        offset: u64,
        what: &'static str,
        count: usize,
        size: usize,
    ) -> Result<(), ReadError> {
        Source::file(&[], CODES, &self.budget).charge(path, offset, what, count as u64, size)
    }

    pub(super) fn work(
        &self,
        path: &FieldPath<'_>,
        what: &'static str,
        steps: usize,
    ) -> Result<(), ReadError> {
        let source = Source::file(&[], CODES, &self.budget);
        self.budget.work(what, steps as u64).map_err(|e| source.over_limit(path, 0, e))
    }

    /// Parses a JSON text that begins at offset `base` of the file.
    pub(super) fn json<'a>(&self, text: &'a [u8], base: u64) -> Result<Json<'a>, ReadError> {
        let path = FieldPath::ROOT.field("json");
        let (text, base) = match text.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) => {
                self.warn(JSON_BOM, &path, &|| base, "a byte order mark");
                (rest, base.saturating_add(3))
            }
            None => (text, base),
        };
        Json::parse(text, &Source::file(&[], CODES, &self.budget), base, &path, &GRAMMAR)
    }

    /// Returns an empty vector with room for `count` items, charged.
    pub(super) fn room<T>(
        &self,
        path: &FieldPath<'_>,
        offset: u64,
        what: &'static str,
        count: usize,
    ) -> Result<Vec<T>, ReadError> {
        self.charge(path, offset, what, count, size_of::<T>())?;
        let mut items = Vec::new();
        items.try_reserve_exact(count).map_err(|_| no_memory(path, offset, what, count))?;
        Ok(items)
    }

    /// Returns `count` rows of `width` default values, charged.
    pub(super) fn filled<T: Copy + Default>(
        &self,
        path: &FieldPath<'_>,
        what: &'static str,
        count: usize,
        width: usize,
    ) -> Result<Vec<T>, ReadError> {
        self.charge(path, 0, what, count, size_of::<T>().saturating_mul(width))?;
        let (mut numbers, all) = (Vec::new(), count.saturating_mul(width));
        numbers.try_reserve_exact(all).map_err(|_| no_memory(path, 0, what, count))?;
        numbers.resize(all, T::default());
        Ok(numbers)
    }

    pub(super) fn warn(
        &self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        offset: &dyn Fn() -> u64,
        message: impl Into<Cow<'static, str>>,
    ) {
        tell(&mut self.report.borrow_mut(), rule, path, offset, message.into());
    }

    pub(super) fn report(&self) -> Report {
        self.report.borrow().clone()
    }
}

#[cold]
fn no_memory(path: &FieldPath<'_>, offset: u64, what: &'static str, count: usize) -> ReadError {
    ReadError::broken(LIMIT, path, offset, format!("{what}: {count} items, no memory"))
}

/// Adds a broken rule to a report.
pub(crate) fn tell(
    report: &mut Report,
    rule: &'static Rule,
    path: &FieldPath<'_>,
    offset: &dyn Fn() -> u64,
    message: Cow<'static, str>,
) {
    let seen = report.totals().find(|t| (t.0, t.1) == (rule.code, rule.severity)).map_or(0, |t| t.2);
    // Finding the offsets of very many faults would take longer than reading the file.
    let offset = (seen < KEPT_PER_CODE).then(offset);
    report.broken(rule, path, offset, || message);
}
