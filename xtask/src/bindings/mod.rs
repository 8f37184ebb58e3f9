//! The crates for other languages: workspaces of their own below `crates/`, since they need more than cargo.

mod python;

use crate::sh::{self, target_dir};
use crate::targets::{has_nightly, nightly};
pub(crate) use python::{blender, python, ray};
use std::fs;
use std::path::Path;
use std::process::Command;

/// `xtask bindings capi`: lints and tests, then an installation into a folder, from which the example is built as a user would.
pub(crate) fn capi(root: &Path) -> Result<(), String> {
    let home = root.join("crates/capi");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        return sh::skipped("no C compiler found");
    }
    sh::cargo(&home, "fmt --check")?;
    sh::cargo(&home, "clippy --all-targets --locked -- -D warnings")?;
    sh::cargo(&home, "test --locked")?;
    installed(root, &home, &compiler)?;
    if !has_nightly(root, "--version") {
        return sh::skipped(
            "cargo of the nightly toolchain is not here, for the sanitizer inside of the library",
        );
    }
    let target = "x86_64-unknown-linux-gnu";
    let mut tests =
        nightly(&home, &format!("test --locked --target {target} --test boundary --test figures"));
    tests.env("RUSTFLAGS", "-Zsanitizer=address").env("CARGO_TARGET_DIR", home.join("target/asan"));
    sh::run(&mut tests)
}

/// Puts header, library and the file for pkg-config below `target/capi`, and builds the example against them.
fn installed(root: &Path, home: &Path, compiler: &std::ffi::OsStr) -> Result<(), String> {
    sh::cargo(home, "build --release --locked")?;
    let prefix = target_dir(root).join("capi");
    let told = |e: std::io::Error| format!("{}: {e}", prefix.display());
    for folder in ["include", "lib/pkgconfig"] {
        fs::create_dir_all(prefix.join(folder)).map_err(told)?;
    }
    let libraries = target_dir(home).join("release");
    for (from, to) in [
        (home.join("include/meshwright.h"), "include/meshwright.h"),
        (libraries.join("libmeshwright.so"), "lib/libmeshwright.so"),
        (libraries.join("libmeshwright.a"), "lib/libmeshwright.a"),
    ] {
        fs::copy(&from, prefix.join(to)).map_err(|e| format!("{}: {e}", from.display()))?;
    }
    let version = sh::packages(home)?.iter().find_map(|p| p["version"].as_str().map(str::to_owned));
    let pc = fs::read_to_string(home.join("meshwright.pc.in")).map_err(told)?;
    let pc = pc.replace("@prefix@", &prefix.to_string_lossy());
    let pc = pc.replace("@version@", &version.ok_or("the crate has no version")?);
    fs::write(prefix.join("lib/pkgconfig/meshwright.pc"), pc).map_err(told)?;
    let mut config = Command::new("pkg-config");
    config.args(["--cflags", "--libs", "meshwright"]).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    let flags = match sh::output(&mut config) {
        Ok(flags) => String::from_utf8_lossy(&flags).into_owned(),
        Err(why) => return sh::skipped(&format!("pkg-config: {why}")),
    };
    let hopper = root.join("testdata/dpm/hopper.ok.dpm");
    let page = prefix.join("page.c");
    fs::write(&page, program_of_page(root)?).map_err(told)?;
    for (source, output) in [(home.join("examples/pose.c"), Some("hopper.glb")), (page, None)] {
        let program = prefix.join(source.file_stem().unwrap_or_default());
        let mut cc = Command::new(compiler);
        cc.arg(source).arg("-o").arg(&program).args(flags.split_whitespace());
        sh::run(&mut cc)?;
        let mut run = Command::new(&program);
        run.arg(&hopper).args(output.map(|name| prefix.join(name)));
        sh::run(run.env("LD_LIBRARY_PATH", prefix.join("lib")))?;
    }
    Ok(())
}

/// Returns the program that the book shows.
fn program_of_page(root: &Path) -> Result<String, String> {
    let page = root.join("docs/c.md");
    let text = fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
    let block = text.split_once("```c\n").and_then(|(_, rest)| rest.split_once("```"));
    block.map(|(program, _)| program.to_owned()).ok_or_else(|| "docs/c.md shows no program".into())
}

/// `xtask bindings bevy`: lints and tests of the asset loader, and whether the example with a window builds.
pub(crate) fn bevy(root: &Path) -> Result<(), String> {
    let home = root.join("crates/bevy");
    sh::cargo(&home, "fmt --check")?;
    if sh::output(sh::cargo_command(&home).args(["fetch", "--locked"])).is_err() {
        return sh::skipped("Bevy's crates cannot be fetched here");
    }
    sh::cargo(&home, "clippy --all-targets --locked -- -D warnings")?;
    sh::cargo(&home, "test --locked")?;
    sh::cargo(&home, "check --locked --features window --example play")
}

/// `xtask bindings page`: the page of `view` in a browser. Without node or Chromium it says so, and with `MESHWRIGHT_STRICT`
/// fails.
pub(crate) fn page(root: &Path) -> Result<(), String> {
    let Some(modules) = sh::node_modules(root, "playwright-core") else {
        return sh::skipped("node or playwright-core is not here");
    };
    let modules = modules.to_string_lossy();
    let mut env = vec![("NODE_MODULES", modules.as_ref())];
    if std::env::var_os("MESHWRIGHT_STRICT").is_some_and(|strict| !strict.is_empty()) {
        env.push(("MESHWRIGHT_REQUIRE", "1"));
    }
    sh::cargo_env(root, "test --locked -p meshwright-cli --all-features --test page", &env)
}
