//! An estimate of the GPU memory of a model.

use super::images::ImageInfo;
use meshwright_core::SortedMap;
use meshwright_scene::{Image, LayerKind, Mesh, Scene, Skin};
use std::sync::Arc;

/// Bytes of the buffers and textures of a model on a GPU.
///
/// An estimate for an engine that draws the model as glTF has it:
///
/// - A vertex takes 12 bytes for its position, 12 for a normal, 16 for a tangent, 8 for texture coordinates and 4 for a
///   colour, where the mesh has these. A mesh with a skin takes 24 more for each four influences: four joints of 16 bits, four
///   weights of 32.
/// - A triangle takes three indices: of 16 bits in a mesh of up to 65,535 vertices, else of 32.
/// - A texture takes 4 bytes for each pixel, uncompressed, and all its smaller mip levels down to 1 x 1. A texture that
///   several materials use counts once. Textures that were not found, and images without a readable size, are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GpuMemory {
    /// Vertex buffers.
    pub vertices: u64,
    /// Index buffers.
    pub indices: u64,
    /// Textures with their mip levels.
    pub textures: u64,
}

impl GpuMemory {
    /// Estimates the GPU memory of a scene.
    pub fn estimate(scene: &Scene) -> Self {
        let materials = scene.materials.iter();
        let images = materials
            .flat_map(|m| {
                [m.image.as_ref(), m.normal.as_ref(), m.emissive.as_ref(), m.layer(LayerKind::Gloss)]
            })
            .flatten();
        let distinct: SortedMap<_, &Image> = images.map(|image| (Arc::as_ptr(&image.bytes), image)).collect();
        let size = |image: &Image| ImageInfo::read(image).map_or(0, |i| texture_bytes(i.width, i.height));
        Self {
            vertices: scene.meshes.iter().map(vertex_bytes).sum(),
            indices: scene.meshes.iter().map(index_bytes).sum(),
            textures: distinct.values().map(|image| size(image)).fold(0, u64::saturating_add),
        }
    }

    /// Returns the sum of all three.
    pub const fn total(&self) -> u64 {
        self.vertices.saturating_add(self.indices).saturating_add(self.textures)
    }
}

fn vertex_bytes(mesh: &Mesh) -> u64 {
    let influences = mesh.skin.as_ref().map_or(0, Skin::max_influences);
    let attributes = [
        (mesh.positions.len(), 12),
        (mesh.normals.len(), 12),
        (mesh.tangents.len(), 16),
        (mesh.uvs.len(), 8),
        (mesh.colors.len(), 4),
        (mesh.positions.len(), influences.div_ceil(4).saturating_mul(24)),
    ];
    attributes.iter().map(|(count, each)| (*count as u64).saturating_mul(*each as u64)).sum()
}

fn index_bytes(mesh: &Mesh) -> u64 {
    let each = if mesh.positions.len() <= usize::from(u16::MAX) { 6 } else { 12 };
    (mesh.triangles.len() as u64).saturating_mul(each)
}

/// Bytes of a texture of 4 bytes a pixel with all its mip levels.
fn texture_bytes(width: u32, height: u32) -> u64 {
    let (mut bytes, mut sides) = (0_u64, [u64::from(width), u64::from(height)]);
    loop {
        let [width, height] = sides;
        bytes = bytes.saturating_add(width.saturating_mul(height).saturating_mul(4));
        if width <= 1 && height <= 1 {
            return bytes;
        }
        sides = sides.map(|side| (side / 2).max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_scene::Material;

    #[test]
    fn mip_levels_end_at_one_pixel() {
        assert_eq!(texture_bytes(1, 1), 4);
        assert_eq!(texture_bytes(4, 4), 4 * (16 + 4 + 1));
        assert_eq!(texture_bytes(8, 2), 4 * (16 + 4 + 2 + 1));
        assert_eq!(texture_bytes(5, 3), 4 * (15 + 2 + 1), "odd sides are halved downwards");
        assert_eq!(texture_bytes(u32::MAX, u32::MAX), u64::MAX, "what no GPU has does not overflow");
    }

    #[test]
    fn buffers_have_the_attributes_of_the_mesh() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 0, 4, 0, 0, 0, 4, 8, 6, 0, 0, 0]);
        let image = Image::new("i", "image/png", png);
        let broken = Image::new("b", "image/png", b"no image".to_vec());
        let materials = vec![
            Material::named("a").with_image(image.clone()).with_normal(broken),
            Material::named("b").with_image(image),
        ];
        let small = Mesh::new("m", vec![[0.0; 3]; 4], vec![[0, 1, 2]]);
        let large = Mesh::new("l", vec![[0.0; 3]; 65_536], vec![[0, 1, 2]]).with_uvs(vec![[0.0; 2]; 65_536]);
        let scene = Scene::new("s").with_materials(materials).with_meshes(vec![small, large]);
        let gpu = GpuMemory::estimate(&scene);
        assert_eq!(gpu.vertices, 4 * 12 + 65_536 * 20);
        assert_eq!(gpu.indices, 3 * 2 + 3 * 4);
        assert_eq!(gpu.textures, 84, "a shared texture counts once");
        assert_eq!(gpu.total(), gpu.vertices + gpu.indices + 84);
    }
}
