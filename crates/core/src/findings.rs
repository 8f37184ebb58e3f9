//! Collects broken rules from every kind of check: strict reading, lenient reading, writing and validation.

use crate::SortedMap;
use crate::error::{ReadError, Stream};
use crate::limits::ReadOptions;
use crate::path::FieldPath;
use crate::report::{Finding, KEPT_PER_CODE, Report};
use crate::rule::Rule;
use crate::rule::Severity;
use alloc::borrow::Cow;

/// The location of a field in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    stream: Stream,
    offset: Option<u64>,
}

impl Place {
    /// The location of a model that did not come from a file.
    pub const NONE: Self = Self { stream: Stream::File, offset: None };

    /// Returns an offset in a part that is decoded first, or in a companion file.
    pub fn part(name: impl Into<Cow<'static, str>>, offset: impl Into<Option<u64>>) -> Self {
        Self { stream: Stream::Part(name.into()), offset: offset.into() }
    }

    /// Returns an offset in the given stream.
    pub fn within(stream: Stream, offset: impl Into<Option<u64>>) -> Self {
        Self { stream, offset: offset.into() }
    }
}

impl From<u64> for Place {
    fn from(offset: u64) -> Self {
        Some(offset).into()
    }
}

impl From<Option<u64>> for Place {
    fn from(offset: Option<u64>) -> Self {
        Self { stream: Stream::File, offset }
    }
}

/// The kind of check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The first broken rule that is an error ends the check.
    Strict,
    /// Forgivable errors are recorded, others end the check.
    Lenient,
    /// Everything is recorded.
    Validate,
}

/// A collector of broken rules.
///
/// Functions `fn(&Model, &Places, &mut Findings) -> Result<(), ReadError>` check the rules. They call
/// [`broken`](Self::broken) and pass its error on with `?`. So the same functions serve readers, which stop
/// at the first error, writers, which forgive nothing, and validation, which never stops.
#[derive(Debug)]
pub struct Findings {
    mode: Mode,
    report: Report,
    /// The number of times that each rule was broken.
    seen: SortedMap<(&'static str, Severity), u64>,
}

/// The consequence of a broken rule.
enum Weight {
    /// The broken rule is ignored, or only counted.
    None,
    /// The location and message are kept.
    Kept,
    /// The check ends.
    End,
}

fn ended(rule: &'static Rule, path: &FieldPath<'_>, place: Place, message: Cow<'static, str>) -> ReadError {
    ReadError::broken(rule, path, place.offset.unwrap_or(0), message).in_stream(place.stream)
}

impl Findings {
    const fn new(mode: Mode) -> Self {
        Self { mode, report: Report::new(), seen: SortedMap::new() }
    }

    /// Returns a collector for a reader with these options.
    pub const fn reading(options: &ReadOptions) -> Self {
        Self::new(if options.is_lenient() { Mode::Lenient } else { Mode::Strict })
    }

    /// Returns a collector for a writer: the first broken rule is the reason why the model is not written.
    pub const fn writing() -> Self {
        Self::new(Mode::Strict)
    }

    /// Returns a collector for a validation: everything is recorded, warnings included.
    pub const fn validating() -> Self {
        Self::new(Mode::Validate)
    }

    /// Returns whether warnings and remarks are recorded. If not, readers and writers need not look for
    /// them.
    pub const fn is_validating(&self) -> bool {
        matches!(self.mode, Mode::Validate)
    }

    /// Returns whether forgivable errors are recorded instead of ending the check.
    pub const fn is_lenient(&self) -> bool {
        matches!(self.mode, Mode::Lenient)
    }

    /// Returns true if another finding for `rule` would be kept with its location and message. Beyond [`KEPT_PER_CODE`]
    /// findings are only counted, so that the caller need not compute their locations.
    pub fn keeps(&self, rule: &'static Rule) -> bool {
        self.seen.get(&(rule.code, rule.severity)).is_none_or(|n| *n < KEPT_PER_CODE)
    }

    /// Records that the field at `path` breaks a rule. The message is built only if it is kept.
    ///
    /// # Errors
    /// If the check ends here: `rule` is an error, and the reader or writer does not forgive it.
    pub fn broken<M: Into<Cow<'static, str>>>(
        &mut self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        place: impl Into<Place>,
        message: impl FnOnce() -> M,
    ) -> Result<(), ReadError> {
        // This part does not depend on the type parameters, so that the program contains it only once.
        match self.weigh(rule) {
            Weight::None => Ok(()),
            Weight::Kept => {
                let Place { stream, offset } = place.into();
                self.report.keep(rule, path, stream, offset, message().into());
                Ok(())
            }
            Weight::End => Err(ended(rule, path, place.into(), message().into())),
        }
    }

    /// Decides what follows from a broken rule. The finding is counted, unless it ends the check.
    fn weigh(&mut self, rule: &'static Rule) -> Weight {
        if rule.severity < Severity::Error && !self.is_validating() {
            return Weight::None;
        }
        let ends = match self.mode {
            Mode::Strict => true,
            Mode::Lenient => !rule.forgivable,
            Mode::Validate => false,
        };
        if ends {
            return Weight::End;
        }
        let seen = self.seen.entry((rule.code, rule.severity)).or_insert(0);
        *seen = seen.saturating_add(1);
        if self.report.count(rule.code, rule.severity) { Weight::Kept } else { Weight::None }
    }

    /// Records an error of reading if a lenient reader may forgive `rule`.
    ///
    /// # Errors
    /// The same error, if it is not forgiven.
    pub fn pass(&mut self, rule: &'static Rule, e: ReadError) -> Result<(), ReadError> {
        if self.mode == Mode::Strict || (self.mode == Mode::Lenient && !rule.forgivable) {
            return Err(e);
        }
        let seen = self.seen.entry((rule.code, rule.severity)).or_insert(0);
        *seen = seen.saturating_add(1);
        self.report.push(Finding { severity: rule.severity, ..Finding::from(&e) });
        Ok(())
    }

    /// Appends the findings of another check.
    pub fn append(&mut self, report: Report) {
        self.report.append(report);
    }

    /// Returns the recorded findings.
    pub fn into_report(self) -> Report {
        self.report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WriteError;
    use crate::limits::ReadOptions;

    crate::rules! {
        error HARD = "hard", BadCount, "c", "m";
        forgivable SOFT = "soft", BadReference, "c", "m";
        warning WARN = "warn", Unused, "c", "m";
    }

    fn check(findings: &mut Findings) -> Result<(), ReadError> {
        let path = FieldPath::ROOT.field("x");
        findings.broken(WARN, &path, 1, || "w")?;
        findings.broken(SOFT, &path, Place::part("part", 2), || "s")?;
        findings.broken(HARD, &path, None, || "h")
    }

    #[test]
    fn who_checks_decides_what_ends_the_check() {
        assert_eq!(RULES, [HARD, SOFT, WARN]);
        let mut strict = Findings::reading(&ReadOptions::default());
        let e = check(&mut strict).unwrap_err();
        assert_eq!((e.code(), e.kind(), e.offset()), ("soft", crate::Kind::BadReference, 2));
        assert_eq!(*e.stream(), Stream::Part("part".into()));
        assert!(strict.into_report().is_empty());

        let mut lenient = Findings::reading(&ReadOptions::lenient());
        assert_eq!(check(&mut lenient).unwrap_err().code(), "hard");
        let report = lenient.into_report();
        assert_eq!(report.findings().iter().map(|f| f.rule.code).collect::<alloc::vec::Vec<_>>(), ["soft"]);

        let e = WriteError::from(check(&mut Findings::writing()).unwrap_err());
        assert_eq!(e, WriteError::invalid(SOFT, &FieldPath::ROOT.field("x"), "s"));

        let mut all = Findings::validating();
        assert_eq!(check(&mut all), Ok(()));
        let report = all.into_report();
        assert_eq!((report.count_of(Severity::Error), report.count_of(Severity::Warning)), (2, 1));
        assert_eq!(report.findings()[1].stream, Stream::Part("part".into()));
    }

    #[test]
    fn a_flood_is_counted() {
        let mut all = Findings::validating();
        for i in 0..100_u64 {
            assert_eq!(all.keeps(SOFT), i < KEPT_PER_CODE);
            all.broken(SOFT, &FieldPath::ROOT, i, || "s").unwrap();
        }
        assert_eq!(all.into_report().count_of(Severity::Error), 100);
    }
}
