//! An index of the packs of a tree by path: a data folder may have thousands of packs, and most of them lack a given
//! path.

use crate::inner_archives::Inner;
use crate::layer::Layer;
use crate::listing::EntryKind;
use crate::path::TreePath;
use meshwright_core::Order as _;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The layers of a tree, indexed by path.
#[derive(Debug)]
pub(crate) struct LayerIndex {
    hasher: RandomState,
    /// The hash of a path and its kind, ignoring case, and the number of a pack that contains it; sorted.
    packs: Vec<(u64, u32)>,
    /// The layers that are always searched: folders, and packs with archives in them.
    pub(crate) others: Vec<u32>,
}

impl LayerIndex {
    /// Opens all packs and builds the index.
    pub(crate) fn build(layers: &[Arc<Layer>]) -> Self {
        let mut index = Self { hasher: RandomState::new(), packs: Vec::new(), others: Vec::new() };
        for (layer, number) in layers.iter().zip(0..) {
            let Layer::Pack(mount) = &**layer else {
                index.others.push(number);
                continue;
            };
            // An unreadable pack has no files.
            let Ok(pack) = mount.pack() else { continue };
            if pack.files().any(|(path, _)| Inner::may_be(path)) {
                index.others.push(number);
                continue;
            }
            let mut last = None;
            for (path, _) in pack.files() {
                index.packs.push((index.hash(path, EntryKind::File), number));
                let folder = path.parent();
                // The members of a folder are consecutive.
                if last.as_ref() != Some(&folder) {
                    let mut at = folder.clone();
                    index.packs.push((index.hash(&at, EntryKind::Folder), number));
                    while !at.is_root() {
                        at = at.parent();
                        index.packs.push((index.hash(&at, EntryKind::Folder), number));
                    }
                }
                last = Some(folder);
            }
        }
        index.packs.order();
        index.packs.dedup();
        index
    }

    /// Returns the numbers of all layers that may have a file or folder at a path, later layers first.
    pub(crate) fn layers_with(&self, path: &TreePath, kind: EntryKind) -> Vec<usize> {
        let hash = self.hash(path, kind);
        let first = self.packs.partition_point(|(other, _)| *other < hash);
        let packs = self.packs.iter().skip(first).take_while(|(other, _)| *other == hash);
        let mut found: Vec<usize> =
            packs.map(|(_, number)| number).chain(&self.others).map(|number| *number as usize).collect();
        found.order_by(|a, b| b.cmp(a));
        found
    }

    fn hash(&self, path: &TreePath, kind: EntryKind) -> u64 {
        self.hasher.hash_one((path.folded().as_bytes(), kind))
    }
}
