//! `xtask docs links`: every page's links and anchors lead somewhere, the book has every page of `docs`, tests that pages
//! name exist and run, and mdBook builds the book where it is installed.

mod markdown;

use crate::fixtures;
use crate::sh::{self, Given};
use markdown::Page;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// The folder of the book.
const BOOK: &str = "docs";
/// The book's table of contents.
const SUMMARY: &str = "docs/SUMMARY.md";
/// Pages whose code spans name tests: `crates/x/tests/y.rs: test`, or a file for all of its tests. Each numbered row of
/// their tables names one.
const PROOFS: [&str; 2] = ["docs/promises.md", "docs/seeds.md"];

pub(crate) fn links(root: &Path, given: &Given) -> Result<(), String> {
    let copy = given.files.first();
    let top = copy.map_or(root, PathBuf::as_path);
    let mut wrong = check(top, &pages(top)?)?;
    for page in PROOFS.into_iter().filter(|_| copy.is_none()) {
        let text = sh::read_text(&root.join(page))?;
        wrong.extend(
            unproven(root, &text).map(|what| format!("{page}: no test that a clean clone runs: {what}")),
        );
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    if copy.is_some() {
        return Ok(());
    }
    if sh::output(Command::new("mdbook").arg("--version")).is_err() {
        return sh::skipped("the book is not built: mdbook is not installed (cargo install --locked mdbook)");
    }
    sh::run(Command::new("mdbook").arg("build").arg(BOOK).current_dir(root))
}

/// Returns the proofs of a page that are not tests, and numbered rows without a proof.
fn unproven<'a>(root: &Path, page: &'a str) -> impl Iterator<Item = &'a str> {
    let is_path = |code: &&str| code.contains(".rs") && code.contains('/');
    let proofs = move |line: &'a str| line.split('`').skip(1).step_by(2).filter(is_path);
    let is_numbered = |line: &&str| {
        line.strip_prefix("| ").is_some_and(|row| row.starts_with(|c: char| c.is_ascii_digit()))
    };
    let bare = page.lines().filter(is_numbered).filter(move |line| proofs(line).next().is_none());
    let is_test = |proof: &&str| {
        let (file, test) = proof.split_once(": ").unwrap_or((proof, ""));
        fs::read_to_string(root.join(file)).is_ok_and(|source| test.is_empty() || has_test(&source, test))
    };
    page.lines().flat_map(proofs).filter(move |proof| !is_test(proof)).chain(bare)
}

/// Returns whether a source has a test of this name that is not ignored and reads no file outside the repository.
fn has_test(source: &str, test: &str) -> bool {
    let Some((before, body)) = source.split_once(&format!("fn {test}(")) else { return false };
    let attributes = before.rsplit("\n\n").next().unwrap_or_default();
    let body = body.split("#[test]").next().unwrap_or_default();
    attributes.contains("#[test]")
        && !attributes.contains("#[ignore")
        && !["corpus!(", "corpus() else"].iter().any(|call| body.contains(call))
}

/// Returns every page of the project: those of the book, of the top folder and of the crates.
pub(crate) fn pages(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut pages = Vec::new();
    // A copy has no fixtures.
    for (folder, depth) in [("", 1), (BOOK, usize::MAX), ("crates", 2), ("testdata", 1)] {
        let all = fixtures::walk_to(&root.join(folder), depth).map_err(sh::error_at(&root.join(folder)))?;
        let all = all.iter().filter_map(|path| path.strip_prefix(root).ok());
        pages.extend(all.filter(|path| path.extension().is_some_and(|e| e == "md")).map(Path::to_owned));
    }
    pages.sort();
    Ok(pages)
}

/// Returns the faults of the pages.
fn check(root: &Path, pages: &[PathBuf]) -> Result<Vec<String>, String> {
    let read = |path: &PathBuf| Ok((path.clone(), Page::parse(&sh::read_text(&root.join(path))?)));
    let pages: BTreeMap<PathBuf, Page> = pages.iter().map(read).collect::<Result<_, String>>()?;
    let mut wrong = Vec::new();
    for (path, page) in &pages {
        for (line, target) in &page.links {
            if let Err(why) = follow(root, &pages, path, target) {
                wrong.push(format!("{}:{line}: {target}: {why}", path.display()));
            }
        }
    }
    let Some(summary) = pages.get(Path::new(SUMMARY)) else {
        return Err("the book has no SUMMARY.md".into());
    };
    let mut listed = BTreeSet::new();
    for (line, target) in &summary.links {
        if !listed.insert(Path::new(BOOK).join(target)) {
            wrong.push(format!("{BOOK}/SUMMARY.md:{line}: {target} is listed twice"));
        }
    }
    for (path, page) in pages.iter().filter(|(p, _)| p.starts_with(BOOK) && *p != Path::new(SUMMARY)) {
        if !listed.contains(path) {
            wrong.push(format!("{}: is not in {SUMMARY}", path.display()));
        }
        if page.titles.is_empty() {
            wrong.push(format!("{}: has no title", path.display()));
        }
    }
    Ok(wrong)
}

/// Checks that the target of a link exists. Links to other machines are not followed.
fn follow(root: &Path, pages: &BTreeMap<PathBuf, Page>, from: &Path, target: &str) -> Result<(), String> {
    if ["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
        return Ok(());
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let path = if file.is_empty() { from.to_owned() } else { resolved(from, file)? };
    if from.starts_with(BOOK) && !path.starts_with(BOOK) {
        return Err("leads out of the book".into());
    }
    if !root.join(&path).exists() {
        return Err("is not there".into());
    }
    let Some(anchor) = anchor else { return Ok(()) };
    let page = pages.get(&path).ok_or("an anchor of a file that is not a page")?;
    if page.anchors.contains(anchor) {
        Ok(())
    } else {
        Err(format!("{} has no such heading", path.display()))
    }
}

/// Returns the path of a file that a page names.
fn resolved(from: &Path, file: &str) -> Result<PathBuf, String> {
    let mut path = from.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(file).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return Err("leads out of the project".into()),
        }
    }
    Ok(path)
}
