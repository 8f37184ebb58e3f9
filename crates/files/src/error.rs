//! The errors of a tree.

use meshwright_core::{LimitExceeded, ReadError};
use std::io;

/// The reason why a pack or a member is not read.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The pack breaks a rule of its kind.
    Broken(ReadError),
    /// Reading would exceed the caller's limit.
    Limit(LimitExceeded),
    /// The operating system reports an error.
    System(io::Error),
}

impl From<ReadError> for Refused {
    fn from(e: ReadError) -> Self {
        Self::Broken(e)
    }
}

impl From<LimitExceeded> for Refused {
    fn from(e: LimitExceeded) -> Self {
        Self::Limit(e)
    }
}

impl From<io::Error> for Refused {
    fn from(e: io::Error) -> Self {
        Self::System(e)
    }
}

/// The reason why a tree gives no file. It names paths, never the content of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilesError {
    /// The path is not valid: it would leave the tree, or no file can have it.
    #[error("{path}: {why}")]
    BadPath {
        /// The path.
        path: String,
        /// The fault.
        why: &'static str,
    },
    /// The path does not exist.
    #[error("{path}: there is no such file")]
    NotFound {
        /// The path.
        path: String,
    },
    /// The path is a folder instead of a file, a file instead of a folder, or neither.
    #[error("{path}: {why}")]
    WrongKind {
        /// The path.
        path: String,
        /// The actual kind of the entry.
        why: &'static str,
    },
    /// The file is larger than the budget allows.
    #[error("{path}: has {size} bytes, the limit leaves {left}")]
    TooLarge {
        /// The path.
        path: String,
        /// The size of the file in bytes, as far as it is known.
        size: u64,
        /// The number of bytes left in the budget.
        left: u64,
    },
    /// The pack, or a file in it, breaks a rule of its kind.
    #[error("{path}: {error}")]
    Pack {
        /// The path.
        path: String,
        /// The broken rule.
        error: Box<ReadError>,
    },
    /// A pack of this kind cannot hold the file, or not all files together.
    #[error("{}{why}", prefix(path))]
    Unpackable {
        /// The path; empty if no single file is at fault.
        path: String,
        /// The reason.
        why: String,
    },
    /// A search costs more than the budget allows.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// The operating system reports an error.
    #[error("{path}: {message}")]
    System {
        /// The path.
        path: String,
        /// The kind of the error.
        kind: io::ErrorKind,
        /// The message.
        message: String,
    },
}

/// Returns the beginning of a message about a path, which may be empty.
fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}

impl FilesError {
    pub(crate) fn not_found(path: String) -> Self {
        Self::NotFound { path }
    }

    pub(crate) fn system(path: String, e: &io::Error) -> Self {
        match e.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            kind => Self::System { path, kind, message: e.to_string() },
        }
    }

    pub(crate) fn from_refusal(path: &str, e: Refused, left: u64) -> Self {
        let path = path.to_owned();
        match e {
            Refused::Broken(error) => Self::Pack { path, error: Box::new(error) },
            Refused::Limit(e) => Self::TooLarge { path, size: e.requested(), left },
            Refused::System(e) => Self::system(path, &e),
        }
    }

    fn path(&self) -> Option<&str> {
        match self {
            Self::BadPath { path, .. }
            | Self::NotFound { path }
            | Self::WrongKind { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Pack { path, .. }
            | Self::Unpackable { path, .. }
            | Self::System { path, .. } => Some(path),
            Self::Limit(_) => None,
        }
    }

    /// Returns the fault without the path, for callers that name the file differently.
    pub fn reason(&self) -> String {
        let text = self.to_string();
        let rest = self.path().and_then(|path| text.strip_prefix(path)?.strip_prefix(": "));
        rest.map(str::to_owned).unwrap_or(text)
    }
}
