//! Running other programs.

use lexopt::Arg;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::{fs, io};

/// The functions of verbs that only run other programs.
pub const STEPS: &str = "xtask/steps.sh";

/// Returns the command that runs a verb of [`STEPS`].
pub fn step(root: &Path, verb: &str, given: &Given) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!(". ./{STEPS}\n{} \"$@\"", verb.replace([' ', '-'], "_")), verb])
        .args(&given.files);
    shell.envs(given.options.iter().map(|(name, value)| (format!("given_{name}"), value)));
    shell.envs(std::env::current_exe().map(|own| ("XTASK", own)));
    shell.env_remove("CARGO_ENCODED_RUSTFLAGS").current_dir(root);
    shell
}

/// Runs `cargo` with arguments separated by spaces.
pub fn cargo(root: &Path, arguments: &str) -> Result<(), String> {
    run(cargo_command(root).args(arguments.split_whitespace()))
}

/// `cargo`, to be run in a folder.
pub fn cargo_command(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // The compiler settings of the task's own build must not leak into the builds it starts.
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").current_dir(root);
    command
}

/// Returns the packages of the workspace.
pub fn packages(root: &Path) -> Result<Vec<Value>, String> {
    let words = ["metadata", "--format-version=1", "--locked", "--no-deps"];
    let json = output(cargo_command(root).args(words))?;
    let mut metadata: Value = serde_json::from_slice(&json).map_err(|e| format!("cargo metadata: {e}"))?;
    match metadata["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => Err("cargo metadata lists no packages".into()),
    }
}

/// Returns the packages that go to the registry.
pub fn published(root: &Path) -> Result<Vec<Value>, String> {
    let is_published = |p: &Value| !p["publish"].as_array().is_some_and(Vec::is_empty);
    Ok(packages(root)?.into_iter().filter(is_published).collect())
}

/// Returns a value as text; empty for anything else.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the folder of cargo's builds.
pub fn target_dir(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Returns the machine that the compiler builds for.
pub fn host() -> Result<String, String> {
    let said = output_text(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc names no host".into())
}

/// The words after a verb, as its line of help has them: `[--name VALUE]`, `[--flag]`, `[FILE]`, `[DIR...]`.
#[derive(Debug, Default)]
pub struct Given {
    options: Vec<(String, OsString)>,
    /// Words that are not options.
    pub files: Vec<PathBuf>,
}

impl Given {
    /// Reads the words.
    pub fn new(help: &str, words: &[OsString]) -> Result<Self, String> {
        let usage = help.split(": ").next().unwrap_or_default();
        let known: Vec<&str> = usage.split('[').skip(1).filter_map(|part| part.split(']').next()).collect();
        let most = known.iter().filter(|word| !word.starts_with("--"));
        let most = most
            .map(|word| if word.ends_with("...") { usize::MAX } else { 1 })
            .fold(0, usize::saturating_add);
        let (mut given, mut parser) = (Self::default(), lexopt::Parser::from_args(words));
        while let Some(word) = parser.next().map_err(|e| e.to_string())? {
            match word {
                Arg::Long(name) if known.contains(&&*format!("--{name}")) => {
                    given.options.push((name.to_owned(), OsString::new()));
                }
                Arg::Long(name) if known.iter().any(|word| word.starts_with(&format!("--{name} "))) => {
                    let (name, value) = (name.to_owned(), parser.value().map_err(|e| e.to_string())?);
                    let is_path = known.contains(&&*format!("--{name} FILE"))
                        || known.contains(&&*format!("--{name} DIR"));
                    given.options.push((name, if is_path { absolute(&value)?.into() } else { value }));
                }
                Arg::Value(file) if given.files.len() < most => given.files.push(absolute(&file)?),
                word => return Err(word.unexpected().to_string()),
            }
        }
        Ok(given)
    }

    /// Returns all values of an option.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &OsString> {
        self.options.iter().filter(move |option| option.0 == name).map(|option| &option.1)
    }

    /// Returns whether an option is given.
    pub fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// Returns the path that an option names.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.all(name).last().map(PathBuf::from)
    }

    /// Returns the last value of an option.
    pub fn value<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, String> {
        let value = self.all(name).last().map(|value| value.to_string_lossy());
        value.map(|value| value.parse().map_err(|e| format!("--{name} {value}: {e}"))).transpose()
    }
}

/// Returns a path that is also valid in another folder.
fn absolute(path: &OsStr) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(error_at(path.as_ref()))
}

/// Returns a message for a file that cannot be read or written.
pub fn error_at(path: &Path) -> impl Fn(io::Error) -> String {
    let path = path.display().to_string();
    move |e| format!("{path}: {e}")
}

/// Returns a file's bytes.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(error_at(path))
}

/// Returns the text in a file.
pub fn read_text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(error_at(path))
}

/// Writes a file and the folders that it is in.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, bytes))
        .map_err(error_at(path))
}

/// Returns the text of a page with another text between its marks `<!-- name -->` and `<!-- /name -->`.
pub fn replace_block(page: &str, name: &str, text: &str) -> Result<String, String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = page.split_once(&open).ok_or_else(|| format!("the page lacks {open:?}"))?;
    let (_, after) = rest.split_once(&close).ok_or_else(|| format!("the page lacks {close:?}"))?;
    Ok(format!("{before}{open}{text}{close}{after}"))
}

/// Copies a file, or all files below a folder. The folders above the copy are made.
pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if from.is_dir() {
        let entries = fs::read_dir(from).map_err(error_at(from))?.flatten();
        return entries.into_iter().try_for_each(|entry| copy(&entry.path(), &to.join(entry.file_name())));
    }
    to.parent().map_or(Ok(()), fs::create_dir_all).map_err(error_at(to))?;
    fs::copy(from, to).map(drop).map_err(error_at(from))
}

/// Makes an empty folder.
pub fn empty(folder: &Path) -> Result<(), String> {
    let removed = if folder.is_dir() { fs::remove_dir_all(folder) } else { Ok(()) };
    removed.and_then(|()| fs::create_dir_all(folder)).map_err(error_at(folder))
}

/// Returns the SHA-256 of some bytes in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs a command, shows it, and fails when it fails.
pub fn run(command: &mut Command) -> Result<(), String> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ");
    eprintln!("$ {line}");
    let status = command.status().map_err(|e| format!("{line}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{line}: {status}")) }
}

/// Returns the standard output of a command.
pub fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let out = command.output().map_err(|e| format!("{name}: {e}"))?;
    if out.status.success() {
        Ok(out.stdout)
    } else {
        Err(format!("{name}: {}\n{}", out.status, String::from_utf8_lossy(&out.stderr)))
    }
}

/// Returns the standard output of a command as text, without blanks around it.
pub fn output_text(command: &mut Command) -> Result<String, String> {
    Ok(String::from_utf8_lossy(&output(command)?).trim().to_owned())
}

/// Returns the processor's name and the number of its threads, where the system says them.
pub fn machine() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{} with {threads} threads", named.map_or(std::env::consts::ARCH, |(_, name)| name.trim()))
}

/// Returns the load average of the last 1, 5 or 15 minutes, by number from 0, where the system says it.
pub fn load(span: usize) -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').nth(span).filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}

/// Says what cannot be done here. This is an error if `MESHWRIGHT_STRICT` is set.
pub fn skipped(why: &str) -> Result<(), String> {
    if std::env::var_os("MESHWRIGHT_STRICT").is_some_and(|strict| !strict.is_empty()) {
        return Err(format!("cannot run here: {why}"));
    }
    eprintln!("skipped: {why}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_line_of_help() {
        let read = |words: &str| {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            Given::new("[--seconds N] [--target PREFIX] [--asan] [FILE]: a [--lie]", &words)
        };
        let given = read("--target a x.bin --seconds=9 --target b").unwrap();
        assert_eq!((given.value("seconds"), given.has("asan")), (Ok(Some(9)), false));
        assert_eq!(given.all("target").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(given.files, [std::path::absolute("x.bin").unwrap()]);
        assert!(read("--asan").unwrap().has("asan"));
        assert!(read("--seconds x").unwrap().value::<u32>("seconds").is_err());
        for wrong in ["--lie", "--asan=1", "--seconds", "a b", "--check"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
