//! What the names of all files of a tree say, for who looks for parts of figures of The Sims.

use super::part::IMAGES;
use meshwright_files::{EntryKind, Tree, TreePath};
use meshwright_tso::ResourceId;
use std::collections::BTreeMap;

/// A file of the game, whatever its group.
type Number = (u32, u32);

/// Files of a tree that are looked at for what they are called; a larger tree is no game.
const MOST_FILES: usize = 1 << 17;
/// What the names of all files of a tree say.
#[derive(Debug, Default)]
pub(super) struct Census {
    pub(super) numbered: BTreeMap<Number, TreePath>,
    /// By name in lower case, without extension: keys and meshes.
    named: BTreeMap<(Vec<u8>, Vec<u8>), TreePath>,
    pub(super) skeletons: Vec<TreePath>,
}

impl Census {
    pub(super) fn of(tree: &Tree) -> Self {
        let (mut all, mut seen) = (Self::default(), 0_usize);
        // Whatever was named: what belongs to a figure lies beside it.
        let walk = tree.unscoped().walk_where(|_, kind| {
            seen = seen.saturating_add(1);
            kind != EntryKind::Folder || seen < MOST_FILES
        });
        for path in walk.files.into_iter().flatten() {
            let name = String::from_utf8_lossy(path.name()).into_owned();
            let (stem, extension) = (path.stem().to_ascii_lowercase(), path.extension().to_ascii_lowercase());
            if let Some(id) = ResourceId::from_file_name(&name) {
                all.numbered.entry((id.file, id.kind)).or_insert_with(|| path.clone());
            }
            let speaks = stem.windows(8).any(|part| part == b"skeleton");
            if extension == b"skel" || (speaks && matches!(&*extension, b"cmx" | b"bcf")) {
                all.skeletons.push(path.clone());
            }
            if matches!(&*extension, b"cfp" | b"bmf" | b"skn" | b"bmp" | b"tga") {
                all.named.entry((stem, extension)).or_insert(path);
            }
        }
        all
    }

    pub(super) fn file(&self, stem: &str, extensions: &[&str]) -> Option<&TreePath> {
        let stem = stem.to_ascii_lowercase().into_bytes();
        extensions.iter().find_map(|e| self.named.get(&(stem.clone(), e.as_bytes().to_vec())))
    }

    /// The first picture whose name begins so.
    pub(super) fn picture(&self, prefix: &str) -> Option<&TreePath> {
        let prefix = prefix.to_ascii_lowercase().into_bytes();
        let after = self.named.range((prefix.clone(), Vec::new())..);
        let mut here = after.take_while(|((stem, _), _)| stem.starts_with(&prefix));
        here.find(|((_, extension), _)| matches!(&**extension, b"bmp" | b"tga")).map(|(_, path)| path)
    }

    /// The picture of a number anywhere in the tree.
    pub(super) fn texture(&self, id: &ResourceId) -> Option<&TreePath> {
        let found = self.numbered.get(&(id.file, id.kind))?;
        let extension = found.extension().to_ascii_lowercase();
        IMAGES.iter().any(|e| e.as_bytes() == extension).then_some(found)
    }
}
