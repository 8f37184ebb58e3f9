//! A page with the fields of all formats, as JSON of `dump --native` names them.

use super::{Described, Repeat, about, expression, repeat};
use meshwright_core::description::{Part, Structure, Table};

pub(super) fn text(all: &[Described]) -> String {
    let mut text = String::new();
    for kind in all.iter().filter(|kind| !kind.description.structures.is_empty()) {
        text += &format!("\n## {}\n", kind.title);
        for structure in kind.structures() {
            text += &heading(structure.name, structure.about);
            text += "| part | type | meaning |\n|---|---|---|\n";
            for part in structure.parts {
                text += &row(part.name, &kind_of(kind, structure, part), part.about);
            }
        }
        for table in kind.description.records {
            text += &record(table);
        }
    }
    text
}

fn heading(name: &str, meaning: &str) -> String {
    format!("\n**{name}**: {}.\n\n", about(meaning))
}

fn row(name: &str, kind: &str, meaning: &str) -> String {
    format!("| `{name}` | {kind} | {} |\n", about(meaning).replace('|', "\\|"))
}

fn record(table: &Table) -> String {
    let rows =
        table.rows.iter().map(|field| row(field.field.name, &format!("`{}`", field.kind), field.about));
    heading(table.name, table.about)
        + "| field | type | meaning |\n|---|---|---|\n"
        + &rows.collect::<String>()
}

/// Returns the type of a part with its count, offset and condition, and what it holds if the structure says only bytes.
fn kind_of(kind: &Described, structure: &Structure, part: &Part) -> String {
    let code = |text: &str| format!("`{}`", text.replace('|', "\\|"));
    let mut text = part.kind.to_owned();
    match repeat(part) {
        Repeat::Once => {}
        Repeat::Count(count) => text += &format!(" [{count}]"),
        Repeat::ToOffset(end) => text += &format!(" [to {end}]"),
        Repeat::ToEnd => text += " [..]",
    }
    for (word, value) in [(" in ", part.limit), (" @ ", part.at), (" if ", part.when)] {
        text += &value.map(|value| format!("{word}{}", expression(value))).unwrap_or_default();
    }
    let place = format!("{}.{}", structure.name, part.name);
    let views = kind.description.views.iter().filter(|view| view.part == place);
    let views = views.map(|view| {
        let columns = view.columns.map(|columns| format!(", {columns} in a row")).unwrap_or_default();
        let when = view.when.map(|when| format!(" if {when}")).unwrap_or_default();
        let packed = if view.packed { "compressed " } else { "" };
        format!("; {packed}{}", code(&format!("{}{columns}{when}", view.kind)))
    });
    code(&text) + &views.collect::<String>()
}
