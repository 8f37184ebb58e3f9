//! Textures that lie beside a model, as images that glTF can hold.

use crate::folder::{Folder, IMAGES};
use crate::input;
use meshwright::scene::{Image, Loss};
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// The texture that a material name means: the name with its extension, without it, or its last part.
fn named<'f>(folder: &'f Folder, material: &str) -> Option<&'f PathBuf> {
    let last = material.rsplit(['/', '\\']).next().unwrap_or(material).to_lowercase();
    let stem = last.rsplit_once('.').filter(|(_, e)| IMAGES.contains(e)).map_or(last.as_str(), |(s, _)| s);
    let known = folder.lower_case(&last).filter(|_| stem != last);
    known.or_else(|| IMAGES.iter().find_map(|e| folder.lower_case(&format!("{stem}.{e}"))))
}

/// The images of materials, each with the name of its texture, and a word for each that was not found or cannot be
/// used.
pub(crate) fn images(
    folder: &Folder,
    materials: &[(String, String)],
    most: u64,
) -> (Vec<(String, Image)>, Vec<Loss>) {
    let (mut images, mut losses) = (Vec::new(), Vec::new());
    for (i, (material, texture)) in materials.iter().enumerate().filter(|(_, (_, t))| !t.is_empty()) {
        let mut lose = |code, why| losses.push(Loss::new(code, format!("materials[{i}]"), why));
        match named(folder, texture).map(|path| (path, read(path, most))) {
            Some((_, Ok(image))) => images.push((material.clone(), image)),
            Some((path, Err(e))) => lose("texture-unreadable", format!("{}: {e}", input::shown(path))),
            None => lose("texture-not-found", format!("no image beside the model is named {texture}")),
        }
    }
    (images, losses)
}

/// An image file as PNG or JPEG; what is neither becomes PNG.
fn read(path: &Path, most: u64) -> Result<Image, String> {
    // A pipe that was only found, not named, could keep the program waiting.
    if !path.is_file() {
        return Err("is no regular file".into());
    }
    let bytes = input::read_file(path, most).map_err(|e| e.to_string())?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Ok(Image { name, mime: "image/png", bytes });
    }
    if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        return Ok(Image { name, mime: "image/jpeg", bytes });
    }
    let mut reader = image::ImageReader::new(Cursor::new(&bytes));
    // TGA has no magic, so its extension must tell.
    let tga = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("tga"));
    reader.set_format(if tga { image::ImageFormat::Tga } else { image::ImageFormat::Bmp });
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(most);
    reader.limits(limits);
    let decoded = reader.decode().map_err(|e| e.to_string())?;
    let mut png = Vec::new();
    decoded.write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png).map_err(|e| e.to_string())?;
    Ok(Image { name, mime: "image/png", bytes: png })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;
    use std::fs;

    #[test]
    fn a_material_finds_its_file_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let bmp = image::RgbImage::from_pixel(2, 2, image::Rgb([9, 8, 7]));
        bmp.save_with_format(dir.path().join("Skin.BMP"), image::ImageFormat::Bmp).unwrap();
        fs::write(dir.path().join("broken.tga"), b"no image").unwrap();
        let folder = Folder::of(&Input { path: dir.path().join("m.dpm"), below: None });
        let names = [("a", "models/x/skin"), ("b", "skin.bmp"), ("c", "broken"), ("d", "missing"), ("e", "")];
        let names = names.map(|(material, texture)| (material.to_owned(), texture.to_owned()));
        let (found, losses) = images(&folder, &names, 1 << 20);
        assert_eq!(found.iter().map(|i| i.0.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert!(found.iter().all(|i| i.1.mime == "image/png" && i.1.bytes.starts_with(b"\x89PNG")));
        let losses: Vec<_> = losses.iter().map(|l| (l.code, l.path.as_str())).collect();
        assert_eq!(losses, [("texture-unreadable", "materials[2]"), ("texture-not-found", "materials[3]")]);
    }
}
