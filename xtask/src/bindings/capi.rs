//! The library for C: tested, and installed as other libraries are.

use crate::release;
use crate::sh::{self, Given, target_dir};
use crate::targets::{has_nightly, nightly};
use std::env::consts;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `xtask bindings capi`: lints and tests, then an installation into a folder, from which the examples are built as a user would.
pub(crate) fn capi(root: &Path) -> Result<(), String> {
    let home = root.join("crates/capi");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        return sh::skipped("no C compiler found");
    }
    sh::cargo(&home, "fmt --check")?;
    sh::cargo(&home, "clippy --all-targets --locked -- -D warnings")?;
    sh::cargo(&home, "test --locked")?;
    used(root, &home, &compiler)?;
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

/// `xtask release capi [--prefix DIR]`: header, libraries and the file for pkg-config, built without tests. They are
/// installed below a folder, or become an archive in `target/releases`.
pub(crate) fn release_capi(root: &Path, given: &Given) -> Result<(), String> {
    if let Some(prefix) = given.path("prefix") {
        return installed(root, &prefix);
    }
    let name = format!("meshwright-c-{}-{}", version(root)?, sh::host()?);
    let folder = target_dir(root).join("releases");
    sh::empty(&folder.join(&name))?;
    installed(root, &folder.join(&name))?;
    release::archived(&folder, &name)
}

fn version(root: &Path) -> Result<String, String> {
    let found = sh::packages(&root.join("crates/capi"))?;
    let version = found.iter().find(|p| p["name"] == "meshwright-capi").and_then(|p| p["version"].as_str());
    version.map(str::to_owned).ok_or_else(|| "the crate has no version".into())
}

/// Returns the version of the interface: programs need a new build when it changes.
fn interface(version: &str) -> String {
    let parts: Vec<&str> = version.split('.').collect();
    match parts.as_slice() {
        ["0", minor, ..] => format!("0.{minor}"),
        [major, ..] => (*major).to_owned(),
        [] => String::new(),
    }
}

/// Builds the libraries and installs them below a folder.
fn installed(root: &Path, prefix: &Path) -> Result<(), String> {
    let (home, version) = (root.join("crates/capi"), version(root)?);
    let interface = interface(&version);
    let mut build = sh::cargo_command(&home);
    build.args(["rustc", "--release", "--locked", "--lib", "--crate-type", "cdylib,staticlib", "--"]);
    // A program asks its loader for this name.
    match consts::OS {
        "windows" => {}
        "macos" => {
            build.arg(format!("-Clink-arg=-Wl,-install_name,@rpath/libmeshwright.{interface}.dylib"));
        }
        _ => {
            build.arg(format!("-Clink-arg=-Wl,-soname,libmeshwright.so.{interface}"));
        }
    }
    sh::run(&mut build)?;
    let built = target_dir(&home).join("release");
    // Each library with its further names.
    let libraries: Vec<(&str, String, Vec<String>)> = match consts::OS {
        "windows" => vec![
            ("meshwright.dll", "lib/meshwright.dll".into(), vec![]),
            ("meshwright.dll.lib", "lib/meshwright.dll.lib".into(), vec![]),
            ("meshwright.lib", "lib/meshwright.lib".into(), vec![]),
        ],
        "macos" => vec![
            (
                "libmeshwright.dylib",
                format!("lib/libmeshwright.{interface}.dylib"),
                vec!["libmeshwright.dylib".into()],
            ),
            ("libmeshwright.a", "lib/libmeshwright.a".into(), vec![]),
        ],
        _ => vec![
            (
                "libmeshwright.so",
                format!("lib/libmeshwright.so.{version}"),
                vec![format!("libmeshwright.so.{interface}"), "libmeshwright.so".into()],
            ),
            ("libmeshwright.a", "lib/libmeshwright.a".into(), vec![]),
        ],
    };
    for (from, to, names) in libraries {
        copied(&built.join(from), &prefix.join(&to))?;
        for name in names {
            let link = prefix.join("lib").join(name);
            let _ = fs::remove_file(&link);
            linked(&prefix.join(&to), &link)?;
        }
    }
    copied(&home.join("include/meshwright.h"), &prefix.join("include/meshwright.h"))?;
    for (folder, name) in [
        (root, "LICENSE-APACHE"),
        (root, "LICENSE-MIT"),
        (&home.join("examples"), "pose.c"),
        (&home.join("examples"), "convert.c"),
    ] {
        copied(&folder.join(name), &prefix.join("share/doc/meshwright-c").join(name))?;
    }
    let pc = sh::read_text(&home.join("meshwright.pc.in"))?.replace("@version@", &version);
    sh::write(&prefix.join("lib/pkgconfig/meshwright.pc"), pc)?;
    println!("{}", prefix.display());
    Ok(())
}

/// Copies a file. The name may be a file that programs use now, which stays as it is for them.
fn copied(from: &Path, to: &Path) -> Result<(), String> {
    let _ = fs::remove_file(to);
    sh::copy(from, to)
}

#[cfg(unix)]
fn linked(to: &Path, link: &Path) -> Result<(), String> {
    std::os::unix::fs::symlink(to.file_name().unwrap_or_default(), link).map_err(sh::error_at(link))
}

#[cfg(not(unix))]
fn linked(to: &Path, link: &Path) -> Result<(), String> {
    copied(to, link)
}

/// Installs the library below `target/capi`, and builds the examples and the program of the book with it.
fn used(root: &Path, home: &Path, compiler: &OsStr) -> Result<(), String> {
    let prefix = target_dir(root).join("capi");
    // It is used in another folder than the one that it was installed into.
    let elsewhere = prefix.with_file_name("capi-elsewhere");
    sh::empty(&elsewhere)?;
    installed(root, &elsewhere)?;
    sh::empty(&prefix)?;
    fs::remove_dir(&prefix).and_then(|()| fs::rename(&elsewhere, &prefix)).map_err(sh::error_at(&prefix))?;
    let flags = |words: &[&str]| {
        let mut config = Command::new("pkg-config");
        config.args(words).args(["--cflags", "--libs", "meshwright"]);
        sh::output_text(config.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")))
    };
    let shared = match flags(&[]) {
        Ok(flags) => flags,
        Err(why) => return sh::skipped(&format!("pkg-config: {why}")),
    };
    let hopper = root.join("testdata/dpm/hopper.ok.dpm");
    let page = prefix.join("page.c");
    sh::write(&page, program_of_page(root)?)?;
    let (pose, convert) = (home.join("examples/pose.c"), home.join("examples/convert.c"));
    let hopper = hopper.to_string_lossy().into_owned();
    let glb = prefix.join("hopper.glb").to_string_lossy().into_owned();
    let out = prefix.join("converted").to_string_lossy().into_owned();
    for (source, words) in [
        (&pose, vec![hopper.as_str(), &glb]),
        (&page, vec![&hopper]),
        (&convert, vec!["to", "glb", &out, "embedded=1", &hopper]),
    ] {
        let program = compiled(compiler, source, "", &shared, &prefix)?;
        let mut run = Command::new(&program);
        sh::run(run.args(&words).env("LD_LIBRARY_PATH", prefix.join("lib")))?;
        let name = format!("libmeshwright.so.{}\0", interface(&version(root)?));
        if consts::OS == "linux" && !contains(&program, name.as_bytes())? {
            return Err(format!("{} does not ask for {name:?}", program.display()));
        }
    }
    if consts::OS == "linux" {
        let program = compiled(compiler, &pose, "-static", &flags(&["--static"])?, &prefix)?;
        sh::run(Command::new(&program).args([&hopper, &glb]))?;
        if contains(&program, b"libmeshwright.so")? {
            return Err(format!("{} is not linked statically", program.display()));
        }
    }
    Ok(())
}

fn contains(file: &Path, bytes: &[u8]) -> Result<bool, String> {
    Ok(sh::read(file)?.windows(bytes.len()).any(|window| window == bytes))
}

fn compiled(
    compiler: &OsStr,
    source: &Path,
    how: &str,
    flags: &str,
    prefix: &Path,
) -> Result<PathBuf, String> {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let program = prefix.join(format!("{stem}{how}"));
    let mut cc = Command::new(compiler);
    cc.arg(source).arg("-o").arg(&program).args(how.split_whitespace()).args(flags.split_whitespace());
    sh::run(&mut cc)?;
    Ok(program)
}

/// Returns the program that the book shows.
fn program_of_page(root: &Path) -> Result<String, String> {
    let text = sh::read_text(&root.join("docs/c.md"))?;
    let block = text.split_once("```c\n").and_then(|(_, rest)| rest.split_once("```"));
    block.map(|(program, _)| program.to_owned()).ok_or_else(|| "docs/c.md shows no program".into())
}
