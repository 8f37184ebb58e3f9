//! Writes a tree as JSON that a person can edit: short values on one line, a row of numbers on a line.

use super::schema::{FieldKind, Number, integer};
use super::tree::{Instance, Node, Slot, Tree};
use meshwright_core::description::{Row, Table};
use meshwright_core::json::Quoted;
use meshwright_core::text::acts_on_terminal;
use std::io::{self, Write};

/// The length of a line that a value may have.
const LINE: usize = 140;
/// The bytes on a line of hexadecimal digits.
const HEX: usize = 48;

/// A value that can be written on one line or on several.
pub(super) enum Shown<'t> {
    Node(&'t Tree<'t>, usize, &'t Slot),
    Instance(&'t Tree<'t>, usize),
    Record(&'t Tree<'t>, usize, u64, &'static Table),
    Numbers(&'t Tree<'t>, usize, u64, Number, u64, u64),
    Name(&'t [u8]),
    Bytes(&'t [u8]),
    Hex(&'t [u8]),
    Text(&'t str),
    Lines(Vec<&'t [u8]>),
    Integer(i128),
    List(Vec<Self>),
    Object(Vec<(&'static str, Self)>),
    Null,
}

/// The target of a value, with its indentation. On one line it is limited.
struct Target<'o> {
    out: &'o mut dyn Write,
    /// The depth of the indentation; `None` on one line.
    depth: Option<usize>,
    left: usize,
}

/// Writes a value on several lines.
pub(super) fn write(out: &mut dyn Write, value: &Shown<'_>) -> io::Result<()> {
    Target { out, depth: Some(0), left: usize::MAX }.value(value)
}

impl Target<'_> {
    fn write_str(&mut self, text: &str) -> io::Result<()> {
        if self.depth.is_none() {
            self.left = self.left.checked_sub(text.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        }
        self.out.write_all(text.as_bytes())
    }

    fn value(&mut self, value: &Shown<'_>) -> io::Result<()> {
        if let Some(depth) = self.depth {
            let mut line = Vec::new();
            let left = LINE.saturating_sub(depth.saturating_mul(2));
            if (Target { out: &mut line, depth: None, left }).direct(value).is_ok() {
                return self.out.write_all(&line);
            }
        }
        self.direct(value)
    }

    fn direct(&mut self, value: &Shown<'_>) -> io::Result<()> {
        match value {
            Shown::Null => self.write_str("null"),
            Shown::Integer(n) => self.write_str(&n.to_string()),
            Shown::Text(text) => self.text(text),
            Shown::Name(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => self.text(text),
                Err(_) => self.hex(bytes),
            },
            Shown::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text)
                    if !text.is_empty()
                        && !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) =>
                {
                    self.text(text)
                }
                _ => self.hex(bytes),
            },
            Shown::Hex(bytes) => self.hex(bytes),
            Shown::Lines(lines) => {
                self.list(lines.len(), &|out, i| out.value(&Shown::Name(lines.get(i).unwrap_or(&&[][..]))))
            }
            Shown::List(items) => {
                self.list(items.len(), &|out, i| out.value(items.get(i).unwrap_or(&Shown::Null)))
            }
            Shown::Object(fields) => self.object(fields),
            Shown::Instance(tree, id) => self.instance(tree, *id),
            Shown::Record(tree, source, at, table) => self.record(tree, *source, *at, table),
            Shown::Numbers(tree, source, at, number, _, 0) => self.number(tree, *source, *at, *number),
            Shown::Numbers(tree, source, at, number, count, columns) => {
                self.numbers(tree, *source, *at, *number, *count, *columns)
            }
            Shown::Node(tree, source, slot) => self.node(tree, *source, slot),
        }
    }

    /// Writes a text. Characters that act on a terminal are escaped.
    fn text(&mut self, text: &str) -> io::Result<()> {
        let quoted = Quoted(text).to_string();
        if !quoted.chars().any(acts_on_terminal) {
            return self.write_str(&quoted);
        }
        let mut safe = String::with_capacity(quoted.len());
        for c in quoted.chars() {
            if acts_on_terminal(c) {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| safe.push_str(&format!("\\u{unit:04x}")));
            } else {
                safe.push(c);
            }
        }
        self.write_str(&safe)
    }

    fn hex(&mut self, bytes: &[u8]) -> io::Result<()> {
        let digits = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        if bytes.len() <= HEX {
            return self.write_str(&format!("{{\"hex\": \"{}\"}}", digits(bytes)));
        }
        self.write_str("{\"hex\": ")?;
        let rows: Vec<_> = bytes.chunks(HEX).collect();
        self.list(rows.len(), &|out, i| {
            out.write_str(&format!("\"{}\"", digits(rows.get(i).unwrap_or(&&[][..]))))
        })?;
        self.write_str("}")
    }

    /// Begins a line, or an item on the line.
    fn separate(&mut self, is_first: bool, deeper: bool) -> io::Result<()> {
        let comma = if is_first { "" } else { "," };
        match self.depth {
            None => self.write_str(if is_first { "" } else { ", " }),
            Some(depth) => {
                let depth = if deeper { depth.saturating_add(1) } else { depth };
                self.write_str(&format!("{comma}\n{}", "  ".repeat(depth)))
            }
        }
    }

    fn deeper(&mut self) -> Target<'_> {
        Target { out: self.out, depth: self.depth.map(|d| d.saturating_add(1)), left: self.left }
    }

    /// Runs the writer of an item, one step deeper.
    fn item(&mut self, write: impl FnOnce(&mut Target<'_>) -> io::Result<()>) -> io::Result<()> {
        let mut deeper = self.deeper();
        let written = write(&mut deeper);
        self.left = deeper.left;
        written
    }

    fn list(
        &mut self,
        count: usize,
        item: &dyn Fn(&mut Target<'_>, usize) -> io::Result<()>,
    ) -> io::Result<()> {
        self.write_str("[")?;
        for i in 0..count {
            self.separate(i == 0, true)?;
            self.item(|out| item(out, i))?;
        }
        if count > 0 {
            self.separate(true, false)?;
        }
        self.write_str("]")
    }

    fn object(&mut self, fields: &[(&'static str, Shown<'_>)]) -> io::Result<()> {
        self.write_str("{")?;
        for (i, (name, value)) in fields.iter().enumerate() {
            self.separate(i == 0, true)?;
            self.write_str(&format!("\"{name}\": "))?;
            self.item(|out| out.value(value))?;
        }
        if !fields.is_empty() {
            self.separate(true, false)?;
        }
        self.write_str("}")
    }

    fn instance(&mut self, tree: &Tree<'_>, id: usize) -> io::Result<()> {
        let Some(held) = tree.instances.get(id) else { return self.write_str("null") };
        let Some(structure) = tree.schema.structure(held.structure) else { return self.write_str("null") };
        if structure.is_transparent()
            && let Some(slot) = held.slots.first()
        {
            return self.node(tree, held.source, slot);
        }
        if let Some(text) = string_of(tree, held) {
            return self.direct(&Shown::Name(text));
        }
        let mut fields = Vec::new();
        for (part, slot) in structure.parts.iter().zip(&held.slots) {
            let is_shown = match &slot.node {
                Node::Absent => false,
                Node::Numbers { single: true, .. } => !tree.derived.contains(&(held.source, slot.at)),
                Node::Records { table, single: true, .. } => !is_derived(tree, held.source, slot.at, table),
                _ => true,
            };
            if is_shown {
                fields.push((part.name, Shown::Node(tree, held.source, slot)));
            }
        }
        self.object(&fields)
    }

    fn node(&mut self, tree: &Tree<'_>, source: usize, slot: &Slot) -> io::Result<()> {
        let at = slot.at;
        let bytes = |len: u64| tree.bytes(source, at, len).unwrap_or_default();
        match &slot.node {
            Node::Absent | Node::Unread => self.write_str("null"),
            Node::Same { instance, part } => {
                let path = tree.path(*instance, *part);
                self.object(&[("same_as", Shown::Text(&path))])
            }
            Node::CString { len } | Node::Text { len } => self.direct(&Shown::Name(bytes(*len))),
            Node::Bytes { len } => self.direct(&Shown::Bytes(bytes(*len))),
            Node::Numbers { number, count, columns, single } => {
                if *single {
                    return self.number(tree, source, at, *number);
                }
                self.numbers(tree, source, at, *number, *count, *columns)
            }
            Node::Records { table, count: _, single: true } => self.record(tree, source, at, table),
            Node::Records { table, count, single: false } => {
                let size = table.size as u64;
                self.list(usize::try_from(*count).unwrap_or(0), &|out, i| {
                    let at = at.saturating_add((i as u64).saturating_mul(size));
                    out.value(&Shown::Record(tree, source, at, table))
                })
            }
            Node::Structure(id) => self.instance(tree, *id),
            Node::Structures(ids) => self.list(ids.len(), &|out, i| {
                out.value(&Shown::Instance(tree, ids.get(i).copied().unwrap_or(0)))
            }),
            Node::Packed { len, exact, source, inner } => {
                let inner = Slot { node: (**inner).clone(), at: 0 };
                let content = Shown::Node(tree, *source, &inner);
                if *exact {
                    return self.direct(&content);
                }
                let packed = Shown::Hex(bytes(*len));
                self.object(&[("content", content), ("packed", packed)])
            }
            Node::Limited { inner, rest, rest_at } => {
                let inner = Slot { node: (**inner).clone(), at };
                let inner = Shown::Node(tree, source, &inner);
                if *rest == 0 {
                    return self.direct(&inner);
                }
                let rest = Shown::Hex(tree.bytes(source, *rest_at, *rest).unwrap_or_default());
                self.object(&[("content", inner), ("rest", rest)])
            }
        }
    }

    fn number(&mut self, tree: &Tree<'_>, source: usize, at: u64, number: Number) -> io::Result<()> {
        let text = tree
            .bytes(source, at, number.size())
            .and_then(|b| tree.schema.bits(b, number))
            .map(|b| number_text(b, number));
        self.write_str(text.as_deref().unwrap_or("null"))
    }

    fn numbers(
        &mut self,
        tree: &Tree<'_>,
        source: usize,
        at: u64,
        number: Number,
        count: u64,
        columns: u64,
    ) -> io::Result<()> {
        let size = number.size();
        let offset = |i: usize, size: u64| at.saturating_add((i as u64).saturating_mul(size));
        if columns > 1 {
            let rows = count.checked_div(columns).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            return self.list(rows, &|out, i| {
                out.value(&Shown::Numbers(
                    tree,
                    source,
                    offset(i, size.saturating_mul(columns)),
                    number,
                    columns,
                    1,
                ))
            });
        }
        self.list(usize::try_from(count).unwrap_or(0), &|out, i| {
            out.number(tree, source, offset(i, size), number)
        })
    }

    fn record(&mut self, tree: &Tree<'_>, source: usize, at: u64, table: &'static Table) -> io::Result<()> {
        let value = |row: &Row| field(tree, source, at.saturating_add(row.field.offset as u64), row);
        if let [only] = table.rows {
            return self.direct(&value(only));
        }
        let derived =
            |row: &&Row| !tree.derived.contains(&(source, at.saturating_add(row.field.offset as u64)));
        let fields: Vec<_> =
            table.rows.iter().filter(derived).map(|row| (row.field.name, value(row))).collect();
        self.object(&fields)
    }
}

/// Returns the value of a field.
fn field<'t>(tree: &'t Tree<'t>, source: usize, at: u64, row: &Row) -> Shown<'t> {
    match tree.schema.field(row) {
        Some(FieldKind::Numbers(number, 1)) => Shown::Numbers(tree, source, at, number, 1, 0),
        Some(FieldKind::Numbers(number, count)) => Shown::Numbers(tree, source, at, number, count, 1),
        Some(FieldKind::Text(size)) => padded(tree.bytes(source, at, size).unwrap_or_default()),
        Some(FieldKind::Record(table)) => Shown::Record(tree, source, at, table),
        None => Shown::Null,
    }
}

/// Returns a text of fixed size. Bytes after its end are shown if they are not zero.
fn padded(bytes: &[u8]) -> Shown<'_> {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let (text, rest) = bytes.split_at_checked(end).unwrap_or((bytes, &[]));
    if rest.iter().all(|b| *b == 0) {
        return Shown::Name(text);
    }
    Shown::Object(vec![("text", Shown::Name(text)), ("rest", Shown::Hex(rest))])
}

/// Returns the text of a structure that is only a text with its length, if the length is written in the usual way.
fn string_of<'t>(tree: &'t Tree<'_>, held: &Instance) -> Option<&'t [u8]> {
    let structure = tree.schema.structure(held.structure).filter(|s| s.is_string())?;
    let slot = held.slots.last()?;
    let Node::Text { len } = slot.node else { return None };
    let is_long = structure.parts.len() > 2;
    let has_long = held.slots.iter().rev().nth(1).is_some_and(|slot| !matches!(slot.node, Node::Absent));
    (!is_long || has_long == (len >= 255)).then(|| tree.bytes(held.source, slot.at, len))?
}

/// Returns true if all fields of a record follow from other parts.
fn is_derived(tree: &Tree<'_>, source: usize, at: u64, table: &Table) -> bool {
    table.rows.iter().all(|row| tree.derived.contains(&(source, at.saturating_add(row.field.offset as u64))))
}

/// Returns a number as JSON. Floats that are not numbers are their bits in quotes.
pub(super) fn number_text(bits: u64, number: Number) -> String {
    match number {
        Number::F32 => {
            let value = f32::from_bits(u32::try_from(bits).unwrap_or(0));
            if value.is_finite() { format!("{value:?}") } else { format!("\"{bits:#010x}\"") }
        }
        Number::F64 => {
            let value = f64::from_bits(bits);
            if value.is_finite() { format!("{value:?}") } else { format!("\"{bits:#018x}\"") }
        }
        // Words of 64 bits are packed.
        Number::U64 if bits > u64::from(u32::MAX) => format!("\"{bits:#018x}\""),
        _ => integer(bits, number).to_string(),
    }
}
