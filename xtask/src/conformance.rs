//! `xtask conformance [DIR] [FORMAT...]`: a folder of models held against what independent readers say of them.
//!
//! With a `manifest.json` every file is read strictly, validated, rewritten byte for byte, compared with its
//! reference dump, exported to GLB and played back from the GLB alone; every case of `malformed/cases.json` is
//! answered as it says. Without one, whatever is found is read, validated and rewritten.

use crate::compare;
use meshwright::dump::Dump;
use meshwright::gltf::{self, ExportOptions, playback::Player};
use meshwright::rig::Evaluator;
use meshwright::scene::{Motion, Scene, SceneOptions};
use meshwright::{AnyModel, Companions, Format, ReadOptions, Severity, detect};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const MEMORY: u64 = 1 << 30;

#[derive(Default)]
struct Tally {
    passed: BTreeMap<String, u32>,
    failures: Vec<String>,
}

impl Tally {
    fn record(&mut self, what: &str, name: &str, result: Result<(), String>) {
        match result {
            Ok(()) => *self.passed.entry(what.to_owned()).or_insert(0) += 1,
            Err(e) => self.failures.push(format!("{what}: {name}: {e}")),
        }
    }
}

pub(crate) fn run(root: &Path, args: &[String]) -> Result<(), String> {
    let dir = args.first().map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    if args.is_empty() && !dir.is_dir() {
        eprintln!("no corpus beside the project: nothing to compare with");
        return Ok(());
    }
    let wanted = |format: &str| args.len() < 2 || args[1..].iter().any(|a| format.starts_with(a.as_str()));
    let mut tally = Tally::default();
    if dir.join("manifest.json").is_file() {
        for entry in list(&dir.join("manifest.json"))? {
            let format = text(&entry, "format");
            if wanted(&format) {
                corpus_file(&dir, &entry, &mut tally);
            }
        }
        let cases = dir.join("malformed/cases.json");
        for case in if cases.is_file() { list(&cases)? } else { Vec::new() } {
            if wanted(&text(&case, "format")) && known(&dir.join(text(&case, "file"))) {
                let name = text(&case, "file");
                tally.record("malformed", &name, malformed(&dir, &case));
            }
        }
    } else {
        for path in crate::fixtures::walk(&dir).map_err(|e| e.to_string())? {
            let (name, bytes) = (path.display().to_string(), read(&path)?);
            let Some(found) = detect(&bytes, path.file_name().and_then(|n| n.to_str())) else { continue };
            if wanted(found.format.id()) {
                tally.record("rewrite", &name, rewrite(&bytes, found.format).map(drop));
            }
        }
    }
    for (what, n) in &tally.passed {
        println!("{what:<12} {n:5} passed");
    }
    if tally.failures.is_empty() {
        return Ok(());
    }
    Err(format!("{} failures\n{}", tally.failures.len(), tally.failures.join("\n")))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

pub(crate) fn list(path: &Path) -> Result<Vec<Value>, String> {
    let value: Value =
        serde_json::from_slice(&read(path)?).map_err(|e| format!("{}: {e}", path.display()))?;
    // A list, or a document that holds one.
    let found = match value {
        Value::Array(list) => Some(list),
        Value::Object(map) => {
            map.into_iter().find_map(|(_, v)| if let Value::Array(l) = v { Some(l) } else { None })
        }
        _ => None,
    };
    found.ok_or_else(|| format!("{}: holds no list", path.display()))
}

pub(crate) fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// True for a file whose extension this build reads.
pub(crate) fn known(path: &Path) -> bool {
    path.file_name().and_then(|n| n.to_str()).is_some_and(|n| Format::from_name(n).is_some())
}

/// A model read strictly, without errors, and written again.
fn rewrite(bytes: &[u8], format: Format) -> Result<AnyModel, String> {
    let model = AnyModel::parse(bytes, format, &ReadOptions::default()).map_err(|e| e.to_string())?.model;
    if let Some(e) = model.validate().findings().iter().find(|f| f.severity == Severity::Error) {
        return Err(format!("validation: {e}"));
    }
    let written = model.to_bytes().map_err(|e| e.to_string())?;
    if written == bytes {
        Ok(model)
    } else {
        Err(format!("the rewrite differs\n{}", meshwright_testkit::hex_diff(bytes, &written)))
    }
}

/// A model with the companions that the manifest names.
pub(crate) struct Loaded {
    pub name: String,
    pub model: AnyModel,
    pub companions: Companions,
}

pub(crate) fn load(dir: &Path, entry: &Value) -> Result<(Loaded, Vec<u8>), String> {
    let name = text(entry, "file");
    let path = dir.join(&name);
    let bytes = read(&path)?;
    let file_name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
    let found = detect(&bytes, Some(&file_name)).ok_or("not detected")?;
    let model = rewrite(&bytes, found.format)?;
    let mut companions = Companions::default();
    for companion in entry.get("companions").and_then(Value::as_array).into_iter().flatten() {
        let companion = companion.as_str().unwrap_or_default();
        let bytes = read(&dir.join(companion))?;
        for (kind, _) in model.companion_names(&file_name) {
            companions.add(kind, &bytes, &ReadOptions::default()).map_err(|e| format!("{companion}: {e}"))?;
        }
    }
    Ok((Loaded { name, model, companions }, bytes))
}

fn corpus_file(dir: &Path, entry: &Value, tally: &mut Tally) {
    let name = text(entry, "file");
    if !known(&dir.join(&name)) {
        return;
    }
    let (loaded, bytes) = match load(dir, entry) {
        Ok(loaded) => loaded,
        Err(e) => return tally.record("rewrite", &name, Err(e)),
    };
    tally.record("rewrite", &name, Ok(()));
    let expected = text(entry, "expected");
    if !expected.is_empty() {
        tally.record("dump", &name, dump(&loaded, &bytes, &dir.join(expected)));
    }
    match scene(&loaded) {
        Ok(scene) => tally.record("playback", &name, playback(&scene)),
        Err(e) => tally.record("playback", &name, Err(e)),
    }
}

fn dump(loaded: &Loaded, bytes: &[u8], expected: &Path) -> Result<(), String> {
    let expected: Value = serde_json::from_slice(&read(expected)?).map_err(|e| e.to_string())?;
    if expected.get("meshes").is_none() {
        return Ok(());
    }
    let poses = compare::poses(&expected);
    let dump = Dump::new(&loaded.model, &loaded.companions, &loaded.name, bytes, &poses, MEMORY)
        .map_err(|e| e.to_string())?;
    compare::dumps(&dump, &expected)
}

pub(crate) fn scene(loaded: &Loaded) -> Result<Scene, String> {
    let options = SceneOptions::default().with_memory(MEMORY);
    let scene =
        loaded.model.to_scene("model", &loaded.companions, &options).map_err(|e| e.to_string())?.value;
    scene.validate().map_err(|e| format!("the scene is broken: {e}"))?;
    Ok(scene)
}

/// Vertices evaluated from the GLB alone equal the native evaluation within 1e-5 of the extent, at the first,
/// the last and some frames between of every clip.
fn playback(scene: &Scene) -> Result<(), String> {
    let options = ExportOptions::default().with_influences(gltf::Influences::All).with_memory(MEMORY);
    let exported = gltf::export(scene, &options).map_err(|e| e.to_string())?.value;
    let player = Player::new(&exported.to_glb()).map_err(|e| e.to_string())?;
    let mut native = Evaluator::new(scene).map_err(|e| e.to_string())?;
    let placed = scene.drawn().ok_or("the nodes form a cycle")?;
    let points: Vec<_> = placed
        .iter()
        .flat_map(|(_, mesh, place)| scene.meshes[mesh.0].positions.iter().map(|p| place.point(*p)))
        .collect();
    let tolerance = 1e-5 * compare::extent(points.iter());
    let mut times = vec![None];
    for (i, clip) in scene.clips.iter().enumerate() {
        let keyed = match &clip.motion {
            Motion::Poses { .. } => 12,
            Motion::Tracks(_) => 40,
        };
        let step = (clip.frames as usize).div_ceil(keyed).max(1);
        let frames = (0..clip.frames).step_by(step).chain(clip.frames.checked_sub(1));
        times.extend(frames.map(|f| Some((i, f))));
    }
    for at in times {
        native.pose(at.map(|(clip, frame)| (clip, f64::from(frame)))).map_err(|e| e.to_string())?;
        let played = match at {
            None => player.evaluate(None, 0.0),
            Some((clip, frame)) => {
                let animation = exported.clip_sources().iter().position(|c| *c == clip);
                #[expect(clippy::cast_possible_truncation, reason = "glTF has 32-bit times")]
                let time = (f64::from(frame) / f64::from(scene.clips[clip].rate)) as f32;
                player.evaluate(animation, time)
            }
        };
        compare::playback(scene, &exported, &native, &played, tolerance)
            .map_err(|e| format!("at {at:?}: {e}"))?;
    }
    Ok(())
}

fn malformed(dir: &Path, case: &Value) -> Result<(), String> {
    let path = dir.join(text(case, "file"));
    let bytes = read(&path)?;
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let expect = text(case, "expect");
    // Some hostile files cannot be told by content; then the name does.
    let found =
        Format::from_name(name).map(|format| AnyModel::parse(&bytes, format, &ReadOptions::default()));
    let result = found.ok_or("no format")?;
    match (expect.as_str(), result) {
        ("reject", Ok(parsed)) => {
            // A companion may be what is malformed.
            match companions_of(&path, &parsed.model) {
                Err(_) => Ok(()),
                Ok(companions) => match parsed.model.to_scene("", &companions, &SceneOptions::default()) {
                    Err(_) => Ok(()),
                    Ok(_) => Err("must be refused".into()),
                },
            }
        }
        ("reject", Err(e)) if e.offset() <= bytes.len() as u64 => Ok(()),
        ("reject", Err(e)) => Err(format!("offset outside the file: {e}")),
        (_, Err(e)) => Err(format!("must open: {e}")),
        ("warn", Ok(parsed)) => {
            let companions = companions_of(&path, &parsed.model)?;
            if parsed.model.validate().is_empty() && companions.validate().is_empty() {
                Err("must have a finding".into())
            } else {
                Ok(())
            }
        }
        (_, Ok(_)) => Ok(()),
    }
}

fn companions_of(path: &Path, model: &AnyModel) -> Result<Companions, String> {
    let mut companions = Companions::default();
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    for (kind, name) in model.companion_names(name) {
        let beside = path.with_file_name(name);
        if beside.is_file() {
            companions.add(kind, &read(&beside)?, &ReadOptions::default()).map_err(|e| e.to_string())?;
        }
    }
    Ok(companions)
}
