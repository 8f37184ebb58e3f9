//! Writes materials and their textures.

use crate::document::{self, Alpha, ImageSource, Texture, TextureSampler, TextureUse, Wrap};
use crate::export::extras::{self, Mark};
use crate::export::geometry::owned;
use crate::export::output::{Output, add};
use meshwright_core::SortedMap;
use meshwright_scene::{
    AlphaLevels, AlphaMode, ConvertError, Image, LayerKind, Loss, Material, Mesh, Scene, TextureLayer,
};
use std::sync::Arc;

/// The exponent of highlights in DarkPlaces, by default (`r_shadow_glossexponent`): `pow(N.H, 32) * gloss`.
const GLOSS_EXPONENT: f64 = 32.0;
/// The square of the width of glTF's highlight (GGX, `roughness^4`) that is as wide as one with that exponent.
const GLOSS_WIDTH: f64 = 2.0 / (GLOSS_EXPONENT + 2.0);
/// The roughness: the fourth root of the width.
const GLOSS_ROUGHNESS: f32 = 0.492_479_06;
/// The factor of the colour of highlights. In the middle, glTF's highlight is `F0 / (4 * width)` times as bright as a
/// white surface in the same light, where F0 is 0.04 times the factor; that of DarkPlaces is 1 for a white texture.
#[expect(clippy::cast_possible_truncation, reason = "about 5.9")]
const GLOSS_FACTOR: f32 = (4.0 * GLOSS_WIDTH / 0.04) as f32;

/// Writes materials when a mesh uses them; unused ones are not written.
#[derive(Debug)]
pub(crate) struct Materials<'a> {
    scene: &'a Scene,
    /// True if materials get marks.
    marked: bool,
    /// True if layers that viewers do not draw are embedded.
    has_layers: bool,
    /// The written materials, by material number, presence of texture coordinates, and alpha levels of the vertices.
    written: SortedMap<(usize, bool, AlphaLevels), usize>,
    images: SortedMap<(&'a str, &'a [u8]), usize>,
    /// The images written so far, by the address of their bytes: equal images are found by this first.
    seen: SortedMap<usize, Option<usize>>,
    /// The written textures, by image and clamping.
    textures: SortedMap<(usize, bool), usize>,
    /// The sampler of clamped textures.
    clamping: Option<usize>,
    /// The material of meshes without one.
    plain: Option<usize>,
}

impl<'a> Materials<'a> {
    pub(crate) const fn new(scene: &'a Scene, marked: bool, has_layers: bool) -> Self {
        Self {
            scene,
            marked,
            has_layers,
            written: SortedMap::new(),
            images: SortedMap::new(),
            seen: SortedMap::new(),
            textures: SortedMap::new(),
            clamping: None,
            plain: None,
        }
    }

    /// Makes the writer for a scene.
    pub(crate) const fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// Returns the material for meshes that have none. glTF's own default material is metallic, which viewers without
    /// an environment draw black.
    pub(crate) fn plain(&mut self, out: &mut Output<'_>) -> Result<usize, ConvertError> {
        if let Some(index) = self.plain {
            return Ok(index);
        }
        out.charge_objects(1, 0)?;
        let index =
            add(&mut out.tables.materials, document::Material { metallic: 0.0, ..Default::default() });
        self.plain = Some(index);
        Ok(index)
    }

    /// Returns the material for a mesh, depending on its texture coordinates and alpha.
    pub(crate) fn get(
        &mut self,
        out: &mut Output<'a>,
        material: usize,
        mesh: &Mesh,
        losses: &mut Vec<Loss>,
    ) -> Result<Option<usize>, ConvertError> {
        let Some(source) = self.scene.materials.get(material) else { return Ok(None) };
        let (uvs, alpha) = (!mesh.uvs.is_empty(), mesh.alpha_levels());
        // Without a texture it makes no difference.
        let plain = [&source.image, &source.normal, &source.emissive].iter().all(|image| image.is_none())
            && source.layers.is_empty();
        let key = (material, uvs || plain, alpha);
        if let Some(index) = self.written.get(&key) {
            return Ok(Some(*index));
        }
        let path = format!("materials[{material}]");
        let texture = match &source.image {
            Some(_) if !uvs => {
                let message = "the texture was left out for meshes without texture coordinates";
                losses.push(Loss::new("texture-without-uvs", path.as_str(), message));
                None
            }
            Some(image) => self.texture(out, (image, source.clamped), &path, losses)?,
            None => None,
        };
        let (mut normal, mut emissive) = (None, None);
        if let Some(image) = source.normal.as_ref().filter(|_| uvs) {
            normal = self.texture(out, (image, source.clamped), &path, losses)?;
        }
        if let Some(image) = source.emissive.as_ref().filter(|_| uvs) {
            emissive = self.texture(out, (image, source.clamped), &path, losses)?;
        }
        let gloss = source.layer(LayerKind::Gloss).filter(|_| uvs);
        let gloss = match gloss {
            Some(image) => self.texture(out, (image, source.clamped), &path, losses)?,
            None => None,
        };
        let layers = self.layers(out, source, &path, losses)?;
        out.charge_objects(1, source.name.len())?;
        let color = factor(source.base_color, &path, losses);
        let mark = self.marked.then_some(Mark { index: material, of: None, name: &source.name });
        let written = document::Material {
            name: owned(&source.name),
            base_color: color,
            base_color_texture: texture.map(TextureUse::first_set),
            metallic: 0.0,
            roughness: if gloss.is_some() { GLOSS_ROUGHNESS } else { 1.0 },
            normal_texture: normal.map(TextureUse::first_set),
            emissive_texture: emissive.map(TextureUse::first_set),
            emissive: if emissive.is_some() { [1.0; 3] } else { [0.0; 3] },
            specular_texture: gloss.map(TextureUse::first_set),
            specular: [if gloss.is_some() { GLOSS_FACTOR } else { 1.0 }; 3],
            alpha: match source.alpha_mode(Some(mesh)) {
                AlphaMode::Mask(cutoff) => {
                    Alpha::Mask(if cutoff.is_finite() { cutoff.max(0.0) } else { 0.5 })
                }
                AlphaMode::Blend => Alpha::Blend,
                _ => Alpha::Opaque,
            },
            double_sided: source.double_sided,
            extras: extras::of_material(&out.memory, source.extras.as_ref(), layers, mark)?,
        };
        let index = add(&mut out.tables.materials, written);
        self.written.insert(key, index);
        Ok(Some(index))
    }

    /// Embeds the layers of a material. Returns the number and the name of the image of each.
    fn layers(
        &mut self,
        out: &mut Output<'a>,
        material: &'a Material,
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<extras::Layer<'a>>, ConvertError> {
        let is_mixed = material.layer(LayerKind::Base).is_some();
        let is_drawn = |kind| match kind {
            LayerKind::Pants | LayerKind::Shirt => is_mixed,
            kind => matches!(kind, LayerKind::Base | LayerKind::Gloss),
        };
        let mut layers = Vec::new();
        for TextureLayer { kind, image } in &material.layers {
            let written = self.has_layers || *kind == LayerKind::Gloss;
            if !is_drawn(*kind) {
                let name = &image.name;
                losses.push(if written {
                    let message = format!("{name} is kept as a layer; viewers do not draw it");
                    Loss::note("texture-layer", path, message)
                } else {
                    Loss::new("texture-left-out", path, format!("the layer {name} was left out"))
                });
            }
            if written && let Some(index) = self.image(out, image, path, losses)? {
                layers.push(extras::Layer { kind: *kind, image: index, name: &image.name });
            }
        }
        Ok(layers)
    }

    fn texture(
        &mut self,
        out: &mut Output<'a>,
        (image, clamped): (&'a Image, bool),
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Option<usize>, ConvertError> {
        let Some(source) = self.image(out, image, path, losses)? else { return Ok(None) };
        if let Some(index) = self.textures.get(&(source, clamped)) {
            return Ok(Some(*index));
        }
        out.charge_objects(1, 0)?;
        let sampler = if clamped { Some(self.clamping(out)?) } else { None };
        let index = add(&mut out.tables.textures, Texture { image: Some(source), sampler });
        self.textures.insert((source, clamped), index);
        Ok(Some(index))
    }

    fn clamping(&mut self, out: &mut Output<'a>) -> Result<usize, ConvertError> {
        if let Some(index) = self.clamping {
            return Ok(index);
        }
        out.charge_objects(1, 0)?;
        let clamping = TextureSampler { wrap_s: Wrap::Clamp, wrap_t: Wrap::Clamp };
        let index = add(&mut out.tables.texture_samplers, clamping);
        self.clamping = Some(index);
        Ok(index)
    }

    fn image(
        &mut self,
        out: &mut Output<'a>,
        image: &'a Image,
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Option<usize>, ConvertError> {
        let place = Arc::as_ptr(&image.bytes).addr();
        if let Some(index) = self.seen.get(&place) {
            return Ok(*index);
        }
        let index = self.new_image(out, image, path, losses)?;
        self.seen.insert(place, index);
        Ok(index)
    }

    fn new_image(
        &mut self,
        out: &mut Output<'a>,
        image: &'a Image,
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Option<usize>, ConvertError> {
        if !is_what_it_says(image) {
            let message = format!("the image is not a valid {} and was left out", image.mime);
            losses.push(Loss::new("image-unreadable", path, message));
            return Ok(None);
        }
        if let Some(index) = self.images.get(&(image.mime, image.bytes.as_slice())) {
            return Ok(Some(*index));
        }
        out.charge_objects(1, image.name.len())?;
        let view = out.bytes("image", &image.bytes)?;
        let (name, mime_type) = (owned(&image.name), Some(owned(image.mime)));
        let written = document::Image { name, mime_type, source: ImageSource::View(view) };
        let index = add(&mut out.tables.images, written);
        self.images.insert((image.mime, &image.bytes), index);
        Ok(Some(index))
    }
}

/// Returns true if the first bytes match the media type.
fn is_what_it_says(image: &Image) -> bool {
    match image.mime {
        "image/png" => {
            image.bytes.starts_with(b"\x89PNG\r\n\x1a\n") && image.bytes.get(12..16) == Some(b"IHDR")
        }
        "image/jpeg" => image.bytes.starts_with(&[0xff, 0xd8, 0xff]),
        _ => false,
    }
}

/// Returns a colour within glTF's range of 0 to 1.
fn factor(color: [f32; 4], path: &str, losses: &mut Vec<Loss>) -> [f32; 4] {
    let clamped = color.map(|c| if c.is_finite() { c.clamp(0.0, 1.0) } else { 1.0 });
    if clamped != color {
        losses.push(Loss::new("color-clamped", path, "the colour was clamped to the range 0 to 1"));
    }
    clamped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlights_are_as_wide_and_as_bright_as_the_engines() {
        assert!((f64::from(GLOSS_ROUGHNESS).powi(4) - GLOSS_WIDTH).abs() < 1e-7);
        assert!((GLOSS_FACTOR - 5.882_353).abs() < 1e-6, "{GLOSS_FACTOR}");
    }
}
