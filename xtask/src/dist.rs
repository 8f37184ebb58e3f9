//! `xtask dist`, `notes`, `publish`: what a release consists of.

use crate::builds::target_dir;
use crate::sh;
use lexopt::{Arg, ValueExt};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program's crate, and the shells that its completions are for.
const PROGRAM: &str = "meshwright-cli";
const SHELLS: &[&str] = &["bash", "elvish", "fish", "powershell", "zsh"];
/// What lies beside the program in an archive.
const BESIDE: &[&str] = &["README.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md"];

/// `xtask dist [--target TRIPLE] [--profile NAME]`: an archive with the program, its completions and its manual, and its
/// checksum beside it.
pub(crate) fn dist(root: &Path, words: &[OsString]) -> Result<(), String> {
    let (mut target, mut profile) = (None, "dist".to_owned());
    let mut words = lexopt::Parser::from_args(words);
    while let Some(arg) = words.next().map_err(|e| e.to_string())? {
        let value =
            |words: &mut lexopt::Parser| words.value().and_then(ValueExt::string).map_err(|e| e.to_string());
        match arg {
            Arg::Long("target") => target = Some(value(&mut words)?),
            Arg::Long("profile") => profile = value(&mut words)?,
            _ => return Err(arg.unexpected().to_string()),
        }
    }
    let mut build = sh::cargo_command(root);
    build.args(["build", "--locked", "--package", PROGRAM, "--profile", &profile]);
    let mut built = target_dir(root);
    if let Some(target) = &target {
        build.args(["--target", target]);
        built.push(target);
    }
    sh::run(&mut build)?;
    let suffix = std::env::consts::EXE_SUFFIX;
    let program =
        built.join(if profile == "dev" { "debug" } else { &*profile }).join(format!("meshwright{suffix}"));

    let name = format!("meshwright-{}-{}", version(root)?, target.map_or_else(host, Ok)?);
    let folder = target_dir(root).join("releases");
    let staged = folder.join(&name);
    if staged.is_dir() {
        fs::remove_dir_all(&staged).map_err(|e| format!("{}: {e}", staged.display()))?;
    }
    stage(root, &program, &staged)?;
    let archive = packed(&folder, &name)?;
    let bytes = fs::read(folder.join(&archive)).map_err(|e| format!("{archive}: {e}"))?;
    let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(folder.join(format!("{archive}.sha256")), format!("{sum}  {archive}\n"))
        .map_err(|e| e.to_string())?;
    println!("{sum}  {}", folder.join(archive).display());
    Ok(())
}

/// What goes into the archive, made by the program itself, which so shows that it runs.
fn stage(root: &Path, program: &Path, staged: &Path) -> Result<(), String> {
    let write =
        |path: PathBuf, bytes: &[u8]| fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()));
    let copy = |from: &Path| {
        let to = staged.join(from.file_name().unwrap_or_default());
        fs::copy(from, &to).map(drop).map_err(|e| format!("{}: {e}", from.display()))
    };
    for folder in ["completions", "man"] {
        fs::create_dir_all(staged.join(folder)).map_err(|e| e.to_string())?;
    }
    copy(program)?;
    BESIDE.iter().try_for_each(|name| copy(&root.join(name)))?;
    for shell in SHELLS {
        let script = sh::output(Command::new(program).args(["completions", shell]))?;
        write(staged.join("completions").join(completion(shell)), &script)?;
    }
    sh::run(Command::new(program).arg("man").arg(staged.join("man")))?;
    // A model goes through it.
    let model = root.join("testdata/dpm/hopper.ok.dpm");
    let glb = staged.join("hopper.glb");
    sh::run(Command::new(program).arg("convert").arg(model).arg("-o").arg(&glb))?;
    fs::remove_file(&glb).map_err(|e| e.to_string())
}

/// How a shell wants its completions to be called.
fn completion(shell: &str) -> String {
    match shell {
        "bash" => "meshwright.bash".into(),
        "powershell" => "_meshwright.ps1".into(),
        "zsh" => "_meshwright".into(),
        shell => format!("meshwright.{}", if shell == "elvish" { "elv" } else { shell }),
    }
}

/// The archive of a folder: zip for Windows, where `tar` makes both.
fn packed(folder: &Path, name: &str) -> Result<String, String> {
    let (archive, how) = if cfg!(windows) { ("zip", "-acf") } else { ("tar.gz", "-czf") };
    let archive = format!("{name}.{archive}");
    sh::run(Command::new("tar").args([how, &*archive, name]).current_dir(folder))?;
    Ok(archive)
}

/// The version of the program.
fn version(root: &Path) -> Result<String, String> {
    let packages = sh::packages(root)?;
    let program = packages.iter().find(|p| p["name"] == PROGRAM).ok_or("the program is no package")?;
    Ok(program["version"].as_str().unwrap_or_default().to_owned())
}

/// The machine that the compiler builds for.
fn host() -> Result<String, String> {
    let said = sh::output(Command::new("rustc").arg("-vV"))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc names no host".into())
}

/// `xtask notes`: what the changelogs say of this version, in `target/releases/notes.md`.
pub(crate) fn notes(root: &Path) -> Result<(), String> {
    let version = version(root)?;
    // On a tag its name is the version.
    if let Ok(tag) = std::env::var("GITHUB_REF_NAME")
        && std::env::var("GITHUB_REF_TYPE").is_ok_and(|kind| kind == "tag")
        && tag != format!("v{version}")
    {
        return Err(format!("the tag is {tag}, the version {version}"));
    }
    let mut text = String::new();
    for package in published(root)? {
        let folder = Path::new(package["manifest_path"].as_str().unwrap_or_default())
            .parent()
            .unwrap_or(root)
            .to_owned();
        let path = folder.join("CHANGELOG.md");
        let log = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        if let Some(section) = section(&log, &version) {
            text.push_str(&format!("## {}\n\n{section}\n\n", package["name"].as_str().unwrap_or_default()));
        }
    }
    if text.is_empty() {
        return Err(format!("no changelog has a section {version}"));
    }
    let folder = target_dir(root).join("releases");
    fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    fs::write(folder.join("notes.md"), &text).map_err(|e| e.to_string())?;
    println!("{text}");
    Ok(())
}

/// What a changelog says of a version, or, before that is dated, of what is not released.
fn section<'a>(log: &'a str, version: &str) -> Option<&'a str> {
    let of = |title: &str| {
        let heading = format!("\n## [{title}]");
        let plain = format!("\n## {title}");
        let at = log.find(&heading).or_else(|| log.find(&plain))?;
        let rest = log.get(at + 1..)?.split_once('\n')?.1;
        let text = rest.find("\n## ").map_or(rest, |end| &rest[..end]).trim();
        (!text.is_empty()).then_some(text)
    };
    of(version).or_else(|| of("Unreleased"))
}

/// The packages that go to the registry.
fn published(root: &Path) -> Result<Vec<Value>, String> {
    let is_published = |p: &Value| !p["publish"].as_array().is_some_and(Vec::is_empty);
    Ok(sh::packages(root)?.into_iter().filter(is_published).collect())
}

/// `xtask publish`: everything but the upload. Where the registry does not answer, what would be packed is looked at alone.
pub(crate) fn publish(root: &Path) -> Result<(), String> {
    let mut list = sh::cargo_command(root);
    list.args(["package", "--workspace", "--no-verify", "--list", "--allow-dirty", "--locked"]);
    let files = sh::output(&mut list)?;
    let files = String::from_utf8_lossy(&files).into_owned();
    let stray: Vec<_> =
        files.lines().filter(|line| line.starts_with("tests/") || line.starts_with("testdata/")).collect();
    if !stray.is_empty() {
        return Err(format!("these are packed: {}", stray.join(", ")));
    }
    println!("{} files in {} packages", files.lines().count(), published(root)?.len());
    let dry = "publish --workspace --dry-run --no-verify --locked --allow-dirty";
    let mut command = sh::cargo_command(root);
    let out = command.args(dry.split(' ')).output().map_err(|e| format!("cargo: {e}"))?;
    if out.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let is_away = [
        "failed to download",
        "Could not resolve host",
        "spurious network error",
        "offline",
        "crates-io is replaced",
    ];
    if is_away.iter().any(|word| said.contains(word)) {
        return sh::skipped("the registry does not answer: the order of publication is not tried");
    }
    Err(format!("cargo {dry}: {}\n{said}", out.status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_those_of_the_version() {
        let log =
            "# Changelog\n\n## [Unreleased]\n\n- c\n\n## [0.2.0] - 2026-01-01\n\n- b\n\n## 0.1.0\n\n- a\n";
        assert_eq!(section(log, "0.2.0"), Some("- b"));
        assert_eq!(section(log, "0.1.0"), Some("- a"));
        assert_eq!(section(log, "0.3.0"), Some("- c"));
        assert_eq!(section("# Changelog\n", "0.3.0"), None);
    }
}
