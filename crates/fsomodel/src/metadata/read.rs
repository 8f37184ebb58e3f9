//! Reading the companion. Keys come in any order; those that mean nothing here are passed over and kept in the text.

use super::json::{Json, Number};
use super::model::{MAX_NODE_DEPTH, Material, Mesh, Metadata, Node, Text};
use super::rules::{self, STREAM};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{
    Budget, Codes, Confidence, F32, FileFormat, Findings, Limits, Parsed, Path, Place, ReadError,
    ReadOptions, Report, Source,
};

type Step<T> = Result<T, ReadError>;

const CODES: Codes = Codes { short: rules::TRUNCATED, count: rules::TRUNCATED, limit: rules::DEPTH };

/// A field that may stand once.
fn once<T>(
    json: &mut Json<'_, '_>,
    path: &Path<'_>,
    slot: &mut Option<T>,
    read: impl FnOnce(&mut Json<'_, '_>, &Path<'_>) -> Step<T>,
) -> Step<()> {
    if slot.is_some() {
        return Err(json.wrong(path, "a second field of this name"));
    }
    *slot = Some(read(json, path)?);
    Ok(())
}

fn text(json: &mut Json<'_, '_>, path: &Path<'_>) -> Step<String> {
    json.string(path)
}

fn word(json: &mut Json<'_, '_>, path: &Path<'_>) -> Step<u32> {
    let value = json.integer(path, u32::MAX.into())?;
    Ok(u32::try_from(value).unwrap_or(u32::MAX))
}

/// A push whose memory is charged first, three times because vectors grow by doubling and are there twice then.
fn push<T>(source: &Source<'_>, path: &Path<'_>, at: u64, list: &mut Vec<T>, item: T) -> Step<()> {
    source.charge(path, at, "metadata", 3, size_of::<T>())?;
    list.push(item);
    Ok(())
}

/// Reads what one companion says.
struct Reader<'n> {
    /// Collects what is odd.
    notes: &'n mut Findings,
    /// Where meshes and nodes start in the text.
    meshes_at: Vec<u64>,
    nodes_at: Vec<u64>,
}

impl Reader<'_> {
    fn note(&mut self, path: &Path<'_>, at: u64, message: String) -> Step<()> {
        self.notes.broken(rules::LOADER, path, Place::part(STREAM, at), || message)
    }

    fn material(&self, json: &mut Json<'_, '_>, path: &Path<'_>) -> Step<Material> {
        json.open(path, b'{', "a material")?;
        let (mut name, mut texture, mut first) = (None, None, true);
        while let Some(key) = json.key(path, &mut first)? {
            match key.as_str() {
                "name" => once(json, &path.field("name"), &mut name, text)?,
                "diffuse_texture" => once(json, &path.field("diffuse_texture"), &mut texture, text)?,
                _ => json.skip(path)?,
            }
        }
        Ok(Material { name, diffuse_texture: texture })
    }

    fn mesh(&mut self, json: &mut Json<'_, '_>, path: &Path<'_>) -> Step<Mesh> {
        let at = json.offset();
        self.meshes_at.push(at);
        json.open(path, b'{', "a mesh")?;
        let (mut name, mut offset, mut first) = (None, None, true);
        let [mut count, mut base, mut min, mut max, mut material] = [None; 5];
        while let Some(key) = json.key(path, &mut first)? {
            match key.as_str() {
                "name" => once(json, &path.field("name"), &mut name, text)?,
                "offset" => {
                    once(json, &path.field("offset"), &mut offset, |j, p| {
                        j.integer(p, i64::MAX.cast_unsigned())
                    })?;
                }
                "count" => once(json, &path.field("count"), &mut count, word)?,
                "base_index" => once(json, &path.field("base_index"), &mut base, word)?,
                "min_index" => once(json, &path.field("min_index"), &mut min, word)?,
                "max_index" => once(json, &path.field("max_index"), &mut max, word)?,
                "material_index" => once(json, &path.field("material_index"), &mut material, word)?,
                _ => json.skip(path)?,
            }
        }
        let need = |field: &'static str, v: Option<u32>| {
            v.ok_or_else(|| json.wrong_at(&path.field(field), at, "a mesh needs this field"))
        };
        let (count, base_index) = (need("count", count)?, need("base_index", base)?);
        let (min_index, max_index) = (need("min_index", min)?, need("max_index", max)?);
        let material_index = need("material_index", material)?;
        let offset =
            offset.ok_or_else(|| json.wrong_at(&path.field("offset"), at, "a mesh needs this field"))?;
        Ok(Mesh { name, offset, count, base_index, min_index, max_index, material_index })
    }

    fn matrix(&mut self, json: &mut Json<'_, '_>, path: &Path<'_>) -> Step<[[F32; 4]; 4]> {
        let mut out = [[F32::default(); 4]; 4];
        let mut first = true;
        json.open(path, b'[', "four columns")?;
        for (c, column) in out.iter_mut().enumerate() {
            if !json.item(path, &mut first)? {
                return Err(json.wrong(path, "a matrix of fewer than four columns"));
            }
            let path = path.index(c);
            let mut first = true;
            json.open(&path, b'[', "a column of four")?;
            for (r, cell) in column.iter_mut().enumerate() {
                if !json.item(&path, &mut first)? {
                    return Err(json.wrong(&path, "a column of fewer than four"));
                }
                let path = path.index(r);
                let at = json.offset();
                let value = match json.number(&path)? {
                    Number::Real(v) => v,
                    Number::Integer(v) => {
                        self.note(
                            &path,
                            at,
                            format!("{v} is an integer: the engine's loader reads it as 0.0"),
                        )?;
                        #[expect(clippy::cast_precision_loss, reason = "rounded to binary32 in any case")]
                        let real = v as f64;
                        real
                    }
                };
                #[expect(clippy::cast_possible_truncation, reason = "the engine stores matrices as binary32")]
                let value = value as f32;
                if !value.is_finite() {
                    return Err(json.wrong_at(&path, at, "a number beyond 32 bits"));
                }
                *cell = F32::new(value);
            }
            if json.item(&path, &mut first)? {
                return Err(json.wrong(&path, "a column of more than four"));
            }
        }
        if json.item(path, &mut first)? {
            return Err(json.wrong(path, "a matrix of more than four columns"));
        }
        Ok(out)
    }

    /// A list of `item`s.
    fn list<T>(
        &mut self,
        source: &Source<'_>,
        json: &mut Json<'_, '_>,
        path: &Path<'_>,
        mut item: impl FnMut(&mut Self, &mut Json<'_, '_>, &Path<'_>) -> Step<T>,
    ) -> Step<Vec<T>> {
        json.open(path, b'[', "an array")?;
        let (mut list, mut first) = (Vec::new(), true);
        while json.item(path, &mut first)? {
            let at = json.offset();
            let read = item(self, json, &path.index(list.len()))?;
            push(source, path, at, &mut list, read)?;
        }
        Ok(list)
    }

    /// The tree of nodes, with an explicit stack of what is open.
    fn nodes(&mut self, source: &Source<'_>, json: &mut Json<'_, '_>, table: &Path<'_>) -> Step<Vec<Node>> {
        let mut tree = Tree::default();
        self.start_node(source, json, table, &mut tree)?;
        while let Some(top) = tree.open.last_mut() {
            let path = table.index(top.node);
            if top.children {
                if json.item(&path.field("children"), &mut top.first)? {
                    self.start_node(source, json, table, &mut tree)?;
                } else {
                    tree.open.pop();
                }
            } else if let Some(key) = json.key(&path, &mut top.first)? {
                self.node_field(source, json, &path, &key, &mut tree)?;
            } else {
                self.end_node(json, &path, top)?;
                tree.open.pop();
            }
        }
        Ok(tree.nodes)
    }

    fn start_node(
        &mut self,
        source: &Source<'_>,
        json: &mut Json<'_, '_>,
        table: &Path<'_>,
        tree: &mut Tree,
    ) -> Step<()> {
        let number = tree.nodes.len();
        let path = table.index(number);
        let at = json.offset();
        json.open(&path, b'{', "a node")?;
        // Each has its object and its list of children open.
        if tree.open.len() / 2 >= MAX_NODE_DEPTH {
            return Err(json.too_deep(&path));
        }
        let parent = tree.open.last().map(|o| o.node);
        self.nodes_at.push(at);
        push(source, &path, at, &mut tree.nodes, Node { parent, ..Node::default() })?;
        push(source, &path, at, &mut tree.open, Open::object(number, at))
    }

    /// A field of the innermost node.
    fn node_field(
        &mut self,
        source: &Source<'_>,
        json: &mut Json<'_, '_>,
        path: &Path<'_>,
        key: &str,
        tree: &mut Tree,
    ) -> Step<()> {
        let Some(top) = tree.open.last_mut() else { return Ok(()) };
        let Some(node) = tree.nodes.get_mut(top.node) else { return Ok(()) };
        let mut again = |seen: &mut bool, field: &'static str| match core::mem::replace(seen, true) {
            true => Err(json.wrong(&path.field(field), "a second field of this name")),
            false => Ok(()),
        };
        match key {
            "name" => {
                again(&mut top.has.name, "name")?;
                node.name = Some(json.string(&path.field("name"))?);
            }
            "transform" => {
                again(&mut top.has.transform, "transform")?;
                node.transform = self.matrix(json, &path.field("transform"))?;
            }
            "meshes" => {
                again(&mut top.has.meshes, "meshes")?;
                node.meshes =
                    self.list(source, json, &path.field("meshes"), |_, json, path| word(json, path))?;
            }
            "children" => {
                again(&mut top.has.children, "children")?;
                let path = path.field("children");
                json.open(&path, b'[', "an array")?;
                let (number, at) = (top.node, json.offset());
                push(source, &path, at, &mut tree.open, Open::children(number, at))?;
            }
            _ => json.skip(path)?,
        }
        Ok(())
    }

    /// What a node lacks at its end.
    fn end_node(&mut self, json: &Json<'_, '_>, path: &Path<'_>, node: &Open) -> Step<()> {
        let Open { at, has, .. } = node;
        if !has.transform {
            return Err(json.wrong_at(&path.field("transform"), *at, "a node needs this field"));
        }
        for (field, there) in [("meshes", has.meshes), ("children", has.children)] {
            if !there {
                self.note(&path.field(field), *at, "the engine's loader needs this field".into())?;
            }
        }
        Ok(())
    }
}

/// The nodes so far, and the way to the innermost.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    open: Vec<Open>,
}

/// An object of a node, or its list of children.
struct Open {
    node: usize,
    children: bool,
    first: bool,
    at: u64,
    has: Has,
}

/// Fields of a node that were there.
#[derive(Default)]
struct Has {
    name: bool,
    transform: bool,
    meshes: bool,
    children: bool,
}

impl Open {
    fn object(node: usize, at: u64) -> Self {
        Self { node, children: false, first: true, at, has: Has::default() }
    }

    fn children(node: usize, at: u64) -> Self {
        Self { children: true, ..Self::object(node, at) }
    }
}

/// Where the fields of a mesh stand in the companion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeshFields {
    pub(crate) start: u64,
    pub(crate) offset: u64,
    pub(crate) count: u64,
    pub(crate) base: u64,
}

/// Where the companion's meshes and their fields stand, as far as the text can be read.
pub(crate) fn mesh_fields(text: &[u8]) -> Vec<MeshFields> {
    let budget = Budget::new(Limits::default());
    let source = Source::part(STREAM, text, CODES, &budget);
    let mut found = Vec::new();
    // What cannot be read was refused before.
    let _ = each_mesh(&mut Json::new(&source), &mut found);
    found
}

fn each_mesh(json: &mut Json<'_, '_>, found: &mut Vec<MeshFields>) -> Step<()> {
    let (root, mut first) = (&Path::ROOT, true);
    json.open(root, b'{', "an object")?;
    while let Some(key) = json.key(root, &mut first)? {
        if key != "meshes" {
            json.skip(root)?;
            continue;
        }
        let mut first_item = true;
        json.open(root, b'[', "an array")?;
        while json.item(root, &mut first_item)? {
            let (mut fields, mut first_key) =
                (MeshFields { start: json.offset(), ..MeshFields::default() }, true);
            json.open(root, b'{', "a mesh")?;
            while let Some(key) = json.key(root, &mut first_key)? {
                match key.as_str() {
                    "offset" => fields.offset = json.offset(),
                    "count" => fields.count = json.offset(),
                    "base_index" => fields.base = json.offset(),
                    _ => {}
                }
                json.skip(root)?;
            }
            found.push(fields);
        }
    }
    Ok(())
}

/// Where the value of a field stands in the object at `start`.
fn field_at(text: &[u8], start: u64, field: &str) -> Option<u64> {
    let budget = Budget::new(Limits::default());
    let object = text.get(usize::try_from(start).ok()?..)?;
    let source = Source::part(STREAM, object, CODES, &budget);
    let (mut json, root, mut first) = (Json::new(&source), &Path::ROOT, true);
    json.open(root, b'{', "an object").ok()?;
    while let Some(key) = json.key(root, &mut first).ok()? {
        if key == field {
            return Some(start.saturating_add(json.offset()));
        }
        json.skip(root).ok()?;
    }
    None
}

impl rules::Where for (&[u8], &Reader<'_>) {
    fn at(&self, table: &'static str, item: usize, field: &'static str) -> Option<u64> {
        let (text, reader) = self;
        let starts = if table == "meshes" { &reader.meshes_at } else { &reader.nodes_at };
        let start = starts.get(item).copied().unwrap_or(0);
        Some(field_at(text, start, field).unwrap_or(start))
    }
}

impl Metadata {
    /// Reads a companion, within default limits.
    ///
    /// # Errors
    /// When the text is not what the engine's loader takes, or would take more memory than the default limits allow.
    pub fn parse(text: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(text, &ReadOptions::default()).map(|parsed| parsed.model)
    }

    /// Reads a companion. A lenient reader passes over nothing more.
    ///
    /// # Errors
    /// When the text is not what the engine's loader takes, or would take more memory than the options allow.
    pub fn parse_with(text: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let metadata = read(text, &Budget::new(options.limits), &mut Findings::reading(options))?;
        Ok(Parsed::new(metadata, Report::new()))
    }

    /// Reads the companion of a model that is being read.
    pub(crate) fn read(text: &[u8], budget: &Budget) -> Result<Self, ReadError> {
        read(text, budget, &mut Findings::writing())
    }

    /// How sure the bytes make that they are a companion: JSON whose first key is one of its own.
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

/// Reads a companion; what is odd in it goes to `notes`.
pub(super) fn read(text: &[u8], budget: &Budget, notes: &mut Findings) -> Result<Metadata, ReadError> {
    let source = Source::part(STREAM, text, CODES, budget);
    let root = &Path::ROOT;
    source.charge(root, 0, "metadata", text.len() as u64, 1)?;
    let mut json = Json::new(&source);
    let mut reader = Reader { notes, meshes_at: Vec::new(), nodes_at: Vec::new() };
    json.open(root, b'{', "an object")?;
    let (mut materials, mut meshes, mut nodes, mut first) = (None, None, None, true);
    while let Some(key) = json.key(root, &mut first)? {
        match key.as_str() {
            "materials" => once(&mut json, &root.field("materials"), &mut materials, |json, path| {
                reader.list(&source, json, path, |r, json, path| r.material(json, path))
            })?,
            "meshes" => once(&mut json, &root.field("meshes"), &mut meshes, |json, path| {
                reader.list(&source, json, path, Reader::mesh)
            })?,
            "root_node" => once(&mut json, &root.field("nodes"), &mut nodes, |json, path| {
                reader.nodes(&source, json, path)
            })?,
            _ => json.skip(root)?,
        }
    }
    json.end(root)?;
    let meshes =
        meshes.ok_or_else(|| json.wrong_at(&root.field("meshes"), 0, "a companion needs this field"))?;
    if materials.is_none() {
        reader.note(&root.field("materials"), 0, "the engine's loader needs this field".into())?;
    }
    let (materials, nodes) = (materials.unwrap_or_default(), nodes.unwrap_or_default());
    let metadata = Metadata { materials, meshes, nodes, text: Text(Some(text.to_vec())) };
    rules::check_at(&metadata, &(text, &reader), &mut Findings::writing())?;
    Ok(metadata)
}
