//! Compares each property of a document with what its class allows.

use super::Findings;
use crate::document::rules::{
    ASSET_VERSION, ELEMENT_TWICE, EXTENSION_MISPLACED, EXTENSION_UNDECLARED, INDEX, JSON_NUMBER, JSON_SHAPE,
    PROPERTY_UNKNOWN, VALUE_RANGE, VALUE_UNKNOWN,
};
use meshwright_core::json::{JsonType, JsonValue};
use meshwright_core::text::visible;
use meshwright_core::{FieldPath, Rule, SortedSet};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A kind of object.
pub(super) struct Class {
    pub(super) fields: &'static [Field],
    /// Objects of this class may have a `name`.
    pub(super) named: bool,
    /// The extensions that Meshwright knows for this class.
    pub(super) extensions: &'static [(&'static str, &'static Class)],
    /// Checks rules that concern several properties at once.
    pub(super) combined: Option<fn(&mut Walk<'_, '_>, JsonValue<'_, '_>, &FieldPath<'_>)>,
}

/// A property.
pub(super) struct Field {
    name: &'static str,
    kind: Kind,
    needed: bool,
}

pub(super) const fn any(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, needed: false }
}

pub(super) const fn need(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, needed: true }
}

/// The values that a property may have.
pub(super) enum Kind {
    /// Any value: another check reads it.
    Any,
    Text,
    Flag,
    /// One of these texts. A later version of glTF may have others.
    Word(&'static [&'static str]),
    /// One of these numbers. A later version of glTF may have others.
    Code(&'static [u64]),
    /// A whole number.
    Whole {
        least: u64,
        most: u64,
    },
    /// A number. `open` says whether the range leaves out its first and its last value.
    Number {
        least: f64,
        most: f64,
        open: (bool, bool),
    },
    /// A list of numbers. Its length is one of `counts`; if `counts` is empty, any length but 0.
    Numbers {
        counts: &'static [usize],
        least: f64,
        most: f64,
    },
    /// Texts without duplicates.
    Names,
    /// A version of glTF.
    Version,
    Index(Table),
    /// Indices without duplicates.
    Indices(Table),
    Object(&'static Class),
    Objects(&'static Class),
}

/// The lists of a document whose objects are named by index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Table {
    Accessors,
    Buffers,
    Cameras,
    Images,
    Lights,
    Materials,
    Meshes,
    Nodes,
    Samplers,
    Scenes,
    Skins,
    Textures,
    Variants,
    Views,
}

impl Table {
    const ALL: [(Self, &'static str, &'static str); 14] = [
        (Self::Accessors, "", "accessors"),
        (Self::Buffers, "", "buffers"),
        (Self::Cameras, "", "cameras"),
        (Self::Images, "", "images"),
        (Self::Lights, "KHR_lights_punctual", "lights"),
        (Self::Materials, "", "materials"),
        (Self::Meshes, "", "meshes"),
        (Self::Nodes, "", "nodes"),
        (Self::Samplers, "", "samplers"),
        (Self::Scenes, "", "scenes"),
        (Self::Skins, "", "skins"),
        (Self::Textures, "", "textures"),
        (Self::Variants, "KHR_materials_variants", "variants"),
        (Self::Views, "", "bufferViews"),
    ];

    /// Counts the objects of each table.
    fn counts(root: JsonValue<'_, '_>) -> [usize; 14] {
        Self::ALL.map(|(_, extension, name)| {
            let holder = match extension {
                "" => Some(root),
                _ => root.get("extensions").and_then(|all| all.get(extension)),
            };
            holder.and_then(|holder| holder.get(name)).map_or(0, |table| table.items().count())
        })
    }
}

/// A walk through a document.
pub(super) struct Walk<'f, 'a> {
    pub(super) findings: &'f mut Findings,
    /// The names in `extensionsUsed`.
    used: SortedSet<Cow<'a, str>>,
    counts: [usize; 14],
    /// The needs of the material that the walk is in.
    pub(super) surface: Surface,
    /// The needs of all materials so far.
    surfaces: Vec<Surface>,
}

/// The attributes that a material needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Surface {
    /// Indices of the texture coordinate sets that its textures use.
    pub(super) sets: Vec<u64>,
    /// A texture of the material needs tangents.
    pub(super) tangents: bool,
}

impl<'f, 'a> Walk<'f, 'a> {
    pub(super) fn new(root: JsonValue<'_, 'a>, findings: &'f mut Findings) -> Self {
        let used = root.get("extensionsUsed").into_iter().flat_map(JsonValue::items);
        Self {
            used: used.filter_map(JsonValue::as_str).collect(),
            counts: Table::counts(root),
            findings,
            surface: Surface::default(),
            surfaces: Vec::new(),
        }
    }

    /// Returns the needs of each material after the walk.
    pub(super) fn into_surfaces(self) -> Vec<Surface> {
        self.surfaces
    }

    pub(super) fn broken(
        &mut self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        value: JsonValue<'_, '_>,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.findings.broken(rule, path, &|| value.offset(), message);
    }

    pub(super) fn is_used(&self, extension: &str) -> bool {
        self.used.contains(extension)
    }

    /// Stores the needs of a material at its end.
    pub(super) fn end_material(&mut self) {
        self.surfaces.push(std::mem::take(&mut self.surface));
    }

    /// Returns the number of objects of a table.
    pub(super) fn count(&self, table: Table) -> usize {
        self.counts.get(table as usize).copied().unwrap_or(0)
    }

    /// Checks an object against its class.
    pub(super) fn object(&mut self, class: &'static Class, value: JsonValue<'_, '_>, path: &FieldPath<'_>) {
        let fields = class.fields.iter().map(|field| field.name);
        for field in class.fields.iter().filter(|field| field.needed && value.get(field.name).is_none()) {
            self.broken(JSON_SHAPE, &path.field(field.name), value, "is missing");
        }
        for (key, property) in value.entries() {
            match class.fields.iter().find(|field| field.name == key) {
                Some(field) => self.property(&field.kind, property, &path.field(field.name)),
                None if key == "name" && class.named => {
                    self.property(&Kind::Text, property, &path.field("name"));
                }
                None if key == "extensions" => {
                    self.extensions(class, property, &path.field("extensions"));
                }
                None if key == "extras" => {}
                None => {
                    let known = fields.clone().collect::<Vec<_>>().join(", ");
                    let message =
                        format!("unknown property {}; known are {known}", visible(&shortened(&key)));
                    self.broken(PROPERTY_UNKNOWN, path, property, message);
                }
            }
        }
        if let Some(combined) = class.combined {
            combined(self, value, path);
        }
    }

    fn extensions(&mut self, class: &'static Class, value: JsonValue<'_, '_>, path: &FieldPath<'_>) {
        if value.kind() != JsonType::Object {
            return self.broken(JSON_SHAPE, path, value, "is not an object");
        }
        for (name, extension) in value.entries() {
            let named = || visible(&shortened(&name)).into_owned();
            if extension.kind() != JsonType::Object {
                self.broken(JSON_SHAPE, path, extension, format!("{} is not an object", named()));
                continue;
            }
            if !self.is_used(&name) {
                let message = format!("{} is not in extensionsUsed", named());
                self.broken(EXTENSION_UNDECLARED, path, extension, message);
                continue;
            }
            match class.extensions.iter().find(|(known, _)| *known == name) {
                Some((known, class)) => self.object(class, extension, &path.field(known)),
                None if super::KNOWN.contains(&&*name) => {
                    self.broken(EXTENSION_MISPLACED, path, extension, named());
                }
                None => {}
            }
        }
    }

    fn property(&mut self, kind: &Kind, value: JsonValue<'_, '_>, path: &FieldPath<'_>) {
        match kind {
            Kind::Any => {}
            Kind::Text => _ = self.expect(JsonType::String, value, path),
            Kind::Flag => _ = self.expect(JsonType::Bool, value, path),
            Kind::Word(words) => {
                if self.expect(JsonType::String, value, path)
                    && !value.as_str().is_some_and(|word| words.contains(&&*word))
                {
                    self.broken(VALUE_UNKNOWN, path, value, format!("is not one of {}", words.join(", ")));
                }
            }
            Kind::Code(codes) => {
                let negative = value.as_i64().filter(|code| *code < 0);
                let code =
                    if negative.is_some() { None } else { self.check_integer(value, path, 0, u64::MAX) };
                if negative.is_some() || code.is_some_and(|code| !codes.contains(&code)) {
                    let message = format!("{} is not one of {codes:?}", value.raw());
                    self.broken(VALUE_UNKNOWN, path, value, message);
                }
            }
            Kind::Whole { least, most } => _ = self.check_integer(value, path, *least, *most),
            Kind::Number { least, most, open } => self.number(value, path, (*least, *most), *open),
            Kind::Numbers { counts, least, most } => {
                if let Some(count) = self.list(value, path) {
                    if !counts.is_empty() && !counts.contains(&count) {
                        self.broken(JSON_SHAPE, path, value, format!("has {count} numbers, not {counts:?}"));
                    }
                    for (i, item) in value.items().enumerate() {
                        self.number(item, &path.index(i), (*least, *most), (false, false));
                    }
                }
            }
            Kind::Names => self.names(value, path),
            Kind::Version => {
                let sound = |text: &str| {
                    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
                    text.split_once('.').is_some_and(|(major, minor)| digits(major) && digits(minor))
                };
                if self.expect(JsonType::String, value, path) && !value.as_str().is_some_and(|t| sound(&t)) {
                    self.broken(ASSET_VERSION, path, value, "is not a version such as 2.0");
                }
            }
            Kind::Index(table) => self.index(*table, value, path),
            Kind::Indices(table) => {
                let count = self.list(value, path);
                let mut seen = SortedSet::new();
                for (i, item) in value.items().enumerate().filter(|_| count.is_some()) {
                    self.index(*table, item, &path.index(i));
                    if item.as_u64().is_some_and(|n| !seen.insert(n)) {
                        self.broken(ELEMENT_TWICE, &path.index(i), item, "is a duplicate");
                    }
                }
            }
            Kind::Object(class) => {
                if self.expect(JsonType::Object, value, path) {
                    self.object(class, value, path);
                }
            }
            Kind::Objects(class) => {
                let count = self.list(value, path);
                for (i, item) in value.items().enumerate().filter(|_| count.is_some()) {
                    let path = path.index(i);
                    if self.expect(JsonType::Object, item, &path) {
                        self.object(class, item, &path);
                    }
                }
            }
        }
    }

    pub(super) fn expect(&mut self, kind: JsonType, value: JsonValue<'_, '_>, path: &FieldPath<'_>) -> bool {
        let is = value.kind() == kind;
        if !is {
            self.broken(JSON_SHAPE, path, value, format!("is {}, not {kind}", value.kind()));
        }
        is
    }

    /// Returns the length of a list; an empty one is an error.
    pub(super) fn list(&mut self, value: JsonValue<'_, '_>, path: &FieldPath<'_>) -> Option<usize> {
        if !self.expect(JsonType::Array, value, path) {
            return None;
        }
        let count = value.items().count();
        if count == 0 {
            self.broken(JSON_SHAPE, path, value, "is empty");
        }
        (count > 0).then_some(count)
    }

    fn check_integer(
        &mut self,
        value: JsonValue<'_, '_>,
        path: &FieldPath<'_>,
        least: u64,
        most: u64,
    ) -> Option<u64> {
        if !self.expect(JsonType::Number, value, path) {
            return None;
        }
        match value.as_u64() {
            Some(n) if (least..=most).contains(&n) => Some(n),
            Some(n) => {
                self.broken(VALUE_RANGE, path, value, format!("{n} is not from {least} to {most}"));
                None
            }
            None => {
                let message = format!("{} is not a whole number from 0 on", value.raw());
                self.broken(JSON_NUMBER, path, value, message);
                None
            }
        }
    }

    fn number(
        &mut self,
        value: JsonValue<'_, '_>,
        path: &FieldPath<'_>,
        (least, most): (f64, f64),
        open: (bool, bool),
    ) {
        if !self.expect(JsonType::Number, value, path) {
            return;
        }
        let number = value.as_f64().unwrap_or(f64::NAN);
        let low = if open.0 { number > least } else { number >= least };
        let high = if open.1 { number < most } else { number <= most };
        if !(low && high) {
            let mut message =
                format!("{number} is not {} {least}", if open.0 { "above" } else { "at least" });
            if most.is_finite() {
                let _ = write!(message, " and {} {most}", if open.1 { "below" } else { "at most" });
            }
            self.broken(VALUE_RANGE, path, value, message);
        }
    }

    fn index(&mut self, table: Table, value: JsonValue<'_, '_>, path: &FieldPath<'_>) {
        let Some(index) = self.check_integer(value, path, 0, u64::MAX) else { return };
        let count = self.count(table);
        if usize::try_from(index).map_or(true, |index| index >= count) {
            self.broken(INDEX, path, value, format!("{index}, of {count} objects"));
        }
    }

    fn names(&mut self, value: JsonValue<'_, '_>, path: &FieldPath<'_>) {
        let count = self.list(value, path);
        let mut seen = SortedSet::new();
        for (i, item) in value.items().enumerate().filter(|_| count.is_some()) {
            let path = path.index(i);
            if self.expect(JsonType::String, item, &path)
                && !item.as_str().is_some_and(|name| seen.insert(name.into_owned()))
            {
                self.broken(ELEMENT_TWICE, &path, item, "is a duplicate");
            }
        }
    }
}

/// Cuts a name to the length that a message shows.
fn shortened(name: &str) -> String {
    name.chars().take(80).collect()
}
