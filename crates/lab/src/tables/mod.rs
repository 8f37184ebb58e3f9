//! `xtask docs tables`: writes the tables of layouts and rules of the format pages, from the code.
//!
//! `<!-- layout KIND TABLE -->` and `<!-- /layout -->` enclose a table of fields; `<!-- rules KIND... -->` and `<!--
//! /rules -->` the rules of these kinds of files; `<!-- kinds KIND... -->` and `<!-- /kinds -->` the facts by which
//! the program identifies them; `<!-- notices KIND... -->` and `<!-- /notices -->` the codes that are not rules;
//! `<!-- formats -->` and `<!-- crates -->` all formats and all crates. A table of fields, or a kind of file, that is on no
//! page is an error.

mod layout;
mod pictures;

use layout::Tables;
use meshwright::{Format, Notice, Rule, RuleSet, Severity, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xtask::fixtures;
use xtask::sh::{self, Given};

/// The folder of the pages.
const PAGES: &str = "docs/formats";
/// A page of its own, with the codes of no format.
const CODES: &str = "docs/codes.md";
/// The page with the table of crates.
const CRATES: &str = "docs/crate.md";

pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    let (tables, mut shown) = (layout::tables(), Shown::default());
    let (pictures, mut files) = pictures::all(root)?;
    let pages = root.join(PAGES);
    let mut paths: Vec<_> = fixtures::walk(&pages).map_err(sh::error_at(&pages))?.into_iter().collect();
    paths.extend([CODES, CRATES].map(|page| root.join(page)));
    for path in paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == "md")) {
        let new = filled(root, &sh::read_text(&path)?, &tables, &mut shown);
        let new = new.map_err(|e| format!("{}: {e}", path.display()))?;
        files.push((path, new.into_bytes()));
    }
    let mut wrong = shown.misses(&tables);
    wrong.extend(fixtures::sync(&[pictures], &files, given.has("check"), "docs tables").err());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The tables on the pages so far.
#[derive(Debug, Default)]
struct Shown {
    tables: BTreeSet<(String, String)>,
    rules: BTreeSet<String>,
    kinds: BTreeSet<String>,
    notices: BTreeSet<String>,
}

impl Shown {
    fn misses(&self, tables: &Tables) -> Vec<String> {
        let mut wrong = Vec::new();
        // Formats share tables: each is shown once.
        let shown: BTreeSet<_> = self.tables.iter().filter_map(|key| tables.get(key)).collect();
        for ((kind, name), _) in tables.iter().filter(|(_, table)| !shown.contains(table)) {
            wrong.push(format!("no page of {PAGES} shows {name} of {kind}"));
        }
        let missing = Format::ALL.iter().map(|f| f.id()).filter(|id| !self.kinds.contains(*id));
        wrong.extend(missing.map(|id| format!("no page of {PAGES} says what is known of {id}")));
        let missing = RuleSet::all().into_iter().filter(|set| !self.rules.contains(set.id));
        wrong.extend(missing.map(|set| format!("no page of {PAGES} has the rules of {}", set.id)));
        let kinds: BTreeSet<_> = Notice::all().map(|notice| notice.kind.to_string()).collect();
        let missing = kinds.iter().filter(|kind| !self.notices.contains(*kind));
        wrong.extend(missing.map(|kind| format!("{CODES} has no table of each {kind}")));
        wrong
    }
}

/// Fills the tables of a page.
fn filled(root: &Path, text: &str, tables: &Tables, shown: &mut Shown) -> Result<String, String> {
    let mut new = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        new.push_str(line);
        new.push('\n');
        let Some(mark) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let words: Vec<&str> = mark.split_whitespace().collect();
        let table = match words.as_slice() {
            ["layout", kind, name] => {
                let key = ((*kind).to_owned(), (*name).to_owned());
                let table = tables.get(&key).ok_or_else(|| format!("{kind} has no table {name}"))?;
                shown.tables.insert(key);
                table.clone()
            }
            ["rules", kinds @ ..] => {
                shown.rules.extend(kinds.iter().map(|kind| (*kind).to_owned()));
                rules(kinds)?
            }
            ["kinds", kinds @ ..] => {
                shown.kinds.extend(kinds.iter().map(|kind| (*kind).to_owned()));
                facts(kinds)?
            }
            ["notices", ..] => {
                let kinds = mark.trim_start_matches("notices ").split(", ").collect::<Vec<_>>();
                shown.notices.extend(kinds.iter().map(|kind| (*kind).to_owned()));
                notices(&kinds)
            }
            ["formats"] => formats(),
            ["crates"] => crates(root)?,
            _ => continue,
        };
        let end = format!("<!-- /{} -->", words.first().copied().unwrap_or_default());
        if !lines.by_ref().any(|line| line == end) {
            return Err(format!("{mark} has no end"));
        }
        new.push_str(&format!("\n{table}\n{end}\n"));
    }
    Ok(new)
}

fn format(id: &str) -> Option<Format> {
    Format::ALL.iter().copied().find(|format| format.id() == id)
}

/// Rules in the order of their codes, with the kinds of file that have them.
type Rows<'a> = BTreeMap<(&'a str, Severity, bool, &'a str), (&'a Rule, BTreeSet<&'a str>)>;

/// Returns the rules of these kinds of files.
fn rules(kinds: &[&str]) -> Result<String, String> {
    let (mut rows, sets) = (Rows::new(), RuleSet::all());
    for kind in kinds {
        let set = sets.iter().find(|set| set.id == *kind);
        for rule in set.ok_or_else(|| format!("no rules found for {kind}"))?.rules {
            let key = (rule.code, rule.severity, rule.forgivable, rule.cause);
            rows.entry(key).or_insert((rule, BTreeSet::new())).1.insert(kind);
        }
    }
    let several = kinds.len() > 1;
    let (of, line) = if several { (" in |", "---|") } else { ("", "") };
    let mut text = format!("| code |{of} | what | what to do |\n|---|{line}---|---|---|\n");
    for (rule, of) in rows.into_values() {
        let of: Vec<_> = of.into_iter().collect();
        let of = match several {
            false => String::new(),
            true if of.len() == kinds.len() => " all |".into(),
            true => format!(" {} |", of.join(", ")),
        };
        let (cause, mending) = (cell(rule.cause), cell(rule.mending));
        text.push_str(&format!("| `{}` |{of} {} | {cause} | {mending} |\n", rule.code, weight(rule)));
    }
    Ok(text)
}

/// Returns a table of the codes of these kinds that do not belong to rules.
fn notices(kinds: &[&str]) -> String {
    let mut rows: Vec<_> =
        Notice::all().filter(|notice| kinds.contains(&notice.kind.to_string().as_str())).collect();
    rows.sort_by_key(|notice| notice.code);
    let (mut text, several) = (String::from("| code |"), kinds.len() > 1);
    let advised = rows.iter().any(|notice| !notice.advice.is_empty());
    text += if several { " kind |" } else { "" };
    text += if advised { " what happened | what to do |\n" } else { " what differs |\n" };
    text += &"|---".repeat(2 + usize::from(several) + usize::from(advised));
    text += "|\n";
    for Notice { code, kind, cause, advice, .. } in rows {
        text += &format!("| `{code}` |");
        text += &if several { format!(" {kind} |") } else { String::new() };
        text += &format!(" {} |", cell(cause));
        text += &if advised { format!(" {} |", cell(advice)) } else { String::new() };
        text.push('\n');
    }
    text
}

/// Returns the severity of a rule.
fn weight(rule: &Rule) -> &'static str {
    match (rule.severity, rule.forgivable) {
        (Severity::Error, false) => "error",
        (Severity::Error, true) => "error, `--lenient` reads on",
        (Severity::Warning, _) => "warning",
        (Severity::Info, _) => "note",
    }
}

/// Text in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Returns the facts by which the program identifies these kinds.
fn facts(kinds: &[&str]) -> Result<String, String> {
    let mut text =
        String::from("| files | `--as`, `--to` | choices | what belongs to them |\n|---|---|---|---|\n");
    for kind in kinds {
        let format = format(kind).ok_or_else(|| format!("there is no format {kind}"))?;
        let files: Vec<_> = format.extensions().iter().map(|e| format!("`.{e}`")).collect();
        let choice = |s: &meshwright::Setting| match s.name {
            // The program has a flag for the order that is not the default.
            "quaternions" => "`--quaternions-w-first`".into(),
            name => format!("`--{name}` {}", s.values.join(", ")),
        };
        let choices: Vec<_> = format.settings().iter().map(choice).collect();
        let mut belongs: Vec<(&str, String)> = Vec::new();
        for (role, kind) in format.companions().iter().map(|c| (c.role.name(), format!("`{}`", c.kind))) {
            match belongs.iter_mut().find(|(known, _)| *known == role) {
                Some((_, kinds)) => kinds.push_str(&format!(" {kind}")),
                None => belongs.push((role, kind)),
            }
        }
        let belongs: Vec<_> = belongs.iter().map(|(role, kinds)| format!("{role} ({kinds})")).collect();
        text.push_str(&format!(
            "| {} | `{kind}` | {} | {} |\n",
            files.join(" "),
            choices.join("; "),
            belongs.join(", ")
        ));
    }
    Ok(text)
}

/// Returns the table of all formats.
fn formats() -> String {
    let mut table = String::from(
        "| format | `--as` | files | read, check, rewrite | to glTF | to OBJ |\n|---|---|---|---|---|---|\n",
    );
    for format in Format::ALL {
        let files: Vec<_> = format.extensions().iter().map(|e| format!("`.{e}`")).collect();
        let (title, id, files) = (format.title(), format.id(), files.join(" "));
        let is_written = matches!(Target::from(*format), Target::Native(_));
        let rewritten = if is_written { "yes" } else { "read, check" };
        let drawn = match format.extensions().first() {
            Some(&"anim") => "with a skeleton",
            _ if format.holds_model() => "yes",
            _ => "holds no model",
        };
        table += &format!("| {title} | `{id}` | {files} | {rewritten} | {drawn} | {drawn} |\n");
    }
    table
}

/// Returns the table of the published crates.
fn crates(root: &Path) -> Result<String, String> {
    let row = |package: &serde_json::Value| {
        let [name, about] = ["name", "description"].map(|key| sh::text(&package[key]).to_owned());
        format!("| `{name}` | {about} |\n")
    };
    let rows: BTreeSet<_> = sh::published(root)?.iter().map(row).collect();
    Ok(format!("| crate | is |\n|---|---|\n{}", rows.into_iter().collect::<String>()))
}
