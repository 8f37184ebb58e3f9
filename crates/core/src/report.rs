//! The findings about a model, as a collection.

use crate::SortedMap;
use crate::error::{ReadError, Stream};
use crate::path::{FieldPath, FieldPathBuf};
use crate::rule::{Rule, Severity};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

/// The number of findings of one code that are kept in full. Further ones are only counted, so that a report
/// on a hostile file stays small.
pub const KEPT_PER_CODE: u64 = 32;

/// One broken rule or remark that a reader or a validation found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The severity, which may be milder than that of the rule.
    pub severity: Severity,
    /// The broken rule, with its code, cause and remedy.
    pub rule: &'static Rule,
    /// The path of the field.
    pub path: FieldPathBuf,
    /// The stream that `offset` counts in.
    pub stream: Stream,
    /// The offset of the field's first byte, if the model came from a file.
    pub offset: Option<u64>,
    /// The expected and the actual content.
    pub message: Cow<'static, str>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] {}: {}", self.severity, self.rule.code, self.path, self.message)?;
        match (&self.offset, &self.stream) {
            (Some(offset), Stream::File) => write!(f, " (offset {offset:#x})"),
            (Some(offset), stream) => write!(f, " (offset {offset:#x} of {stream})"),
            (None, _) => Ok(()),
        }
    }
}

impl From<&ReadError> for Finding {
    fn from(e: &ReadError) -> Self {
        Self {
            severity: Severity::Error,
            rule: e.rule(),
            path: e.path().clone(),
            stream: e.stream().clone(),
            offset: Some(e.offset()),
            message: Cow::Owned(e.message().into()),
        }
    }
}

/// A list of [`Finding`]s.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    findings: Vec<Finding>,
    seen: SortedMap<(&'static str, Severity), u64>,
}

impl Report {
    /// Returns an empty report.
    pub const fn new() -> Self {
        Self { findings: Vec::new(), seen: SortedMap::new() }
    }

    /// Adds a finding. Beyond [`KEPT_PER_CODE`] of one code and severity it is only counted.
    pub fn push(&mut self, finding: Finding) {
        if self.count(finding.rule.code, finding.severity) {
            self.findings.push(finding);
        }
    }

    /// Records that the field at `path` breaks a rule. The message is built only if it is kept.
    pub fn broken<M: Into<Cow<'static, str>>>(
        &mut self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        offset: Option<u64>,
        message: impl FnOnce() -> M,
    ) {
        if self.count(rule.code, rule.severity) {
            self.keep(rule, path, Stream::File, offset, message().into());
        }
    }

    /// Adds a finding that is already counted.
    pub(crate) fn keep(
        &mut self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        stream: Stream,
        offset: Option<u64>,
        message: Cow<'static, str>,
    ) {
        let (severity, path) = (rule.severity, path.to_owned());
        self.findings.push(Finding { severity, rule, path, stream, offset, message });
    }

    /// Marks the offsets of all findings as offsets in a companion file of this name.
    #[must_use]
    pub fn of_part(mut self, name: &'static str) -> Self {
        for finding in &mut self.findings {
            finding.stream = Stream::Part(name.into());
        }
        self
    }

    /// Lowers the severity of every finding to at most `most`.
    #[must_use]
    pub fn at_most(mut self, most: Severity) -> Self {
        for finding in &mut self.findings {
            finding.severity = finding.severity.min(most);
        }
        for ((code, severity), n) in core::mem::take(&mut self.seen) {
            let seen = self.seen.entry((code, severity.min(most))).or_insert(0);
            *seen = seen.saturating_add(n);
        }
        self
    }

    /// Appends all findings of `other`.
    pub fn append(&mut self, other: Self) {
        self.take(other, SortedMap::new(), |_, _| true);
    }

    /// Appends the findings of `other` that this report does not hold yet, compared by code and path: a
    /// validation finds again what a lenient reader forgave. Findings that were only counted have no path,
    /// so those in both reports count once.
    pub fn append_new(&mut self, other: Self) {
        let mut counted = SortedMap::<_, u64>::new();
        for (&(code, _), &n) in &self.seen {
            let all = counted.entry(code).or_insert(0);
            *all = all.saturating_add(n);
        }
        for finding in &self.findings {
            if let Some(n) = counted.get_mut(finding.rule.code) {
                *n = n.saturating_sub(1);
            }
        }
        self.take(other, counted, |known, f| {
            !known.iter().any(|k| k.rule.code == f.rule.code && k.path == f.path)
        });
    }

    /// Adds findings. `counted` is the number of findings, per code, that `other` only counted and this
    /// report already has.
    fn take(
        &mut self,
        other: Self,
        mut counted: SortedMap<&str, u64>,
        wanted: impl Fn(&[Finding], &Finding) -> bool,
    ) {
        let known = self.findings.len();
        let mut unkept = other.seen;
        for finding in other.findings {
            if let Some(n) = unkept.get_mut(&(finding.rule.code, finding.severity)) {
                *n = n.saturating_sub(1);
            }
            if wanted(self.findings.get(..known).unwrap_or_default(), &finding) {
                self.push(finding);
            }
        }
        for (key, mut n) in unkept {
            if let Some(known) = counted.get_mut(key.0) {
                let same = n.min(*known);
                (n, *known) = (n.saturating_sub(same), known.saturating_sub(same));
            }
            if n == 0 {
                continue;
            }
            let seen = self.seen.entry(key).or_insert(0);
            *seen = seen.saturating_add(n);
        }
    }

    /// Counts one more finding. Returns whether its location and message are kept.
    pub(crate) fn count(&mut self, code: &'static str, severity: Severity) -> bool {
        let n = self.seen.entry((code, severity)).or_insert(0);
        *n = n.saturating_add(1);
        *n <= KEPT_PER_CODE
    }

    /// Returns the kept findings in the order they were found.
    pub fn iter(&self) -> core::slice::Iter<'_, Finding> {
        self.findings.iter()
    }

    /// Returns the kept findings in the order they were found.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns every code with its severity and number of findings, including those only counted.
    pub fn totals(&self) -> impl Iterator<Item = (&'static str, Severity, u64)> + '_ {
        self.seen.iter().map(|(&(code, severity), &n)| (code, severity, n))
    }

    /// Returns the number of findings of `severity`, including those that were only counted.
    pub fn count_of(&self, severity: Severity) -> u64 {
        self.totals().filter(|t| t.1 == severity).map(|t| t.2).sum()
    }

    /// Returns whether some finding is an error.
    pub fn has_errors(&self) -> bool {
        self.count_of(Severity::Error) > 0
    }

    /// Returns true if the report has no findings.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Returns whether there is a finding for a rule of this code or native name.
    pub fn has(&self, code: &str) -> bool {
        self.findings.iter().any(|f| f.rule.code == code || f.rule.native == code)
    }
}

impl<'r> IntoIterator for &'r Report {
    type Item = &'r Finding;
    type IntoIter = core::slice::Iter<'r, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Report {
    type Item = Finding;
    type IntoIter = alloc::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.findings.into_iter()
    }
}

/// The result of a lenient parse: the model, and every broken rule that was forgiven.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parsed<T> {
    /// The model, with the file's own values.
    pub model: T,
    /// The broken rules, as errors that were forgiven.
    pub forgiven: Report,
}

impl<T> Parsed<T> {
    /// Combines a model with the errors that were forgiven.
    pub const fn new(model: T, forgiven: Report) -> Self {
        Self { model, forgiven }
    }

    /// Converts the model and keeps the findings.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Parsed<U> {
        Parsed { model: f(self.model), forgiven: self.forgiven }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Kind;

    const ODD: &Rule = &Rule::warning("w", Kind::Unused, "", "");
    const BAD: &Rule = &Rule::error("e", Kind::BadValue, "", "");

    #[test]
    fn a_flood_of_findings_is_counted_not_kept() {
        let mut report = Report::new();
        for i in 0..1000_usize {
            report.broken(ODD, &FieldPath::ROOT.field("x").index(i), None, || "odd");
        }
        report.broken(BAD, &FieldPath::ROOT, Some(4), || "bad");
        assert_eq!(report.findings().len() as u64, KEPT_PER_CODE + 1);
        assert_eq!(report.count_of(Severity::Warning), 1000);
        assert!(report.has_errors() && report.has("e") && !report.has("f"));
    }

    #[test]
    fn appending_counts_each_finding_once() {
        let flood = |n: usize| {
            let mut report = Report::new();
            for i in 0..n {
                report.broken(ODD, &FieldPath::ROOT.field("x").index(i), None, || "odd");
            }
            report
        };
        let mut report = flood(10);
        report.append(flood(100));
        assert_eq!(report.count_of(Severity::Warning), 110);
        assert_eq!(report.findings().len() as u64, KEPT_PER_CODE);

        let mut report = flood(10);
        report.append_new(flood(12));
        assert_eq!(report.count_of(Severity::Warning), 12);
        report.append_new(flood(12));
        assert_eq!(report.findings().len(), 12);
    }

    #[test]
    fn a_flood_that_was_forgiven_is_no_error_when_it_is_found_again() {
        let flood = |n: usize| {
            let mut report = Report::new();
            for i in 0..n {
                report.broken(BAD, &FieldPath::ROOT.field("x").index(i), None, || "bad");
            }
            report
        };
        let mut report = flood(100).at_most(Severity::Warning);
        assert_eq!((report.count_of(Severity::Warning), report.has_errors()), (100, false));
        report.append_new(flood(100));
        assert_eq!((report.count_of(Severity::Warning), report.has_errors()), (100, false));
        // Findings beyond the number that was already counted are new.
        report.append_new(flood(103));
        assert_eq!((report.count_of(Severity::Warning), report.count_of(Severity::Error)), (100, 3));
    }
}
