//! Tables of fields as Markdown, from the descriptions of the formats.

use crate::describe::{Described, about};
use meshwright::files::Pack;
use meshwright_core::description::{BitTable, Table};
use std::collections::BTreeMap;

/// Tables in Markdown, by kind of file and name.
pub(crate) type Tables = BTreeMap<(String, String), String>;

/// Returns every table of the formats and of packs.
pub(crate) fn tables() -> Tables {
    let mut tables = Tables::new();
    for kind in Described::all() {
        let mut add = |name: &str, text| tables.insert((kind.id.to_owned(), name.to_owned()), text);
        for table in kind.description.records {
            add(table.name, record(table));
        }
        for table in kind.description.words {
            add(table.name, word(table));
        }
    }
    for (kind, records) in Pack::RECORDS {
        for table in *records {
            tables.insert(((*kind).to_owned(), table.name.to_owned()), record(table));
        }
    }
    tables
}

/// Returns a table of fields.
fn record(table: &Table) -> String {
    let unit = if table.size == 1 { "byte" } else { "bytes" };
    let mut text = format!(
        "*{}: {} {unit}.*\n\n| at | type | field | |\n|---:|---|---|---|\n",
        about(table.about),
        table.size
    );
    for row in table.rows {
        let comment = row.about.trim();
        let line =
            format!("| `0x{:02x}` | `{}` | `{}` | {comment}", row.field.offset, row.kind, row.field.name);
        text += &format!("{} |\n", line.trim_end());
    }
    text
}

/// Returns a table of bit-fields.
fn word(table: &BitTable) -> String {
    let mut text =
        format!("*{}: {} bits.*\n\n| bits | field | |\n|---:|---|---|\n", about(table.about), table.width);
    for row in table.rows {
        let (low, width) = (row.field.low(), row.field.width());
        let bits = if width == 1 {
            low.to_string()
        } else {
            format!("{}:{low}", low.saturating_add(width).saturating_sub(1))
        };
        let line = format!("| {bits} | `{}` | {}", row.name.to_lowercase(), row.about.trim());
        text += &format!("{} |\n", line.trim_end());
    }
    text
}
