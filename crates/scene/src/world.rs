//! Where the nodes of a scene stand.

use crate::math::Affine;
use crate::mesh::Mesh;
use crate::model::{MeshId, NodeId, Scene};
use crate::skeleton::Local;
use alloc::vec;
use alloc::vec::Vec;

impl Scene {
    /// The matrix of every node relative to the scene; `None` when parents form a cycle or do not exist.
    pub fn world(&self) -> Option<Vec<Affine>> {
        let mut world: Vec<Option<Affine>> = vec![None; self.nodes.len()];
        let mut chain = Vec::new();
        for start in 0..self.nodes.len() {
            let mut at = Some(start);
            while let Some(node) = at.filter(|n| matches!(world.get(*n), Some(None))) {
                // A chain longer than there are nodes runs in a circle.
                if chain.len() > self.nodes.len() {
                    return None;
                }
                chain.push(node);
                at = self.nodes.get(node)?.parent.map(|p| p.0);
            }
            while let Some(node) = chain.pop() {
                let local = self.nodes.get(node)?;
                let matrix = match local.parent {
                    Some(p) => (*world.get(p.0)?)?.after(&local.local.to_affine()),
                    None => local.local.to_affine(),
                };
                *world.get_mut(node)? = Some(matrix);
            }
        }
        world.into_iter().collect()
    }

    /// Every mesh as often as it is drawn, with the node that draws it and the matrix it is drawn with: the
    /// identity for a skinned mesh, which follows its skeleton alone. `None` as in [`world`](Self::world).
    pub fn drawn(&self) -> Option<Vec<(NodeId, MeshId, Affine)>> {
        let world = self.world()?;
        let mut drawn = Vec::new();
        for (i, (node, matrix)) in self.nodes.iter().zip(&world).enumerate() {
            for &mesh in &node.meshes {
                let skinned = self.meshes.get(mesh.0).is_some_and(Mesh::is_skinned);
                drawn.push((NodeId(i), mesh, if skinned { Affine::IDENTITY } else { *matrix }));
            }
        }
        Some(drawn)
    }

    /// True when some node is moved, turned or scaled.
    pub fn has_transforms(&self) -> bool {
        self.nodes.iter().any(|n| n.local != Local::default() && n.local.to_affine() != Affine::IDENTITY)
    }
}

impl Mesh {
    /// True when bones move the mesh.
    pub const fn is_skinned(&self) -> bool {
        self.skin.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, Trs};

    fn node(parent: Option<usize>, x: f32) -> Node {
        let local = Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY });
        Node { parent: parent.map(NodeId), local, meshes: vec![MeshId(0)], ..Node::default() }
    }

    #[test]
    fn places_add_up_along_the_tree() {
        let scene = Scene {
            nodes: vec![node(Some(1), 1.0), node(Some(2), 10.0), node(None, 100.0)],
            meshes: vec![Mesh::default()],
            ..Scene::default()
        };
        let drawn = scene.drawn().unwrap();
        assert_eq!(drawn.iter().map(|d| d.2.w[0]).collect::<Vec<_>>(), [111.0, 110.0, 100.0]);
        assert!(scene.has_transforms());
    }

    #[test]
    fn a_circle_and_a_stranger_are_refused() {
        for nodes in
            [vec![node(Some(1), 0.0), node(Some(0), 0.0)], vec![node(Some(0), 0.0)], vec![node(Some(7), 0.0)]]
        {
            assert!(Scene { nodes, ..Scene::default() }.world().is_none());
        }
    }

    #[test]
    fn a_long_chain_takes_linear_time() {
        let n = 100_000_usize;
        let nodes = (0..n).map(|i| node(i.checked_add(1).filter(|p| *p < n), 1.0)).collect();
        let world = Scene { nodes, ..Scene::default() }.world().unwrap();
        assert_eq!(world[0].w[0], 100_000.0);
    }
}
