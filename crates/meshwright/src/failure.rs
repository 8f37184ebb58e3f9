//! Every error in one shape.

use crate::model::AssetError;
use meshwright_core::{ReadError, WriteError};
use meshwright_files::FilesError;
use meshwright_scene::ConvertError;
use std::fmt;

/// All errors of this crate in one type, for callers that pass errors to another language or log them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// A stable code: that of the broken rule, or `cannot-read`, `unknown-format`, `invalid-model`, `not-convertible`,
    /// `not-writable`, `bad-output`, `would-replace`, `cannot-write`, `limit`.
    pub code: &'static str,
    /// The field at fault; empty if there is no such field.
    pub path: String,
    /// The first byte of the field, where the fault is one of a file.
    pub offset: Option<u64>,
    /// The message.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] ", self.code)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        self.offset.map_or(Ok(()), |offset| write!(f, " (offset {offset:#x})"))
    }
}

impl std::error::Error for Failure {}

impl Failure {
    pub(crate) fn plain(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, path: String::new(), offset: None, message: message.into() }
    }
}

impl From<&ReadError> for Failure {
    fn from(e: &ReadError) -> Self {
        Self {
            code: e.code(),
            path: e.path().to_string(),
            offset: Some(e.offset()),
            message: e.message().into(),
        }
    }
}

impl From<FilesError> for Failure {
    fn from(e: FilesError) -> Self {
        match &e {
            FilesError::Pack { path, error } => {
                let failure = Self::from(&**error);
                Self { message: format!("{path}: {}", failure.message), ..failure }
            }
            FilesError::Limit(_) => Self::plain("limit", e.to_string()),
            _ => Self::plain("cannot-read", e.to_string()),
        }
    }
}

impl From<AssetError> for Failure {
    fn from(e: AssetError) -> Self {
        match e {
            AssetError::Files(e) => e.into(),
            AssetError::Unreadable { error, .. } => error.into(),
            AssetError::Scene(e) => e.into(),
            AssetError::UnknownFormat => Self::plain("unknown-format", "not a known format"),
            AssetError::Model { error, .. } => Self::from(&error),
            AssetError::Companion { name, error, .. } => {
                let failure = Self::from(&error);
                Self { message: format!("{name}: {}", failure.message), ..failure }
            }
        }
    }
}

impl From<ConvertError> for Failure {
    fn from(e: ConvertError) -> Self {
        let (code, path) = match &e {
            ConvertError::Invalid { path, .. } => ("invalid-model", path),
            ConvertError::Limit(_) => ("limit", &String::new()),
            ConvertError::Unsupported { path, .. } => ("not-convertible", path),
            _ => ("not-convertible", &String::new()),
        };
        let message = match &e {
            ConvertError::Invalid { message, .. } | ConvertError::Unsupported { message, .. } => {
                message.clone()
            }
            other => other.to_string(),
        };
        Self { path: path.clone(), ..Self::plain(code, message) }
    }
}

impl From<WriteError> for Failure {
    fn from(e: WriteError) -> Self {
        Self::plain("not-writable", e.to_string())
    }
}

#[cfg(feature = "rig")]
impl From<meshwright_rig::RigError> for Failure {
    fn from(e: meshwright_rig::RigError) -> Self {
        Self::plain("invalid-model", e.to_string())
    }
}

#[cfg(feature = "output")]
impl From<crate::output::BadOutput> for Failure {
    fn from(e: crate::output::BadOutput) -> Self {
        let code =
            if let crate::output::BadOutput::Twice { .. } = e { "would-replace" } else { "bad-output" };
        Self::plain(code, e.to_string())
    }
}

#[cfg(feature = "output")]
impl From<crate::output::OutputError> for Failure {
    fn from(e: crate::output::OutputError) -> Self {
        use crate::output::OutputError;
        match e {
            OutputError::Bad(e) => e.into(),
            OutputError::Clash(e) => Self::plain("would-replace", e.to_string()),
            e @ OutputError::System { .. } => Self::plain("cannot-write", e.to_string()),
        }
    }
}
