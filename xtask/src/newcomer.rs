//! `xtask newcomer`: the first steps of a user with only Rust installed. It clones the committed tree into an empty folder
//! and runs the README's two commands there as printed, with their own target folder. Prints their time and size.

use crate::sh;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The heading that the commands come after.
const HEADING: &str = "\n## Contributing\n";

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let place = std::env::temp_dir().join(format!("meshwright-newcomer-{}", std::process::id()));
    let said = |e: std::io::Error| format!("{}: {e}", place.display());
    fs::create_dir(&place).map_err(said)?;
    let outcome = in_folder(root, &place);
    fs::remove_dir_all(&place).map_err(said)?;
    outcome
}

fn in_folder(root: &Path, place: &Path) -> Result<(), String> {
    let clone = place.join("meshwright");
    sh::run(Command::new("git").args(["clone", "--quiet"]).args([root, &clone]))?;
    let readme = fs::read_to_string(clone.join("README.md")).map_err(|e| format!("README.md: {e}"))?;
    let lines = commands(&readme);
    if lines.len() != 2 {
        return Err(format!("README.md: two commands expected: {lines:?}"));
    }
    let mut tests = Tests::default();
    for line in lines {
        measured(&clone, line, &mut tests)?;
    }
    println!("{} passed, {} failed, {} skipped", tests.passed, tests.failed, tests.skipped.len());
    match (tests.passed, tests.failed, tests.skipped.as_slice()) {
        (0, ..) => Err("no test ran".into()),
        (_, 0, []) => Ok(()),
        (.., skipped) => Err(format!("every test must run and pass: {}", skipped.join(", "))),
    }
}

/// Returns the commands of the first block below the heading, without comments.
fn commands(readme: &str) -> Vec<&str> {
    let below = readme.split_once(HEADING).map_or("", |(_, below)| below);
    let block = below.split_once("```sh\n").and_then(|(_, block)| block.split_once("```"));
    let lines = block.map_or("", |(block, _)| block).lines();
    lines.filter_map(|line| line.split(" # ").next()).map(str::trim).collect()
}

/// Runs a command in a shell, and prints how long it worked and how large the target folder is then.
fn measured(clone: &Path, line: &str, tests: &mut Tests) -> Result<(), String> {
    println!("$ {line}");
    let start = Instant::now();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{line} 2>&1; code=$?; times; exit $code")]);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("MESHWRIGHT_")
            || name.starts_with("CARGO_TARGET")
            || name == "CARGO_ENCODED_RUSTFLAGS"
        {
            shell.env_remove(name);
        }
    }
    let mut running =
        shell.current_dir(clone).stdout(Stdio::piped()).spawn().map_err(|e| format!("sh: {e}"))?;
    let mut last = String::new();
    for text in running.stdout.take().map(BufReader::new).into_iter().flat_map(|out| out.split(b'\n')) {
        last = String::from_utf8_lossy(&text.map_err(|e| e.to_string())?).into_owned();
        println!("{last}");
        tests.read(&last);
    }
    let status = running.wait().map_err(|e| e.to_string())?;
    let size = sh::output(Command::new("du").args(["-sh", "target"]).current_dir(clone)).unwrap_or_default();
    let size = String::from_utf8_lossy(&size).split_whitespace().next().unwrap_or("?").to_owned();
    println!(
        "$ {line}: {:.0} s, of processors {last} (user, system), {size} of target",
        start.elapsed().as_secs_f32()
    );
    if status.success() { Ok(()) } else { Err(format!("{line}: {status}")) }
}

/// The results of a test run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tests {
    passed: u32,
    failed: u32,
    skipped: Vec<String>,
}

impl Tests {
    /// Reads a line that `cargo test` or a test prints.
    fn read(&mut self, line: &str) {
        if line.starts_with("skipped: ") || line.contains(" ... ignored") {
            self.skipped.push(line.to_owned());
        }
        let Some((_, counts)) = line.split_once("test result: ") else { return };
        for count in counts.split(['.', ';']) {
            let number =
                |word: &str| count.trim().strip_suffix(word).and_then(|n| n.trim().parse::<u32>().ok());
            self.passed += number("passed").unwrap_or(0);
            self.failed += number("failed").unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_two_commands() {
        let readme = fs::read_to_string(crate::root().join("README.md")).unwrap();
        let commands = commands(&readme);
        assert!(
            matches!(commands[..], [run, test] if run.starts_with("cargo run ") && test.starts_with("cargo test "))
        );
        assert!(commands.iter().all(|line| !line.contains('#')), "{commands:?}");
    }

    #[test]
    fn a_test_that_was_skipped_is_seen() {
        let mut tests = Tests::default();
        for line in [
            "test a ... ok",
            "skipped: b: no corpus",
            "test c ... ignored",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        ] {
            tests.read(line);
        }
        assert_eq!((tests.passed, tests.failed), (15, 2));
        assert_eq!(tests.skipped, ["skipped: b: no corpus", "test c ... ignored"]);
    }
}
