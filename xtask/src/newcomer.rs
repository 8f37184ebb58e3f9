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
    let mut said = Vec::new();
    for line in lines {
        said.extend(measured(&clone, line)?);
    }
    let passed = said.iter().filter_map(|line| line.strip_prefix("test result: ok. ")?.split(' ').next());
    let passed: u32 = passed.filter_map(|count| count.parse::<u32>().ok()).sum();
    let skipped = said.iter().filter(|line| line.starts_with("skipped: ") || line.contains(" ... ignored"));
    let skipped: Vec<_> = skipped.map(String::as_str).collect();
    println!("{passed} passed, {} skipped", skipped.len());
    match (passed, skipped.as_slice()) {
        (0, _) => Err("no test ran".into()),
        (_, []) => Ok(()),
        (_, skipped) => Err(format!("every test must run: {}", skipped.join(", "))),
    }
}

/// Returns the commands of the first block below the heading, without comments.
fn commands(readme: &str) -> Vec<&str> {
    let below = readme.split_once(HEADING).map_or("", |(_, below)| below);
    let block = below.split_once("```sh\n").and_then(|(_, block)| block.split_once("```"));
    let lines = block.map_or("", |(block, _)| block).lines();
    lines.filter_map(|line| line.split(" # ").next()).map(str::trim).collect()
}

/// Runs a command in a shell, and prints how long it worked and how large the target folder is then. Returns its output.
fn measured(clone: &Path, line: &str) -> Result<Vec<String>, String> {
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
    let mut said = Vec::new();
    for text in running.stdout.take().map(BufReader::new).into_iter().flat_map(|out| out.split(b'\n')) {
        said.push(String::from_utf8_lossy(&text.map_err(|e| e.to_string())?).into_owned());
        said.last().into_iter().for_each(|line| println!("{line}"));
    }
    let status = running.wait().map_err(|e| e.to_string())?;
    let size = sh::output(Command::new("du").args(["-sh", "target"]).current_dir(clone)).unwrap_or_default();
    let size = String::from_utf8_lossy(&size).split_whitespace().next().unwrap_or("?").to_owned();
    println!(
        "$ {line}: {:.0} s, of processors {} (user, system), {size} of target",
        start.elapsed().as_secs_f32(),
        said.last().map_or("", String::as_str)
    );
    if status.success() { Ok(said) } else { Err(format!("{line}: {status}")) }
}
