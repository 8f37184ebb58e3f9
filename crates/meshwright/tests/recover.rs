//! Models that went out as glTF and came back without an edit are untouched, whatever their format, and those that went
//! along come back as the same bytes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a failing test panics")]

use meshwright::files::Tree;
use meshwright::gltf::{ExportOptions, GltfFile, export, reread};
use meshwright::scene::recover::{Absent, Options, Original, Snap, recover};
use meshwright::scene::{Budget, Limits, SceneOptions};
use meshwright::{
    AnyModel, Asset, Companions, Keeping, OpenOptions, Original as Kept, RecoverOptions, Target,
    WriteOptions, convert,
};
use meshwright_testkit::{corpus, testdata};
use std::fs;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

/// Sends a model out and back; nothing where it cannot be shown by itself.
fn returns(path: &Path) -> Option<()> {
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
    let (back, report) = recover(&edited, &original, &how, &budget).unwrap();
    assert!(report.is_untouched(), "{}: {report:?}", path.display());
    // Numbers that are none are not equal to themselves.
    assert!(back == native || format!("{back:?}") == format!("{native:?}"), "{}", path.display());
    Some(())
}

/// Sends a model out with itself along, and takes it back: the same bytes, companions included.
fn is_kept(path: &Path, options: &ExportOptions) -> Option<()> {
    let open = OpenOptions::default();
    let tree = Tree::open(path).unwrap();
    let asset = Asset::open(&tree, &tree.start()?.text(), &open).ok()?;
    let format = asset.format();
    let (bytes, stem) = (asset.bytes().to_vec(), asset.stem());
    let scene = asset.to_scene(&SceneOptions::default()).ok()?.value;
    let beside = asset.companions().files.len();
    let record = asset.record(&Keeping::new(&open).exported(*options)).unwrap();
    let mut write = WriteOptions::default().with_stem(&stem).with_kept(record);
    write.gltf = *options;
    let glb = convert(&scene, Target::Glb, &write).ok()?.value.into_iter().next().unwrap().bytes;
    let name = format!("{stem}.glb");
    let tree = Tree::memory([(name.as_str(), glb)]).unwrap();
    let edited = Asset::open(&tree, &name, &OpenOptions::default()).unwrap();
    let kept = Kept::kept_in(&edited, &OpenOptions::default().settings);
    let original = kept.unwrap().unwrap_or_else(|| panic!("{}: nothing is kept", path.display()));
    let recovered = original.recover(&edited, &RecoverOptions::default()).unwrap();
    assert!(recovered.is_untouched(), "{}: {:?}", path.display(), recovered.report);
    let target = Target::Native(format);
    let files = original.write(&recovered, target, "x.bin", &WriteOptions::default()).unwrap().value;
    let files: Vec<_> = files.into_iter().collect();
    assert!(files[0].bytes == bytes, "{}", path.display());
    assert!(files.len() > beside, "{}", path.display());
    Some(())
}

const FAMILIES: [&str; 8] = ["bmd", "crucible", "dpm", "fsomodel", "iqm", "tso", "ts1", "zym"];

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(folder) else { return Vec::new() };
    found.map(|e| e.unwrap().path()).filter(|p| p.is_file()).collect()
}

fn count(root: &Path, test: impl Fn(&Path) -> Option<()>) -> usize {
    let all = FAMILIES.iter().flat_map(|family| files(&root.join(family)));
    all.filter_map(|path| test(&path)).count()
}

#[test]
fn fixtures_that_were_not_edited_are_untouched() {
    assert!(count(&testdata(), returns) > 50);
}

#[test]
fn real_models_that_were_not_edited_are_untouched() {
    let Some(root) = corpus() else { return eprintln!("no corpus beside the project") };
    assert!(count(&root, returns) > 90);
}

#[test]
fn fixtures_that_went_along_come_back_as_they_were() {
    let plain = ExportOptions::default();
    assert!(count(&testdata(), |path| is_kept(path, &plain)) > 50);
    let other = plain.with_close_loops(true).with_frames_at(NonZeroU16::new(24));
    assert!(count(&testdata(), |path| is_kept(path, &other)) > 50);
}

#[test]
fn real_models_that_went_along_come_back_as_they_were() {
    let Some(root) = corpus() else { return eprintln!("no corpus beside the project") };
    assert!(count(&root, |path| is_kept(path, &ExportOptions::default())) > 90);
}
