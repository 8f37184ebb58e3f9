//! A member of a pack, from its directory.

use crate::path::{TreePath, display_name};
use meshwright_core::{FieldPath, ReadError, Rule};

/// The maximum size of a member in bytes.
pub(crate) const LARGEST: u64 = 512 << 20;

/// The storage of the bytes of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coding {
    /// Stored without compression.
    Stored,
    /// Compressed with deflate; the data follows a local header.
    Deflated,
    /// Stored without compression; the data follows a local header.
    ZipStored,
    /// Compressed with RefPack, as in The Sims Online.
    RefPack,
    /// LZ4 blocks if the data begins with `LZ41`, otherwise stored.
    MaybeLz41,
}

/// The reason why a member cannot be read.
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

    /// Returns a fault with its own offset, instead of the entry's.
    pub(crate) fn at_offset(rule: &'static Rule, at: u64, message: impl Into<String>) -> Self {
        Self { at: Some(at), ..Self::new(rule, message) }
    }

    /// Converts the fault to an error. `place` is the offset of the entry.
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
    /// Bytes of unknown encoding.
    Raw,
}

/// An entry of a directory whose name is not yet checked.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The stored path.
    pub name: Vec<u8>,
    /// The path in the tree, if it differs from the stored one.
    pub shown: Option<Vec<u8>>,
    pub encoding: Encoding,
    /// The offset of the entry in the pack.
    pub place: u64,
    /// The offset of the member: of its bytes, or of the header before them.
    pub start: u64,
    /// The offset at which the member must end.
    pub end: u64,
    /// The stored size in bytes.
    pub packed: u64,
    /// The size in bytes.
    pub size: u64,
    pub checksum: Option<u32>,
    pub coding: Coding,
    pub fault: Option<Fault>,
}

impl Entry {
    /// Returns an entry of a member that is stored without compression.
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

    /// Rejects the member, unless it is rejected already.
    pub(crate) fn refuse(&mut self, rule: &'static Rule, message: impl Into<String>) {
        if self.fault.is_none() {
            self.fault = Some(Fault::new(rule, message));
        }
    }
}

/// A member: a file in a pack.
#[derive(Clone, Debug)]
pub struct Member {
    /// The path in the tree; `None` if its name is unsafe.
    pub(crate) path: Option<TreePath>,
    /// The stored name.
    pub(crate) name: Vec<u8>,
    pub(crate) place: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) packed: u64,
    pub(crate) size: u64,
    pub(crate) checksum: Option<u32>,
    pub(crate) coding: Coding,
    pub(crate) fault: Option<Fault>,
    /// True if a later member has the same name.
    pub(crate) hidden: bool,
}

impl Member {
    /// Returns the path in the tree, spelled as in the pack. `None` if its name is unsafe, or a later member
    /// has the same name.
    pub fn path(&self) -> Option<&TreePath> {
        self.path.as_ref().filter(|_| !self.hidden)
    }

    /// Returns the path in the tree as text, or the stored name if it has no path.
    pub fn shown_name(&self) -> String {
        self.path.as_ref().map_or_else(|| display_name(&self.name), ToString::to_string)
    }

    /// Returns the stored name.
    pub fn stored_name(&self) -> &[u8] {
        &self.name
    }

    /// Returns the size that the pack states. For FreeSpace packs, whose members may be compressed, it is
    /// the stored size.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the stored size in the pack, without headers.
    pub fn packed_size(&self) -> u64 {
        self.packed
    }

    /// Returns the storage of its bytes.
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// Returns true if a later member of the pack has the same name, so that this one is never found.
    pub fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// Returns the reason why the member cannot be read, as far as the directory shows it.
    pub fn refusal(&self) -> Option<ReadError> {
        self.fault.as_ref().map(|fault| fault.to_error(self.place))
    }
}
