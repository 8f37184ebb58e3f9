//! Edited scenes in the files that they came from, whatever format these have: what was not edited is there bit for bit.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "fsomodel",
    feature = "iqm",
    feature = "tso"
))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::files::{Tree, TreePath};
use meshwright::scene::{Converted, OutputFile, OutputFiles, Scene, SceneOptions};
use meshwright::{Asset, Finder, Format, OpenOptions, WriteOptions, merge};
use meshwright_testkit::{Expect, corpus, testdata};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Kinds of files that edited scenes are merged into.
const KINDS: [&str; 9] = ["bmd", "iqm", "dpm", "zym", "fso", "crucible", "cmodel", "tso", "skn"];

/// A folder in memory.
fn folder(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            files.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap());
        }
    }
    files
}

fn open(files: &BTreeMap<String, Vec<u8>>, name: &str) -> Option<Asset> {
    let finder = Finder::new(Tree::memory(files.iter().map(|(n, b)| (n.as_str(), b.clone()))).unwrap());
    let mut options = OpenOptions::default();
    options.format = Format::from_name(name);
    finder.open(TreePath::new(name).unwrap(), &options).ok()
}

/// Every file of a folder that gives a scene, of a kind that is merged.
fn each(path: &Path, mut work: impl FnMut(&BTreeMap<String, Vec<u8>>, &str, &Asset)) {
    let files = folder(path);
    for name in files.keys() {
        let wrong = Expect::of(name).is_some_and(|e| !matches!(e, Expect::Ok | Expect::Warn));
        if wrong || Format::from_name(name).is_none_or(|f| !KINDS.contains(&f.id())) {
            continue;
        }
        if let Some(asset) = open(&files, name) {
            work(&files, name, &asset);
        }
    }
}

fn folders() -> Vec<std::path::PathBuf> {
    let below = |top: &Path| {
        let all = fs::read_dir(top).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir());
        all.filter(|p| !p.ends_with("gltf")).collect::<Vec<_>>()
    };
    let mut all = below(&testdata());
    all.extend(
        corpus().into_iter().flat_map(|c| ["bmd", "dpm", "zym", "iqm", "framegroups"].map(|f| c.join(f))),
    );
    all.retain(|p| p.is_dir());
    all.sort();
    all
}

fn scenes() -> [SceneOptions; 2] {
    [SceneOptions::default(), SceneOptions::default().with_extras(true).with_bind_only(true)]
}

fn merged(asset: &Asset, native: &Scene, edited: &Scene) -> Result<Converted<OutputFiles>, String> {
    merge(asset, native, edited, &WriteOptions::default()).map_err(|e| e.to_string())
}

/// What went wrong, the first of each kind.
#[derive(Default)]
struct Failures(BTreeMap<String, String>);

impl Failures {
    fn note(&mut self, kind: String, name: &str, held: Result<(), String>) {
        if let Err(e) = held {
            self.0.entry(kind).or_insert_with(|| format!("{name}: {e}"));
        }
    }

    fn none(&self) {
        let all: Vec<String> = self.0.iter().map(|(kind, e)| format!("{kind}: {e}")).collect();
        assert!(all.is_empty(), "{}", all.join("\n"));
    }
}

#[test]
fn with_nothing_edited_the_files_are_the_original() {
    let (mut seen, mut failures) = (BTreeMap::new(), Failures::default());
    for path in folders() {
        each(&path, |files, name, asset| {
            for options in scenes() {
                let Ok(native) = asset.to_scene(&options) else { continue };
                if native.value.meshes.is_empty() && native.value.skeletons.is_empty() {
                    continue;
                }
                // Equal scenes, and scenes that only a merge finds to be equal.
                for other in ["", "other"] {
                    let mut edited = native.value.clone();
                    edited.name.push_str(other);
                    let held = merged(asset, &native.value, &edited).and_then(|made| {
                        if !made.losses.is_empty() {
                            return Err(format!("{:?}", made.losses));
                        }
                        let same = |f: &OutputFile| files.get(&f.name) == Some(&f.bytes);
                        match made.value.iter().find(|file| !same(file)) {
                            Some(file) => Err(format!("{} is another", file.name)),
                            None => Ok(()),
                        }
                    });
                    failures.note(format!("{} {other}", asset.format()), name, held);
                }
                *seen.entry(asset.format().id()).or_insert(0) += 1;
            }
        });
    }
    failures.none();
    for id in KINDS {
        assert!(seen.get(id).is_some_and(|n| *n > 1), "{id}: {seen:?}");
    }
}
