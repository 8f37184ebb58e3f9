//! The laws of every format crate. Each function panics with details if a law is broken.

use crate::heap::peak_of;
use crate::{Expect, Fixture, hex_diff};
use meshwright_core::{
    ErrorClass, FileFormat, Kind, Limits, Parsed, ReadError, ReadOptions, Report, Severity, Stream,
    WriteError,
};
use std::fmt::{Debug, Display};
use std::marker::PhantomData;

/// The laws of one file type.
///
/// Each function panics with details if a law is broken. `O` creates the format's options from strictness
/// and limits, for files whose dialect the options must state.
pub struct Laws<F, O> {
    options: O,
    kind: PhantomData<F>,
}

impl<F, O> Debug for Laws<F, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Laws")
    }
}

/// Returns the laws of a file type with its default options.
pub const fn laws<F: FileFormat>() -> Laws<F, fn(ReadOptions) -> F::Options> {
    Laws { options: F::Options::from, kind: PhantomData }
}

/// Returns the laws of a file type with the given options.
pub const fn laws_with<F: FileFormat, O: Fn(ReadOptions) -> F::Options>(options: O) -> Laws<F, O> {
    Laws { options, kind: PhantomData }
}

impl<F: FileFormat, O: Fn(ReadOptions) -> F::Options> Laws<F, O> {
    fn strict(&self, bytes: &[u8]) -> Result<F, ReadError> {
        F::parse_with(bytes, &(self.options)(ReadOptions::default())).map(|p| p.model)
    }

    /// Law 1: a valid model that is written and read again is the same model.
    pub fn model_round_trip(&self, model: &F) {
        let bytes = model.to_bytes().expect("a valid model is written");
        let again = self.strict(&bytes).expect("what was written is read");
        assert!(*model == again, "the model changed on its way:\n{model:?}\n{again:?}");
    }

    /// Law 2: a well-formed file that is read and written again has the same bytes.
    pub fn byte_round_trip(&self, name: &str, bytes: &[u8]) {
        let model = self.strict(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let written = model.to_bytes().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(written == bytes, "{name}: the rewrite differs\n{}", hex_diff(bytes, &written));
    }

    /// Checks that a fixture has the result that its name states, and that codes of errors and findings are
    /// those of rules.
    pub fn fixture(&self, fixture: &Fixture) {
        let name = &fixture.name;
        let parsed = self.strict(&fixture.bytes);
        match (fixture.expect, parsed) {
            (Expect::Reject, Ok(_)) => panic!("{name}: must be refused"),
            (Expect::Reject, Err(e)) => {
                assert!(e.offset() <= fixture.bytes.len() as u64, "{name}: offset outside the file: {e}");
                check_rule::<F>(e.code(), e.kind(), Severity::Error);
            }
            (_, Err(e)) => panic!("{name}: must open: {e}"),
            (expect, Ok(model)) => {
                let report = model.validate();
                let findings: Vec<_> = report.iter().map(ToString::to_string).collect();
                assert!(!report.has_errors(), "{name}: a file that opened has errors: {findings:?}");
                let clean = findings.is_empty();
                assert!(clean == (expect == Expect::Ok), "{name}: expected {expect:?}, found {findings:?}");
                report.iter().for_each(|f| check_rule::<F>(f.rule.code, f.rule.kind, f.severity));
                self.byte_round_trip(name, &fixture.bytes);
            }
        }
    }

    /// Calls [`answer`] for this file type.
    pub fn any_bytes(&self, bytes: &[u8]) -> Opened {
        let parse = |bytes: &[u8], read: &ReadOptions| F::parse_with(bytes, &(self.options)(*read));
        answer(bytes, bytes.len(), parse, F::validate, F::to_bytes)
    }

    /// Checks that no prefix shorter than `needed` bytes opens strictly.
    pub fn prefixes(&self, name: &str, bytes: &[u8], needed: usize) {
        for cut in 0..needed.min(bytes.len()) {
            assert!(self.strict(&bytes[..cut]).is_err(), "{name}: a prefix of {cut} bytes opens");
        }
    }
}

/// Checks that a code is that of a rule, with its kind and severity.
fn check_rule<F: FileFormat>(code: &str, kind: Kind, severity: Severity) {
    let found = F::RULES.iter().any(|r| r.code == code && r.kind == kind && r.severity == severity);
    assert!(found, "{}: no rule {severity}[{code}] of kind {kind}", F::ID);
}

/// Checks that every rule has a cause and a remedy as whole sentences, and that no two rules are the same.
pub fn rules_are_stated<F: FileFormat>() {
    let mut seen = std::collections::BTreeSet::new();
    for rule in F::RULES {
        for sentence in [rule.cause, rule.mending] {
            let whole = sentence.starts_with(char::is_uppercase) && sentence.ends_with('.');
            assert!(whole, "{}: {}: no sentence: {sentence:?}", F::ID, rule.code);
        }
        let key = (rule.code, rule.kind, rule.severity, rule.forgivable, rule.cause);
        assert!(seen.insert(key), "{}: {} is stated twice", F::ID, rule.code);
    }
    assert!(!F::RULES.is_empty(), "{}: no rules", F::ID);
}

/// The strictness with which a file opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opened {
    /// No reader opened it.
    Refused,
    /// Only a lenient reader opened it.
    Lenient,
    /// A strict reader opened it.
    Strict,
}

/// Checks laws 2 and 3 on any bytes: the reader returns a result and never panics. An error states location
/// and reason. A model that opens is written; reading that again gives the same model and the same bytes. If
/// a strict reader opens the file, a lenient one gives the same model. `len` is the length of the file that
/// offsets count in. It differs from the length of `bytes` if these are a companion file.
pub fn answer<M: PartialEq + Debug>(
    bytes: &[u8],
    len: usize,
    parse_with: impl Fn(&[u8], &ReadOptions) -> Result<Parsed<M>, ReadError>,
    validate: impl Fn(&M) -> Report,
    to_bytes: impl Fn(&M) -> Result<Vec<u8>, WriteError>,
) -> Opened {
    let (mut answer, mut opened) = (Opened::Refused, None);
    for options in [ReadOptions::default(), ReadOptions::lenient()] {
        let parsed = match parse_with(bytes, &options) {
            Ok(parsed) => parsed,
            Err(e) => {
                assert!(answer == Opened::Refused, "refused only by the lenient: {e}");
                refusal(&e, len);
                continue;
            }
        };
        if let Some(strict) = &opened {
            assert!(parsed.model == *strict, "read differently by the lenient");
            continue;
        }
        let report = validate(&parsed.model);
        for finding in parsed.forgiven.findings().iter().chain(report.findings()) {
            one_line(&finding.to_string());
            check_location(finding.offset.unwrap_or(0), &finding.stream, len, finding);
        }
        let written = match to_bytes(&parsed.model) {
            Ok(written) => written,
            Err(e) => {
                assert!(options.is_lenient(), "a strictly read model is not written: {e}");
                one_line(&e.to_string());
                answer = answer.max(Opened::Lenient);
                continue;
            }
        };
        if !options.is_lenient() {
            assert!(!report.has_errors(), "a strictly read model has errors: {report:?}");
            assert!(written == bytes, "the rewrite differs\n{}", hex_diff(bytes, &written));
        }
        answer = answer.max(if options.is_lenient() { Opened::Lenient } else { Opened::Strict });
        let again = match parse_with(&written, &options) {
            Ok(again) => again.model,
            Err(e) if matches!(e.class(), ErrorClass::Limit { .. }) => continue,
            Err(e) => panic!("what was written is not read: {e}\n{}", hex_diff(bytes, &written)),
        };
        assert!(again == parsed.model, "the model changed on its way\n{}", hex_diff(bytes, &written));
        let twice = to_bytes(&again).unwrap_or_else(|e| panic!("what was read again is not written: {e}"));
        assert!(twice == written, "not a fixed point\n{}", hex_diff(&written, &twice));
        opened = (!options.is_lenient()).then_some(parsed.model);
    }
    answer
}

/// Checks that a reader charges heap memory before it allocates: with a lower limit, it rejects the file. Returns what it
/// opened.
///
/// Not charged are: another `len` bytes for a file of `len` bytes, which a caller may need to own borrowed
/// data; the fixed parts of a reader; and reports.
///
/// # Errors
/// The reader's own, without a lower limit.
pub fn charged<T>(
    len: usize,
    open: impl Fn(Limits) -> Result<Parsed<T>, ReadError>,
) -> Result<Parsed<T>, ReadError> {
    let (opened, peak) = peak_of(|| open(Limits::default()));
    let report = opened.as_ref().map_or(0, |parsed| parsed.forgiven.findings().len() * FINDING);
    let Some(below) = peak.checked_sub(len + FIXED + report + 1) else { return opened };
    match open(Limits::default().with_memory(below as u64)) {
        Err(e) if matches!(e.class(), ErrorClass::Limit { .. }) => {}
        Err(e) => panic!("{peak} bytes of heap, less were charged before the refusal: {e}"),
        Ok(_) => panic!("{peak} bytes of heap, {below} suffice as a limit"),
    }
    opened
}

/// The memory of a reader that is not charged: a node of each of its maps, and an error.
pub const FIXED: usize = 4096;
/// The memory of a finding.
const FINDING: usize = 512;

/// Checks that an error has a code, one line, and a location in a file of `len` bytes.
pub fn refusal(e: &ReadError, len: usize) {
    one_line(&e.to_string());
    check_location(e.offset(), e.stream(), len, e);
    assert!(!e.code().is_empty(), "{e}: no code");
}

/// Checks that a message is one line of at most 4 KiB.
pub fn one_line(text: &str) {
    assert!(text.len() < 4096, "a message of {} bytes: {text:.200}", text.len());
    assert!(!text.chars().any(char::is_control), "a message of several lines: {text:?}");
}

/// Checks that an offset into the file is at most its length.
fn check_location(offset: u64, stream: &Stream, len: usize, what: &impl Display) {
    assert!(*stream != Stream::File || offset <= len as u64, "offset outside the file: {what}");
}
