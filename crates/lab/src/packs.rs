//! Packs and game folders of a corpus, held against what independent writers and an engine say of them: what packs hold
//! (`packs/listing.json`), who hides whom (`overrides.json`), which pictures the meshes of a model have (`materials.json`),
//! and what becomes of broken packs (cases of `malformed/cases.json` that name an `entry`).

use crate::json::{array, list, parse, text};
use meshwright::files::{FilesError, Tree, TreePath};
use meshwright::{AssetError, Budget, Finder, Limits, OpenOptions, Surface, SurfaceStatus};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// Takes what came of a check: what was checked, of what, and why it failed.
type Record<'r> = dyn FnMut(&str, &str, Result<(), String>) + 'r;

/// Everything that a corpus says of packs.
pub(crate) fn check(dir: &Path, record: &mut Record<'_>) -> Result<(), String> {
    let packs = dir.join("packs");
    for (file, what, run) in [
        ("listing.json", "packs", listing as fn(&Path, &str, &Value) -> Result<(), String>),
        ("overrides.json", "overrides", overrides),
    ] {
        for (name, expected) in entries(&packs.join(file))? {
            record(what, &name, run(&packs, &name, &expected));
        }
    }
    for (set, expected) in entries(&packs.join("materials.json"))? {
        materials(&packs, &set, &expected, record);
    }
    let cases = dir.join("malformed/cases.json");
    for case in if cases.is_file() { list(&cases)? } else { Vec::new() } {
        if case.get("entry").is_some_and(Value::is_string) {
            record("broken packs", &text(&case, "file"), malformed(dir, &case));
        }
    }
    Ok(())
}

/// The members of a document, where there is one.
fn entries(path: &Path) -> Result<Map<String, Value>, String> {
    match path.is_file().then(|| parse(path)).transpose()? {
        Some(Value::Object(map)) => Ok(map),
        Some(_) => Err(format!("{}: is no object", path.display())),
        None => Ok(Map::new()),
    }
}

fn budget() -> Budget {
    Budget::new(Limits::default())
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:?}, not {expected:?}")) }
}

/// All files of a tree, sorted.
fn walked(tree: &Tree) -> Result<Vec<String>, String> {
    let walk = tree.walk().files.into_iter();
    let files: Result<Vec<String>, _> = walk.map(|file| file.map(|path| path.to_string())).collect();
    let mut files = files.map_err(|(path, e)| format!("{path}: {e}"))?;
    files.sort();
    Ok(files)
}

fn held(tree: &Tree, name: &str, file: &Value) -> Result<(), String> {
    let bytes = tree.read(name, &budget()).map_err(|e| format!("{name}: {e}"))?;
    same(name, hash(&bytes), text(file, "sha256"))?;
    let head = tree.read_head(name, 7, &budget()).map_err(|e| format!("{name}: {e}"))?;
    same(name, head.as_slice(), bytes.get(..7).unwrap_or(bytes.as_ref()))
}

fn listing(packs: &Path, pack: &str, files: &Value) -> Result<(), String> {
    let tree = Tree::file(packs.join(pack)).map_err(|e| e.to_string())?;
    let files = files.as_object().ok_or("lists nothing")?;
    let mut expected: Vec<_> = files.keys().cloned().collect();
    expected.sort();
    same("files", walked(&tree)?, expected)?;
    files.iter().try_for_each(|(name, file)| held(&tree, name, file))?;
    let (_, opened) = tree.packs().next().ok_or("is no pack")?;
    let report = opened.map_err(|e| e.to_string())?.check(&budget());
    same("findings", report.findings().len(), 0)
}

/// Folders and packs over each other, as they are listed: `base + mod`.
fn layered(packs: &Path, sources: impl Iterator<Item = String>) -> Result<Tree, String> {
    let open = |source: String| {
        let path = packs.join(source);
        if path.is_dir() { Tree::open(path) } else { Tree::file(path) }
    };
    let trees: Result<Vec<_>, FilesError> = sources.map(open).collect();
    Ok(Tree::layered(trees.map_err(|e| e.to_string())?))
}

fn overrides(packs: &Path, folders: &str, files: &Value) -> Result<(), String> {
    let tree = layered(packs, folders.split(" + ").map(str::to_owned))?;
    let files = files.as_object().ok_or("lists nothing")?;
    for (name, file) in files {
        let stored = text(file, "stored_as");
        let found = tree.find(&*name.to_lowercase()).map_err(|e| e.to_string())?;
        same(name, found.as_ref().map(TreePath::to_string), Some(stored.clone()))?;
        let from = found.and_then(|found| tree.shown_path(found));
        let expected = packs.join(text(file, "source")).join(stored);
        same(name, from, Some(expected))?;
        held(&tree, name, file)?;
    }
    same("files", walked(&tree)?.len(), files.len())
}

fn materials(packs: &Path, set: &str, expected: &Value, record: &mut Record<'_>) {
    let sources = array(expected, "sources").iter().filter_map(|s| s.as_str().map(str::to_owned));
    let finder = match layered(packs, sources) {
        Ok(tree) => Finder::new(tree),
        Err(e) => return record("surfaces", set, Err(e)),
    };
    for (model, expected) in expected.get("models").and_then(Value::as_object).into_iter().flatten() {
        for (n, skin) in (0_u32..).zip(array(expected, "skins")) {
            let name = format!("{set}/{model} in skin {n}");
            record("surfaces", &name, skin_of(&finder, model, n, skin));
        }
    }
}

fn skin_of(finder: &Finder, model: &str, n: u32, expected: &Value) -> Result<(), String> {
    let options = OpenOptions::default();
    let asset = finder.open(model, &options).map_err(|e| e.to_string())?;
    let found = finder.surfaces(&asset, n, &options).map_err(|e| e.to_string())?;
    let file = expected.get("file").and_then(Value::as_str).map(str::to_owned);
    same("skin", found.skin.as_ref().map(TreePath::to_string), file)?;
    let meshes = array(expected, "meshes");
    same("meshes", found.surfaces.len(), meshes.len())?;
    found.surfaces.iter().zip(meshes).try_for_each(|(surface, mesh)| row(surface, mesh))
}

fn row(surface: &Surface, expected: &Value) -> Result<(), String> {
    let own = |key: &str| expected.get(key).and_then(Value::as_str).map(str::to_owned);
    let at = &surface.mesh;
    same(at, Some(at.clone()), own("mesh"))?;
    same(at, surface.name.clone(), own("name").unwrap_or_default())?;
    let status = match surface.status {
        SurfaceStatus::Found => "found",
        SurfaceStatus::Missing => "missing",
        SurfaceStatus::NotDrawn => "nodraw",
        SurfaceStatus::Untextured => "untextured",
        SurfaceStatus::Sky => "sky",
        _ if own("status").as_deref() == Some("no-map") => "no-map",
        _ => "builtin",
    };
    same(at, Some(status.to_owned()), own("status"))?;
    same(at, surface.image.as_ref().map(TreePath::to_string), own("image"))?;
    let companions =
        surface.companions.iter().map(|(kind, path)| ((*kind).to_owned(), path.to_string().into()));
    let listed = expected.get("companions").and_then(Value::as_object).cloned().unwrap_or_default();
    same(at, companions.collect::<Map<String, Value>>(), listed)?;
    let frames = array(expected, "frames").iter().map(|frame| frame.as_str().map(str::to_owned));
    let own_frames = surface.frames.iter().map(|frame| frame.as_ref().map(TreePath::to_string));
    same(at, own_frames.collect::<Vec<_>>(), frames.collect())?;
    let shader = expected.get("shader").map(|shader| text(shader, "file"));
    same(at, surface.shader.as_ref().map(|(_, file)| file.to_string()), shader)?;
    let stage = expected.get("layer").and_then(Value::as_u64);
    same(at, surface.stage.map(|stage| stage as u64), stage)
}

fn malformed(dir: &Path, case: &Value) -> Result<(), String> {
    let (file, code, expect) = (text(case, "file"), text(case, "code"), text(case, "expect"));
    let (opened, codes) = open(&dir.join(&file), &text(case, "entry"));
    match (expect.as_str(), opened) {
        ("reject", Ok(())) => Err(format!("{code} expected: it opens")),
        // The pack is sound, and what is in it is refused by its first bytes.
        ("reject", Err(AssetError::Model { error, .. })) => same("code", error.code(), code.as_str()),
        ("reject", Err(AssetError::Files(FilesError::Pack { error, .. }))) => {
            same("code", error.code(), code.as_str())
        }
        ("reject", Err(AssetError::Files(FilesError::NotFound { .. } | FilesError::BadPath { .. })))
            if code == "not-found" || codes.contains(&code) =>
        {
            Ok(())
        }
        (_, Err(e)) => Err(format!("{expect} {code}: {e}")),
        ("warn", Ok(())) if !codes.contains(&code) => Err(format!("{code} expected: {codes:?}")),
        ("accept", Ok(())) if !codes.is_empty() => Err(format!("nothing expected: {codes:?}")),
        (_, Ok(())) => Ok(()),
    }
}

/// Opens a pack and a model in it, and the codes of all that is odd about the pack.
fn open(path: &Path, entry: &str) -> (Result<(), AssetError>, Vec<String>) {
    let tree = match Tree::file(path) {
        Ok(tree) => tree,
        Err(e) => return (Err(e.into()), Vec::new()),
    };
    let mut codes = Vec::new();
    for (_, pack) in tree.packs() {
        let Ok(pack) = pack else { continue };
        codes.extend(pack.report().totals().map(|(code, ..)| code.to_owned()));
        codes.extend(pack.check(&budget()).totals().map(|(code, ..)| code.to_owned()));
    }
    let opened = Finder::new(tree).open(entry, &OpenOptions::default());
    (opened.map(drop), codes)
}
