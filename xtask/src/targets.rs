//! The tests in other builds: with sanitizers, under Miri, with glam's assertions, optimized, with the oldest
//! dependencies that the manifests allow.

use crate::layers;
use crate::sh::{self, Given, target_dir};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The host, 32 bits, and most significant bytes first.
const MIRI_TARGETS: &[&str] =
    &["x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu", "s390x-unknown-linux-gnu"];
/// A machine to emulate.
struct Machine {
    target: &'static str,
    /// The prefix of its linker and the folder of its libraries.
    libraries: &'static str,
    emulator: &'static str,
}

const ARM: Machine =
    Machine { target: "aarch64-unknown-linux-gnu", libraries: "aarch64-linux-gnu", emulator: "qemu-aarch64" };
const MACHINES: &[Machine] = &[
    Machine { target: "s390x-unknown-linux-gnu", libraries: "s390x-linux-gnu", emulator: "qemu-s390x" },
    Machine { target: "i686-unknown-linux-gnu", libraries: "i686-linux-gnu", emulator: "qemu-i386" },
    ARM,
];
/// Emulators are slow.
const PATIENT: [(&str, &str); 2] = [("PROPTEST_CASES", "16"), ("MESHWRIGHT_PATIENCE", "50")];

impl Machine {
    /// Returns cargo's variables for its linker and its emulator, unless they are set; `None` without these programs.
    fn settings(&self) -> Option<Vec<(String, String)>> {
        let Self { target, libraries, emulator } = *self;
        let own =
            [("LINKER", format!("{libraries}-gcc")), ("RUNNER", format!("{emulator} -L /usr/{libraries}"))];
        let mut settings = Vec::new();
        for (what, value) in own {
            let name = format!("CARGO_TARGET_{}_{what}", target.replace('-', "_").to_uppercase());
            if std::env::var_os(&name).is_some() {
                continue;
            }
            let program = value.split(' ').next().unwrap_or_default();
            Command::new(program).arg("--version").output().ok()?;
            settings.push((name, value));
        }
        Some(settings)
    }

    fn skipped(&self) -> Result<(), String> {
        sh::skipped(&format!("{}: needs {}-gcc and {}", self.target, self.libraries, self.emulator))
    }
}
/// Crates whose tests need no C code, so that Miri and emulators run them and a sanitizer sees them in full. The
/// facade's fixtures cover the others.
const PURE: &str = "-p meshwright-core -p meshwright-scene -p meshwright-edit -p meshwright-bmd -p meshwright-dpm -p meshwright-iqm \
                    -p meshwright-fsomodel -p meshwright-tso -p meshwright-quake -p meshwright-rig";

/// Cargo of the nightly toolchain.
pub(crate) fn nightly(root: &Path, arguments: &str) -> Command {
    toolchain(root, "nightly", arguments)
}

/// Cargo of a toolchain.
fn toolchain(root: &Path, name: &str, arguments: &str) -> Command {
    let mut command = Command::new("cargo");
    // Those of the toolchain that runs this program.
    for var in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "CARGO_ENCODED_RUSTFLAGS"] {
        command.env_remove(var);
    }
    command.current_dir(root).arg(format!("+{name}")).args(arguments.split_whitespace());
    command
}

pub(crate) fn has_nightly(root: &Path, subcommand: &str) -> bool {
    sh::output(&mut nightly(root, subcommand)).is_ok()
}

fn no_nightly() -> Result<(), String> {
    sh::skipped("cargo of the nightly toolchain is not here")
}

pub(crate) fn miri(root: &Path) -> Result<(), String> {
    if has_nightly(root, "miri --version") {
        for target in MIRI_TARGETS {
            for tests in [&format!("{PURE} --lib"), "-p meshwright --test suite fixtures::"] {
                let mut cargo = nightly(root, &format!("miri test --locked --target {target} {tests}"));
                cargo.env("MIRIFLAGS", "-Zmiri-disable-isolation").env("PROPTEST_CASES", "2");
                sh::run(&mut cargo)?;
            }
        }
    } else {
        sh::skipped("`cargo +nightly miri` is not here")?;
    }
    // Not a substitute: the compiler's checks of unsafe preconditions, and fields in another order.
    tests_with_flags(root, "ub-checks", "", "-Zub-checks=yes -Zrandomize-layout -Cdebug-assertions=yes")
}

/// Runs the tests of crates without C code in a build of nightly with checks of its own.
fn tests_with_flags(root: &Path, folder: &str, words: &str, flags: &str) -> Result<(), String> {
    if !has_nightly(root, "--version") {
        return no_nightly();
    }
    let mut cargo = nightly(root, &format!("test --locked {words} {PURE} --lib --tests"));
    cargo.env("RUSTFLAGS", flags).env("CARGO_TARGET_DIR", target_dir(root).join(folder));
    sh::run(cargo.env("MESHWRIGHT_PATIENCE", "10"))
}

pub(crate) fn asan(root: &Path) -> Result<(), String> {
    let words = "--target x86_64-unknown-linux-gnu --all-features";
    tests_with_flags(root, "asan", words, "-Zsanitizer=address")
}

/// `xtask targets emulated`: the standard library is built from its source, so that any compiler that brings it will do:
/// nightly with the component rust-src, or the one that `RUSTC` names. Linkers and emulators that are elsewhere
/// can be named by cargo's own variables.
pub(crate) fn emulated(root: &Path) -> Result<(), String> {
    if !has_nightly(root, "--version") {
        return no_nightly();
    }
    let own = std::env::var_os("RUSTC");
    let mut rustc = own.as_ref().map_or_else(
        || {
            let mut nightly = Command::new("rustc");
            nightly.env_remove("RUSTUP_TOOLCHAIN").arg("+nightly");
            nightly
        },
        Command::new,
    );
    let sysroot = sh::output(rustc.args(["--print", "sysroot"]))?;
    let source = Path::new(String::from_utf8_lossy(&sysroot).trim()).join("lib/rustlib/src/rust/library");
    if !source.is_dir() {
        return sh::skipped(&format!("no source of the standard library in {}", source.display()));
    }
    for machine in MACHINES {
        let Some(settings) = machine.settings() else {
            machine.skipped()?;
            continue;
        };
        for tests in
            [&format!("{PURE} --lib --tests"), "-p meshwright --test suite -- fixtures:: exhaustive::"]
        {
            let std = "-Zbuild-std=std,panic_abort,panic_unwind,test";
            let mut cargo =
                nightly(root, &format!("test {std} --locked --target {} {tests}", machine.target));
            if let Some(rustc) = &own {
                cargo.env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
            }
            cargo.envs(settings.clone()).envs(PATIENT);
            cargo.env("CARGO_TARGET_DIR", target_dir(root).join("emulated"));
            sh::run(&mut cargo)?;
        }
    }
    Ok(())
}

/// `xtask targets arm`: the crates with vector instructions, with the installed compiler if it has the standard library of
/// aarch64.
pub(crate) fn arm(root: &Path) -> Result<(), String> {
    let mut rustc = Command::new("rustc");
    rustc.current_dir(root).args(["--print", "target-libdir", "--target", ARM.target]);
    let std = sh::output(&mut rustc).unwrap_or_default();
    if !Path::new(String::from_utf8_lossy(&std).trim()).is_dir() {
        return sh::skipped(&format!(
            "the standard library of {} (rustup target add) is not here",
            ARM.target
        ));
    }
    let Some(settings) = ARM.settings() else { return ARM.skipped() };
    let tests = "-p meshwright-core -p meshwright-rig --all-features --lib --tests";
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(format!("test --locked --target {} {tests}", ARM.target).split_whitespace());
    sh::run(cargo.envs(settings).envs(PATIENT))
}

pub(crate) fn glam_assert(root: &Path) -> Result<(), String> {
    let tests =
        "test -p meshwright-rig -p meshwright-gltf -p meshwright --all-features --locked --lib --tests";
    let target = target_dir(root).join("glam-assert");
    let vars = [("CARGO_TARGET_DIR", &*target.to_string_lossy())];
    sh::cargo_env(root, &format!("{tests} --features glam/debug-glam-assert"), &vars)
}

pub(crate) fn minimal(root: &Path) -> Result<(), String> {
    if !has_nightly(root, "--version") {
        return no_nightly();
    }
    let copy = target_dir(root).join("copies/minimal");
    sh::empty(&copy)?;
    // With changes that are not committed.
    let files = sh::output_text(
        Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).current_dir(root),
    )?;
    for file in files.lines().filter(|file| root.join(file).is_file()) {
        sh::copy(&root.join(file), &copy.join(file))?;
    }
    sh::run(&mut nightly(&copy, "-Z direct-minimal-versions update"))?;
    sh::cargo_env(
        &copy,
        "check --workspace --all-features --all-targets --locked",
        &[("CARGO_TARGET_DIR", &target_dir(root).join("minimal").to_string_lossy())],
    )
}

pub(crate) fn msrv(root: &Path) -> Result<(), String> {
    let packages = sh::packages(root)?;
    let promised = packages.iter().find_map(|p| p["rust_version"].as_str()).ok_or("no rust-version")?;
    // Newer versions of rustup would fetch it.
    if sh::output(toolchain(root, promised, "--version").env("RUSTUP_AUTO_INSTALL", "0")).is_err() {
        return sh::skipped(&format!(
            "`cargo +{promised}` is not here (rustup toolchain install {promised})"
        ));
    }
    let mut cargo = toolchain(root, promised, "check --workspace --all-features --all-targets --locked");
    sh::run(cargo.env("CARGO_TARGET_DIR", target_dir(root).join("msrv")))
}

pub(crate) fn release(root: &Path) -> Result<(), String> {
    for profile in ["release", "checked"] {
        sh::cargo(
            root,
            &format!("test --workspace --all-features --locked --lib --bins --tests --profile {profile}"),
        )?;
    }
    Ok(())
}

/// `xtask targets properties`: the tests, round by round with another seed for the cases of properties, from one of the clock
/// on. Each round says its seed, with which `--seed` draws the same cases again.
pub(crate) fn properties(root: &Path, given: &Given) -> Result<(), String> {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|e| e.to_string())?;
    let (rounds, cases) = (given.value("rounds")?.unwrap_or(1), given.value("cases")?.unwrap_or(1024_u64));
    let first: u64 = given.value("seed")?.unwrap_or(clock.as_secs());
    for seed in (0..rounds).map(|round| first.wrapping_add(round)) {
        eprintln!("seed {seed}");
        let (seed, cases) = (seed.to_string(), cases.to_string());
        // A failure ends the round, not the crates after it.
        sh::cargo_env(
            root,
            "test --workspace --all-features --locked --lib --bins --tests --no-fail-fast",
            &[("PROPTEST_RNG_SEED", &seed), ("PROPTEST_CASES", &cases)],
        )?;
    }
    Ok(())
}

pub(crate) fn exhaustive(root: &Path) -> Result<(), String> {
    sh::run(&mut exhaustive_command(root))
}

pub(crate) fn exhaustive_command(root: &Path) -> Command {
    let mut command = sh::cargo_command(root);
    command.args(["test", "--quiet", "--locked", "-p", "meshwright", "--all-features"]);
    command.args(["--profile", "checked", "--test", "suite", "exhaustive::", "--", "--nocapture"]);
    command.env("MESHWRIGHT_EXHAUSTIVE", "1");
    command
}

pub(crate) fn test(root: &Path) -> Result<(), String> {
    sh::cargo(root, "test --workspace --all-features --locked")?;
    // All crates at once, so that they have the features they have in the tests, and nothing is built twice.
    let build = "build --quiet --locked --workspace --all-features --examples --message-format json";
    let messages = sh::output_text(sh::cargo_command(root).args(build.split(' ')))?;
    run_examples(&target_dir(root), &sh::packages(root)?)?;
    // The page of the library is in no package whose documentation tests would compile it.
    let built = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let facade =
        built.filter(|built| built["target"]["name"] == "meshwright" && built["target"]["kind"][0] == "lib");
    let library = facade.filter_map(|built| Some(built["filenames"][0].as_str()?.to_owned())).next();
    let library = library.ok_or("cargo builds no library")?;
    let deps = target_dir(root).join("debug/deps");
    let mut page = Command::new("rustdoc");
    page.args(["--test", "docs/crate.md", "--edition", "2024", "--test-run-directory", "crates/meshwright"]);
    page.arg("-L").arg(deps).arg("--extern").arg(format!("meshwright={library}"));
    sh::run(page.current_dir(root))
}

/// Runs the examples that were built in a target folder.
pub(crate) fn run_examples(target: &Path, packages: &[Value]) -> Result<(), String> {
    let targets = packages.iter().filter_map(|package| package["targets"].as_array()).flatten();
    for example in targets.filter(|target| target["kind"][0] == "example") {
        let name = format!("{}{}", sh::text(&example["name"]), std::env::consts::EXE_SUFFIX);
        sh::run(&mut Command::new(target.join("debug/examples").join(name)))?;
    }
    Ok(())
}

/// Crates without `std`, in addition to formats.
const WITHOUT_STD: [&str; 5] = ["core", "scene", "edit", "quake", "rig"];
const BARE_TARGETS: &[&str] =
    &["thumbv7em-none-eabihf", "x86_64-unknown-none", "riscv32imac-unknown-none-elf"];

/// `xtask targets no-std`. A program that brings its own panic handler cannot link `std`, which has one already. So a static
/// library with such a handler that uses the crates is a proof on any host; where the toolchain has a target without `std`,
/// the crates are built for it as well.
pub(crate) fn no_std(root: &Path) -> Result<(), String> {
    let dir = root.join("target/no-std");
    fs::create_dir_all(dir.join("src")).map_err(|e| e.to_string())?;
    let formats = layers::formats(root)?;
    let present = WITHOUT_STD.into_iter().chain(formats.iter().map(String::as_str));
    let mut manifest = String::from(
        "[package]\nname = \"no-std-proof\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [lib]\ncrate-type = [\"staticlib\"]\n\n\
         [profile.dev]\npanic = \"abort\"\n\n[profile.release]\npanic = \"abort\"\n\n[dependencies]\n",
    );
    let mut lib = String::from(
        "#![no_std]\n\
         use core::alloc::{GlobalAlloc, Layout};\n\
         struct None;\n\
         unsafe impl GlobalAlloc for None {\n\
             unsafe fn alloc(&self, _: Layout) -> *mut u8 { core::ptr::null_mut() }\n\
             unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}\n\
         }\n\
         #[global_allocator]\nstatic ALLOCATOR: None = None;\n\
         #[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\n",
    );
    for name in present {
        let features = if WITHOUT_STD.contains(&name) { "" } else { ", features = [\"scene\"]" };
        manifest.push_str(&format!(
            "meshwright-{name} = {{ path = \"../../crates/{name}\", default-features = false{features} }}\n"
        ));
        lib.push_str(&format!("extern crate meshwright_{name} as _;\n"));
    }
    fs::write(dir.join("Cargo.toml"), manifest).map_err(|e| e.to_string())?;
    fs::write(dir.join("src/lib.rs"), lib).map_err(|e| e.to_string())?;
    let _ = fs::copy(root.join("Cargo.lock"), dir.join("Cargo.lock"));
    sh::cargo(&dir, "build --target-dir ../no-std-target")?;
    for target in BARE_TARGETS {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let lib = sh::output(Command::new(rustc).args(["--print", "target-libdir", "--target", target]))?;
        if Path::new(String::from_utf8_lossy(&lib).trim()).is_dir() {
            sh::cargo(&dir, &format!("build --target {target} --target-dir ../no-std-target"))?;
        } else {
            eprintln!("{target}: not in this toolchain");
        }
    }
    Ok(())
}
