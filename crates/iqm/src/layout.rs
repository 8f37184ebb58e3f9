//! The offsets of everything in a file.

use crate::record::TABLES;
use alloc::vec::Vec;
use meshwright_core::layout::Gaps;

/// A run of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) start: u32,
    pub(crate) len: u64,
}

/// A node of the list of extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) data: Section,
    /// The stored offset of the next one; that of the last one is not used.
    pub(crate) next: u32,
}

/// Offsets of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The header's claim.
    pub(crate) filesize: u32,
    /// The file's real size.
    pub(crate) size: u64,
    /// As in [`TABLES`]; the length of the extensions is that of their nodes.
    pub(crate) tables: [Section; TABLES.len()],
    /// The data of each array.
    pub(crate) arrays: Vec<Section>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) gaps: Gaps,
}
