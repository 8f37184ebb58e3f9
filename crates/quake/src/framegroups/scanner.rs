//! Tokens, lines and groups of a text, by the rules of the engine.

use super::model::FrameGroup;
use super::numbers::{integer, number};
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::F32;

/// An item of a text.
pub(super) enum Event {
    Group(FrameGroup),
    MissingLength(u64),
    OpenComment(u64),
    OpenQuote(u64),
}

/// Reads the text line by line.
pub(super) fn scan(text: &[u8], mut found: impl FnMut(Event)) {
    scan_lines(text, |event, _| found(event));
}

/// Does the same as [`scan`], with the trimmed `//` comment of each line.
pub(super) fn scan_lines<'t>(text: &'t [u8], mut line: impl FnMut(Event, &'t [u8])) {
    let mut tokens = Tokens::new(text);
    while let Some(first) = tokens.next(&mut |event| line(event, &[])) {
        if first.is_newline() {
            continue;
        }
        tokens.comment = &[];
        let group = group(&first, || tokens.next(&mut |event| line(event, &[])).filter(|t| !t.is_newline()));
        match group {
            Some(group) => line(Event::Group(group), tokens.comment.trim_ascii()),
            None => line(Event::MissingLength(first.at as u64), &[]),
        }
    }
}

/// The location of a group in its text.
pub(super) struct Span {
    /// The range from the first number to the end of the line, without the line break.
    pub line: Range<usize>,
    /// The start of the line's comment, or the end of the line.
    pub comment: usize,
    /// The start of the next line.
    pub next: usize,
}

/// Returns the location of each group.
pub(super) fn spans(text: &[u8]) -> Vec<Span> {
    let mut tokens = Tokens::new(text);
    let mut all = Vec::new();
    while let Some(first) = tokens.next(&mut |_| ()) {
        if first.is_newline() {
            continue;
        }
        tokens.comment_at = None;
        let mut end = None;
        let mut more = || {
            if end.is_some() {
                return None;
            }
            let token = tokens.next(&mut |_| ());
            end = token.as_ref().filter(|t| t.is_newline()).map(|t| t.at);
            token.filter(|t| !t.is_newline())
        };
        let found = group(&first, &mut more).is_some();
        // The end of the text is not a token.
        while found && more().is_some() {}
        if found {
            let end = end.unwrap_or(tokens.at);
            let comment = tokens.comment_at.unwrap_or(end);
            all.push(Span { line: first.at..end, comment, next: tokens.at });
        }
    }
    all
}

/// Returns the group of a line that starts with `first`; `None` if the line has one token only.
fn group<'a>(first: &Token<'_>, mut more: impl FnMut() -> Option<Token<'a>>) -> Option<FrameGroup> {
    let length = more()?;
    let mut group = FrameGroup::new(integer(first.text), integer(length.text));
    group.offset = first.at as u64;
    if let Some(fps) = more() {
        group.fps = F32::new(number(fps.text));
        if let Some(looping) = more() {
            group.looping = integer(looping.text) != 0;
            if let Some(name) = more() {
                group.name = name.text.to_vec();
                while more().is_some() {}
            }
        }
    }
    Some(group)
}

/// Calls `found` with the first two tokens of each line that has any. The second is empty if the line has one token.
pub(super) fn scan_starts(text: &[u8], mut found: impl FnMut(&[u8], &[u8])) {
    let mut tokens = Tokens::new(text);
    while let Some(first) = tokens.next(&mut |_| ()) {
        if first.is_newline() {
            continue;
        }
        let mut more = || tokens.next(&mut |_| ()).filter(|t| !t.is_newline());
        let second = more();
        found(first.text, second.as_ref().map_or(&[], |t| t.text));
        if second.is_some() {
            while more().is_some() {}
        }
    }
}

struct Token<'a> {
    text: &'a [u8],
    at: usize,
}

impl Token<'_> {
    /// Returns true for the end of a line. The engine treats a quoted newline as one too.
    fn is_newline(&self) -> bool {
        self.text == b"\n"
    }
}

struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    /// The comment at the end of the last line.
    comment: &'a [u8],
    /// The offset of that comment.
    comment_at: Option<usize>,
}

pub(super) fn is_space(b: u8) -> bool {
    matches!(b, 0 | b' ' | b'\t' | b'\r' | b'\n')
}

impl<'a> Tokens<'a> {
    const fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, comment: &[], comment_at: None }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, n: usize) {
        self.at = self.at.saturating_add(n);
    }

    /// Moves after the next `pattern`. If there is none, moves to the end and returns false.
    fn skip_past(&mut self, pattern: &[u8]) -> bool {
        let rest = self.rest();
        let stop = |i: &usize| rest.get(*i..).is_none_or(|r| r.starts_with(pattern) || r.starts_with(&[0]));
        let n = (0..rest.len()).find(stop).unwrap_or(rest.len());
        let found = rest.get(n..).is_some_and(|r| r.starts_with(pattern));
        self.skip(if found { n.saturating_add(pattern.len()) } else { n });
        found
    }

    /// Returns the next token. The end of a line is the token `\n`. A NUL ends the text.
    fn next(&mut self, found: &mut impl FnMut(Event)) -> Option<Token<'a>> {
        loop {
            self.skip(self.rest().iter().take_while(|b| matches!(b, b' ' | b'\t')).count());
            let (at, rest) = (self.at, self.rest());
            match rest {
                [] | [0, ..] => return None,
                [b'\r', b'\n', ..] => {
                    self.skip(2);
                    return Some(Token { text: b"\n", at });
                }
                [b'\r' | b'\n', ..] => {
                    self.skip(1);
                    return Some(Token { text: b"\n", at });
                }
                [b'/', b'/', ..] => {
                    let n = rest.iter().take_while(|b| !matches!(b, 0 | b'\r' | b'\n')).count();
                    self.comment = rest.get(2..n).unwrap_or_default();
                    self.comment_at = Some(at);
                    self.skip(n);
                }
                [b'/', b'*', ..] => {
                    // One star can open and close a comment: `/*/` is a whole comment.
                    self.skip(1);
                    if !self.skip_past(b"*/") {
                        found(Event::OpenComment(at as u64));
                    }
                }
                [b'"', ..] => {
                    self.skip(1);
                    let start = self.at;
                    let closed = self.skip_past(b"\"");
                    if !closed {
                        found(Event::OpenQuote(at as u64));
                    }
                    let end = self.at.saturating_sub(closed.into());
                    return Some(Token { text: self.text.get(start..end).unwrap_or_default(), at });
                }
                _ => {
                    self.skip(rest.iter().take_while(|b| !is_space(**b)).count());
                    return Some(Token { text: self.text.get(at..self.at).unwrap_or_default(), at });
                }
            }
        }
    }
}
