//! `xtask release`: packages, archives, notes, and what a release must not break.

use crate::docs;
use crate::sh::{self, Given, published, target_dir, text};
use crate::targets;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program's crate, and the shells that its completions are for.
pub(crate) const PROGRAM: &str = "meshwright-cli";
const SHELLS: &[&str] = &["bash", "elvish", "fish", "powershell", "zsh"];
/// Documents in an archive.
const BESIDE: &[&str] =
    &["README.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md", "CONTRIBUTING.md"];

/// `xtask release dist [--target TRIPLE] [--profile NAME]`: an archive with the program, its completions and its manual, and its
/// checksum.
pub(crate) fn dist(root: &Path, given: &Given) -> Result<(), String> {
    let target = given.value::<String>("target")?;
    let program = built(root, &profile(given)?, target.as_deref())?;
    let name = format!("meshwright-{}-{}", version(root)?, target.map_or_else(sh::host, Ok)?);
    let folder = target_dir(root).join("releases");
    stage(root, &program, &folder.join(&name))?;
    archived(&folder, &name)
}

/// Returns the profile that an option names, or that of releases.
pub(crate) fn profile(given: &Given) -> Result<String, String> {
    Ok(given.value("profile")?.unwrap_or_else(|| "dist".to_owned()))
}

/// Packs a folder in `target/releases`, and writes the checksum of the archive next to it: zip for Windows, where `tar` makes
/// both.
pub(crate) fn archived(folder: &Path, name: &str) -> Result<(), String> {
    let how = if cfg!(windows) { "-acf" } else { "-czf" };
    let archive = format!("{name}{}", suffix(cfg!(windows)));
    sh::run(Command::new("tar").args([how, &*archive, name]).current_dir(folder))?;
    summed(folder, &archive)
}

/// Writes the checksum of a file in `target/releases` next to it.
pub(crate) fn summed(folder: &Path, archive: &str) -> Result<(), String> {
    let sum = sh::sha256(&sh::read(&folder.join(archive))?);
    sh::write(&folder.join(format!("{archive}.sha256")), format!("{sum}  {archive}\n"))?;
    println!("{sum}  {}", folder.join(archive).display());
    Ok(())
}

/// Builds the program, and returns its path.
pub(crate) fn built(root: &Path, profile: &str, target: Option<&str>) -> Result<PathBuf, String> {
    let mut build = sh::cargo_command(root);
    build.args(["build", "--locked", "--package", PROGRAM, "--profile", profile]);
    let mut built = target_dir(root);
    if let Some(target) = target {
        build.args(["--target", target]);
        built.push(target);
    }
    sh::run(&mut build)?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(built.join(folder).join(format!("meshwright{}", std::env::consts::EXE_SUFFIX)))
}

/// Writes the content of the archive with the program itself, which shows that it runs.
fn stage(root: &Path, program: &Path, staged: &Path) -> Result<(), String> {
    sh::empty(staged)?;
    sh::copy(program, &staged.join(program.file_name().unwrap_or_default()))?;
    BESIDE.iter().try_for_each(|name| sh::copy(&root.join(name), &staged.join(name)))?;
    documents(program, staged)?;
    sh::write(&staged.join(SBOM), components(root)?)?;
    copy_pages(root, staged)?;
    // A model goes through it.
    let model = root.join("testdata/dpm/hopper.ok.dpm");
    let glb = staged.join("hopper.glb");
    sh::run(Command::new(program).arg("convert").arg(model).arg("-o").arg(&glb))?;
    fs::remove_file(&glb).map_err(sh::error_at(&glb))
}

/// Writes the completions for every shell and the manual.
pub(crate) fn documents(program: &Path, folder: &Path) -> Result<(), String> {
    for shell in SHELLS {
        let script = sh::output(Command::new(program).args(["completions", shell]))?;
        sh::write(&folder.join("completions").join(completion(shell)), script)?;
    }
    sh::empty(&folder.join("man"))?;
    sh::run(Command::new(program).arg("man").arg(folder.join("man")))
}

/// Copies the book and the changelogs, so that every link of the pages in the archive leads somewhere.
fn copy_pages(root: &Path, staged: &Path) -> Result<(), String> {
    sh::copy(&root.join("docs"), &staged.join("docs"))?;
    // mdBook leaves its pages there.
    let _ = fs::remove_dir_all(staged.join("docs/book"));
    for package in published(root)? {
        let log = Path::new(text(&package["manifest_path"])).with_file_name("CHANGELOG.md");
        sh::copy(&log, &staged.join(log.strip_prefix(root).map_err(|e| e.to_string())?))?;
    }
    let wrong = docs::broken_links(staged)?;
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

pub(crate) fn sbom(root: &Path) -> Result<(), String> {
    let path = target_dir(root).join("releases").join(SBOM);
    sh::write(&path, components(root)?)?;
    println!("{}", path.display());
    Ok(())
}

const SBOM: &str = "meshwright.cdx.json";

/// Returns the crates that the program is built from on any system, without those that only tests use.
fn components(root: &Path) -> Result<String, String> {
    let mut tree = sh::cargo_command(root);
    tree.args(["tree", "--locked", "--package", PROGRAM, "--edges", "normal,build", "--target", "all"]);
    let listed = sh::output_text(tree.args(["--prefix", "none", "--format", "{p} |{l}"]))?;
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
        let entry = lock
            .split_once(&format!("name = \"{name}\"\nversion = \"{version}\"\n"))
            .map_or("", |(_, rest)| rest);
        let entry = entry.split("\n\n").next().unwrap_or_default();
        if let Some((_, sum)) = entry.split_once("checksum = \"") {
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

/// Returns the file name of the completions for a shell.
fn completion(shell: &str) -> String {
    match shell {
        "bash" => "meshwright.bash".into(),
        "powershell" => "_meshwright.ps1".into(),
        "zsh" => "_meshwright".into(),
        shell => format!("meshwright.{}", if shell == "elvish" { "elv" } else { shell }),
    }
}

/// Returns the end of the name of an archive.
const fn suffix(is_for_windows: bool) -> &'static str {
    if is_for_windows { ".zip" } else { ".tar.gz" }
}

/// Returns a field of the program's manifest.
pub(crate) fn field(root: &Path, name: &str) -> Result<Value, String> {
    let packages = sh::packages(root)?;
    let program = packages.into_iter().find(|p| p["name"] == PROGRAM).ok_or("no package of the program")?;
    Ok(program[name].clone())
}

/// Returns the address of the repository.
pub(crate) fn repository(root: &Path) -> Result<String, String> {
    Ok(text(&field(root, "repository")?).trim_end_matches('/').to_owned())
}

/// Returns the version of the program.
pub(crate) fn version(root: &Path) -> Result<String, String> {
    Ok(text(&field(root, "version")?).to_owned())
}

pub(crate) fn notes(root: &Path) -> Result<(), String> {
    let version = version(root)?;
    // On a tag its name is the version.
    if let Ok(tag) = std::env::var("GITHUB_REF_NAME")
        && std::env::var("GITHUB_REF_TYPE").is_ok_and(|kind| kind == "tag")
        && tag != format!("v{version}")
    {
        return Err(format!("the tag is {tag}, the version {version}"));
    }
    let mut notes = String::new();
    for package in published(root)? {
        let log = sh::read_text(&Path::new(text(&package["manifest_path"])).with_file_name("CHANGELOG.md"))?;
        if let Some(section) = section(&log, &version) {
            notes += &format!("## {}\n\n{section}\n\n", text(&package["name"]));
        }
    }
    if notes.is_empty() {
        return Err(format!("no changelog has a section {version}"));
    }
    println!("{notes}");
    sh::write(&target_dir(root).join("releases/notes.md"), notes)
}

/// Returns the section of a version in a changelog, or the unreleased one.
pub(crate) fn section<'a>(log: &'a str, version: &str) -> Option<&'a str> {
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

/// `xtask release publish`: everything but the upload. Without an answer of the registry only the content of packages is checked.
pub(crate) fn publish(root: &Path) -> Result<(), String> {
    let mut list = sh::cargo_command(root);
    list.args(["package", "--workspace", "--no-verify", "--list", "--allow-dirty", "--locked"]);
    let files = sh::output_text(&mut list)?;
    let stray: Vec<_> =
        files.lines().filter(|line| line.starts_with("tests/") || line.starts_with("testdata/")).collect();
    if !stray.is_empty() {
        return Err(format!("these are packed: {}", stray.join(", ")));
    }
    let packages = published(root)?;
    println!("{} files in {} packages", files.lines().count(), packages.len());
    if packages.iter().any(|p| text(&p["repository"]).contains("example.org")) {
        let why = "Cargo.toml has no address of the repository yet: fill in `repository`";
        if std::env::var("GITHUB_REF_TYPE").is_ok_and(|kind| kind == "tag") {
            return Err(why.into());
        }
        println!("{why}");
    }
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

/// Files of every package, besides its sources.
const FILES: &[&str] = &["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
/// Fields that the registry shows.
const SAID: &[&str] =
    &["categories", "description", "keywords", "license", "readme", "repository", "rust_version"];

/// `xtask release package`: packs every crate that is published, and runs doctests and examples of what was packed. Nothing is
/// fetched: the packages use each other and the dependencies that the workspace has.
pub(crate) fn package(root: &Path) -> Result<(), String> {
    let published = published(root)?;
    let mut wrong: Vec<String> = published.iter().flat_map(unsaid).collect();

    let packed = target_dir(root).join("packed");
    let workspace = packed.join("workspace");
    sh::empty(&workspace)?;
    let mut cargo = sh::cargo_command(root);
    cargo
        .args(["package", "--quiet", "--no-verify", "--allow-dirty", "--offline", "--target-dir"])
        .arg(&packed);
    for package in &published {
        cargo.args(["--package", text(&package["name"])]);
    }
    sh::run(&mut cargo)?;

    let mut manifest =
        String::from("[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n");
    for package in &published {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let archive = packed.join("package").join(format!("{name}-{version}.crate"));
        sh::run(Command::new("tar").arg("-xzf").arg(archive).current_dir(&workspace))?;
        wrong.extend(misses(root, &workspace.join(format!("{name}-{version}"))));
        manifest.push_str(&format!("{name} = {{ path = \"{name}-{version}\" }}\n"));
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    sh::write(&workspace.join("Cargo.toml"), manifest)?;
    // The same versions of everything.
    sh::copy(&root.join("Cargo.lock"), &workspace.join("Cargo.lock"))?;

    let target = packed.join("target");
    let vars = [("CARGO_TARGET_DIR", &*target.to_string_lossy())];
    sh::cargo_env(&workspace, "test --quiet --offline --workspace --all-features --doc", &vars)?;
    sh::cargo_env(&workspace, "build --quiet --offline --workspace --all-features --examples", &vars)?;
    targets::run_examples(&target, &published)
}

/// Returns the missing fields of a manifest.
fn unsaid(package: &Value) -> Vec<String> {
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let missing = SAID.iter().filter(|field| is_empty(&package[**field]));
    missing.map(|field| format!("{}: no {field}", text(&package["name"]))).collect()
}

/// Returns the faults of the content of a package.
fn misses(root: &Path, package: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for name in FILES {
        let Ok(content) = fs::read(package.join(name)) else {
            wrong.push(format!("{}: no {name}", package.display()));
            continue;
        };
        // Links to the licences are files with a path in them where links are not known.
        if name.starts_with("LICENSE") && fs::read(root.join(name)).ok() != Some(content) {
            wrong.push(format!("{}: {name} is not the project's", package.display()));
        }
    }
    let tests = package.join("tests");
    if tests.exists() {
        wrong.push(format!("{}: uses files that are not published", tests.display()));
    }
    wrong
}

pub(crate) fn semver(root: &Path) -> Result<(), String> {
    if !sh::has_cargo(root, "semver-checks") {
        return sh::skipped(
            "cargo-semver-checks is not installed (cargo install cargo-semver-checks --locked)",
        );
    }
    let git = |words: &[&str]| sh::output_text(Command::new("git").current_dir(root).args(words));
    let tags = git(&["tag", "--list", "v*", "--sort=-v:refname"])?;
    // The newest tag is the release that is being made, when its commit is checked out.
    let here = git(&["tag", "--points-at", "HEAD"])?;
    let Some(last) = tags.lines().find(|tag| here.lines().all(|h| h != *tag)) else {
        eprintln!("skipped: no earlier release to compare with");
        return Ok(());
    };
    sh::cargo(
        root,
        &format!(
            "semver-checks --workspace --exclude xtask --exclude meshwright-lab --exclude meshwright-testkit \
             --exclude meshwright-cli --baseline-rev {last}"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let metadata = &packages.iter().find(|p| p["name"] == PROGRAM).unwrap()["metadata"]["binstall"];
        let (version, repository) = (version(&root).unwrap(), repository(&root).unwrap());
        let workflow = fs::read_to_string(root.join(".github/workflows/release.yml")).unwrap();
        let targets: Vec<_> =
            workflow.lines().filter_map(|line| line.trim().strip_prefix("- target: ")).collect();
        assert_eq!(targets.len(), 8);
        for target in targets {
            let is_for_windows = target.contains("windows");
            let own = &metadata["overrides"][target]["pkg-fmt"];
            // The ends of names that binstall tries for a format.
            let ends: &[&str] = match own.as_str().or(metadata["pkg-fmt"].as_str()).unwrap() {
                "tgz" => &[".tgz", ".tar.gz"],
                "zip" => &[".zip"],
                other => panic!("{other}"),
            };
            let filled = |template: &str, end: &str| {
                let extension = if is_for_windows { ".exe" } else { "" };
                let fields = [
                    ("{ repo }", repository.as_str()),
                    ("{ version }", &version),
                    ("{ target }", target),
                    ("{ archive-suffix }", end),
                    ("{ bin }", "meshwright"),
                    ("{ binary-ext }", extension),
                ];
                fields.iter().fold(template.to_owned(), |text, (field, value)| text.replace(field, value))
            };
            let name = format!("meshwright-{version}-{target}");
            let address =
                format!("{repository}/releases/download/v{version}/{name}{}", suffix(is_for_windows));
            let tried: Vec<_> = ends.iter().map(|end| filled(text(&metadata["pkg-url"]), end)).collect();
            assert!(tried.contains(&address), "{tried:?} {address}");
            let program = if is_for_windows { "meshwright.exe" } else { "meshwright" };
            assert_eq!(filled(text(&metadata["bin-dir"]), ""), format!("{name}/{program}"));
        }
    }

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
