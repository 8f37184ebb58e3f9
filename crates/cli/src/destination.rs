//! The destinations of a command's results.

use crate::args::OutputFormat;
use crate::input::Input;
use crate::refusal::Fail;
use meshwright::files::output::{NameSource, OutputName, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The destination of the results of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Standard output.
    Stdout,
    /// One file.
    File(PathBuf),
    /// A folder, with one file for each input.
    Folder(PathBuf),
}

impl Destination {
    /// Like [`new`](Self::new), for several inputs or a folder: a path without an extension that does not exist is a
    /// folder.
    pub(crate) fn of_several(path: &Path) -> Self {
        match Self::new(path) {
            Self::File(path) if path.extension().is_none() && !path.exists() => Self::Folder(path),
            other => other,
        }
    }

    /// Interprets an output path. `-`, and the names that systems give standard output, are standard output. A path
    /// that ends in a separator, or is a folder, is a folder for results. Anything else is a file.
    pub(crate) fn new(path: &Path) -> Self {
        const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
        let text = path.as_os_str();
        if STDOUT.iter().any(|name| text == OsStr::new(name)) {
            Self::Stdout
        } else if ends_in_separator(text) || path.is_dir() {
            Self::Folder(path.to_owned())
        } else {
            Self::File(path.to_owned())
        }
    }
}

impl Destination {
    /// Returns the folder for results.
    pub(crate) fn folder(&self) -> Option<&Path> {
        if let Self::Folder(folder) = self { Some(folder) } else { None }
    }

    /// Returns the place of the one result.
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::File(path) | Self::Folder(path) => Place::named(path),
            Self::Stdout => Place::named("-"),
        }
    }

    /// Refuses a result and its JSON document on standard output.
    pub(crate) fn refuse_document(&self, format: OutputFormat) -> Result<(), Fail> {
        match (self, format) {
            (Self::Stdout, OutputFormat::Json) => {
                Err(Fail::Usage("--format json and -o - both want standard output".into()))
            }
            _ => Ok(()),
        }
    }
}

pub(crate) fn ends_in_separator(path: &OsStr) -> bool {
    path.as_encoded_bytes().last().is_some_and(|byte| std::path::is_separator(char::from(*byte)))
}

/// Returns the place of an output in the folder for results: in the same subfolder that its input has in the folder
/// that was named.
pub(crate) fn below(folder: &Path, input: &Input, name: &OutputName) -> Place {
    let folders = input.below.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let folders: Vec<_> = folders.iter().map(|name| OutputName::cleaned(&name.to_string_lossy())).collect();
    Place::below(folder, folders.iter().chain([name]))
}

/// The places of the results of several inputs in a folder. No two are the same on a file system that ignores case.
#[derive(Default)]
pub(crate) struct UniquePlaces {
    taken: BTreeSet<String>,
    /// The number of the next result with a name.
    next: BTreeMap<String, u64>,
}

impl UniquePlaces {
    /// Returns the place of a result with this name, to which a number is added if another result has it.
    pub(crate) fn add(&mut self, folder: &Path, input: &Input, stem: &OutputName, ending: &str) -> Place {
        let mut place = below(folder, input, &stem.with_ending(ending));
        let n = self.next.entry(case_key(&place)).or_insert(2);
        while !self.taken.insert(case_key(&place)) {
            place = place.beside(&stem.with_ending(&format!("-{n}{ending}")), NameSource::Derived);
            *n = n.saturating_add(1);
        }
        place
    }
}

/// Returns a key that is equal for places that some file systems do not distinguish.
pub(crate) fn case_key(place: &Place) -> String {
    place.path().to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations() {
        for name in ["-", "/dev/stdout"] {
            assert_eq!(Destination::new(Path::new(name)), Destination::Stdout);
        }
        assert_eq!(Destination::new(Path::new("out/")), Destination::Folder("out/".into()));
        assert_eq!(Destination::new(Path::new("a.glb")), Destination::File("a.glb".into()));
        for (name, several) in [("out", true), ("out.glb", false), (".out", true), ("Cargo.toml", false)] {
            let folder = matches!(Destination::of_several(Path::new(name)), Destination::Folder(_));
            assert_eq!(folder, several, "{name}");
        }
    }
}
