//! The memory of an open model.

use meshwright_core::SortedMap;
use meshwright_scene::{Affine, Channel, Influence, LocalVertex, Mesh, Motion, Scene, Track};
use std::sync::Arc;

/// Bytes that a model takes when it is open, as a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Vertices, triangles, and how they follow bones.
    pub meshes: u64,
    /// Poses and keys.
    pub motion: u64,
    /// Pictures, as they are stored.
    pub pictures: u64,
}

impl Memory {
    /// Returns the memory of a scene.
    pub fn measure(scene: &Scene) -> Self {
        let images = scene.materials.iter().filter_map(|material| material.image.as_ref());
        let pictures: SortedMap<_, _> =
            images.map(|image| (Arc::as_ptr(&image.bytes), image.bytes.len() as u64)).collect();
        let poses = scene.pose_sets.iter().map(|set| bytes(&set.locals)).sum::<u64>();
        let clips = scene.clips.iter().map(|clip| match &clip.motion {
            Motion::Poses { frames, .. } => bytes(frames),
            Motion::Tracks(tracks) => tracks.iter().map(track).sum(),
        });
        Self {
            meshes: scene.meshes.iter().map(mesh).sum(),
            motion: clips.sum::<u64>().saturating_add(poses),
            pictures: pictures.values().sum(),
        }
    }

    /// Returns all of it.
    pub const fn total(&self) -> u64 {
        self.meshes.saturating_add(self.motion).saturating_add(self.pictures)
    }
}

fn bytes<T>(items: &[T]) -> u64 {
    size_of_val(items) as u64
}

fn mesh(mesh: &Mesh) -> u64 {
    let skin = mesh.skin.as_ref().map_or([0; 3], |skin| {
        let (influences, local): (&[Influence], &[LocalVertex]) = (&skin.influences, &skin.local);
        [bytes(&skin.starts), bytes(influences), bytes(local)]
    });
    let own = [
        bytes(&mesh.positions),
        bytes(&mesh.normals),
        bytes(&mesh.tangents),
        bytes(&mesh.uvs),
        bytes(&mesh.colors),
        bytes(&mesh.triangles),
    ];
    own.iter().chain(&skin).sum()
}

fn track(track: &Track) -> u64 {
    fn channel<T>(channel: &Channel<T>) -> u64 {
        bytes(&channel.frames).saturating_add(bytes(&channel.values))
    }
    let parts = [channel(&track.translation), channel(&track.rotation), channel(&track.scale)];
    parts.iter().sum()
}

const _: () = assert!(size_of::<Affine>() == 48, "poses are counted by their matrices");

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_scene::{Image, Material, PoseSet};

    #[test]
    fn shared_pictures_count_once() {
        let image = Image::new("i", "image/png", vec![0; 100]);
        let materials =
            vec![Material::named("a").with_image(image.clone()), Material::named("b").with_image(image)];
        let mesh = Mesh::new("m", vec![[0.0; 3]; 4], vec![[0, 1, 2]]);
        let poses = PoseSet { joints: 1, locals: vec![Affine::IDENTITY; 2] };
        let scene =
            Scene::new("s").with_materials(materials).with_meshes(vec![mesh]).with_pose_sets(vec![poses]);
        let memory = Memory::measure(&scene);
        assert_eq!((memory.meshes, memory.motion, memory.pictures), (4 * 12 + 12, 96, 100));
        assert_eq!(memory.total(), 256);
    }
}
