//! Paths of output files.

use super::name::{BadName, OutputName};
use std::path::{Path, PathBuf};

/// The source of an output's name. It decides which files the output may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameSource {
    /// The user gave the path. A link is followed, a device is written to, an existing file is replaced.
    User,
    /// The name follows from a path that the user gave, or from the name of an input. An existing file is
    /// replaced.
    Derived,
    /// The name comes from a document or an archive. An existing file is replaced only if the user asks for
    /// it.
    Content,
}

/// The path of an output file. Names that the user did not give are [`OutputName`]s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    path: PathBuf,
    /// The folder that the user gave. Links between it and the file are rejected.
    top: Option<PathBuf>,
    source: NameSource,
}

impl Place {
    /// Returns the path of a file that the user gave.
    pub fn named(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), top: None, source: NameSource::User }
    }

    /// Returns the path of a file below a folder that the user gave. `names` are the folders in between and
    /// the file name.
    pub fn below<'n>(top: &Path, names: impl IntoIterator<Item = &'n OutputName>) -> Self {
        let path = names.into_iter().fold(top.to_owned(), |path, name| path.join(name.as_str()));
        Self { path, top: Some(top.to_owned()), source: NameSource::Derived }
    }

    /// Returns the path of another file in the same folder.
    #[must_use]
    pub fn beside(&self, name: &OutputName, source: NameSource) -> Self {
        Self { path: self.path.with_file_name(name.as_str()), top: self.top.clone(), source }
    }

    /// Returns the path of a file in the same folder, whose name is this one with an ending.
    ///
    /// # Errors
    /// If the ending is not allowed in a plain name.
    pub fn appended(&self, ending: &str) -> Result<Self, BadName> {
        OutputName::new(&format!("x{ending}"), &[])?;
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        Ok(Self { path: path.into(), top: self.top.clone(), source: NameSource::Derived })
    }

    /// Returns the same path with another source of its name.
    #[must_use]
    pub fn with_source(self, source: NameSource) -> Self {
        Self { source, ..self }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the source of its name.
    pub fn source(&self) -> NameSource {
        self.source
    }

    pub(super) fn top(&self) -> Option<&Path> {
        self.top.as_deref()
    }
}
