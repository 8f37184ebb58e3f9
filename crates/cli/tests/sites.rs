//! `view --site` and `convert --bag`: folders that other programs read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, names, run, stderr};
use meshwright_testkit::testdata;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Returns a folder with two models and one that is broken.
fn models(dir: &Path) -> String {
    let models = dir.join("models");
    fs::create_dir(&models).unwrap();
    for (from, to) in [
        ("dpm/hopper.ok.dpm", "hopper.dpm"),
        ("dpm/hopper.ok.dpm.framegroups", "hopper.dpm.framegroups"),
        ("bmd/windmill.ok.bmd", "a & b.bmd"),
        ("dpm/parent.reject.dpm", "broken.dpm"),
    ] {
        fs::copy(testdata().join(from), models.join(to)).unwrap();
    }
    models.to_str().unwrap().to_owned()
}

/// Collects every file of a folder with its bytes.
fn files(folder: &Path, below: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for name in names(folder) {
        let (path, below) = (folder.join(&name), format!("{below}{name}"));
        if path.is_dir() {
            files(&path, &format!("{below}/"), found);
        } else {
            found.insert(below, fs::read(path).unwrap());
        }
    }
}

fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    files(folder, "", &mut found);
    found
}

#[test]
fn a_site_has_a_page_for_each_model_and_the_same_bytes_every_time() {
    let dir = TempDir::new().unwrap();
    let (models, site) = (models(dir.path()), dir.path().join("site"));
    let write = || run(["view", &models, "--site", site.to_str().unwrap()]);
    assert_eq!(code(&write()), 0, "{}", stderr(&write()));
    let first = content(&site);
    let list: Vec<_> = first.keys().map(String::as_str).collect();
    assert_eq!(
        list,
        [
            "index.html",
            "models/a---b.bmd.html",
            "models/hopper.dpm.html",
            "pictures/a---b.bmd.png",
            "pictures/hopper.dpm.png"
        ]
    );
    let index = String::from_utf8(first["index.html"].clone()).unwrap();
    assert!(index.contains("a &#38; b.bmd") && index.contains("3 models"), "{index}");
    assert!(index.contains("broken.dpm: error[bad-parent]"), "the reason is in the list: {index}");
    assert!(index.contains("models/hopper.dpm.html#clip="), "clips have links: {index}");
    // Nothing comes from elsewhere.
    assert!(!index.contains("http"), "{index}");
    let page = String::from_utf8(first["models/hopper.dpm.html"].clone()).unwrap();
    assert!(page.contains("../index.html") && page.contains("\"findings\""));
    // A second run replaces its own files, and no others.
    assert_eq!(code(&write()), 0);
    assert_eq!(content(&site), first);
    fs::write(site.join("index.html"), "mine").unwrap();
    assert_ne!(code(&write()), 0, "a folder that is not a site is not overwritten");
    assert_eq!(fs::read(site.join("index.html")).unwrap(), b"mine");
}

#[test]
fn a_bag_is_complete_and_valid_as_rfc_8493_says() {
    let dir = TempDir::new().unwrap();
    let (models, bag) = (models(dir.path()), dir.path().join("bag"));
    for name in ["arm.ok.glb", "embedded.ok.gltf"] {
        fs::copy(testdata().join("gltf").join(name), Path::new(&models).join(name)).unwrap();
    }
    let write = || run(["convert", &models, "-o", bag.to_str().unwrap(), "--bag"]);
    assert_eq!(code(&write()), 1, "one model is broken");
    let first = content(&bag);
    let text = |name: &str| String::from_utf8(first[name].clone()).unwrap();
    assert_eq!(text("bagit.txt"), "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    let hash = |bytes: &[u8]| Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect::<String>();
    let mut listed = BTreeMap::new();
    for manifest in ["manifest-sha256.txt", "tagmanifest-sha256.txt"] {
        for line in text(manifest).lines() {
            let (sum, path) = line.split_once("  ").unwrap();
            assert_eq!(sum, hash(&first[path]), "{path}");
            assert_eq!(manifest.starts_with("tag"), !path.starts_with("data/"), "{path}");
            listed.insert(path.to_owned(), ());
        }
    }
    listed.insert("tagmanifest-sha256.txt".into(), ());
    assert!(listed.keys().eq(first.keys()), "every file is listed: {listed:?}");
    let payload: Vec<_> = first.iter().filter(|(path, _)| path.starts_with("data/")).collect();
    let bytes: usize = payload.iter().map(|(_, bytes)| bytes.len()).sum();
    assert!(text("bag-info.txt").contains(&format!("Payload-Oxum: {bytes}.{}\n", payload.len())));
    let manifest: serde_json::Value = serde_json::from_slice(&first["meshwright.json"]).unwrap();
    let entry = |name: &str| {
        let mut all = manifest["files"].as_array().unwrap().iter();
        all.find(|file| file["input"] == name).unwrap().clone()
    };
    let hopper = &entry("hopper.dpm")["parts"][0];
    assert_eq!(
        (&hopper["format"]["id"], &hopper["validity"]),
        (&"dpm".into(), &"well-formed and valid".into())
    );
    for (name, media_type) in [
        ("hopper.dpm", "model/x-darkplaces-dpm"),
        ("arm.ok.glb", "model/gltf-binary"),
        ("embedded.ok.gltf", "model/gltf+json"),
    ] {
        assert_eq!(entry(name)["parts"][0]["format"]["media_type"], media_type);
    }
    let broken = entry("broken.dpm");
    assert_eq!((&broken["format"]["id"], &broken["validity"]), (&"dpm".into(), &"not well-formed".into()));
    // The same models give the same bag; a folder that is not a bag is not made one.
    assert_eq!(code(&write()), 1);
    assert_eq!(content(&bag), first);
    fs::remove_file(bag.join("bagit.txt")).unwrap();
    assert_eq!(code(&write()), 2);
}
