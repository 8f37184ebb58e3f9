//! `xtask release deb`, `installers` and `npm`: the other forms in which people install a release.

use crate::release;
use crate::sh::{self, target_dir};
use lexopt::Arg;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `xtask release deb [--program FILE]`: a Debian package of the program, in `target/releases`. Without `--program` the
/// program is built as for the archive.
pub(crate) fn deb(root: &Path, words: &[OsString]) -> Result<(), String> {
    let mut program = None;
    let mut words = lexopt::Parser::from_args(words);
    while let Some(arg) = words.next().map_err(|e| e.to_string())? {
        match arg {
            Arg::Long("program") => program = Some(sh::value::<PathBuf>(&mut words)?),
            _ => return Err(arg.unexpected().to_string()),
        }
    }
    let program = match program {
        Some(program) => program,
        None => release::built(root, "dist", None)?,
    };
    let folder = target_dir(root).join("releases");
    let staged = folder.join("deb");
    if staged.is_dir() {
        fs::remove_dir_all(&staged).map_err(|e| format!("{}: {e}", staged.display()))?;
    }
    let data = staged.join("data");
    let size = files(root, &program, &data)?;
    let version = release::version(root)?;
    let machine = machine()?;
    let control = staged.join("control");
    let bytes = fs::read(&program).map_err(|e| format!("{}: {e}", program.display()))?;
    write_file(&control.join("control"), control_file(&version, machine, size, &bytes).as_bytes(), 0o644)?;
    let name = format!("meshwright_{version}_{machine}.deb");
    // The date of the last commit, so that the same commit gives the same bytes.
    let date = commit(root, "--mtime=@%ct")?;
    let mut archive = b"!<arch>\n".to_vec();
    add(&mut archive, "debian-binary", b"2.0\n");
    for part in ["control", "data"] {
        let packed = format!("{part}.tar.gz");
        let mut tar = Command::new("tar");
        tar.args(["--create", "--format=gnu", "--sort=name", "--owner=0", "--group=0"]).arg(&date);
        tar.args([
            "--numeric-owner",
            "--use-compress-program=gzip -9n",
            "--file",
            &packed,
            "--directory",
            part,
            ".",
        ]);
        sh::run(tar.current_dir(&staged))?;
        let bytes = fs::read(staged.join(&packed)).map_err(|e| format!("{packed}: {e}"))?;
        add(&mut archive, &packed, &bytes);
    }
    let path = folder.join(&name);
    fs::write(&path, &archive).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}  {} bytes", path.display(), archive.len());
    Ok(())
}

/// Adds a member to an archive of ar.
fn add(archive: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    archive
        .extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 100_644, bytes.len()).bytes());
    archive.extend(bytes);
    if bytes.len() % 2 == 1 {
        archive.push(b'\n');
    }
}

/// To be filled in: the name and address in the package.
const MAINTAINER: &str = "The Meshwright authors <meshwright@example.org>";

/// Returns the name that Debian has for this machine.
fn machine() -> Result<&'static str, String> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        "x86" => Ok("i386"),
        "arm" => Ok("armhf"),
        other => Err(format!("no Debian package for {other}")),
    }
}

fn control_file(version: &str, machine: &str, size: u64, program: &[u8]) -> String {
    format!(
        "Package: meshwright\nVersion: {version}\nArchitecture: {machine}\nMaintainer: {MAINTAINER}\n\
         Installed-Size: {}\nDepends: libc6 (>= {}), libgcc-s1\nRecommends: shared-mime-info\nSection: graphics\nPriority: optional\n\
         Description: reader, checker and converter of old game models\n \
         Meshwright opens the models of Nexuiz, Xonotic, The Sims, The Sims Online,\n \
         FreeSpace Open, BGBTech and Crucible, converts them to glTF and back, and\n \
         keeps every byte that was not edited. File managers show thumbnails of them.\n",
        size.div_ceil(1024),
        newest_libc(program)
    )
}

/// Returns the newest version of the C library whose symbols a program needs.
fn newest_libc(program: &[u8]) -> String {
    const MARK: &[u8] = b"GLIBC_2.";
    let minor = |at: usize| -> Option<u32> {
        let digits = program.get(at + MARK.len()..)?.iter().take_while(|b| b.is_ascii_digit());
        String::from_utf8(digits.copied().collect()).ok()?.parse().ok()
    };
    let marks = program.windows(MARK.len()).enumerate().filter(|(_, bytes)| *bytes == MARK);
    format!("2.{}", marks.filter_map(|(at, _)| minor(at)).max().unwrap_or(34))
}

fn write_file(path: &Path, bytes: &[u8], mode: u32) -> Result<(), String> {
    let told = |e: std::io::Error| format!("{}: {e}", path.display());
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(told)?;
    fs::write(path, bytes).map_err(told)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mut folder = path.parent();
        while let Some(at) = folder.filter(|at| at.exists()) {
            if at.ends_with("data") || at.ends_with("control") {
                break;
            }
            fs::set_permissions(at, fs::Permissions::from_mode(0o755)).map_err(told)?;
            folder = at.parent();
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(told)?;
    }
    #[cfg(not(unix))]
    let _ = mode;
    Ok(())
}

/// Writes the files of the package, and returns how many bytes they have.
fn files(root: &Path, program: &Path, data: &Path) -> Result<u64, String> {
    let read = |path: PathBuf| fs::read(&path).map_err(|e| format!("{}: {e}", path.display()));
    let packaging = root.join("crates/cli/packaging");
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    files.insert("usr/bin/meshwright".into(), read(program.to_owned())?);
    let completions = [
        ("bash", "usr/share/bash-completion/completions/meshwright"),
        ("zsh", "usr/share/zsh/vendor-completions/_meshwright"),
        ("fish", "usr/share/fish/vendor_completions.d/meshwright.fish"),
    ];
    for (shell, path) in completions {
        files.insert(path.into(), sh::output(Command::new(program).args(["completions", shell]))?);
    }
    for (from, to) in [
        ("meshwright.thumbnailer", "usr/share/thumbnailers"),
        ("meshwright.desktop", "usr/share/applications"),
        ("meshwright.svg", "usr/share/icons/hicolor/scalable/apps"),
    ] {
        files.insert(format!("{to}/{from}"), read(packaging.join(from))?);
    }
    let types = root.join(MIME);
    if types.is_file() {
        files.insert("usr/share/mime/packages/meshwright.xml".into(), read(types)?);
    } else {
        return Err(format!("{MIME} is missing: xtask describe writes it"));
    }
    let licences = read(root.join("LICENSE-MIT"))?;
    let copyright = format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: meshwright\n\nFiles: *\n\
         Copyright: the Meshwright authors\nLicense: MIT or Apache-2.0\n On Debian systems the text of the Apache License, Version 2.0, is in\n \
         /usr/share/common-licenses/Apache-2.0. The text of the MIT licence follows.\n .\n{}\n",
        String::from_utf8_lossy(&licences)
            .lines()
            .map(|line| if line.is_empty() { " .".to_owned() } else { format!(" {line}") })
            .collect::<Vec<_>>()
            .join("\n")
    );
    files.insert("usr/share/doc/meshwright/copyright".into(), copyright.into_bytes());
    let log = read(root.join("crates/cli/CHANGELOG.md"))?;
    let date = commit(root, "%cD")?;
    let changes = changelog(&String::from_utf8_lossy(&log), &release::version(root)?, &date)?;
    let written = data.with_file_name("changelog");
    write_file(&written, changes.as_bytes(), 0o644)?;
    files.insert("usr/share/doc/meshwright/changelog.gz".into(), gzipped(&written)?);
    let manual = data.with_file_name("man");
    sh::run(Command::new(program).arg("man").arg(&manual))?;
    for page in fs::read_dir(&manual).map_err(|e| e.to_string())? {
        let page = page.map_err(|e| e.to_string())?.path();
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(format!("usr/share/man/man1/{name}.gz"), gzipped(&page)?);
    }
    for (path, bytes) in &files {
        write_file(&data.join(path), bytes, if path.starts_with("usr/bin/") { 0o755 } else { 0o644 })?;
    }
    Ok(files.values().map(|bytes| bytes.len() as u64).sum())
}

/// Returns a changelog in the form of Debian's tools: what ours says of a version, released at a date of RFC 2822.
fn changelog(log: &str, version: &str, date: &str) -> Result<String, String> {
    let section = release::section(log, version).ok_or_else(|| format!("no changes of {version}"))?;
    let mut text = format!("meshwright ({version}) unstable; urgency=medium\n\n");
    const WIDTH: usize = 79;
    let mut line = String::new();
    for word in section.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace) {
        let begins = matches!(word, "*" | "-");
        if begins || line.chars().count() + word.chars().count() >= WIDTH {
            text.push_str(line.trim_end());
            text.push_str(if line.is_empty() { "" } else { "\n" });
            line = if begins { "  *".to_owned() } else { "   ".to_owned() };
        }
        if !begins {
            line.push(' ');
            line.push_str(word);
        }
    }
    Ok(format!("{text}{line}\n\n -- {MAINTAINER}  {date}\n"))
}

/// Returns what git says of the last commit, in one of its formats.
fn commit(root: &Path, format: &str) -> Result<String, String> {
    let mut git = Command::new("git");
    let said = sh::output(git.args(["log", "-1", &format!("--format={format}")]).current_dir(root))?;
    Ok(String::from_utf8_lossy(&said).trim().to_owned())
}

/// Returns a file compressed as Debian wants documents to be.
fn gzipped(path: &Path) -> Result<Vec<u8>, String> {
    sh::output(Command::new("gzip").args(["-9nc"]).arg(path))
}

/// The types of files for desktops, which `xtask describe` writes.
const MIME: &str = "docs/descriptions/meshwright.xml";

/// `xtask release installers`: the scripts that install the program from the release's archives, with their checksums
/// inside, in `target/releases`.
pub(crate) fn installers(root: &Path) -> Result<(), String> {
    let folder = target_dir(root).join("releases");
    let version = release::version(root)?;
    let mut sums = BTreeMap::new();
    for file in fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = file.map_err(|e| e.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let target = name.strip_prefix(&format!("meshwright-{version}-"));
        let target = target.and_then(|n| n.strip_suffix(".tar.gz").or_else(|| n.strip_suffix(".zip")));
        if let Some(target) = target {
            let bytes = fs::read(&path).map_err(|e| format!("{name}: {e}"))?;
            let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            sums.insert(target.to_owned(), sum);
        }
    }
    if sums.is_empty() {
        return Err(format!("{} has no archive of {version}: run release dist first", folder.display()));
    }
    let address = format!("{}/releases/download/v{version}", release::repository(root)?);
    for name in ["install.sh", "install.ps1"] {
        let text = installer(root, name, &version, &address, &sums)?;
        let to = folder.join(format!("meshwright-{name}"));
        fs::write(&to, text).map_err(|e| format!("{}: {e}", to.display()))?;
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
    let path = root.join("crates/cli/packaging").join(name);
    let template = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
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
    let built = target_dir(root).join("wasm");
    let folder = target_dir(root).join("releases/npm");
    if folder.is_dir() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let bound = built.join("npm");
    if !bound.is_dir() {
        return Err(format!("{} is missing: run bindings wasm first", bound.display()));
    }
    for name in ["meshwright.js", "meshwright.d.ts", "meshwright_bg.wasm"] {
        let bytes = fs::read(bound.join(name)).map_err(|e| format!("{name}: {e}"))?;
        write_file(&folder.join(name), &bytes, 0o644)?;
    }
    let packaging = root.join("crates/wasm/npm");
    for name in ["package.json", "README.md"] {
        let text = fs::read_to_string(packaging.join(name)).map_err(|e| format!("{name}: {e}"))?;
        let text = text.replace("@VERSION@", &release::version(root)?);
        let text = text.replace("@REPOSITORY@", &release::repository(root)?);
        write_file(&folder.join(name), text.as_bytes(), 0o644)?;
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let bytes = fs::read(root.join(name)).map_err(|e| format!("{name}: {e}"))?;
        write_file(&folder.join(name), &bytes, 0o644)?;
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
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&place).arg(&packed);
    sh::run(&mut install)?;
    let script = place.join("try.mjs");
    fs::copy(root.join("crates/wasm/npm/try.mjs"), &script).map_err(|e| format!("try.mjs: {e}"))?;
    sh::run(Command::new("node").arg(script).arg(root.join("testdata/dpm/hopper.ok.dpm")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_ar_have_heads_of_60_bytes_and_even_places() {
        let mut archive = b"!<arch>\n".to_vec();
        add(&mut archive, "debian-binary", b"2.0\n");
        add(&mut archive, "odd", b"abc");
        assert_eq!(archive.len(), 8 + 60 + 4 + 60 + 4);
        assert!(
            archive[8..].starts_with(b"debian-binary   0           0     0     100644  4         `\n2.0\n")
        );
        assert!(archive.ends_with(b"abc\n"));
    }

    #[test]
    fn the_package_needs_the_newest_symbols_of_the_program() {
        assert_eq!(newest_libc(b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0"), "2.34");
        assert_eq!(newest_libc(b""), "2.34");
        assert!(
            control_file("1.0", "amd64", 1025, b"GLIBC_2.17")
                .contains("Installed-Size: 2\nDepends: libc6 (>= 2.17),")
        );
    }

    #[test]
    fn the_changelog_of_the_package_has_debians_form() {
        let log = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n* One\n  and more.\n* Two, with a line that is longer than Debian's tools would have it in one piece.\n\n## 0.1.0\n\n- a\n";
        let text = changelog(log, "0.2.0", "Fri, 27 Nov 2026 01:00:00 +0000").unwrap();
        assert_eq!(
            text,
            format!(
                "meshwright (0.2.0) unstable; urgency=medium\n\n  * One and more.\n  * Two, with a line that is longer \
                 than Debian's tools would have it in one\n    piece.\n\n \
                 -- {MAINTAINER}  Fri, 27 Nov 2026 01:00:00 +0000\n"
            )
        );
        assert!(changelog(log, "0.1.0", "").unwrap().contains("  * a\n"));
        assert!(changelog("", "0.1.0", "").is_err());
    }

    /// A release with one archive, whose program is a script.
    #[cfg(unix)]
    fn made_up_release(folder: &Path, target: &str) -> String {
        let name = format!("meshwright-9.9.9-{target}");
        write_file(&folder.join(&name).join("meshwright"), b"#!/bin/sh\necho installed\n", 0o755).unwrap();
        let archive = format!("{name}.tar.gz");
        sh::run(Command::new("tar").args(["-czf", &archive, &name]).current_dir(folder)).unwrap();
        let bytes = fs::read(folder.join(archive)).unwrap();
        Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect()
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
