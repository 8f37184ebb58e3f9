//! `xtask describe [--check]`: descriptions of the formats for other programs, from the tables that the readers use.

mod fields;
mod imhex;
mod kaitai;
mod signatures;

use meshwright::{Format, Kind, Visitor};
use meshwright_core::description::{Description, Mark, Order, Part, Row, Scalar, Structure, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xtask::fixtures;
use xtask::sh::{self, Given};

const FOLDER: &str = "docs/descriptions";
/// Fixtures that are named are not larger.
const FIXTURE: u64 = 100_000;
/// glTF has descriptions of its own everywhere.
const KNOWN: &str = "gltf";

pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    let folder = root.join(FOLDER);
    let files = files(root)?.into_iter().map(|(name, text)| (folder.join(name), text.into_bytes()));
    fixtures::sync(std::slice::from_ref(&folder), &files.collect::<Vec<_>>(), given.has("check"), "describe")
}

/// A kind of file to describe.
pub(crate) struct Described {
    pub(crate) id: &'static str,
    title: &'static str,
    extensions: &'static [&'static str],
    /// A file of this kind holds something to draw or to move.
    is_model: bool,
    pub(crate) description: Description,
}

/// A path of a file in [`FOLDER`] and its text.
type Files = BTreeMap<String, String>;

fn files(root: &Path) -> Result<Files, String> {
    let all = Described::all();
    let mut files = Files::new();
    for kind in &all {
        kind.validate().map_err(|e| format!("the description of {}: {e}", kind.id))?;
        if kind.is_binary() {
            files.insert(format!("kaitai/{}.ksy", kind.id), kaitai::text(kind));
            files.insert(format!("imhex/{}.hexpat", kind.id), imhex::text(kind)?);
        }
    }
    files.insert("magic".into(), signatures::libmagic(&all));
    files.insert("meshwright.xml".into(), signatures::mime(&all));
    files.insert("pronom.xml".into(), signatures::pronom(&all));
    let page = sh::read_text(&root.join(FOLDER).join("fields.md"))?;
    files.insert("fields.md".into(), sh::replace_block(&page, "fields", &fields::text(&all))?);
    files.insert("README.md".into(), readme(root, &all)?);
    Ok(files)
}

/// Collects the description of a format.
struct Collect;

impl Visitor for Collect {
    type Output = Described;

    fn visit<K: Kind>(self) -> Described {
        Described {
            id: K::ID,
            title: K::TITLE,
            extensions: K::EXTENSIONS,
            is_model: K::HOLDS_MODEL,
            description: K::DESCRIPTION,
        }
    }
}

impl Described {
    /// Returns all kinds of file but glTF.
    pub(crate) fn all() -> Vec<Self> {
        let all = Format::ALL.iter().map(|format| format.visit(Collect));
        all.filter(|kind| kind.id != KNOWN).collect()
    }

    fn is_binary(&self) -> bool {
        !self.description.structures.is_empty()
    }

    /// Returns the media type, from the title: no two formats have the same.
    fn media_type(&self) -> String {
        let words = self.title.to_lowercase();
        let words: Vec<_> =
            words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
        format!("{}/x-{}", if self.is_model { "model" } else { "application" }, words.join("-"))
    }

    /// Returns the marks if they say enough: a name in letters, or several words.
    fn marks(&self) -> &'static [Mark] {
        let marks = self.description.marks;
        let letters = marks
            .iter()
            .any(|m| m.bytes.len() >= 4 && m.bytes.is_ascii() && m.bytes[0].is_ascii_alphabetic());
        if letters || marks.iter().map(|m| m.bytes.len()).sum::<usize>() >= 8 { marks } else { &[] }
    }

    fn structures(&self) -> impl Iterator<Item = &'static Structure> {
        self.description.structures.iter().copied().flatten()
    }

    fn structure(&self, name: &str) -> Option<&'static Structure> {
        self.structures().find(|s| s.name == name)
    }

    fn record(&self, name: &str) -> Option<&'static Table> {
        self.description.records.iter().find(|t| t.name == name)
    }

    /// Returns the record that a file begins with.
    fn header(&self) -> Option<&'static Table> {
        self.record(self.structures().next()?.parts.first()?.kind)
    }

    /// Returns the bytes that a field of the header has in every file.
    fn fixed(&self, row: &Row) -> Option<&'static [u8]> {
        let same = |m: &&Mark| m.at == row.field.offset && m.bytes.len() == row.field.width;
        self.description.marks.iter().find(same).map(|m| m.bytes)
    }

    /// Returns the name of a number's type: that of U8, U16, U32, U64, I32, F32 or text, with its order, `be` or `le`, in place of
    /// `~`.
    fn number(&self, scalar: Scalar, [u8, u16, u32, u64, i32, f32, text]: [&str; 7]) -> String {
        let name = match scalar {
            Scalar::U8 => u8,
            Scalar::U16 => u16,
            Scalar::U32 => u32,
            Scalar::U64 => u64,
            Scalar::I32 => i32,
            Scalar::F32 => f32,
            Scalar::Text => text,
            Scalar::Record(name) => name,
        };
        let order = if scalar == Scalar::F32 { self.description.floats } else { self.description.order };
        name.replace('~', if order == Order::Big { "be" } else { "le" })
    }

    /// Checks that every name is that of a record, a structure or a number, and that all records are used.
    fn validate(&self) -> Result<(), String> {
        let mut used = BTreeSet::new();
        let structures: Vec<_> = self.structures().collect();
        for (structure, part) in structures.iter().flat_map(|s| s.parts.iter().map(move |p| (s, p))) {
            let place = format!("{}.{}", structure.name, part.name);
            let plain = scalar(part.kind).is_some() || part.kind == "cstring";
            let sized = ["bytes", "text"].contains(&part.kind);
            if sized != (sized && part.count.is_some()) {
                return Err(format!("{place} has no size"));
            }
            if !plain && !sized && self.structure(part.kind).is_none() && self.record(part.kind).is_none() {
                return Err(format!("{place}: unknown kind {}", part.kind));
            }
            used.insert(part.kind);
        }
        let inner =
            self.description.records.iter().flat_map(|t| t.rows).filter_map(|row| match row.kind.scalar {
                Scalar::Record(name) => Some(name),
                _ => None,
            });
        used.extend(inner);
        let first = structures.first().map(|s| s.name);
        let idle =
            structures.iter().map(|s| s.name).find(|name| Some(*name) != first && !used.contains(name));
        // Records in packed blocks, or in chunks whose content depends on the program, are shown but not placed.
        match idle.filter(|name| self.id != "cskel" || *name != "bone") {
            Some(name) => Err(format!("no structure has a {name}")),
            None => Ok(()),
        }
    }
}

/// Returns the number of this name.
fn scalar(name: &str) -> Option<Scalar> {
    let all = [Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64, Scalar::I32, Scalar::F32];
    ["u8", "u16", "u32", "u64", "i32", "f32"].iter().position(|known| *known == name).map(|i| all[i])
}

/// Returns a comment on one line.
pub(crate) fn about(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
}

/// Returns a name without blanks.
fn snake(name: &str) -> String {
    name.to_lowercase().replace([' ', '-'], "_")
}

/// Returns the expression of a part, one blank between words, none around dots.
fn expression(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".").replace(". ", ".")
}

/// The number of times that a part is repeated.
enum Repeat {
    Once,
    Count(String),
    ToOffset(String),
    ToEnd,
}

fn repeat(part: &Part) -> Repeat {
    match part.count.map(expression) {
        None => Repeat::Once,
        Some(text) if text == ".." => Repeat::ToEnd,
        Some(text) => match text.strip_prefix("to ") {
            Some(end) => Repeat::ToOffset(end.to_owned()),
            None => Repeat::Count(text),
        },
    }
}

/// Returns the page of the folder with its table.
fn readme(root: &Path, all: &[Described]) -> Result<String, String> {
    let mut text =
        String::from("| format | media type | extensions | marks | example |\n|---|---|---|---|---|\n");
    for kind in all {
        let extensions: Vec<_> = kind.extensions.iter().map(|e| format!("`.{e}`")).collect();
        let marks: Vec<_> =
            kind.marks().iter().map(|m| format!("{} at {}", hex(m.bytes, " "), m.at)).collect();
        let marks = if marks.is_empty() { "none".to_owned() } else { marks.join(", ") };
        let fixture = fixture(root, kind)?;
        text += &format!(
            "| {} | `{}` | {} | {marks} | `{fixture}` |\n",
            kind.title,
            kind.media_type(),
            extensions.join(" "),
        );
    }
    sh::replace_block(&sh::read_text(&root.join(FOLDER).join("README.md"))?, "formats", &text)
}

/// Returns the sound fixture of a kind that holds most.
fn fixture(root: &Path, kind: &Described) -> Result<String, String> {
    let mut found = BTreeSet::new();
    for path in fixtures::walk(&root.join("testdata")).map_err(|e| e.to_string())? {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if name.contains(".ok.") && kind.extensions.iter().any(|e| name.ends_with(&format!(".{e}"))) {
            found.insert((path.metadata().map_err(|e| e.to_string())?.len(), name));
        }
    }
    let richest = found.into_iter().rfind(|(bytes, _)| *bytes <= FIXTURE);
    richest.map(|(_, name)| name).ok_or_else(|| format!("no small fixture of {}", kind.id))
}

fn hex(bytes: &[u8], between: &str) -> String {
    bytes.iter().map(|b| format!("{b:02X}")).collect::<Vec<_>>().join(between)
}
