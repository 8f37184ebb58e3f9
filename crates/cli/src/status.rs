//! The outcome of a run.

use std::process::ExitCode;

/// The outcome of a run: the worst of all files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Success.
    #[default]
    Fine,
    /// A file has errors, or two models differ.
    Errors,
    /// The arguments are wrong, or do not suit a file.
    Arguments,
    /// A file could not be read or written, or is of no known format.
    Unusable,
}

impl Status {
    /// Keeps the worse of the two outcomes.
    pub(crate) fn and(&mut self, other: Self) {
        *self = (*self).max(other);
    }

    /// Returns the exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Errors => 1,
            Self::Arguments => 2,
            Self::Unusable => 3,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}
