//! Models exported to glTF and imported without an edit are unchanged in every format. Embedded originals give the same
//! bytes again.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

use meshwright::edit::{Absent, Options, Original, Patch, Snap};
use meshwright::files::{Tree, TreePath};
use meshwright::gltf::{ExportOptions, GltfFile, export, reread};
use meshwright::scene::{Budget, Limits, SceneOptions};
use meshwright::{
    AnyModel, Companions, Keeping, Model, NamedFile, Opener, Original as Kept, PartRole, ReadOptions,
    RecoverOptions, Role, Target, WriteOptions, convert,
};
use meshwright_testkit::testdata;
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

/// Exports a model and imports it; `None` if it has no scene by itself.
pub(crate) fn returns(path: &Path) -> Option<()> {
    let name = path.file_name()?.to_str()?;
    let model = AnyModel::open(&fs::read(path).unwrap(), name).ok()?;
    let stem = name.split('.').next()?;
    let native = model.to_scene(stem, &Companions::default(), &SceneOptions::default()).ok()?.value;
    let options = ExportOptions::default();
    let glb = export(&native, &options).ok()?.value.to_glb();
    let edited = GltfFile::parse(&glb).unwrap().import(stem, None).unwrap().0.value.scene;
    let exported = reread(&native, &options).unwrap();
    let original = Original { native: &native, exported: &exported };
    let budget = Budget::new(Limits::default());
    let how = Options::new(Snap::Default, Absent::Gone);
    let Patch { scene: back, report, .. } = Patch::find(&edited, &original, &how, &budget).unwrap();
    assert!(report.is_untouched(), "{}: {report:?}", path.display());
    // NaN is not equal to itself.
    assert!(back == native || format!("{back:?}") == format!("{native:?}"), "{}", path.display());
    Some(())
}

/// Returns the companion files of an asset without textures, by the names of the files.
fn companion_files(asset: &Model, tree: &Tree) -> BTreeMap<String, Vec<u8>> {
    let parts = asset.parts().iter().filter(|part| part.took_part());
    let parts = parts.filter(|part| matches!(part.role, PartRole::Model | PartRole::Companion(_)));
    let read = |path: &TreePath| tree.read(path, &Budget::new(Limits::default())).unwrap().into_owned();
    parts.filter_map(|part| Some((text(part.path.as_ref()?), read(part.path.as_ref()?)))).collect()
}

fn text(path: &TreePath) -> String {
    String::from_utf8_lossy(path.name()).into_owned()
}

/// Returns the exported document with the embedded asset, or `None` if the asset has no scene.
fn sent(asset: &Model, options: &ExportOptions) -> Option<Model> {
    asset.scene().ok()?;
    let record = asset.record(&Keeping::default().exported(*options)).unwrap();
    let write = WriteOptions::default().with_stem(asset.stem()).with_kept(record).with_gltf(*options);
    let scene = asset.scene().unwrap().value;
    let glb = convert(&scene, Target::Glb, &write).ok()?.value.into_iter().next().unwrap().bytes;
    let name = format!("{}.glb", asset.stem());
    Some(Opener::new().open_bytes(&name, glb, []).unwrap())
}

/// Returns the restored files of an unedited asset, by name.
fn back(asset: &Model, sent: &Model) -> BTreeMap<String, Vec<u8>> {
    let at = asset.path();
    let kept = Kept::kept_in(sent, &Default::default());
    let original = kept.unwrap().unwrap_or_else(|| panic!("{at}: nothing is kept"));
    let recovered = original.recover(sent, &RecoverOptions::default()).unwrap();
    assert!(recovered.is_untouched(), "{at}: {:?}", recovered.patch.report);
    let target = Target::Native(asset.format());
    let files = original.write(&recovered, target, &text(at), &WriteOptions::default()).unwrap().value;
    let count = files.len();
    let files: BTreeMap<_, _> = files.into_iter().map(|file| (file.name, file.bytes)).collect();
    assert_eq!(files.len(), count, "{at}: two files of one name");
    files
}

/// Exports a model with the embedded original and imports it. Compares every file that was opened, by name.
pub(crate) fn is_kept(path: &Path, options: &ExportOptions) -> Option<()> {
    let open = Opener::new();
    let tree = Tree::open(path).unwrap();
    let asset = open.open_in(&tree, tree.start()?).ok()?;
    let edited = sent(&asset, options)?;
    same(&back(&asset, &edited), &companion_files(&asset, &tree), path);
    Some(())
}

fn same(files: &BTreeMap<String, Vec<u8>>, wanted: &BTreeMap<String, Vec<u8>>, path: &Path) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(files), names(wanted), "{}", path.display());
    for (name, bytes) in files {
        assert!(bytes == &wanted[name], "{}: {name} is another", path.display());
    }
}

/// Returns the same for several files that form one character; `None` if they do not fit each other. Another skeleton may
/// replace one that the search found.
pub(crate) fn figure_is_kept(paths: &[PathBuf]) -> Option<()> {
    let open = Opener::new();
    let (mut assets, mut all) = (Vec::new(), BTreeMap::new());
    for path in paths {
        let tree = Tree::open(path).unwrap();
        let asset = open.open_in(&tree, tree.start()?).ok()?;
        all.extend(companion_files(&asset, &tree));
        assets.push(asset);
    }
    let figure = Model::figure(assets).ok()?;
    let edited = sent(&figure, &ExportOptions::default())?;
    let files = back(&figure, &edited);
    let given = |name: &str| paths.iter().any(|path| path.file_name().unwrap() == name);
    let bones = |name: &str| [".skel", ".cmx", ".bcf", ".cskel"].iter().any(|end| name.ends_with(end));
    all.retain(|name, _| given(name) || !bones(name) || files.contains_key(name));
    same(&files, &all, Path::new(&*figure.path().text()));
    Some(())
}

const FAMILIES: [&str; 8] = ["bmd", "crucible", "dpm", "fsomodel", "iqm", "tso", "ts1", "zym"];

pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(folder) else { return Vec::new() };
    found.map(|e| e.unwrap().path()).filter(|p| p.is_file()).collect()
}

pub(crate) fn count(root: &Path, test: impl Fn(&Path) -> Option<()>) -> usize {
    let all = FAMILIES.iter().flat_map(|family| files(&root.join(family)));
    all.filter_map(|path| test(&path)).count()
}

#[test]
fn fixtures_that_were_not_edited_are_untouched() {
    assert!(count(&testdata(), returns) > 50);
}

#[test]
fn fixtures_that_went_along_come_back_as_they_were() {
    let plain = ExportOptions::default();
    assert!(count(&testdata(), |path| is_kept(path, &plain)) > 50);
    let other = plain.with_close_loops(true).with_frames_at(NonZeroU16::new(24));
    assert!(count(&testdata(), |path| is_kept(path, &other)) > 50);
}

/// The files of a character are restored, whatever their names: files of records unchanged, with the keys of their
/// skills.
#[test]
fn figures_that_went_along_come_back_as_they_were() {
    let root = testdata();
    let figures: [&[&str]; 10] = [
        &["tso/flower.ok.mesh", "tso/flower.ok.skel", "tso/sway.ok.anim"],
        &["tso/flower.ok.mesh", "tso/flag.ok.mesh", "tso/flower.ok.skel"],
        &["tso/flag.ok.skn", "tso/flower.ok.cmx"],
        &["tso/flag.ok.skn", "tso/plain.ok.cmx"],
        &["tso/flag.ok.bmf", "tso/blank.ok.cmx", "tso/flower.ok.bnd"],
        &["tso/flag.ok.skn", "tso/flower.ok.bcf"],
        &["tso/flag.ok.skn", "tso/flag.ok.bmf", "tso/flower.ok.bcf"],
        &["tso/flower.ok.skel", "tso/sway.ok.anim"],
        &["tso/sway.ok.anim", "tso/flower.ok.skel"],
        &["crucible/weights.ok.cmesh", "crucible/lighthouse.ok.cskel"],
    ];
    let paths = |files: &[&str]| files.iter().map(|file| root.join(file)).collect::<Vec<_>>();
    let kept = figures.iter().filter_map(|files| figure_is_kept(&paths(files)));
    assert_eq!(kept.count(), figures.len());
}

/// A companion that the user named keeps its own name.
#[test]
fn named_companions_come_back_under_their_names() {
    let pairs = [
        (Role::Clips, "dpm/hopper.ok.dpm", "dpm/hopper.ok.dpm.framegroups", "moves.framegroups"),
        (Role::Clips, "dpm/pair.ok.zym", "dpm/hopper.ok.dpm.framegroups", "moves.framegroups"),
        (Role::Metadata, "fsomodel/pairs/fighter.ok.fom", "fsomodel/pairs/fighter.ok.json", "ship.json"),
        (Role::Skeleton, "crucible/weights.ok.cmesh", "crucible/lighthouse.ok.cskel", "bones.cskel"),
        (Role::Skeleton, "tso/flag.ok.skn", "tso/flower.ok.cmx", "folk.cmx"),
        (Role::Animation, "tso/flower.ok.mesh", "tso/sway.ok.anim", "wave.7c8b5a1e00000007.anim"),
    ];
    for (role, model, companion, name) in pairs {
        let [bytes, beside] = [model, companion].map(|path| fs::read(testdata().join(path)).unwrap());
        let skeleton = fs::read(testdata().join("tso/flower.ok.skel")).unwrap();
        let mut open = Opener::new().named(NamedFile::new(role, name, beside.clone()));
        let own = model.rsplit('/').next().unwrap();
        let mut wanted = BTreeMap::from([(own.to_owned(), bytes.clone()), (name.to_owned(), beside)]);
        if role == Role::Animation {
            open = open.named(NamedFile::new(Role::Skeleton, "a.skel", skeleton.clone()));
            wanted.insert("a.skel".into(), skeleton);
        }
        let asset = open.open_bytes(own, bytes, []).unwrap();
        let edited = sent(&asset, &ExportOptions::default()).unwrap();
        same(&back(&asset, &edited), &wanted, Path::new(model));
    }
}

/// Faults that a lenient reader accepted are restored too, though no writer would write them.
#[test]
fn broken_companions_come_back_as_they_were() {
    let [bytes, sound] =
        ["tso/flower.ok.mesh", "tso/flower.ok.skel"].map(|path| fs::read(testdata().join(path)).unwrap());
    let broken = [sound.as_slice(), b"more"].concat();
    let open = Opener::from(ReadOptions::lenient());
    let open = open.named(NamedFile::new(Role::Skeleton, "old.skel", broken.clone()));
    let asset = open.open_bytes("a.mesh", bytes.clone(), []).unwrap();
    let edited = sent(&asset, &ExportOptions::default()).unwrap();
    let wanted = BTreeMap::from([("a.mesh".to_owned(), bytes), ("old.skel".to_owned(), broken)]);
    same(&back(&asset, &edited), &wanted, Path::new("a.mesh"));
}
