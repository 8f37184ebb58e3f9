//! `xtask layers`: who may use whom. Dependencies point down, formats never know each other, readers check arithmetic, nothing
//! runs while it is compiled, nothing uses a network.

use crate::sh::{self, Given};
use serde_json::Value;
use std::path::Path;

/// Each crate with all of ours that it may depend on, optional dependencies included. Test support may be a
/// dev-dependency of any. A crate of a format says so in its manifest: `package.metadata.meshwright.layer`.
const MAY_USE: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("scene", &["core"]),
    ("edit", &["core", "scene"]),
    ("files", &["core"]),
    ("quake", &["core"]),
    ("rig", &["scene"]),
    ("retarget", &["scene", "rig"]),
    ("render", &["core", "scene"]),
    ("gltf", &["core", "scene"]),
    ("", LIBRARIES),
    ("cli", &[""]),
    ("bevy", &[""]),
    ("capi", &[""]),
    // The wheel carries the program.
    ("python", &["", "cli"]),
    ("wasm", &[""]),
    ("testkit", &["core", "scene", "edit"]),
    ("lab", MEASURED),
    ("fuzz", MEASURED),
    ("xtask", &["testkit"]),
];

/// Crates of ours that a format may use.
const FORMAT: &[&str] = &["core", "scene", "edit"];

/// Crates that the facade uses, apart from formats.
const LIBRARIES: &[&str] = &["core", "scene", "edit", "files", "quake", "rig", "retarget", "render", "gltf"];

/// Crates that tests and benchmarks may use, formats included.
const MEASURED: &[&str] =
    &["", "core", "scene", "edit", "files", "quake", "rig", "render", "gltf", "cli", "testkit", "xtask"];

/// Crates that the tests of every crate may use besides.
const TEST_SUPPORT: &[&str] =
    &["meshwright-testkit", "meshwright-quake", "meshwright-rig", "meshwright-edit"];

/// Those that may use every format.
const ALL_FORMATS: [&str; 3] = ["", "lab", "fuzz"];

/// Crates that are workspaces of their own.
const APART: &[&str] = &["bevy", "capi", "fuzz", "python", "wasm"];

/// The crate of others that `crates/wasm` replaces.
const REPLACED: &str = "crc32fast";

/// Crates whose dependencies from outside are fixed.
const FEW: &[(&str, &[&str])] = &[
    ("core", &["libm", "multiversion", "nom", "thiserror", "proptest"]),
    ("scene", &["bevy_mikktspace", "itoa", "thiserror", "zmij", "proptest"]),
    ("edit", &[]),
    ("files", &["crc32fast", "lz4_flex", "miniz_oxide", "nom", "rustix", "thiserror"]),
    ("quake", &["nom", "proptest"]),
    ("rig", &["glam", "thiserror", "rayon"]),
    ("retarget", &["thiserror"]),
    ("render", &["png", "proptest"]),
    ("xtask", &["lexopt", "serde_json", "sha2"]),
];

/// External crates that every format may use.
const FORMAT_FEW: &[&str] = &["nom", "thiserror", "proptest"];

/// Further external crates of single formats; each is a decision.
const FORMAT_MORE: &[(&str, &[&str])] = &[("crucible", &["lz4_flex", "rayon"]), ("fsomodel", &["bytemuck"])];

/// Returns the crates of formats.
fn formats(root: &Path) -> Result<Vec<String>, String> {
    let is_format = |p: &&Value| p["metadata"]["meshwright"]["layer"].as_str() == Some("format");
    let short = |p: &Value| p["name"].as_str()?.strip_prefix("meshwright-").map(str::to_owned);
    Ok(sh::packages(root)?.iter().filter(is_format).filter_map(short).collect())
}

fn package_name(short: &str) -> String {
    match short {
        "" => "meshwright".into(),
        "xtask" => short.into(),
        _ => format!("meshwright-{short}"),
    }
}

/// Crates that work on what files say, those of formats aside, where arithmetic and indexing must be checked.
const READERS: [&[&str]; 2] = [LIBRARIES, &["meshwright", "cli"]];
const CHECKED: &str =
    "#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]";

/// The only folder of a published crate with unsafe code, all for x86.
const UNSAFE: &str = "crates/rig/src/kernels";

/// Signs of a network, which a program for files does not need.
const NETWORK: [&str; 4] = ["std::net", "core::net", "TcpStream", "UdpSocket"];

/// The one folder that may use it, for the page that the program shows on the loopback address.
const SERVER: &str = "crates/cli/src/view";

/// Fields that the registry shows.
const SHOWN: &[&str] =
    &["categories", "description", "keywords", "license", "readme", "repository", "rust_version"];

/// Published crates forbid unsafe code, but the one with the kernels, which denies it outside of them. None uses a network,
/// and every library states its safety contract.
fn sources(root: &Path, package: &Value, broken: &mut Vec<String>) -> Result<(), String> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let src = manifest.with_file_name("src");
    let with_kernels = root.join(UNSAFE).starts_with(&src);
    let level = if with_kernels { "#![deny(unsafe_code)]" } else { "#![forbid(unsafe_code)]" };
    for path in crate::fixtures::walk(&src).map_err(sh::error_at(&src))? {
        let text = sh::read_text(&path)?;
        let root_file = ["lib.rs", "main.rs"].iter().any(|name| path == src.join(name));
        if root_file && !text.contains(level) {
            broken.push(format!("{}: no {level}", path.display()));
        }
        let allows = text
            .lines()
            .any(|line| line.trim().starts_with("unsafe_code,") || line.contains("allow(unsafe_code"));
        if allows && !path.starts_with(root.join(UNSAFE)) {
            broken.push(format!("{}: allows unsafe code", path.display()));
        }
        let network =
            NETWORK.iter().filter(|word| text.contains(**word) && !path.starts_with(root.join(SERVER)));
        broken.extend(network.map(|word| format!("{}: {word}", path.display())));
        let is_library = path == src.join("lib.rs") && package["name"] != "meshwright-cli";
        if is_library && !text.contains("//! # Safety contract") {
            broken.push(format!("{}: no safety contract", path.display()));
        }
    }
    Ok(())
}

/// Fails with every edge that breaks the rule.
pub(crate) fn run(root: &Path, _: &Given) -> Result<(), String> {
    let (mut broken, formats) = (Vec::new(), formats(root)?);
    let mut packages = sh::packages(root)?;
    for own in APART {
        packages.extend(sh::packages(&root.join("crates").join(own))?);
    }
    for package in &packages {
        let name = sh::text(&package["name"]);
        if name == REPLACED {
            continue;
        }
        let Some(rules) = Allowed::for_crate(name, &formats) else {
            broken.push(format!("{name} has no place in the layers"));
            continue;
        };
        dependencies(name, &rules, package, &mut broken);
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        if !package["publish"].is_array() {
            let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            let missing = SHOWN.iter().filter(|field| is_empty(&package[**field]));
            broken.extend(missing.map(|field| format!("{name}: no {field}")));
            sources(root, package, &mut broken)?;
        }
        let kinds =
            package["targets"].as_array().into_iter().flatten().map(|target| sh::text(&target["kind"][0]));
        if !APART.contains(&rules.short)
            && kinds.into_iter().any(|k| matches!(k, "custom-build" | "proc-macro"))
        {
            broken.push(format!("{name} runs code while it is compiled"));
        }
        left_out(&manifest.with_file_name("tests"), &mut broken)?;
    }
    for name in READERS.concat().into_iter().chain(formats.iter().map(String::as_str)) {
        let lib = root.join("crates").join(name).join("src/lib.rs");
        if !std::fs::read_to_string(&lib).is_ok_and(|text| text.contains(CHECKED)) {
            broken.push(format!("{}: unchecked arithmetic is not denied", lib.display()));
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n")) }
}

/// Files of integration tests that the crate's one program of them does not name: nothing would run them.
fn left_out(tests: &Path, broken: &mut Vec<String>) -> Result<(), String> {
    let Ok(suite) = std::fs::read_to_string(tests.join("suite.rs")) else { return Ok(()) };
    // Tests that need a corpus are a program of their own.
    let suite = suite + &std::fs::read_to_string(tests.join("corpus.rs")).unwrap_or_default();
    for entry in std::fs::read_dir(tests).map_err(sh::error_at(tests))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        let module = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_tests = path.extension().is_some_and(|e| e == "rs") || path.join("mod.rs").is_file();
        if is_tests && !["suite", "corpus"].contains(&&*module) && !suite.contains(&format!("mod {module};"))
        {
            broken.push(format!("{}: tests/suite.rs does not name it", path.display()));
        }
    }
    Ok(())
}

/// Permitted dependencies of a crate.
struct Allowed<'a> {
    short: &'a str,
    ours: Vec<&'a str>,
    /// External crates; `None` permits all.
    others: Option<Vec<&'a str>>,
}

impl<'a> Allowed<'a> {
    fn for_crate(name: &str, formats: &'a [String]) -> Option<Self> {
        if let Some(short) = formats.iter().find(|f| package_name(f) == name) {
            let more = FORMAT_MORE.iter().filter(|(s, _)| s == short).flat_map(|(_, more)| more.iter());
            let others = FORMAT_FEW.iter().chain(more).copied().collect();
            return Some(Self { short, ours: FORMAT.to_vec(), others: Some(others) });
        }
        let (short, ours) = MAY_USE.iter().find(|(short, _)| package_name(short) == name)?;
        let every = formats.iter().filter(|_| ALL_FORMATS.contains(short)).map(String::as_str);
        let ours = ours.iter().copied().chain(every).collect();
        let others = FEW.iter().find(|(s, _)| s == short).map(|(_, few)| few.to_vec());
        Some(Self { short, ours, others })
    }
}

/// Adds the dependencies that a crate has and may not have.
fn dependencies(name: &str, rules: &Allowed<'_>, package: &Value, broken: &mut Vec<String>) {
    for dep in package["dependencies"].as_array().into_iter().flatten() {
        let to = dep["name"].as_str().unwrap_or_default();
        let dev = dep["kind"].as_str() == Some("dev");
        let ours = to.starts_with("meshwright") || to == "xtask";
        let support = to == name || TEST_SUPPORT.contains(&to);
        let allowed = match ours {
            true => dev && support || rules.ours.iter().any(|short| package_name(short) == to),
            false => dev || rules.others.as_ref().is_none_or(|others| others.contains(&to)),
        };
        if !allowed {
            broken.push(format!("{name} must not depend on {to}"));
        }
    }
}
