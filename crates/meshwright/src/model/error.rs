//! Errors of opening an asset.

use crate::kinds::{AnyModel, Format, ReadSettings};
use meshwright_core::{FieldPath, Finding, Kind, ReadError, Report, Rule, Strictness};
use meshwright_files::{FilesError, TreePath};
use meshwright_scene::ConvertError;
use std::sync::Arc;

/// The reason why an asset cannot be opened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AssetError {
    /// The file cannot be read.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// Neither the content nor the name identifies a known format.
    #[error("not a known format")]
    UnknownFormat,
    /// The file breaks a rule of its format.
    #[error("{error}")]
    Model {
        /// The kind of file that it was read as.
        format: Format,
        /// The content.
        bytes: Vec<u8>,
        /// The settings of the read, including companions that are part of it.
        settings: Box<ReadSettings>,
        /// The broken rule.
        error: ReadError,
    },
    /// A companion file that the model needs was found but cannot be read.
    #[error("{error}")]
    Unreadable {
        /// The path in the tree.
        path: TreePath,
        /// The error.
        error: FilesError,
    },
    /// A companion file named by the caller breaks a rule of its format.
    #[error("{name}: {error}")]
    Companion {
        /// The companion's name.
        name: String,
        /// The content.
        bytes: Arc<[u8]>,
        /// The broken rule.
        error: ReadError,
    },
    /// The textures of the model cannot be found, because its scene cannot be made.
    #[error(transparent)]
    Scene(#[from] ConvertError),
}

/// The rule that an empty file breaks, in any format.
pub(crate) const EMPTY: &Rule = &Rule::error(
    "empty-file",
    Kind::Truncated,
    "The file has no bytes: a download or a copy did not finish.",
    "Take the file from its source again.",
);

impl AssetError {
    /// Returns the error for an empty file whose format would accept it as a file without content.
    #[cfg(feature = "tso")]
    pub(super) fn empty(format: Format, settings: &ReadSettings) -> Self {
        let error = ReadError::broken(EMPTY, &FieldPath::ROOT, 0, "the file is empty");
        Self::Model { format, bytes: Vec::new(), settings: Box::new(settings.clone()), error }
    }

    /// Returns the same error, or a plainer one if the file is empty.
    pub(super) fn of_empty(mut self) -> Self {
        if let Self::Model { bytes, error, .. } = &mut self
            && bytes.is_empty()
        {
            *error = ReadError::broken(EMPTY, &FieldPath::ROOT, 0, "the file is empty");
        }
        self
    }

    /// All faults of a file that breaks a rule of its format: a second, lenient read finds the faults after the first
    /// error. Empty for other causes.
    pub fn report(&self) -> Report {
        let mut report = Report::new();
        let Self::Model { format, bytes, settings, error } = self else { return report };
        if settings.read.strictness != Strictness::Lenient {
            let mut lenient = ReadSettings::clone(settings);
            lenient.read.strictness = Strictness::Lenient;
            if let Ok(parsed) = AnyModel::parse_with(bytes, *format, &lenient) {
                report.append(parsed.forgiven);
                report.append_new(parsed.model.validate());
            }
        }
        if !report.has_errors() {
            report.push(Finding::from(error));
        }
        report
    }
}
