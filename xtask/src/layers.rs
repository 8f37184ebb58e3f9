//! `xtask layers`: who may use whom. Dependencies point down, formats never know each other, the files of a crate
//! import each other in no circle, readers check arithmetic.

use crate::{imports, sh};
use serde_json::Value;
use std::path::Path;

/// Each crate with all of ours that it may depend on, optional dependencies included. Test support may be a
/// dev-dependency of any.
const MAY_USE: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("scene", &["core"]),
    ("bmd", &["core", "scene"]),
    ("crucible", &["core", "scene"]),
    ("dpm", &["core", "scene"]),
    ("fsomodel", &["core", "scene"]),
    ("tso", &["core", "scene"]),
    ("files", &["core"]),
    ("quake", &["core"]),
    ("rig", &["scene"]),
    ("gltf", &["core", "scene"]),
    ("", LIBRARIES),
    ("cli", &[""]),
    ("testkit", &["core"]),
    ("lab", MEASURED),
    ("fuzz", MEASURED),
    ("xtask", &["testkit"]),
];

/// What the facade puts together.
const LIBRARIES: &[&str] =
    &["core", "scene", "bmd", "crucible", "dpm", "fsomodel", "tso", "files", "quake", "rig", "gltf"];

/// What is measured through the facade; below it a crate is named for its features.
const MEASURED: &[&str] = &[
    "", "core", "scene", "bmd", "crucible", "dpm", "fsomodel", "tso", "files", "quake", "rig", "gltf",
    "testkit", "xtask",
];

/// Crates whose files import each other in circles, until they are untangled.
const TANGLED: &[&str] = &[];

/// Crates whose dependencies from outside are fixed: they stand alone.
const FEW: &[(&str, &[&str])] = &[
    ("core", &["libm", "nom", "thiserror", "proptest"]),
    ("scene", &["thiserror", "proptest"]),
    ("files", &["thiserror"]),
    ("quake", &["nom", "thiserror", "proptest"]),
    ("bmd", &["nom", "thiserror", "proptest"]),
    ("crucible", &["nom", "thiserror", "proptest", "lz4_flex", "rayon"]),
    ("dpm", &["nom", "thiserror", "proptest"]),
    ("fsomodel", &["nom", "thiserror", "proptest", "bytemuck"]),
    ("tso", &["nom", "thiserror", "proptest"]),
    ("rig", &["glam", "thiserror", "rayon"]),
    ("xtask", &["lexopt", "serde_json"]),
];

fn package_name(short: &str) -> String {
    match short {
        "" => "meshwright".into(),
        "xtask" => short.into(),
        _ => format!("meshwright-{short}"),
    }
}

/// Crates that read what files say, where arithmetic and indexing must be checked.
const READERS: [&str; 9] =
    ["core", "bmd", "crucible", "dpm", "files", "fsomodel", "quake", "tso", "meshwright"];
const CHECKED: &str =
    "#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]";

/// Fails with every edge that breaks the rule.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let mut broken = Vec::new();
    // The fuzz targets are a workspace of their own.
    for package in sh::packages(root)?.iter().chain(&sh::packages(&root.join("crates/fuzz"))?) {
        let name = package["name"].as_str().unwrap_or_default();
        let Some((short, may_use)) = MAY_USE.iter().find(|(short, _)| package_name(short) == name) else {
            broken.push(format!("{name} has no place in the layers"));
            continue;
        };
        dependencies(name, short, may_use, package, &mut broken);
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        circles(short, &manifest.with_file_name("src"), &mut broken)?;
    }
    for name in READERS {
        let lib = root.join("crates").join(name).join("src/lib.rs");
        if !std::fs::read_to_string(&lib).is_ok_and(|text| text.contains(CHECKED)) {
            broken.push(format!("{}: unchecked arithmetic is not denied", lib.display()));
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n")) }
}

/// What a crate depends on and may not.
fn dependencies(name: &str, short: &str, may_use: &[&str], package: &Value, broken: &mut Vec<String>) {
    let few = FEW.iter().find(|(s, _)| *s == short).map(|f| f.1);
    for dep in package["dependencies"].as_array().into_iter().flatten() {
        let to = dep["name"].as_str().unwrap_or_default();
        let dev = dep["kind"].as_str() == Some("dev");
        let ours = to.starts_with("meshwright") || to == "xtask";
        let allowed = match (ours, dev) {
            (true, true) => {
                to == name
                    || to == "meshwright-testkit"
                    || to == "meshwright-quake"
                    || to == "meshwright-rig"
                    || may_use.iter().any(|s| package_name(s) == to)
            }
            (true, false) => may_use.iter().any(|s| package_name(s) == to),
            (false, true) => true,
            (false, false) => few.is_none_or(|few| few.contains(&to)),
        };
        if !allowed {
            broken.push(format!("{name} must not depend on {to}"));
        }
    }
}

/// Circles among the files of a crate.
fn circles(short: &str, src: &Path, broken: &mut Vec<String>) -> Result<(), String> {
    let found = imports::circles(src)?;
    if !TANGLED.contains(&short) {
        let text =
            |circle: &Vec<String>| format!("a circle in {}:\n  {}", src.display(), circle.join("\n  "));
        broken.extend(found.iter().map(text));
    } else if found.is_empty() {
        broken.push(format!("{short} is untangled: strike it from TANGLED"));
    }
    Ok(())
}
