//! Textures that lie beside a model, as images that glTF can hold.

use crate::input::{self, Input};
use meshwright::scene::Image;
use meshwright::tso::ResourceId;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

const EXTENSIONS: [&str; 5] = ["png", "jpg", "jpeg", "tga", "bmp"];

/// The files of one folder by lower-case name, read once.
pub(crate) struct Folder(BTreeMap<String, PathBuf>);

impl Folder {
    /// The folder that an input lies in; empty for standard input.
    pub(crate) fn of(input: &Input) -> Self {
        let mut files = BTreeMap::new();
        if !input.is_stdin() {
            let folder = input.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            for path in fs::read_dir(folder).into_iter().flatten().filter_map(|e| Some(e.ok()?.path())) {
                let name: Option<OsString> = path.file_name().map(Into::into);
                if let Some(name) = name.and_then(|n| n.into_string().ok()) {
                    files.insert(name.to_lowercase(), path);
                }
            }
        }
        Self(files)
    }

    /// The bindings in the folder.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().filter(|(name, path)| name.ends_with(".bnd") && path.is_file()).map(|(_, path)| path)
    }

    /// The unpacked texture with this number, by the tag in its name.
    pub(crate) fn texture_of(&self, id: &ResourceId) -> Option<&PathBuf> {
        let is_it = |name: &str| {
            name.rsplit_once('.').is_some_and(|(_, e)| EXTENSIONS.contains(&e))
                && ResourceId::from_file_name(name).is_some_and(|found| found.is_same_file(id))
        };
        self.0.iter().find(|(name, _)| is_it(name)).map(|(_, path)| path)
    }

    /// The texture that a material name means: the name with its extension, without it, or its last part.
    fn texture_named(&self, material: &str) -> Option<&PathBuf> {
        let last = material.rsplit(['/', '\\']).next().unwrap_or(material).to_lowercase();
        let stem =
            last.rsplit_once('.').filter(|(_, e)| EXTENSIONS.contains(e)).map_or(last.as_str(), |(s, _)| s);
        let known = self.0.get(&last).filter(|_| stem != last);
        known.or_else(|| EXTENSIONS.iter().find_map(|e| self.0.get(&format!("{stem}.{e}"))))
    }

    /// The textures of materials, and a word for each that was found but cannot be used.
    pub(crate) fn images(&self, materials: &[String], most: u64) -> (Vec<(String, Image)>, Vec<String>) {
        let (mut images, mut troubles) = (Vec::new(), Vec::new());
        for name in materials {
            let Some(path) = self.texture_named(name) else { continue };
            match read(path, most) {
                Ok(image) => images.push((name.clone(), image)),
                Err(e) => troubles.push(format!("{}: {e}", input::shown(path))),
            }
        }
        (images, troubles)
    }
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

    #[test]
    fn a_material_finds_its_file_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let bmp = image::RgbImage::from_pixel(2, 2, image::Rgb([9, 8, 7]));
        bmp.save_with_format(dir.path().join("Skin.BMP"), image::ImageFormat::Bmp).unwrap();
        fs::write(dir.path().join("broken.tga"), b"no image").unwrap();
        let folder = Folder::of(&Input { path: dir.path().join("m.dpm"), below: None });
        let names = ["models/x/skin", "skin.bmp", "broken", "missing"].map(str::to_owned);
        let (images, troubles) = folder.images(&names, 1 << 20);
        assert_eq!(images.iter().map(|i| i.0.as_str()).collect::<Vec<_>>(), ["models/x/skin", "skin.bmp"]);
        assert!(images.iter().all(|i| i.1.mime == "image/png" && i.1.bytes.starts_with(b"\x89PNG")));
        assert_eq!(troubles.len(), 1);
    }
}
