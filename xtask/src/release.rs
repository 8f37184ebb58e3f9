//! `xtask release sbom`: the crates that the program is built from.

use crate::sh::{self, Given};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

const PROGRAM: &str = "meshwright-cli";

pub(crate) fn sbom(root: &Path, _: &Given) -> Result<(), String> {
    let path = sh::target_dir(root).join("releases/meshwright.cdx.json");
    sh::write(&path, components(root)?)?;
    println!("{}", path.display());
    Ok(())
}

/// Returns the crates that the program is built from on any system, without those that only tests use, as CycloneDX.
fn components(root: &Path) -> Result<String, String> {
    let words = "tree --locked --edges normal,build --target all --prefix none --package";
    let mut tree = sh::cargo_command(root);
    let listed = sh::output_text(tree.args(words.split(' ')).args([PROGRAM, "--format", "{p} |{l}"]))?;
    let lines: BTreeSet<_> = listed.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    let lock = sh::read_text(&root.join("Cargo.lock"))?;
    let component = |line: &str| {
        let (package, license) = line.split_once('|')?;
        let (name, version) = package.split_once(" v")?;
        let version = version.split(' ').next()?;
        let purl = format!("pkg:cargo/{name}@{version}");
        let mut component = json!({
            "type": if name == PROGRAM { "application" } else { "library" }, "bom-ref": purl, "purl": purl,
            "name": name, "version": version, "licenses": [{ "expression": license.replace('/', " OR ") }],
        });
        let entry = lock.split_once(&format!("name = \"{name}\"\nversion = \"{version}\"\n"))?.1;
        if let Some((_, sum)) = entry.split("\n\n").next()?.split_once("checksum = \"") {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum.split('"').next() }]);
        }
        Some(component)
    };
    let all = lines.into_iter().filter_map(component);
    let (main, others): (Vec<_>, Vec<_>) = all.partition(|component| component["name"] == PROGRAM);
    let document = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": { "component": main.first() }, "components": others,
    });
    Ok(format!("{document:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::fs;
    use std::process::Command;

    #[test]
    fn the_program_is_built_from_crates_with_versions_and_hashes() {
        let document: Value = serde_json::from_str(&components(&crate::root()).unwrap()).unwrap();
        assert_eq!(document["metadata"]["component"]["name"], PROGRAM);
        let components = document["components"].as_array().unwrap();
        let find = |name: &str| components.iter().find(|c| c["name"] == name);
        assert!(find("meshwright-core").unwrap()["hashes"].is_null());
        assert_eq!(find("serde_json").unwrap()["hashes"][0]["content"].as_str().unwrap().len(), 64);
        assert!(["meshwright-testkit", "proptest"].iter().all(|name| find(name).is_none()));
        assert!(components.iter().all(|c| c["version"].is_string()));
    }

    #[test]
    fn binstall_finds_the_program_in_every_archive_of_a_release() {
        let root = crate::root();
        let packages = sh::packages(&root).unwrap();
        let program = packages.iter().find(|p| p["name"] == PROGRAM).unwrap();
        let metadata = &program["metadata"]["binstall"];
        let workflow = fs::read_to_string(root.join(".github/workflows/release.yml")).unwrap();
        let targets: Vec<_> =
            workflow.lines().filter_map(|line| line.trim().strip_prefix("- target: ")).collect();
        assert_eq!(targets.len(), 8);
        for target in targets {
            let is_for_windows = target.contains("windows");
            let own = &metadata["overrides"][target]["pkg-fmt"];
            let (suffix, program) =
                if is_for_windows { (".zip", "meshwright.exe") } else { (".tar.gz", "meshwright") };
            let form = if is_for_windows { "zip" } else { "tgz" };
            assert_eq!(own.as_str().or(metadata["pkg-fmt"].as_str()), Some(form));
            let fields = [
                ("{ repo }", "R"),
                ("{ version }", "V"),
                ("{ target }", target),
                ("{ archive-suffix }", suffix),
            ];
            let fields = fields.into_iter().chain([("{ bin }{ binary-ext }", program)]);
            let filled = |name: &str| {
                fields.clone().fold(sh::text(&metadata[name]).to_owned(), |t, (f, v)| t.replace(f, v))
            };
            let name = format!("meshwright-V-{target}");
            assert_eq!(filled("pkg-url"), format!("R/releases/download/vV/{name}{suffix}"));
            assert_eq!(filled("bin-dir"), format!("{name}/{program}"));
        }
    }

    /// Runs lines of a shell after the functions of `xtask/steps.sh`.
    #[cfg(unix)]
    fn shell(lines: &str) -> String {
        let script = format!(". {}\n{lines}", crate::root().join(sh::STEPS).display());
        let done = Command::new("sh").args(["-c", &script]).current_dir(crate::root()).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn changelogs_are_those_of_the_version_and_in_debians_form() {
        let log = std::env::temp_dir().join(format!("meshwright-changelog-{}", std::process::id()));
        let text = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n* One\n  and more.\n* Two, with a line that is longer \
                    than Debian's tools would have it in one piece.\n\n## [0.1.0] - 2026-01-01\n\n- b\n\n## 0.0.1\n\n- a\n";
        fs::write(&log, text).unwrap();
        let log = log.to_str().unwrap();
        let sections = shell(&format!(
            "section {log} 0.1.0; section {log} 0.0.1; section {log} 0.2.0 | head -n 1; ! section /dev/null 1"
        ));
        assert_eq!(sections, "- b\n- a\n### Added\n");
        let debian = shell(&format!(
            "debian_changelog {log} 0.2.0 'A <a@example.org>' 'Fri, 27 Nov 2026 01:00:00 +0000'"
        ));
        let wanted = "meshwright (0.2.0) unstable; urgency=medium\n\n  * One and more.\n  * Two, with a line that is longer \
                      than Debian's tools would have it in one\n    piece.\n\n -- A <a@example.org>  Fri, 27 Nov 2026 \
                      01:00:00 +0000\n";
        assert_eq!(debian, wanted);
        fs::remove_file(log).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn installers_take_only_the_archives_of_their_release_and_system() {
        let folder = std::env::temp_dir().join(format!("meshwright-installer-{}", std::process::id()));
        let place = folder.display();
        let made = shell(&format!(
            "RELEASES={place} version=9.9.9 name=meshwright-9.9.9-{}-unknown-linux-musl\n\
             mkdir -p $RELEASES/$name\n\
             printf '#!/bin/sh\\necho installed\\n' > $RELEASES/$name/meshwright && chmod +x $RELEASES/$name/meshwright\n\
             (archive $name)\n\
             echo 'sum of windows' > $RELEASES/meshwright-9.9.9-x86_64-pc-windows-msvc.zip.sha256\n\
             release_installers",
            std::env::consts::ARCH,
        ));
        let sum = made.split(' ').next().unwrap();
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let (script, windows) = (read("meshwright-install.sh"), read("meshwright-install.ps1"));
        assert!(
            script.contains(sum)
                && !script.contains("windows")
                && windows.contains("'sum'")
                && !windows.contains(sum)
        );
        assert!(
            !["@VERSION@", "@ADDRESS@", "@SUMS@"]
                .iter()
                .any(|mark| format!("{script}{windows}").contains(mark))
        );
        let bin = folder.join("bin");
        let run = |script: &str| {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", script])
                .env("MESHWRIGHT_FROM", &folder)
                .env("MESHWRIGHT_BIN", &bin)
                .output()
                .unwrap()
        };
        let refused = run(&script.replace(sum, &sum.replace(|c: char| c.is_ascii_digit(), "f")));
        assert!(!refused.status.success() && !bin.exists());
        assert!(String::from_utf8_lossy(&refused.stderr).contains("checksum"));
        let done = run(&script);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert!(String::from_utf8_lossy(&done.stdout).starts_with("installed\n"));
        assert!(bin.join("meshwright").is_file());
        fs::remove_dir_all(&folder).unwrap();
    }
}
