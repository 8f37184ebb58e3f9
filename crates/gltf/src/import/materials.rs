//! Materials, and which texture coordinates they ask for.

use super::extras::Extras;
use super::{ImportOptions, Pictures, charge_push, lose};
use crate::document::{Document, JsonValue, no_files};
use meshwright_core::{Path, ReadError};
use meshwright_scene::{AlphaMode, Image, Loss, Material};

/// Textures beside that of the colour.
const FURTHER: [&str; 2] = ["normalTexture", "emissiveTexture"];

/// Texture coordinates of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Coordinates {
    /// Their set.
    pub(super) set: u32,
    /// What is done to them: a matrix of two rows.
    pub(super) transform: Option<[[f64; 3]; 2]>,
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
    let all = Path::ROOT.field("materials");
    let root = document.json();
    let items = |table| root.get(table).into_iter().flat_map(JsonValue::items);
    let count = items("materials").count();
    let extras = Extras::new(document, "materials")?;
    let mut clamps: Vec<bool> = document.room(&all, "samplers", items("samplers").count())?;
    clamps.extend(items("samplers").map(clamps_edges));
    let mut textures: Vec<Texture> = document.room(&all, "textures", items("textures").count())?;
    textures.extend(items("textures").map(|texture| {
        let sampler = texture.get("sampler").and_then(JsonValue::as_u64);
        let sampler = sampler.and_then(|s| clamps.get(usize::try_from(s).ok()?));
        let source = texture.get("source").and_then(JsonValue::as_u64);
        Texture { source: source.and_then(|s| usize::try_from(s).ok()), clamped: sampler == Some(&true) }
    }));
    let texture_of = |info: Option<JsonValue<'_, '_>>| {
        let index = info.and_then(|t| t.get("index")).and_then(JsonValue::as_u64);
        index.and_then(|i| textures.get(usize::try_from(i).ok()?)).copied().unwrap_or_default()
    };
    let mut images = Images { document, files: options.files, kept: Vec::new(), losses };
    let mut list = document.room(&all, "materials", count)?;
    let mut coordinates = document.room(&all, "materials", count)?;
    let mut elsewhere = 0_usize;
    for (m, value) in items("materials").enumerate() {
        let name = value.get("name").and_then(JsonValue::as_str).unwrap_or_default();
        let path = all.index(m);
        document.charge::<u8>(&path, "name", name.len())?;
        let surface = value.get("pbrMetallicRoughness");
        let texture = surface.and_then(|s| s.get("baseColorTexture"));
        let base = texture_of(texture);
        let mut material = Material::named(name)
            .with_base_color(color(surface.and_then(|s| s.get("baseColorFactor"))))
            .with_double_sided(value.get("doubleSided").and_then(JsonValue::as_bool).unwrap_or(false));
        if let Some(image) = base.source {
            material.image = images.get(&path, image)?;
            material.clamped = base.clamped;
        }
        // A mesh has one set of texture coordinates.
        let first = texture.or_else(|| FURTHER.iter().find_map(|name| value.get(name)));
        let place = first.map(coordinates_of).unwrap_or_default();
        let mut beside = |name| {
            let info = value.get(name).filter(|info| coordinates_of(*info) == place);
            if info.is_none() && value.get(name).is_some() {
                elsewhere = elsewhere.saturating_add(1);
            }
            texture_of(info).source
        };
        let [normal, emissive] = FURTHER.map(&mut beside);
        if let Some(image) = normal {
            material.normal = images.get(&path, image)?;
        }
        if let Some(image) = emissive.filter(|_| shines(value)) {
            material.emissive = images.get(&path, image)?;
        }
        material.alpha = alpha(value);
        material.extras = extras.get(m)?;
        coordinates.push(place);
        list.push(material);
    }
    if elsewhere > 0 {
        let message = "textures that lie otherwise on a surface than its colour are left out";
        losses.push(Loss::new("texture-left-out", "materials", message).of(elsewhere, "texture", "textures"));
    }
    Ok(Materials { list, coordinates })
}

/// A texture of the document.
#[derive(Clone, Copy, Debug, Default)]
struct Texture {
    /// Its picture.
    source: Option<usize>,
    /// It stops at its edges.
    clamped: bool,
}

/// Whether a sampler stops at both edges, by the numbers of WebGL.
fn clamps_edges(sampler: JsonValue<'_, '_>) -> bool {
    ["wrapS", "wrapT"].iter().all(|name| sampler.get(name).and_then(JsonValue::as_u64) == Some(33_071))
}

/// Whether the emissive texture is shown: without a factor it is black.
fn shines(material: JsonValue<'_, '_>) -> bool {
    let factor = material.get("emissiveFactor").into_iter().flat_map(JsonValue::items);
    factor.filter_map(JsonValue::as_f64).any(|part| part > 0.0)
}

fn alpha(material: JsonValue<'_, '_>) -> AlphaMode {
    match material.get("alphaMode").and_then(JsonValue::as_str).as_deref() {
        Some("BLEND") => AlphaMode::Blend,
        Some("MASK") => {
            let cutoff = material.get("alphaCutoff").and_then(JsonValue::as_f64);
            #[expect(clippy::cast_possible_truncation, reason = "from 0 to 1")]
            let cutoff = cutoff.unwrap_or(0.5).clamp(0.0, 1.0) as f32;
            AlphaMode::Mask(cutoff)
        }
        _ => AlphaMode::Opaque,
    }
}

fn color(value: Option<JsonValue<'_, '_>>) -> [f32; 4] {
    let mut color = [1.0; 4];
    for (to, c) in color.iter_mut().zip(value.into_iter().flat_map(JsonValue::items)) {
        #[expect(clippy::cast_possible_truncation, reason = "from 0 to 1")]
        let part = c.as_f64().unwrap_or(1.0).clamp(0.0, 1.0) as f32;
        *to = part;
    }
    color
}

/// Source: the texts of glTF 2.0 and of `KHR_texture_transform`.
fn coordinates_of(texture: JsonValue<'_, '_>) -> Coordinates {
    let set = |value: JsonValue<'_, '_>| {
        value.get("texCoord").and_then(JsonValue::as_u64).and_then(|n| u32::try_from(n).ok())
    };
    let plain = set(texture).unwrap_or(0);
    let Some(change) = texture.get("extensions").and_then(|e| e.get("KHR_texture_transform")) else {
        return Coordinates { set: plain, transform: None };
    };
    let pair = |name, default: f64| {
        let mut pair = [default; 2];
        let numbers = change.get(name).into_iter().flat_map(JsonValue::items);
        for (to, c) in pair.iter_mut().zip(numbers) {
            *to = c.as_f64().unwrap_or(default);
        }
        pair
    };
    let ([u, v], [across, down]) = (pair("offset", 0.0), pair("scale", 1.0));
    let angle = change.get("rotation").and_then(JsonValue::as_f64).unwrap_or(0.0);
    let (sin, cos) = (meshwright_core::math::sin(angle), meshwright_core::math::cos(angle));
    let transform = [[cos * across, sin * down, u], [-sin * across, cos * down, v]];
    let changes = transform != [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    Coordinates { set: set(change).unwrap_or(plain), transform: changes.then_some(transform) }
}

/// Pictures, each fetched once.
struct Images<'i, 'd, 'a> {
    document: &'d Document<'a>,
    files: Option<&'i Pictures<'i>>,
    /// Those that were asked for.
    kept: Vec<(usize, Option<Image>)>,
    losses: &'i mut Vec<Loss>,
}

impl Images<'_, '_, '_> {
    fn get(&mut self, path: &Path<'_>, index: usize) -> Result<Option<Image>, ReadError> {
        let image = match self.kept.binary_search_by_key(&index, |(i, _)| *i) {
            Ok(at) => self.kept.get(at).and_then(|(_, image)| image.clone()),
            Err(at) => {
                let image = self.fetch(index);
                if image.is_none() {
                    let message = "a picture that is not there, or no PNG or JPEG, is left out";
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
