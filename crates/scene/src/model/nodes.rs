//! The node tree.

use crate::mesh::Mesh;
use crate::model::Scene;
use crate::model::ids::{MeshId, NodeId};
use crate::skeleton::Local;
use alloc::vec::Vec;
use meshwright_core::SortedSet;
use meshwright_core::math::Affine;

impl Scene {
    /// Returns the nodes, parents first. `None` if they form a cycle or have a parent that does not exist.
    pub fn node_order(&self) -> Option<Vec<usize>> {
        let n = self.nodes.len();
        // Children are linked lists: the first child of each node, and the next child of the same parent.
        let (mut first, mut next) = (alloc::vec![usize::MAX; n], alloc::vec![usize::MAX; n]);
        let mut order = Vec::with_capacity(n);
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if let Some(NodeId(p)) = node.parent {
                let head = first.get_mut(p)?;
                *next.get_mut(i)? = core::mem::replace(head, i);
            }
        }
        order.extend((0..n).filter(|&i| self.nodes.get(i).is_some_and(|node| node.parent.is_none())));
        let mut done = 0;
        while let Some(&at) = order.get(done) {
            let mut child = first.get(at).copied()?;
            while child != usize::MAX {
                order.push(child);
                child = next.get(child).copied()?;
            }
            done = done.saturating_add(1);
        }
        (order.len() == n).then_some(order)
    }

    /// Returns the transform of every node relative to the scene; `None` as in [`node_order`](Self::node_order).
    pub fn world_transforms(&self) -> Option<Vec<Affine>> {
        let mut worlds: Vec<_> = self.nodes.iter().map(|n| n.local.to_affine()).collect();
        for i in self.node_order()? {
            if let Some(NodeId(p)) = self.nodes.get(i)?.parent {
                let world = worlds.get(p)?.after(worlds.get(i)?);
                *worlds.get_mut(i)? = world;
            }
        }
        Some(worlds)
    }

    /// Returns each mesh as often as it is drawn, with its node and matrix. The matrix is the identity for a
    /// skinned mesh, which follows only its skeleton. `None` as in [`node_order`](Self::node_order).
    pub fn drawn_meshes(&self) -> Option<Vec<(NodeId, MeshId, Affine)>> {
        let world = self.world_transforms()?;
        let mut drawn = Vec::new();
        for (i, (node, matrix)) in self.nodes.iter().zip(&world).enumerate() {
            for &mesh in &node.meshes {
                let skinned = self.meshes.get(mesh.0).is_some_and(Mesh::is_skinned);
                drawn.push((NodeId(i), mesh, if skinned { Affine::IDENTITY } else { *matrix }));
            }
        }
        Some(drawn)
    }

    /// Returns the number of meshes that no node draws.
    pub fn undrawn(&self) -> usize {
        let drawn: SortedSet<_> = self.nodes.iter().flat_map(|n| &n.meshes).map(|m| m.0).collect();
        (0..self.meshes.len()).filter(|m| !drawn.contains(m)).count()
    }

    /// Returns true if some node has a transform other than the identity.
    pub fn has_transforms(&self) -> bool {
        self.nodes.iter().any(|n| n.local != Local::default() && n.local.to_affine() != Affine::IDENTITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Node;
    use alloc::vec;
    use meshwright_core::math::Trs;

    fn node(parent: Option<usize>, x: f32) -> Node {
        let local = Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY });
        Node { parent: parent.map(NodeId), local, ..Node::default() }
    }

    #[test]
    fn parents_come_first_and_move_their_children() {
        let nodes = vec![node(Some(2), 1.0), node(Some(0), 2.0), node(None, 4.0), node(Some(2), 8.0)];
        let scene = Scene { nodes, ..Scene::default() };
        assert_eq!(scene.node_order().unwrap(), [2, 0, 3, 1]);
        let x: Vec<_> = scene.world_transforms().unwrap().iter().map(|m| m.w[0]).collect();
        assert_eq!(x, [5.0, 7.0, 4.0, 12.0]);
    }

    #[test]
    fn cycles_and_strangers_are_refused() {
        let of = |nodes| Scene { nodes, ..Scene::default() }.node_order();
        assert_eq!(of(vec![node(Some(1), 0.0), node(Some(0), 0.0), node(None, 0.0)]), None);
        assert_eq!(of(vec![node(Some(0), 0.0)]), None);
        assert_eq!(of(vec![node(Some(5), 0.0)]), None);
        assert_eq!(of(vec![]), Some(vec![]));
    }

    #[test]
    fn meshes_are_drawn_where_their_nodes_stand() {
        let mut nodes = vec![node(Some(1), 1.0), node(Some(2), 10.0), node(None, 100.0)];
        nodes[0].meshes = vec![MeshId(0)];
        nodes[2].meshes = vec![MeshId(0)];
        let scene = Scene { nodes, meshes: vec![Mesh::default()], ..Scene::default() };
        let drawn: Vec<_> = scene.drawn_meshes().unwrap().iter().map(|(n, _, m)| (n.0, m.w[0])).collect();
        assert_eq!(drawn, [(0, 111.0), (2, 100.0)]);
        assert!(scene.has_transforms());
    }

    #[test]
    fn a_long_chain_takes_linear_time() {
        let n = 100_000_usize;
        let nodes = (0..n).map(|i| node(i.checked_add(1).filter(|p| *p < n), 1.0)).collect();
        let worlds = Scene { nodes, ..Scene::default() }.world_transforms().unwrap();
        assert_eq!(worlds[0].w[0], 100_000.0);
    }
}
