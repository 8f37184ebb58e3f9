//! A file as a tree of parts. Every byte belongs to one part, or to a gap.

use super::schema::{FieldKind, Number, Schema, StructureOf};
use meshwright_core::description::Table;
use std::collections::HashSet;

/// A part in the file.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// The condition of the part is false, or other parts hold its bytes.
    Absent,
    /// The part is not in the file, or its bytes belong to other parts.
    Unread,
    /// The same as an earlier part.
    Same {
        instance: usize,
        part: usize,
    },
    CString {
        len: u64,
    },
    Text {
        len: u64,
    },
    Bytes {
        len: u64,
    },
    Numbers {
        number: Number,
        count: u64,
        columns: u64,
        single: bool,
    },
    Records {
        table: &'static Table,
        count: u64,
        single: bool,
    },
    Structure(usize),
    Structures(Vec<usize>),
    /// A compressed block of `len` bytes. `exact` is true if the encoder writes the same bytes.
    Packed {
        len: u64,
        exact: bool,
        source: usize,
        inner: Box<Self>,
    },
    /// A part of limited size, and the number of bytes after it.
    Limited {
        inner: Box<Self>,
        rest: u64,
        rest_at: u64,
    },
}

/// A part at its offset.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) node: Node,
    pub(super) at: u64,
}

/// A structure in the file.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) structure: usize,
    pub(super) source: usize,
    pub(super) slots: Vec<Slot>,
    /// The instance and part that hold it, and its number there.
    pub(super) parent: Option<(usize, usize, usize)>,
    pub(super) depth: u32,
}

/// A file as a tree.
#[derive(Debug)]
pub(super) struct Tree<'f> {
    pub(super) schema: &'f Schema,
    pub(super) file: &'f [u8],
    /// Decompressed blocks. The numbers of sources are these plus 1; 0 is the file.
    pub(super) decoded: Vec<Vec<u8>>,
    pub(super) instances: Vec<Instance>,
    /// The fields that follow from other parts, by source and offset.
    pub(super) derived: HashSet<(usize, u64)>,
    /// Bytes that belong to no part: offset and length.
    pub(super) gaps: Vec<(u64, u64)>,
}

impl<'f> Tree<'f> {
    pub(super) fn source(&self, source: usize) -> &[u8] {
        match source.checked_sub(1) {
            None => self.file,
            Some(number) => self.decoded.get(number).map_or(&[], Vec::as_slice),
        }
    }

    pub(super) fn bytes(&self, source: usize, at: u64, len: u64) -> Option<&[u8]> {
        let start = usize::try_from(at).ok()?;
        self.source(source).get(start..start.checked_add(usize::try_from(len).ok()?)?)
    }

    /// Returns the source, offset and type of a field, by its path from an instance.
    pub(super) fn locate(&self, instance: usize, path: &[&'static str]) -> Option<(usize, u64, FieldKind)> {
        let (name, rest) = path.split_first()?;
        if *name == "root" {
            return self.locate(0, rest);
        }
        let held = self.instances.get(instance)?;
        let structure = self.schema.structure(held.structure)?;
        let number = structure.parts.iter().position(|part| part.name == *name)?;
        let slot = held.slots.get(number)?;
        if matches!(slot.node, Node::Absent | Node::Unread) {
            return None;
        }
        let (within, kind) = self.schema.find_in_part(structure.parts.get(number)?, rest)?;
        Some((held.source, slot.at.saturating_add(within), kind))
    }

    /// Returns the path of a part as JSON paths are written.
    pub(super) fn path(&self, instance: usize, part: usize) -> String {
        let mut names = Vec::new();
        let mut next = Some((instance, part, None));
        while let Some((instance, part, item)) = next {
            let Some(held) = self.instances.get(instance) else { break };
            let is_transparent =
                self.schema.structure(held.structure).is_some_and(StructureOf::is_transparent);
            let name = self.schema.part(held.structure, part).map_or("", |p| p.name);
            let item = item.map_or_else(String::new, |item: usize| format!("[{item}]"));
            names.push(if is_transparent { item } else { format!(".{name}{item}") });
            next = held.parent.map(|(instance, part, item)| {
                let many = self.instances.get(instance).and_then(|i| i.slots.get(part));
                let many = many.is_some_and(|slot| slot.node.is_list());
                (instance, part, many.then_some(item))
            });
        }
        names.reverse();
        format!("file{}", names.concat())
    }
}

impl Node {
    fn is_list(&self) -> bool {
        match self {
            Self::Structures(_) => true,
            Self::Packed { inner, .. } | Self::Limited { inner, .. } => inner.is_list(),
            _ => false,
        }
    }
}

impl Node {
    /// Returns the number that the count of a part states.
    pub(super) fn counted(&self) -> u64 {
        match self {
            Self::CString { len } | Self::Text { len } | Self::Bytes { len } | Self::Packed { len, .. } => {
                *len
            }
            Self::Numbers { count, .. } | Self::Records { count, .. } => *count,
            Self::Structures(ids) => ids.len() as u64,
            Self::Limited { inner, .. } => inner.counted(),
            Self::Absent | Self::Unread | Self::Same { .. } | Self::Structure(_) => 1,
        }
    }
}
