//! Places of output files.

use super::name::{BadName, OutputName};
use std::path::{Path, PathBuf};

/// The source of the name of an output, which decides what it may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameSource {
    /// The user gave the path. A link there is followed, a device is written to, a file is replaced.
    User,
    /// It follows from a path that the user gave, or from the name of an input. A file is replaced.
    Derived,
    /// A document or an archive. The output replaces a file only if the user asks for it.
    Content,
}

/// The place of an output file. Names that the user did not give are [`OutputName`]s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    path: PathBuf,
    /// The folder that the user gave. A link between it and the file is refused.
    top: Option<PathBuf>,
    source: NameSource,
}

impl Place {
    /// The path that the user gave for a file.
    pub fn named(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), top: None, source: NameSource::User }
    }

    /// A file below a folder that the user gave: the names of folders, and that of the file.
    pub fn below<'n>(top: &Path, names: impl IntoIterator<Item = &'n OutputName>) -> Self {
        let path = names.into_iter().fold(top.to_owned(), |path, name| path.join(name.as_str()));
        Self { path, top: Some(top.to_owned()), source: NameSource::Derived }
    }

    /// A file in the same folder.
    #[must_use]
    pub fn beside(&self, name: &OutputName, source: NameSource) -> Self {
        Self { path: self.path.with_file_name(name.as_str()), top: self.top.clone(), source }
    }

    /// A file in the same folder, with this name and an ending.
    ///
    /// # Errors
    /// If the ending is not allowed in a plain name.
    pub fn appended(&self, ending: &str) -> Result<Self, BadName> {
        OutputName::new(&format!("x{ending}"), &[])?;
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        Ok(Self { path: path.into(), top: self.top.clone(), source: NameSource::Derived })
    }

    /// The same place, whose name comes from elsewhere.
    #[must_use]
    pub fn with_source(self, source: NameSource) -> Self {
        Self { source, ..self }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The source of its name.
    pub fn source(&self) -> NameSource {
        self.source
    }

    pub(super) fn top(&self) -> Option<&Path> {
        self.top.as_deref()
    }
}
