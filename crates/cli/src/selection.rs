//! The files that a command processes, as its arguments select them.

use crate::args::ManyArgs;
use crate::pattern::{self, Pattern};
use crate::refusal::Fail;
use meshwright::files::{Tree, TreePath};
use meshwright::{Limits, Order as _};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The files that a command processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Files, folders and packs, in the order in which they were named. Patterns are replaced by their matches.
    pub arguments: Vec<OsString>,
    /// Links inside folders are followed.
    pub follow: bool,
    /// Memory that the directory of each archive may take.
    pub directories: Limits,
    exclude: Vec<Pattern>,
}

impl Selection {
    /// Selects these files and folders.
    pub(crate) fn from_arguments(arguments: &[OsString]) -> Self {
        Self { arguments: arguments.to_vec(), ..Self::default() }
    }

    /// Selects one folder, with limits for the directory of each archive in it.
    pub(crate) fn of_folder(folder: &Path, follow: bool, directories: Limits) -> Self {
        Self { follow, directories, ..Self::from_arguments(&[folder.as_os_str().to_owned()]) }
    }

    /// Selects the files that the arguments name, then those of `--files-from`. Expands patterns.
    pub(crate) fn new(files: &[OsString], many: &ManyArgs) -> Result<Self, Fail> {
        let mut named = files.to_vec();
        if let Some(list) = &many.files_from {
            named.extend(listed(list, many.null)?);
            if named.is_empty() {
                let list = crate::render::path(list);
                return Err(Fail::Usage(format!("--files-from {list}: the list is empty")));
            }
        }
        let exclude = many.exclude.clone();
        Self { follow: many.follow, exclude, ..Self::default() }.with_arguments(named)
    }

    /// Returns the arguments with the matches of patterns in their place.
    pub(crate) fn expanded(arguments: &[OsString]) -> Result<Vec<OsString>, Fail> {
        Self::default().with_arguments(arguments.to_vec()).map(|selection| selection.arguments)
    }

    fn with_arguments(mut self, named: Vec<OsString>) -> Result<Self, Fail> {
        for name in named {
            match unexpanded(&name) {
                Some(pattern) => self.expand(&pattern)?,
                None => self.arguments.push(name),
            }
        }
        Ok(self)
    }

    /// Returns whether `--exclude` leaves out a file of a folder; `below` is its path in the folder that was named.
    pub(crate) fn leaves_out(&self, below: &str) -> bool {
        let name = below.rsplit('/').next().unwrap_or(below);
        self.exclude.iter().any(|p| p.matches(below) || p.matches(name))
    }

    /// Adds the matches of a pattern, sorted: files and folders, then members of archives.
    fn expand(&mut self, pattern: &str) -> Result<(), Fail> {
        let wrong = |why: String| Fail::Usage(format!("{}: {why}", crate::render::plain(pattern)));
        let mut found = pattern::find(pattern).map_err(wrong)?;
        for (at, _) in pattern.match_indices('/') {
            let (archives, members) = (pattern.get(..at), pattern.get(at.saturating_add(1)..));
            let Some((archives, members)) = archives.zip(members).filter(|(_, members)| !members.is_empty())
            else {
                continue;
            };
            let members = Pattern::new(members).map_err(wrong)?;
            for archive in pattern::find(archives).map_err(wrong)?.iter().filter(|path| path.is_file()) {
                found.extend(members_of(archive, &members));
            }
        }
        let left_out =
            |path: &PathBuf| self.leaves_out(&path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"));
        found.retain(|path| !left_out(path));
        if found.is_empty() {
            return Err(wrong("nothing matches".into()));
        }
        self.arguments.extend(found.into_iter().map(PathBuf::into_os_string));
        Ok(())
    }
}

/// Finds the files and folders in an archive whose paths match a pattern, sorted. For a file that is not an archive
/// the result is empty.
fn members_of(archive: &Path, pattern: &Pattern) -> Vec<PathBuf> {
    if !Tree::leads_into_pack(archive) {
        return Vec::new();
    }
    // An archive that cannot be opened is an error only if it is named itself.
    let files = Tree::open(archive).map(|tree| tree.walk().files).unwrap_or_default();
    let mut paths = Vec::new();
    for mut path in files.into_iter().flatten() {
        while !path.is_root() {
            let parent = path.parent();
            paths.push(path);
            path = parent;
        }
    }
    paths.order();
    paths.dedup();
    let matching = paths.iter().filter(|path| pattern.matches(&path.text()));
    matching.map(|path| archive.join(as_os(path))).collect()
}

/// Returns a pattern that the shell did not expand. The name of an existing file is not a pattern.
fn unexpanded(name: &OsString) -> Option<String> {
    let text = name.to_str()?;
    (text.contains(['*', '?', '[']) && Path::new(name).symlink_metadata().is_err()).then(|| text.to_owned())
}

/// Reads the names in a file, or on standard input.
fn listed(list: &Path, null: bool) -> Result<Vec<OsString>, Fail> {
    /// More bytes than any list of files has.
    const MOST: u64 = 256 << 20;
    let mut bytes = Vec::new();
    let read = match list.as_os_str() == "-" {
        true => io::stdin().lock().take(MOST).read_to_end(&mut bytes),
        false => File::open(list).and_then(|file| file.take(MOST).read_to_end(&mut bytes)),
    };
    read.map_err(|e| Fail::Usage(format!("--files-from {}: {e}", crate::render::path(list))))?;
    // Programs of Windows begin texts with a byte order mark.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let end = if null { 0 } else { b'\n' };
    let names = text.split(|byte| *byte == end).map(|name| match name {
        [name @ .., b'\r'] if !null => name,
        name => name,
    });
    Ok(names.filter(|name| !name.is_empty()).map(os_name).collect())
}

#[cfg(unix)]
fn os_name(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn os_name(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Returns the path in a tree as a path of the operating system, for names of outputs.
pub(crate) fn as_os(path: &TreePath) -> PathBuf {
    path.names().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_excluded_by_path_or_by_name() {
        let exclude = ["*.bak", "old/**", "a/b"].map(|p| Pattern::new(p).unwrap()).to_vec();
        let selection = Selection { exclude, ..Selection::default() };
        for (path, out) in [
            ("x.bak", true),
            ("d/x.bak", true),
            ("old/x/y.dpm", true),
            ("d/old/y.dpm", false),
            ("a/b", true),
            ("a/b/c", false),
            ("x.dpm", false),
        ] {
            assert_eq!(selection.leaves_out(path), out, "{path}");
        }
    }
}
