//! Parsers of lines and numbers of the text formats.

use crate::fields::Step;
use alloc::format;
use meshwright_core::text::Escaped;
use meshwright_core::{F32, Fault};
use nom::bytes::complete::{take_till, take_while};

meshwright_core::rules! {
    error NUMBER = "bad-number" ("E_NUMBER"), Syntax,
        "A number is expected, but the file has other text.",
        "Write a number there, or find the first line where the numbers do not match their counts.";
}

/// Returns the rest of the line without the white space around it; the end of the file ends a line too.
pub(crate) fn line(i: &[u8]) -> Step<'_, &[u8]> {
    if i.is_empty() {
        return Err(nom::Err::Error(short(i)));
    }
    let (rest, text) = take_till(|b| b == b'\n')(i)?;
    Ok((rest.split_first().map_or(rest, |(_, rest)| rest), text.trim_ascii()))
}

/// Returns the rest of a line after a number, which must be empty.
pub(crate) fn line_end(i: &[u8]) -> Step<'_, ()> {
    match line(i) {
        Ok((rest, [])) => Ok((rest, ())),
        Ok((_, text)) => {
            let message = format!("{} after the last number of a line", Escaped(text));
            Err(nom::Err::Error(Fault::reject(i, NUMBER, message)))
        }
        Err(_) => Ok((i, ())),
    }
}

/// Parses white space, including line ends.
pub(crate) fn space(i: &[u8]) -> Step<'_, &[u8]> {
    take_while(|b: u8| b.is_ascii_whitespace())(i)
}

/// Parses a word, on this line or a later one.
fn word(i: &[u8]) -> Step<'_, &str> {
    let (i, _) = space(i)?;
    if i.is_empty() {
        return Err(nom::Err::Error(short(i)));
    }
    let (rest, word) = take_till(|b: u8| b.is_ascii_whitespace())(i)?;
    match str::from_utf8(word) {
        Ok(word) => Ok((rest, word)),
        Err(_) => Err(nom::Err::Error(no_number(i, word, "a number"))),
    }
}

/// Returns a whole number of 32 bits; -1 is taken as the largest, as in the binary files.
pub(crate) fn integer(i: &[u8]) -> Step<'_, u32> {
    let (rest, word) = word(i)?;
    let value: Option<i64> = word.parse().ok();
    let signed = |v| i32::try_from(v).ok().map(i32::cast_unsigned);
    match value.and_then(|v| u32::try_from(v).ok().or_else(|| signed(v))) {
        Some(value) => Ok((rest, value)),
        None => Err(nom::Err::Error(no_number(space(i)?.0, word.as_bytes(), "a whole number"))),
    }
}

/// Returns a real number, rounded to the nearest float.
pub(crate) fn real(i: &[u8]) -> Step<'_, F32> {
    let (rest, word) = word(i)?;
    match word.parse() {
        Ok(value) => Ok((rest, F32::new(value))),
        Err(_) => Err(nom::Err::Error(no_number(space(i)?.0, word.as_bytes(), "a number"))),
    }
}

fn no_number<'a>(at: &'a [u8], word: &[u8], wanted: &str) -> Fault<'a> {
    Fault::reject(at, NUMBER, format!("{} is not {wanted}", Escaped(word)))
}

fn short(i: &[u8]) -> Fault<'_> {
    nom::error::ParseError::from_error_kind(i, nom::error::ErrorKind::Eof)
}
