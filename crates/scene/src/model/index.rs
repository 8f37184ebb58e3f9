//! A scene indexed by its typed ids.
#![allow(
    clippy::indexing_slicing,
    reason = "indexing by an id panics as indexing a list does; `get` does not"
)]

use crate::animation::motion::{PoseSet, PoseSetId};
use crate::mesh::Mesh;
use crate::model::ids::{MaterialId, MeshId, NodeId, SkeletonId};
use crate::model::{Material, Node, Scene};
use crate::skeleton::Skeleton;
use core::ops::{Index, IndexMut};

macro_rules! index {
    ($($id:ident => $field:ident: $item:ident;)+) => {$(
        /// Panics if the scene has no such item. [`Scene::validate`] checks this for the ids in a scene.
        impl Index<$id> for Scene {
            type Output = $item;

            fn index(&self, id: $id) -> &$item {
                &self.$field[id.0]
            }
        }

        /// Panics if the scene has no such item. [`Scene::validate`] checks this for the ids in a scene.
        impl IndexMut<$id> for Scene {
            fn index_mut(&mut self, id: $id) -> &mut $item {
                &mut self.$field[id.0]
            }
        }
    )+};
}

index! {
    NodeId => nodes: Node;
    MeshId => meshes: Mesh;
    MaterialId => materials: Material;
    SkeletonId => skeletons: Skeleton;
    PoseSetId => pose_sets: PoseSet;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_indices() {
        let mut scene = Scene { meshes: alloc::vec![Mesh::default(); 2], ..Scene::default() };
        scene[MeshId(1)].name = "second".into();
        assert_eq!(scene[MeshId(1)].name, scene.meshes[1].name);
    }
}
