//! `xtask docs tables`: the book's tables of crates and of formats.

use crate::kinds;
use meshwright::{Format, Target};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use xtask::sh;

pub(crate) fn run(root: &Path, check: bool) -> Result<(), String> {
    let tables =
        [("docs/formats/README.md", "formats", formats()?), ("docs/crate.md", "crates", crates(root)?)];
    for (page, name, table) in tables {
        let path = root.join(page);
        let old = fs::read_to_string(&path).map_err(|e| format!("{page}: {e}"))?;
        let new = replace(&old, name, &table)?;
        if new == old {
            continue;
        }
        if check {
            return Err(format!(
                "the table of {page} is out of date: run `cargo run -p xtask -- docs tables`"
            ));
        }
        fs::write(&path, new).map_err(|e| format!("{page}: {e}"))?;
    }
    Ok(())
}

/// Returns the text with another table between the marks of this name.
pub(crate) fn replace(text: &str, name: &str, table: &str) -> Result<String, String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = text.find(&open).ok_or_else(|| format!("there is no {open:?}"))? + open.len();
    let end = text[start..].find(&close).ok_or_else(|| format!("there is no {close:?}"))? + start;
    Ok(format!("{}{table}{}", &text[..start], &text[end..]))
}

fn formats() -> Result<String, String> {
    let mut table = String::from(
        "| format | `--as` | files | read, check, rewrite | to glTF | to OBJ |\n|---|---|---|---|---|---|\n",
    );
    for format in Format::ALL {
        let files: Vec<_> = format.extensions().iter().map(|e| format!("`.{e}`")).collect();
        let rewritten =
            if matches!(Target::from(*format), Target::Native(_)) { "yes" } else { "read, check" };
        let drawn = kinds::drawable(*format);
        table.push_str(&format!(
            "| {} | `{}` | {} | {rewritten} | {drawn} | {drawn} |\n",
            format.title(),
            format.id(),
            files.join(" ")
        ));
    }
    Ok(table)
}

fn crates(root: &Path) -> Result<String, String> {
    let mut rows = BTreeMap::new();
    for pkg in sh::packages(root)? {
        // An empty list of registries means that the crate is not published.
        if pkg["publish"].as_array().is_some_and(Vec::is_empty) {
            continue;
        }
        let (name, about) =
            (pkg["name"].as_str().unwrap_or_default(), pkg["description"].as_str().unwrap_or_default());
        rows.insert(name.to_owned(), format!("| `{name}` | {about} |\n"));
    }
    Ok(format!("| crate | is |\n|---|---|\n{}", rows.into_values().collect::<String>()))
}
