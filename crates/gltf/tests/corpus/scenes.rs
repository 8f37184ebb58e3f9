//! Tests files of other tools and broken ones, of the corpus next to the project.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failing test panics, and says what it could not do"
)]

use super::documents::{documents_of_other_tools, with_document};
use meshwright_testkit::corpus;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

#[test]
fn files_of_other_tools_are_read() {
    let (mut read, mut compressed) = (0, Vec::new());
    for file in documents_of_other_tools(&corpus!()) {
        match with_document(&file, |_| ()) {
            Ok(_) => read += 1,
            Err(e) => {
                assert_eq!(e.code(), "extension-required", "{}: {e}", file.display());
                compressed.push(file.file_stem().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    assert!(read > 90, "{read} read; left out {compressed:?}");
    let known = ["meshopt", "Draco", "draco", "Meshopt", "gpcc", "gt_opt"];
    assert!(compressed.iter().all(|name| known.iter().any(|k| name.contains(k))), "{compressed:?}");
}

/// All codes of faults that the document layer finds.
const CODES: [&str; 40] = [
    "accessor-alignment",
    "accessor-count",
    "accessor-range",
    "accessor-type",
    "asset-version",
    "attribute-count",
    "buffer-missing",
    "buffer-short",
    "extension-ignored",
    "extension-required",
    "glb-alignment",
    "glb-chunk",
    "glb-header",
    "glb-length",
    "glb-trailing",
    "glb-version",
    "index",
    "json-bom",
    "json-depth",
    "json-duplicate",
    "json-encoding",
    "json-number",
    "json-shape",
    "json-syntax",
    "mode",
    "name-long",
    "node-cycle",
    "node-parents",
    "node-transform",
    "sampler-count",
    "sampler-interpolation",
    "scene-root",
    "skin-ibm",
    "sparse-order",
    "sparse-range",
    "uri-data",
    "uri-path",
    "uri-scheme",
    "view-range",
    "view-stride",
];

/// Files of other codes that belong to it as well.
const FILES: [&str; 6] = [
    "accessor_without_view_huge.glb",
    "anim_bad_path.glb",
    "matrix_huge.glb",
    "skin_joint_twice.glb",
    "skin_no_joints.glb",
    "draco_required.glb",
];

#[test]
fn broken_files_have_the_codes_of_the_description() {
    let root = corpus!().join("malformed");
    let cases: Value = serde_json::from_slice(&fs::read(root.join("cases.json")).unwrap()).unwrap();
    let cases: Vec<_> = cases.as_array().unwrap().iter().filter(|c| c["format"] == "gltf").collect();
    assert!(cases.len() > 170);
    let (mut wrong, mut seen) = (Vec::new(), BTreeMap::new());
    for case in cases {
        let file = root.parent().unwrap().join(case["file"].as_str().unwrap());
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let (expect, code) = (case["expect"].as_str().unwrap(), case["code"].as_str().unwrap());
        let ours = CODES.contains(&code) || FILES.contains(&name.as_str());
        let found = with_document(&file, |_| ());
        let sound = match (&found, ours, expect) {
            (Err(e), true, "reject") => e.code() == code,
            (Ok((_, codes)), true, "warn") => codes.contains(&code),
            (Err(e), false, _) => e.code() == "extension-required" && name.starts_with("meshopt"),
            (Ok(_), false, _) => true,
            _ => false,
        };
        if ours {
            *seen.entry(code.to_owned()).or_insert(0) += 1;
        }
        if !sound {
            wrong.push(format!(
                "{name}: {expect} {code}, found {:?}",
                found.map(|f| f.1).map_err(|e| e.to_string() + " " + e.code())
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(CODES.iter().all(|code| seen.contains_key(*code)), "{seen:?}");
}
