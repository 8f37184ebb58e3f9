//! The tokens of skins and shader scripts: words, punctuation marks and line ends.

use alloc::borrow::Cow;
use alloc::vec::Vec;

/// A word, a punctuation mark, or the end of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub text: Cow<'a, [u8]>,
    /// The offset in the text.
    pub at: u64,
}

impl Token<'_> {
    pub(crate) fn is_newline(&self) -> bool {
        *self.text == *b"\n"
    }

    /// Returns true if the token is this word, ignoring case.
    pub(crate) fn is(&self, word: &[u8]) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }
}

/// Returns whether a name is a word that needs no quotes.
pub(crate) fn is_plain(name: &[u8]) -> bool {
    let begins = name.first().is_some_and(|b| !matches!(b, b'"' | b'\''));
    let comment = name.starts_with(b"//") || name.starts_with(b"/*");
    begins && !comment && !name.iter().any(|b| is_space(*b) || is_mark(*b))
}

/// Splits a text into tokens.
pub(crate) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

fn is_space(b: u8) -> bool {
    b <= b' '
}

fn is_mark(b: u8) -> bool {
    matches!(b, b'{' | b'}' | b'(' | b')' | b'[' | b']' | b':' | b',' | b';')
}

impl<'a> Tokens<'a> {
    /// Starts at the beginning of a text. A NUL ends it.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
        Self { text: text.get(..end).unwrap_or_default(), at: 0 }
    }

    /// Returns the text after the current position.
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, n: usize) -> &'a [u8] {
        let (taken, _) = self.rest().split_at_checked(n).unwrap_or((self.rest(), &[]));
        self.at = self.at.saturating_add(taken.len());
        taken
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'a [u8] {
        let n = self.rest().iter().take_while(|b| keep(**b)).count();
        self.skip(n)
    }

    /// Returns the next token, which may be the end of a line; `None` at the end of the text.
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.take_while(|b| is_space(b) && !matches!(b, b'\r' | b'\n'));
            let at = self.at as u64;
            let token = |text: &'a [u8]| Some(Token { text: Cow::Borrowed(text), at });
            match self.rest() {
                [] => return None,
                [b'\r', b'\n', ..] => {
                    self.skip(2);
                    return token(b"\n");
                }
                [b'\r' | b'\n', ..] => {
                    self.skip(1);
                    return token(b"\n");
                }
                [b'/', b'/', ..] => {
                    self.take_while(|b| !matches!(b, b'\r' | b'\n'));
                }
                [b'/', b'*', ..] => {
                    self.skip(1);
                    let rest = self.rest();
                    let end = rest.windows(2).position(|w| w == b"*/").map(|n| n.saturating_add(2));
                    self.skip(end.unwrap_or(rest.len()));
                }
                [quote @ (b'"' | b'\''), ..] => {
                    self.skip(1);
                    return Some(Token { text: Cow::Owned(self.quoted(*quote)), at });
                }
                [mark, ..] if is_mark(*mark) => return token(self.skip(1)),
                _ => return token(self.take_while(|b| !is_space(b) && !is_mark(b))),
            }
        }
    }

    /// Returns the next token that is not the end of a line.
    pub(crate) fn next_word(&mut self) -> Option<Token<'a>> {
        loop {
            let token = self.next()?;
            if !token.is_newline() {
                return Some(token);
            }
        }
    }

    /// Reads up to the closing quote, or to the end of the text.
    fn quoted(&mut self, quote: u8) -> Vec<u8> {
        let mut text = Vec::new();
        loop {
            match self.rest() {
                [] => return text,
                [b, ..] if *b == quote => {
                    self.skip(1);
                    return text;
                }
                [b'\\', b, ..] => {
                    text.push(match b {
                        b'n' => b'\n',
                        b't' => b'\t',
                        other => *other,
                    });
                    self.skip(2);
                }
                [b, ..] => {
                    text.push(*b);
                    self.skip(1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn tokens(text: &[u8]) -> Vec<String> {
        let mut tokens = Tokens::new(text);
        core::iter::from_fn(|| Some(String::from_utf8_lossy(&tokens.next()?.text).into_owned())).collect()
    }

    #[test]
    fn a_mark_is_a_token() {
        assert_eq!(tokens(b"a,b c{d}"), ["a", ",", "b", "c", "{", "d", "}"]);
        assert_eq!(tokens(b"c:\\x;y"), ["c", ":", "\\x", ";", "y"]);
        assert_eq!(tokens(b"a // b\r\nc /* d\n */ e\rf/g//h"), ["a", "\n", "c", "e", "\n", "f/g//h"]);
        assert_eq!(tokens(b"\"a {b\" 'c\\n\\'d' \"open"), ["a {b", "c\n'd", "open"]);
        assert_eq!(tokens(b"a\0b"), ["a"]);
        assert_eq!(tokens(b" \t \n"), ["\n"]);
        assert_eq!(tokens(b"/* open"), [""; 0]);
    }

    #[test]
    fn open_comments_take_linear_time() {
        let text = b"/* ".repeat(500_000);
        let deadline = meshwright_testkit::Deadline::seconds(2);
        assert!(tokens(&text).is_empty());
        deadline.met("an open comment");
    }
}
