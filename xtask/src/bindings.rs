//! The crates for other languages: workspaces of their own below `crates/`, since they need more than cargo.

use crate::builds::{has_nightly, nightly, target_dir};
use crate::sh;
use std::fs;
use std::path::Path;
use std::process::Command;

/// `xtask capi`: lints and tests, then an installation into a folder, from which the example is built as a user would.
pub(crate) fn capi(root: &Path) -> Result<(), String> {
    let home = root.join("crates/capi");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        return sh::skipped("there is no C compiler");
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
    let mut tests = nightly(&home, &format!("test --locked --target {target} --test boundary"));
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
    let program = prefix.join("pose");
    let mut cc = Command::new(compiler);
    cc.arg(home.join("examples/pose.c")).arg("-o").arg(&program).args(flags.split_whitespace());
    sh::run(&mut cc)?;
    let mut pose = Command::new(&program);
    pose.arg(root.join("testdata/dpm/hopper.ok.dpm")).arg(prefix.join("hopper.glb"));
    sh::run(pose.env("LD_LIBRARY_PATH", prefix.join("lib")))
}
