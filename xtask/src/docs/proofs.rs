//! Tests that pages name as proofs: each exists, and runs in a clean clone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Pages whose code spans name tests: `crates/x/tests/y.rs: test`, or a file for all of its tests.
const PAGES: &[&str] = &["docs/promises.md"];
/// The statements of the formats' descriptions: rows that are numbered below each heading, with a proof each.
const STATEMENTS: &str = "docs/seeds.md";

/// Returns the faults of the pages.
pub(super) fn wrong(root: &Path) -> Result<Vec<String>, String> {
    let read = |file: &str| fs::read_to_string(root.join(file)).map_err(|e| format!("{file}: {e}"));
    let mut tests = Tests { read: &|file| fs::read_to_string(root.join(file)).ok(), files: BTreeMap::new() };
    let mut wrong = Vec::new();
    for page in PAGES {
        let found =
            proofs(&read(page)?).into_iter().filter_map(|p| tests.judge(&p).err()).collect::<Vec<_>>();
        wrong.extend(found.into_iter().map(|why| format!("{page}: {why}")));
    }
    wrong.extend(statements(&read(STATEMENTS)?, &mut tests));
    Ok(wrong)
}

/// Returns the code spans of a text that name tests.
fn proofs(text: &str) -> Vec<String> {
    let spans = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    spans.filter(|code| code.contains(".rs") && code.contains('/')).map(str::to_owned).collect()
}

/// Returns the faults of a table of statements.
fn statements(table: &str, tests: &mut Tests<'_>) -> Vec<String> {
    let (mut wrong, mut heading, mut count) = (Vec::new(), "", 0_usize);
    for line in table.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            (heading, count) = (title, 0);
        }
        let cells: Vec<_> = line.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect();
        let &[number, _, proof] = cells.as_slice() else { continue };
        let Ok(number) = number.parse::<usize>() else { continue };
        count += 1;
        let mut say = |what: String| wrong.push(format!("{STATEMENTS}: {heading} {number}: {what}"));
        if number != count {
            say(format!("is statement {count}"));
        }
        let proofs = proofs(proof);
        if proofs.is_empty() {
            say("names no test".into());
        }
        proofs.iter().filter_map(|p| tests.judge(p).err()).for_each(say);
    }
    wrong
}

/// Sources, each read once.
struct Tests<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    files: BTreeMap<String, Option<String>>,
}

impl Tests<'_> {
    /// Checks that a proof is a test that runs in a clean clone.
    fn judge(&mut self, proof: &str) -> Result<(), String> {
        let (file, test) = proof.split_once(": ").unwrap_or((proof, ""));
        let text = self.files.entry(file.to_owned()).or_insert_with(|| (self.read)(file));
        let text = text.as_deref().ok_or_else(|| format!("no file {file}"))?;
        if test.is_empty() { Ok(()) } else { judge(text, test).map_err(|why| format!("{proof}: {why}")) }
    }
}

/// A test that is ignored, or that needs files which are not in the repository, proves nothing.
fn judge(text: &str, test: &str) -> Result<(), &'static str> {
    let start = text.find(&format!("fn {test}(")).ok_or("no such test")?;
    let before = text.get(..start).unwrap_or_default();
    // Attributes and comments are between a test and what is before it.
    let above = before.lines().rev().skip(usize::from(!before.ends_with('\n'))).map(str::trim);
    let above =
        above.take_while(|line| line.starts_with("#[") || line.starts_with("//") || line.ends_with(']'));
    let attributes: Vec<_> = above.filter(|line| !line.starts_with("//")).collect();
    if !attributes.contains(&"#[test]") {
        return Err("not a test");
    }
    if attributes.iter().any(|a| a.starts_with("#[ignore")) {
        return Err("is ignored");
    }
    let indent = before.lines().last().map_or(0, |line| line.len() - line.trim_start().len());
    let end = format!("\n{}}}\n", " ".repeat(indent));
    let body = text.get(start..).unwrap_or_default();
    let line = body.lines().next().unwrap_or_default();
    let body = if line.ends_with('}') { line } else { body.split(&end).next().unwrap_or(body) };
    let needs_more = ["corpus!(", "corpus() else"].iter().any(|call| body.contains(call));
    if needs_more { Err("needs files that are not in the repository") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: &str = "
#[test]
fn sound() {
    assert!(true);
}

/// Says why.
#[cfg(unix)]
#[test]
/// More.
fn sound_too() {}

#[test]
#[ignore = \"slow\"]
fn ignored() {}

mod inner {
    #[test]
    fn needs_a_corpus() {
        let dir = corpus!();
    }

    #[test]
    fn indented() {}
}

fn helper() {}
";

    fn wrong(rows: &[&str]) -> Vec<String> {
        let table = format!("# Title\n\n## A\n\n| nr | says | proof |\n|---|---|---|\n{}\n", rows.join("\n"));
        let read = |file: &str| (file == "x/a.rs").then(|| TESTS.to_owned());
        statements(&table, &mut Tests { read: &read, files: BTreeMap::new() })
    }

    #[test]
    fn tests_that_run_are_proofs() {
        let rows = ["| 1 | x | `x/a.rs: sound` |", "| 2 | `y` | `x/a.rs: sound_too`, `x/a.rs: indented` |"];
        assert_eq!(wrong(&rows), Vec::<String>::new());
    }

    #[test]
    fn what_is_gone_skipped_or_no_test_is_refused() {
        let rows = [
            "| 1 | x | `x/a.rs: gone` |",
            "| 2 | x | `x/b.rs: sound` |",
            "| 3 | x | `x/a.rs: ignored` |",
            "| 4 | x | `x/a.rs: needs_a_corpus` |",
            "| 5 | x | `x/a.rs: helper` |",
            "| 7 | x | by hand |",
        ];
        let expected = [
            "A 1: x/a.rs: gone: no such test",
            "A 2: no file x/b.rs",
            "A 3: x/a.rs: ignored: is ignored",
            "A 4: x/a.rs: needs_a_corpus: needs files that are not in the repository",
            "A 5: x/a.rs: helper: not a test",
            "A 7: is statement 6",
            "A 7: names no test",
        ];
        assert_eq!(wrong(&rows), expected.map(|why| format!("{STATEMENTS}: {why}")));
    }
}
