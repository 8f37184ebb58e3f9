//! The grammar of JSON, without recursion.

use super::ledger::Ledger;
use super::rules::{JSON_DEPTH, JSON_ENCODING, JSON_NUMBER, JSON_SYNTAX, LIMIT};
use meshwright_core::{Path, ReadError, Rule};
use std::borrow::Cow;

/// How deep lists and objects may lie in each other.
pub(super) const DEPTH: usize = 128;

/// What a value counts for beside its entry: keys are looked through for those that are there twice.
const KEY: usize = 16;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonType {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A text.
    String,
    /// A list.
    Array,
    /// Names with values.
    Object,
}

/// A value of the text: of a number, bool or null its characters, of a string those between the quotes, of a list or
/// object where it begins and the number of the entry behind its last one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) kind: JsonType,
    /// A string with escapes.
    pub(super) escaped: bool,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The text between the quotes of a string. Its escapes were seen to be sound.
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
    // A sign is no digit.
    let sound = digits.bytes().all(|b| b.is_ascii_hexdigit());
    Some((u16::from_str_radix(digits, 16).ok().filter(|_| sound)?, rest))
}

/// The character of `\u`, whose four digits `text` begins with, and what follows it and its second half.
fn unicode(text: &str) -> Option<(char, &str)> {
    let (first, rest) = hex4(text)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((c, rest));
    }
    let (second, rest) = hex4(rest.strip_prefix("\\u")?)?;
    let c = char::decode_utf16([first, second]).next()?.ok()?;
    Some((c, rest))
}

/// Finds the values of a text that begins at `base` of the file.
pub(super) fn scan(text: &str, base: u64, ledger: &Ledger) -> Result<Vec<Entry>, ReadError> {
    let mut scanner =
        Scanner { bytes: text.as_bytes(), base, at: 0, ledger, entries: Vec::new(), open: Vec::new() };
    scanner.run()?;
    Ok(scanner.entries)
}

struct Scanner<'a, 'l> {
    bytes: &'a [u8],
    base: u64,
    at: usize,
    ledger: &'l Ledger,
    entries: Vec<Entry>,
    /// The lists and objects around the next value.
    open: Vec<usize>,
}

impl Scanner<'_, '_> {
    fn fault<T>(&self, rule: &'static Rule, at: usize, message: &'static str) -> Result<T, ReadError> {
        let offset = self.base.saturating_add(at as u64);
        Err(ReadError::broken(rule, &Path::ROOT.field("json"), offset, message))
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
            let path = Path::ROOT.field("json");
            self.ledger.charge(&path, self.base, "values", more, size_of::<Entry>().saturating_add(KEY))?;
            if self.entries.try_reserve_exact(more).is_err() {
                return self.fault(LIMIT, start, "no memory for the values");
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
                        Some(_) => self.fault(JSON_SYNTAX, self.at, "something follows the value"),
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
                    return self.fault(
                        JSON_SYNTAX,
                        self.at,
                        "a comma or the end of a list or object was expected",
                    );
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

    /// Reads a value, or the start of a list or object, and says whether the first value within comes next.
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
            _ => self.fault(JSON_SYNTAX, start, "a value was expected"),
        }
    }

    fn open(&mut self, kind: JsonType, end: u8) -> Result<bool, ReadError> {
        let start = self.at;
        if self.open.len() >= DEPTH {
            return self.fault(JSON_DEPTH, start, "more than 128 lists and objects in each other");
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
            return self.fault(JSON_SYNTAX, self.at, "a name was expected");
        }
        self.string()?;
        self.space();
        if self.take(b':') { Ok(()) } else { self.fault(JSON_SYNTAX, self.at, "a colon was expected") }
    }

    fn word(&mut self, word: &[u8], kind: JsonType) -> Result<bool, ReadError> {
        let start = self.at;
        if !self.bytes.get(start..).is_some_and(|rest| rest.starts_with(word)) {
            return self.fault(JSON_SYNTAX, start, "a value was expected");
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
            let Some(n) = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20)) else {
                return self.fault(JSON_SYNTAX, start, "a text without end");
            };
            self.at = self.at.saturating_add(n);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.escape()?;
                    escaped = true;
                }
                _ => return self.fault(JSON_SYNTAX, self.at, "a control character in a text"),
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
                    return self.fault(JSON_SYNTAX, start, "an escape without four digits");
                }
                let Some((_, behind)) = unicode(&text) else {
                    return self.fault(JSON_ENCODING, start, "half of a surrogate pair");
                };
                self.at = self.at.saturating_add(text.len().saturating_sub(behind.len()));
                Ok(())
            }
            _ => self.fault(JSON_SYNTAX, start, "an unknown escape"),
        }
    }

    fn digits(&mut self) -> Result<(), ReadError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.fault(JSON_SYNTAX, self.at, "a digit was expected");
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
        // Only such numbers can be beyond 64-bit floats.
        let text = || self.bytes.get(start..self.at).and_then(|b| std::str::from_utf8(b).ok());
        let finite = || text().and_then(|t| t.parse::<f64>().ok()).is_some_and(f64::is_finite);
        if long && !finite() {
            return self.fault(JSON_NUMBER, start, "a number beyond 64-bit floats");
        }
        self.push(JsonType::Number, start, self.at)
    }
}
