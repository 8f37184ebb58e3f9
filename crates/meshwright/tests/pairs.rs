//! Converts every kind of file to every other. Each result must open strictly, pass its checks, and hold all data that
//! no loss names.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "fsomodel",
    feature = "tso",
    feature = "gltf"
))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::files::{Tree, TreePath};
use meshwright::scene::{ConvertError, Converted, OutputFiles, Scene, SceneOptions};
use meshwright::{Dialect, Finder, Format, Model, Opener, Target, WriteOptions, convert};
use meshwright_testkit::{Expect, testdata};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Returns every fixture that gives a scene, with its path.
fn sources() -> Vec<(String, Format, Scene)> {
    let top = testdata();
    let finder = Finder::new(Tree::open(&top).unwrap());
    let mut found = Vec::new();
    for path in walk(&top) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !matches!(Expect::of(&name), Some(Expect::Ok)) || Format::from_name(&name).is_none() {
            continue;
        }
        let below = path.strip_prefix(&top).unwrap().to_str().unwrap().replace('\\', "/");
        let options = Opener::new().format(Format::from_name(&name));
        let asset = options.open_in(&finder, TreePath::new(&below).unwrap()).unwrap();
        let options = SceneOptions::default().with_extras(true);
        match asset.scene_with(&options) {
            Ok(made) => found.push((below, asset.format(), made.value)),
            Err(ConvertError::Unsupported { .. }) => {}
            Err(e) => panic!("{below}: {e}"),
        }
    }
    found
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|p| if p.is_dir() { walk(&p) } else { vec![p] }).collect()
}

/// The content of a scene, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Held {
    triangles: usize,
    joints: usize,
    clips: usize,
}

impl Held {
    fn count(scene: &Scene) -> Self {
        let first = |root: usize| scene.levels.first().is_none_or(|l| l.nodes.iter().any(|n| n.0 == root));
        let root = |mut n: usize| {
            while let Some(parent) = scene.nodes[n].parent {
                n = parent.0;
            }
            n
        };
        let drawn = (0..scene.nodes.len()).filter(|n| first(root(*n))).flat_map(|n| &scene.nodes[n].meshes);
        let triangles = drawn.map(|m| &scene.meshes[m.0]).filter(|m| !m.positions.is_empty());
        let joints = scene.skeletons.iter().map(|s| s.joints.len());
        Self {
            triangles: triangles.map(|m| m.triangles.len()).sum(),
            joints: joints.sum(),
            clips: scene.clips.len(),
        }
    }

    /// Returns true if a format can hold some of the content.
    fn fits(self, target: Target) -> bool {
        match target.id() {
            "skel" | "cskel" => self.joints > 0,
            "anim" => self.clips > 0,
            "tso" | "glb" | "gltf" => self.triangles + self.joints > 0,
            _ => self.triangles > 0,
        }
    }
}

/// Opens every file of a result, and counts their content.
fn read(pair: &str, files: &OutputFiles, dialect: Option<Dialect>) -> Held {
    let tree = Tree::memory(files.iter().map(|f| (f.name.as_str(), f.bytes.clone()))).unwrap();
    let finder = Finder::new(tree);
    let mut held = Held::default();
    for (i, file) in files.iter().enumerate() {
        let Some(format) = Format::from_name(&file.name).filter(|f| f.holds_model()) else { continue };
        let options = Opener::new().format(format).dialect(dialect);
        let asset = options.open_in(&finder, TreePath::new(&file.name).unwrap());
        let asset: Model = asset.unwrap_or_else(|e| panic!("{pair}: {}: {e}", file.name));
        let report = asset.check();
        assert!(!report.has_errors(), "{pair}: {}: {:?}", file.name, report.findings());
        match asset.scene_with(&SceneOptions::default()) {
            Ok(made) => {
                let own = Held::count(&made.value);
                // Every mesh of a skeleton repeats the skeleton.
                held.joints = held.joints.max(own.joints);
                held.triangles += own.triangles;
                held.clips += own.clips;
            }
            // A character with only suits: their meshes are files of their own.
            Err(ConvertError::Unsupported { .. }) if matches!(format.id(), "bcf" | "cmx") => {}
            // Only an animation.
            Err(ConvertError::Unsupported { .. }) if i > 0 || format.id() == "anim" => held.clips += 1,
            Err(e) => panic!("{pair}: {}: {e}", file.name),
        }
    }
    held
}

#[test]
fn every_format_becomes_every_other() {
    let sources = sources();
    let kinds: BTreeSet<_> = sources.iter().map(|(_, format, _)| *format).collect();
    let drawable = Format::ALL.iter().filter(|f| f.holds_model() && f.id() != "anim");
    let missing: Vec<_> = drawable.filter(|f| !kinds.contains(f)).collect();
    assert!(missing.is_empty(), "no fixture gives a scene: {missing:?}");
    let mut wrong = Vec::new();
    for (name, _, scene) in &sources {
        let has = Held::count(scene);
        for target in Target::all() {
            let pair = format!("{name} to {target}");
            // Its bones have numbers that other dialects have no room for.
            let dialect = name.contains("bone32").then(|| "bone32".parse().unwrap());
            let options = WriteOptions::default().with_stem("model").with_dialect(dialect);
            let made = convert(scene, target, &options);
            match made {
                Ok(made) if target == Target::Obj => {
                    let lost = !made.losses.is_empty();
                    if has.clips > 0 && !lost {
                        wrong.push(format!("{pair}: clips are gone without a word"));
                    }
                }
                // A page holds the model for people; nothing reads it back.
                Ok(made) if target.id() == "html" => assert!(made.value.main().is_some(), "{pair}"),
                Ok(made) => {
                    let mut got = read(&pair, &made.value, dialect);
                    if target.id() == "anim" {
                        // It names the bones of a skeleton in another file, as in an archive among the fixtures.
                        got.joints = has.joints;
                    }
                    wrong.extend(silent(&pair, has, got, &made));
                }
                Err(ConvertError::Unsupported { .. }) if !has.fits(target) => {}
                Err(e) => wrong.push(format!("{pair}: {e}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} pairs:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns the counts that are less than before without a loss.
fn silent(pair: &str, has: Held, got: Held, made: &Converted<OutputFiles>) -> Option<String> {
    let less = got.triangles < has.triangles || got.joints < has.joints || got.clips < has.clips;
    (less && made.losses.is_empty()).then(|| format!("{pair}: {got:?} of {has:?}, and nothing is said"))
}
