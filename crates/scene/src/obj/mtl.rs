//! Writes materials as text.

use super::{ObjOptions, one_word, unique};
use crate::material::alpha::{AlphaLevels, AlphaMode};
use crate::model::Scene;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use meshwright_core::SortedMap;

/// Returns a unique word per material.
pub(super) fn names(scene: &Scene) -> Vec<String> {
    let mut taken = SortedMap::new();
    let named = |(i, name): (usize, &str)| {
        let name = one_word(name);
        unique(&mut taken, if name.is_empty() { format!("material_{i}") } else { name })
    };
    scene.materials.iter().map(|m| m.name.as_str()).enumerate().map(named).collect()
}

/// Writes the material file. For a surface with alpha, `d` is the alpha of the colour and `map_d` that of
/// the texture.
pub(super) fn text(scene: &Scene, names: &[String], options: &ObjOptions) -> String {
    let mut mtl = String::from("# Meshwright\n");
    for (i, (material, name)) in scene.materials.iter().zip(names).enumerate() {
        let [r, g, b, a] = material.base_color.map(|c| if c.is_finite() { c } else { 1.0 });
        let opaque = material.alpha_mode(None) == AlphaMode::Opaque;
        let a = if opaque { 1.0 } else { a };
        // Writing to a string cannot fail.
        let _ = write!(mtl, "newmtl {name}\nKd {r} {g} {b}\nd {a}\nillum 1\n");
        if let (Some(map), Some(image)) = (options.map(i), &material.image) {
            let _ = writeln!(mtl, "map_Kd {map}");
            if !opaque && image.alpha != AlphaLevels::Full {
                let _ = writeln!(mtl, "map_d {map}");
            }
        }
    }
    mtl
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Image, Material};
    use crate::obj::write;
    use alloc::vec;

    #[test]
    fn a_texture_is_named_and_its_alpha_too_where_it_counts() {
        let image = |alpha| Image::new("i", "image/png", vec![1]).with_alpha(alpha);
        let painted = |name: &str, alpha| Material::named(name).with_image(image(alpha));
        let materials = vec![
            painted("opaque", AlphaLevels::Full),
            painted("mask", AlphaLevels::Two),
            painted("ignored", AlphaLevels::Many).with_alpha(AlphaMode::Opaque),
            painted("glass", AlphaLevels::Full).with_base_color([1.0, 1.0, 1.0, 0.25]),
            painted("unnamed", AlphaLevels::Two),
            Material::named("plain"),
        ];
        let scene = Scene::new("s").with_materials(materials);
        let maps = ["a b.png", "../m.tga", "i.png", "g.png", "bad\nline.png", "plain.png"];
        let options = ObjOptions::with_mtl("s.mtl").with_maps(maps.map(|m| Some(m.into())).into());
        let written = write(&scene, None, &options).unwrap();
        let expected = "# Meshwright\n\
            newmtl opaque\nKd 1 1 1\nd 1\nillum 1\nmap_Kd a b.png\n\
            newmtl mask\nKd 1 1 1\nd 1\nillum 1\nmap_Kd ../m.tga\nmap_d ../m.tga\n\
            newmtl ignored\nKd 1 1 1\nd 1\nillum 1\nmap_Kd i.png\n\
            newmtl glass\nKd 1 1 1\nd 0.25\nillum 1\nmap_Kd g.png\n\
            newmtl unnamed\nKd 1 1 1\nd 1\nillum 1\n\
            newmtl plain\nKd 1 1 1\nd 1\nillum 1\n";
        assert_eq!(written.value.mtl, expected);
        let lost: Vec<_> = written.losses.iter().map(|l| (l.code, l.path.as_str())).collect();
        assert_eq!(lost, [("image-dropped", "materials[4].image")]);
    }
}
