//! Names as files store them: bytes of no stated encoding.

pub use crate::similar::similar;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::fmt;

/// A name in a fixed field of `N` bytes, padded with NUL. It keeps all `N` bytes, including those after the first
/// NUL, because a byte-identical rewrite needs them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FixedName<const N: usize>([u8; N]);

impl<const N: usize> Default for FixedName<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> FixedName<N> {
    /// Returns the field as stored.
    pub const fn from_bytes(raw: [u8; N]) -> Self {
        Self(raw)
    }

    /// Returns `name` padded with NUL. `None` if it leaves no room for the terminator or contains a NUL.
    pub fn new(name: &[u8]) -> Option<Self> {
        if name.contains(&0) || name.len() >= N {
            return None;
        }
        Some(Self::truncated(name))
    }

    /// Returns `name` up to its first NUL, cut to at most `N - 1` bytes.
    pub fn truncated(name: &[u8]) -> Self {
        let mut raw = [0; N];
        let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
        for (to, from) in raw.iter_mut().take(N.saturating_sub(1)).zip(name.iter().take(end)) {
            *to = *from;
        }
        Self(raw)
    }

    /// Returns all `N` stored bytes.
    pub const fn raw(&self) -> &[u8; N] {
        &self.0
    }

    /// Returns the bytes before the first NUL.
    pub fn bytes(&self) -> &[u8] {
        let end = self.0.iter().position(|&b| b == 0).unwrap_or(N);
        self.0.get(..end).unwrap_or_default()
    }

    /// Returns true if some byte is NUL.
    pub fn is_terminated(&self) -> bool {
        self.0.contains(&0)
    }

    /// Returns the name as ISO 8859-1 text.
    pub fn text(&self) -> String {
        latin1(self.bytes())
    }
}

/// The reason why a text does not fit a fixed-size name field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The text leaves no room for the terminator.
    #[error("a name of {length} bytes does not fit where {most} do")]
    Long {
        /// The length of the text.
        length: usize,
        /// The maximum length.
        most: usize,
    },
    /// The text contains a character outside ISO 8859-1.
    #[error("{character:?} is not allowed in a name: names hold characters up to U+00FF and end at a NUL")]
    Character {
        /// The first such character.
        character: char,
    },
}

/// Encodes the text as ISO 8859-1.
impl<const N: usize> TryFrom<&str> for FixedName<N> {
    type Error = NameError;

    fn try_from(text: &str) -> Result<Self, NameError> {
        let (length, most) = (text.chars().count(), N.saturating_sub(1));
        if length > most {
            return Err(NameError::Long { length, most });
        }
        let mut raw = [0; N];
        for (to, character) in raw.iter_mut().zip(text.chars()) {
            let byte = u8::try_from(character).ok().filter(|b| *b != 0);
            *to = byte.ok_or(NameError::Character { character })?;
        }
        Ok(Self(raw))
    }
}

/// Compares with the [`text`](FixedName::text).
impl<const N: usize> PartialEq<str> for FixedName<N> {
    fn eq(&self, text: &str) -> bool {
        text.chars().eq(self.bytes().iter().map(|b| char::from(*b)))
    }
}

impl<const N: usize> PartialEq<&str> for FixedName<N> {
    fn eq(&self, text: &&str) -> bool {
        *self == **text
    }
}

impl<const N: usize> fmt::Debug for FixedName<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(self.bytes()))
    }
}

impl<const N: usize> fmt::Display for FixedName<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(self.bytes()))
    }
}

/// Decodes ISO 8859-1: each byte is the character of the same number.
pub fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| char::from(b)).collect()
}

/// Decodes Windows-1252. Its five undefined bytes become the control characters of the same number.
pub fn cp1252(bytes: &[u8]) -> String {
    const HIGH: [u16; 32] = [
        0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152,
        0x8d, 0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122,
        0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
    ];
    let decode = |&b: &u8| match b {
        0x80..=0x9f => {
            let code = HIGH.get(usize::from(b & 0x1f)).copied().unwrap_or(0xfffd);
            char::from_u32(u32::from(code)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::from(b),
    };
    bytes.iter().map(decode).collect()
}

/// Returns whether a terminal acts on the character or does not show it. These are control characters (C0,
/// DEL, C1), marks and brackets of writing direction, line and paragraph separators, and Unicode's default
/// ignorable characters, such as the soft hyphen, zero-width spaces, variation selectors and tags. Two names
/// that differ only in such characters look the same.
pub fn acts_on_terminal(c: char) -> bool {
    if c < '\u{a0}' {
        return c.is_control();
    }
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Makes a text safe for a terminal: every character that [acts on it](acts_on_terminal) becomes `\u{...}`.
///
/// ```
/// assert_eq!(meshwright_core::text::visible("a\u{9b}2Jb"), "a\\u{9b}2Jb");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(acts_on_terminal) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().saturating_add(8));
    for c in text.chars() {
        match acts_on_terminal(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Escapes every character of a JSON text that [acts on a terminal](acts_on_terminal), so that the values
/// stay exact. Newlines between values stay.
///
/// ```
/// assert_eq!(meshwright_core::text::printable_json("[\"a\u{9b}b\"]\n"), "[\"a\\u009bb\"]\n");
/// ```
pub fn printable_json(json: &str) -> Cow<'_, str> {
    // Newlines within strings are escaped already.
    let acts = |c: char| c != '\n' && acts_on_terminal(c);
    if !json.contains(acts) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len().saturating_add(8));
    for c in json.chars() {
        match acts(c) {
            true => out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}"))),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Returns a number with its unit: `1 vertex`, `3 vertices`.
pub fn counted(n: u64, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

/// Displays bytes as a quoted name that is safe on a terminal: printable ASCII unchanged, other bytes as
/// `\xNN`, at most 64 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 64;
        f.write_str("\"")?;
        for &b in self.0.iter().take(SHOWN) {
            match b {
                b'"' | b'\\' => write!(f, "\\{}", char::from(b))?,
                0x20..=0x7e => write!(f, "{}", char::from(b))?,
                _ => write!(f, "\\x{b:02x}")?,
            }
        }
        f.write_str(if self.0.len() > SHOWN { "…\"" } else { "\"" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_name_ends_at_its_first_nul_and_keeps_the_rest() {
        let name = FixedName::from_bytes(*b"ab\0cd\0\0\0");
        assert_eq!(name.bytes(), b"ab");
        assert_eq!(name.raw(), b"ab\0cd\0\0\0");
        assert!(!FixedName::from_bytes(*b"abcd").is_terminated());
        assert_eq!(FixedName::from_bytes(*b"abcd").bytes(), b"abcd");
    }

    #[test]
    fn a_name_that_does_not_fit_is_refused_or_cut() {
        assert_eq!(FixedName::<4>::new(b"abcd"), None);
        assert_eq!(FixedName::<4>::new(b"a\0"), None);
        assert_eq!(FixedName::<4>::truncated(b"abcd").raw(), b"abc\0");
    }

    #[test]
    fn a_name_is_made_of_text_and_compares_with_it() {
        let name = FixedName::<8>::try_from("t\u{e9}te").unwrap();
        assert_eq!(name.bytes(), b"t\xe9te");
        assert!(name == "t\u{e9}te" && name != "te" && *name.text() == *"t\u{e9}te");
        assert_eq!(FixedName::<4>::try_from("head"), Err(NameError::Long { length: 4, most: 3 }));
        assert_eq!(FixedName::<4>::try_from("a\0"), Err(NameError::Character { character: '\0' }));
        assert_eq!(FixedName::<4>::try_from("\u{20ac}"), Err(NameError::Character { character: '\u{20ac}' }));
        assert!(FixedName::<0>::try_from("").is_ok());
    }

    #[test]
    fn control_characters_never_reach_a_terminal() {
        assert_eq!(Escaped(b"a\x1b[2J\"\xff").to_string(), r#""a\x1b[2J\"\xff""#);
        assert!(Escaped(&[b'x'; 100]).to_string().len() < 80);
    }

    #[test]
    fn nothing_hidden_is_visible() {
        let hidden = "\0\n\x1b\x7f\u{80}\u{9b}\u{9f}\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}\
                      \u{ad}\u{200b}\u{200d}\u{2060}\u{feff}\u{fe0f}\u{180e}\u{3164}\u{e0041}";
        assert!(hidden.chars().all(acts_on_terminal));
        assert!(visible(hidden).bytes().all(|b| (0x20..0x7f).contains(&b)));
        for text in ["", "plain \"text\"", "\u{e9}\u{5d0}\u{1f600}\u{a0}"] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn json_stays_exact() {
        let json = "{\n  \"a\": \"\u{202e}\u{e0041}\u{e9}\\n\"\n}";
        assert_eq!(printable_json(json), "{\n  \"a\": \"\\u202e\\udb40\\udc41\u{e9}\\n\"\n}");
        assert!(matches!(printable_json("[1]\n"), Cow::Borrowed("[1]\n")));
    }

    #[test]
    fn one_of_several_has_its_own_word() {
        assert_eq!(
            [0, 1, 2].map(|n| counted(n, "vertex", "vertices")),
            ["0 vertices", "1 vertex", "2 vertices"]
        );
    }

    #[test]
    fn cp1252_has_the_euro_and_its_holes() {
        assert_eq!(cp1252(b"\x80\x81\x9fa\xe9"), "\u{20ac}\u{81}\u{178}a\u{e9}");
    }
}
