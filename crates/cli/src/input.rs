//! Finding and reading input files.

use crate::folder::Folder;
use crate::{debris, render};
use meshwright::{CompanionKind, Format};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A file that a command works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// The path, or `-` for standard input.
    pub path: PathBuf,
    /// The path below the folder that was named, when a folder was.
    pub below: Option<PathBuf>,
}

impl Input {
    pub(crate) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == OsStr::new("-")
    }

    /// The path as people read it.
    pub(crate) fn shown(&self) -> String {
        if self.is_stdin() { "<stdin>".into() } else { shown(&self.path) }
    }

    /// The path as programs read it.
    pub(crate) fn exact(&self) -> String {
        if self.is_stdin() { "<stdin>".into() } else { exact(&self.path) }
    }

    /// The file name, as a hint for detection.
    pub(crate) fn name(&self) -> Option<String> {
        if self.is_stdin() {
            return None;
        }
        self.path.file_name().map(|n| n.to_string_lossy().into_owned())
    }

    /// The format that the file name speaks for.
    pub(crate) fn named_format(&self) -> Option<Format> {
        Format::from_name(&self.name()?)
    }

    /// All bytes of the file; refused before reading when it has more than `most`.
    pub(crate) fn read(&self, most: u64) -> io::Result<Vec<u8>> {
        if self.is_stdin() {
            note_stdin();
            return read_at_most(io::stdin().lock(), 0, most);
        }
        read_file(&self.path, most)
    }

    /// The companions that lie beside the file under the names that its format gives them.
    pub(crate) fn companions(&self, format: Format) -> Vec<(CompanionKind, PathBuf)> {
        let Some(own) = self.path.file_name().filter(|_| !self.is_stdin()) else { return Vec::new() };
        let found = |(kind, name): (_, String)| Some((kind, self.companion(&derived(own, &name))?));
        format.companion_names(&own.to_string_lossy()).into_iter().filter_map(found).collect()
    }

    /// A file beside this one with another name, where there is one.
    fn companion(&self, name: &OsStr) -> Option<PathBuf> {
        let exact = self.path.with_file_name(name);
        if exact.is_file() {
            return Some(exact);
        }
        Folder::of(self).named(name).cloned()
    }
}

/// `name`, which was made of the text of the file name `own`, or of that without extension, made of its bytes:
/// old archives hold names that are no UTF-8.
fn derived(own: &OsStr, name: &str) -> OsString {
    let stem = Path::new(own).file_stem().unwrap_or_default();
    for part in [own, stem] {
        if let Some(rest) = name.strip_prefix(&*part.to_string_lossy()) {
            let mut derived = part.to_owned();
            derived.push(rest);
            return derived;
        }
    }
    name.into()
}

/// A path made safe for a terminal; of a very long one its end.
pub(crate) fn shown(path: &Path) -> String {
    const LONGEST: usize = 1024;
    let text = render::plain(&path.to_string_lossy());
    match text.len() > LONGEST {
        true => format!("...{}", render::ending(&text, LONGEST)),
        false => text,
    }
}

/// A path for JSON, which does its own escaping.
pub(crate) fn exact(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What paths that lead to one file, through links of either kind, have in common.
#[cfg(unix)]
pub(crate) type Identity = (u64, u64);
#[cfg(not(unix))]
pub(crate) type Identity = PathBuf;

/// Which file a path leads to; none where there is no file.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).map(|m| (m.dev(), m.ino())).ok()
    }
    #[cfg(not(unix))]
    {
        fs::canonicalize(path).ok()
    }
}

/// Every regular file that was read.
static READ: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// Whether this run has read the file, under whatever name.
pub(crate) fn was_read(file: &Identity) -> bool {
    READ.lock().unwrap_or_else(PoisonError::into_inner).contains(file)
}

fn note(file: Identity) {
    READ.lock().unwrap_or_else(PoisonError::into_inner).insert(file);
}

/// Standard input can be a file that has a name.
#[cfg(unix)]
fn note_stdin() {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let own = io::stdin().as_fd().try_clone_to_owned();
    if let Ok(meta) = own.and_then(|fd| File::from(fd).metadata())
        && meta.is_file()
    {
        note((meta.dev(), meta.ino()));
    }
}

#[cfg(not(unix))]
fn note_stdin() {}

/// Reads a file that takes part in a result, or refuses one that is larger than `most`.
pub(crate) fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let bytes = peek(path, most)?;
    if path.is_file()
        && let Some(file) = identity(path)
    {
        note(file);
    }
    Ok(bytes)
}

/// Reads a file to see what it is.
pub(crate) fn peek(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
    }
    if meta.len() > most {
        return Err(too_large(most));
    }
    read_at_most(file, meta.len(), most)
}

/// Reads what is likely to have `length` bytes, and less than that when it ends sooner.
fn read_at_most(source: impl Read, length: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One more than there is, so that the end is found without growing.
    let length = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(1);
    bytes.try_reserve_exact(length).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn too_large(most: u64) -> io::Error {
    io::Error::other(format!("has more than {most} bytes; raise --max-memory to read it"))
}

/// The files that arguments name: files as they are, folders walked with every file in them, sorted, links
/// inside folders not followed. The folder `into`, which takes the results, is not walked when it lies inside
/// another: what an earlier run left there was not asked for.
pub(crate) fn expand(arguments: &[OsString], into: Option<&Path>) -> Vec<Result<Input, (Input, io::Error)>> {
    let mut inputs = Vec::new();
    let into = into.and_then(identity);
    for argument in arguments {
        let path = PathBuf::from(argument);
        if argument != OsStr::new("-") && path.is_dir() {
            walk(&path, into.as_ref(), &mut inputs);
        } else {
            inputs.push(Ok(Input { path, below: None }));
        }
    }
    inputs
}

fn walk(top: &Path, into: Option<&Identity>, inputs: &mut Vec<Result<Input, (Input, io::Error)>>) {
    let mut open = vec![top.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = match fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => entries,
            Err(e) => {
                inputs.push(Err((Input { path: folder, below: None }, e)));
                continue;
            }
        };
        let mut paths: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
        paths.sort();
        let mut folders = Vec::new();
        for path in paths {
            match fs::symlink_metadata(&path) {
                Ok(meta) if meta.is_dir() => {
                    if into.is_none() || identity(&path).as_ref() != into {
                        folders.push(path);
                    }
                }
                // Another run is writing there.
                Ok(_) if path.file_name().and_then(OsStr::to_str).is_some_and(debris::is_temporary) => {}
                Ok(meta) if meta.is_file() => {
                    let below = path.strip_prefix(top).map(Path::to_owned).ok();
                    inputs.push(Ok(Input { path, below }));
                }
                // Links, pipes and devices inside a folder were not asked for by name.
                Ok(_) => {}
                Err(e) => inputs.push(Err((Input { path, below: None }, e))),
            }
        }
        open.extend(folders.into_iter().rev());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_walked_in_order_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |p: &str| dir.path().join(p);
        fs::create_dir(at("b")).unwrap();
        for f in ["c.dpm", "a.dpm", "b/x.dpm", ".meshwright-a1B2c3.tmp"] {
            fs::write(at(f), b"").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", at("loop")).unwrap();
        let found: Vec<_> =
            expand(&[dir.path().into()], None).into_iter().map(|i| i.unwrap().below.unwrap()).collect();
        assert_eq!(found, ["a.dpm", "c.dpm", "b/x.dpm"].map(PathBuf::from));
        let b = at("b");
        assert_eq!(expand(&[dir.path().into()], Some(&b)).len(), 2);
        assert_eq!(expand(&[b.clone().into()], Some(&b)).len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn names_of_companions_keep_bytes_that_are_no_text() {
        use std::os::unix::ffi::OsStrExt;
        for (own, name, expected) in [
            (&b"a\xff.dpm"[..], "a\u{fffd}.dpm.framegroups", &b"a\xff.dpm.framegroups"[..]),
            (b"\xe9.x.fom", "\u{fffd}.x.json", b"\xe9.x.json"),
            (b".fom", ".json", b".json"),
        ] {
            assert_eq!(derived(OsStr::from_bytes(own), name).as_bytes(), expected);
        }
    }

    #[test]
    fn companions_are_found_whatever_their_case() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("H.DPM.FrameGroups"), b"").unwrap();
        let input = Input { path: dir.path().join("h.dpm"), below: None };
        assert!(input.companion(OsStr::new("h.dpm.framegroups")).is_some());
        assert!(input.companion(OsStr::new("other")).is_none());
    }

    #[test]
    fn too_large_a_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, [0; 10]).unwrap();
        assert!(read_file(&path, 9).is_err());
        assert_eq!(read_file(&path, 10).unwrap().len(), 10);
    }
}
