//! Rules that concern several properties of one object.

use super::schema::{Table, Walk};
use crate::document::rules::{
    ACCESSOR_BOUNDS_WRONG, ACCESSOR_MISALIGNED, ACCESSOR_NORMALIZED, ASSET_VERSION, ATTRIBUTE_NAME,
    ELEMENT_TWICE, EXTENSION_UNDECLARED, INDEX, JSON_SHAPE, MORPH_TARGETS, NODE_MATRIX, NODE_ROTATION,
    PROPERTY_CONFLICT, URI_DATA_TYPE, VALUE_RANGE, VIEW_STRIDE,
};
use meshwright_core::json::{JsonType, JsonValue};
use meshwright_core::{FieldPath, SortedSet};

type Value<'d, 'a> = JsonValue<'d, 'a>;

fn number(value: Value<'_, '_>, name: &str) -> Option<f64> {
    value.get(name).and_then(JsonValue::as_f64)
}

fn integer_of(value: Value<'_, '_>, name: &str) -> Option<u64> {
    value.get(name).and_then(JsonValue::as_u64)
}

fn is(value: Value<'_, '_>, name: &str, text: &str) -> bool {
    value.get(name).and_then(JsonValue::as_str).is_some_and(|own| own == text)
}

fn items<'d, 'a: 'd>(value: Value<'d, 'a>, name: &str) -> impl Iterator<Item = Value<'d, 'a>> + use<'d, 'a> {
    value.get(name).into_iter().flat_map(JsonValue::items)
}

/// Returns a list of exactly `N` numbers.
fn numbers<const N: usize>(value: Value<'_, '_>, name: &str) -> Option<[f64; N]> {
    let list = value.get(name)?;
    let mut numbers = [0.0; N];
    for (to, item) in numbers.iter_mut().zip(list.items()) {
        *to = item.as_f64()?;
    }
    (list.items().count() == N).then_some(numbers)
}

pub(super) fn root(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    let path = path.field("extensionsRequired");
    for (i, name) in items(value, "extensionsRequired").enumerate() {
        if let Some(text) = name.as_str()
            && !walk.is_used(&text)
        {
            walk.broken(EXTENSION_UNDECLARED, &path.index(i), name, "is not in extensionsUsed");
        }
    }
    /// The extension without which vertices cannot be read.
    const NEEDED: &str = "KHR_mesh_quantization";
    let required = items(value, "extensionsRequired").any(|name| name.as_str().is_some_and(|n| n == NEEDED));
    if walk.is_used(NEEDED) && !required {
        walk.broken(EXTENSION_UNDECLARED, &path, value, format!("{NEEDED} cannot be optional"));
    }
}

pub(super) fn asset(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    let version = |name| {
        let text = value.get(name).and_then(JsonValue::as_str)?;
        let (major, minor) = text.split_once('.')?;
        Some((major.parse::<u64>().ok()?, minor.parse::<u64>().ok()?))
    };
    if let (Some(least), Some(own)) = (version("minVersion"), version("version"))
        && least > own
    {
        walk.broken(ASSET_VERSION, &path.field("minVersion"), value, "is above the version");
    }
}

pub(super) fn accessor(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    if value.get("byteOffset").is_some() && value.get("bufferView").is_none() {
        walk.broken(PROPERTY_CONFLICT, &path.field("byteOffset"), value, "needs a bufferView");
    }
    let (size, range) = match integer_of(value, "componentType") {
        Some(5120) => (1, Some((-128.0, 127.0))),
        Some(5121) => (1, Some((0.0, 255.0))),
        Some(5122) => (2, Some((-32_768.0, 32_767.0))),
        Some(5123) => (2, Some((0.0, 65_535.0))),
        Some(5125) => (4, Some((0.0, 4_294_967_295.0))),
        Some(5126) => (4, None),
        _ => return,
    };
    let normalized = value.get("normalized").and_then(JsonValue::as_bool) == Some(true);
    if normalized && size == 4 {
        let message = "32-bit numbers cannot be normalised";
        walk.broken(ACCESSOR_NORMALIZED, &path.field("normalized"), value, message);
    }
    let columns = |name: &str| is(value, "type", name) && size < 4;
    let matrix = columns("MAT3") || (size == 1 && columns("MAT2")) || columns("MAT4");
    let step = if matrix { 4 } else { size };
    let offset = integer_of(value, "byteOffset").unwrap_or(0);
    if !offset.is_multiple_of(step) {
        let message = format!("{offset} is not a multiple of {step}");
        walk.broken(ACCESSOR_MISALIGNED, &path.field("byteOffset"), value, message);
    }
    let components =
        [("SCALAR", 1), ("VEC2", 2), ("VEC3", 3), ("VEC4", 4), ("MAT2", 4), ("MAT3", 9), ("MAT4", 16)];
    let Some((_, components)) = components.iter().find(|(name, _)| is(value, "type", name)) else { return };
    for name in ["min", "max"] {
        let Some(bounds) = value.get(name) else { continue };
        let path = path.field(name);
        if bounds.items().count() != *components {
            walk.broken(JSON_SHAPE, &path, bounds, format!("does not have {components} numbers"));
        }
        let Some((least, most)) = range else { continue };
        for (i, bound) in bounds.items().enumerate() {
            let sound = bound.as_f64().is_none_or(|b| (least..=most).contains(&b) && b.trunc() == b);
            if !sound {
                let message = format!("{} does not fit the component type", bound.raw());
                walk.broken(ACCESSOR_BOUNDS_WRONG, &path.index(i), bound, message);
            }
        }
    }
}

pub(super) fn target(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    const POINTER: &str = "KHR_animation_pointer";
    let pointed = value.get("extensions").and_then(|all| all.get(POINTER)).is_some();
    if walk.is_used(POINTER) && pointed && (value.get("node").is_some() || !is(value, "path", "pointer")) {
        walk.broken(PROPERTY_CONFLICT, path, value, "a pointer needs the path `pointer` and no node");
    }
}

pub(super) fn pointer(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    let sound = |text: &str| {
        let escaped = text
            .match_indices('~')
            .all(|(at, _)| matches!(text.as_bytes().get(at.saturating_add(1)), Some(b'0' | b'1')));
        escaped && (text.is_empty() || text.starts_with('/'))
    };
    if value.get("pointer").and_then(JsonValue::as_str).is_some_and(|text| !sound(&text)) {
        walk.broken(JSON_SHAPE, &path.field("pointer"), value, "is not a JSON pointer");
    }
}

pub(super) fn buffer(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    let Some(uri) = value.get("uri").and_then(JsonValue::as_str) else { return };
    let Some((scheme, rest)) = uri.split_once(':') else { return };
    let kind = rest.split([';', ',']).next().unwrap_or_default();
    let known = ["application/octet-stream", "application/gltf-buffer"];
    if scheme.eq_ignore_ascii_case("data") && !known.iter().any(|known| kind.eq_ignore_ascii_case(known)) {
        let message = "neither application/octet-stream nor application/gltf-buffer";
        walk.broken(URI_DATA_TYPE, &path.field("uri"), value, message);
    }
}

pub(super) fn view(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    let Some(stride) = integer_of(value, "byteStride") else { return };
    let path = path.field("byteStride");
    if integer_of(value, "byteLength").is_some_and(|length| stride > length) {
        walk.broken(VIEW_STRIDE, &path, value, format!("{stride} is longer than the view"));
    }
    if stride % 4 != 0 {
        walk.broken(VIEW_STRIDE, &path, value, format!("{stride} is not a multiple of 4"));
    }
    if integer_of(value, "target") == Some(34_963) {
        walk.broken(PROPERTY_CONFLICT, &path, value, "a view of indices must not have a stride");
    }
}

pub(super) fn camera(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    let kinds = ["orthographic", "perspective"];
    if kinds.iter().all(|kind| value.get(kind).is_some()) {
        walk.broken(PROPERTY_CONFLICT, path, value, "has both orthographic and perspective");
    }
    for kind in kinds.into_iter().filter(|kind| is(value, "type", kind) && value.get(kind).is_none()) {
        walk.broken(JSON_SHAPE, &path.field(kind), value, "is missing");
    }
}

pub(super) fn orthographic(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    for name in ["xmag", "ymag"].into_iter().filter(|name| number(value, name) == Some(0.0)) {
        walk.broken(VALUE_RANGE, &path.field(name), value, "is zero");
    }
    depths(walk, value, path);
}

/// Checks that the far plane of a camera is farther away than the near one.
pub(super) fn depths(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    if let (Some(near), Some(far)) = (number(value, "znear"), number(value, "zfar"))
        && far <= near
    {
        walk.broken(VALUE_RANGE, &path.field("zfar"), value, format!("{far} is not above {near}"));
    }
}

pub(super) fn image(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    let sources = ["bufferView", "uri"].into_iter().filter(|name| value.get(name).is_some());
    if sources.count() != 1 {
        walk.broken(PROPERTY_CONFLICT, path, value, "needs either a bufferView or a uri");
    }
    if value.get("bufferView").is_some() && value.get("mimeType").is_none() {
        walk.broken(PROPERTY_CONFLICT, &path.field("bufferView"), value, "needs a mimeType");
    }
}

/// Records the texture coordinates that a texture of a material needs.
pub(super) fn texture(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, _: &FieldPath<'_>) {
    let set = value.get("texCoord").and_then(JsonValue::as_u64);
    walk.surface.sets.push(set.unwrap_or(0));
}

/// Records what a normal texture needs: texture coordinates and tangents.
pub(super) fn normal_texture(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    texture(walk, value, path);
    walk.surface.tangents = true;
}

/// Records the texture coordinates that a transform of a texture chooses.
pub(super) fn texture_transform(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, _: &FieldPath<'_>) {
    walk.surface.sets.extend(value.get("texCoord").and_then(JsonValue::as_u64));
}

/// Records that a texture of anisotropy needs tangents.
pub(super) fn anisotropy(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, _: &FieldPath<'_>) {
    walk.surface.tangents |= value.get("anisotropyTexture").is_some();
}

/// Checks the index of refraction: 0, or at least 1.
pub(super) fn ior(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    if let Some(ior) = number(value, "ior")
        && ior > 0.0
        && ior < 1.0
    {
        walk.broken(VALUE_RANGE, &path.field("ior"), value, format!("{ior} is between 0 and 1"));
    }
}

pub(super) fn light(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    if is(value, "type", "spot") && value.get("spot").is_none() {
        walk.broken(JSON_SHAPE, &path.field("spot"), value, "is missing");
    }
}

pub(super) fn spot(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    let inner = number(value, "innerConeAngle").unwrap_or(0.0);
    let outer = number(value, "outerConeAngle").unwrap_or(std::f64::consts::FRAC_PI_4);
    if outer <= inner {
        let message = format!("{outer} is not above the inner angle, {inner}");
        walk.broken(VALUE_RANGE, &path.field("outerConeAngle"), value, message);
    }
}

/// Checks that a primitive maps each variant to one material.
pub(super) fn mappings(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    let (mut seen, path) = (SortedSet::new(), path.field("mappings"));
    for (m, mapping) in items(value, "mappings").enumerate() {
        let mut own = SortedSet::new();
        for variant in items(mapping, "variants").filter_map(JsonValue::as_u64) {
            if own.insert(variant) && !seen.insert(variant) {
                let message = format!("variant {variant} has two materials");
                walk.broken(ELEMENT_TWICE, &path.index(m), mapping, message);
            }
        }
    }
}

pub(super) fn node(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    for name in ["skin", "weights"] {
        if value.get(name).is_some() && value.get("mesh").is_none() {
            walk.broken(PROPERTY_CONFLICT, &path.field(name), value, "needs a mesh");
        }
    }
    if let Some(rotation) = numbers::<4>(value, "rotation") {
        let length = rotation.iter().map(|c| c * c).sum::<f64>().sqrt();
        if (length - 1.0).abs() > ROTATION_NOISE {
            walk.broken(NODE_ROTATION, &path.field("rotation"), value, format!("has length {length}"));
        }
    }
    let Some(matrix) = numbers::<16>(value, "matrix") else { return };
    if ["translation", "rotation", "scale"].iter().any(|part| value.get(part).is_some()) {
        walk.broken(NODE_MATRIX, path, value, "has a matrix and also translation, rotation or scale");
    }
    if !is_decomposable(&matrix) {
        walk.broken(NODE_MATRIX, path, value, "the matrix shears, projects or flattens");
    }
}

/// Largest allowed difference of a quaternion's length from 1: the rounding error of 8-bit components.
pub(super) const ROTATION_NOISE: f64 = 0.007_69;

/// Returns true if a matrix consists of translation, rotation and scale only.
fn is_decomposable(matrix: &[f64; 16]) -> bool {
    let [a, b, c, w0, d, e, f, w1, g, h, i, w2, tx, ty, tz, w3] = *matrix;
    if [w0, w1, w2, w3] != [0.0, 0.0, 0.0, 1.0] {
        return false;
    }
    let columns = [[a, b, c], [d, e, f], [g, h, i]];
    let dot = |x: [f64; 3], y: [f64; 3]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let lengths = columns.map(|column| dot(column, column).sqrt());
    let [x, y, z] = columns;
    let cross = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
    let volume: f64 = lengths.iter().product();
    let sheared = |x, y, of: f64| dot(x, y).abs() > SHEAR * of;
    let orthogonal = !sheared(x, y, lengths[0] * lengths[1])
        && !sheared(y, z, lengths[1] * lengths[2])
        && !sheared(z, x, lengths[2] * lengths[0]);
    // The Khronos validator compares whole matrices: it overlooks shear if the translation is longer than every column.
    let sum = |column: [f64; 3]| column.iter().map(|n| n.abs()).sum::<f64>();
    let is_far_away = columns.iter().all(|column| sum(*column) < sum([tx, ty, tz]) + 1.0);
    dot(cross, z) != 0.0 && volume > 0.0 && (orthogonal || is_far_away)
}

/// Cosines between columns below this are rounding.
const SHEAR: f64 = 1e-4;

pub(super) fn mesh(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    let mut counts = items(value, "primitives").map(|primitive| items(primitive, "targets").count());
    let first = counts.next().unwrap_or(0);
    if counts.any(|count| count != first) {
        let message = "have different numbers of morph targets";
        walk.broken(MORPH_TARGETS, &path.field("primitives"), value, message);
    }
    let weights = value.get("weights").map(|weights| weights.items().count());
    if let Some(weights) = weights.filter(|weights| *weights != first) {
        let message = format!("{weights} weights for {first} morph targets");
        walk.broken(MORPH_TARGETS, &path.field("weights"), value, message);
    }
}

pub(super) fn primitive(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    if let Some(attributes) = value.get("attributes") {
        let path = path.field("attributes");
        indices_of(walk, attributes, &path);
        let mut sets = [
            ("COLOR", Vec::new()),
            ("JOINTS", Vec::new()),
            ("WEIGHTS", Vec::new()),
            ("TEXCOORD", Vec::new()),
        ];
        for (name, _) in attributes.entries() {
            match set_of(&name) {
                Name::Plain | Name::Own => {}
                Name::Set(kind, n) => {
                    sets.iter_mut().filter(|(own, _)| *own == kind).for_each(|(_, list)| list.push(n));
                }
                Name::Unknown => {
                    walk.broken(ATTRIBUTE_NAME, &path, attributes, name.chars().take(80).collect::<String>());
                }
            }
        }
        for (kind, list) in &sets {
            let next = list.iter().max().map_or(0, |last| last.saturating_add(1));
            if next != list.len() as u64 {
                let message = format!("the sets of {kind} are not numbered from 0 without gaps");
                walk.broken(ATTRIBUTE_NAME, &path, attributes, message);
            }
        }
        let [_, (_, joints), (_, weights), _] = &sets;
        if joints.len() != weights.len() {
            let message = format!("{} sets of joints, {} of weights", joints.len(), weights.len());
            walk.broken(ATTRIBUTE_NAME, &path, attributes, message);
        }
    }
    let Some(targets) = value.get("targets") else { return };
    let path = path.field("targets");
    if walk.list(targets, &path).is_none() {
        return;
    }
    for (t, target) in targets.items().enumerate() {
        let path = path.index(t);
        indices_of(walk, target, &path);
        for (name, _) in target.entries() {
            let sound = match set_of(&name) {
                Name::Plain | Name::Own => true,
                Name::Set(kind, _) => matches!(kind, "COLOR" | "TEXCOORD"),
                Name::Unknown => false,
            };
            if !sound {
                walk.broken(ATTRIBUTE_NAME, &path, target, name.chars().take(80).collect::<String>());
            }
        }
    }
}

/// Checks an object of attribute names and accessors.
fn indices_of(walk: &mut Walk<'_, '_>, value: Value<'_, '_>, path: &FieldPath<'_>) {
    if !walk.expect(JsonType::Object, value, path) {
        return;
    }
    if value.entries().next().is_none() {
        walk.broken(JSON_SHAPE, path, value, "is empty");
    }
    let count = walk.count(Table::Accessors);
    for (_, index) in value.entries() {
        if index.as_u64().and_then(|n| usize::try_from(n).ok()).is_none_or(|n| n >= count) {
            walk.broken(INDEX, path, index, format!("{}, of {count} accessors", index.raw()));
        }
    }
}

/// A name of an attribute.
enum Name {
    /// A name without a number.
    Plain,
    /// A name with the number of a set.
    Set(&'static str, u64),
    /// A name of an application.
    Own,
    Unknown,
}

fn set_of(name: &str) -> Name {
    if name.starts_with('_') {
        return Name::Own;
    }
    if matches!(name, "POSITION" | "NORMAL" | "TANGENT") {
        return Name::Plain;
    }
    let Some((kind, digits)) = name.split_once('_') else { return Name::Unknown };
    let sound = digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()));
    let kind = ["COLOR", "JOINTS", "WEIGHTS", "TEXCOORD"].into_iter().find(|own| *own == kind);
    match (kind, digits.parse().ok().filter(|_| sound)) {
        (Some(kind), Some(n)) => Name::Set(kind, n),
        _ => Name::Unknown,
    }
}
