//! Writes the companion file.

use super::model::{Metadata, Node};
use super::read::read;
use super::rules;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use meshwright_core::json::Quoted;
use meshwright_core::{Budget, F32, FieldPath, Findings, Limits, WriteError};

/// JSON under construction: indented, one field per line.
struct Text {
    out: String,
    depth: usize,
    /// True if the open array or object is still empty.
    first: bool,
    /// The maximum length of the text.
    most: usize,
    /// True if the text would have become longer than that.
    full: bool,
}

/// Writing never fails. If the text has no room, it is cut and [`full`](Text::full) is set.
impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.full |= self.out.len().saturating_add(text.len()) > self.most;
        if !self.full {
            self.out.push_str(text);
        }
        Ok(())
    }
}

impl Text {
    const fn new(most: usize) -> Self {
        Self { out: String::new(), depth: 0, first: false, most, full: false }
    }

    fn push(&mut self, text: &str) {
        let _ = self.write_str(text);
    }

    fn line(&mut self) {
        self.push("\n");
        let depth = if self.full { 0 } else { self.depth };
        for _ in 0..depth {
            self.push("    ");
        }
    }

    /// Starts the line of the next item.
    fn item(&mut self) {
        if !core::mem::take(&mut self.first) {
            self.push(",");
        }
        self.line();
    }

    fn key(&mut self, name: &str) {
        self.item();
        self.string(name);
        self.push(": ");
    }

    fn open(&mut self, bracket: &str) {
        self.push(bracket);
        self.depth = self.depth.saturating_add(1);
        self.first = true;
    }

    fn close(&mut self, bracket: &str) {
        self.depth = self.depth.saturating_sub(1);
        if !core::mem::take(&mut self.first) {
            self.line();
        }
        self.push(bracket);
    }

    fn string(&mut self, text: &str) {
        let _ = write!(self, "{}", Quoted(text));
    }

    fn integer(&mut self, key: &str, value: u64) {
        self.key(key);
        let _ = write!(self, "{value}");
    }

    fn optional(&mut self, key: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.key(key);
            self.string(value);
        }
    }

    /// Writes a number with a fraction or an exponent, because the engine's loader reads an integer as 0.
    fn real(&mut self, value: F32) {
        self.item();
        let _ = write!(self, "{:?}", f64::from(value.get()));
    }
}

impl Metadata {
    /// Writes the companion file: the original text if it still means the same, otherwise a new text. Fields
    /// that this crate does not know are only in the original text.
    ///
    /// # Errors
    /// If a reader would reject the companion file, or JSON cannot hold a value.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        if let Some(text) = self.text() {
            let budget = Budget::new(Limits::UNLIMITED);
            if read(text, &budget, &mut Findings::writing()).is_ok_and(|said| said == *self) {
                return Ok(text.to_vec());
            }
        }
        self.to_canonical()
    }

    /// Writes a new text of the companion file.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    pub fn to_canonical(&self) -> Result<Vec<u8>, WriteError> {
        let text = self.text_within(usize::MAX)?;
        Ok(text.out.into_bytes())
    }

    /// Writes a new text of the companion file, charged to a budget.
    #[cfg(feature = "scene")]
    pub(crate) fn to_text(&self, budget: &Budget) -> Result<Vec<u8>, WriteError> {
        let left = budget.remaining();
        // A growing text is in memory twice, and the second copy has twice the capacity.
        let most = usize::try_from(left / 3).unwrap_or(usize::MAX);
        let text = self.text_within(most)?;
        let wanted = match text.full {
            true => left.saturating_add(1),
            false => (text.out.len() as u64).saturating_mul(3),
        };
        budget.charge("the companion", wanted)?;
        Ok(text.out.into_bytes())
    }

    fn text_within(&self, most: usize) -> Result<Text, WriteError> {
        rules::check(self, &mut Findings::writing())?;
        self.check_text()?;
        let mut t = Text::new(most);
        t.open("{");
        t.key("materials");
        t.open("[");
        for material in &self.materials {
            t.item();
            t.open("{");
            t.optional("name", material.name.as_ref());
            t.optional("diffuse_texture", material.diffuse_texture.as_ref());
            t.close("}");
        }
        t.close("]");
        t.key("meshes");
        t.open("[");
        for mesh in &self.meshes {
            t.item();
            t.open("{");
            t.optional("name", mesh.name.as_ref());
            t.integer("offset", mesh.offset);
            t.integer("count", mesh.count.into());
            t.integer("base_index", mesh.base_index.into());
            t.integer("min_index", mesh.min_index.into());
            t.integer("max_index", mesh.max_index.into());
            t.integer("material_index", mesh.material_index.into());
            t.close("}");
        }
        t.close("]");
        if !self.nodes.is_empty() {
            t.key("root_node");
            self.tree(&mut t);
        }
        t.close("}");
        t.push("\n");
        Ok(t)
    }

    /// Writes the nodes in order. Before a node, the lists that do not contain it are closed.
    fn tree(&self, t: &mut Text) {
        let depths = self.depths().unwrap_or_default();
        for (i, (node, &depth)) in self.nodes.iter().zip(&depths).enumerate() {
            if i > 0 {
                t.item();
            }
            t.open("{");
            put_node(t, node);
            t.key("children");
            t.open("[");
            let next = depths.get(i.saturating_add(1)).copied().unwrap_or(0);
            for _ in next..=depth {
                t.close("]");
                t.close("}");
            }
        }
    }

    /// Checks that JSON and the loader's library can store all texts and numbers.
    fn check_text(&self) -> Result<(), WriteError> {
        let tables = [
            FieldPath::ROOT.field("materials"),
            FieldPath::ROOT.field("meshes"),
            FieldPath::ROOT.field("nodes"),
        ];
        let [materials, meshes, nodes] = &tables;
        let names = (self.materials.iter().enumerate())
            .flat_map(|(i, m)| {
                [(materials, i, "name", &m.name), (materials, i, "diffuse_texture", &m.diffuse_texture)]
            })
            .chain(self.meshes.iter().enumerate().map(|(i, m)| (meshes, i, "name", &m.name)))
            .chain(self.nodes.iter().enumerate().map(|(i, n)| (nodes, i, "name", &n.name)));
        for (table, i, field, text) in names {
            if text.as_ref().is_some_and(|t| t.contains('\0')) {
                return Err(WriteError::invalid(
                    rules::TEXT,
                    &table.index(i).field(field),
                    "text that holds a NUL",
                ));
            }
        }
        for (i, mesh) in self.meshes.iter().enumerate() {
            let path = meshes.index(i);
            WriteError::fit(&path.field("offset"), "offset", mesh.offset, i64::MAX.cast_unsigned())?;
        }
        Ok(())
    }
}

fn put_node(t: &mut Text, node: &Node) {
    t.optional("name", node.name.as_ref());
    t.key("transform");
    t.open("[");
    for column in &node.transform {
        t.item();
        t.open("[");
        for cell in column {
            t.real(*cell);
        }
        t.close("]");
    }
    t.close("]");
    t.key("meshes");
    t.open("[");
    for mesh in &node.meshes {
        t.item();
        let _ = write!(t, "{mesh}");
    }
    t.close("]");
}
