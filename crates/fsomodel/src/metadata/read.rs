//! Reads the companion file. Keys may have any order. Unknown keys are skipped, but kept in the text.

use super::model::{MAX_NODE_DEPTH, Material, Mesh, Metadata, Node};
use super::rules::{self, STREAM};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::json::{Grammar, Items, Json, JsonType, JsonValue};
use meshwright_core::{
    Budget, Codes, Confidence, F32, FieldPath, FileFormat, Findings, Limits, Parsed, Place, ReadError,
    ReadOptions, Report, Source, SourceBytes,
};

type Step<T> = Result<T, ReadError>;

const CODES: Codes = Codes { short: rules::TRUNCATED, count: rules::TRUNCATED, limit: rules::DEPTH };

/// The JSON that the loader's library accepts. It allows duplicate keys, but the loader reads only one of
/// them.
const GRAMMAR: Grammar = {
    // The depth of the companion, an object and a list of children per node, and the columns of the last
    // node's matrix.
    let mut grammar = Grammar::new(rules::SYNTAX, 2 + 2 * MAX_NODE_DEPTH);
    grammar.depth = rules::DEPTH;
    grammar.nul = Some(rules::SYNTAX);
    grammar.wide_integer = Some(rules::SYNTAX);
    grammar
};

/// The state of reading one companion file.
struct Reader<'s, 'n> {
    source: &'s Source<'s>,
    /// Collects findings.
    notes: &'n mut Findings,
}

/// The fields of an object that were read already. Each may occur once.
struct Fields<'p, const N: usize> {
    names: [&'static str; N],
    seen: [bool; N],
    path: &'p FieldPath<'p>,
}

impl<'p, const N: usize> Fields<'p, N> {
    const fn new(names: [&'static str; N], path: &'p FieldPath<'p>) -> Self {
        Self { names, seen: [false; N], path }
    }

    /// Returns the name of a known field and marks it as read; an empty name for unknown fields.
    fn take(&mut self, reader: &Reader<'_, '_>, key: &str, value: JsonValue<'_, '_>) -> Step<&'static str> {
        let known = self.names.iter().zip(&mut self.seen).find(|(name, _)| **name == key);
        let Some((name, seen)) = known else { return Ok("") };
        match core::mem::replace(seen, true) {
            true => Err(reader.wrong(&self.path.field(name), value, "a second field of this name")),
            false => Ok(name),
        }
    }

    fn missing(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().zip(&self.seen).filter(|(_, seen)| !**seen).map(|(name, _)| *name)
    }
}

impl Reader<'_, '_> {
    fn wrong(
        &self,
        path: &FieldPath<'_>,
        value: JsonValue<'_, '_>,
        message: impl Into<Cow<'static, str>>,
    ) -> ReadError {
        self.source.broken(rules::SYNTAX, path, value.offset(), message)
    }

    fn note(&mut self, path: &FieldPath<'_>, at: u64, message: impl Into<String>) -> Step<()> {
        self.notes.broken(rules::LOADER, path, Place::part(STREAM, at), || message.into())
    }

    fn expect(&self, path: &FieldPath<'_>, value: JsonValue<'_, '_>, kind: JsonType) -> Step<()> {
        match value.kind() {
            found if found == kind => Ok(()),
            found => Err(self.wrong(path, value, format!("expected {kind}, found {found}"))),
        }
    }

    /// Returns an empty list with room for the items of `value`, charged.
    fn room<T>(&self, path: &FieldPath<'_>, value: JsonValue<'_, '_>) -> Step<Vec<T>> {
        let count = value.items().count();
        self.source.charge(path, value.offset(), "metadata", count as u64, size_of::<T>())?;
        Ok(Vec::with_capacity(count))
    }

    fn text(&self, path: &FieldPath<'_>, value: JsonValue<'_, '_>) -> Step<String> {
        self.expect(path, value, JsonType::String)?;
        self.source.charge(path, value.offset(), "text", value.raw().len() as u64, 1)?;
        Ok(value.as_str().unwrap_or_default().into_owned())
    }

    /// Reads an integer from 0 to `limit`.
    fn integer(&self, path: &FieldPath<'_>, value: JsonValue<'_, '_>, limit: u64) -> Step<u64> {
        self.expect(path, value, JsonType::Number)?;
        // The loader accepts no fraction, not even `.0`.
        let whole = value
            .as_i64()
            .ok_or_else(|| self.wrong(path, value, format!("{} is not an integer", value.raw())))?;
        u64::try_from(whole)
            .ok()
            .filter(|n| *n <= limit)
            .ok_or_else(|| self.wrong(path, value, format!("{whole} is not within 0 and {limit}")))
    }

    fn word(&self, path: &FieldPath<'_>, value: JsonValue<'_, '_>) -> Step<u32> {
        let word = self.integer(path, value, u32::MAX.into())?;
        Ok(u32::try_from(word).unwrap_or(u32::MAX))
    }

    /// Reads the items of a list.
    fn list<T>(
        &mut self,
        path: &FieldPath<'_>,
        value: JsonValue<'_, '_>,
        mut read: impl FnMut(&mut Self, &FieldPath<'_>, JsonValue<'_, '_>) -> Step<T>,
    ) -> Step<Vec<T>> {
        self.expect(path, value, JsonType::Array)?;
        let mut list = self.room(path, value)?;
        for (i, item) in value.items().enumerate() {
            list.push(read(self, &path.index(i), item)?);
        }
        Ok(list)
    }

    fn material(&self, path: &FieldPath<'_>, value: JsonValue<'_, '_>) -> Step<Material> {
        self.expect(path, value, JsonType::Object)?;
        let mut fields = Fields::new(["name", "diffuse_texture"], path);
        let mut material = Material::default();
        for (key, value) in value.entries() {
            match fields.take(self, &key, value)? {
                field @ "name" => material.name = Some(self.text(&path.field(field), value)?),
                field @ "diffuse_texture" => {
                    material.diffuse_texture = Some(self.text(&path.field(field), value)?);
                }
                _ => {}
            }
        }
        Ok(material)
    }

    fn mesh(&self, path: &FieldPath<'_>, value: JsonValue<'_, '_>) -> Step<Mesh> {
        self.expect(path, value, JsonType::Object)?;
        let own = ["offset", "count", "base_index", "min_index", "max_index", "material_index", "name"];
        let mut fields = Fields::new(own, path);
        let mut mesh = Mesh::default();
        for (key, value) in value.entries() {
            let field = fields.take(self, &key, value)?;
            let path = path.field(field);
            match field {
                "name" => mesh.name = Some(self.text(&path, value)?),
                "offset" => mesh.offset = self.integer(&path, value, i64::MAX.cast_unsigned())?,
                "count" => mesh.count = self.word(&path, value)?,
                "base_index" => mesh.base_index = self.word(&path, value)?,
                "min_index" => mesh.min_index = self.word(&path, value)?,
                "max_index" => mesh.max_index = self.word(&path, value)?,
                "material_index" => mesh.material_index = self.word(&path, value)?,
                _ => {}
            }
        }
        match fields.missing().find(|field| *field != "name") {
            Some(field) => Err(self.wrong(&path.field(field), value, "a mesh needs this field")),
            None => Ok(mesh),
        }
    }

    fn matrix(&mut self, path: &FieldPath<'_>, value: JsonValue<'_, '_>) -> Step<[[F32; 4]; 4]> {
        let mut out = [[F32::default(); 4]; 4];
        self.expect_four(path, value, "columns")?;
        for (c, (column, cells)) in out.iter_mut().zip(value.items()).enumerate() {
            let path = path.index(c);
            self.expect_four(&path, cells, "numbers")?;
            for (r, (cell, value)) in column.iter_mut().zip(cells.items()).enumerate() {
                let path = path.index(r);
                self.expect(&path, value, JsonType::Number)?;
                if let Some(whole) = value.as_i64() {
                    let message = format!("{whole} is an integer: the engine's loader reads it as 0.0");
                    self.note(&path, value.offset(), message)?;
                }
                #[expect(clippy::cast_possible_truncation, reason = "the engine stores matrices as binary32")]
                let number = value.as_f64().unwrap_or(f64::INFINITY) as f32;
                if !number.is_finite() {
                    return Err(self.wrong(&path, value, "a number beyond 32 bits"));
                }
                *cell = F32::new(number);
            }
        }
        Ok(out)
    }

    fn expect_four(&self, path: &FieldPath<'_>, value: JsonValue<'_, '_>, what: &str) -> Step<()> {
        self.expect(path, value, JsonType::Array)?;
        match value.items().count() {
            4 => Ok(()),
            count => Err(self.wrong(path, value, format!("expected four {what}, found {count}"))),
        }
    }

    /// Reads the tree of nodes, with an explicit stack of the lists of children.
    fn nodes<'d, 'a>(
        &mut self,
        table: &FieldPath<'_>,
        root: JsonValue<'d, 'a>,
    ) -> Step<(Vec<Node>, Vec<JsonValue<'d, 'a>>)> {
        let (mut nodes, mut values) = (Vec::new(), Vec::new());
        let mut open: Vec<(usize, Items<'d, 'a>)> = Vec::new();
        let mut next = Some((None, root));
        while let Some((parent, value)) = next {
            let number = nodes.len();
            let path = table.index(number);
            if open.len() >= MAX_NODE_DEPTH {
                let message = format!("more than {MAX_NODE_DEPTH} nested nodes");
                return Err(self.source.broken(rules::DEPTH, &path, value.offset(), message));
            }
            // A list that grows by doubling is in memory twice for a moment.
            let item = size_of::<(Node, JsonValue<'d, 'a>)>();
            self.source.charge(&path, value.offset(), "metadata", 3, item)?;
            values.push(value);
            let (node, children) = self.node(&path, value)?;
            nodes.push(Node { parent, ..node });
            if let Some(children) = children {
                self.source.charge(&path, value.offset(), "metadata", 3, size_of_val(&children))?;
                open.push((number, children));
            }
            next = None;
            while let Some((parent, children)) = open.last_mut() {
                if let Some(child) = children.next() {
                    next = Some((Some(*parent), child));
                    break;
                }
                open.pop();
            }
        }
        Ok((nodes, values))
    }

    /// Reads a node, without its position in the tree. Returns its children too.
    fn node<'d, 'a>(
        &mut self,
        path: &FieldPath<'_>,
        value: JsonValue<'d, 'a>,
    ) -> Step<(Node, Option<Items<'d, 'a>>)> {
        self.expect(path, value, JsonType::Object)?;
        let mut fields = Fields::new(["transform", "meshes", "children", "name"], path);
        let (mut node, mut children) = (Node::default(), None);
        for (key, value) in value.entries() {
            let field = fields.take(self, &key, value)?;
            let path = path.field(field);
            match field {
                "name" => node.name = Some(self.text(&path, value)?),
                "transform" => node.transform = self.matrix(&path, value)?,
                "meshes" => node.meshes = self.list(&path, value, |r, path, mesh| r.word(path, mesh))?,
                "children" => {
                    self.expect(&path, value, JsonType::Array)?;
                    children = Some(value.items());
                }
                _ => {}
            }
        }
        for field in fields.missing() {
            match field {
                "transform" => return Err(self.wrong(&path.field(field), value, "a node needs this field")),
                "name" => {}
                _ => self.note(&path.field(field), value.offset(), "the engine's loader needs this field")?,
            }
        }
        Ok((node, children))
    }
}

/// The offsets of a mesh's fields in the companion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeshFields {
    pub(crate) start: u64,
    pub(crate) offset: u64,
    pub(crate) count: u64,
    pub(crate) base: u64,
}

/// Returns the offsets of the companion's meshes and their fields. The result is empty if the text cannot be
/// read.
pub(crate) fn mesh_fields(text: &[u8]) -> Vec<MeshFields> {
    let budget = Budget::new(Limits::default());
    let source = Source::part(STREAM, text, CODES, &budget);
    // Text that cannot be read was rejected before.
    let Ok(json) = Json::parse(text, &source, 0, &FieldPath::ROOT, &GRAMMAR) else { return Vec::new() };
    let meshes = json.root().get("meshes").into_iter().flat_map(JsonValue::items);
    let fields = |mesh: JsonValue<'_, '_>| {
        let at = |name| mesh.get(name).map_or(0, |value| value.offset());
        MeshFields { start: mesh.offset(), offset: at("offset"), count: at("count"), base: at("base_index") }
    };
    meshes.map(fields).collect()
}

/// The objects of a companion's meshes and nodes.
struct CompanionObjects<'d, 'a> {
    meshes: Option<JsonValue<'d, 'a>>,
    nodes: &'d [JsonValue<'d, 'a>],
}

impl rules::FieldOffsets for CompanionObjects<'_, '_> {
    fn offset(&self, table: &'static str, item: usize, field: &'static str) -> Option<u64> {
        let object = match table {
            "meshes" => self.meshes?.items().nth(item)?,
            _ => *self.nodes.get(item)?,
        };
        Some(object.get(field).unwrap_or(object).offset())
    }
}

impl Metadata {
    /// Reads a companion file within the default limits.
    ///
    /// # Errors
    /// If the engine's loader would reject the text, or it would take more memory than the default limits
    /// allow.
    pub fn parse(text: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(text, &ReadOptions::default()).map(|parsed| parsed.model)
    }

    /// Reads a companion file. A lenient reader forgives nothing more.
    ///
    /// # Errors
    /// If the engine's loader would reject the text, or it would take more memory than the options allow.
    pub fn parse_with(text: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let metadata = read(text, &Budget::new(options.limits), &mut Findings::reading(options))?;
        Ok(Parsed::new(metadata, Report::new()))
    }

    /// Reads the companion of a model that is being read.
    pub(crate) fn read(text: &[u8], budget: &Budget) -> Result<Self, ReadError> {
        read(text, budget, &mut Findings::writing())
    }

    /// Returns how certainly the bytes are a companion file: JSON whose first key is one of its own.
    pub fn sniff(text: &[u8]) -> Confidence {
        let rest = text.trim_ascii_start().strip_prefix(b"{").map_or(&[][..], <[u8]>::trim_ascii_start);
        let own = [&b"\"materials\""[..], b"\"meshes\"", b"\"root_node\""];
        if own.iter().any(|key| rest.starts_with(key)) { Confidence::Likely } else { Confidence::No }
    }
}

impl FileFormat for Metadata {
    const ID: &'static str = "fso-json";
    const TITLE: &'static str = "FSOMODEL companion";
    const EXTENSIONS: &'static [&'static str] = &["json"];
    const RULES: &'static [&'static meshwright_core::Rule] = rules::RULES;

    const HOLDS_MODEL: bool = false;

    type Options = ReadOptions;

    meshwright_core::own_verbs!();
}

/// Reads a companion file and records findings in `notes`.
pub(super) fn read(text: &[u8], budget: &Budget, notes: &mut Findings) -> Result<Metadata, ReadError> {
    let source = Source::part(STREAM, text, CODES, budget);
    source.charge(&FieldPath::ROOT, 0, "metadata", text.len() as u64, 1)?;
    let json = Json::parse(text, &source, 0, &FieldPath::ROOT, &GRAMMAR)?;
    let (root, top) = (json.root(), FieldPath::ROOT);
    let mut reader = Reader { source: &source, notes };
    reader.expect(&top, root, JsonType::Object)?;
    let mut fields = Fields::new(["materials", "meshes", "root_node"], &top);
    let (mut metadata, mut nodes) = (Metadata::default(), Vec::new());
    for (key, value) in root.entries() {
        match fields.take(&reader, &key, value)? {
            field @ "materials" => {
                metadata.materials = reader.list(&top.field(field), value, |r, p, v| r.material(p, v))?;
            }
            field @ "meshes" => {
                metadata.meshes = reader.list(&top.field(field), value, |r, p, v| r.mesh(p, v))?;
            }
            "root_node" => (metadata.nodes, nodes) = reader.nodes(&top.field("nodes"), value)?,
            _ => {}
        }
    }
    for field in fields.missing() {
        match field {
            "meshes" => return Err(reader.wrong(&top.field(field), root, "a companion needs this field")),
            "materials" => {
                reader.note(&top.field(field), root.offset(), "the engine's loader needs this field")?;
            }
            _ => {}
        }
    }
    metadata.text = SourceBytes(text.to_vec());
    let places = CompanionObjects { meshes: root.get("meshes"), nodes: &nodes };
    rules::check_at(&metadata, &places, &mut Findings::writing())?;
    Ok(metadata)
}
