//! Pictures of materials, as images that glTF can hold.

use super::part::IMAGES;
use super::{Asset, Finder, OpenOptions, Part, PartRole, PartState};
use meshwright_core::Budget;
use meshwright_files::TreePath;
use meshwright_scene::{ConvertError, Image, Loss, SceneOptions};
use std::io::Cursor;

impl Finder {
    /// Gives an asset of the tree the pictures of its materials, and a loss for each that was not found or cannot be
    /// used. [`open`](Self::open) does it where the options say so; a figure asks when it is put together.
    ///
    /// # Errors
    /// When the materials are not known, because the model becomes no scene.
    pub fn find_textures(&self, asset: &mut Asset, options: &OpenOptions) -> Result<(), ConvertError> {
        let limits = options.settings.read.limits;
        let scene_options = SceneOptions::default().with_memory(limits.memory);
        let scene = asset.model.to_scene("", &asset.companions, &scene_options)?.value;
        let folder = asset.path.parent();
        for (i, material) in scene.materials.iter().enumerate() {
            let Some(texture) = asset.model.texture(i, &material.name) else { continue };
            let mut lose = |code, why| asset.losses.push(Loss::new(code, format!("materials[{i}]"), why));
            let budget = Budget::new(limits);
            let found = self.tree.search(texture.as_bytes(), &folder, &IMAGES, &budget);
            let Some(path) = found.ok().flatten().map(|found| found.path) else {
                lose("texture-not-found", format!("no image beside the model is named {texture}"));
                continue;
            };
            match read(self, &path, options) {
                Ok(image) => {
                    asset.companions.images.push((material.name.clone(), image));
                    asset.parts.push(Part::at(PartRole::Texture, &path, PartState::Found));
                }
                Err(why) => {
                    lose("texture-unreadable", format!("{path}: {why}"));
                    asset.parts.push(Part::at(PartRole::Texture, &path, PartState::Ignored(why)));
                }
            }
        }
        Ok(())
    }
}

/// An image file as PNG or JPEG; what is neither becomes PNG.
fn read(finder: &Finder, path: &TreePath, options: &OpenOptions) -> Result<Image, String> {
    let bytes = finder.read(path, options).map_err(|e| e.reason())?;
    let name = String::from_utf8_lossy(path.stem()).into_owned();
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Ok(Image { name, mime: "image/png", bytes: bytes.into_owned() });
    }
    if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        return Ok(Image { name, mime: "image/jpeg", bytes: bytes.into_owned() });
    }
    let mut reader = image::ImageReader::new(Cursor::new(&*bytes));
    // TGA has no magic, so its extension decides.
    let tga = path.extension().eq_ignore_ascii_case(b"tga");
    reader.set_format(if tga { image::ImageFormat::Tga } else { image::ImageFormat::Bmp });
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(options.settings.read.limits.memory);
    reader.limits(limits);
    let decoded = reader.decode().map_err(|e| e.to_string())?;
    let mut png = Vec::new();
    decoded.write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png).map_err(|e| e.to_string())?;
    Ok(Image { name, mime: "image/png", bytes: png })
}
