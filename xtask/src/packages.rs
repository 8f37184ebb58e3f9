//! `xtask release deb`, `installers` and `npm`: the other forms in which people install a release.

use crate::fixtures;
use crate::release;
use crate::sh::{self, Given, target_dir};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// `xtask release deb [--profile NAME]`: a Debian package of the program, in `target/releases`. `crates/cli/Cargo.toml` lists its
/// files; the program itself writes the manual and the completions.
pub(crate) fn deb(root: &Path, given: &Given) -> Result<(), String> {
    if !sh::has_cargo(root, "deb") {
        return sh::skipped("cargo-deb is not installed (cargo install cargo-deb --locked)");
    }
    let profile = release::profile(given)?;
    let program = release::built(root, &profile, None)?;
    let folder = program.with_file_name("deb");
    release::documents(&program, &folder)?;
    // The date of the last commit, so that the same commit gives the same bytes.
    let commit = |format: &str| {
        sh::output_text(
            Command::new("git").args(["log", "-1", &format!("--format={format}")]).current_dir(root),
        )
    };
    let (log, version) = (sh::read_text(&root.join("crates/cli/CHANGELOG.md"))?, release::version(root)?);
    let metadata = release::field(root, "metadata")?;
    let maintainer = sh::text(&metadata["deb"]["maintainer"]);
    sh::write(&folder.join("changelog"), changelog(&log, &version, maintainer, &commit("%cD")?)?)?;
    // cargo-deb does not compress files of the target folder.
    sh::run(Command::new("gzip").args(["-9nrf", "man", "changelog"]).current_dir(&folder))?;
    let mut cargo = sh::cargo_command(root);
    cargo.args(["deb", "--locked", "--no-build", "--package", release::PROGRAM, "--profile", &profile]);
    sh::run(
        cargo.arg("--output").arg(target_dir(root).join("releases")).env("SOURCE_DATE_EPOCH", commit("%ct")?),
    )
}

/// Returns a changelog in the form of Debian: the section of a version in ours, with the date of the release (RFC 2822).
fn changelog(log: &str, version: &str, maintainer: &str, date: &str) -> Result<String, String> {
    const WIDTH: usize = 79;
    let section = release::section(log, version).ok_or_else(|| format!("no changes of {version}"))?;
    let mut text = format!("meshwright ({version}) unstable; urgency=medium\n");
    let mut width = 0;
    for word in section.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace) {
        let (begins, length) = (matches!(word, "*" | "-"), word.chars().count());
        let (gap, word) = match begins {
            true => ("\n  ", "*"),
            false if width + length >= WIDTH => ("\n    ", word),
            false => (" ", word),
        };
        width = if gap == " " { width + 1 } else { gap.len() - 1 } + length;
        text.push_str(gap);
        text.push_str(word);
    }
    Ok(format!("{text}\n\n -- {maintainer}  {date}\n"))
}

/// `xtask release installers`: the scripts that install the program from the release's archives, with their checksums
/// inside, in `target/releases`.
pub(crate) fn installers(root: &Path) -> Result<(), String> {
    let folder = target_dir(root).join("releases");
    let version = release::version(root)?;
    let mut sums = BTreeMap::new();
    for path in fixtures::walk(&folder).map_err(sh::error_at(&folder))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let archive =
            name.strip_suffix(".sha256").and_then(|n| n.strip_prefix(&format!("meshwright-{version}-")));
        let target = archive.and_then(|n| n.strip_suffix(".tar.gz").or_else(|| n.strip_suffix(".zip")));
        if let Some(target) = target {
            let line = sh::read_text(&path)?;
            sums.insert(target.to_owned(), line.split(' ').next().unwrap_or_default().to_owned());
        }
    }
    if sums.is_empty() {
        return Err(format!("{} has no archive of {version}: run release dist first", folder.display()));
    }
    let address = format!("{}/releases/download/v{version}", release::repository(root)?);
    for name in ["install.sh", "install.ps1"] {
        let text = installer(root, name, &version, &address, &sums)?;
        let to = folder.join(format!("meshwright-{name}"));
        sh::write(&to, text)?;
        println!("{}", to.display());
    }
    Ok(())
}

/// Returns an installer with the version, the address, and the checksum of each target's archive.
fn installer(
    root: &Path,
    name: &str,
    version: &str,
    address: &str,
    sums: &BTreeMap<String, String>,
) -> Result<String, String> {
    let template = sh::read_text(&root.join("crates/cli/packaging").join(name))?;
    let is_shell = name.ends_with(".sh");
    let line = |(target, sum): (&String, &String)| match is_shell {
        true => format!("    {target}) sum={sum} ;;\n"),
        false => format!("    '{target}' = '{sum}'\n"),
    };
    let list: String = sums.iter().filter(|(t, _)| t.contains("windows") != is_shell).map(line).collect();
    let text = template.replace("@VERSION@", version).replace("@ADDRESS@", address);
    Ok(text.replace("    @SUMS@\n", &list))
}

/// `xtask release npm`: the page's module and its interface as a package of npm, from what `bindings wasm` built.
pub(crate) fn npm(root: &Path) -> Result<(), String> {
    let bound = target_dir(root).join("wasm/npm");
    let folder = target_dir(root).join("releases/npm");
    if !bound.is_dir() {
        return Err(format!("{} is missing: run bindings wasm first", bound.display()));
    }
    sh::empty(&folder)?;
    for name in ["meshwright.js", "meshwright.d.ts", "meshwright_bg.wasm"] {
        sh::copy(&bound.join(name), &folder.join(name))?;
    }
    for name in ["package.json", "README.md"] {
        let text = sh::read_text(&root.join("crates/wasm/npm").join(name))?;
        let text = text.replace("@VERSION@", &release::version(root)?);
        sh::write(&folder.join(name), text.replace("@REPOSITORY@", &release::repository(root)?))?;
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        sh::copy(&root.join(name), &folder.join(name))?;
    }
    npm_installed(root, &folder)
}

/// Packs the package of npm, installs what was packed, and converts a model with it.
fn npm_installed(root: &Path, folder: &Path) -> Result<(), String> {
    if sh::output(Command::new("npm").arg("--version")).is_err() {
        return sh::skipped("npm is not here: the package is not packed");
    }
    sh::run(Command::new("npm").args(["pack", "--silent", "--pack-destination", ".."]).current_dir(folder))?;
    let releases = folder.with_file_name("");
    let packed = releases.join(format!("meshwright-{}.tgz", release::version(root)?));
    let place = target_dir(root).join("npm");
    sh::empty(&place)?;
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&place).arg(&packed);
    sh::run(&mut install)?;
    let script = place.join("try.mjs");
    sh::copy(&root.join("crates/wasm/npm/try.mjs"), &script)?;
    sh::run(Command::new("node").arg(script).arg(root.join("testdata/dpm/hopper.ok.dpm")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_changelog_of_the_package_has_debians_form() {
        let log = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n* One\n  and more.\n* Two, with a line that is longer \
                   than Debian's tools would have it in one piece.\n\n## 0.1.0\n\n- a\n";
        let (author, date) = ("A <a@example.org>", "Fri, 27 Nov 2026 01:00:00 +0000");
        let wanted = "meshwright (0.2.0) unstable; urgency=medium\n\n  * One and more.\n  * Two, with a line that is longer \
                      than Debian's tools would have it in one\n    piece.\n\n -- A <a@example.org>  Fri, 27 Nov 2026 \
                      01:00:00 +0000\n";
        assert_eq!(changelog(log, "0.2.0", author, date).unwrap(), wanted);
        assert!(changelog(log, "0.1.0", author, date).unwrap().contains("\n\n  * a\n\n --"));
        assert!(changelog("", "0.1.0", author, date).is_err());
    }

    /// A release with one archive, whose program is a script.
    #[cfg(unix)]
    fn made_up_release(folder: &Path, target: &str) -> String {
        let name = format!("meshwright-9.9.9-{target}");
        let program = folder.join(&name).join("meshwright");
        sh::write(&program, "#!/bin/sh\necho installed\n").unwrap();
        fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let archive = format!("{name}.tar.gz");
        sh::run(Command::new("tar").args(["-czf", &archive, &name]).current_dir(folder)).unwrap();
        sh::sha256(&sh::read(&folder.join(archive)).unwrap())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_installer_takes_only_the_archive_of_its_release() {
        let root = crate::root();
        let folder = std::env::temp_dir().join(format!("meshwright-installer-{}", std::process::id()));
        let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
        let sum = made_up_release(&folder, &target);
        let bin = folder.join("bin");
        let run = |sum: &str| {
            let sums = BTreeMap::from([(target.clone(), sum.to_owned())]);
            let text = installer(&root, "install.sh", "9.9.9", "https://example.org", &sums).unwrap();
            let mut shell = Command::new("sh");
            shell.args(["-c", &text]).env("MESHWRIGHT_FROM", &folder).env("MESHWRIGHT_BIN", &bin);
            shell.output().unwrap()
        };
        let refused = run(&sum.replace(|c: char| c.is_ascii_digit(), "f"));
        assert!(!refused.status.success() && !bin.exists());
        assert!(String::from_utf8_lossy(&refused.stderr).contains("checksum"));
        let done = run(&sum);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert!(String::from_utf8_lossy(&done.stdout).starts_with("installed\n"));
        assert!(bin.join("meshwright").is_file());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn each_installer_has_the_checksums_of_its_systems() {
        let sums = ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc"];
        let sums: BTreeMap<String, String> =
            sums.iter().map(|t| ((*t).to_owned(), format!("sum of {t}"))).collect();
        for (name, own) in [("install.sh", 2), ("install.ps1", 1)] {
            let text = installer(&crate::root(), name, "1.0", "https://example.org", &sums).unwrap();
            assert_eq!(text.matches("sum of").count(), own, "{text}");
            assert!(!["@VERSION@", "@ADDRESS@", "@SUMS@"].iter().any(|mark| text.contains(mark)), "{text}");
        }
    }
}
