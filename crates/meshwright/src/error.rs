//! The error of this crate.

use crate::formats::Format;
use meshwright_core::{ErrorClass, LimitExceeded, ReadError, WriteError};
use meshwright_files::FilesError;
use meshwright_scene::ConvertError;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// The group that an [`Error`] belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file breaks a rule of its format.
    Malformed,
    /// A format, a version or a feature is not supported.
    Unsupported,
    /// A limit on memory or work is exceeded.
    Limit,
    /// A file, or a part of a model that the caller named, does not exist.
    NotFound,
    /// The target cannot express the model.
    NotConvertible,
    /// The operating system refuses to read or to write.
    Io,
    /// A model, a name or an option from the caller is invalid.
    Invalid,
}

/// The error of every function of this crate.
///
/// [`Display`](fmt::Display) gives one line, for example
/// `[bad-parent] bones[1].parent: 7 of 3 bones (offset 0x98)`.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    code: &'static str,
    path: String,
    offset: Option<u64>,
    message: String,
    file: Option<String>,
    format: Option<Format>,
    input: usize,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, code: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            code,
            path: String::new(),
            offset: None,
            message: message.into(),
            file: None,
            format: None,
            input: 0,
            source: None,
        }))
    }

    /// Returns the same error, at a field and an offset.
    #[cfg(feature = "dump")]
    pub(crate) fn with_place(mut self, path: String, offset: Option<u64>) -> Self {
        (self.0.path, self.0.offset) = (path, offset);
        self
    }

    fn caused(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Returns the error of a file whose format is not known.
    pub(crate) fn unknown_format() -> Self {
        Self::new(ErrorKind::Unsupported, "unknown-format", "not a known format")
    }

    /// Returns the error of a file that breaks a rule of its format.
    pub(crate) fn broken(format: Format, error: ReadError) -> Self {
        let mut made = Self::from(error);
        made.0.format = Some(format);
        made
    }

    /// Returns the same error, about a companion file.
    pub(crate) fn of_file(mut self, name: impl Into<String>) -> Self {
        let name = name.into();
        if self.read_error().is_some() {
            self.0.message = format!("{name}: {}", self.0.message);
        }
        self.0.file = Some(name);
        self
    }

    /// Returns the same error, about one of several models.
    pub(crate) fn of_input(mut self, input: usize) -> Self {
        self.0.input = input;
        self
    }

    /// Returns the group of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns a stable code: that of the broken rule, or `cannot-read`, `unknown-format`, `invalid-model`, `not-convertible`,
    /// `not-writable`, `bad-output`, `would-replace`, `cannot-write`, `limit`, `usage`,
    /// `kept-ignored`, `native-json`.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// Returns the field at fault. Empty if the error does not concern a field.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Returns the first byte of the field, if a file is at fault.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Returns the message without code, field and offset.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the name of the file at fault, if it is a companion of the model and not the model's own file.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Returns the format that the model's file was read as, if it breaks a rule of it.
    pub fn format(&self) -> Option<Format> {
        self.0.format
    }

    /// Returns the index of the model at fault, if there are several.
    pub fn input(&self) -> usize {
        self.0.input
    }

    /// Returns the broken rule of a format with its place, if that is the cause.
    pub fn read_error(&self) -> Option<&ReadError> {
        self.source()?.downcast_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { code, path, offset, message, .. } = &*self.0;
        write!(f, "[{code}] ")?;
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        f.write_str(message)?;
        offset.map_or(Ok(()), |offset| write!(f, " (offset {offset:#x})"))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}, \"{self}\")", self.0.kind)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&**self.0.source.as_ref()?)
    }
}

impl From<ReadError> for Error {
    fn from(e: ReadError) -> Self {
        let kind = match e.class() {
            ErrorClass::Unsupported => ErrorKind::Unsupported,
            ErrorClass::Limit { .. } => ErrorKind::Limit,
            _ => ErrorKind::Malformed,
        };
        let mut made = Self::new(kind, e.code(), e.message());
        (made.0.path, made.0.offset) = (e.path().to_string(), Some(e.offset()));
        made.caused(e)
    }
}

impl From<FilesError> for Error {
    fn from(e: FilesError) -> Self {
        let (kind, code) = match &e {
            FilesError::Pack { path, error } => {
                let mut made = Self::from(ReadError::clone(error));
                made.0.message = format!("{path}: {}", made.0.message);
                return made.caused(e);
            }
            FilesError::Limit(_) => (ErrorKind::Limit, "limit"),
            FilesError::TooLarge { .. } => (ErrorKind::Limit, "cannot-read"),
            FilesError::NotFound { .. } => (ErrorKind::NotFound, "cannot-read"),
            FilesError::System { .. } => (ErrorKind::Io, "cannot-read"),
            _ => (ErrorKind::Invalid, "cannot-read"),
        };
        Self::new(kind, code, e.to_string()).caused(e)
    }
}

impl From<ConvertError> for Error {
    fn from(e: ConvertError) -> Self {
        let (kind, code, fault) = match &e {
            ConvertError::Invalid(fault) => (ErrorKind::Invalid, "invalid-model", Some(fault)),
            ConvertError::Unsupported(fault) => (ErrorKind::NotConvertible, "not-convertible", Some(fault)),
            ConvertError::Limit(_) => (ErrorKind::Limit, "limit", None),
            _ => (ErrorKind::NotConvertible, "not-convertible", None),
        };
        let mut made = Self::new(kind, code, fault.map_or_else(|| e.to_string(), |f| f.message.clone()));
        made.0.path = fault.map(|f| f.path.clone()).unwrap_or_default();
        made.caused(e)
    }
}

impl From<LimitExceeded> for Error {
    fn from(e: LimitExceeded) -> Self {
        ConvertError::from(e).into()
    }
}

impl From<WriteError> for Error {
    fn from(e: WriteError) -> Self {
        match e {
            WriteError::Limit(e) => e.into(),
            e => Self::new(ErrorKind::Invalid, "not-writable", e.to_string()).caused(e),
        }
    }
}

#[cfg(feature = "rig")]
impl From<meshwright_rig::RigError> for Error {
    fn from(e: meshwright_rig::RigError) -> Self {
        Self::new(ErrorKind::Invalid, "invalid-model", e.to_string()).caused(e)
    }
}

#[cfg(feature = "output")]
impl From<meshwright_files::output::Clash> for Error {
    fn from(e: meshwright_files::output::Clash) -> Self {
        Self::new(ErrorKind::Invalid, "would-replace", e.to_string()).caused(e)
    }
}

#[cfg(feature = "output")]
impl From<meshwright_files::output::Failed> for Error {
    fn from((path, e): meshwright_files::output::Failed) -> Self {
        Self::new(ErrorKind::Io, "cannot-write", format!("{}: {e}", path.display())).caused(e)
    }
}
