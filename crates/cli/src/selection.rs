//! Which files a command is to work on, as its arguments say.

use crate::Fail;
use crate::args::ManyArgs;
use crate::relative::as_os;
use glob::{MatchOptions, Pattern};
use meshwright::Limits;
use meshwright::files::Tree;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// How patterns are understood: `*` stays within a folder, `**` does not.
const MATCH: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// Which files a command is to work on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Files, folders and packs, in the order in which they were named; patterns are taken apart.
    pub arguments: Vec<OsString>,
    /// Links inside folders are followed.
    pub follow: bool,
    /// Memory that the directory of each archive may take.
    pub directories: Limits,
    exclude: Vec<Pattern>,
}

impl Selection {
    /// Of files without further choices.
    pub(crate) fn of(arguments: &[OsString]) -> Self {
        Self { arguments: arguments.to_vec(), ..Self::default() }
    }

    /// One folder, with memory for the directory of each archive in it.
    pub(crate) fn of_folder(folder: &Path, follow: bool, directories: Limits) -> Self {
        Self { follow, directories, ..Self::of(&[folder.as_os_str().to_owned()]) }
    }

    /// What the arguments name, those of `--files-from` behind them.
    pub(crate) fn new(files: &[OsString], many: &ManyArgs) -> Result<Self, Fail> {
        let mut named = files.to_vec();
        if let Some(list) = &many.files_from {
            named.extend(listed(list, many.null)?);
            if named.is_empty() {
                let list = crate::render::path(list);
                return Err(Fail::Usage(format!("--files-from {list}: names no file")));
            }
        }
        let exclude = many.exclude.clone();
        let mut selection = Self { follow: many.follow, exclude, ..Self::default() };
        for name in named {
            match pattern(&name) {
                Some(pattern) => selection.expand(&pattern)?,
                None => selection.arguments.push(name),
            }
        }
        Ok(selection)
    }

    /// Whether what was met in a folder, at this path below the one that was named, is left out.
    pub(crate) fn leaves_out(&self, below: &str) -> bool {
        let name = below.rsplit('/').next().unwrap_or(below);
        self.exclude.iter().any(|p| p.matches_with(below, MATCH) || p.matches_with(name, MATCH))
    }

    /// Adds what a pattern matches, sorted: files and folders, then members of archives.
    fn expand(&mut self, pattern: &str) -> Result<(), Fail> {
        let wrong = |why: String| Fail::Usage(format!("{}: {why}", crate::render::plain(pattern)));
        let mut found = matches(pattern).map_err(wrong)?;
        for (at, _) in pattern.match_indices('/') {
            let (archives, members) = (pattern.get(..at), pattern.get(at.saturating_add(1)..));
            let Some((archives, members)) = archives.zip(members).filter(|(_, members)| !members.is_empty())
            else {
                continue;
            };
            let members = Pattern::new(members).map_err(|e| wrong(e.msg.to_owned()))?;
            for archive in matches(archives).map_err(wrong)?.iter().filter(|path| path.is_file()) {
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

/// The files and folders that a pattern matches, sorted.
fn matches(pattern: &str) -> Result<Vec<PathBuf>, String> {
    let found = glob::glob_with(pattern, MATCH).map_err(|e| e.msg.to_owned())?;
    found.map(|path| path.map_err(|e| e.error().to_string())).collect()
}

/// The files and folders in an archive whose paths match a pattern, sorted; nothing for a file that is no archive.
fn members_of(archive: &Path, pattern: &Pattern) -> Vec<PathBuf> {
    if !Tree::leads_into_pack(archive) {
        return Vec::new();
    }
    // What cannot be opened is refused when it is named itself.
    let files = Tree::open(archive).map(|tree| tree.walk().files).unwrap_or_default();
    let mut paths = BTreeSet::new();
    for mut path in files.into_iter().flatten() {
        while !path.is_root() {
            let parent = path.parent();
            paths.insert(path);
            path = parent;
        }
    }
    let matching = paths.iter().filter(|path| pattern.matches_with(&path.text(), MATCH));
    matching.map(|path| archive.join(as_os(path))).collect()
}

/// A pattern that the shell left as it is. What exists under the very name is none.
fn pattern(name: &OsString) -> Option<String> {
    let text = name.to_str()?;
    (text.contains(['*', '?', '[']) && Path::new(name).symlink_metadata().is_err()).then(|| text.to_owned())
}

/// The names in a file, or those that standard input brings.
fn listed(list: &Path, null: bool) -> Result<Vec<OsString>, Fail> {
    /// More than any list of files.
    const MOST: u64 = 256 << 20;
    let mut bytes = Vec::new();
    let read = match list.as_os_str() == "-" {
        true => io::stdin().lock().take(MOST).read_to_end(&mut bytes),
        false => File::open(list).and_then(|file| file.take(MOST).read_to_end(&mut bytes)),
    };
    read.map_err(|e| Fail::Usage(format!("--files-from {}: {e}", crate::render::path(list))))?;
    let end = if null { 0 } else { b'\n' };
    let names = bytes.split(|byte| *byte == end).map(|name| match name {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_named_by_path_or_by_name() {
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
