//! Writes tables as JSON, in a fixed order and without default values.

use super::material::{Alpha, Material, SPECULAR, TextureUse};
use super::model::{Accessor, Animation, Mesh, Node, Primitive, Scene, Skin, Tables, Transform, View};
use super::parse::VARIANTS;
use crate::document::ImageSource;
use meshwright_core::json::Quoted;
use std::fmt::{Display, Write as _};

/// Returns the document as JSON. If `uri` is given, it is the URI of the first buffer.
pub(crate) fn to_json(tables: &Tables<'_>, uri: Option<&str>) -> String {
    let mut json = Text::default();
    json.object(|json| root(json, tables, uri));
    json.0
}

/// JSON under construction.
#[derive(Default)]
struct Text(String);

impl Text {
    /// Appends a comma, unless the value is the first in its list or object.
    fn separate(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with(['[', '{', ':', ',']) {
            self.0.push(',');
        }
    }

    fn key(&mut self, name: &str) -> &mut Self {
        self.separate();
        self.string(name);
        self.0.push(':');
        self
    }

    /// Appends a value in its display form. Writing to memory cannot fail.
    fn push(&mut self, value: impl Display) {
        let _ = write!(self.0, "{value}");
    }

    fn string(&mut self, text: &str) {
        self.push(Quoted(text));
    }

    fn object(&mut self, fields: impl FnOnce(&mut Self)) {
        self.separate();
        self.0.push('{');
        fields(self);
        self.0.push('}');
    }

    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
        self.0.push('[');
        for one in items {
            self.separate();
            item(self, one);
        }
        self.0.push(']');
    }

    /// Writes a list of objects, or nothing if it is empty.
    fn table<T>(&mut self, name: &str, items: &[T], mut fields: impl FnMut(&mut Self, &T)) {
        if !items.is_empty() {
            self.key(name).list(items, |json, item| json.object(|json| fields(json, item)));
        }
    }

    fn number(&mut self, name: &str, number: u64) {
        self.key(name).0.push_str(itoa::Buffer::new().format(number));
    }

    fn index(&mut self, name: &str, index: usize) {
        self.number(name, index as u64);
    }

    fn optional(&mut self, name: &str, index: Option<usize>) {
        if let Some(index) = index {
            self.index(name, index);
        }
    }

    fn indices(&mut self, name: &str, indices: &[usize]) {
        self.key(name).list(indices, |json, index| json.0.push_str(itoa::Buffer::new().format(*index)));
    }

    /// Writes a finite number.
    fn float(&mut self, name: &str, number: f32) {
        self.key(name).put_float(number);
    }

    fn put_float(&mut self, number: impl zmij::Float) {
        self.0.push_str(zmij::Buffer::new().format_finite(number));
    }

    fn floats<T: zmij::Float>(&mut self, name: &str, numbers: &[T]) {
        self.key(name).list(numbers, |json, number| json.put_float(*number));
    }

    /// Writes a text, unless it is empty.
    fn text(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.key(name).string(text);
        }
    }

    fn extras(&mut self, extras: Option<&String>) {
        if let Some(extras) = extras {
            self.key("extras").0.push_str(extras);
        }
    }

    fn extension(&mut self, name: &str, fields: impl FnOnce(&mut Self)) {
        self.key("extensions").object(|json| json.key(name).object(fields));
    }
}

fn root(json: &mut Text, tables: &Tables<'_>, uri: Option<&str>) {
    json.table("animations", &tables.animations, animation);
    json.table("accessors", &tables.accessors, accessor);
    json.key("asset").object(|json| {
        json.text("generator", &tables.generator);
        json.key("version").string("2.0");
    });
    json.table("buffers", &tables.buffers, |json, buffer| {
        json.number("byteLength", buffer.length);
        json.text("uri", uri.unwrap_or_default());
    });
    json.table("bufferViews", &tables.views, view);
    json.optional("scene", tables.scene);
    let has_variants = !tables.variants.is_empty();
    if has_variants {
        json.extension(VARIANTS, |json| {
            json.table("variants", &tables.variants, |json, name| json.key("name").string(name));
        });
    }
    let has_highlights = tables.materials.iter().any(|material| material.specular_texture.is_some());
    let used = [has_highlights.then_some(SPECULAR), has_variants.then_some(VARIANTS)];
    if has_variants || has_highlights {
        json.key("extensionsUsed").list(used.into_iter().flatten(), Text::string);
    }
    json.table("images", &tables.images, |json, image| {
        if let ImageSource::View(view) = image.source {
            json.index("bufferView", view);
        }
        json.text("mimeType", image.mime_type.as_deref().unwrap_or_default());
        json.text("name", &image.name);
    });
    json.table("materials", &tables.materials, material);
    json.table("meshes", &tables.meshes, mesh);
    json.table("nodes", &tables.nodes, node);
    json.table("samplers", &tables.texture_samplers, |json, sampler| {
        json.number("wrapS", sampler.wrap_s.code());
        json.number("wrapT", sampler.wrap_t.code());
    });
    json.table("scenes", &tables.scenes, scene);
    json.table("skins", &tables.skins, skin);
    json.table("textures", &tables.textures, |json, texture| {
        json.optional("sampler", texture.sampler);
        json.optional("source", texture.image);
    });
}

fn animation(json: &mut Text, animation: &Animation<'_>) {
    json.text("name", &animation.name);
    json.table("channels", &animation.channels, |json, channel| {
        json.index("sampler", channel.sampler);
        json.key("target").object(|json| {
            json.optional("node", channel.node);
            json.key("path").string(channel.property.code());
        });
    });
    json.table("samplers", &animation.samplers, |json, sampler| {
        json.index("input", sampler.input);
        json.index("output", sampler.output);
    });
    json.extras(animation.extras.as_ref());
}

fn accessor(json: &mut Text, accessor: &Accessor) {
    json.optional("bufferView", accessor.view);
    offset(json, accessor.offset);
    json.index("count", accessor.count);
    json.number("componentType", accessor.component.code());
    json.key("type").string(accessor.element.code());
    if !accessor.min.is_empty() {
        json.floats("min", &accessor.min);
        json.floats("max", &accessor.max);
    }
    if accessor.normalized {
        json.key("normalized").push(true);
    }
}

fn offset(json: &mut Text, offset: u64) {
    if offset > 0 {
        json.number("byteOffset", offset);
    }
}

fn view(json: &mut Text, view: &View) {
    json.index("buffer", view.buffer);
    json.number("byteLength", view.length);
    offset(json, view.offset);
    if let Some(target) = view.target {
        json.number("target", target.code());
    }
}

fn material(json: &mut Text, material: &Material<'_>) {
    if let Alpha::Mask(cutoff) = material.alpha
        && cutoff != 0.5
    {
        json.float("alphaCutoff", cutoff);
    }
    json.key("alphaMode").string(match material.alpha {
        Alpha::Opaque => "OPAQUE",
        Alpha::Mask(_) => "MASK",
        Alpha::Blend => "BLEND",
    });
    json.key("doubleSided").push(material.double_sided);
    json.text("name", &material.name);
    json.key("pbrMetallicRoughness").object(|json| {
        json.floats("baseColorFactor", &material.base_color);
        texture(json, "baseColorTexture", material.base_color_texture, None);
        json.float("metallicFactor", material.metallic);
        json.float("roughnessFactor", material.roughness);
    });
    texture(json, "normalTexture", material.normal_texture, Some(1.0));
    texture(json, "emissiveTexture", material.emissive_texture, None);
    json.floats("emissiveFactor", &material.emissive);
    if material.specular_texture.is_some() {
        json.extension(SPECULAR, |json| {
            json.floats("specularColorFactor", &material.specular);
            texture(json, "specularColorTexture", material.specular_texture, None);
        });
    }
    json.extras(material.extras.as_ref());
}

fn texture(json: &mut Text, name: &str, texture: Option<TextureUse>, scale: Option<f32>) {
    let Some((texture, set)) = texture.and_then(|on| Some((on.texture?, on.set))) else { return };
    json.key(name).object(|json| {
        json.index("index", texture);
        if let Some(scale) = scale {
            json.float("scale", scale);
        }
        json.number("texCoord", set.into());
    });
}

fn mesh(json: &mut Text, mesh: &Mesh<'_>) {
    json.extras(mesh.extras.as_ref());
    json.text("name", &mesh.name);
    json.table("primitives", &mesh.primitives, primitive);
}

fn primitive(json: &mut Text, primitive: &Primitive<'_>) {
    json.key("attributes").object(|json| {
        for (semantic, accessor) in &primitive.attributes {
            json.index(&semantic.to_string(), *accessor);
        }
    });
    if !primitive.variants.is_empty() {
        json.extension(VARIANTS, |json| {
            json.table("mappings", &primitive.variants, |json, one| {
                json.index("material", one.material);
                json.indices("variants", &one.variants);
            });
        });
    }
    json.optional("indices", primitive.indices);
    json.optional("material", primitive.material);
}

fn node(json: &mut Text, node: &Node<'_>) {
    if !node.children.is_empty() {
        json.indices("children", &node.children);
    }
    json.extras(node.extras.as_ref());
    json.optional("mesh", node.mesh);
    json.text("name", &node.name);
    match node.transform {
        Transform::Matrix(columns) => json.floats("matrix", &columns),
        Transform::Parts { translation, rotation, scale } => {
            if rotation != [0.0, 0.0, 0.0, 1.0] {
                json.floats("rotation", &rotation);
            }
            if scale != [1.0; 3] {
                json.floats("scale", &scale);
            }
            if translation != [0.0; 3] {
                json.floats("translation", &translation);
            }
        }
    }
    json.optional("skin", node.skin);
}

fn scene(json: &mut Text, scene: &Scene<'_>) {
    json.extras(scene.extras.as_ref());
    json.text("name", &scene.name);
    if !scene.nodes.is_empty() {
        json.indices("nodes", &scene.nodes);
    }
}

fn skin(json: &mut Text, skin: &Skin<'_>) {
    json.optional("inverseBindMatrices", skin.inverse_bind);
    json.indices("joints", &skin.joints);
    json.text("name", &skin.name);
    json.optional("skeleton", skin.skeleton);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, Options};
    use crate::{ExportOptions, export};
    use meshwright_scene::strategy::{clean_scene, wild_scene};
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    proptest! {
        /// Compares tables after writing and reading. Extras are not compared, because they stay in the
        /// JSON.
        #[test]
        fn written_tables_are_read_as_the_same(scene in prop_oneof![clean_scene(), wild_scene()]) {
            let exported = export(&scene, &ExportOptions::default()).unwrap().value;
            let mut tables = exported.tables().clone();
            tables.nodes.iter_mut().for_each(|node| node.extras = None);
            tables.scenes.iter_mut().for_each(|scene| scene.extras = None);
            tables.meshes.iter_mut().for_each(|mesh| mesh.extras = None);
            tables.materials.iter_mut().for_each(|material| material.extras = None);
            tables.animations.iter_mut().for_each(|animation| animation.extras = None);
            let json = to_json(&tables, Some("a.bin"));
            let read = Document::tables_of(json.as_bytes(), &Options::default()).unwrap();
            prop_assert_eq!(to_json(&read.tables, Some("a.bin")), json);
        }
    }
}
