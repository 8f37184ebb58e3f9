//! The project's tasks. `cargo run -p xtask -- help` lists them.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod bench;
mod builds;
mod ci;
mod compare;
mod conformance;
mod features;
mod fixtures;
mod fuzz;
mod kernels;
mod layers;
mod mutants;
mod nostd;
mod readme;
mod reliability;
mod sh;
mod supply;
mod validator;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// One task.
struct Verb {
    name: &'static str,
    help: &'static str,
    run: fn(&Path, &[String]) -> Result<(), String>,
}

const VERBS: &[Verb] = &[
    Verb { name: "ci", help: "every step below in turn", run: |root, _| ci::run(root) },
    Verb { name: "fmt", help: "formatting", run: |root, _| sh::cargo(root, "fmt --all --check") },
    Verb {
        name: "clippy",
        help: "lints, warnings denied",
        run: |root, _| {
            sh::cargo(root, "clippy --workspace --all-targets --all-features --locked -- -D warnings")
        },
    },
    Verb {
        name: "features",
        help: "each feature alone, warnings denied",
        run: |root, _| features::run(root),
    },
    Verb {
        name: "test",
        help: "all tests",
        run: |root, _| sh::cargo(root, "test --workspace --all-features --locked"),
    },
    Verb {
        name: "doc",
        help: "documentation, warnings denied",
        run: |root, _| {
            sh::cargo_env(
                root,
                "doc --workspace --all-features --no-deps --locked",
                &[("RUSTDOCFLAGS", "-D warnings")],
            )
        },
    },
    Verb { name: "no-std", help: "the lower crates link without std", run: |root, _| nostd::run(root) },
    Verb {
        name: "fixtures",
        help: "write testdata/ anew; --check only compares",
        run: |root, args| fixtures::run(root, has(args, "--check")),
    },
    Verb {
        name: "bench",
        help: "performance beside its targets; --quick for a look; [--only PART] [--corpus DIR]",
        run: bench::run,
    },
    Verb { name: "layers", help: "who may depend on whom", run: |root, _| layers::run(root) },
    Verb {
        name: "supply",
        help: "no build script, no network, no crate that nobody decided on",
        run: |root, _| supply::run(root),
    },
    Verb {
        name: "deny",
        help: "advisories, licences, duplicates, sources; needs cargo-deny",
        run: |root, _| supply::deny(root),
    },
    Verb {
        name: "semver",
        help: "the public interface against the last release; needs cargo-semver-checks",
        run: |root, _| supply::semver(root),
    },
    Verb {
        name: "readme",
        help: "write the README's tables anew; --check only compares",
        run: |root, args| readme::run(root, has(args, "--check")),
    },
    Verb {
        name: "conformance",
        help: "[DIR] [FORMAT...]: a folder of models against their reference dumps",
        run: conformance::run,
    },
    Verb {
        name: "mutants",
        help: "[--count N] [--seconds N] [--from N] [--jobs N] [--keep DIR] [--only WORD]: broken models through everything",
        run: mutants::run,
    },
    Verb {
        name: "fuzz",
        help: "[--seconds N] [--runs N] [--until N] [--target NAME]... [--asan]: every target of crates/fuzz",
        run: fuzz::run,
    },
    Verb {
        name: "reliability",
        help: "[--count N]: measure docs/reliability.md anew; --check only compares its promises",
        run: reliability::run,
    },
    Verb {
        name: "exhaustive",
        help: "every small change of every fixture, none left out",
        run: |root, _| sh::run(&mut builds::exhaustive(root)),
    },
    Verb {
        name: "profiles",
        help: "the tests in release, and optimized with every check",
        run: |root, _| builds::profiles(root),
    },
    Verb {
        name: "miri",
        help: "the tests under Miri on three machines, where it is installed; unsafe preconditions",
        run: |root, _| builds::miri(root),
    },
    Verb {
        name: "emulated",
        help: "the tests on an emulated 32-bit and an emulated big-endian machine",
        run: |root, _| builds::emulated(root),
    },
    Verb {
        name: "asan",
        help: "the tests under the address sanitizer (nightly)",
        run: |root, _| builds::asan(root),
    },
    Verb {
        name: "glam-assert",
        help: "the tests of what uses glam, with its assertions",
        run: |root, _| builds::glam_assert(root),
    },
    Verb {
        name: "minimal",
        help: "the oldest dependencies that the manifests allow (nightly)",
        run: |root, _| builds::minimal(root),
    },
    Verb {
        name: "validate-glb",
        help: "[DIR]: exported GLBs through the Khronos validator",
        run: validator::run,
    },
];

fn has(args: &[String], flag: &str) -> bool {
    args.iter().any(|a| a == flag)
}

/// Runs the verb that the first word names.
fn dispatch(root: &Path, words: &[String]) -> Result<(), String> {
    let name = words.first().map_or("help", String::as_str);
    let verb = VERBS.iter().find(|v| v.name == name).ok_or_else(|| format!("no such verb: {name}"))?;
    let words = words.get(1..).unwrap_or_default();
    // A mistyped `--check` must not write.
    let known = |flag: &str| verb.help.split(|c: char| c != '-' && !c.is_alphanumeric()).any(|w| w == flag);
    if let Some(flag) = words.iter().find(|w| w.starts_with("--") && !known(w)) {
        return Err(format!("no such option: {flag}"));
    }
    (verb.run)(root, words)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    let name = args.first().map_or("help", String::as_str);
    if !VERBS.iter().any(|v| v.name == name) {
        for verb in VERBS {
            println!("{:<14} {}", verb.name, verb.help);
        }
        if name == "help" {
            return ExitCode::SUCCESS;
        }
        eprintln!("xtask: no such verb: {name}");
        return ExitCode::from(2);
    }
    match dispatch(&root(), &args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask {name}: {e}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}
