//! `xtask seeds`: every statement of the formats' descriptions names a test that proves it, which is there and runs.
//!
//! `docs/seeds.md` lists the statements, one row each, numbered by description. A proof is a file and a test in it. It
//! counts when it runs in a clean clone: a test that is ignored, or that needs files beside the project, proves nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The table, from the workspace's folder.
const TABLE: &str = "docs/seeds.md";

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let text = fs::read_to_string(root.join(TABLE)).map_err(|e| format!("{TABLE}: {e}"))?;
    let read = |file: &str| fs::read_to_string(root.join(file)).ok();
    let (counts, mut wrong) = check(&text, read);
    for (description, statements) in &counts {
        println!("{description}: {statements} statements");
    }
    if counts.is_empty() {
        wrong.push("there are no statements".into());
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{TABLE}:\n{}", wrong.join("\n"))) }
}

/// The number of statements of each description, and what is wrong with them.
fn check(table: &str, read: impl Fn(&str) -> Option<String>) -> (Vec<(String, usize)>, Vec<String>) {
    let (mut counts, mut wrong): (Vec<(String, usize)>, Vec<String>) = (Vec::new(), Vec::new());
    let mut files: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for line in table.lines() {
        if let Some(description) = line.strip_prefix("## ") {
            counts.push((description.into(), 0));
        }
        let cells: Vec<_> = line.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect();
        let &[number, _, proof] = cells.as_slice() else { continue };
        let (Ok(number), Some((description, count))) = (number.parse::<usize>(), counts.last_mut()) else {
            continue;
        };
        *count += 1;
        let mut say = |what: String| wrong.push(format!("{description} {number}: {what}"));
        if number != *count {
            say(format!("is statement {count}"));
        }
        let proofs: Vec<_> = proof.split('`').skip(1).step_by(2).filter(|p| p.contains(": ")).collect();
        if proofs.is_empty() {
            say("names no test".into());
        }
        for proof in proofs {
            let (file, test) = proof.split_once(": ").unwrap_or_default();
            match files.entry(file).or_insert_with(|| read(file)) {
                None => say(format!("there is no file {file}")),
                Some(text) => judge(text, test).err().into_iter().for_each(|e| say(format!("{proof}: {e}"))),
            }
        }
    }
    counts.retain(|(_, count)| *count > 0);
    (counts, wrong)
}

/// Whether a file has a test of this name that runs wherever the project is built.
fn judge(text: &str, test: &str) -> Result<(), &'static str> {
    let start = text.find(&format!("fn {test}(")).ok_or("there is no such test")?;
    let before = text.get(..start).unwrap_or_default();
    // Attributes and comments stand between a test and what is before it.
    let above: Vec<_> = before.lines().rev().skip(usize::from(!before.ends_with('\n'))).collect();
    let attributes: Vec<_> = above
        .into_iter()
        .map(str::trim)
        .take_while(|line| line.starts_with("#[") || line.starts_with("//") || line.ends_with(']'))
        .filter(|line| !line.starts_with("//"))
        .collect();
    if !attributes.contains(&"#[test]") {
        return Err("is no test");
    }
    if attributes.iter().any(|a| a.starts_with("#[ignore")) {
        return Err("is ignored");
    }
    let indent = before.lines().last().map_or(0, |line| line.len() - line.trim_start().len());
    let end = format!("\n{}}}\n", " ".repeat(indent));
    let body = text.get(start..).unwrap_or_default();
    let line = body.lines().next().unwrap_or_default();
    let body = if line.ends_with('}') { line } else { body.split(&end).next().unwrap_or(body) };
    let needs_more = ["corpus!(", "corpus()", "skipped("].iter().any(|call| body.contains(call));
    if needs_more { Err("needs files beside the project") } else { Ok(()) }
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
        let read = |file: &str| (file == "a.rs").then(|| TESTS.to_owned());
        let (counts, wrong) = check(&table, read);
        assert_eq!(counts, [("A".to_owned(), rows.len())]);
        wrong
    }

    #[test]
    fn tests_that_run_are_proofs() {
        let rows = ["| 1 | x | `a.rs: sound` |", "| 2 | `y` | `a.rs: sound_too`, `a.rs: indented` |"];
        assert_eq!(wrong(&rows), Vec::<String>::new());
    }

    #[test]
    fn what_is_gone_skipped_or_no_test_is_none() {
        let rows = [
            "| 1 | x | `a.rs: gone` |",
            "| 2 | x | `b.rs: sound` |",
            "| 3 | x | `a.rs: ignored` |",
            "| 4 | x | `a.rs: needs_a_corpus` |",
            "| 5 | x | `a.rs: helper` |",
            "| 7 | x | by hand |",
        ];
        assert_eq!(
            wrong(&rows),
            [
                "A 1: a.rs: gone: there is no such test",
                "A 2: there is no file b.rs",
                "A 3: a.rs: ignored: is ignored",
                "A 4: a.rs: needs_a_corpus: needs files beside the project",
                "A 5: a.rs: helper: is no test",
                "A 7: is statement 6",
                "A 7: names no test",
            ]
        );
    }
}
