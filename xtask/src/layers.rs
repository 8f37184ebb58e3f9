//! `xtask layers`: who may use whom. Dependencies point down, formats never know each other, readers check arithmetic.

use crate::sh;
use std::path::Path;

/// Each crate with all of ours that it may depend on, optional dependencies included. Test support may be a
/// dev-dependency of any.
const MAY_USE: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("scene", &[]),
    ("bmd", &["core", "scene"]),
    ("crucible", &["core", "scene"]),
    ("dpm", &["core", "scene"]),
    ("fsomodel", &["core", "scene"]),
    ("tso", &["core", "scene"]),
    ("files", &["core"]),
    ("quake", &["core"]),
    ("rig", &["scene"]),
    ("gltf", &["core", "scene"]),
    ("testkit", &["core"]),
    ("", &["core", "scene", "bmd", "crucible", "dpm", "fsomodel", "tso", "files", "quake", "rig", "gltf"]),
    ("cli", &[""]),
];

/// Crates whose dependencies from outside are fixed: they stand alone.
const FEW: &[(&str, &[&str])] = &[
    ("core", &["nom", "thiserror", "proptest"]),
    ("scene", &["thiserror", "proptest"]),
    ("bmd", &["nom", "thiserror", "proptest"]),
    ("crucible", &["nom", "thiserror", "proptest", "lz4_flex", "rayon"]),
    ("dpm", &["nom", "thiserror", "proptest"]),
    ("fsomodel", &["nom", "thiserror", "proptest", "bytemuck"]),
    ("tso", &["nom", "thiserror", "proptest"]),
    ("files", &["thiserror"]),
    ("quake", &["nom", "thiserror", "proptest"]),
    ("rig", &["glam", "thiserror", "rayon"]),
];

fn package(short: &str) -> String {
    if short.is_empty() { "meshwright".into() } else { format!("meshwright-{short}") }
}

/// Crates that read what files say, where arithmetic and indexing must be checked.
const READERS: [&str; 9] =
    ["core", "bmd", "crucible", "dpm", "files", "fsomodel", "quake", "tso", "meshwright"];
const CHECKED: &str =
    "#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]";

/// Fails with every edge that breaks the rule.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let mut broken = Vec::new();
    for pkg in sh::packages(root)? {
        let name = pkg["name"].as_str().unwrap_or_default();
        if name == "xtask" {
            continue;
        }
        let Some((short, may_use)) = MAY_USE.iter().find(|(short, _)| package(short) == name) else {
            broken.push(format!("{name} has no place in the layers"));
            continue;
        };
        let few = FEW.iter().find(|(s, _)| s == short).map(|f| f.1);
        for dep in pkg["dependencies"].as_array().into_iter().flatten() {
            let to = dep["name"].as_str().unwrap_or_default();
            let dev = dep["kind"].as_str() == Some("dev");
            let ours = to.starts_with("meshwright");
            let allowed = match (ours, dev) {
                (true, true) => {
                    to == name
                        || to == "meshwright-testkit"
                        || to == "meshwright-quake"
                        || to == "meshwright-rig"
                        || may_use.iter().any(|s| package(s) == to)
                }
                (true, false) => may_use.iter().any(|s| package(s) == to),
                (false, true) => true,
                (false, false) => few.is_none_or(|few| few.contains(&to)),
            };
            if !allowed {
                broken.push(format!("{name} must not depend on {to}"));
            }
        }
    }
    for name in READERS {
        let lib = root.join("crates").join(name).join("src/lib.rs");
        if !std::fs::read_to_string(&lib).is_ok_and(|text| text.contains(CHECKED)) {
            broken.push(format!("{}: unchecked arithmetic is not denied", lib.display()));
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n")) }
}
