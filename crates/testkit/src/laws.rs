//! The promises of every format crate. Each function panics with what it saw when a promise is broken.

use crate::{Expect, Fixture, hex_diff};
use meshwright_core::{ErrorClass, Limits, Parsed, ReadError, ReadOptions, Report, Stream, WriteError};
use std::fmt::{self, Debug, Write as _};

/// A format crate's verbs for one kind of model.
#[derive(Debug)]
pub struct Format<M> {
    /// `M::parse_with`.
    pub parse_with: fn(&[u8], &ReadOptions) -> Result<Parsed<M>, ReadError>,
    /// `M::validate`.
    pub validate: fn(&M) -> Report,
    /// `M::to_bytes`.
    pub to_bytes: fn(&M) -> Result<Vec<u8>, WriteError>,
}

impl<M> Clone for Format<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Format<M> {}

/// Counts the bytes of a message that must be one line.
struct Line(usize);

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        assert!(!text.contains(char::is_control), "a message of several lines: {text:?}");
        Ok(())
    }
}

/// A refusal is one line of at most 4 KiB, with a code and an offset in the file.
fn answered(e: &ReadError, bytes: &[u8]) {
    let mut line = Line(0);
    let _ = write!(line, "{e}");
    assert!(line.0 < 4096, "an error of more than 4 KiB");
    assert!(!e.code().is_empty(), "an error without a code: {e}");
    located(e, bytes);
}

fn located(e: &ReadError, bytes: &[u8]) {
    let inside = *e.stream() != Stream::File || e.offset() <= bytes.len() as u64;
    assert!(inside, "offset outside the file: {e}");
}

impl<M: PartialEq + Debug> Format<M> {
    fn strict(&self, bytes: &[u8]) -> Result<M, ReadError> {
        (self.parse_with)(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Law 1: a valid model, written and read, is the same model.
    pub fn model_round_trip(&self, model: &M) {
        let bytes = (self.to_bytes)(model).expect("a valid model is written");
        let again = self.strict(&bytes).expect("what was written is read");
        assert!(*model == again, "the model changed on its way:\n{model:?}\n{again:?}");
    }

    /// Law 2: a well-formed file, read and written, is the same bytes.
    pub fn byte_round_trip(&self, name: &str, bytes: &[u8]) {
        let model = self.strict(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let written = (self.to_bytes)(&model).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(written == bytes, "{name}: the rewrite differs\n{}", hex_diff(bytes, &written));
    }

    /// A fixture is answered as its name says.
    pub fn fixture(&self, fixture: &Fixture) {
        let name = &fixture.name;
        let parsed = self.strict(&fixture.bytes);
        match (fixture.expect, parsed) {
            (Expect::Reject, Ok(_)) => panic!("{name}: must be refused"),
            (Expect::Reject, Err(e)) => {
                assert!(e.offset() <= fixture.bytes.len() as u64, "{name}: offset outside the file: {e}");
            }
            (_, Err(e)) => panic!("{name}: must open: {e}"),
            (expect, Ok(model)) => {
                let report = (self.validate)(&model);
                let findings: Vec<_> = report.findings().iter().map(ToString::to_string).collect();
                assert!(!report.has_errors(), "{name}: a file that opened has errors: {findings:?}");
                let clean = findings.is_empty();
                assert!(clean == (expect == Expect::Ok), "{name}: expected {expect:?}, found {findings:?}");
                self.byte_round_trip(name, &fixture.bytes);
            }
        }
    }

    /// Law 3 alone, as cheaply as can be: an answer, strictly, and leniently where that is refused. Errors are looked
    /// at closely for one input in eight.
    pub fn answers(&self, bytes: &[u8], limits: Limits) {
        for options in [ReadOptions::default(), ReadOptions::lenient()].map(|o| o.with_limits(limits)) {
            match (self.parse_with)(bytes, &options) {
                Ok(_) => return,
                Err(e) if bytes.last().is_some_and(|b| b % 8 == 0) => answered(&e, bytes),
                Err(e) => located(&e, bytes),
            }
        }
    }

    /// Laws 2 and 3 on any bytes: an answer, never a panic; what opens is written, and reading that again
    /// gives the same model and the same bytes. A lenient reader reads what a strict one does as the strict one does.
    pub fn any_bytes(&self, bytes: &[u8]) {
        self.any_bytes_within(bytes, Limits::default());
    }

    /// [`any_bytes`](Self::any_bytes) within other limits.
    pub fn any_bytes_within(&self, bytes: &[u8], limits: Limits) {
        let mut opened = None;
        for options in [ReadOptions::default(), ReadOptions::lenient()].map(|o| o.with_limits(limits)) {
            match (self.parse_with)(bytes, &options) {
                Err(e) => {
                    assert!(opened.is_none(), "refused by the lenient reader only: {e}");
                    answered(&e, bytes);
                }
                Ok(parsed) => {
                    if opened.is_some() {
                        assert!(opened == Some(parsed.model), "read differently by the lenient reader");
                        continue;
                    }
                    let report = (self.validate)(&parsed.model);
                    let lenient = options.is_lenient();
                    assert!(lenient || !report.has_errors(), "a strictly read model has errors: {report:?}");
                    self.fixed_point(&parsed.model, &options);
                    opened = Some(parsed.model);
                }
            }
        }
    }

    /// What was read is written, and reading that gives the same model and the same bytes again.
    fn fixed_point(&self, model: &M, options: &ReadOptions) {
        let written = match (self.to_bytes)(model) {
            Ok(written) => written,
            Err(e) => {
                assert!(options.is_lenient(), "a strictly read model cannot be written: {e}");
                return;
            }
        };
        let again = match (self.parse_with)(&written, options) {
            Ok(again) => again.model,
            Err(e) if matches!(e.class(), ErrorClass::Limit { .. }) => return,
            Err(e) => panic!("what was written is not read: {e}"),
        };
        assert!(again == *model, "the model changed on its way");
        let twice = (self.to_bytes)(&again).expect("what was read is written");
        assert!(twice == written, "not a fixed point\n{}", hex_diff(&written, &twice));
    }

    /// Every prefix and every single bit flip of a file keeps [`any_bytes`](Self::any_bytes), and no proper
    /// prefix up to `needed` bytes opens strictly.
    pub fn mutations(&self, bytes: &[u8], needed: usize) {
        for cut in 0..bytes.len() {
            let prefix = &bytes[..cut];
            assert!(cut >= needed || self.strict(prefix).is_err(), "a prefix of {cut} bytes opens");
            self.any_bytes(prefix);
        }
        let mut mutant = bytes.to_vec();
        for bit in 0..bytes.len() * 8 {
            mutant[bit / 8] ^= 1 << (bit % 8);
            self.any_bytes(&mutant);
            mutant[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
