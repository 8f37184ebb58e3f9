//! The references between The Sims' files in a folder: bindings by the mesh that they name, textures by their number.

use super::model_files::IMAGES;
use meshwright_core::{Budget, Limits};
use meshwright_files::{EntryKind, Tree, TreePath};
use meshwright_tso::{Bnd, ResourceId};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The number and type of a game file, without its group.
type Number = (u32, u32);

fn number(id: &ResourceId) -> Number {
    (id.file, id.kind)
}

/// A binding is a few dozen bytes; a larger file is not a binding.
const LARGEST_BINDING: u64 = 64 << 10;

/// The Sims' files in one folder.
#[derive(Debug)]
pub(super) struct Index {
    /// Unpacked textures by the tag in their names.
    textures: BTreeMap<Number, TreePath>,
    bindings: Vec<TreePath>,
    /// Bindings by the mesh that they name, read on first use.
    by_mesh: OnceLock<BTreeMap<Number, TreePath>>,
}

impl Index {
    pub(super) fn build(tree: &Tree, folder: &TreePath) -> Self {
        let (mut textures, mut bindings) = (BTreeMap::new(), Vec::new());
        let entries = tree.list(folder);
        let entries = entries.iter().flat_map(|entries| entries.iter());
        for path in entries.filter(|e| e.kind == EntryKind::File).map(|e| e.path.clone()) {
            let extension = path.extension().to_ascii_lowercase();
            if extension == b"bnd" {
                bindings.push(path);
            } else if IMAGES.iter().any(|e| e.as_bytes() == extension)
                && let Some(id) = ResourceId::from_file_name(&String::from_utf8_lossy(path.name()))
            {
                textures.entry(number(&id)).or_insert(path);
            }
        }
        Self { textures, bindings, by_mesh: OnceLock::new() }
    }

    /// Returns the unpacked texture with this number.
    pub(super) fn texture(&self, id: &ResourceId) -> Option<&TreePath> {
        self.textures.get(&number(id))
    }

    /// Returns the binding that names this mesh.
    pub(super) fn binding(&self, tree: &Tree, mesh: &ResourceId) -> Option<&TreePath> {
        let by_mesh = self.by_mesh.get_or_init(|| {
            let mut found = BTreeMap::new();
            for path in &self.bindings {
                let budget = Budget::new(Limits::default().with_memory(LARGEST_BINDING));
                let binding = tree.read(path, &budget).ok().and_then(|bytes| Bnd::parse(&bytes).ok());
                if let Some(mesh) = binding.and_then(|b| b.mesh) {
                    found.entry(number(&mesh)).or_insert_with(|| path.clone());
                }
            }
            found
        });
        by_mesh.get(&number(mesh))
    }
}
