//! Converts materials, and selects their texture coordinates.

use super::extras::Extras;
use super::{ImportOptions, Pictures, charge_push, lose};
use crate::document::{Alpha, Document, Texture, TextureUse, Wrap, no_files};
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::{AlphaMode, Image, Loss, Material};

/// The texture coordinates of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Coordinates {
    /// The number of the set of texture coordinates.
    pub(super) set: u32,
    /// The transform of the texture coordinates: a matrix with two rows.
    pub(super) transform: Option<[[f64; 3]; 2]>,
}

impl Coordinates {
    const fn from_use(texture: &TextureUse) -> Self {
        Self { set: texture.set, transform: texture.transform }
    }
}

#[derive(Debug)]
pub(super) struct Materials {
    list: Vec<Material>,
    coordinates: Vec<Coordinates>,
}

impl Materials {
    pub(super) fn coordinates(&self, material: Option<usize>) -> Coordinates {
        material.and_then(|m| self.coordinates.get(m)).copied().unwrap_or_default()
    }

    pub(super) fn into_materials(self) -> Vec<Material> {
        self.list
    }
}

pub(super) fn read(
    document: &Document<'_>,
    options: &ImportOptions<'_>,
    losses: &mut Vec<Loss>,
) -> Result<Materials, ReadError> {
    let all = FieldPath::ROOT.field("materials");
    let count = document.materials().len();
    let extras = Extras::new(document, "materials")?;
    let (textures, samplers) = (document.textures(), document.texture_samplers());
    let texture_of = |on: TextureUse| on.texture.and_then(|t| textures.get(t)).copied().unwrap_or_default();
    let clamps = |texture: Texture| {
        let sampler = texture.sampler.and_then(|s| samplers.get(s));
        sampler.is_some_and(|s| (s.wrap_s, s.wrap_t) == (Wrap::Clamp, Wrap::Clamp))
    };
    let mut images = Images { document, files: options.files, kept: Vec::new(), losses };
    let mut list = document.room(&all, "materials", count)?;
    let mut coordinates = document.room(&all, "materials", count)?;
    let mut elsewhere = 0_usize;
    for (m, own) in document.materials().iter().enumerate() {
        let path = all.index(m);
        document.charge::<u8>(&path, "name", own.name.len())?;
        let mut material = Material::named(own.name.clone())
            .with_base_color(own.base_color)
            .with_double_sided(own.double_sided);
        if let Some(texture) = own.base_color_texture.map(texture_of)
            && let Some(image) = texture.image
        {
            material.image = images.get(&path, image)?;
            material.clamped = clamps(texture);
        }
        // A mesh has one set of texture coordinates.
        let first = own.base_color_texture.or(own.normal_texture).or(own.emissive_texture);
        let place = first.as_ref().map(Coordinates::from_use).unwrap_or_default();
        let mut beside = |texture: Option<TextureUse>| {
            let here = texture.filter(|texture| Coordinates::from_use(texture) == place);
            if here.is_none() && texture.is_some() {
                elsewhere = elsewhere.saturating_add(1);
            }
            here.and_then(|texture| texture_of(texture).image)
        };
        let [normal, emissive] = [own.normal_texture, own.emissive_texture].map(&mut beside);
        if let Some(image) = normal {
            material.normal = images.get(&path, image)?;
        }
        // Without a factor the emitted light is black.
        if let Some(image) = emissive.filter(|_| own.emissive.iter().any(|part| *part > 0.0)) {
            material.emissive = images.get(&path, image)?;
        }
        material.alpha = match own.alpha {
            Alpha::Blend => AlphaMode::Blend,
            Alpha::Mask(cutoff) => AlphaMode::Mask(cutoff),
            Alpha::Opaque => AlphaMode::Opaque,
        };
        material.extras = extras.get(m)?;
        coordinates.push(place);
        list.push(material);
    }
    if elsewhere > 0 {
        let message = "textures with other texture coordinates than the base colour's were dropped";
        losses.push(
            Loss::new("texture-left-out", "materials", message).with_count(elsewhere, "texture", "textures"),
        );
    }
    Ok(Materials { list, coordinates })
}

/// Loads images, each once.
struct Images<'i, 'd, 'a> {
    document: &'d Document<'a>,
    files: Option<&'i Pictures<'i>>,
    /// The images that were requested.
    kept: Vec<(usize, Option<Image>)>,
    losses: &'i mut Vec<Loss>,
}

impl Images<'_, '_, '_> {
    fn get(&mut self, path: &FieldPath<'_>, index: usize) -> Result<Option<Image>, ReadError> {
        let image = match self.kept.binary_search_by_key(&index, |(i, _)| *i) {
            Ok(at) => self.kept.get(at).and_then(|(_, image)| image.clone()),
            Err(at) => {
                let image = self.fetch(index);
                if image.is_none() {
                    let message = "an image that is missing, or is neither PNG nor JPEG, was dropped";
                    lose(self.losses, "image-dropped", || format!("images[{index}]"), message);
                }
                charge_push::<(usize, Option<Image>)>(self.document, path, "pictures")?;
                let bytes = image.as_ref().map_or(0, |image| image.bytes.len());
                self.document.charge::<u8>(path, "pictures", bytes)?;
                self.kept.insert(at, (index, image.clone()));
                image
            }
        };
        Ok(image)
    }

    fn fetch(&self, index: usize) -> Option<Image> {
        let entry = self.document.images().get(index)?;
        let bytes = match self.files {
            Some(files) => self.document.image_bytes(index, &|name| files(name).map(Into::into)),
            None => self.document.image_bytes(index, &no_files),
        };
        let bytes = bytes.ok().flatten()?;
        let mime = match &*bytes {
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            _ => return None,
        };
        Some(Image::new(entry.name.clone(), mime, bytes.into_owned()))
    }
}
