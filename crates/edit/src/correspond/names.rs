//! Names in the compared scenes, collected once for all meshes.

use crate::comparison::Comparison;
use crate::correspond::mesh_search::Edited;
use crate::tools::names::stem;
use crate::tools::three::name_of;
use alloc::string::String;
use meshwright_core::{LimitExceeded, SortedMap, SortedSet};
use meshwright_scene::{Node, Scene};

pub(crate) struct Names<'s> {
    /// Number of edited meshes with each name, and the node that draws the first.
    edited: SortedMap<&'s str, (usize, &'s str)>,
    /// The names of the exported meshes.
    meshes: SortedSet<&'s str>,
    /// Other names in the export, in the form that tools write.
    taken: SortedSet<String>,
    /// First node that draws each exported mesh, and whether it is the only one.
    drawn: SortedMap<usize, (usize, bool)>,
}

impl<'s> Names<'s> {
    pub(crate) fn new(work: &Comparison<'s, '_>, edited: &[Edited<'s>]) -> Result<Self, LimitExceeded> {
        let Scene { name, nodes, skeletons, meshes, .. } = work.exported;
        let others = |see: &mut dyn FnMut(&str)| {
            see(name);
            nodes.iter().for_each(|node| see(&node.name));
            skeletons.iter().flat_map(|s| &s.joints).for_each(|joint| see(&joint.name));
        };
        let (mut count, mut length) = (meshes.len().saturating_add(edited.len()), 0_u64);
        others(&mut |name| {
            count = count.saturating_add(1);
            length = length.saturating_add(name.len() as u64);
        });
        let drawings = nodes.iter().map(|n| n.meshes.len()).sum::<usize>();
        work.budget.charge_items("names", length, 1)?;
        work.budget.charge_items("names", count.saturating_add(drawings) as u64, size_of::<[usize; 8]>())?;
        let mut own = Self {
            edited: SortedMap::new(),
            meshes: meshes.iter().map(|m| m.name.as_str()).collect(),
            taken: SortedSet::new(),
            drawn: SortedMap::new(),
        };
        others(&mut |name| _ = own.taken.insert(plain(name)));
        for mesh in edited {
            let (count, _) = own.edited.entry(&mesh.moved.mesh.name).or_insert((0, mesh.node));
            *count = count.saturating_add(1);
        }
        for (n, node) in nodes.iter().enumerate() {
            for mesh in &node.meshes {
                let first = own.drawn.entry(mesh.0).or_insert((n, true));
                first.1 &= first.0 == n;
            }
        }
        Ok(own)
    }

    /// Returns true if exactly one edited mesh has this name.
    pub(crate) fn is_single(&self, name: &str) -> bool {
        self.edited.get(name).is_some_and(|(count, _)| *count == 1)
    }

    /// Returns true if a mesh is one of several of a node, which have numbered names.
    pub(crate) fn is_part(&self, name: &str, node: &str) -> bool {
        let first = stem(name);
        first != name && self.edited.get(first).is_some_and(|(_, other)| *other == node)
    }

    /// Returns true if a mesh of the export has this name.
    pub(crate) fn is_mesh(&self, name: &str) -> bool {
        self.meshes.contains(name)
    }

    /// Returns true if a node, a joint or the scene of the export has this name.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(&plain(name))
    }

    /// Returns the node that draws a mesh of the export, if it is the only one.
    pub(crate) fn node<'n>(&self, mesh: usize, nodes: &'n [Node]) -> Option<(usize, &'n Node)> {
        let (n, _) = self.drawn.get(&mesh).copied().filter(|(_, only)| *only)?;
        Some((n, nodes.get(n)?))
    }
}

/// Removes the changes that tools make to get valid and unique names.
pub(crate) fn plain(name: &str) -> String {
    name_of(stem(name))
}
