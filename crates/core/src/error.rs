//! Errors of reading and of writing.

use crate::limits::LimitExceeded;
use crate::path::{FieldPath, FieldPathBuf};
use crate::rule::{Kind, Rule};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::fmt;

/// The maximum length of a message in bytes, however long the names in the file are.
const MAX_MESSAGE: usize = 1024;

/// The byte stream that an offset counts in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stream {
    /// The file as given.
    #[default]
    File,
    /// A part that had to be decoded first, such as a decompressed block; offsets count from its first byte.
    Part(Cow<'static, str>),
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("file"),
            Self::Part(name) => f.write_str(name),
        }
    }
}

/// The party at fault when a file cannot be read: the file, the limits or the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorClass {
    /// The bytes break the format's rules.
    Malformed,
    /// The bytes may be sound, but of a version or feature this crate does not read.
    Unsupported,
    /// Reading on would exceed a limit of the caller.
    Limit {
        /// The memory or work that the limit refused, in words.
        what: &'static str,
        /// The amount that the file asks for, in bytes unless `what` says otherwise.
        wanted: u64,
        /// The amount that is left of the limit.
        limit: u64,
    },
}

/// Why a file was refused: the rule it breaks, and the byte and the field where it does.
///
/// [`Display`](fmt::Display) gives one line, for example
/// `meshes[2].tris[17].v1: index 900 of 812 vertices (offset 0x1f40)`.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0)]
pub struct ReadError(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    class: ErrorClass,
    rule: &'static Rule,
    stream: Stream,
    offset: u64,
    path: FieldPathBuf,
    message: Cow<'static, str>,
}

impl fmt::Display for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (offset {:#x}", self.path, self.message, self.offset)?;
        if self.stream != Stream::File {
            write!(f, " of {}", self.stream)?;
        }
        f.write_str(")")
    }
}

impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadError")
            .field("code", &self.0.rule.code)
            .field("class", &self.0.class)
            .field("at", &format_args!("{}", self.0))
            .finish()
    }
}

impl ReadError {
    /// Returns an error in the file itself: the field at `path`, whose first byte is at `offset`, breaks
    /// `rule`.
    #[cold]
    #[inline(never)]
    pub fn broken(
        rule: &'static Rule,
        path: &FieldPath<'_>,
        offset: u64,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        let class = match rule.kind {
            Kind::Unsupported => ErrorClass::Unsupported,
            _ => ErrorClass::Malformed,
        };
        Self::new(class, rule, path.to_owned(), offset, message.into())
    }

    pub(crate) fn new(
        class: ErrorClass,
        rule: &'static Rule,
        path: FieldPathBuf,
        offset: u64,
        message: Cow<'static, str>,
    ) -> Self {
        let message = clip(message);
        Self(Box::new(Inner { class, rule, stream: Stream::File, offset, path, message }))
    }

    /// Returns the same error, with its offset counted in `stream`.
    #[must_use]
    pub fn in_stream(mut self, stream: Stream) -> Self {
        self.0.stream = stream;
        self
    }

    /// Returns the same error without any content of the file: the rule's code replaces the message.
    #[must_use]
    pub fn without_content(mut self) -> Self {
        let Rule { code, kind, .. } = self.0.rule;
        self.0.message = format!("breaks the rule {code} ({kind})").into();
        self
    }

    /// Returns whether the file is malformed, unsupported, or over a limit.
    pub fn class(&self) -> ErrorClass {
        self.0.class
    }

    /// Returns the broken rule.
    pub fn rule(&self) -> &'static Rule {
        self.0.rule
    }

    /// Returns the stable code of the broken rule.
    pub fn code(&self) -> &'static str {
        self.0.rule.code
    }

    /// Returns the kind of fault, from the vocabulary that all formats share.
    pub fn kind(&self) -> Kind {
        self.0.rule.kind
    }

    /// Returns the stream that [`offset`](Self::offset) counts in.
    pub fn stream(&self) -> &Stream {
        &self.0.stream
    }

    /// Returns the first byte of the faulty field.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Returns the faulty field.
    pub fn path(&self) -> &FieldPathBuf {
        &self.0.path
    }

    /// Returns the expected and the actual content, without the location.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

/// Why a model cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The model breaks a rule of the format, so that no reader would accept the file.
    #[error(transparent)]
    InvalidModel(Box<InvalidModel>),
    /// A number is too large for the field that must hold it.
    #[error(transparent)]
    DoesNotFit(Box<DoesNotFit>),
    /// The output would exceed a limit of the caller.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
}

/// A rule that a model breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
#[non_exhaustive]
pub struct InvalidModel {
    /// The stable code of the broken rule.
    pub code: &'static str,
    /// The kind of fault, from the vocabulary that all formats share.
    pub kind: Kind,
    /// The field at fault.
    pub path: FieldPathBuf,
    /// The message: expected and actual content.
    pub message: Cow<'static, str>,
}

/// A number that is too large for its field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {what} is {value}, the format holds at most {limit}")]
#[non_exhaustive]
pub struct DoesNotFit {
    /// The field at fault.
    pub path: FieldPathBuf,
    /// The unit or thing that is counted.
    pub what: &'static str,
    /// The number that should have been stored.
    pub value: u64,
    /// The largest number that fits.
    pub limit: u64,
}

impl WriteError {
    /// Returns the error for a model that breaks `rule` at `path`.
    #[cold]
    #[inline(never)]
    pub fn invalid(rule: &'static Rule, path: &FieldPath<'_>, message: impl Into<Cow<'static, str>>) -> Self {
        Self::broken(rule, path.to_owned(), clip(message.into()))
    }

    fn broken(rule: &'static Rule, path: FieldPathBuf, message: Cow<'static, str>) -> Self {
        Self::InvalidModel(Box::new(InvalidModel { code: rule.code, kind: rule.kind, path, message }))
    }

    /// Returns the error for a number that is more than `limit`, the most that the field at `path` holds.
    pub fn does_not_fit(path: &FieldPath<'_>, what: &'static str, value: u64, limit: u64) -> Self {
        Self::DoesNotFit(Box::new(DoesNotFit { path: path.to_owned(), what, value, limit }))
    }

    /// Converts `value` to a `T`. If it does not fit, the error names the field.
    ///
    /// # Errors
    /// If `value` is more than `limit`, the most that the field holds.
    pub fn fit<T>(path: &FieldPath<'_>, what: &'static str, value: u64, limit: T) -> Result<T, Self>
    where
        T: TryFrom<u64> + Into<u64> + PartialOrd + Copy,
    {
        match T::try_from(value) {
            Ok(v) if v <= limit => Ok(v),
            _ => Err(Self::does_not_fit(path, what, value, limit.into())),
        }
    }
}

/// Converts an error of the shared checks: the writer rejects what a reader would reject.
impl From<ReadError> for WriteError {
    fn from(e: ReadError) -> Self {
        let Inner { rule, path, message, .. } = *e.0;
        Self::broken(rule, path, message)
    }
}

fn clip(message: Cow<'static, str>) -> Cow<'static, str> {
    if message.len() <= MAX_MESSAGE {
        return message;
    }
    let mut cut = MAX_MESSAGE;
    while !message.is_char_boundary(cut) {
        cut = cut.saturating_sub(1);
    }
    let mut short = String::from(message.get(..cut).unwrap_or_default());
    short.push('…');
    Cow::Owned(short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn an_error_can_be_told_without_content() {
        let path = FieldPath::ROOT.field("password");
        let e =
            ReadError::broken(INDEX, &path, 7, "found root:x:0:0").in_stream(Stream::Part("metadata".into()));
        let told = e.clone().without_content();
        assert_eq!(
            told.to_string(),
            "password: breaks the rule bad-vertex-index (bad-reference) (offset 0x7 of metadata)"
        );
        assert_eq!((told.code(), told.offset(), told.stream()), (e.code(), e.offset(), e.stream()));
    }

    const INDEX: &Rule = &Rule::error("bad-vertex-index", Kind::BadReference, "", "");

    fn assert_error_bounds<T: Clone + PartialEq + Send + Sync + core::error::Error + 'static>() {}

    #[test]
    fn an_error_can_be_kept_and_compared() {
        assert_error_bounds::<ReadError>();
        assert_error_bounds::<WriteError>();
        assert_eq!(size_of::<ReadError>(), size_of::<usize>());
    }

    #[test]
    fn an_error_says_what_where_and_in_which_field() {
        let meshes = FieldPath::ROOT.field("meshes");
        let e = ReadError::broken(INDEX, &meshes.index(2), 0x1f40, "index 900 of 812 vertices");
        assert_eq!(e.to_string(), "meshes[2]: index 900 of 812 vertices (offset 0x1f40)");
        let e = e.in_stream(Stream::Part("indices".into()));
        assert_eq!(e.to_string(), "meshes[2]: index 900 of 812 vertices (offset 0x1f40 of indices)");
    }

    #[test]
    fn a_long_message_is_cut_at_a_character() {
        let long = "é".repeat(4000);
        let e = ReadError::broken(INDEX, &FieldPath::ROOT, 0, long);
        assert!(e.message().len() <= MAX_MESSAGE + 4);
        assert!(e.message().ends_with('…'));
    }

    #[test]
    fn a_number_that_does_not_fit_names_its_field() {
        assert_eq!(WriteError::fit(&FieldPath::ROOT, "bones", 255, u8::MAX), Ok(255));
        let e = WriteError::fit(&FieldPath::ROOT.field("bones"), "bone count", 256, u8::MAX).unwrap_err();
        assert_eq!(e.to_string(), "bones: bone count is 256, the format holds at most 255");
    }
}
