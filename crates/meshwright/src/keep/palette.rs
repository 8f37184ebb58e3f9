//! Flat materials of which a tool made pixels of one picture.

use image::{ImageFormat, ImageReader, Limits, RgbaImage};
use meshwright_scene::color::linear;
use meshwright_scene::recover::is_palette;
use meshwright_scene::{Budget, Image, LimitExceeded, MaterialId, Mesh, Scene};
use std::collections::BTreeMap;
use std::io::Cursor;

/// Pixels of a side of a picture; those of tools are some dozens wide.
const LARGEST: u32 = 1 << 12;

/// Gives each mesh whose vertices all lie on one pixel of such a picture a material of its colour, and no texture
/// coordinates, which say nothing else. Pictures that cannot be read stay.
pub(super) fn flat(scene: &mut Scene, budget: &Budget) -> Result<(), LimitExceeded> {
    for m in 0..scene.materials.len() {
        let Some(own) = scene.materials.get(m).filter(|own| is_palette(&own.name)).cloned() else { continue };
        let Some(picture) = own.image.as_ref().and_then(|image| pixels(image, budget)) else { continue };
        let mut made: BTreeMap<[u8; 4], MaterialId> = BTreeMap::new();
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

fn pixels(image: &Image, budget: &Budget) -> Option<RgbaImage> {
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(LARGEST), Some(LARGEST));
    limits.max_alloc = Some(budget.left());
    let mut reader = ImageReader::with_format(Cursor::new(image.bytes.as_slice()), ImageFormat::Png);
    reader.limits(limits);
    let picture = reader.decode().ok()?.into_rgba8();
    budget.charge("pictures", picture.as_raw().len() as u64).ok()?;
    Some(picture)
}

/// The colour that all vertices of a mesh have, where they have one.
fn pixel(mesh: &Mesh, picture: &RgbaImage) -> Option<[u8; 4]> {
    let place = |share: f32, size: u32| {
        let at = (f64::from(share) * f64::from(size)).floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let at = at as u32;
        at.min(size.saturating_sub(1))
    };
    let (width, height) = picture.dimensions();
    let mut colors =
        mesh.uvs.iter().map(|[u, v]| Some(picture.get_pixel_checked(place(*u, width), place(*v, height))?.0));
    let first = colors.next()??;
    colors.all(|color| color == Some(first)).then_some(first)
}
