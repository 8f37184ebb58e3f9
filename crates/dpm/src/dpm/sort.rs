//! Reorders a model's bones.

use super::model::{Dpm, Vertices};
use crate::bone_order::Renumbering;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::SortedMap;

impl Dpm {
    /// Renumbers bones, or removes bones without children and vertices.
    pub(crate) fn renumber_bones(&mut self, bones: &Renumbering) {
        self.bones = bones.bones(&self.bones);
        bones.poses(&mut self.poses);
        self.each_vertices(|vertices| {
            for influence in &mut vertices.influences {
                influence.bone = bones.new_number(influence.bone);
            }
        });
    }

    /// Changes the vertices of all meshes. Shared vertices are changed once and stay shared.
    pub(crate) fn each_vertices(&mut self, mut change: impl FnMut(&mut Vertices)) {
        let mut sharing: SortedMap<*const Vertices, Vec<usize>> = SortedMap::new();
        for (i, mesh) in self.meshes.iter().enumerate() {
            sharing.entry(Arc::as_ptr(&mesh.vertices)).or_default().push(i);
        }
        let none: Arc<Vertices> = Arc::default();
        for meshes in sharing.values() {
            // Only one mesh owns the shared vertices during a change, so that they are not copied.
            let mut held = None;
            for &i in meshes {
                if let Some(mesh) = self.meshes.get_mut(i) {
                    held = Some(core::mem::replace(&mut mesh.vertices, Arc::clone(&none)));
                }
            }
            let Some(mut vertices) = held else { continue };
            change(Arc::make_mut(&mut vertices));
            for &i in meshes {
                if let Some(mesh) = self.meshes.get_mut(i) {
                    mesh.vertices = Arc::clone(&vertices);
                }
            }
        }
    }
}
