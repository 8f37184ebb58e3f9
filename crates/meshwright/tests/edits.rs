//! Edited scenes written to their original files in every format: the output has the edit, and every other bit is
//! unchanged.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "dump",
    feature = "fsomodel",
    feature = "iqm",
    feature = "tso"
))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::dump::{Dump, DumpOptions};
use meshwright::edit::Patch;
use meshwright::files::{Tree, TreePath};
use meshwright::scene::{Converted, OutputFile, OutputFiles, Scene, SceneOptions};
use meshwright::{AnyModel, Companions, Finder, Format, Model, NamedFile, Opener, Role, WriteOptions, merge};
use meshwright_testkit::edits::{Edit, Near, check};
use meshwright_testkit::{Expect, given_corpus, testdata};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A kind of files that edited scenes are merged into.
struct Kind {
    id: &'static str,
    /// The accuracy of edited values.
    near: Near,
    /// Edits that the format cannot store.
    lacks: &'static [Edit],
    /// Edits that need a skeleton file; without one, the bones that vertices name are the joints.
    alone: &'static [Edit],
}

/// Vertices of 32 bits, in the space of a bone.
const FLOATS: Near = Near { place: 2e-6, normal: 2e-3, uv: 1e-6, weight: 1e-6, axes: 2e-6 };
/// The same with weights of 16 bits.
const SIMS: Near = Near { place: 1e-5, normal: 0.02, uv: 1e-6, weight: 1e-4, axes: 1e-5 };

/// The file has no names of materials, meshes or bones.
const NAMELESS: &[Edit] =
    &[Edit::MaterialName, Edit::MeshName, Edit::JointName, Edit::JointNew, Edit::JointGone];
const CHUNK: &[Edit] =
    &[Edit::MaterialName, Edit::MeshName, Edit::JointName, Edit::JointNew, Edit::JointGone, Edit::MeshNew];
/// Edits that files of The Sims cannot store: the name of a mesh is that of its file.
const SIMS_LACK: &[Edit] = &[Edit::MaterialName, Edit::MeshName, Edit::MeshNew];
/// Edits that an animation file cannot store: the skeleton is in another file, and keys have no scales.
const ANIM_LACK: &[Edit] = &[
    Edit::JointGone,
    Edit::Scale,
    Edit::MaterialName,
    Edit::MeshName,
    Edit::MeshNew,
    Edit::MeshGone,
    Edit::ClipNew,
    Edit::ClipGone,
    Edit::JointName,
    Edit::JointNew,
    Edit::JointPlace,
];
const BONES: &[Edit] = &[
    Edit::JointName,
    Edit::JointNew,
    Edit::JointPlace,
    Edit::JointGone,
    Edit::Weight,
    Edit::TriangleGone,
    Edit::MeshGone,
];
/// Without its skeleton, a mesh has all bones at the origin, which do not scale apart.
const SIMS_BONES: &[Edit] = &[
    Edit::JointName,
    Edit::JointNew,
    Edit::JointPlace,
    Edit::JointGone,
    Edit::Scale,
    Edit::Weight,
    Edit::TriangleGone,
    Edit::MeshGone,
];

const KINDS: &[Kind] = &[
    Kind { id: "dpm", near: FLOATS, lacks: &[], alone: &[] },
    // Normals follow from triangles.
    Kind { id: "zym", near: Near { normal: f64::NAN, ..FLOATS }, lacks: &[Edit::Normal], alone: &[] },
    Kind { id: "fso", near: FLOATS, lacks: &[], alone: &[Edit::MeshNew] },
    Kind { id: "crucible", near: FLOATS, lacks: CHUNK, alone: BONES },
    Kind { id: "cmodel", near: FLOATS, lacks: NAMELESS, alone: BONES },
    Kind { id: "cskel", near: FLOATS, lacks: NAMELESS, alone: &[] },
    Kind { id: "tso", near: SIMS, lacks: SIMS_LACK, alone: SIMS_BONES },
    Kind { id: "skn", near: SIMS, lacks: SIMS_LACK, alone: SIMS_BONES },
    Kind { id: "bmf", near: SIMS, lacks: SIMS_LACK, alone: SIMS_BONES },
    Kind { id: "bcf", near: SIMS, lacks: SIMS_LACK, alone: &[] },
    Kind { id: "cmx", near: SIMS, lacks: SIMS_LACK, alone: &[] },
    Kind { id: "skel", near: SIMS, lacks: SIMS_LACK, alone: &[] },
    Kind { id: "anim", near: SIMS, lacks: ANIM_LACK, alone: &[] },
];

/// Formats whose edits are tested in their own crates.
const ELSEWHERE: [&str; 2] = ["bmd", "iqm"];

fn kind(format: Format) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.id == format.id())
}

/// Returns a folder in memory.
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

fn open(files: &BTreeMap<String, Vec<u8>>, name: &str) -> Option<Model> {
    let finder = Finder::new(Tree::memory(files.iter().map(|(n, b)| (n.as_str(), b.clone()))).unwrap());
    let mut options = Opener::new().format(Format::from_name(name));
    // An animation does not say which skeleton it moves.
    let skeletons: Vec<_> = files.iter().filter(|(n, _)| n.ends_with(".skel")).collect();
    if let (true, [(skeleton, bytes)]) = (name.ends_with(".anim"), &skeletons[..]) {
        options = options.named(NamedFile::new(Role::Skeleton, *skeleton, bytes.as_slice()));
    }
    options.open_in(&finder, TreePath::new(name).unwrap()).ok()
}

/// Returns the animations of the fixtures with the skeleton that they move, because their folder has several.
fn sets() -> Vec<BTreeMap<String, Vec<u8>>> {
    let all = folder(&testdata().join("tso"));
    let one = |names: &[&str]| names.iter().map(|n| ((*n).to_owned(), all[*n].clone())).collect();
    let anims = all.keys().filter(|name| name.ends_with(".ok.anim"));
    anims.map(|name| one(&[name, "flower.ok.skel"])).collect()
}

/// Calls `work` for every file of a folder that has a scene and a format with merging.
fn each(files: &BTreeMap<String, Vec<u8>>, mut work: impl FnMut(&BTreeMap<String, Vec<u8>>, &str, &Model)) {
    for name in files.keys() {
        let wrong = Expect::of(name).is_some_and(|e| !matches!(e, Expect::Ok | Expect::Warn));
        if wrong || Format::from_name(name).is_none_or(|f| kind(f).is_none() && !ELSEWHERE.contains(&f.id()))
        {
            continue;
        }
        if let Some(asset) = open(files, name) {
            work(files, name, &asset);
        }
    }
}

/// Returns the fixtures and some folders of the corpus; with `MESHWRIGHT_EDITS=all` all folders.
fn folders(some: &[&str]) -> Vec<BTreeMap<String, Vec<u8>>> {
    let below = |top: &Path| {
        let all = fs::read_dir(top).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir());
        all.filter(|p| !p.ends_with("gltf")).collect::<Vec<_>>()
    };
    let mut all = below(&testdata());
    all.push(testdata().join("fsomodel/pairs"));
    let whole = std::env::var_os("MESHWRIGHT_EDITS").is_some_and(|all| all == "all");
    let every = ["dpm", "zym", "framegroups", "fsomodel", "crucible", "tso", "ts1"];
    let kinds: BTreeSet<&str> = some.iter().copied().chain(every.into_iter().filter(|_| whole)).collect();
    all.extend(given_corpus().into_iter().flat_map(|c| kinds.iter().map(move |f| c.join(f))));
    all.retain(|p: &PathBuf| p.is_dir());
    all.sort();
    all.iter().map(|path| folder(path)).chain(sets()).collect()
}

fn scenes() -> [SceneOptions; 2] {
    [SceneOptions::default(), SceneOptions::default().with_extras(true).with_bind_only(true)]
}

/// Merges a patch without the meshes of the native scene, which merges must not need.
fn merged(asset: &Model, native: &Scene, edited: &Patch) -> Result<Converted<OutputFiles>, String> {
    merge(asset, &native.without_meshes(), edited, &WriteOptions::default()).map_err(|e| e.to_string())
}

/// The failures, the first of each kind.
#[derive(Default)]
struct Failures(BTreeMap<String, (usize, String)>);

impl Failures {
    fn note(&mut self, kind: String, name: &str, held: Result<(), String>) {
        if let Err(e) = held {
            self.0.entry(kind).or_insert_with(|| (0, format!("{name}: {e}"))).0 += 1;
        }
    }

    fn none(&self) {
        let all: Vec<String> = self.0.iter().map(|(kind, (n, e))| format!("{kind} ({n}): {e}")).collect();
        assert!(all.is_empty(), "{}", all.join("\n"));
    }
}

#[test]
fn with_nothing_edited_the_files_are_the_original() {
    let (mut seen, mut failures) = (BTreeMap::new(), Failures::default());
    for files in folders(&["bmd", "dpm", "zym", "iqm", "framegroups"]) {
        each(&files, |files, name, asset| {
            for options in scenes() {
                let Ok(native) = asset.scene_with(&options) else { continue };
                if native.value.meshes.is_empty() && native.value.skeletons.is_empty() {
                    continue;
                }
                // Equal scenes, and scenes that only a merge finds to be equal.
                for other in ["", "other"] {
                    let mut edited = native.value.clone();
                    edited.name.push_str(other);
                    let held = merged(asset, &native.value, &Patch::unedited(edited)).and_then(|made| {
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
    for id in KINDS.iter().map(|kind| kind.id).chain(ELSEWHERE) {
        assert!(seen.get(id).is_some_and(|n| *n > 1), "{id}: {seen:?}");
    }
}

/// Returns true if a file can store an edit.
fn is_held(kind: &Kind, asset: &Model, native: &Scene, edit: Edit) -> bool {
    let alone = asset.companions().files.is_empty() && (kind.id == "fso" || !native.skeletons.is_empty());
    let weightless = || {
        let skins = native.meshes.iter().filter_map(|m| m.skin.as_ref());
        skins
            .flat_map(|s| (0..s.vertex_count()).map(|v| s.influences(v)))
            .any(|own| !own.is_empty() && own.iter().map(|i| i.weight).sum::<f32>() <= 0.0)
    };
    let lacks = kind.lacks.contains(&edit) || alone && kind.alone.contains(&edit);
    // A vertex with a negative weight cannot be bound again.
    !(lacks || edit == Edit::MeshNew && weightless())
}

/// Names clips without a name by their index.
fn renumbered(mut edited: Scene) -> Scene {
    let made_up = |c: usize| format!("groupified_{c}_anim");
    for (c, clip) in edited.clips.iter_mut().enumerate() {
        if clip.name.starts_with("groupified_") && !clip.name.ends_with("_new") {
            clip.name = made_up(c);
        }
    }
    edited
}

/// Counts the reports of each problem.
fn problems(asset: &Model) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for finding in &asset.check() {
        *all.entry(finding.rule.code.to_string()).or_insert(0) += 1;
    }
    all
}

/// Merges an edit, reads the result again, and returns the files.
fn edited(
    (files, name, asset): (&BTreeMap<String, Vec<u8>>, &str, &Model),
    options: &SceneOptions,
    native: &Scene,
    edited: &Patch,
) -> Result<OutputFiles, String> {
    let made = merged(asset, native, edited)?;
    if let Some(dropped) = made.losses.iter().find(|l| l.code == "original-dropped") {
        return Err(dropped.to_string());
    }
    let mut now = files.clone();
    for file in made.value.iter() {
        now.insert(file.name.clone(), file.bytes.clone());
    }
    let again = open(&now, name).ok_or("it does not open")?;
    let back = again.scene_with(options).map_err(|e| e.to_string())?.value;
    let wanted = renumbered(edited.scene.clone());
    let near = kind(asset.format()).unwrap().near;
    check(native, &wanted, &back, near)?;
    let known = problems(asset);
    // More of the same may have the same problem.
    let more =
        edited.scene.meshes.len() > native.meshes.len() || edited.scene.clips.len() > native.clips.len();
    let new = problems(&again).into_iter().find(|(code, n)| match known.get(code) {
        Some(old) => n > old && !more,
        // The file keeps its name where what it holds has another.
        None if code == "resource-name" => false,
        None => true,
    });
    match new {
        Some((code, n)) => Err(format!("{n} findings {code}")),
        None => Ok(made.value),
    }
}

/// Returns the full dump of a file.
fn dump_file(name: &str, bytes: &[u8]) -> Option<Value> {
    let model = AnyModel::open(bytes, name).ok()?;
    let none = Companions::default();
    let dump = Dump::new(&model, &none, "", &[], &DumpOptions::default()).ok()?;
    serde_json::from_str(&dump.to_json()).ok()
}

/// The fields that differ, without the numbers of records.
fn fields(was: &Value, is: &Value, path: &str, found: &mut BTreeSet<String>) {
    match (was, is) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
                let none = Value::Null;
                let at = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                fields(a.get(key).unwrap_or(&none), b.get(key).unwrap_or(&none), &at, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (a, b) in a.iter().zip(b).filter(|(a, b)| a != b) {
                fields(a, b, path, found);
            }
        }
        (a, b) if a != b => {
            found.insert(path.to_owned());
        }
        _ => {}
    }
}

/// Returns the files that an edit changed.
fn changed(files: &BTreeMap<String, Vec<u8>>, made: &OutputFiles) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for file in made.iter() {
        let Some(old) = files.get(&file.name).filter(|old| **old != file.bytes) else { continue };
        if let (Some(was), Some(is)) = (dump_file(&file.name, old), dump_file(&file.name, &file.bytes)) {
            fields(&was, &is, "", &mut all);
        }
    }
    all
}

/// The fields of bounding boxes and radii.
const AROUND: &[&str] = &["mins", "maxs", "allradius", "yawradius", "radius_squared"];
/// The fields that change if an edit splits a vertex that several shaders or triangles of a ZYM share.
const SPLIT: &[&str] =
    &["vertices", "vertex_count", "texcoords", "triangles", "uvs", "positions", "normals", "origin"];
/// If a clip that shares frames is edited, it gets its own frames, which moves later ones.
const FRAMES: &[&str] = &["clips", "frames", "name", "pose", "poses", "start"];
/// The stream fields of a Crucible chunk; a chunk of 2D positions gets other fields if a vertex leaves the plane.
const STREAMS: &[&str] = &["packed", "attribute", "flag", "size"];

/// Returns the fields that an edit changes: its own, and those that follow from them.
fn follows(edit: Edit) -> Option<Vec<&'static [&'static str]>> {
    Some(match edit {
        // The normal of an edited vertex is stored again, too.
        Edit::Position => vec![&["position", "positions", "origin", "normal"], AROUND, SPLIT, STREAMS],
        Edit::Normal => vec![&["normal", "normals", "bitangent", "position", "positions"], STREAMS],
        Edit::Uv => vec![&["uv", "uvs"], SPLIT, STREAMS],
        Edit::Weight => vec![&["bone", "bones", "influence", "origin"], AROUND, SPLIT, STREAMS],
        // A bone that only turned gets places when it moves.
        Edit::Key => {
            let keys = &["rotations", "translations", "motions", "first_translation", "has_translation"];
            vec![keys, FRAMES, AROUND]
        }
        Edit::JointPlace => {
            vec![&["translation", "position", "positions", "origin", "normals"], FRAMES, AROUND]
        }
        // The children of a bone refer to it by name.
        Edit::JointName => vec![&["name", "parent_name", "parent", "bone"]],
        Edit::MaterialName => vec![&["name", "material", "materials", "material_index"]],
        Edit::ClipName => vec![&["name"]],
        _ => return None,
    })
}

/// Returns the fields of the files that changed, and that do not follow from the edit.
fn others(edit: Edit, files: &BTreeMap<String, Vec<u8>>, made: &OutputFiles) -> Vec<String> {
    let Some(own) = follows(edit) else { return Vec::new() };
    let known = |field: &String| {
        let last = field.rsplit('.').next().unwrap_or(field);
        own.iter().any(|list| list.contains(&last))
    };
    changed(files, made).into_iter().filter(|field| !known(field)).collect()
}

#[test]
fn what_was_edited_is_all_that_is() {
    let mut seen: BTreeMap<(&str, Edit), usize> = BTreeMap::new();
    let mut failures = Failures::default();
    for files in folders(&["framegroups"]) {
        each(&files, |files, name, asset| {
            let Some(kind) = kind(asset.format()) else { return };
            for options in scenes() {
                let Ok(native) = asset.scene_with(&options) else { continue };
                let native = native.value;
                for (edit, seed) in Edit::ALL.iter().chain(Edit::WHOLE).flat_map(|e| [(*e, 0), (*e, 5)]) {
                    if !is_held(kind, asset, &native, edit) {
                        continue;
                    }
                    let Some(scene) = edit.find_patch(&native, seed) else { continue };
                    let made = edited((files, name, asset), &options, &native, &scene);
                    let other = made.as_ref().ok().filter(|_| files[name].len() < 1 << 16);
                    let other = other.map(|made| others(edit, files, made)).unwrap_or_default();
                    failures.note(format!("{} {edit:?}", kind.id), name, made.map(drop));
                    let held = if other.is_empty() { Ok(()) } else { Err(format!("{other:?}")) };
                    failures.note(format!("{} {edit:?} in the file", kind.id), name, held);
                    *seen.entry((kind.id, edit)).or_insert(0) += 1;
                }
            }
        });
    }
    failures.none();
    for Kind { id, .. } in KINDS {
        assert!(seen.keys().any(|(kind, _)| kind == id), "{id}");
    }
}

/// An animation moves bones that lie in another file.
#[test]
fn an_animation_says_which_edits_of_joints_it_does_not_hold() {
    let files = sets().remove(0);
    let name = files.keys().find(|name| name.ends_with(".anim")).unwrap().clone();
    let asset = open(&files, &name).unwrap();
    let native = asset.scene().unwrap().value;
    let dropped = |edited: &Patch| {
        let losses = merged(&asset, &native, edited).unwrap().losses;
        losses.into_iter().find(|loss| loss.code == "joints-dropped").map(|loss| loss.count)
    };
    assert_eq!(dropped(&Patch::unedited(native.clone())), None);
    for edit in [Edit::JointName, Edit::JointPlace, Edit::JointNew] {
        assert_eq!(dropped(&edit.find_patch(&native, 0).unwrap()), Some(1), "{edit:?}");
    }
    assert_eq!(dropped(&Edit::Key.find_patch(&native, 0).unwrap()), None);
}

/// Skeletons and skills that a file of records holds are written into it where they are edited, keys into theirs.
#[test]
fn edited_records_are_written_into_their_file() {
    let tso = testdata().join("tso");
    let names = [("flower.ok.mesh", "a.mesh"), ("flower.ok.cmx", "folk.cmx"), ("sway.ok.cfp", "sway.cfp")];
    let files: BTreeMap<_, _> =
        names.iter().map(|(from, to)| ((*to).to_owned(), fs::read(tso.join(from)).unwrap())).collect();
    let figure = |files: &BTreeMap<String, Vec<u8>>| {
        Model::figure(vec![open(files, "a.mesh").unwrap(), open(files, "folk.cmx").unwrap()]).unwrap()
    };
    let asset = figure(&files);
    let native = asset.scene().unwrap().value;
    assert_eq!((native.clips.len(), native.skeletons[0].joints.len()), (1, 2));
    let mut seen = BTreeSet::new();
    for (edit, seed) in
        [Edit::Position, Edit::Key, Edit::JointPlace].into_iter().flat_map(|e| (0..6).map(move |s| (e, s)))
    {
        let Some(edited) = edit.find_patch(&native, seed) else { continue };
        let made = merged(&asset, &native, &edited).unwrap();
        let mut names: Vec<_> = made.value.iter().map(|file| file.name.as_str()).collect();
        names.sort_unstable();
        let other = |name: &&str| {
            let file = made.value.iter().find(|file| file.name == *name).unwrap();
            files.get(*name) != Some(&file.bytes)
        };
        assert!(names.iter().all(|name| *name == "a.mesh" || other(name)), "{edit:?}: {names:?}");
        let known = |name: &&str| files.contains_key(*name);
        assert!(names.iter().all(known), "{edit:?}: {names:?}");
        seen.extend(
            names.iter().filter(|name| other(name)).map(|name| (format!("{edit:?}"), (*name).to_owned())),
        );
        let mut now = files.clone();
        now.extend(made.value.iter().map(|file| (file.name.clone(), file.bytes.clone())));
        let back = figure(&now).scene().unwrap().value;
        check(&native, &edited.scene, &back, SIMS).unwrap_or_else(|e| panic!("{edit:?}: {e}"));
    }
    let wrote = |edit: &str, name: &str| seen.contains(&(edit.to_owned(), name.to_owned()));
    assert!(wrote("Position", "a.mesh") && !wrote("Position", "folk.cmx"), "{seen:?}");
    assert!(wrote("Key", "sway.cfp") && wrote("JointPlace", "folk.cmx"), "{seen:?}");
}
