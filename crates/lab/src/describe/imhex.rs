//! Patterns for ImHex.

use super::{Described, Repeat, about, expression, hex, repeat, scalar, snake};
use meshwright_core::description::{Part, Scalar, Structure, Table};
use std::collections::BTreeMap;

pub(super) fn text(kind: &Described) -> Result<String, String> {
    let first = kind.structures().next().ok_or("no structure")?;
    let mut text = format!(
        "#pragma description {}\n#pragma author `cargo run -p xtask -- describe` of Meshwright\n",
        kind.title
    );
    for mark in kind.marks().iter().take(1) {
        text += &format!("#pragma magic [ {} ] @ {:#04x}\n", hex(mark.bytes, " "), mark.at);
    }
    text += "#pragma array_limit 0x1000000\n#pragma pattern_limit 0x4000000\n\nimport std.mem;\n";
    let depths = depths(kind, first)?;
    let mut order = Vec::new();
    visit(kind, first.name, &mut order);
    for name in order {
        text += &match (kind.structure(name), kind.record(name)) {
            (Some(s), _) => structure(kind, s, depths.get(s.name).copied().unwrap_or(0)),
            (None, Some(table)) => record(kind, table),
            (None, None) => continue,
        };
    }
    text += &format!("\n{} {} @ 0x00;\n", pascal(first.name), first.name);
    Ok(text)
}

/// Appends the kinds that a kind uses, then itself.
fn visit(kind: &Described, name: &'static str, order: &mut Vec<&'static str>) {
    if order.contains(&name) {
        return;
    }
    let parts = kind.structure(name).into_iter().flat_map(|s| s.parts).map(|part| part.kind);
    let inner =
        kind.record(name).into_iter().flat_map(|table| table.rows).filter_map(|row| match row.kind.scalar {
            Scalar::Record(inner) => Some(inner),
            _ => None,
        });
    let used: Vec<_> = parts.filter(|part| *part != name).chain(inner).collect();
    used.into_iter().for_each(|inner| visit(kind, inner, order));
    order.push(name);
}

/// Returns how many structures contain each structure.
fn depths(kind: &Described, first: &'static Structure) -> Result<BTreeMap<&'static str, usize>, String> {
    let mut depths = BTreeMap::from([(first.name, 0_usize)]);
    let mut open = vec![first];
    while let Some(outer) = open.pop() {
        let depth = depths.get(outer.name).copied().unwrap_or(0).saturating_add(1);
        for inner in outer.parts.iter().filter_map(|p| kind.structure(p.kind)) {
            match depths.get(inner.name) {
                None => {
                    depths.insert(inner.name, depth);
                    open.push(inner);
                }
                Some(known) if *known != depth && uses_root(inner) => {
                    return Err(format!("{} is at two depths and names the file", inner.name));
                }
                Some(_) => {}
            }
        }
    }
    Ok(depths)
}

fn uses_root(structure: &Structure) -> bool {
    let parts = structure.parts.iter().flat_map(|p| [p.count, p.limit, p.at, p.when]);
    parts.flatten().any(|text| text.contains("root"))
}

fn comment(text: &str, indent: &str) -> String {
    let text = about(text);
    if text.is_empty() { String::new() } else { format!("{indent}// {text}.\n") }
}

fn structure(kind: &Described, structure: &Structure, depth: usize) -> String {
    let mut text = format!("\n{}", comment(structure.about, ""));
    let name = pascal(structure.name);
    if structure.parts.iter().any(|p| p.kind == structure.name) {
        text += &format!("using {name};\n");
    }
    text += &format!("struct {name} {{\n");
    let root = "parent.".repeat(depth);
    for part in structure.parts {
        text += &comment(part.about, "    ");
        text += &member(kind, part, &root);
    }
    text + "};\n"
}

fn member(kind: &Described, part: &Part, root: &str) -> String {
    let translated = |text: &str| expression(text).replace("root.", root);
    let array = match repeat(part) {
        Repeat::Once if part.kind == "cstring" => "[]".into(),
        Repeat::Once => String::new(),
        Repeat::Count(count) => format!("[{}]", translated(&count)),
        Repeat::ToOffset(end) => format!("[while($ < {})]", translated(&end)),
        Repeat::ToEnd => "[while(!std::mem::eof())]".into(),
    };
    let type_of = match part.kind {
        "bytes" => "u8".into(),
        "text" | "cstring" => "char".into(),
        other => scalar(other).map_or_else(|| pascal(other), |scalar| number(kind, scalar)),
    };
    let at = part.at.map(|at| format!(" @ {}", translated(at))).unwrap_or_default();
    let mut lines = vec![format!("{type_of} {}{array}{at};", part.name)];
    if let Some(limit) = part.limit {
        lines.insert(0, format!("u64 {}_end = $ + {};", part.name, translated(limit)));
        lines.push(format!("$ = {}_end;", part.name));
    }
    match part.when {
        Some(when) => format!("    if ({})\n        {}\n", translated(when), lines.join("\n        ")),
        None => format!("    {}\n", lines.join("\n    ")),
    }
}

/// Returns the type of a number or of the record.
fn number(kind: &Described, scalar: Scalar) -> String {
    match scalar {
        Scalar::Record(name) => pascal(name),
        _ => kind.number(scalar, ["u8", "~ u16", "~ u32", "~ u64", "~ s32", "~ float", "char"]),
    }
}

fn record(kind: &Described, table: &Table) -> String {
    let mut text = format!("\n{}struct {} {{\n", comment(table.about, ""), pascal(table.name));
    for row in table.rows {
        text += &comment(row.about, "    ");
        let array = if row.kind.count == 1 { String::new() } else { format!("[{}]", row.kind.count) };
        text += &format!("    {} {}{array};\n", number(kind, row.kind.scalar), snake(row.field.name));
    }
    text + "};\n"
}

/// `mesh_data` as `MeshData`.
fn pascal(name: &str) -> String {
    name.split('_')
        .map(|word| word.get(..1).unwrap_or_default().to_uppercase() + word.get(1..).unwrap_or_default())
        .collect()
}
