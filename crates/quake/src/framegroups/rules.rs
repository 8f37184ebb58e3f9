//! The rules of a text.

use super::model::FrameGroups;
use super::scanner::{Event, scan};
use meshwright_core::{Codes, FieldPath, Findings, ReadError, Report};

meshwright_core::rules! {
    error SHORT = "out-of-file", Truncated,
        "The file ends too early.",
        "Get a complete copy.";
    error LIMIT = "limit", Limit [NoEngine],
        "The text has more clips than the caller allows.",
        "Allow more memory, if the file is trusted.";
    warning MISSING_LENGTH = "missing-length", Missing [Ignored],
        "A line has a start but no length; it gives no clip.",
        "Add the number of frames.";
    warning OPEN_COMMENT = "unterminated-comment", Syntax [Misshown],
        "A comment has no end; the rest of the text is part of it.",
        "End the comment with an asterisk and a slash.";
    warning OPEN_QUOTE = "unterminated-quote", Syntax [Misshown],
        "A quote has no end; the rest of the text is part of it.",
        "Add the closing quote.";
    info NO_CLIPS = "no-clips", Missing [Ignored],
        "The text has no clip; the model's own list stays.",
        "Nothing needs to be done for a model that does not move.";
    warning START = "start-clamped", BadReference [Tolerated],
        "A clip starts outside the model.",
        "Correct the start, or take the file that belongs to the model.";
    warning LENGTH = "length-clamped", BadCount [Tolerated],
        "A clip has no frame, or more than the model has from its start on.",
        "Correct the length, or take the file that belongs to the model.";
    warning FPS = "fps-clamped", BadValue [Tolerated],
        "A clip's rate is below 1 frame per second, or not a number.",
        "State a rate of at least 1.";
    warning NAME = "name-cut", BadName [Tolerated],
        "A clip's name is longer than the engine keeps.",
        "Shorten it to 31 bytes.";
    error BAD_FPS = "bad-fps", NonFinite [NoEngine],
        "A clip's rate is infinite or not a number; the text cannot hold it.",
        "Set a finite rate.";
    error BAD_NAME = "bad-name", BadName [NoEngine],
        "A clip's name has characters that cannot be quoted.",
        "Remove quotes and NULs from it.";
}

pub(super) const CODES: Codes = Codes { short: SHORT, count: SHORT, limit: LIMIT };

impl FrameGroups {
    /// Checks the text by itself: lines without a length (`missing-length`), comments and quotes without an end
    /// (`unterminated-comment`, `unterminated-quote`), no clips (`no-clips`).
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        // These findings never end the check.
        let _ = self.check(&mut findings);
        findings.into_report()
    }

    fn check(&self, findings: &mut Findings) -> Result<(), ReadError> {
        let mut checked = Ok(());
        let path = FieldPath::ROOT.field("text");
        scan(&self.text, |event| {
            let (rule, at, message) = match event {
                Event::Group(_) => return,
                Event::MissingLength(at) => (MISSING_LENGTH, at, "the line has a start but no length"),
                Event::OpenComment(at) => (OPEN_COMMENT, at, "the comment has no end"),
                Event::OpenQuote(at) => (OPEN_QUOTE, at, "the quote has no end"),
            };
            if checked.is_ok() {
                checked = findings.broken(rule, &path, at, || message);
            }
        });
        checked?;
        if self.groups.is_empty() {
            findings.broken(NO_CLIPS, &FieldPath::ROOT, None, || "no clip: the model's own list stays")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn odd_texts_are_reported() {
        let codes = |text: &str| {
            let report = FrameGroups::parse(text.as_bytes()).unwrap().validate();
            report.findings().iter().map(|f| (f.rule.code, f.offset)).collect::<Vec<_>>()
        };
        assert_eq!(codes("1 2\n 5\n"), [("missing-length", Some(5))]);
        assert_eq!(codes("1 2 /* x"), [("unterminated-comment", Some(4))]);
        assert_eq!(codes("1 2 3 1 \"x"), [("unterminated-quote", Some(8))]);
        assert_eq!(codes("// nothing"), [("no-clips", None)]);
        assert_eq!(codes("/*/ 1 2"), [], "a comment of three characters");
    }
}
