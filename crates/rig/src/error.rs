use alloc::string::String;

/// An error in preparing or evaluating a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RigError {
    /// The scene breaks a rule.
    Invalid {
        /// The field at fault.
        path: String,
        /// The fault.
        message: &'static str,
    },
    /// A slice has the wrong length.
    Length {
        /// The name of the slice.
        what: &'static str,
        /// The expected length.
        expected: usize,
        /// The length of the slice.
        found: usize,
    },
}

meshwright_scene::display_error! {
    RigError:
    Self::Invalid { path, message } => "{path}: {message}";
    Self::Length { what, expected, found } => "{what}: {expected} entries expected, {found} found";
}

impl RigError {
    pub(crate) fn invalid(path: impl Into<String>, message: &'static str) -> Self {
        Self::Invalid { path: path.into(), message }
    }

    pub(crate) fn length(what: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        if expected == found { Ok(()) } else { Err(Self::Length { what, expected, found }) }
    }
}
