//! The grammar of JSON, without recursion.

use super::write::plain_len;
use super::{Grammar, TextLocation};
use crate::{ReadError, Rule};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The memory charged for a key in addition to its entry, because keys are compared to find duplicates.
const KEY: usize = 16;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonType {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// A list.
    Array,
    /// An object: keys with values.
    Object,
}

impl core::fmt::Display for JsonType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "a list",
            Self::Object => "an object",
        })
    }
}

/// A value of the text. `start` and `end` delimit the characters of a number, bool or null, or the
/// characters between the quotes of a string. For a list or object they are its start and the index of the
/// entry after its last one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) kind: JsonType,
    /// True if a string has escapes.
    pub(super) escaped: bool,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Decodes the escapes of the text between the quotes of a string. The scanner has checked them.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    let Some((mut plain, mut rest)) = raw.split_once('\\') else { return Cow::Borrowed(raw) };
    let mut text = String::with_capacity(raw.len());
    loop {
        text.push_str(plain);
        let mut chars = rest.chars();
        match chars.next() {
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some('u') => {
                let (c, behind) = unicode(chars.as_str()).unwrap_or((char::REPLACEMENT_CHARACTER, ""));
                text.push(c);
                chars = behind.chars();
            }
            Some(c) => text.push(c),
            None => {}
        }
        rest = chars.as_str();
        match rest.split_once('\\') {
            Some(next) => (plain, rest) = next,
            None => break,
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

fn hex4(text: &str) -> Option<(u16, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    // `from_str_radix` would accept a sign.
    let sound = digits.bytes().all(|b| b.is_ascii_hexdigit());
    Some((u16::from_str_radix(digits, 16).ok().filter(|_| sound)?, rest))
}

/// Decodes the character of `\u`. `text` begins with its four digits, and the second half of a surrogate
/// pair may follow. Returns the rest of the text too.
fn unicode(text: &str) -> Option<(char, &str)> {
    let (first, rest) = hex4(text)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((c, rest));
    }
    let (second, rest) = hex4(rest.strip_prefix("\\u")?)?;
    let c = char::decode_utf16([first, second]).next()?.ok()?;
    Some((c, rest))
}

/// Finds the values of a text.
pub(super) fn scan(text: &str, place: TextLocation<'_>, grammar: &Grammar) -> Result<Vec<Entry>, ReadError> {
    let mut scanner =
        Scanner { bytes: text.as_bytes(), at: 0, place, grammar, entries: Vec::new(), open: Vec::new() };
    scanner.run()?;
    Ok(scanner.entries)
}

struct Scanner<'t, 'p> {
    bytes: &'t [u8],
    at: usize,
    place: TextLocation<'p>,
    grammar: &'p Grammar,
    entries: Vec<Entry>,
    /// The lists and objects that enclose the next value.
    open: Vec<usize>,
}

impl Scanner<'_, '_> {
    fn fault<T>(&self, rule: &'static Rule, at: usize, message: &'static str) -> Result<T, ReadError> {
        Err(self.place.broken(rule, at, message))
    }

    fn syntax<T>(&self, at: usize, message: &'static str) -> Result<T, ReadError> {
        if self.bytes.get(at).is_none() {
            let message = format!("{message}, found the end of the text");
            return Err(self.place.broken(self.grammar.syntax, at, message));
        }
        self.fault(self.grammar.syntax, at, message)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn take(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        if is {
            self.step();
        }
        is
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.step();
        }
    }

    fn push(&mut self, kind: JsonType, start: usize, end: usize) -> Result<(), ReadError> {
        let n = self.entries.len();
        if n == self.entries.capacity() {
            // No text holds more values than it has characters.
            let most = self.bytes.len().saturating_sub(start).saturating_add(1);
            let more = n.max(64).min(most);
            self.place.charge("values", more, size_of::<Entry>().saturating_add(KEY))?;
            if self.entries.try_reserve_exact(more).is_err() {
                return Err(self.place.over_limit("values", more.saturating_mul(size_of::<Entry>())));
            }
        }
        // The text is known to be shorter than 4 GiB.
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.entries.push(Entry { kind, escaped: false, start: place(start), end: place(end) });
        Ok(())
    }

    fn run(&mut self) -> Result<(), ReadError> {
        loop {
            self.space();
            if self.value()? {
                continue;
            }
            loop {
                self.space();
                let Some(&top) = self.open.last() else {
                    return match self.peek() {
                        None => Ok(()),
                        Some(_) => self.syntax(self.at, "text after the value"),
                    };
                };
                let object = self.entries.get(top).is_some_and(|e| e.kind == JsonType::Object);
                if self.take(b',') {
                    if object {
                        self.space();
                        self.key()?;
                    }
                    break;
                }
                if !self.take(if object { b'}' } else { b']' }) {
                    return self
                        .syntax(self.at, if object { "expected `,` or `}`" } else { "expected `,` or `]`" });
                }
                self.close(top);
            }
        }
    }

    fn close(&mut self, top: usize) {
        let behind = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        if let Some(entry) = self.entries.get_mut(top) {
            entry.end = behind;
        }
        self.open.pop();
    }

    /// Reads a value, or the start of a list or object. Returns whether the first value of that list or
    /// object follows.
    fn value(&mut self) -> Result<bool, ReadError> {
        let start = self.at;
        match self.peek() {
            Some(b'{') => self.open(JsonType::Object, b'}'),
            Some(b'[') => self.open(JsonType::Array, b']'),
            Some(b'"') => self.string().map(|()| false),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| false),
            Some(b't') => self.word(b"true", JsonType::Bool),
            Some(b'f') => self.word(b"false", JsonType::Bool),
            Some(b'n') => self.word(b"null", JsonType::Null),
            _ => self.syntax(start, "expected a value"),
        }
    }

    fn open(&mut self, kind: JsonType, end: u8) -> Result<bool, ReadError> {
        let start = self.at;
        if self.open.len() >= self.grammar.max_depth {
            let message = format!("more than {} nested lists and objects", self.grammar.max_depth);
            return Err(self.place.broken(self.grammar.depth, start, message));
        }
        let top = self.entries.len();
        self.push(kind, start, 0)?;
        self.open.push(top);
        self.step();
        self.space();
        if self.take(end) {
            self.close(top);
            return Ok(false);
        }
        if kind == JsonType::Object {
            self.key()?;
        }
        Ok(true)
    }

    fn key(&mut self) -> Result<(), ReadError> {
        if self.peek() != Some(b'"') {
            return self.syntax(self.at, "expected a name in quotes");
        }
        self.string()?;
        self.space();
        if self.take(b':') { Ok(()) } else { self.syntax(self.at, "expected `:`") }
    }

    fn word(&mut self, word: &[u8], kind: JsonType) -> Result<bool, ReadError> {
        let start = self.at;
        if !self.bytes.get(start..).is_some_and(|rest| rest.starts_with(word)) {
            return self.syntax(start, "expected a value");
        }
        self.at = start.saturating_add(word.len());
        self.push(kind, start, self.at).map(|()| false)
    }

    fn string(&mut self) -> Result<(), ReadError> {
        self.step();
        let start = self.at;
        let mut escaped = false;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            self.at = self.at.saturating_add(plain_len(rest));
            match self.peek() {
                None => return self.syntax(start, "the string has no end"),
                Some(b'"') => break,
                Some(b'\\') => {
                    self.escape()?;
                    escaped = true;
                }
                _ => return self.syntax(self.at, "a control character in a string"),
            }
        }
        let end = self.at;
        self.step();
        self.push(JsonType::String, start, end)?;
        if let Some(entry) = self.entries.last_mut().filter(|_| escaped) {
            entry.escaped = true;
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), ReadError> {
        let start = self.at;
        self.step();
        let next = self.peek();
        self.step();
        match next {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                // The escapes of one character are at most 10 more bytes.
                let text = rest.iter().take(10).take_while(|b| b.is_ascii()).map(|b| char::from(*b));
                let text: String = text.collect();
                if hex4(&text).is_none() {
                    return self.syntax(start, "an escape without four digits");
                }
                let Some((c, behind)) = unicode(&text) else {
                    return self.fault(self.grammar.encoding, start, "half of a surrogate pair");
                };
                if let ('\0', Some(rule)) = (c, self.grammar.nul) {
                    return self.fault(rule, start, "the string contains a NUL character");
                }
                self.at = self.at.saturating_add(text.len().saturating_sub(behind.len()));
                Ok(())
            }
            _ => self.syntax(start, "an unknown escape"),
        }
    }

    fn digits(&mut self) -> Result<(), ReadError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.syntax(self.at, "expected a digit");
        }
        while let Some(b'0'..=b'9') = self.peek() {
            self.step();
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), ReadError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        let mut long = self.at.saturating_sub(start) > 300;
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'-') || self.take(b'+');
            self.digits()?;
            long = true;
        }
        // Only numbers with that many digits or with an exponent can exceed 64-bit floats.
        let text = || self.bytes.get(start..self.at).and_then(|b| core::str::from_utf8(b).ok());
        let finite = || text().and_then(|t| t.parse::<f64>().ok()).is_some_and(f64::is_finite);
        if long && !finite() {
            return self.fault(self.grammar.number, start, "the number does not fit a 64-bit float");
        }
        let whole = || text().is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit() || b == b'-'));
        if let Some(rule) = self.grammar.wide_integer
            && self.at.saturating_sub(start) > 18
            && whole()
            && text().is_none_or(|t| t.parse::<i64>().is_err())
        {
            return self.fault(rule, start, "the integer does not fit 64 bits");
        }
        self.push(JsonType::Number, start, self.at)
    }
}
