//! Safe repairs of a file, without a change of any other byte.
//!
//! [`Kind::MENDED`](crate::Kind::MENDED) lists the codes that a format repairs, each with a description, and
//! [`Kind::mend`](crate::Kind::mend) repairs one finding. Every other code has a reason why people must repair it.

mod reasons;

use crate::formats::{AnyModel, Format, ReadSettings};
use meshwright_core::{Finding, ReadError, Report, Rule, Severity, SortedMap};
use std::ops::Range;

/// A fault that was repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mended {
    /// The code of the rule that was broken.
    pub code: &'static str,
    /// The description of the repair.
    pub done: &'static str,
    /// The repaired fields that the report lists.
    pub paths: Vec<String>,
    /// The number of faults.
    pub count: u64,
}

/// A file after repair.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The file; the same bytes if nothing was repaired.
    pub bytes: Vec<u8>,
    /// The repaired faults.
    pub mended: Vec<Mended>,
    /// The changed ranges of bytes, in the old file.
    pub changed: Vec<Range<usize>>,
    /// The remaining faults.
    pub left: Report,
}

/// The remaining faults of a file with one code and severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remaining {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The severity.
    pub severity: Severity,
    /// The number of faults.
    pub count: u64,
    /// The reason why they were not repaired.
    pub why: &'static str,
}

impl Repaired {
    /// Lists the errors and warnings that remain in a file of this format.
    pub fn remaining(&self, format: Format) -> Vec<Remaining> {
        let totals = self.left.totals().filter(|(_, severity, _)| *severity > Severity::Info);
        let remaining = totals.filter_map(|(code, severity, count)| {
            let is_own = |finding: &&Finding| (finding.rule.code, finding.severity) == (code, severity);
            let rule = self.left.findings().iter().find(is_own)?.rule;
            let why = format.mending(rule).err().unwrap_or("other faults keep the file from being written");
            Some(Remaining { rule, severity, count, why })
        });
        remaining.collect()
    }

    fn unchanged(bytes: &[u8], left: Report) -> Self {
        Self { bytes: bytes.to_vec(), mended: Vec::new(), changed: Vec::new(), left }
    }
}

/// The maximum number of passes over a model: a report keeps only some of the findings of each code.
const ROUNDS: usize = 256;

/// Repairs all faults of a file that are safe to repair: fields that decide how the file is read and have one right
/// value, and fields that must be zero. Every other byte is unchanged. If remaining faults prevent the writing of a
/// valid file, only repairs that need no writer are made. `settings` are the settings of the read, which is always
/// lenient.
///
/// # Errors
/// If even a lenient reader rejects the file.
pub fn repair(bytes: &[u8], format: Format, settings: &ReadSettings) -> Result<Repaired, ReadError> {
    let mut settings = settings.clone();
    settings.read.strictness = meshwright_core::Strictness::Lenient;
    let parsed = AnyModel::parse_with(bytes, format, &settings)?;
    let before = all_findings(&parsed.forgiven, &parsed.model);
    let mut out = bytes.to_vec();
    for finding in before.findings() {
        format.mend_bytes(&mut out, finding);
    }
    let mut model = match out == bytes {
        true => parsed.model,
        false => AnyModel::parse_with(&out, format, &settings)?.model,
    };
    mend(&mut model, &before);
    // If the model cannot be written whole, only the repairs that need no writer are kept.
    let written = model.to_bytes().unwrap_or_else(|_| out.clone());
    let result = [written, out].into_iter().find_map(|candidate| {
        let parsed = AnyModel::parse_with(&candidate, format, &settings).ok()?;
        let after = all_findings(&parsed.forgiven, &parsed.model);
        let mended = mended(format, &before, &after);
        let worse = after.count_of(Severity::Error) > before.count_of(Severity::Error);
        (!mended.is_empty() && !worse).then_some((candidate, mended, after))
    });
    let Some((out, mended, after)) = result else { return Ok(Repaired::unchanged(bytes, before)) };
    let changed = changed(bytes, &out);
    Ok(Repaired { bytes: out, mended, changed, left: after })
}

/// Returns all findings of a model that was read leniently.
fn all_findings(forgiven: &Report, model: &AnyModel) -> Report {
    let mut report = forgiven.clone();
    report.append_new(model.validate());
    report
}

/// Repairs a model until no repairable fault is left.
fn mend(model: &mut AnyModel, first: &Report) {
    let mut report = first.clone();
    for _ in 0..ROUNDS {
        let mut any = false;
        for finding in report.findings() {
            any |= model.mend(finding);
        }
        if !any {
            return;
        }
        report = model.validate();
    }
}

/// Returns the faults that are only in the first report.
fn mended(format: Format, before: &Report, after: &Report) -> Vec<Mended> {
    let count = |report: &Report| {
        let mut counts: SortedMap<&'static str, u64> = SortedMap::new();
        for (code, _, n) in report.totals() {
            let all = counts.entry(code).or_insert(0);
            *all = all.saturating_add(n);
        }
        counts
    };
    let (old, new) = (count(before), count(after));
    let gone = |(code, done): &(&'static str, &'static str)| {
        let were = old.get(code).copied().unwrap_or(0);
        let count = were.saturating_sub(new.get(code).copied().unwrap_or(0));
        let kept = |f: &&Finding| {
            f.rule.code == *code && !after.iter().any(|a| a.rule.code == *code && a.path == f.path)
        };
        let paths: Vec<String> = before.iter().filter(kept).map(|f| f.path.to_string()).collect();
        (count > 0).then_some(Mended { code, done, paths, count })
    };
    format.mended().iter().filter_map(gone).collect()
}

/// Returns the bytes of the old file that the new one changes or lacks.
fn changed(old: &[u8], new: &[u8]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let differs = |at: &usize| new.get(*at) != old.get(*at);
    for at in (0..old.len()).filter(differs) {
        match ranges.last_mut().filter(|range| range.end == at) {
            Some(range) => range.end = at.saturating_add(1),
            None => ranges.push(at..at.saturating_add(1)),
        }
    }
    ranges
}

impl Format {
    /// Describes how [`repair`] treats a rule of this format.
    ///
    /// # Errors
    /// The reason why it is not repaired.
    pub fn mending(self, rule: &Rule) -> Result<&'static str, &'static str> {
        // A fault that every reader rejects cannot be repaired, because the file cannot be read.
        let read = rule.forgivable || rule.severity < Severity::Error;
        let done = self.mended().iter().find(|(code, _)| read && *code == rule.code);
        done.map(|(_, done)| *done).ok_or_else(|| reasons::reason_for(self, rule))
    }
}
