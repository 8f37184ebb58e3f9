//! Putting files into a pack.

mod far;
mod pak;
mod zip;

use crate::error::FilesError;
use crate::pack::{Pack, PackKind};
use crate::path::TreePath;
use meshwright_core::Order as _;
use meshwright_core::{Budget, Limits};
use std::collections::BTreeMap;
use std::fmt;
use std::io;

/// Provides the content of a file of a pack. It is called when the file is written, and possibly twice.
pub type PackContent<'a> = Box<dyn Fn() -> Result<Vec<u8>, FilesError> + 'a>;

/// A file that goes into a pack.
struct File<'a> {
    path: TreePath,
    content: PackContent<'a>,
}

/// Puts files into a pack, the same bytes every time.
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
    /// By path without regard to case, which engines pay none.
    files: BTreeMap<TreePath, File<'a>>,
    onto: Option<&'a Pack>,
    limits: Limits,
    /// Compresses quickly rather than well.
    quick: bool,
    /// Names need the numbers of file and type.
    numbered: bool,
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
    /// Files of the pack.
    pub files: u64,
    /// Those that the original had, and that are as they were in it, headers included.
    pub untouched: u64,
    /// Those that the original had, with other bytes.
    pub replaced: u64,
}

impl<'a> PackBuilder<'a> {
    /// An empty pack of a kind.
    ///
    /// # Errors
    /// When packs of this kind are not written.
    pub fn new(kind: PackKind) -> Result<Self, FilesError> {
        match kind {
            PackKind::Zip | PackKind::Pak | PackKind::Far => {
                let (files, limits) = (BTreeMap::new(), Limits::default());
                Ok(Self { kind, files, onto: None, limits, quick: false, numbered: false })
            }
            #[allow(unreachable_patterns, reason = "later kinds cannot be written until a writer exists")]
            _ => Err(unpackable("", format!("a {kind} is read and not written"))),
        }
    }

    /// The same pack with another limit for each file, and for an original's directory.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same pack, compressed ten times as fast. Its files take about a sixth more bytes.
    #[must_use]
    pub fn quick(mut self) -> Self {
        self.quick = true;
        self
    }

    /// The same pack, in which all files that are added need the numbers of file and type in their names, as in
    /// `a.00c0ffee0000000d.oft`: The Sims Online reads no other archives.
    #[must_use]
    pub fn numbered(mut self) -> Self {
        self.numbered = true;
        self
    }

    /// Keeps what another pack of the same kind holds: its files stay byte for byte, headers included, in their order,
    /// but for those that are added with other bytes. Where nothing is, the pack stays byte for byte.
    ///
    /// # Errors
    /// When it is of another kind.
    pub fn based_on(mut self, pack: &'a Pack) -> Result<Self, FilesError> {
        if pack.kind() != self.kind {
            let why = format!("is a {}, which does not become a {}", pack.kind(), self.kind);
            return Err(unpackable(pack.name(), why));
        }
        // Without numbers, a file would be number 0 of type 0.
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
    /// When a file cannot be read or is too large, when there are too many, or the output refuses.
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

    /// The added file of a name, if its bytes differ from the original; `None` if it is unchanged.
    fn replaced(&self, path: Option<&TreePath>) -> io::Result<Option<Vec<u8>>> {
        let (Some(pack), Some(path)) = (self.onto, path) else { return Ok(None) };
        let Some(file) = self.files.get(&path.folded()) else { return Ok(None) };
        let bytes = (file.content)().map_err(io::Error::other)?;
        let same = pack.member(path).is_some_and(|member| {
            // An unreadable member is replaced.
            member.size() == bytes.len() as u64
                && pack.read(member, &self.budget()).is_ok_and(|own| own == bytes)
        });
        Ok((!same).then_some(bytes))
    }

    /// The files that the original has not.
    fn new_files(&self) -> Vec<&File<'a>> {
        let known: std::collections::BTreeSet<_> =
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
