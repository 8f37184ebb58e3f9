//! The names by which an engine searches for the textures of materials.

use super::Format;
use meshwright_core::{Order as _, SortedMap};
use meshwright_files::output::OutputName;
use meshwright_scene::{LayerKind, Material, MaterialId, Scene};

/// Extensions that a name may have, although the file may have another one.
const EXTENSIONS: [&str; 7] = ["bmp", "dds", "jpeg", "jpg", "pcx", "png", "tga"];

/// The names by which an engine looks for the textures of a scene's materials.
pub(crate) struct TextureNames(Vec<Option<String>>);

impl TextureNames {
    /// Assigns the texture names of a scene's materials for a format. If one name would mean different textures, for
    /// example in several looks, the later material gets the name of its own texture, or a number. So does a material
    /// with a texture but without a name.
    pub(super) fn new(format: Format, scene: &Scene) -> Self {
        let mut names: Vec<Option<String>> = Vec::with_capacity(scene.materials.len());
        let looks = |m: &Material| (m.image.clone(), m.normal.clone(), m.emissive.clone(), m.layers.clone());
        let drawn = |id: usize| scene.meshes.iter().any(|mesh| mesh.material == Some(MaterialId(id)));
        let mut taken: SortedMap<String, usize> = SortedMap::new();
        // Materials of meshes keep their names.
        let mut order: Vec<usize> = (0..scene.materials.len()).collect();
        order.order_by_key(|id| !drawn(*id));
        names.resize(scene.materials.len(), None);
        for id in order {
            let Some(material) = scene.materials.get(id) else { continue };
            let Some(own) = (format.row().picture)(material) else { continue };
            let folder = own.rfind(['/', '\\']).map_or("", |at| own.split_at(at.saturating_add(1)).0);
            let file = material.layer(LayerKind::Base).or(material.image.as_ref());
            let image = file.and_then(|image| stem(&image.name));
            let unnamed = own.is_empty() && file.is_some();
            let base = if unnamed { "texture" } else { own };
            let numbered = (2..).map(|n: usize| format!("{base}_{n}"));
            let candidates = (!unnamed).then(|| own.to_owned()).into_iter();
            let candidates = candidates.chain(image.map(|image| format!("{folder}{image}")));
            let candidates = candidates.chain(unnamed.then(|| base.to_owned())).chain(numbered);
            for name in candidates {
                let known = *taken.entry(name.to_ascii_lowercase()).or_insert(id);
                let same = known == id || scene.materials.get(known).map(looks) == Some(looks(material));
                if let Some(slot) = names.get_mut(id).filter(|_| same) {
                    *slot = Some(name);
                    break;
                }
            }
        }
        Self(names)
    }

    /// Returns the name of a material's texture.
    pub(super) fn name(&self, material: usize) -> Option<&str> {
        self.0.get(material)?.as_deref()
    }
}

/// Returns the last part of a name without an image extension, in a form that every file system accepts, and short
/// enough for a suffix.
pub(super) fn stem(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next()?;
    let stem = match last.rsplit_once('.') {
        Some((stem, extension)) if EXTENSIONS.iter().any(|e| e.eq_ignore_ascii_case(extension)) => stem,
        _ => last,
    };
    let named = !stem.trim_end_matches(['.', ' ']).is_empty();
    named.then(|| OutputName::cleaned(stem).as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn names_of_pictures_are_plain() {
        for (name, wanted) in [
            ("models/player/marine", Some("marine")),
            ("resource\\wall.TGA", Some("wall")),
            ("Material.001", Some("Material.001")),
            ("a:b?.png", Some("a_b_")),
            ("textures/.profile.png", Some("_.profile")),
            ("CON", Some("_CON")),
            ("a\u{202e}b", Some("a_b")),
            ("..", None),
            ("x/", None),
            ("", None),
        ] {
            assert_eq!(stem(name).as_deref(), wanted, "{name}");
        }
    }
}
