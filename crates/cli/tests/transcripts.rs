//! Compares the complete output of the program. Each file of `transcripts/` holds commands with their standard output,
//! their standard error (after `!`), and their exit code if it is not 0 (after `?`). They run in the folder of the
//! test data. With `MESHWRIGHT_WRITE=1` in the environment the test writes the files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, program, stderr, stdout};
use meshwright_testkit::testdata;
use std::fs;
use std::path::Path;

/// Runs a command, with variables of the environment before it, and returns its output.
fn run(line: &str) -> String {
    let mut command = program();
    command.current_dir(testdata()).env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    let mut words = line.split_whitespace().map(|word| word.trim_matches('\''));
    for word in words.by_ref() {
        match word.split_once('=') {
            Some((name, value)) => command.env(name, value),
            None => break,
        };
    }
    let output = command.args(words).output().unwrap();
    let mut said = stdout(&output);
    for line in stderr(&output).lines() {
        said += &format!("! {line}\n");
    }
    if code(&output) != 0 {
        said += &format!("? {}\n", code(&output));
    }
    said
}

fn check(path: &Path) {
    let kept = fs::read_to_string(path).unwrap();
    let mut made = String::new();
    for command in kept.lines().filter_map(|line| line.strip_prefix("$ ")) {
        made += &format!("$ {command}\n{}\n", run(command));
    }
    if std::env::var_os("MESHWRIGHT_WRITE").is_some() {
        fs::write(path, made).unwrap();
    } else {
        assert!(kept == made, "{}:\n{made}", path.display());
    }
}

#[test]
#[cfg_attr(windows, ignore = "paths have other separators")]
fn what_is_printed_is_what_was_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 3);
    files.iter().for_each(|path| check(path));
}
