//! Converts JSON to tables.

use super::codes::Code;
use super::ledger::Ledger;
use super::material::{material, sampler as texture_sampler, texture};
use super::model::{
    Accessor, Animation, Buffer, Channel, ComponentType, Compressed, CompressionFilter, CompressionMode,
    Image, ImageSource, Mesh, Node, Primitive, Property, Sampler, Scene, Semantic, Skin, Sparse, Tables,
    Target, Transform, VariantUse, View,
};
use super::rules::{
    ACCESSOR_COUNT, ACCESSOR_TYPE, ASSET_VERSION, CHANNEL_TARGET, EXTENSION_IGNORED, EXTENSION_REQUIRED,
    INDEX, JSON_NUMBER, JSON_SHAPE, MESHOPT, MODE, NAME_LONG, NODE_TRANSFORM, NOT_FINITE,
    SAMPLER_INTERPOLATION, VIEW_STRIDE,
};
use meshwright_core::Order as _;
use meshwright_core::json::{JsonType, JsonValue};
use meshwright_core::text::visible;
use meshwright_core::{FieldPath, ReadError, Rule};
use std::borrow::Cow;

/// The extension for compressed views.
pub(super) const MESHOPT_EXTENSION: &str = "EXT_meshopt_compression";

/// The extension for compressed primitives, which this crate does not read.
pub(super) const DRACO_EXTENSION: &str = "KHR_draco_mesh_compression";

/// The extension for variants of a model.
pub(super) const VARIANTS: &str = "KHR_materials_variants";

/// The maximum length of a name in bytes; longer names are cut.
const NAME: usize = 1024;

/// The length of each table.
#[derive(Debug)]
struct Counts {
    accessors: usize,
    buffers: usize,
    views: usize,
    nodes: usize,
    scenes: usize,
    meshes: usize,
    skins: usize,
    materials: usize,
    textures: usize,
    images: usize,
    samplers: usize,
    variants: usize,
}

/// A JSON value with its path.
#[derive(Clone, Copy)]
struct At<'p, 'd, 'a> {
    value: JsonValue<'d, 'a>,
    path: &'p FieldPath<'p>,
    ledger: &'p Ledger,
}

type Result<T> = std::result::Result<T, ReadError>;

impl<'d, 'a: 'd> At<'_, 'd, 'a> {
    fn fault<T>(&self, rule: &'static Rule, message: impl Into<Cow<'static, str>>) -> Result<T> {
        Err(ReadError::broken(rule, self.path, self.value.offset(), message))
    }

    /// Returns the field `name`, unless it is absent or null.
    fn present(&self, name: &str) -> Option<JsonValue<'d, 'a>> {
        self.value.get(name).filter(|v| v.kind() != JsonType::Null)
    }

    /// Reads the field `name`, unless it is absent or null.
    fn optional<T>(
        self,
        name: &'static str,
        read: impl FnOnce(At<'_, 'd, 'a>) -> Result<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.present(name) else { return Ok(None) };
        read(At { value, path: &self.path.field(name), ledger: self.ledger }).map(Some)
    }

    fn required<T>(self, name: &'static str, read: impl FnOnce(At<'_, 'd, 'a>) -> Result<T>) -> Result<T> {
        let path = self.path.field(name);
        match self.present(name) {
            Some(value) => read(At { value, path: &path, ledger: self.ledger }),
            None => At { path: &path, ..self }.fault(JSON_SHAPE, "is missing"),
        }
    }

    fn expect(&self, kind: JsonType, message: &'static str) -> Result<()> {
        if self.value.kind() == kind { Ok(()) } else { self.fault(JSON_SHAPE, message) }
    }

    /// Reads the items of the list `name`; an absent list has none.
    fn list<T>(self, name: &'static str, read: impl FnMut(At<'_, 'd, 'a>) -> Result<T>) -> Result<Vec<T>> {
        let Some(value) = self.present(name) else { return Ok(Vec::new()) };
        let list = At { value, path: &self.path.field(name), ledger: self.ledger };
        list.expect(JsonType::Array, "is no list")?;
        list.items(value.offset(), read)
    }

    /// Reads the items of a list. If they exceed the limits, the error is at `offset`.
    fn items<T>(self, offset: u64, mut read: impl FnMut(At<'_, 'd, 'a>) -> Result<T>) -> Result<Vec<T>> {
        let mut items = self.ledger.room(self.path, offset, "tables", self.value.items().count())?;
        for (i, value) in self.value.items().enumerate() {
            items.push(read(At { value, path: &self.path.index(i), ledger: self.ledger })?);
        }
        Ok(items)
    }

    /// Reads the objects of a table.
    fn table<T>(
        self,
        name: &'static str,
        mut read: impl FnMut(At<'_, 'd, 'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.list(name, |item| {
            item.expect(JsonType::Object, "is not an object")?;
            read(item)
        })
    }

    /// Reads the items of the list `name`. Faults in it do not make the document invalid.
    fn loose<T>(self, name: &'static str, read: impl FnMut(At<'_, 'd, 'a>) -> Result<T>) -> Result<Vec<T>> {
        let Some(value) = self.value.get(name) else { return Ok(Vec::new()) };
        At { value, path: &self.path.field(name), ledger: self.ledger }.items(self.value.offset(), read)
    }

    /// Returns the text `name`, or an empty text.
    fn loose_text(self, name: &'static str) -> Result<Cow<'a, str>> {
        match self.value.get(name).filter(|value| value.kind() == JsonType::String) {
            Some(value) => text(At { value, path: &self.path.field(name), ledger: self.ledger }),
            None => Ok(Cow::default()),
        }
    }

    fn index(self, count: usize) -> Result<usize> {
        let n = integer(self)?;
        let index = usize::try_from(n).ok().filter(|index| *index < count);
        index.map_or_else(|| self.fault(INDEX, format!("{n} of {count}")), Ok)
    }

    fn required_index(self, name: &'static str, count: usize) -> Result<usize> {
        self.required(name, |at| at.index(count))
    }

    fn optional_index(self, name: &'static str, count: usize) -> Result<Option<usize>> {
        self.optional(name, |at| at.index(count))
    }

    fn indices(self, name: &'static str, count: usize) -> Result<Vec<usize>> {
        self.list(name, |at| at.index(count))
    }

    /// Reads the offset in bytes, which is 0 if it is absent.
    fn byte_offset(self) -> Result<u64> {
        Ok(self.optional("byteOffset", integer)?.unwrap_or(0))
    }

    /// Returns the name of the object, cut if it is too long.
    fn name(self) -> Result<Cow<'a, str>> {
        let name = self.optional("name", text)?.unwrap_or_default();
        if name.len() <= NAME {
            return Ok(name);
        }
        let message = format!("{} bytes", name.len());
        self.ledger.warn(NAME_LONG, &self.path.field("name"), &|| self.value.offset(), message);
        let end = (0..=NAME).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
        Ok(match name {
            Cow::Borrowed(name) => Cow::Borrowed(name.get(..end).unwrap_or_default()),
            Cow::Owned(mut name) => {
                name.truncate(end);
                Cow::Owned(name)
            }
        })
    }
}

fn text<'a>(at: At<'_, '_, 'a>) -> Result<Cow<'a, str>> {
    let Some(text) = at.value.as_str() else { return at.fault(JSON_SHAPE, "is no text") };
    if let Cow::Owned(text) = &text {
        at.ledger.charge(at.path, at.value.offset(), "text", text.len(), 1)?;
    }
    Ok(text)
}

fn integer(at: At<'_, '_, '_>) -> Result<u64> {
    at.expect(JsonType::Number, "is not a number")?;
    let message = "is not a whole number from 0 to 2^64 - 1";
    at.value.as_u64().map_or_else(|| at.fault(JSON_NUMBER, message), Ok)
}

/// Reads a word that is one of an enumeration.
fn word<E: Code<Value = &'static str>>(
    at: At<'_, '_, '_>,
    rule: &'static Rule,
    message: &'static str,
) -> Result<E> {
    E::from_code(text(at)?).map_or_else(|| at.fault(rule, message), Ok)
}

/// Reads a number that is one of an enumeration.
fn number<E: Code<Value = u64>>(at: At<'_, '_, '_>, rule: &'static Rule, message: &'static str) -> Result<E> {
    E::from_code(integer(at)?).map_or_else(|| at.fault(rule, message), Ok)
}

/// Reads a count of items in memory.
fn count(at: At<'_, '_, '_>) -> Result<usize> {
    Ok(usize::try_from(integer(at)?).unwrap_or(usize::MAX))
}

fn float(at: At<'_, '_, '_>) -> Result<f32> {
    at.expect(JsonType::Number, "is not a number")?;
    match at.value.raw().parse::<f32>() {
        Ok(v) if v.is_finite() => Ok(v),
        _ => at.fault(NOT_FINITE, "is outside the range of 32-bit floats"),
    }
}

fn floats<const N: usize>(at: At<'_, '_, '_>) -> Result<[f32; N]> {
    let mut floats = [0.0; N];
    read_floats(at, &mut floats)?;
    Ok(floats)
}

fn read_floats(at: At<'_, '_, '_>, floats: &mut [f32]) -> Result<()> {
    at.expect(JsonType::Array, "is no list")?;
    if at.value.items().count() != floats.len() {
        return at.fault(JSON_SHAPE, format!("does not have {} numbers", floats.len()));
    }
    for (i, (to, value)) in floats.iter_mut().zip(at.value.items()).enumerate() {
        *to = float(At { value, path: &at.path.index(i), ledger: at.ledger })?;
    }
    Ok(())
}

fn boolean(at: At<'_, '_, '_>) -> Result<bool> {
    match at.value.as_bool() {
        Some(b) => Ok(b),
        None => at.fault(JSON_SHAPE, "is neither true nor false"),
    }
}

/// Reads all tables. `known` are the extensions that the caller supports.
pub(super) fn tables<'a>(root: JsonValue<'_, 'a>, known: &[&str], ledger: &Ledger) -> Result<Tables<'a>> {
    let root = At { value: root, path: &FieldPath::ROOT, ledger };
    root.expect(JsonType::Object, "the document is not an object")?;
    version(root)?;
    extensions(root, known)?;
    let count = |name| root.value.get(name).map_or(0, |table| table.items().count());
    let counts = Counts {
        accessors: count("accessors"),
        buffers: count("buffers"),
        views: count("bufferViews"),
        nodes: count("nodes"),
        scenes: count("scenes"),
        meshes: count("meshes"),
        skins: count("skins"),
        materials: count("materials"),
        textures: count("textures"),
        images: count("images"),
        samplers: count("samplers"),
        variants: in_extension(root.value, VARIANTS, "variants").count(),
    };
    Ok(Tables {
        generator: match root.value.get("asset") {
            Some(value) => At { value, ..root }.loose_text("generator")?,
            None => Cow::default(),
        },
        buffers: root.table("buffers", buffer)?,
        views: root.table("bufferViews", |at| view(at, &counts, known))?,
        accessors: root.table("accessors", |at| accessor(at, &counts))?,
        nodes: root.table("nodes", |at| node(at, &counts))?,
        scenes: root.table("scenes", |at| scene(at, &counts))?,
        scene: root.optional_index("scene", counts.scenes)?,
        meshes: root.table("meshes", |at| mesh(at, &counts))?,
        skins: root.table("skins", |at| skin(at, &counts))?,
        animations: root.table("animations", |at| animation(at, &counts))?,
        images: root.loose("images", |at| image(at, &counts))?,
        textures: root.loose("textures", |at| Ok(texture(at.value, counts.images, counts.samplers)))?,
        texture_samplers: root.loose("samplers", |at| Ok(texture_sampler(at.value)))?,
        materials: root
            .loose("materials", |at| Ok(material(at.value, at.loose_text("name")?, counts.textures)))?,
        variants: variants(root, &counts)?,
        order: Vec::new(),
    })
}

/// Reads the names of the model's variants, as `KHR_materials_variants` defines them.
fn variants<'a>(root: At<'_, '_, 'a>, counts: &Counts) -> Result<Vec<Cow<'a, str>>> {
    let mut names = root.ledger.room(root.path, root.value.offset(), "variants", counts.variants)?;
    for variant in in_extension(root.value, VARIANTS, "variants") {
        names.push(At { value: variant, ..root }.loose_text("name")?);
    }
    Ok(names)
}

/// Returns the items of a list in an extension of an object.
fn in_extension<'d, 'a: 'd>(
    object: JsonValue<'d, 'a>,
    extension: &str,
    list: &str,
) -> impl Iterator<Item = JsonValue<'d, 'a>> + use<'d, 'a> {
    let extension = object.get("extensions").and_then(|all| all.get(extension));
    extension.and_then(|own| own.get(list)).into_iter().flat_map(JsonValue::items)
}

/// Checks that the document is of glTF 2 and does not require a later version.
fn version(root: At<'_, '_, '_>) -> Result<()> {
    let at = root.path.field("asset");
    let Some(value) = root.value.get("asset") else {
        return Err(ReadError::broken(ASSET_VERSION, &at, root.value.offset(), "has no asset"));
    };
    let asset = At { value, path: &at, ..root };
    let field = |name| asset.value.get(name).and_then(JsonValue::as_str);
    let minor = field("version").and_then(|v| v.strip_prefix("2.").map(str::to_owned));
    if !minor.is_some_and(|m| !m.is_empty() && m.bytes().all(|b| b.is_ascii_digit())) {
        return asset.fault(ASSET_VERSION, "the version is not 2.0");
    }
    let below = |version: &str| version == "2.0" || version.starts_with("1.") || version.starts_with("0.");
    if field("minVersion").is_some_and(|v| !below(&v)) {
        return asset.fault(ASSET_VERSION, "the document requires a reader of a later version than 2.0");
    }
    Ok(())
}

fn extensions(root: At<'_, '_, '_>, known: &[&str]) -> Result<()> {
    let short = |name: &str| visible(&name.chars().take(80).collect::<String>()).into_owned();
    root.list("extensionsRequired", |at| {
        let name = text(at)?;
        if known.contains(&&*name) || is_about_looks(&name) {
            Ok(())
        } else {
            at.fault(EXTENSION_REQUIRED, short(&name))
        }
    })?;
    root.list("extensionsUsed", |at| {
        let name = text(at)?;
        if !known.contains(&&*name) {
            at.ledger.warn(EXTENSION_IGNORED, at.path, &|| at.value.offset(), short(&name));
        }
        Ok(())
    })?;
    Ok(())
}

/// Returns true if, according to its name, an extension changes only the appearance or the description of a
/// model. Meshes, skeletons and keys are the same without it.
pub(crate) fn is_about_looks(extension: &str) -> bool {
    let subject = extension.split_once('_').map_or("", |(_, subject)| subject);
    ["materials_", "texture_", "lights_", "xmp"].iter().any(|looks| subject.starts_with(looks))
}

fn buffer<'a>(at: At<'_, '_, 'a>) -> Result<Buffer<'a>> {
    let extensions = at.value.get("extensions");
    let fallback = ["EXT_meshopt_compression", "KHR_meshopt_compression"]
        .iter()
        .any(|name| extensions.and_then(|e| e.get(name)?.get("fallback")?.as_bool()) == Some(true));
    Ok(Buffer { length: at.required("byteLength", integer)?, uri: at.optional("uri", text)?, fallback })
}

fn view(at: At<'_, '_, '_>, counts: &Counts, known: &[&str]) -> Result<View> {
    let stride = |at: At<'_, '_, '_>| match count(at)? {
        stride if (4..=252).contains(&stride) && stride % 4 == 0 => Ok(stride),
        stride => at.fault(VIEW_STRIDE, format!("{stride} is not a multiple of 4 from 4 to 252")),
    };
    Ok(View {
        buffer: at.required_index("buffer", counts.buffers)?,
        offset: at.byte_offset()?,
        length: at.required("byteLength", integer)?,
        stride: at.optional("byteStride", stride)?,
        target: at.value.get("target").and_then(JsonValue::as_u64).and_then(Target::from_code),
        compressed: if known.contains(&MESHOPT_EXTENSION) {
            at.optional("extensions", |at| at.optional(MESHOPT_EXTENSION, |at| compressed(at, counts)))?
                .flatten()
        } else {
            None
        },
    })
}

fn compressed(at: At<'_, '_, '_>, counts: &Counts) -> Result<Compressed> {
    let view = Compressed {
        buffer: at.required_index("buffer", counts.buffers)?,
        offset: at.byte_offset()?,
        length: at.required("byteLength", integer)?,
        stride: at.required("byteStride", count)?,
        count: at.required("count", count)?,
        mode: at.required("mode", |at| word(at, MESHOPT, "an unknown mode"))?,
        filter: at.optional("filter", |at| word(at, MESHOPT, "an unknown filter"))?.unwrap_or_default(),
    };
    let stride = match (view.mode, view.filter) {
        (CompressionMode::Attributes, CompressionFilter::None | CompressionFilter::Exponential) => {
            (4..=256).contains(&view.stride) && view.stride.is_multiple_of(4)
        }
        (CompressionMode::Attributes, CompressionFilter::Octahedral) => matches!(view.stride, 4 | 8),
        (CompressionMode::Attributes, CompressionFilter::Quaternion) => view.stride == 8,
        (_, CompressionFilter::None) => matches!(view.stride, 2 | 4),
        _ => return at.fault(MESHOPT, "a filter for data that is not attributes"),
    };
    if !stride {
        return at
            .fault(MESHOPT, format!("elements of {} bytes in this mode or for this filter", view.stride));
    }
    if view.mode == CompressionMode::Triangles && !view.count.is_multiple_of(3) {
        return at.fault(MESHOPT, format!("{} indices do not make whole triangles", view.count));
    }
    Ok(view)
}

fn component_type(at: At<'_, '_, '_>) -> Result<ComponentType> {
    number(at, ACCESSOR_TYPE, "an unknown type of components")
}

fn accessor(at: At<'_, '_, '_>, counts: &Counts) -> Result<Accessor> {
    let count = |at: At<'_, '_, '_>| match count(at)? {
        0 => at.fault(ACCESSOR_COUNT, "no elements"),
        count => Ok(count),
    };
    Ok(Accessor {
        view: at.optional_index("bufferView", counts.views)?,
        offset: at.byte_offset()?,
        component: at.required("componentType", component_type)?,
        normalized: at.optional("normalized", boolean)?.unwrap_or(false),
        count: at.required("count", count)?,
        element: at.required("type", |at| word(at, ACCESSOR_TYPE, "an unknown type of elements"))?,
        sparse: at.optional("sparse", |at| sparse(at, counts))?,
        min: bounds(at, "min")?,
        max: bounds(at, "max")?,
    })
}

/// Reads the stated minimum or maximum of each component.
fn bounds(at: At<'_, '_, '_>, name: &'static str) -> Result<Vec<f64>> {
    /// The maximum number of components, those of a 4x4 matrix.
    const MOST: usize = 16;
    let given = || at.value.get(name).into_iter().flat_map(JsonValue::items).take(MOST);
    let mut bounds = at.ledger.room(at.path, at.value.offset(), name, given().count())?;
    bounds.extend(given().filter_map(JsonValue::as_f64));
    Ok(bounds)
}

fn sparse(at: At<'_, '_, '_>, counts: &Counts) -> Result<Sparse> {
    let span = |at: At<'_, '_, '_>| Ok((at.required_index("bufferView", counts.views)?, at.byte_offset()?));
    let index_type = |at: At<'_, '_, '_>| match component_type(at)? {
        unsigned @ (ComponentType::U8 | ComponentType::U16 | ComponentType::U32) => Ok(unsigned),
        _ => at.fault(ACCESSOR_TYPE, "indices are not unsigned integers"),
    };
    let ((indices_view, indices_offset), index_type) =
        at.required("indices", |at| Ok((span(at)?, at.required("componentType", index_type)?)))?;
    let (values_view, values_offset) = at.required("values", span)?;
    Ok(Sparse {
        count: at.required("count", count)?,
        indices_view,
        indices_offset,
        index_type,
        values_view,
        values_offset,
    })
}

fn node<'a>(at: At<'_, '_, 'a>, counts: &Counts) -> Result<Node<'a>> {
    Ok(Node {
        name: at.name()?,
        parent: None,
        children: at.indices("children", counts.nodes)?,
        transform: transform(at)?,
        mesh: at.optional_index("mesh", counts.meshes)?,
        skin: at.optional_index("skin", counts.skins)?,
        extras: None,
    })
}

fn transform(at: At<'_, '_, '_>) -> Result<Transform> {
    let translation = at.optional("translation", floats)?;
    let rotation = at.optional("rotation", floats)?;
    let scale = at.optional("scale", floats)?;
    let Some(matrix) = at.optional("matrix", floats::<16>)? else {
        return Ok(Transform::Parts {
            translation: translation.unwrap_or_default(),
            rotation: rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
            scale: scale.unwrap_or([1.0; 3]),
        });
    };
    let [_, _, _, a, _, _, _, b, _, _, _, c, _, _, _, d] = matrix;
    let both = translation.is_some() || rotation.is_some() || scale.is_some();
    if both || [a, b, c, d] != [0.0, 0.0, 0.0, 1.0] {
        let message = match both {
            true => "a matrix together with translation, rotation or scale",
            false => "the last row of the matrix is not 0 0 0 1",
        };
        at.ledger.warn(NODE_TRANSFORM, at.path, &|| at.value.offset(), message);
    }
    Ok(Transform::Matrix(matrix))
}

fn scene<'a>(at: At<'_, '_, 'a>, counts: &Counts) -> Result<Scene<'a>> {
    Ok(Scene { name: at.name()?, nodes: at.indices("nodes", counts.nodes)?, extras: None })
}

fn mesh<'a>(at: At<'_, '_, 'a>, counts: &Counts) -> Result<Mesh<'a>> {
    let primitives = at.table("primitives", |at| primitive(at, counts))?;
    if primitives.is_empty() {
        return at.fault(JSON_SHAPE, "has no primitives");
    }
    Ok(Mesh { name: at.name()?, primitives, extras: None })
}

fn primitive<'a>(at: At<'_, '_, 'a>, counts: &Counts) -> Result<Primitive<'a>> {
    Ok(Primitive {
        attributes: at.required("attributes", |at| attributes(at, counts))?,
        indices: at.optional_index("indices", counts.accessors)?,
        material: at.optional_index("material", counts.materials)?,
        mode: at.optional("mode", |at| number(at, MODE, "above 6"))?.unwrap_or_default(),
        targets: at.table("targets", |at| attributes(at, counts))?,
        variants: variant_uses(at, counts)?,
        compressed: at.value.get("extensions").is_some_and(|e| e.get(DRACO_EXTENSION).is_some()),
    })
}

/// Reads the materials of a primitive in variants. Entries with invalid indices are dropped.
fn variant_uses(at: At<'_, '_, '_>, counts: &Counts) -> Result<Vec<VariantUse>> {
    let mappings = || in_extension(at.value, VARIANTS, "mappings");
    let index = |value: JsonValue<'_, '_>, count: usize| {
        value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n < count)
    };
    let mut uses = at.ledger.room(at.path, at.value.offset(), "variants", mappings().count())?;
    for mapping in mappings() {
        let Some(material) = mapping.get("material").and_then(|m| index(m, counts.materials)) else {
            continue;
        };
        let all = || mapping.get("variants").into_iter().flat_map(JsonValue::items);
        let mut variants = at.ledger.room(at.path, mapping.offset(), "variants", all().count())?;
        variants.extend(all().filter_map(|v| index(v, counts.variants)));
        uses.push(VariantUse { material, variants });
    }
    Ok(uses)
}

fn attributes<'a>(at: At<'_, '_, 'a>, counts: &Counts) -> Result<Vec<(Semantic<'a>, usize)>> {
    at.expect(JsonType::Object, "is not an object")?;
    let count = at.value.entries().count();
    let mut attributes = at.ledger.room(at.path, at.value.offset(), "attributes", count)?;
    for (name, value) in at.value.entries() {
        let accessor = At { value, ..at }.index(counts.accessors)?;
        attributes.push((Semantic::from_name(name), accessor));
    }
    attributes.order();
    Ok(attributes)
}

fn skin<'a>(at: At<'_, '_, 'a>, counts: &Counts) -> Result<Skin<'a>> {
    Ok(Skin {
        name: at.name()?,
        joints: at.indices("joints", counts.nodes)?,
        inverse_bind: at.optional_index("inverseBindMatrices", counts.accessors)?,
        skeleton: at.optional_index("skeleton", counts.nodes)?,
    })
}

fn animation<'a>(at: At<'_, '_, 'a>, counts: &Counts) -> Result<Animation<'a>> {
    let samplers = at.table("samplers", |at| sampler(at, counts))?;
    let channels = at.table("channels", |at| {
        let (node, property) = at.required("target", |at| target(at, counts))?;
        Ok(Channel { sampler: at.required_index("sampler", samplers.len())?, node, property })
    })?;
    Ok(Animation { name: at.name()?, channels, samplers, extras: None })
}

fn target(at: At<'_, '_, '_>, counts: &Counts) -> Result<(Option<usize>, Property)> {
    let node = at.optional_index("node", counts.nodes)?;
    Ok((node, at.required("path", |at| word(at, CHANNEL_TARGET, "an unknown property"))?))
}

fn sampler(at: At<'_, '_, '_>, counts: &Counts) -> Result<Sampler> {
    let interpolation = |at: At<'_, '_, '_>| word(at, SAMPLER_INTERPOLATION, "an unknown interpolation");
    Ok(Sampler {
        input: at.required_index("input", counts.accessors)?,
        output: at.required_index("output", counts.accessors)?,
        interpolation: at.optional("interpolation", interpolation)?.unwrap_or_default(),
    })
}

/// Reads an image. Faults in it do not prevent reading a mesh.
fn image<'a>(at: At<'_, '_, 'a>, counts: &Counts) -> Result<Image<'a>> {
    let view = at.value.get("bufferView").and_then(JsonValue::as_u64);
    let view = view.and_then(|view| usize::try_from(view).ok()).filter(|view| *view < counts.views);
    let has = |name| at.value.get(name).is_some_and(|value| value.kind() == JsonType::String);
    let mime_type = has("mimeType").then(|| at.loose_text("mimeType")).transpose()?;
    let uri = has("uri").then(|| at.loose_text("uri")).transpose()?;
    Ok(Image {
        name: at.loose_text("name")?,
        mime_type,
        source: match (view, uri) {
            (Some(view), _) => ImageSource::View(view),
            (None, Some(uri)) => ImageSource::Uri(uri),
            (None, None) => ImageSource::Missing,
        },
    })
}
