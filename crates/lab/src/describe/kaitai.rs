//! Descriptions for Kaitai Struct.

use super::{Described, Repeat, about, expression, repeat, scalar, snake};
use meshwright_core::description::{Order, Part, Row, Scalar, Structure, Table};

pub(super) fn text(kind: &Described) -> String {
    let mut text = format!(
        "# Written by `cargo run -p xtask -- describe` of Meshwright.\nmeta:\n  id: {}\n",
        snake(kind.id)
    );
    text += &format!("  title: {}\n  file-extension:\n", kind.title);
    for extension in kind.extensions {
        text += &format!("    - {extension}\n");
    }
    text += "  license: MIT OR Apache-2.0\n  ks-version: 0.9\n";
    let mut structures = kind.structures();
    if let Some(first) = structures.next() {
        text += &structure(kind, first, "", true);
    }
    text += "types:\n";
    for other in structures {
        text += &format!("  {}:\n{}", other.name, structure(kind, other, "    ", false));
    }
    for table in kind.description.records {
        let is_header = kind.header().is_some_and(|h| h.name == table.name);
        text += &format!("  {}:\n{}", table.name, record(kind, table, is_header));
    }
    if !kind.description.words.is_empty() {
        text += "# Words that are packed bit by bit:\n";
    }
    for word in kind.description.words {
        text += &format!("#   {}, {} bits: {}\n", word.name, word.width, about(word.about));
        for row in word.rows {
            let (low, width) = (row.field.low(), row.field.width());
            let high = low.saturating_add(width).saturating_sub(1);
            let bits = if width == 1 { low.to_string() } else { format!("{high}:{low}") };
            let line = format!("#     {bits} {} {}", row.name.to_lowercase(), about(row.about));
            text += &format!("{}\n", line.trim_end());
        }
    }
    text
}

fn doc(text: &str, indent: &str) -> String {
    let text = about(text);
    if text.is_empty() { String::new() } else { format!("{indent}doc: '{}'\n", text.replace('\'', "''")) }
}

fn structure(kind: &Described, structure: &Structure, indent: &str, is_file: bool) -> String {
    let mut text = doc(structure.about, indent);
    let (placed, row): (Vec<&Part>, Vec<&Part>) = structure.parts.iter().partition(|p| p.at.is_some());
    if !row.is_empty() {
        text += &format!("{indent}seq:\n");
    }
    for (i, part) in row.into_iter().enumerate() {
        text +=
            &format!("{indent}  - id: {}\n{}", part.name, attribute(kind, part, &format!("{indent}    ")));
        let mark =
            kind.description.marks.iter().find(|m| is_file && i == 0 && m.at == 0 && part.kind == "u32");
        if let Some(word) = mark.and_then(|m| m.bytes.first_chunk().copied()) {
            let little = kind.description.order == Order::Little;
            let word = if little { u32::from_le_bytes(word) } else { u32::from_be_bytes(word) };
            text += &format!("{indent}    valid: {word}\n");
        }
    }
    if !placed.is_empty() {
        text += &format!("{indent}instances:\n");
    }
    for part in placed {
        text += &format!("{indent}  {}:\n{}", part.name, attribute(kind, part, &format!("{indent}    ")));
    }
    text
}

fn attribute(kind: &Described, part: &Part, indent: &str) -> String {
    let word = |text: Option<&str>| text.map(|text| translated(&expression(text)));
    let is_sized = ["bytes", "text"].contains(&part.kind);
    let (mut size, mut times) = (None, [None, None]);
    match repeat(part) {
        Repeat::Once => {}
        Repeat::Count(count) if is_sized => size = Some(translated(&count)),
        Repeat::Count(count) => {
            times = [Some(("repeat", "expr".into())), Some(("repeat-expr", translated(&count)))];
        }
        Repeat::ToOffset(end) => {
            let until = format!("_io.pos >= {}", translated(&end));
            times = [Some(("repeat", "until".into())), Some(("repeat-until", until))];
        }
        Repeat::ToEnd => times[0] = Some(("repeat", "eos".into())),
    }
    let (type_of, encoding) = match part.kind {
        "bytes" => (None, None),
        "text" => (Some("str".to_owned()), Some("ISO-8859-1".to_owned())),
        "cstring" => (Some("strz".to_owned()), Some("ISO-8859-1".to_owned())),
        other => (Some(scalar(other).map_or_else(|| other.to_owned(), |s| kind.number(s, NUMBERS))), None),
    };
    let place =
        [("io", part.at.map(|_| "_root._io".to_owned())), ("pos", word(part.at)), ("if", word(part.when))];
    let content = [("size", size), ("type", type_of), ("encoding", encoding)];
    let lines = place.into_iter().chain(content).filter_map(|(key, value)| Some((key, value?)));
    let lines = lines.chain(times.into_iter().flatten()).chain(word(part.limit).map(|limit| ("size", limit)));
    lines.map(|(key, value)| format!("{indent}{key}: {value}\n")).collect::<String>()
        + &doc(part.about, indent)
}

/// The names of numbers.
const NUMBERS: [&str; 7] = ["u1", "u2~", "u4~", "u8~", "s4~", "f4~", "str"];

/// Returns an expression in the language of Kaitai Struct.
fn translated(expression: &str) -> String {
    let text = expression.replace("&&", "and").replace("||", "or").replace("root.", "_root.");
    // A colon or a quote would end a plain value of YAML.
    if text.contains([':', '"', '&', '#']) { format!("'{text}'") } else { text }
}

fn record(kind: &Described, table: &Table, is_header: bool) -> String {
    let mut text = doc(table.about, "    ") + "    seq:\n";
    for row in table.rows {
        text += &format!("      - id: {}\n", snake(row.field.name));
        match kind.fixed(row).filter(|_| is_header) {
            Some(bytes) => {
                let bytes: Vec<_> = bytes.iter().map(|b| format!("{b:#04x}")).collect();
                text += &format!("        contents: [{}]\n", bytes.join(", "));
            }
            None => text += &field(kind, row),
        }
        text += &doc(row.about, "        ");
    }
    text
}

fn field(kind: &Described, row: &Row) -> String {
    match (row.kind.scalar, row.kind.count) {
        (Scalar::Text, size) => {
            format!("        size: {size}\n        type: strz\n        encoding: ISO-8859-1\n")
        }
        (Scalar::U8, 2..) => format!("        size: {}\n", row.kind.count),
        (scalar, 1) => format!("        type: {}\n", kind.number(scalar, NUMBERS)),
        (scalar, count) => {
            let number = kind.number(scalar, NUMBERS);
            format!("        type: {number}\n        repeat: expr\n        repeat-expr: {count}\n")
        }
    }
}
