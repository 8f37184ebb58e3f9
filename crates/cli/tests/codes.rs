//! Every code that the program can print has an explanation and a row in the book.
//!
//! Codes are collected from the sources: whatever is spelled like a code (`bones-dropped`) is one, and so is the code that
//! a loss, a note, an error or a difference is made with (`limit`). Debug builds check every code again when they print it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::{FaultKind, Format, Notice, RuleSet, codes};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Words that are spelled like codes and are values of options, names of sets, or words of other programs.
const NOT_CODES: &[&str] = &[
    "content-length",
    "no-engine",
    "not-found",
    "same-origin",
    "sec-fetch-site",
    "three-quarter",
    "transfer-encoding",
    "tso-id",
    "xdg-open",
];

/// Calls whose first text is a code.
const CALLS: &[&str] = &["Loss::new(", "Loss::note(", "lose(", ".loss(", "plain(", "render::error(", "code:"];

/// Crates that are not part of the program, and bindings for other languages, which have the same codes.
const NOT_SCANNED: &[&str] = &["capi", "fuzz", "lab", "python", "testkit", "wasm"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files below a folder with an extension, tests aside.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) && !path.ends_with("tests.rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the texts of a Rust source, each with the code before it; comments and tests are left out.
fn texts(source: &str) -> Vec<(String, String)> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or(source);
    let (mut found, mut before) = (Vec::new(), String::new());
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => chars.by_ref().find(|c| *c == '\n').map_or((), drop),
            '\'' => {
                // A character, or the name of a lifetime.
                let rest: Vec<char> = chars.clone().take(3).collect();
                match rest.as_slice() {
                    ['\\', _, '\''] => chars.by_ref().take(3).for_each(drop),
                    [_, '\'', ..] => chars.by_ref().take(2).for_each(drop),
                    _ => {}
                }
            }
            '"' => {
                let mut text = String::new();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    text.push(c);
                    text.extend((c == '\\').then(|| chars.next()).flatten());
                }
                found.push((text, std::mem::take(&mut before)));
            }
            c if c.is_whitespace() => {}
            c => before.push(c),
        }
    }
    found
}

/// Returns whether a text has the spelling of a code: `bones-dropped`.
fn is_like_a_code(text: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.contains('-') && text.split('-').all(is_word) && text.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Calls `see` with every text of the sources, the code before it, and its file.
fn each_text(mut see: impl FnMut(String, &str, &Path)) {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap());
    for krate in crates.filter(|krate| !NOT_SCANNED.iter().any(|name| krate.file_name() == *name)) {
        for path in files(&krate.path().join("src"), "rs") {
            // The explanations themselves do not count as a use.
            if path.components().any(|part| part.as_os_str() == "explain") {
                continue;
            }
            for (text, before) in texts(&fs::read_to_string(&path).unwrap()) {
                see(text, &before, &path);
            }
        }
    }
}

/// Returns the codes that the sources use, each with a file.
fn used() -> BTreeMap<String, PathBuf> {
    let mut used = BTreeMap::new();
    each_text(|text, before, path| {
        let is_word = text.len() > 2 && text.bytes().all(|b| b.is_ascii_lowercase());
        if is_like_a_code(&text) || is_word && CALLS.iter().any(|call| before.ends_with(call)) {
            used.entry(text).or_insert_with(|| path.to_owned());
        }
    });
    used
}

fn is_no_code(text: &str) -> bool {
    NOT_CODES.contains(&text)
        || FaultKind::ALL.iter().any(|kind| kind.name() == text)
        || Format::ALL.iter().any(|format| format.id() == text || format.family() == text)
        || RuleSet::all().iter().any(|set| set.id == text)
}

#[test]
fn every_code_of_the_sources_is_explained() {
    let known: BTreeSet<&str> = codes().into_iter().collect();
    let used = used();
    assert!(used.len() > 300, "{}", used.len());
    let unknown: Vec<String> = used
        .iter()
        .filter(|(code, _)| !known.contains(code.as_str()) && !is_no_code(code))
        .map(|(code, path)| format!("  {code}  ({})", path.strip_prefix(root()).unwrap_or(path).display()))
        .collect();
    assert!(
        unknown.is_empty(),
        "codes without an explanation:\n{}\nAdd a row for each to crates/meshwright/src/explain/{{geometry,motion,surfaces,\
         errors}}.rs and run `cargo run -p xtask -- docs tables`. A word that is no code goes into NOT_CODES of this test.",
        unknown.join("\n")
    );
}

#[test]
fn every_explanation_is_of_a_code_that_is_used() {
    let mut used = BTreeSet::new();
    each_text(|text, _, _| used.extend([text]));
    let left: Vec<_> = Notice::all().map(|notice| notice.code).filter(|code| !used.contains(*code)).collect();
    assert!(left.is_empty(), "crates/meshwright/src/explain explains codes that no source uses: {left:?}");
}

#[test]
fn every_code_has_a_row_in_the_book() {
    let pages = files(&root().join("docs"), "md");
    let book: String = pages.iter().map(|page| fs::read_to_string(page).unwrap()).collect();
    let missing: Vec<_> =
        codes().into_iter().filter(|code| !book.contains(&format!("\n| `{code}` |"))).collect();
    assert!(
        missing.is_empty(),
        "no page of docs/ has a row for {missing:?}: run `cargo run -p xtask -- docs tables`"
    );
}

#[test]
fn texts_are_found_where_a_source_has_them() {
    let source = "// \"not-this\"\nLoss::new(\n    \"a\", 'b', '\"', \"c \\\" d\"); fn f<'a>() { x(\"e-f\") }\n#[cfg(test)]\nmod tests { \"g-h\" }";
    let found: Vec<_> = texts(source).into_iter().map(|(text, _)| text).collect();
    assert_eq!(found, ["a", "c \\\" d", "e-f"]);
    assert!(texts(source)[0].1.ends_with("Loss::new("));
    for (text, is) in
        [("a-b", true), ("ab", false), ("a-", false), ("-a", false), ("A-b", false), ("1-b", false)]
    {
        assert_eq!(is_like_a_code(text), is, "{text}");
    }
}
