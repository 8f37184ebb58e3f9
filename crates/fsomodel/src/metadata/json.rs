//! A reader of JSON text by demand: the caller asks for what the companion's layout has next. Nothing recurses, and
//! every error knows its byte.

use super::rules;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{Path, ReadError, Source};

/// Arrays and objects within each other beyond this are refused; the loader's own JSON library stops here too.
pub(super) const MAX_DEPTH: usize = 2048;

/// A number as JSON has them: with a fraction or exponent it is real.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    Real(f64),
}

/// A place in JSON text.
pub(super) struct Json<'a, 's> {
    source: &'s Source<'a>,
    at: usize,
}

type Step<T> = Result<T, ReadError>;

impl<'a, 's> Json<'a, 's> {
    pub(super) const fn new(source: &'s Source<'a>) -> Self {
        Self { source, at: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        self.source.bytes().get(self.at..).unwrap_or_default()
    }

    /// The offset of the next byte that is no white space.
    pub(super) fn offset(&mut self) -> u64 {
        let blank = self.rest().iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.at = self.at.saturating_add(blank);
        self.at as u64
    }

    fn peek(&mut self) -> Option<u8> {
        self.offset();
        self.rest().first().copied()
    }

    /// An error at the next byte.
    pub(super) fn wrong(&mut self, path: &Path<'_>, message: impl Into<Cow<'static, str>>) -> ReadError {
        let at = self.offset();
        self.wrong_at(path, at, message)
    }

    pub(super) fn wrong_at(
        &self,
        path: &Path<'_>,
        at: u64,
        message: impl Into<Cow<'static, str>>,
    ) -> ReadError {
        self.source.broken(rules::SYNTAX, path, at, message)
    }

    fn expected(&mut self, path: &Path<'_>, what: &str) -> ReadError {
        let found = match self.peek() {
            None => "the end of the text".into(),
            Some(b) => format!("{}", meshwright_core::text::Escaped(&[b])),
        };
        self.wrong(path, format!("{what} expected, {found} found"))
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at = self.at.saturating_add(1);
        }
        found
    }

    pub(super) fn open(&mut self, path: &Path<'_>, byte: u8, what: &str) -> Step<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.expected(path, what)) }
    }

    /// The next key of an open object, or `None` at its end.
    pub(super) fn key(&mut self, path: &Path<'_>, first: &mut bool) -> Step<Option<String>> {
        if self.eat(b'}') {
            return Ok(None);
        }
        if !core::mem::take(first) {
            self.open(path, b',', "',' or '}'")?;
        }
        let key = self.string(path)?;
        self.open(path, b':', "':'")?;
        Ok(Some(key))
    }

    /// True when an open array has another item.
    pub(super) fn item(&mut self, path: &Path<'_>, first: &mut bool) -> Step<bool> {
        if core::mem::take(first) {
            return Ok(!self.eat(b']'));
        }
        if self.eat(b']') {
            return Ok(false);
        }
        self.open(path, b',', "',' or ']'").map(|()| true)
    }

    /// A string; its memory is charged.
    pub(super) fn string(&mut self, path: &Path<'_>) -> Step<String> {
        self.open(path, b'"', "a string")?;
        let start = self.at;
        let mut out = String::new();
        loop {
            let run = self.rest().iter().take_while(|b| !matches!(b, b'"' | b'\\' | 0..=0x1f)).count();
            let text = self.rest().get(..run).unwrap_or_default();
            let text =
                core::str::from_utf8(text).map_err(|_| self.wrong_at(path, self.at as u64, "not UTF-8"))?;
            // Twice the length, because the string grows by doubling.
            self.source.charge(path, start as u64, "text", text.len() as u64, 2)?;
            out.push_str(text);
            self.at = self.at.saturating_add(run);
            match self.rest().first() {
                Some(b'"') => {
                    self.at = self.at.saturating_add(1);
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape(path)?),
                Some(_) => {
                    return Err(self.wrong_at(path, self.at as u64, "a control character in a string"));
                }
                None => return Err(self.wrong_at(path, start as u64, "a string that does not end")),
            }
        }
    }

    fn escape(&mut self, path: &Path<'_>) -> Step<char> {
        let at = self.at as u64;
        let plain = match self.rest().get(1) {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(&b @ (b'"' | b'\\' | b'/')) => char::from(b),
            Some(b'u') => return self.unicode(path),
            _ => return Err(self.wrong_at(path, at, "an unknown escape")),
        };
        self.at = self.at.saturating_add(2);
        Ok(plain)
    }

    /// `\uXXXX`, or two of them that form a pair.
    fn unicode(&mut self, path: &Path<'_>) -> Step<char> {
        let at = self.at as u64;
        let mut unit = || -> Option<u32> {
            let digits = self.rest().strip_prefix(b"\\u")?.get(..4)?;
            // Signs are no digits, whatever the conversion takes.
            let digits =
                core::str::from_utf8(digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
            self.at = self.at.saturating_add(6);
            u32::from_str_radix(digits, 16).ok()
        };
        let mut read = || {
            let code = match unit()? {
                high @ 0xd800..=0xdbff => {
                    let low = unit().filter(|low| (0xdc00..=0xdfff).contains(low))?;
                    let (high, low) = (high.checked_sub(0xd800)?, low.checked_sub(0xdc00)?);
                    (high << 10 | low).checked_add(0x1_0000)?
                }
                0 => return None,
                other => other,
            };
            char::from_u32(code)
        };
        read().ok_or_else(|| self.wrong_at(path, at, "an escape that stands for no character"))
    }

    /// A number by JSON's grammar.
    pub(super) fn number(&mut self, path: &Path<'_>) -> Step<Number> {
        let at = self.offset();
        let bytes = self.rest();
        let digits = |from: usize| {
            let rest = bytes.get(from..).unwrap_or_default();
            rest.iter().take_while(|b| b.is_ascii_digit()).count()
        };
        let mut end = usize::from(bytes.first() == Some(&b'-'));
        let whole = digits(end);
        let padded = whole > 1 && bytes.get(end) == Some(&b'0');
        let mut sound = whole > 0 && !padded;
        end = end.saturating_add(whole);
        let mut real = false;
        if bytes.get(end) == Some(&b'.') {
            let fraction = digits(end.saturating_add(1));
            (real, sound) = (true, sound && fraction > 0);
            end = end.saturating_add(1).saturating_add(fraction);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            end = end.saturating_add(1);
            end = end.saturating_add(usize::from(matches!(bytes.get(end), Some(b'+' | b'-'))));
            let exponent = digits(end);
            (real, sound) = (true, sound && exponent > 0);
            end = end.saturating_add(exponent);
        }
        if !sound {
            return Err(self.expected(path, "a number"));
        }
        let text = core::str::from_utf8(bytes.get(..end).unwrap_or_default()).unwrap_or_default();
        let number = match real {
            false => text.parse().ok().map(Number::Integer),
            true => text.parse().ok().filter(|v: &f64| v.is_finite()).map(Number::Real),
        };
        self.at = self.at.saturating_add(end);
        number.ok_or_else(|| self.wrong_at(path, at, "a number beyond 64 bits"))
    }

    /// An integer from 0 to `limit`.
    pub(super) fn integer(&mut self, path: &Path<'_>, limit: u64) -> Step<u64> {
        let at = self.offset();
        match self.number(path)? {
            Number::Integer(v) => u64::try_from(v)
                .ok()
                .filter(|v| *v <= limit)
                .ok_or_else(|| self.wrong_at(path, at, format!("{v} is not within 0 and {limit}"))),
            Number::Real(v) => Err(self.wrong_at(path, at, format!("{v:?} is no integer"))),
        }
    }

    /// Passes over a value of any kind.
    pub(super) fn skip(&mut self, path: &Path<'_>) -> Step<()> {
        // What is open: true for objects, with whether nothing has been read of it yet.
        let mut open: Vec<(bool, bool)> = Vec::new();
        loop {
            match self.peek() {
                Some(b'{' | b'[') => {
                    let object = self.eat(b'{') || !self.eat(b'[');
                    if open.len() >= MAX_DEPTH {
                        return Err(self.too_deep(path));
                    }
                    open.push((object, true));
                }
                Some(b'"') => drop(self.string(path)?),
                Some(b't') => self.literal(path, b"true")?,
                Some(b'f') => self.literal(path, b"false")?,
                Some(b'n') => self.literal(path, b"null")?,
                _ => drop(self.number(path)?),
            }
            // Close whatever ends here, until something has another item.
            loop {
                let Some((object, first)) = open.last_mut() else { return Ok(()) };
                let object = *object;
                let mut fresh = *first;
                let more =
                    if object { self.key(path, &mut fresh)?.is_some() } else { self.item(path, &mut fresh)? };
                *first = false;
                if more {
                    break;
                }
                open.pop();
            }
        }
    }

    pub(super) fn too_deep(&mut self, path: &Path<'_>) -> ReadError {
        let at = self.offset();
        self.source.broken(rules::DEPTH, path, at, "arrays and objects too deep within each other")
    }

    fn literal(&mut self, path: &Path<'_>, word: &[u8]) -> Step<()> {
        if !self.rest().starts_with(word) {
            return Err(self.expected(path, "a value"));
        }
        self.at = self.at.saturating_add(word.len());
        Ok(())
    }

    /// Nothing but white space may be left.
    pub(super) fn end(&mut self, path: &Path<'_>) -> Step<()> {
        if self.peek().is_none() { Ok(()) } else { Err(self.expected(path, "the end of the text")) }
    }
}
