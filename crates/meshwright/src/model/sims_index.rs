//! An index of the names of all files of a tree, for the search for parts of The Sims characters.

use super::model_files::IMAGES;
use meshwright_files::{EntryKind, Tree, TreePath};
use meshwright_tso::ResourceId;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The number and type of a game file, without its group.
type Number = (u32, u32);

/// The maximum number of files whose names are indexed; a larger tree is not a game.
const MOST_FILES: usize = 1 << 17;
/// An index of the names of all files of a tree.
#[derive(Debug, Default)]
pub(super) struct SimsIndex {
    pub(super) numbered: BTreeMap<Number, TreePath>,
    /// Keys and meshes by their name in lower case, without extension.
    named: BTreeMap<(Vec<u8>, Vec<u8>), TreePath>,
    /// The second file of a number or a name.
    numbered_again: BTreeMap<Number, TreePath>,
    named_again: BTreeMap<(Vec<u8>, Vec<u8>), TreePath>,
    pub(super) skeletons: Vec<TreePath>,
    /// Files of records of The Sims 1, which may have skills.
    pub(super) records: Vec<TreePath>,
}

impl SimsIndex {
    pub(super) fn build(tree: &Tree) -> Self {
        let (mut all, mut seen) = (Self::default(), 0_usize);
        // All files count, whatever the user named: the parts of a character are next to it.
        let walk = tree.unscoped().walk_where(|_, kind| {
            seen = seen.saturating_add(1);
            kind != EntryKind::Folder || seen < MOST_FILES
        });
        for path in walk.files.into_iter().flatten() {
            let name = String::from_utf8_lossy(path.name()).into_owned();
            let (stem, extension) = (path.stem().to_ascii_lowercase(), path.extension().to_ascii_lowercase());
            if let Some(id) = ResourceId::from_file_name(&name) {
                keep((id.file, id.kind), &path, &mut all.numbered, &mut all.numbered_again);
            }
            let speaks = stem.windows(8).any(|part| part == b"skeleton");
            if matches!(&*extension, b"cmx" | b"bcf") {
                all.records.push(path.clone());
            }
            if extension == b"skel" || (speaks && matches!(&*extension, b"cmx" | b"bcf")) {
                all.skeletons.push(path.clone());
            }
            if matches!(&*extension, b"cfp" | b"bmf" | b"skn" | b"bmp" | b"tga") {
                keep((stem, extension), &path, &mut all.named, &mut all.named_again);
            }
        }
        all
    }

    pub(super) fn file(&self, stem: &str, extensions: &[&str]) -> Option<&TreePath> {
        let stem = stem.to_ascii_lowercase().into_bytes();
        extensions.iter().find_map(|e| self.named.get(&(stem.clone(), e.as_bytes().to_vec())))
    }

    /// Returns another file with the same number.
    pub(super) fn of_same_number(&self, number: Number, taken: &TreePath) -> Option<&TreePath> {
        other(&number, taken, &self.numbered, &self.numbered_again)
    }

    /// Returns another file with the same name.
    pub(super) fn of_same_name(&self, taken: &TreePath) -> Option<&TreePath> {
        let name = (taken.stem().to_ascii_lowercase(), taken.extension().to_ascii_lowercase());
        other(&name, taken, &self.named, &self.named_again)
    }

    /// Returns the first image file whose name has this prefix.
    pub(super) fn picture(&self, prefix: &str) -> Option<&TreePath> {
        let prefix = prefix.to_ascii_lowercase().into_bytes();
        let after = self.named.range((prefix.clone(), Vec::new())..);
        let mut here = after.take_while(|((stem, _), _)| stem.starts_with(&prefix));
        here.find(|((_, extension), _)| matches!(&**extension, b"bmp" | b"tga")).map(|(_, path)| path)
    }

    /// Returns the image file with this number, anywhere in the tree.
    pub(super) fn texture(&self, id: &ResourceId) -> Option<&TreePath> {
        let found = self.numbered.get(&(id.file, id.kind))?;
        let extension = found.extension().to_ascii_lowercase();
        IMAGES.iter().any(|e| e.as_bytes() == extension).then_some(found)
    }
}

type Found<K> = BTreeMap<K, TreePath>;

/// Stores a path. For paths with the same key, it keeps the first two.
fn keep<K: Ord + Clone>(key: K, path: &TreePath, first: &mut Found<K>, second: &mut Found<K>) {
    match first.entry(key.clone()) {
        Entry::Vacant(free) => {
            free.insert(path.clone());
        }
        Entry::Occupied(_) => {
            second.entry(key).or_insert_with(|| path.clone());
        }
    }
}

/// Returns files of the same name at other paths.
fn other<'f, K: Ord>(
    key: &K,
    taken: &TreePath,
    first: &'f Found<K>,
    second: &'f Found<K>,
) -> Option<&'f TreePath> {
    [first, second].into_iter().filter_map(|found| found.get(key)).find(|path| *path != taken)
}
