use alloc::string::String;

/// Why something cannot be prepared or evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RigError {
    /// The scene breaks a rule.
    #[error("{path}: {message}")]
    Invalid {
        /// The field at fault.
        path: String,
        /// What is wrong.
        message: &'static str,
    },
    /// A slice has not the length that the call needs.
    #[error("{what}: {expected} entries expected, {found} found")]
    Length {
        /// Which slice.
        what: &'static str,
        /// The length needed.
        expected: usize,
        /// The length given.
        found: usize,
    },
}

impl RigError {
    pub(crate) fn invalid(path: impl Into<String>, message: &'static str) -> Self {
        Self::Invalid { path: path.into(), message }
    }

    pub(crate) fn length(what: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        if expected == found { Ok(()) } else { Err(Self::Length { what, expected, found }) }
    }
}
