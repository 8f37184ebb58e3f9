//! A file as JSON that a person can edit, and back: [`write()`] and [`build`].
//!
//! The tables of fields of each format are the schema. Every byte of the file is in the JSON once: in a field, in a list, or as
//! hexadecimal digits. So [`build`] returns the same bytes for an unedited JSON. Counts and sizes that follow from lists are
//! not in the JSON. Offsets give the order of the parts; [`build`] corrects them.

mod build;
mod codec;
mod expression;
mod layout;
mod print;
mod records;
mod schema;
mod tree;
mod tree_reader;
mod values;

use crate::error::{Error, ErrorKind};
use crate::formats::{AnyModel, Format, ReadSettings};
use build::Build;
use meshwright_core::json::{Grammar, Json, JsonType, JsonValue};
use meshwright_core::{Budget, Codes, FieldPath, Kind as FaultKind, Limits, Rule, Source, Strictness};
use print::Shown;
use schema::{Schema, Settings};
use std::io::{BufWriter, Write};
use tree_reader::read_tree;
use values::{Misfit, bytes};

/// The code of all errors of [`build`] but those of limits.
const CODE: &str = "native-json";
const SYNTAX: &Rule = &Rule::error(CODE, FaultKind::Syntax, "", "");
const LIMIT: &Rule = &Rule::error("limit", FaultKind::Limit, "", "");
/// The depth of lists and objects in each other.
const DEPTH: usize = 128;

/// A file that [`build`] compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Built {
    /// The format that the JSON states.
    pub format: Format,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

/// Writes a file as JSON. The file need not be valid.
///
/// # Errors
/// When the tree of the file would exceed the limits of the settings, or `out` takes no more.
pub fn write(bytes: &[u8], format: Format, settings: &ReadSettings, out: impl Write) -> Result<(), Error> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let io = |e: std::io::Error| Error::new(ErrorKind::Io, "cannot-write", e.to_string());
    let mut fields = vec![("format", Shown::Text(format.id()))];
    let schema = schema_of(format, bytes);
    let (numbers, tree);
    match &schema {
        Some(schema) => {
            numbers = settings_of(bytes, format, settings);
            let limits = settings.read.limits;
            tree = read_tree(schema, bytes, &numbers, &Budget::new(limits))
                .map_err(|e| Error::new(ErrorKind::Limit, "limit", e.to_string()))?;
            if !numbers.is_empty() {
                let values = numbers.iter().map(|(name, value)| (*name, Shown::Integer(*value)));
                fields.push(("settings", Shown::Object(values.collect())));
            }
            fields.push(("file", Shown::Instance(&tree, 0)));
            if !tree.gaps.is_empty() {
                let gap = |&(at, len): &(u64, u64)| {
                    let bytes = tree.bytes(0, at, len).unwrap_or_default();
                    Shown::Object(vec![("at", Shown::Integer(i128::from(at))), ("bytes", Shown::Hex(bytes))])
                };
                fields.push(("gaps", Shown::List(tree.gaps.iter().map(gap).collect())));
            }
        }
        None if std::str::from_utf8(bytes).is_ok() => {
            let windows = bytes.windows(2).any(|two| two == b"\r\n");
            let end = if windows { "\r\n" } else { "\n" };
            fields.push(("line_end", Shown::Text(end)));
            fields.push(("lines", Shown::Lines(lines(bytes, end.as_bytes()))));
        }
        None => fields.push(("bytes", Shown::Hex(bytes))),
    }
    print::write(&mut out, &Shown::Object(fields)).map_err(io)?;
    out.write_all(b"\n").and_then(|()| out.flush()).map_err(io)
}

/// Compiles JSON that [`write()`] wrote, edited or not, to a file.
///
/// # Errors
/// When the text is not such JSON, a value does not fit its field, a part is missing, or the file would exceed the limits. The
/// error has the JSON path and the offset in the text.
pub fn build(json: &[u8], limits: Limits) -> Result<Built, Error> {
    let budget = Budget::new(limits);
    let codes = Codes { short: SYNTAX, count: SYNTAX, limit: LIMIT };
    let source = Source::file(json, codes, &budget);
    let mut grammar = Grammar::new(SYNTAX, DEPTH);
    grammar.duplicate = Some(SYNTAX);
    let parsed = Json::parse(json, &source, 0, &FieldPath::ROOT, &grammar).map_err(|e| {
        let offset = Some(e.offset());
        Error::from(e).with_place(String::new(), offset)
    })?;
    compile(parsed.root(), &budget).map_err(|e| {
        let kind = if budget.remaining() == 0 { ErrorKind::Limit } else { ErrorKind::Malformed };
        Error::new(kind, CODE, e.message).with_place(e.path, e.offset)
    })
}

fn compile(root: JsonValue<'_, '_>, budget: &Budget) -> Result<Built, Misfit> {
    const KEYS: [&str; 7] = ["format", "settings", "file", "gaps", "line_end", "lines", "bytes"];
    let top = FieldPath::ROOT;
    if root.kind() != JsonType::Object {
        return Err(Misfit::not(root, &top, "an object"));
    }
    if let Some((key, value)) = root.entries().find(|(key, _)| !KEYS.contains(&key.as_ref())) {
        return Err(Misfit::for_value(
            value,
            &top,
            format!("no key `{key}` here; keys are {}", KEYS.join(", ")),
        ));
    }
    let id = root.get("format").and_then(JsonValue::as_str).unwrap_or_default();
    let format: Format = id.parse().map_err(|e: crate::formats::UnknownFormat| {
        Misfit::for_value(root, &top.field("format"), e.to_string())
    })?;
    let charge = |n: usize, path: &FieldPath<'_>| {
        budget.charge("bytes", n as u64).map_err(|e| Misfit::new(path.to_owned(), e.to_string()))
    };
    if let Some(whole) = root.get("bytes") {
        let path = top.field("bytes");
        let bytes = bytes(whole, &path)?;
        charge(bytes.len(), &path)?;
        return Ok(Built { format, bytes });
    }
    if let Some(lines) = root.get("lines") {
        let path = top.field("lines");
        let end = root.get("line_end").and_then(JsonValue::as_str).unwrap_or("\n".into());
        if lines.kind() != JsonType::Array {
            return Err(Misfit::not(lines, &path, "a list"));
        }
        let mut all = Vec::new();
        for (i, line) in lines.items().enumerate() {
            let line = bytes(line, &path.index(i))?;
            charge(line.len().saturating_add(end.len()), &path)?;
            if i > 0 {
                all.extend_from_slice(end.as_bytes());
            }
            all.extend_from_slice(&line);
        }
        return Ok(Built { format, bytes: all });
    }
    let Some(file) = root.get("file") else {
        return Err(Misfit::for_value(root, &top.field("file"), "is missing"));
    };
    let Some(schema) = Schema::new(&format.description()) else {
        return Err(Misfit::for_value(file, &top.field("file"), "this format is a text: expected `lines`"));
    };
    let mut settings = Settings::new();
    if let Some(given) = root.get("settings") {
        for name in ["dialect", "vertex_size"] {
            if let Some(value) = given.get(name) {
                let path = top.field("settings");
                let value =
                    value.as_i64().ok_or_else(|| Misfit::not(value, &path.field(name), "a whole number"))?;
                settings.push((name, i128::from(value)));
            }
        }
    }
    let mut build = Build::new(&schema, &settings, budget);
    build.file(file)?;
    if let Some(gaps) = root.get("gaps") {
        let path = top.field("gaps");
        for (i, gap) in gaps.items().enumerate() {
            let path = &path.index(i);
            let at = gap.get("at").and_then(JsonValue::as_u64);
            let at = at.ok_or_else(|| Misfit::for_value(gap, &path.field("at"), "expected an offset"))?;
            let path = &path.field("bytes");
            let bytes =
                bytes(gap.get("bytes").ok_or_else(|| Misfit::for_value(gap, path, "is missing"))?, path)?;
            build.gap(at, &bytes, path)?;
        }
    }
    Ok(Built { format, bytes: build.finish()? })
}

/// Returns the lines of a text without their ends.
fn lines<'t>(text: &'t [u8], end: &[u8]) -> Vec<&'t [u8]> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(end.len()).position(|w| w == end) {
        lines.push(rest.get(..at).unwrap_or_default());
        rest = rest.get(at.saturating_add(end.len())..).unwrap_or_default();
    }
    lines.push(rest);
    lines
}

/// Returns the schema of a file: none if the format is a text, or the file does not begin as the format's files do.
fn schema_of(format: Format, bytes: &[u8]) -> Option<Schema> {
    let description = format.description();
    let has = |mark: &meshwright_core::description::Mark| {
        bytes.get(mark.at..).is_some_and(|rest| rest.starts_with(mark.bytes))
    };
    Schema::new(&description).filter(|_| description.marks.iter().all(has))
}

/// Returns the settings that the views of a format need, as the reader finds them.
fn settings_of(bytes: &[u8], format: Format, settings: &ReadSettings) -> Settings {
    let mut lenient = settings.clone();
    lenient.read.strictness = Strictness::Lenient;
    let needed = format.description().views.iter().any(|v| v.when.is_some_and(|w| w.contains("setting.")));
    let model = needed.then(|| AnyModel::parse_with(bytes, format, &lenient).ok()).flatten();
    match model.map(|parsed| parsed.model) {
        #[cfg(feature = "crucible")]
        Some(AnyModel::CrucibleMesh(chunk)) => vec![("dialect", dialect(chunk.dialect))],
        #[cfg(feature = "crucible")]
        Some(AnyModel::CrucibleModel(model)) => {
            model.meshes.first().map(|chunk| ("dialect", dialect(chunk.dialect))).into_iter().collect()
        }
        #[cfg(feature = "fsomodel")]
        Some(AnyModel::Fso(model)) => vec![("vertex_size", model.dialect.vertex_size() as i128)],
        _ => Settings::new(),
    }
}

#[cfg(feature = "crucible")]
const fn dialect(dialect: meshwright_crucible::Dialect) -> i128 {
    match dialect {
        meshwright_crucible::Dialect::Seed => 0,
        meshwright_crucible::Dialect::Tangent => 1,
        meshwright_crucible::Dialect::Bone32 => 2,
    }
}
