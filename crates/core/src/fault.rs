//! Connects nom with the rest of the code: format crates parse records with nom and this error type, and
//! [`Cursor`](crate::Cursor) turns a fault into a [`ReadError`](crate::ReadError) with offset and path.

use crate::path::Segment;
use crate::rule::Rule;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use nom::Err;
use nom::error::{ContextError, ErrorKind, FromExternalError, ParseError};

/// The error of a record parser: where in its input it stopped, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<'a> {
    /// The rest of the input, from the faulty field on.
    at: &'a [u8],
    /// The path below the record, innermost segment first.
    path: Vec<Segment>,
    cause: Cause,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The input ended within the field.
    Short,
    /// The field was read and breaks a rule.
    Rejected { rule: &'static Rule, message: Cow<'static, str> },
}

impl<'a> Fault<'a> {
    /// Returns the fault of the field that starts at `at` and breaks `rule`.
    pub fn reject(at: &'a [u8], rule: &'static Rule, message: impl Into<Cow<'static, str>>) -> Self {
        let cause = Cause::Rejected { rule, message: message.into() };
        Self { at, path: Vec::new(), cause }
    }

    pub(crate) fn short(at: &'a [u8]) -> Self {
        Self { at, path: Vec::new(), cause: Cause::Short }
    }

    pub(crate) fn into_parts(self) -> (&'a [u8], Vec<Segment>, Cause) {
        (self.at, self.path, self.cause)
    }
}

impl<'a> ParseError<&'a [u8]> for Fault<'a> {
    fn from_error_kind(input: &'a [u8], _kind: ErrorKind) -> Self {
        Self::short(input)
    }

    fn append(_input: &'a [u8], _kind: ErrorKind, other: Self) -> Self {
        other
    }
}

impl<'a> ContextError<&'a [u8]> for Fault<'a> {
    fn add_context(input: &'a [u8], field: &'static str, mut other: Self) -> Self {
        // Report the start of the whole field that is cut short, not of the part that no longer fits.
        if other.cause == Cause::Short && other.path.is_empty() {
            other.at = input;
        }
        other.path.push(Segment::Field(field));
        other
    }
}

impl<'a> FromExternalError<&'a [u8], Fault<'a>> for Fault<'a> {
    fn from_external_error(_input: &'a [u8], _kind: ErrorKind, fault: Fault<'a>) -> Self {
        fault
    }
}

/// A parser of one record. Every nom parser over `&[u8]` whose error is [`Fault`] is one, closures and
/// functions `fn(&[u8]) -> nom::IResult<&[u8], T, Fault>` included.
pub trait Parser<'a, T> {
    /// Reads one record from the front of `input` and returns what is left of it.
    ///
    /// # Errors
    /// If the input does not begin with such a record.
    fn run(&mut self, input: &'a [u8]) -> Result<(&'a [u8], T), Fault<'a>>;
}

impl<'a, T, P> Parser<'a, T> for P
where
    P: nom::Parser<&'a [u8], Output = T, Error = Fault<'a>>,
{
    fn run(&mut self, input: &'a [u8]) -> Result<(&'a [u8], T), Fault<'a>> {
        match self.parse_complete(input) {
            Ok(done) => Ok(done),
            Err(Err::Error(fault) | Err::Failure(fault)) => Err(fault),
            // A streaming parser asked for more input at the end of the file.
            Err(Err::Incomplete(_)) => Err(Fault::short(input)),
        }
    }
}
