use alloc::string::String;

/// An error in preparing or evaluating a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RigError {
    /// The scene breaks a rule.
    #[error("{path}: {message}")]
    Invalid {
        /// The field at fault.
        path: String,
        /// The fault.
        message: &'static str,
    },
    /// A slice has the wrong length.
    #[error("{what}: {expected} entries expected, {found} found")]
    Length {
        /// The name of the slice.
        what: &'static str,
        /// The expected length.
        expected: usize,
        /// The length of the slice.
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
