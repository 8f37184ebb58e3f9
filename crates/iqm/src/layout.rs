//! The offsets of all parts of a file.

use crate::record::TABLES;
use alloc::vec::Vec;
use meshwright_core::layout::Gaps;

/// A range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) start: u32,
    pub(crate) len: u64,
}

/// A node in the linked list of extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) data: Section,
    /// The stored offset of the next node. The value in the last node is ignored.
    pub(crate) next: u32,
}

/// The offsets of all parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The file size that the header states.
    pub(crate) filesize: u32,
    /// The actual size of the file.
    pub(crate) size: u64,
    /// The sections, in the order of [`TABLES`]. The length of the extensions is that of their nodes.
    pub(crate) tables: [Section; TABLES.len()],
    /// The location of the data of each array.
    pub(crate) arrays: Vec<Section>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) gaps: Gaps,
}
