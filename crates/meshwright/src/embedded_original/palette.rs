//! Flat materials that a tool converted to the pixels of one image.

use crate::pixels::{Allowance, Kind, Pixels, decode};
use meshwright_core::SortedMap;
use meshwright_edit::is_palette;
use meshwright_scene::color::linear;
use meshwright_scene::{Budget, Image, LimitExceeded, MaterialId, Mesh, Scene};

/// Longest side of a palette image in pixels; those of tools have a few dozen.
const LARGEST: u32 = 1 << 12;

/// Replaces the material of each mesh whose vertices are all on one pixel of a palette image with one of that colour,
/// and removes the texture coordinates, which have no other use. Unreadable images stay.
pub(super) fn flat(scene: &mut Scene, budget: &Budget) -> Result<(), LimitExceeded> {
    for m in 0..scene.materials.len() {
        let Some(own) = scene.materials.get(m).filter(|own| is_palette(&own.name)).cloned() else { continue };
        let Some(picture) = own.image.as_ref().and_then(|image| pixels(image, budget)) else { continue };
        let mut made: SortedMap<[u8; 4], MaterialId> = SortedMap::new();
        for i in 0..scene.meshes.len() {
            let Some(mesh) = scene.meshes.get_mut(i).filter(|mesh| mesh.material == Some(MaterialId(m)))
            else {
                continue;
            };
            budget.work("vertices", mesh.uvs.len() as u64)?;
            let Some(color) = pixel(mesh, &picture) else { continue };
            mesh.uvs.clear();
            let next = MaterialId(scene.materials.len());
            mesh.material = Some(*made.entry(color).or_insert(next));
            if mesh.material == Some(next) {
                budget.charge_items("materials", 1, size_of_val(&own))?;
                let mut flat = own.clone().with_image(None);
                let [r, g, b, a] = color;
                let light = [linear(r), linear(g), linear(b), f32::from(a) / 255.0];
                flat.base_color.iter_mut().zip(light).for_each(|(to, share)| *to *= share);
                scene.materials.push(flat);
            }
        }
    }
    Ok(())
}

/// The colours of an image.
struct Colors {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

fn pixels(image: &Image, budget: &Budget) -> Option<Colors> {
    let charge = |width: u32, height: u32, bytes: u64| {
        if width.max(height) > LARGEST {
            return Err(LimitExceeded::steps(
                "pixels of a side",
                u64::from(width.max(height)),
                LARGEST.into(),
            ));
        }
        budget.charge("pictures", bytes)
    };
    let allowance = Allowance { memory: budget.remaining(), charge: &charge };
    let picture: Pixels = decode(&image.bytes, Kind::Png, &allowance).ok()?;
    let pixels = picture.to_rgba();
    budget.charge("pictures", size_of_val(pixels.as_slice()) as u64).ok()?;
    Some(Colors { width: picture.width, height: picture.height, pixels })
}

/// Returns the colour that all vertices of a mesh share.
fn pixel(mesh: &Mesh, picture: &Colors) -> Option<[u8; 4]> {
    let place = |share: f32, size: u32| {
        let at = (f64::from(share) * f64::from(size)).floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let at = at as u32;
        at.min(size.saturating_sub(1))
    };
    let mut colors = mesh.uvs.iter().map(|[u, v]| {
        let row = u64::from(place(*v, picture.height)).saturating_mul(picture.width.into());
        let place = row.saturating_add(place(*u, picture.width).into());
        picture.pixels.get(usize::try_from(place).ok()?).copied()
    });
    let first = colors.next()??;
    colors.all(|color| color == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test panics")]

    use super::*;
    use meshwright_scene::{Limits, Material, Node};

    #[test]
    fn each_mesh_has_the_colour_of_its_pixel() {
        let color = |x: u32| if x < 4 { [255, 0, 85, 255] } else { [0, 136, 255, 255] };
        let pixels = (0..8 * 4).map(|i| color(i % 8)).collect();
        let png = Pixels::from_rgba(8, 4, pixels).unwrap().to_png().unwrap();
        let image = Image::new("PaletteBaseColor", "image/png", png);
        let mesh = |uvs: [[f32; 2]; 3]| {
            let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            Mesh::new("m", corners, vec![[0, 1, 2]]).with_uvs(uvs.to_vec()).with_material(MaterialId(0))
        };
        let meshes = vec![
            mesh([[0.25, 0.5]; 3]),
            mesh([[0.75, 0.5]; 3]),
            mesh([[0.25, 0.5], [0.75, 0.5], [0.25, 0.5]]),
            mesh([[0.3, 0.4]; 3]),
        ];
        let nodes: Vec<_> = (0..4).map(|m| Node::of_mesh("m", meshwright_scene::MeshId(m))).collect();
        let scene = |name: &str, image: &Image| {
            let material = Material::named(name).with_image(image.clone());
            let scene = Scene::new("s").with_meshes(meshes.clone()).with_nodes(nodes.clone());
            scene.with_materials(vec![material])
        };
        let budget = || Budget::new(Limits::default());
        let mut made = scene("PaletteMaterial001", &image);
        flat(&mut made, &budget()).unwrap();
        made.validate().unwrap();
        let ids: Vec<_> = made.meshes.iter().map(|m| m.material.unwrap().0).collect();
        assert_eq!(ids, [1, 2, 0, 1]);
        assert_eq!(made.materials[1].base_color, [1.0, 0.0, linear(85), 1.0]);
        assert_eq!(made.materials[2].base_color, [0.0, linear(136), 1.0, 1.0]);
        assert!(made.materials[1].image.is_none() && made.meshes[0].uvs.is_empty());
        assert_eq!(made.meshes[2].uvs.len(), 3);
        // Other textures, and materials without one, are unchanged.
        for (name, image) in [
            ("skin", image),
            ("PaletteMaterial001", Image::new("cut", "image/png", b"\x89PNG\r\n\x1a\n".to_vec())),
        ] {
            let before = scene(name, &image);
            let mut after = before.clone();
            flat(&mut after, &budget()).unwrap();
            assert_eq!(after, before);
        }
    }
}
