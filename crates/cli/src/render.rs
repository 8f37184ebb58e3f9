//! Formats findings and errors as text and as JSON.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "members of a document that is made here; places within a few rows and lines"
)]

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use meshwright::{ErrorClass, Finding, Order as _, ReadError, Severity, Stream, counted, visible};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

/// The most bytes of one message.
const LONGEST: usize = 4096;

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Wherever results go
    Always,
    /// Nowhere
    Never,
}

/// The value of `--color`.
static COLOR: AtomicU8 = AtomicU8::new(Color::Auto as u8);

/// Stores the value of `--color`.
pub(crate) fn set_color(color: Color) {
    COLOR.store(color as u8, Ordering::Relaxed);
}

/// Returns whether output on a stream has colours. `--color` decides, then `NO_COLOR`, then `CLICOLOR_FORCE` and
/// `CLICOLOR`; otherwise a stream has colours if it is a terminal that supports them.
pub(crate) fn colours(stream: &impl IsTerminal) -> bool {
    let color = COLOR.load(Ordering::Relaxed);
    if color != Color::Auto as u8 {
        return color == Color::Always as u8;
    }
    let is = |name: &str, wanted: &dyn Fn(&OsStr) -> bool| std::env::var_os(name).is_some_and(|v| wanted(&v));
    if is("NO_COLOR", &|v| !v.is_empty()) {
        return false;
    }
    if is("CLICOLOR_FORCE", &|v| !v.is_empty() && v != "0") {
        return true;
    }
    !is("CLICOLOR", &|v| v == "0") && !is("TERM", &|v| v == "dumb") && stream.is_terminal()
}

/// Shortens text to the most bytes of a message, its longest lines first.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    cut_below(text, LONGEST)
}

/// Shortens a message that is a part of a document about the same thing.
pub(crate) fn message(text: &str) -> Cow<'_, str> {
    cut_below(text, LONGEST - 1024)
}

fn cut_below(text: &str, longest: usize) -> Cow<'_, str> {
    const MARK: &str = " ...";
    if text.len() < longest {
        return text.into();
    }
    let mut lengths: Vec<_> = text.lines().map(str::len).collect();
    lengths.order();
    // Long lines share the space that short lines do not need.
    let (mut left, mut lines) = (longest - 1, lengths.len());
    for length in lengths {
        if length + 1 > left / lines {
            break;
        }
        (left, lines) = (left - length - 1, lines - 1);
    }
    let most = (left / lines.max(1)).saturating_sub(1);
    let lines = text.lines().map(|line| match line.len() <= most {
        true => line.to_owned(),
        false => format!("{}{MARK}", beginning(line, most.saturating_sub(MARK.len()))),
    });
    lines.collect::<Vec<_>>().join("\n").into()
}

/// Returns at most `most` bytes from the beginning of a text, in whole characters.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    let most = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..most.unwrap_or(0)]
}

/// Returns at most `most` bytes from the end of a text, in whole characters.
pub(crate) fn ending(text: &str, most: usize) -> &str {
    let first = (text.len().saturating_sub(most)..=text.len()).find(|at| text.is_char_boundary(*at));
    &text[first.unwrap_or(text.len())..]
}

/// Formats a number of bytes with a unit.
pub(crate) fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let of = |unit: u64| bytes as f64 / unit as f64;
    match bytes {
        0..1024 => counted(bytes, "byte", "bytes"),
        1024..1_048_576 => format!("{:.1} KiB", of(1 << 10)),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", of(1 << 20)),
        _ => format!("{:.1} GiB", of(1 << 30)),
    }
}

/// Returns a code as it is printed. Debug builds check that `explain` knows it.
pub(crate) fn code(code: &str) -> &str {
    debug_assert!(
        !meshwright::explain(code).is_empty(),
        "{code} has no explanation: see crates/cli/tests/codes.rs"
    );
    code
}

/// Formats an error without a file position.
pub(crate) fn error(code: &str, message: &str) -> String {
    let head = painted(
        &format!("error[{}]", self::code(code)),
        severity_style(Severity::Error),
        colours(&io::stderr()),
    );
    format!("{head} {}", plain(message))
}

/// Applies a style to text if colours are on.
pub(crate) fn painted(text: &str, style: Style, on: bool) -> String {
    if on { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

pub(crate) fn severity_style(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Info => AnsiColor::Cyan,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}

/// Escapes every character that acts on a terminal. Line ends stay, and so do colours if they are on. All text for
/// people passes through this function, even if parts of it were escaped before.
pub(crate) fn printable(text: &str, with_colours: bool) -> Cow<'_, str> {
    let acts = |c: char| c != '\n' && meshwright::acts_on_terminal(c);
    if !text.contains(acts) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.find(acts) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let style = from.strip_prefix("\u{1b}[").filter(|_| with_colours);
        let length = style.and_then(|style| {
            let end = style.find(|c: char| !c.is_ascii_digit() && c != ';')?;
            style[end..].starts_with('m').then_some(end + 3)
        });
        if let Some(length) = length {
            out.push_str(&from[..length]);
            rest = &from[length..];
        } else {
            let c = from.chars().next().unwrap_or_default();
            out.extend(c.escape_unicode());
            rest = &from[c.len_utf8()..];
        }
    }
    out.push_str(rest);
    out.into()
}

/// Escapes text from a file or a path for a terminal.
pub(crate) fn plain(text: &str) -> String {
    visible(text).into_owned()
}

/// Escapes a path for a terminal. Of a very long path only the end is returned.
pub(crate) fn path(path: &Path) -> String {
    const LONGEST: usize = 1024;
    let text = plain(&path.to_string_lossy());
    match text.len() > LONGEST {
        true => format!("...{}", ending(&text, LONGEST)),
        false => text,
    }
}

/// Returns a path for JSON, which has its own escapes.
pub(crate) fn exact(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns paths for JSON.
pub(crate) fn exact_all(paths: &[impl AsRef<Path>]) -> Value {
    paths.iter().map(|path| exact(path.as_ref())).collect()
}

/// Formats a finding, with the bytes around the fault in hex and a mark under the first byte of the field:
///
/// ```text
/// error[bad-parent] bones[1].parent: 7 is not a bone before this one (offset 0x98)
///   0x0090  00 00 00 00 00 00 00 00  00 00 00 07 00 00 00 00
///                                    ^^
/// ```
pub(crate) fn finding(f: &Finding, file: &[u8], colour: bool) -> String {
    let head = format!("{}[{}]", f.severity, code(f.rule.code));
    let mut out = painted(&head, severity_style(f.severity), colour);
    let full = plain(&f.to_string());
    out.push_str(full.strip_prefix(&head).unwrap_or(&full));
    if let (Some(offset), Stream::File) = (f.offset, &f.stream) {
        out.push_str(&text_context(file, offset).unwrap_or_else(|| hex_context(file, offset)));
    }
    out
}

/// Formats the line of a text file that contains an offset, with its number and a mark. Returns `None` for a binary
/// file.
fn text_context(file: &[u8], offset: u64) -> Option<String> {
    /// The most bytes of the line that are printed on each side of the offset.
    const WIDTH: usize = 60;
    let at = usize::try_from(offset).ok().filter(|at| *at <= file.len())?;
    if file.is_empty() || file.iter().any(|b| b.is_ascii_control() && !b.is_ascii_whitespace()) {
        return None;
    }
    let (before, after) = file.split_at(at);
    let number = 1 + before.iter().filter(|b| **b == b'\n').count();
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    let end = at + after.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(after.len());
    let lossy = |range: &[u8]| plain(&String::from_utf8_lossy(range));
    let (left, right) = (lossy(&file[start.min(at)..at]), lossy(&file[at..end]));
    let label = format!("\n  line {number}: ");
    let (left, right) = (ending(&left, WIDTH), beginning(&right, WIDTH));
    let indent = label.len() - 1 + left.chars().count();
    Some(format!("{label}{left}{right}\n{:indent$}^", ""))
}

/// Formats the row of 16 bytes around `offset`, the row before it, and a mark. The result is empty for an empty file.
fn hex_context(file: &[u8], offset: u64) -> String {
    let mut out = String::new();
    let Some(at) = usize::try_from(offset).ok().filter(|at| *at <= file.len() && !file.is_empty()) else {
        return out;
    };
    let row = at / 16;
    for r in row.saturating_sub(1)..=row {
        let Some(bytes) = file.get(r * 16..file.len().min(r * 16 + 16)).filter(|b| !b.is_empty()) else {
            continue;
        };
        let _ = write!(out, "\n  {:#06x} ", r * 16);
        for (i, b) in bytes.iter().enumerate() {
            let _ = write!(out, "{}{b:02x}", if i == 8 { "  " } else { " " });
        }
    }
    let column = at % 16;
    let label = format!("{:#06x}", row * 16).len();
    let indent = 2 + label + 1 + 1 + column * 3 + usize::from(column >= 8);
    let mark = if at < file.len() { "^^" } else { "^ end of file" };
    let _ = write!(out, "\n{:indent$}{mark}", "");
    out
}

/// Returns a finding as JSON.
pub(crate) fn finding_json(f: &Finding) -> Value {
    json!({
        "severity": f.severity.to_string(),
        "code": code(f.rule.code),
        "native": f.rule.native,
        "path": f.path.to_string(),
        "offset": f.offset,
        "stream": f.stream.to_string(),
        "message": message(&f.message),
    })
}

/// Returns a reading error as JSON: a finding with its class.
pub(crate) fn error_json(e: &ReadError) -> Value {
    let mut value = finding_json(&Finding::from(e));
    value["class"] = match e.class() {
        ErrorClass::Unsupported => "unsupported".into(),
        ErrorClass::Limit { .. } => "limit".into(),
        _ => "malformed".into(),
    };
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding_at(offset: u64) -> Finding {
        const RULE: &meshwright::Rule =
            &meshwright::Rule::error("bad-parent", meshwright::FaultKind::BadValue, "", "");
        Finding::from(&ReadError::broken(RULE, &meshwright::FieldPath::ROOT.field("x"), offset, "odd"))
    }

    #[test]
    fn the_mark_stands_under_the_byte() {
        let file: Vec<u8> = (0..40).collect();
        for offset in [0_u64, 7, 8, 15, 16, 39] {
            let text = finding(&finding_at(offset), &file, false);
            let lines: Vec<_> = text.lines().collect();
            let mark = lines[lines.len() - 1];
            let row = lines[lines.len() - 2];
            let column = mark.find('^').unwrap();
            assert_eq!(&row[column..column + 2], format!("{offset:02x}"), "{text}");
        }
    }

    #[test]
    fn the_mark_of_a_text_stands_under_the_character() {
        let text = finding(&finding_at(9), b"version 1\nbones x\n", false);
        assert!(text.ends_with("\n  line 1: version 1\n                   ^"), "{text}");
        let text = finding(&finding_at(16), b"version 1\nbones x\n", false);
        assert!(text.ends_with("\n  line 2: bones x\n                ^"), "{text}");
        assert!(finding(&finding_at(1), b"ab\0", false).contains("0x0000"));
    }

    #[test]
    fn the_end_of_the_file_has_a_place_too() {
        let text = finding(&finding_at(33), &[0; 33], false);
        assert!(text.ends_with("^ end of file"), "{text}");
        assert!(finding(&finding_at(0), &[], false).lines().count() == 1);
        assert!(finding(&finding_at(99), &[0; 4], false).lines().count() == 1);
        finding(&finding_at(32), &[0; 32], false);
    }

    #[test]
    fn lines_are_cut_between_characters() {
        let long = "\u{e9}".repeat(5000);
        let text = format!("short\n{long}\nend");
        let cut = cut(&text);
        let lines: Vec<_> = cut.lines().collect();
        assert!(cut.len() < LONGEST && cut.len() > LONGEST - 8 && lines[1].ends_with(" ..."));
        assert_eq!((lines[0], lines[2]), ("short", "end"));
        assert!(matches!(super::cut("short\n"), Cow::Borrowed("short\n")));
    }

    #[test]
    fn what_is_printed_sets_colours_and_nothing_else() {
        let text = "\u{1b}[1;31merror\u{1b}[0m a\u{1b}[2J\u{9b}b\u{202e}\nc";
        let escaped = "a\\u{1b}[2J\\u{9b}b\\u{202e}\nc";
        assert_eq!(printable(text, true), format!("\u{1b}[1;31merror\u{1b}[0m {escaped}"));
        assert_eq!(printable(text, false), format!("\\u{{1b}}[1;31merror\\u{{1b}}[0m {escaped}"));
        assert!(matches!(printable("plain\n", true), Cow::Borrowed("plain\n")));
    }

    #[test]
    fn text_cannot_drive_a_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
    }
}
