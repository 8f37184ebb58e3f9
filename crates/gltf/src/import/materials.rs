//! Converts materials, and selects their texture coordinates.

use super::extras::Extras;
use super::{ImportOptions, Pictures, charge_push, lose};
use crate::document::{Alpha, Document, JsonValue, Texture, TextureUse, Wrap, no_files};
use meshwright_core::{FieldPath, Order as _, ReadError};
use meshwright_scene::{AlphaMode, Extra, Image, LayerKind, Loss, Material, TextureLayer};

/// The field of a material's extras with its texture layers.
const LAYERS: &str = "layers";

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
    for (t, texture) in document.json().get("textures").into_iter().flat_map(JsonValue::items).enumerate() {
        let mut extensions = texture.get("extensions").into_iter().flat_map(JsonValue::entries);
        if texture.get("source").is_none() && extensions.any(|(_, own)| own.get("source").is_some()) {
            let message = "an image that is missing, or is neither PNG nor JPEG, was dropped";
            lose(losses, "image-dropped", &|| format!("textures[{t}]"), message);
        }
    }
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
        let first = first.or(own.specular_texture);
        let place = first.as_ref().map(Coordinates::from_use).unwrap_or_default();
        let mut beside = |texture: Option<TextureUse>| {
            let here = texture.filter(|texture| Coordinates::from_use(texture) == place);
            if here.is_none() && texture.is_some() {
                elsewhere = elsewhere.saturating_add(1);
            }
            here.and_then(|texture| texture_of(texture).image)
        };
        let [normal, emissive, specular] =
            [own.normal_texture, own.emissive_texture, own.specular_texture].map(&mut beside);
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
        let mut layers = take_layers(&mut material.extras, document);
        if let Some(image) = specular {
            layers.retain(|(kind, _)| *kind != LayerKind::Gloss);
            layers.push((LayerKind::Gloss, image));
            layers.order_by_key(|(kind, _)| *kind);
        }
        for (kind, image) in layers {
            charge_push::<TextureLayer>(document, &path, "layers")?;
            let image = images.get(&path, image)?;
            material.layers.extend(image.map(|image| TextureLayer { kind, image }));
        }
        coordinates.push(place);
        list.push(material);
    }
    if elsewhere > 0 {
        let message = "textures with other texture coordinates than the base colour's were dropped";
        let loss = Loss::new("texture-left-out", "materials", message);
        losses.push(loss.with_count(elsewhere, "texture", "textures"));
    }
    Ok(Materials { list, coordinates })
}

/// Takes the texture layers out of the extras of a material: their kinds and images. The number of an image counts if
/// its name agrees; an editor may have renumbered images, or dropped those that nothing draws.
fn take_layers(extras: &mut Option<Extra>, document: &Document<'_>) -> Vec<(LayerKind, usize)> {
    let Some(Extra::Map(fields)) = extras else { return Vec::new() };
    let Some(at) = fields.iter().position(|(name, value)| name == LAYERS && matches!(value, Extra::Map(_)))
    else {
        return Vec::new();
    };
    let (_, listed) = fields.remove(at);
    if fields.is_empty() {
        *extras = None;
    }
    let Extra::Map(listed) = listed else { return Vec::new() };
    let field = |value: &Extra, name: &str| match value {
        Extra::Map(fields) => fields.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone()),
        _ => None,
    };
    let find = |kind: LayerKind| {
        let (_, value) = listed.iter().find(|(name, _)| name == kind.name())?;
        let Some(Extra::Text(name)) = field(value, "name") else { return None };
        let is_it = |image: &usize| document.images().get(*image).is_some_and(|image| image.name == name);
        let number = match field(value, "image") {
            Some(Extra::Int(number)) => usize::try_from(number).ok().filter(is_it),
            _ => None,
        };
        let mut named = (0..document.images().len()).filter(is_it);
        let only = || named.next().filter(|_| named.next().is_none());
        Some((kind, number.or_else(only)?))
    };
    LayerKind::ALL.into_iter().filter_map(find).collect()
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
                    lose(self.losses, "image-dropped", &|| format!("images[{index}]"), message);
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
