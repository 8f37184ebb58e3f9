//! Tables of fields, read where the code states them: `record!` and `bit_fields!`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A table of fields.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table {
    /// The description of the record.
    about: String,
    /// Bytes of a record, or bits of a word.
    size: String,
    is_bits: bool,
    rows: Vec<Row>,
}

/// A field: where it is, how wide, what it is called and what it holds.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    place: String,
    name: String,
    about: String,
}

/// Every table of the crates that are published, by file and name.
pub(crate) fn tables(root: &Path) -> Result<BTreeMap<(String, String), Table>, String> {
    let mut tables = BTreeMap::new();
    let mut folders = vec![root.join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))? {
            let path = entry.map_err(|e| e.to_string())?.path();
            let name =
                path.strip_prefix(root).map_err(|e| e.to_string())?.to_string_lossy().replace('\\', "/");
            // The macros themselves, and what is not of formats.
            if ["crates/core", "crates/fuzz", "crates/lab", "crates/testkit"].contains(&&*name)
                || name.ends_with("/tests")
            {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
                for (table, content) in parse_tables(&text).map_err(|e| format!("{name}: {e}"))? {
                    tables.insert((name.clone(), table), content);
                }
            }
        }
    }
    Ok(tables)
}

/// Parses the tables of a source file.
fn parse_tables(text: &str) -> Result<Vec<(String, Table)>, String> {
    let mut found = Vec::new();
    for is_bits in [false, true] {
        let open = if is_bits { "bit_fields! {" } else { "record! {" };
        let starts = text.match_indices(open).map(|(at, _)| at);
        // Not those in comments.
        for at in starts.filter(|at| !text[..*at].rsplit('\n').next().unwrap_or_default().contains("//")) {
            found.push(table(&text[at + open.len()..], is_bits)?);
        }
    }
    Ok(found)
}

/// The table that a text begins with.
fn table(text: &str, is_bits: bool) -> Result<(String, Table), String> {
    let mut words = Words(text);
    let about = words.docs();
    let mut head = words.until('{')?;
    for visibility in ["pub(crate) ", "pub ", "mod "] {
        head = head.strip_prefix(visibility).unwrap_or(head);
    }
    let (name, size) = head.split_once(':').ok_or_else(|| format!("a table begins with {head:?}"))?;
    let mut rows = Vec::new();
    loop {
        let about = words.docs();
        if words.0.trim_start().starts_with('}') {
            break;
        }
        let item = words.until(';')?;
        let (constant, item) = item.split_once(" = ").ok_or_else(|| format!("a field reads {item:?}"))?;
        rows.push(if is_bits { bits(constant, item, about) } else { field(item, about) }?);
    }
    if is_bits && name.trim().is_empty() || rows.is_empty() {
        return Err(format!("a table without a name or a field: {head:?}"));
    }
    Ok((name.trim().to_owned(), Table { about, size: size.trim().to_owned(), is_bits, rows }))
}

/// `"name": offset, width`
fn field(item: &str, about: String) -> Result<Row, String> {
    let wrong = || format!("a field reads {item:?}");
    let (name, place) = item.split_once(':').ok_or_else(wrong)?;
    let (offset, width) = place.split_once(',').ok_or_else(wrong)?;
    let offset = offset.trim();
    let number =
        offset.strip_prefix("0x").map_or_else(|| offset.parse(), |hex| usize::from_str_radix(hex, 16));
    let number = number.map_err(|_| wrong())?;
    Ok(Row {
        place: format!("`0x{number:02x}` | {}", width.trim()),
        name: name.trim().trim_matches('"').to_owned(),
        about,
    })
}

/// `NAME = hi..lo`
fn bits(constant: &str, item: &str, about: String) -> Result<Row, String> {
    let (high, low) = item.split_once("..").ok_or_else(|| format!("a field reads {item:?}"))?;
    let place = if high == low { high.to_owned() } else { format!("{high}:{low}") };
    Ok(Row { place, name: constant.trim().to_lowercase(), about })
}

impl Table {
    /// As a table of Markdown.
    pub(crate) fn markdown(&self) -> String {
        let about = self.about.trim_end_matches('.');
        let (unit, head) = if self.is_bits {
            ("bits", "| bits | field | |\n|---:|---|---|\n")
        } else {
            ("bytes", "| at | bytes | field | |\n|---:|---:|---|---|\n")
        };
        let unit = if self.size == "1" { unit.trim_end_matches('s') } else { unit };
        let mut text = format!("*{about}: {} {unit}.*\n\n{head}", self.size);
        for Row { place, name, about } in &self.rows {
            text.push_str(format!("| {place} | `{name}` | {about}").trim_end());
            text.push_str(" |\n");
        }
        text
    }

    /// Fields that the code says nothing of but their names.
    pub(crate) fn is_explained(&self) -> bool {
        self.rows.iter().any(|row| !row.about.is_empty())
    }
}

/// The rest of a source.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    /// The comment in front.
    fn docs(&mut self) -> String {
        let mut docs = Vec::new();
        while let Some(rest) = self.0.trim_start().strip_prefix("///") {
            let (line, rest) = rest.split_once('\n').unwrap_or((rest, ""));
            docs.push(line.trim());
            self.0 = rest;
        }
        docs.join(" ")
    }

    fn until(&mut self, end: char) -> Result<&'a str, String> {
        let (text, rest) = self.0.split_once(end).ok_or("a table has no end")?;
        self.0 = rest;
        Ok(text.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_as_the_code_states_them() {
        let text = "//! record! { no }\nmeshwright_core::record! {\n    /// A bone.\n    pub(crate) mod bone: 36 {\n        \
                    /// Padded,\n        /// by NUL.\n        NAME = \"name\": 0x00, 32;\n        PARENT = \"parent\": 32, 4;\n    }\n}\n\
                    bit_fields! {\n    /// A word.\n    mod word: 8 { HIGH = 7..1; LOW_BIT = 0..0; }\n}\n";
        let tables = parse_tables(text).unwrap();
        let names: Vec<_> = tables.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["bone", "word"]);
        assert_eq!(
            tables[0].1.markdown(),
            "*A bone: 36 bytes.*\n\n| at | bytes | field | |\n|---:|---:|---|---|\n\
             | `0x00` | 32 | `name` | Padded, by NUL. |\n| `0x20` | 4 | `parent` | |\n"
        );
        assert_eq!(
            tables[1].1.markdown(),
            "*A word: 8 bits.*\n\n| bits | field | |\n|---:|---|---|\n| 7:1 | `high` | |\n| 0 | `low_bit` | |\n"
        );
    }
}
