//! Runs the program with any arguments: exit codes are documented, lines are short and do not act on a terminal,
//! inputs stay unchanged.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, program, run, stderr, stdout};
use meshwright_testkit::{proptest, testdata};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;

const COMMANDS: [&str; 5] = ["info", "check", "convert", "dump", "optimize"];

/// The files in the folder of a run: models of all families, companions, and files that are not models.
const FILES: [&str; 12] = [
    "bmd/moving.ok.bmd",
    "bmd/rate-zero.warn.bmd",
    "crucible/two.ok.cmodel",
    "crucible/lighthouse.ok.cmesh",
    "crucible/lighthouse.ok.cskel",
    "dpm/hopper.ok.dpm",
    "dpm/hopper.ok.dpm.framegroups",
    "dpm/parent.reject.dpm",
    "dpm/pair.ok.zym",
    "fsomodel/fighter.ok.fom",
    "tso/flower.ok.mesh",
    "tso/flower.ok.skel",
];

const VALUES: [&str; 28] = [
    "-",
    ".",
    "out",
    "out/",
    "out.glb",
    "out.gltf",
    "out.obj",
    "out.dpm",
    "out.bmd",
    "no/such/folder/x",
    "glb",
    "gltf",
    "obj",
    "dpm",
    "bmd",
    "cmesh",
    "json",
    "text",
    "seed",
    "0",
    "1",
    "-1",
    "4",
    "all",
    "1e999",
    "64K",
    "0:0",
    ":0",
];

fn names() -> Vec<String> {
    FILES.iter().map(|f| Path::new(f).file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// Returns the options of all commands, as their help lists them.
fn options() -> Vec<String> {
    let mut found = BTreeSet::new();
    for command in COMMANDS {
        let help = stdout(&run([command, "--help"]));
        let words = help.split(|c: char| c.is_whitespace() || c == ',' || c == '=');
        found.extend(words.filter(|w| w.starts_with('-') && w.len() > 1).map(str::to_owned));
    }
    assert!(found.len() > 20 && found.contains("--lenient"), "{found:?}");
    found.into_iter().collect()
}

/// Returns a folder with the files.
fn folder() -> TempDir {
    let dir = TempDir::new().unwrap();
    for (file, name) in FILES.iter().zip(names()) {
        fs::copy(testdata().join(file), dir.path().join(name)).unwrap();
    }
    fs::write(dir.path().join("notes.txt"), "no model").unwrap();
    dir
}

fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = names().into_iter().chain(["notes.txt".into()]);
    files.map(|name| (name.clone(), fs::read(dir.join(name)).unwrap_or_default())).collect()
}

/// Returns the values of options for outputs, after the option or in the same word.
fn outputs(words: &[String]) -> Vec<&str> {
    let after = words.windows(2).filter(|w| w[0] == "-o" || w[0] == "--output").map(|w| w[1].as_str());
    let within = words.iter().filter_map(|w| w.strip_prefix("--output=").or_else(|| w.strip_prefix("-o")));
    after.chain(within.map(|w| w.trim_start_matches('='))).collect()
}

fn holds(words: &[String]) -> Result<(), TestCaseError> {
    let dir = folder();
    let before = contents(dir.path());
    let mut command = program();
    let output = command.args(words).current_dir(dir.path()).stdin(Stdio::null()).output().unwrap();
    let said = stderr(&output);
    prop_assert!((0..=3).contains(&code(&output)), "{:?}: {}: {said}", words, code(&output));
    for line in said.lines() {
        prop_assert!(
            line.len() <= 4096 && !line.contains(meshwright::acts_on_terminal),
            "{:?}: {line}",
            words
        );
    }
    // A model on standard output is no text.
    if let Ok(text) = str::from_utf8(&output.stdout)
        && !words.iter().any(|w| w == "convert" || w == "optimize")
    {
        prop_assert!(!text.contains(|c| c != '\n' && meshwright::acts_on_terminal(c)), "{:?}: {text}", words);
    }
    prop_assert!(
        code(&output) == 0 || !said.is_empty() || !output.stdout.is_empty(),
        "{:?} fails without a word",
        words
    );
    let outputs = outputs(words);
    for (name, bytes) in contents(dir.path()) {
        let may_change = outputs.contains(&name.as_str()) && words.iter().filter(|w| **w == name).count() < 2;
        prop_assert!(
            may_change || !(outputs.is_empty() || words.contains(&name)) || before[&name] == bytes,
            "{:?}: {name}",
            words
        );
    }
    Ok(())
}

fn word(options: Vec<String>) -> impl Strategy<Value = String> {
    let own = |w: &String| !w.contains(['\0', '/']) && !w.contains("..");
    let any = prop_oneof![any::<String>(), "-{1,2}[a-z-]{0,12}=?[ -~]{0,6}"]
        .prop_filter("stays in its folder", own);
    prop_oneof![
        2 => select(COMMANDS.to_vec()).prop_map(String::from),
        6 => select(options),
        6 => select(names()),
        5 => select(VALUES.to_vec()).prop_map(String::from),
        1 => any,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(160) })]

    #[test]
    fn any_words_get_an_answer(words in options_once().prop_flat_map(|o| prop::collection::vec(word(o), 0..8))) {
        holds(&words)?;
    }

    #[test]
    fn any_words_behind_a_command_and_a_file_get_an_answer(
        command in select(COMMANDS.to_vec()),
        file in select(names()),
        out in select(VALUES.to_vec()),
        words in options_once().prop_flat_map(|o| prop::collection::vec(word(o), 0..5)),
    ) {
        let mut all = vec![command.to_owned(), file];
        if matches!(command, "convert" | "optimize") {
            all.extend(["-o".into(), out.to_owned()]);
        }
        all.extend(words);
        holds(&all)?;
    }
}

/// Returns the options; they are determined once.
fn options_once() -> impl Strategy<Value = Vec<String>> {
    static OPTIONS: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    Just(OPTIONS.get_or_init(options).clone())
}
