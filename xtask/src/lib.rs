//! The project's tasks, a table of verbs: `cargo run -p xtask -- help` lists them.
//!
//! Verbs that only run other programs are functions of `xtask/steps.sh`. Nothing here needs the product, so it is built in
//! seconds. What measures the product is in `crates/lab`, which some verbs build and call.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::missing_errors_doc,
    reason = "a command line program, of which each error is a message to a person"
)]

mod ci;
mod docs;
mod evidence;
pub mod fixtures;
mod instructions;
mod layers;
mod random;
mod release;
pub mod sh;
pub mod sheet;
mod words;

use sh::Given;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

type Outcome = Result<(), String>;

/// The code of a verb.
enum Run {
    /// The function of its name in `xtask/steps.sh`.
    Steps,
    /// A function with the options of the line of help.
    With(fn(&Path, &Given) -> Outcome),
    /// The verb of this name in `crates/lab`, in a build of this profile.
    Lab(&'static str, &'static str),
}

/// One task: a name, a line of help with its options, and what it runs. The name of a part is its verb's and its own.
struct Verb(&'static str, &'static str, Run);

use Run::{Lab, Steps, With};

/// Makes a table of rows.
macro_rules! verbs {
    ($($name:literal $help:literal $run:expr;)*) => { &[$(Verb($name, $help, $run)),*] };
}

/// Every task. A verb of several parts runs those that are named, or all with `all`.
const VERBS: &[Verb] = verbs! {
    "ci" "every step that a change must pass, in turn" With(ci::run);
    "newcomer" "[--here]: the README's two commands in a clone in an empty folder, or here" Steps;
    "lint" "formatting; lints of everything and of each single feature; documentation: warnings denied" Steps;
    "test" "all tests, and every example as it runs without arguments" Steps;
    "targets release" "the tests in release, and optimized with every check" Steps;
    "targets msrv" "the oldest compiler that is promised builds everything" Steps;
    "targets no-std" "the lower crates link without std" Steps;
    "targets properties" "[--rounds N] [--cases N] [--seed N]: the tests with cases of properties that no other run drew" Steps;
    "targets exhaustive" "every small change of every fixture, none left out" Steps;
    "targets minimal" "the oldest dependencies that the manifests allow; needs nightly" Steps;
    "targets glam-assert" "the tests of what uses glam, with its assertions" Steps;
    "targets asan" "the tests under the address sanitizer; needs nightly" Steps;
    "targets miri" "the tests under Miri on three machines; needs it" Steps;
    "targets arm" "vector instructions on an emulated ARM machine; needs qemu-user" Steps;
    "targets emulated" "the tests on an emulated 32-bit and big-endian machine" Steps;
    "bindings capi" "the library for C: its header, tests, sanitizers, example" Steps;
    "bindings bevy" "the asset loader for Bevy: lints, tests, its example" Steps;
    "bindings python" "the wheel: built, and tested in an environment of its own" Steps;
    "bindings blender" "[--bpy VERSION]: the extension, tested in Blender" Steps;
    "bindings ray" "the wheel on a cluster of two workers; needs Ray from PyPI" Steps;
    "bindings page" "the page of `view` in headless Chromium" Steps;
    "bindings wasm" "[--large FILE]: the page as a site, built and tried in headless Chromium; --large measures a model of yours" Steps;
    "words" "[--write] [--list AREA]: phrases that have to be read twice, against a budget that only falls" With(words::run);
    "fixtures" "[--check]: write testdata/, or only compare" With(fixtures::run);
    "layers" "who may depend on whom; no build script, no network" With(layers::run);
    "docs links" "[DIR]: links, anchors and named tests exist; builds the book with mdbook. Only links, of a copy in DIR" With(docs::links);
    "docs examples" "every example as it runs without arguments, and the page of the library" Steps;
    "docs tables" "[--check]: write the tables and pictures of the pages, or only compare" Lab("tables", "test");
    "describe" "[--check]: write docs/descriptions for Kaitai Struct, ImHex, file, the desktop, PRONOM, or only compare" Lab("describe", "test");
    "supply" "dependencies, licences, advisories, audits, sources; needs cargo-deny" Steps;
    "conformance" "the suite of docs/conformance.md, and the tests of real files, where they are" Steps;
    "witness validator" "[DIR...]: exported GLBs through the Khronos validator; needs node" Steps;
    "witness crates" "LZ4 blocks and glTF documents as other crates read them; needs a C compiler" Steps;
    "witness check" "[DIR...]: errors of glTF documents and changed copies of them as the Khronos validator finds them; needs node" Steps;
    "witness darkplaces" "[DIR...]: DPM, ZYM and IQM as the DarkPlaces engine reads them; needs Debian's darkplaces-server" Steps;
    "witness raylib" "[DIR...]: poses of DPM, ZYM and IQM as raylib reads them; needs raylib from PyPI" Steps;
    "witness kaitai" "[DIR...]: compares readers generated from docs/descriptions with the program; needs node, kaitaistruct from PyPI" Steps;
    "witness names" "[DIR...]: what `file` and the desktop call files, by docs/descriptions" Steps;
    "random" "[--seconds N] [--seed N] [--jobs N] [--target PREFIX] [--asan] [FILE]: random inputs for every target of crates/fuzz; a FILE is run alone" With(random::run);
    "evidence" "[--seconds N] [--seed N]: the figures of docs/promises.md" With(evidence::run);
    "hostile" "[--program FILE] [--only WORD]: files that once broke a promise, and what they cost" Lab("hostile", "release");
    "instructions" "[--write] [--program FILE]: what whole commands take, against xtask/instructions.txt; needs valgrind" With(instructions::run);
    "bench" "[--quick] [--only PART] [--pack FILE] [--program FILE]: performance against its targets, how commands grow, models per second of Nexuiz" Lab("bench", "release");
    "release package" "packs what is published; its examples and doctests, packed" Steps;
    "release publish" "everything of publishing but the upload, in order" Steps;
    "release dist" "[--target TRIPLE] [--profile NAME]: the program with completions and manual as an archive, and its checksum" Steps;
    "release capi" "[--prefix DIR] [--profile NAME]: the library for C, installed below a folder or as an archive" Steps;
    "release blender" "Blender's extension for this machine as a zip" Steps;
    "release deb" "[--profile NAME]: the program as a Debian package; needs cargo-deb" Steps;
    "release installers" "scripts that install the program from the archives" Steps;
    "release npm" "the page's module as a package of npm; after bindings wasm" Steps;
    "release site" "the project's pages in target/site: the page, an example gallery, the book; after bindings wasm" Steps;
    "release sbom" "what the program is built from, as CycloneDX" With(release::sbom);
    "release notes" "what the changelogs say of this version" Steps;
    "release semver" "the public interface against the last release" Steps;
};

/// Runs the verb that the first words name, with the words after them.
fn dispatch(root: &Path, words: &[OsString]) -> Outcome {
    let word = |i: usize| words.get(i).map(|w| w.to_string_lossy()).unwrap_or_default();
    let (first, second) = (word(0), word(1));
    let parts: Vec<&Verb> = VERBS.iter().filter(|v| v.0.split(' ').next() == Some(&*first)).collect();
    let is_whole = |verb: &&Verb| verb.0 == first || verb.0 == format!("{first} {second}");
    if let Some(verb) = parts.iter().find(|v| is_whole(v)) {
        let used = verb.0.split(' ').count();
        return verb.run(root, words.get(used..).unwrap_or_default());
    }
    let names: Vec<_> = parts.iter().filter_map(|v| v.0.split(' ').nth(1)).collect();
    match (&*second, names.is_empty()) {
        (_, true) => Err(format!("no such verb: {first} (help lists them)")),
        ("all", _) => parts.iter().try_for_each(|v| v.run(root, words.get(2..).unwrap_or_default())),
        _ => Err(format!("name a part of {first}: all, {}", names.join(", "))),
    }
}

impl Verb {
    fn run(&self, root: &Path, words: &[OsString]) -> Outcome {
        let given = Given::new(self.1, words)?;
        match self.2 {
            Steps => match sh::step(root, self.0, &given).status() {
                Ok(status) if status.success() => Ok(()),
                Ok(status) => Err(format!("{}: {status}", self.0)),
                Err(e) => Err(format!("sh: {e}")),
            },
            With(run) => run(root, &given),
            Lab(name, profile) => sh::run(Command::new(program(root, "lab", profile)?).arg(name).args(words)),
        }
    }
}

/// Reads the words after a verb of `crates/lab`; after one that only `xtask/steps.sh` calls, a file.
pub fn read_words(lab: &str, words: &[OsString]) -> Result<Given, String> {
    Given::new(VERBS.iter().find(|verb| verb.0.ends_with(lab)).map_or("[FILE]", |verb| verb.1), words)
}

/// Builds a program of the workspace. With the examples, crates have the features they have in the tests, and what the tests have
/// built is not built again.
pub fn program(root: &Path, name: &str, profile: &str) -> Result<PathBuf, String> {
    let (folder, features) =
        if profile == "test" { ("debug", "--examples") } else { (profile, "--all-features") };
    let build = format!("build --quiet --locked --workspace {features} --bin {name} --profile {profile}");
    sh::cargo(root, &build)?;
    Ok(sh::target_dir(root).join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// Returns the program that an option names, or builds it as its users do.
pub fn released(root: &Path, given: &Given) -> Result<PathBuf, String> {
    let built = || -> Result<PathBuf, String> {
        sh::cargo(root, "build --quiet --locked --release -p meshwright-cli")?;
        Ok(sh::target_dir(root).join("release").join(format!("meshwright{}", std::env::consts::EXE_SUFFIX)))
    };
    let program = given.path("program").map_or_else(built, Ok)?;
    program.canonicalize().map_err(sh::error_at(&program))
}

/// Returns the program: runs the verb that the command line names.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if words.first().is_none_or(|w| w == "help") {
        for Verb(name, help, _) in VERBS {
            println!("{name:<20} {help}");
        }
        return ExitCode::SUCCESS;
    }
    match dispatch(&root(), &words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the workspace's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every verb that a page or a workflow names exists.
    #[test]
    fn pages_name_verbs() {
        let root = root();
        let steps = std::fs::read_to_string(root.join(sh::STEPS)).unwrap();
        for Verb(name, ..) in VERBS.iter().filter(|verb| matches!(verb.2, Steps)) {
            let function = name.replace([' ', '-'], "_");
            assert!(steps.contains(&format!("\n{function}() {{")), "{name}");
        }
        let known = |command: &str| {
            command == "help"
                || VERBS.iter().any(|v| command.starts_with(v.0) || v.0.split(' ').next() == Some(command))
        };
        let workflows =
            ["ci", "release", "weekly"].map(|name| format!(".github/workflows/{name}.yml").into());
        for page in docs::pages(&root).unwrap().into_iter().chain(workflows) {
            let text = std::fs::read_to_string(root.join(&page)).unwrap();
            let steps = text
                .split("step:\n")
                .skip(1)
                .flat_map(str::lines)
                .map_while(|line| line.strip_prefix("          - "));
            for command in text.split("xtask -- ").skip(1).chain(text.split("`xtask ").skip(1)).chain(steps) {
                let command = command.split(['`', '\n', '"', '#', '$']).next().unwrap_or_default().trim();
                assert!(command.is_empty() || known(command), "{}: no verb for `{command}`", page.display());
            }
        }
    }
}
