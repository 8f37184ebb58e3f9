//! Creates packs.

mod far;
mod pak;
mod zip;

use crate::error::FilesError;
use crate::pack::{FarVersion, Pack, PackKind};
use crate::path::TreePath;
use meshwright_core::Order as _;
use meshwright_core::{Budget, Limits, SortedMap};
use std::fmt;
use std::io;

/// Returns the content of a file. It is called when the pack is written, possibly twice.
pub type PackContent<'a> = Box<dyn Fn() -> Result<Vec<u8>, FilesError> + 'a>;

/// A file to be added to a pack.
struct File<'a> {
    path: TreePath,
    content: PackContent<'a>,
}

/// Creates a pack. The same files always give the same bytes.
///
/// ```
/// use meshwright_core::{Budget, Limits};
/// use meshwright_files::{Pack, PackBuilder, PackKind};
///
/// let mut builder = PackBuilder::new(PackKind::Zip)?;
/// builder.add("models/a.txt".parse()?, Box::new(|| Ok(b"a model".to_vec())))?;
/// let mut bytes = Vec::new();
/// assert_eq!(builder.write(&mut bytes)?.files, 1);
/// let pack = Pack::open(bytes, "a.pk3", &Budget::new(Limits::default()))?;
/// assert_eq!(pack.files().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PackBuilder<'a> {
    kind: PackKind,
    /// The files by path, ignoring case as engines do.
    files: SortedMap<TreePath, File<'a>>,
    onto: Option<&'a Pack>,
    limits: Limits,
    /// True if names must include file and type numbers.
    numbered: bool,
    /// The version of an archive of The Sims.
    far: Option<FarVersion>,
}

impl fmt::Debug for PackBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackBuilder({}, {} files)", self.kind, self.files.len())
    }
}

/// The result of a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Packed {
    /// The number of files in the pack.
    pub files: u64,
    /// The number of files that are unchanged from the original, including their headers.
    pub untouched: u64,
    /// The number of files of the original whose bytes were replaced.
    pub replaced: u64,
}

impl<'a> PackBuilder<'a> {
    /// Returns an empty pack of a kind.
    ///
    /// # Errors
    /// If packs of this kind cannot be written.
    pub fn new(kind: PackKind) -> Result<Self, FilesError> {
        match kind {
            PackKind::Zip | PackKind::Pak | PackKind::Far => {
                let (files, limits) = (SortedMap::new(), Limits::default());
                Ok(Self { kind, files, onto: None, limits, numbered: false, far: None })
            }
            #[allow(unreachable_patterns, reason = "later kinds cannot be written until a writer exists")]
            _ => Err(unpackable("", format!("a {kind} is read and not written"))),
        }
    }

    /// Sets the limit for each file, and for the directory of an original.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the version of an archive of The Sims. By default an archive has version 3 if the names of all files include
    /// file and type numbers, as in `a.00c0ffee0000000d.oft`, otherwise version 1. Version 3, the only one that The Sims
    /// Online reads, then requires these numbers.
    #[must_use]
    pub fn with_far(mut self, version: FarVersion) -> Self {
        (self.numbered, self.far) = (version == FarVersion::Three, Some(version));
        self
    }

    /// Starts from another pack of the same kind. Its files stay byte for byte, including headers and order,
    /// except for files that are added with other bytes. If no file changes, the pack stays byte for byte.
    ///
    /// # Errors
    /// If it is of another kind.
    pub fn based_on(mut self, pack: &'a Pack) -> Result<Self, FilesError> {
        if pack.kind() != self.kind {
            let why = format!("is a {}, which does not become a {}", pack.kind(), self.kind);
            return Err(unpackable(pack.name(), why));
        }
        // Without numbers, a file would get number 0 and type 0.
        let mut files = pack.files().map(|(path, _)| path).peekable();
        self.numbered |= self.kind == PackKind::Far && files.peek().is_some() && files.all(far::is_numbered);
        self.onto = Some(pack);
        Ok(self)
    }

    /// Adds a file.
    ///
    /// # Errors
    /// If a file of this name exists already, in any case, or a pack of this kind cannot hold the name.
    pub fn add(&mut self, path: TreePath, content: PackContent<'a>) -> Result<(), FilesError> {
        let longest = match self.kind {
            PackKind::Pak => pak::NAME,
            PackKind::Far => far::NAME,
            _ => zip::NAME,
        };
        let bytes = path.as_bytes();
        let why = if path.is_root() {
            "a file needs a name".to_owned()
        } else if bytes.len() > longest {
            format!("has {} bytes, names of a {} have at most {longest}", bytes.len(), self.kind)
        } else if self.numbered && !far::is_numbered(&path) {
            "has no numbers of file and type before its extension, as `a.00c0ffee0000000d.oft`; a .far needs none"
                .to_owned()
        } else if bytes.contains(&b':') || bytes.iter().any(u8::is_ascii_control) || bytes.contains(&b'\\') {
            "no pack holds a name with a colon, a backslash or control characters".to_owned()
        } else if self.kind == PackKind::Zip && std::str::from_utf8(bytes).is_err() {
            // Readers would take it for code page 437, and find the file under another name.
            "is not UTF-8, as names of a zip archive are; give the file another name".to_owned()
        } else {
            match self.files.get(&path.folded()) {
                Some(other) => {
                    format!("differs from {} only in case, which engines ignore", other.path)
                }
                None => {
                    self.files.insert(path.folded(), File { path, content });
                    return Ok(());
                }
            }
        };
        Err(unpackable(&path.to_string(), why))
    }

    /// Writes the pack.
    ///
    /// # Errors
    /// If a file cannot be read or is too large, if there are too many files, or if writing to `out` fails.
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<Packed> {
        match self.kind {
            PackKind::Pak => pak::write(self, out),
            PackKind::Far => far::write(self, out),
            _ => zip::write(self, out),
        }
    }

    fn budget(&self) -> Budget {
        Budget::new(self.limits)
    }

    /// Returns the content of the added file with this name if it differs from the original; `None` if it is
    /// unchanged.
    fn replaced(&self, path: Option<&TreePath>) -> io::Result<Option<Vec<u8>>> {
        let (Some(pack), Some(path)) = (self.onto, path) else { return Ok(None) };
        let Some(file) = self.files.get(&path.folded()) else { return Ok(None) };
        let bytes = (file.content)().map_err(io::Error::other)?;
        let same = pack.member(path).is_some_and(|member| {
            // A member that cannot be read is replaced.
            member.size() == bytes.len() as u64
                && pack.read(member, &self.budget()).is_ok_and(|own| own == bytes)
        });
        Ok((!same).then_some(bytes))
    }

    /// Returns the files that the original does not have.
    fn new_files(&self) -> Vec<&File<'a>> {
        let known: meshwright_core::SortedSet<_> =
            self.onto.iter().flat_map(|pack| pack.files()).map(|(path, _)| path.folded()).collect();
        let mut files: Vec<_> =
            self.files.iter().filter(|(folded, _)| !known.contains(folded)).map(|(_, file)| file).collect();
        files.order_by(|a, b| a.path.cmp(&b.path));
        files
    }
}

fn unpackable(path: &str, why: impl Into<String>) -> FilesError {
    FilesError::Unpackable { path: path.to_owned(), why: why.into() }
}

fn write_error(path: &str, why: impl Into<String>) -> io::Error {
    io::Error::other(unpackable(path, why))
}
