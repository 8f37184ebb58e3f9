//! The project's tasks, a table of verbs: `cargo run -p xtask -- help` lists them.
//!
//! None of this needs the product, so that it is built in seconds. What measures the product is in `crates/lab`,
//! which the verbs of the same names build and call.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod bindings;
mod book;
mod browser;
pub mod builds;
mod ci;
mod dist;
mod features;
pub mod fixtures;
mod imports;
mod layers;
mod markdown;
mod nostd;
mod package;
mod python;
mod seeds;
pub mod sh;
mod supply;
pub mod workflows;

use lexopt::Arg;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// One task.
pub struct Verb {
    /// The first word of the command.
    pub name: &'static str,
    /// A line for the list: options in brackets, then what it does.
    pub help: &'static str,
    run: Run,
}

impl fmt::Debug for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Verb").field(&self.name).finish()
    }
}

impl Verb {
    /// Whether the program of `crates/lab` does the work.
    pub fn is_of_lab(&self) -> bool {
        matches!(self.run, Run::Lab(_))
    }
}

/// What a verb runs.
enum Run {
    /// A function that takes no options.
    Plain(fn(&Path) -> Result<(), String>),
    /// A function that writes, or with `--check` only compares.
    Check(fn(&Path, bool) -> Result<(), String>),
    /// A function that reads its own options.
    Words(fn(&Path, &[OsString]) -> Result<(), String>),
    /// The verb of the same name in `crates/lab`, in a build of a profile that may depend on the options.
    Lab(fn(&[OsString]) -> &'static str),
}

const fn plain(name: &'static str, help: &'static str, run: fn(&Path) -> Result<(), String>) -> Verb {
    Verb { name, help, run: Run::Plain(run) }
}

const fn check(name: &'static str, help: &'static str, run: fn(&Path, bool) -> Result<(), String>) -> Verb {
    Verb { name, help, run: Run::Check(run) }
}

const fn lab(name: &'static str, help: &'static str, profile: fn(&[OsString]) -> &'static str) -> Verb {
    Verb { name, help, run: Run::Lab(profile) }
}

/// Every task.
pub const VERBS: &[Verb] = &[
    plain("ci", "every step that a change must pass, in turn", ci::run),
    plain("fmt", "formatting", |root| sh::cargo(root, "fmt --all --check")),
    plain("clippy", "lints, warnings denied", |root| {
        sh::cargo(root, "clippy --workspace --all-targets --all-features --locked -- -D warnings")
    }),
    plain("features", "each feature alone, warnings denied", features::run),
    plain("test", "all tests", |root| sh::cargo(root, "test --workspace --all-features --locked")),
    plain("examples", "every example, as it runs without arguments", package::examples),
    plain("doc", "documentation, warnings denied", |root| {
        let denied = [("RUSTDOCFLAGS", "-D warnings")];
        sh::cargo_env(root, "doc --workspace --all-features --no-deps --locked", &denied)
    }),
    plain(
        "bevy",
        "the asset loader for Bevy, its tests in apps without a window, its example",
        bindings::bevy,
    ),
    plain("capi", "the library for C: its header, its tests with sanitizers, its example", bindings::capi),
    plain("python", "the wheel for Python, built and tested in an environment of its own", python::python),
    Verb {
        name: "blender",
        help: "[--bpy VERSION]: the extension of Blender as a zip, tested in Blender as a Python module",
        run: Run::Words(python::blender),
    },
    plain("ray", "the wheel on a cluster of two workers; needs Ray from PyPI", python::ray),
    plain("no-std", "the lower crates link without std", nostd::run),
    plain("msrv", "the oldest compiler that is promised builds everything", builds::msrv),
    check("fixtures", "[--check]: write testdata/ anew, or only compare", fixtures::run),
    plain("layers", "who may depend on whom, between crates and between the files of one", layers::run),
    plain("page", "the page of `view` in headless Chromium, driven by playwright-core", browser::page),
    plain(
        "workflows",
        "the workflows of GitHub run every verb, and their gates know every job",
        workflows::run,
    ),
    plain("seeds", "every statement of the formats' descriptions has a test that runs", seeds::run),
    plain("book", "links and anchors of every page lead somewhere; builds the book with mdbook", book::run),
    plain("supply", "no build script and no network in any crate of ours", supply::run),
    plain(
        "deny",
        "the crates that ours are built from, advisories, licences, duplicates, sources; needs cargo-deny",
        supply::deny,
    ),
    plain(
        "semver",
        "the public interface against the last release; needs cargo-semver-checks",
        supply::semver,
    ),
    lab("readme", "[--check]: write the README's tables anew, or only compare", |_| "dev"),
    lab("formats", "[--check]: write the tables of docs/formats anew, or only compare", |_| "dev"),
    lab("pictures", "[--check]: draw docs/pictures anew from testdata, or only compare", |_| "dev"),
    lab(
        "conformance",
        "[DIR] [FORMAT...]: a folder of models against their reference dumps, or what their names say",
        |_| "dev",
    ),
    lab("validate-glb", "[DIR]: exported GLBs through the Khronos validator", |_| "dev"),
    lab(
        "reliability",
        "[--check] [--mark] [--count N] [--commands N]: measure docs/reliability.md anew, or run its proofs and compare",
        |words| if words.iter().any(|w| w == "--check" || w == "--mark") { "dev" } else { "checked" },
    ),
    lab(
        "mutants",
        "[--count N] [--seconds N] [--from N] [--jobs N] [--keep DIR] [--only WORD]: broken models through everything",
        |_| "checked",
    ),
    lab(
        "commands",
        "[--count N] [--seconds N] [--from N] [--jobs N] [--keep DIR] [--only WORD]: broken models, companions and \
         pictures through every command",
        |_| "checked",
    ),
    lab(
        "hostile",
        "[--program FILE] [--only WORD]: files that once broke a promise, and what they cost",
        |_| "release",
    ),
    lab(
        "fuzz",
        "[--seconds N] [--runs N] [--until N] [--target NAME]... [--asan]: every target of crates/fuzz",
        |_| "dev",
    ),
    lab(
        "bench",
        "[--quick] [--only PART] [--corpus DIR]: performance beside its targets; --quick for a look",
        |_| "release",
    ),
    lab(
        "wasm",
        "[--large FILE]: the page as a site that reads dropped files itself, built, measured and tried in headless \
         Chromium; --large measures a model of yours beside the program",
        |words| if words.iter().any(|w| w == "--large") { "release" } else { "dev" },
    ),
    plain("exhaustive", "every small change of every fixture, none left out", |root| {
        sh::run(&mut builds::exhaustive(root))
    }),
    plain("profiles", "the tests in release, and optimized with every check", builds::profiles),
    Verb {
        name: "properties",
        help: "[--rounds N] [--cases N] [--seed N]: the tests with cases of properties that no other run drew",
        run: Run::Words(builds::properties),
    },
    plain(
        "miri",
        "the tests under Miri on three machines, where it is installed; unsafe preconditions",
        builds::miri,
    ),
    plain(
        "arm",
        "the tests of what has vector instructions of its own, on an emulated ARM machine",
        builds::arm,
    ),
    plain("emulated", "the tests on an emulated 32-bit and an emulated big-endian machine", builds::emulated),
    plain("asan", "the tests under the address sanitizer (nightly)", builds::asan),
    plain("glam-assert", "the tests of what uses glam, with its assertions", builds::glam_assert),
    plain("package", "packs what is published; its examples and doctests, packed", package::package),
    plain("publish", "everything of publishing but the upload, in order", dist::publish),
    Verb {
        name: "dist",
        help: "[--target TRIPLE] [--profile NAME]: the program with completions and manual as an archive, and its checksum",
        run: Run::Words(dist::dist),
    },
    plain("notes", "what the changelogs say of this version, for a release", dist::notes),
    plain("minimal", "the oldest dependencies that the manifests allow (nightly)", builds::minimal),
];

/// Runs the verb that the first word names, with the words behind it.
fn dispatch(root: &Path, name: &str, words: &[OsString]) -> Result<(), String> {
    let verb = VERBS.iter().find(|v| v.name == name).ok_or_else(|| format!("no such verb: {name}"))?;
    match verb.run {
        Run::Plain(run) => {
            let mut words = lexopt::Parser::from_args(words);
            match words.next().map_err(|e| e.to_string())? {
                Some(arg) => Err(arg.unexpected().to_string()),
                None => run(root),
            }
        }
        Run::Check(run) => {
            run(root, check_flag(lexopt::Parser::from_args(words)).map_err(|e| e.to_string())?)
        }
        Run::Words(run) => run(root, words),
        Run::Lab(profile) => {
            sh::run(Command::new(program(root, "lab", profile(words))?).arg(name).args(words))
        }
    }
}

/// Builds a program of the workspace. All crates are named, so that they have the features they have in the tests, and
/// what `xtask test` has built is not built again.
///
/// # Errors
/// When cargo fails.
pub fn program(root: &Path, name: &str, profile: &str) -> Result<PathBuf, String> {
    let build = "build --quiet --locked --workspace --all-features --bin";
    sh::cargo(root, &format!("{build} {name} --profile {profile}"))?;
    let metadata = sh::metadata(root, &["--no-deps"])?;
    let target = metadata["target_directory"].as_str().ok_or("cargo names no target folder")?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(Path::new(target).join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// Whether `--check` is there, and nothing else.
///
/// # Errors
/// For any other word: a mistyped `--check` must not write.
pub fn check_flag(mut words: lexopt::Parser) -> Result<bool, lexopt::Error> {
    let mut check = false;
    while let Some(arg) = words.next()? {
        match arg {
            Arg::Long("check") => check = true,
            _ => return Err(arg.unexpected()),
        }
    }
    Ok(check)
}

/// The program: runs the verb that the command line names.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let name = words.first().map_or("help".into(), |w| w.to_string_lossy());
    run_named("xtask", &name, VERBS.iter().map(|v| (v.name, v.help)), || {
        dispatch(&root(), &name, words.get(1..).unwrap_or_default())
    })
}

/// Runs `run` when `name` is one of `verbs`, names with a line of help each; else prints them all.
pub fn run_named<'a>(
    program: &str,
    name: &str,
    verbs: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    run: impl FnOnce() -> Result<(), String>,
) -> ExitCode {
    if !verbs.clone().any(|(verb, _)| verb == name) {
        for (verb, help) in verbs {
            println!("{verb:<14} {help}");
        }
        if name == "help" {
            return ExitCode::SUCCESS;
        }
        eprintln!("{program}: no such verb: {name}");
        return ExitCode::from(2);
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{program} {name}: {e}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}
