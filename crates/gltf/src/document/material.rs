//! Materials, textures and texture samplers. Errors in them affect only the appearance of a model: a value
//! that cannot be read is replaced by its default.

use super::codes::{Code, codes};
use meshwright_core::json::JsonValue;
use std::borrow::Cow;

/// The extension of specular highlights.
pub(super) const SPECULAR: &str = "KHR_materials_specular";

/// The extension that older files use instead of metalness and roughness.
const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";

/// The appearance of a primitive's surface.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Material<'a> {
    /// The name; empty if there is none.
    pub name: Cow<'a, str>,
    /// The base colour in linear light. The texture and the vertex colours are multiplied by it.
    pub base_color: [f32; 4],
    /// The texture of the base colour.
    pub base_color_texture: Option<TextureUse>,
    /// Metalness, from 0 to 1.
    pub metallic: f32,
    /// Roughness, from 0 to 1.
    pub roughness: f32,
    /// The normal map.
    pub normal_texture: Option<TextureUse>,
    /// The texture of emitted light.
    pub emissive_texture: Option<TextureUse>,
    /// The colour of emitted light. The texture is multiplied by it.
    pub emissive: [f32; 3],
    /// The texture of the colour of highlights (`KHR_materials_specular`, `KHR_materials_pbrSpecularGlossiness`).
    pub specular_texture: Option<TextureUse>,
    /// The colour of highlights. The texture is multiplied by it.
    pub specular: [f32; 3],
    /// The use of alpha.
    pub alpha: Alpha,
    /// True if both sides of triangles are drawn.
    pub double_sided: bool,
    /// `extras` as JSON, for writing.
    pub(crate) extras: Option<String>,
}

impl Default for Material<'_> {
    fn default() -> Self {
        Self {
            name: Cow::default(),
            base_color: [1.0; 4],
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            normal_texture: None,
            emissive_texture: None,
            emissive: [0.0; 3],
            specular_texture: None,
            specular: [1.0; 3],
            alpha: Alpha::Opaque,
            double_sided: false,
            extras: None,
        }
    }
}

/// The use of a material's alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alpha {
    /// Alpha is ignored.
    Opaque,
    /// Points with at least this alpha are drawn.
    Mask(f32),
    /// Alpha is opacity.
    Blend,
}

/// A texture with its texture coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TextureUse {
    /// The texture; `None` if the document has no texture of that index.
    pub texture: Option<usize>,
    /// The set of texture coordinates (`TEXCOORD_n`).
    pub set: u32,
    /// The transform of the texture coordinates: a matrix with two rows.
    pub transform: Option<[[f64; 3]; 2]>,
}

impl TextureUse {
    /// Uses a texture with the first set of texture coordinates.
    pub(crate) const fn first_set(texture: usize) -> Self {
        Self { texture: Some(texture), set: 0, transform: None }
    }
}

/// An image and its sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Texture {
    /// The image.
    pub image: Option<usize>,
    /// Index of the texture sampler.
    pub sampler: Option<usize>,
}

/// The wrapping of a texture outside its edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextureSampler {
    /// Horizontal wrapping.
    pub wrap_s: Wrap,
    /// Vertical wrapping.
    pub wrap_t: Wrap,
}

/// The content outside an edge of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// The texture repeats.
    #[default]
    Repeat,
    /// The texture repeats and is mirrored every second time.
    Mirror,
    /// The colour of the edge continues.
    Clamp,
}

codes!(Wrap: u64 { Repeat = 10_497, Mirror = 33_648, Clamp = 33_071 });

/// Returns an index below `count`.
fn index(value: JsonValue<'_, '_>, name: &str, count: usize) -> Option<usize> {
    let index = value.get(name).and_then(JsonValue::as_u64)?;
    usize::try_from(index).ok().filter(|index| *index < count)
}

pub(super) fn sampler(value: JsonValue<'_, '_>) -> TextureSampler {
    let wrap =
        |name| value.get(name).and_then(JsonValue::as_u64).and_then(Wrap::from_code).unwrap_or_default();
    TextureSampler { wrap_s: wrap("wrapS"), wrap_t: wrap("wrapT") }
}

pub(super) fn texture(value: JsonValue<'_, '_>, images: usize, samplers: usize) -> Texture {
    Texture { image: index(value, "source", images), sampler: index(value, "sampler", samplers) }
}

pub(super) fn material<'a>(value: JsonValue<'_, 'a>, name: Cow<'a, str>, textures: usize) -> Material<'a> {
    let plain = Material::default();
    let surface = value.get("pbrMetallicRoughness");
    let extension = |name| value.get("extensions").and_then(|all| all.get(name));
    let specular = extension(SPECULAR);
    // The surface without the extension is preferred, if it has any colour.
    let has_color = surface.is_some_and(|s| s.get("baseColorFactor").or(s.get("baseColorTexture")).is_some());
    let diffuse = extension(SPECULAR_GLOSSINESS).filter(|_| !has_color);
    let texture = |of: Option<JsonValue<'_, '_>>, name| {
        of.and_then(|of| of.get(name)).map(|info| texture_use(info, textures))
    };
    let part = |name, default| surface.map_or(default, |surface| share(surface, name, default));
    Material {
        name,
        base_color: match (diffuse, surface) {
            (Some(diffuse), _) => shares(diffuse, "diffuseFactor", plain.base_color),
            (None, Some(surface)) => shares(surface, "baseColorFactor", plain.base_color),
            (None, None) => plain.base_color,
        },
        base_color_texture: texture(surface, "baseColorTexture").or(texture(diffuse, "diffuseTexture")),
        metallic: part("metallicFactor", plain.metallic),
        roughness: part("roughnessFactor", plain.roughness),
        normal_texture: texture(Some(value), "normalTexture"),
        emissive_texture: texture(Some(value), "emissiveTexture"),
        emissive: shares(value, "emissiveFactor", plain.emissive),
        specular_texture: texture(specular, "specularColorTexture")
            .or(texture(diffuse, "specularGlossinessTexture")),
        specular: plain.specular,
        alpha: match value.get("alphaMode").and_then(JsonValue::as_str).as_deref() {
            Some("BLEND") => Alpha::Blend,
            Some("MASK") => Alpha::Mask(share(value, "alphaCutoff", 0.5)),
            _ => Alpha::Opaque,
        },
        double_sided: value.get("doubleSided").and_then(JsonValue::as_bool).unwrap_or(false),
        extras: None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "from 0 to 1")]
fn unit(number: f64) -> f32 {
    number.clamp(0.0, 1.0) as f32
}

/// Returns a number clamped to 0 to 1.
fn share(value: JsonValue<'_, '_>, name: &str, default: f32) -> f32 {
    value.get(name).and_then(JsonValue::as_f64).map_or(default, unit)
}

/// Returns `N` numbers clamped to 0 to 1.
fn shares<const N: usize>(value: JsonValue<'_, '_>, name: &str, default: [f32; N]) -> [f32; N] {
    let mut shares = default;
    let given = value.get(name).into_iter().flat_map(JsonValue::items);
    for (share, given) in shares.iter_mut().zip(given) {
        *share = given.as_f64().map_or(*share, unit);
    }
    shares
}

/// Reads the use of a texture, as glTF 2.0 and `KHR_texture_transform` define it.
fn texture_use(info: JsonValue<'_, '_>, textures: usize) -> TextureUse {
    let set = |value: JsonValue<'_, '_>| {
        value.get("texCoord").and_then(JsonValue::as_u64).and_then(|n| u32::try_from(n).ok())
    };
    let (texture, plain) = (index(info, "index", textures), set(info).unwrap_or(0));
    let Some(change) = info.get("extensions").and_then(|e| e.get("KHR_texture_transform")) else {
        return TextureUse { texture, set: plain, transform: None };
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
    TextureUse { texture, set: set(change).unwrap_or(plain), transform: changes.then_some(transform) }
}
