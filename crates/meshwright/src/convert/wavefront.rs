//! A scene as Wavefront OBJ with its materials and textures.

use crate::formats::WriteOptions;
use meshwright_core::{SortedMap, SortedSet};
use meshwright_scene::obj::{self, ObjOptions};
use meshwright_scene::{Budget, ConvertError, Converted, Image, Loss, OutputFiles, Scene};
use std::sync::Arc;

/// Extensions of image files that readers of OBJ support.
const TAKEN: [&str; 5] = ["png", "jpg", "jpeg", "tga", "bmp"];
/// The most bytes of a texture's own name in that of its file.
const LONGEST: usize = 64;

pub(super) fn files(
    scene: &Scene,
    stem: &str,
    options: &WriteOptions,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let own =
        if options.single { ObjOptions::default() } else { ObjOptions::with_mtl(&format!("{stem}.mtl")) };
    let materials = own.mtl_name.clone();
    let mut textures =
        Textures { stem, options, files: Vec::new(), named: SortedMap::new(), taken: SortedSet::new() };
    let mut own = own.with_memory(options.shared.limits.memory);
    if !options.single {
        let maps = scene.materials.iter().map(|m| m.image.as_ref().map(|image| textures.name(image)));
        own = own.with_maps(maps.collect());
    }
    let written = obj::write(scene, options.posed.as_deref(), &own)?;
    let mut files = OutputFiles::single(format!("{stem}.obj"), written.value.obj.into_bytes());
    if !options.single {
        files.push(materials, written.value.mtl.into_bytes());
    }
    let budget = Budget::new(options.shared.limits);
    for (name, image) in textures.files {
        budget.charge("textures", image.bytes.len() as u64)?;
        files.push(name, image.bytes.to_vec());
    }
    let mut losses = written.losses;
    let further = scene.materials.iter().map(crate::formats::left_out).fold(0, usize::saturating_add);
    if further > 0 {
        let message = "materials of OBJ have one texture";
        losses.push(
            Loss::new("texture-left-out", "materials", message).with_count(further, "texture", "textures"),
        );
    }
    Ok(Converted::new(files, losses))
}

/// The files that materials name.
struct Textures<'s> {
    stem: &'s str,
    options: &'s WriteOptions,
    /// The image files to write.
    files: Vec<(String, &'s Image)>,
    /// Names by the address of the image's bytes, because materials can share an image.
    named: SortedMap<usize, String>,
    /// Some file systems do not distinguish case.
    taken: SortedSet<String>,
}

impl<'s> Textures<'s> {
    fn name(&mut self, image: &'s Image) -> String {
        let is_taken = |path: &&String| {
            let extension = path.rsplit('.').next().unwrap_or_default();
            TAKEN.iter().any(|e| e.eq_ignore_ascii_case(extension))
        };
        let source = image.source.as_ref().filter(is_taken).and_then(|s| self.options.texture_files.get(s));
        if let Some(file) = source.filter(|file| obj::can_name(file)) {
            return file.clone();
        }
        let place = Arc::as_ptr(&image.bytes).addr();
        if let Some(known) = self.named.get(&place) {
            return known.clone();
        }
        let file = self.beside(image);
        // A name with such a start has another meaning.
        let name = if file.starts_with(['-', '#']) { format!("./{file}") } else { file.clone() };
        self.files.push((file, image));
        self.named.insert(place, name.clone());
        name
    }

    /// Returns a file name that is not used yet.
    fn beside(&mut self, image: &Image) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
        let own: String = image.name.chars().take(LONGEST).map(plain).collect();
        let extension = if image.mime == "image/jpeg" { "jpg" } else { "png" };
        let mut number = 1_u64;
        loop {
            let more = if number > 1 { format!("-{number}") } else { String::new() };
            let file = obj::one_line(&format!("{}.{own}{more}.{extension}", self.stem));
            if self.taken.insert(file.to_lowercase()) {
                return file;
            }
            number = number.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::{Target, convert};
    use meshwright_scene::Material;

    #[test]
    fn a_material_names_the_file_that_was_found_or_one_beside_it() {
        let image = |name: &str, source: &str| {
            Image::new(name, "image/png", name.into()).with_source(Some(source.to_owned()))
        };
        let shared = image("b", "b.dds");
        let images =
            [image("a", "t/a.TGA"), shared.clone(), shared, image("B", "c/B.pcx"), image("d", "d.png")];
        let materials = images.map(|i| Material::named(i.name.clone()).with_image(i)).into();
        let scene = Scene::new("m").with_materials(materials);
        let mut options = WriteOptions::default();
        for (source, file) in
            [("t/a.TGA", "../in/t/a.TGA"), ("b.dds", "../in/b.dds"), ("d.png", "bad\nname.png")]
        {
            options.texture_files.insert(source.into(), file.into());
        }
        let made = convert(&scene, Target::Obj, &options).unwrap();
        assert!(made.losses.is_empty(), "{:?}", made.losses);
        let files: Vec<_> = made.value.into_iter().collect();
        let names: Vec<_> = files.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["m.obj", "m.mtl", "m.b.png", "m.B-2.png", "m.d.png"]);
        assert_eq!(files[3].bytes, b"B");
        let mtl = String::from_utf8(files[1].bytes.clone()).unwrap();
        let maps: Vec<_> = mtl.lines().filter_map(|l| l.strip_prefix("map_Kd ")).collect();
        assert_eq!(maps, ["../in/t/a.TGA", "m.b.png", "m.b.png", "m.B-2.png", "m.d.png"]);
    }
}
