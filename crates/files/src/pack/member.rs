//! A file in a pack, as its directory has it.

use crate::path::{TreePath, display_name};
use meshwright_core::{FieldPath, ReadError, Rule};

/// More than a file that is read here can have.
pub(crate) const LARGEST: u64 = 512 << 20;

/// The storage of the bytes of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coding {
    /// As they are.
    Stored,
    /// Compressed with deflate, after a local header.
    Deflated,
    /// Uncompressed, after a local header.
    ZipStored,
    /// Compressed with RefPack, as The Sims Online does.
    RefPack,
    /// As they are, or as LZ4 blocks where they begin with `LZ41`.
    MaybeLz41,
}

/// Why a member cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub rule: &'static Rule,
    pub message: String,
    /// The offset in the pack, if it is not that of the member's entry.
    pub at: Option<u64>,
}

impl Fault {
    pub(crate) fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self { rule, message: message.into(), at: None }
    }

    /// A fault at another offset than that of the entry.
    pub(crate) fn at_offset(rule: &'static Rule, at: u64, message: impl Into<String>) -> Self {
        Self { at: Some(at), ..Self::new(rule, message) }
    }

    /// The fault of an entry at `place`.
    pub(crate) fn to_error(&self, place: u64) -> ReadError {
        let offset = self.at.unwrap_or(place);
        ReadError::broken(self.rule, &FieldPath::ROOT.field("entry"), offset, self.message.clone())
    }
}

/// The encoding of the bytes of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8, as the entry says.
    Utf8,
    /// The code page of DOS.
    Dos,
    /// Bytes.
    Raw,
}

/// An entry of a directory, before names are looked at.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The path as it is stored.
    pub name: Vec<u8>,
    /// The path by which it is found, where that is not its name.
    pub shown: Option<Vec<u8>>,
    pub encoding: Encoding,
    /// The offset of the entry in the pack.
    pub place: u64,
    /// The start of the member: its bytes, or the header before them.
    pub start: u64,
    /// The offset at which the member must end.
    pub end: u64,
    /// Bytes that it takes in the pack.
    pub packed: u64,
    /// Bytes that it has.
    pub size: u64,
    pub checksum: Option<u32>,
    pub coding: Coding,
    pub fault: Option<Fault>,
}

impl Entry {
    /// A member that is stored as it is.
    pub(crate) fn stored(name: Vec<u8>, place: u64, start: u64, size: u64, coding: Coding) -> Self {
        Self {
            name,
            shown: None,
            encoding: Encoding::Raw,
            place,
            start,
            end: start.saturating_add(size),
            packed: size,
            size,
            checksum: None,
            coding,
            fault: None,
        }
    }

    /// Refuses the member, where nothing has done so.
    pub(crate) fn refuse(&mut self, rule: &'static Rule, message: impl Into<String>) {
        if self.fault.is_none() {
            self.fault = Some(Fault::new(rule, message));
        }
    }
}

/// A file in a pack.
#[derive(Clone, Debug)]
pub struct Member {
    /// The path that leads to it; `None` if its name is unsafe.
    pub(crate) path: Option<TreePath>,
    /// Its name as the pack stores it.
    pub(crate) name: Vec<u8>,
    pub(crate) place: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) packed: u64,
    pub(crate) size: u64,
    pub(crate) checksum: Option<u32>,
    pub(crate) coding: Coding,
    pub(crate) fault: Option<Fault>,
    /// A later member has its name.
    pub(crate) hidden: bool,
}

impl Member {
    /// The path that leads to it, spelled as in the pack; `None` if its name is unsafe, or a later member has it.
    pub fn path(&self) -> Option<&TreePath> {
        self.path.as_ref().filter(|_| !self.hidden)
    }

    /// The path by which commands find it, as people read it; its stored name where none leads to it.
    pub fn shown_name(&self) -> String {
        self.path.as_ref().map_or_else(|| display_name(&self.name), ToString::to_string)
    }

    /// Its name as the pack stores it.
    pub fn stored_name(&self) -> &[u8] {
        &self.name
    }

    /// The size that the pack states; the stored size if the member may be compressed by itself.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The stored size in the pack, without headers.
    pub fn packed_size(&self) -> u64 {
        self.packed
    }

    /// The storage of its bytes.
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// Returns true if a later member of the pack has the same name, so that this one is never found.
    pub fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// Why it cannot be read, as far as the directory shows that.
    pub fn refusal(&self) -> Option<ReadError> {
        self.fault.as_ref().map(|fault| fault.to_error(self.place))
    }
}
