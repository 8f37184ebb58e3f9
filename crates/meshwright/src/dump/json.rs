//! JSON that is safe to print.

use meshwright_core::text::acts_on_terminal;
use serde_core::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use std::io::{self, Write};

/// Writes a value as JSON on one line, and escapes every character that acts on a terminal, so the value stays exact.
///
/// # Errors
/// When `out` takes no more, or when the value has no form in JSON.
pub fn write_json<T: Serialize + ?Sized>(out: impl Write, value: &T) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, Printable))?)
}

struct Printable;

impl Formatter for Printable {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, out: &mut W, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| acts_on_terminal(*c)) {
            let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.write_all(before.as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = behind.get(c.len_utf8()..).unwrap_or_default();
        }
        out.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing test panics")]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_escaped_and_stays_exact() {
        let text = "a\u{1b}\u{7f}\u{85}\u{9b}2J\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202e}\u{2069}\"\u{e9}\u{1f600}";
        let mut out = Vec::new();
        write_json(&mut out, &serde_json::json!({ text: [text] })).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert!(!written.chars().any(acts_on_terminal), "{written}");
        assert!(written.contains(r"\u009b2J\u061c") && written.contains("\u{e9}\u{1f600}"), "{written}");
        let read: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(read[text][0], text);
    }
}
