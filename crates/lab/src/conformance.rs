//! `xtask conformance DIR [FORMAT...]`: checks the library with a folder of models.
//!
//! Every file is read strictly, validated, rewritten byte for byte, converted to a scene and back, exported to GLB
//! and played only from the GLB, and its kernels are compared with an evaluation in 64 bits. A `manifest.json` lists
//! files that belong together. If the name of a file has a word like a fixture's (`quad.ok.dpm`), the word states the
//! expected result. Results of other readers are compared through the program's commands: see `xtask/conformance/`.

use crate::json::{array, list, parse, read, text};
use crate::loaded_model::Loaded;
use crate::{compare, kernels, returns, samples};
use lexopt::{Arg, Parser};
use meshwright::files::PackKind;
use meshwright::gltf::{self, ExportOptions, playback::Player};
use meshwright::rig::{Evaluator, Precision};
use meshwright::scene::{ConvertError, Motion, Scene, SceneOptions, Space};
use meshwright::{AnyModel, Companions, Format, ReadError, ReadSettings, Role, Severity, Stream, detect};
use meshwright_testkit::Expect;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const MEMORY: u64 = 1 << 30;

#[derive(Default)]
struct Tally {
    passed: BTreeMap<String, u32>,
    failures: Vec<String>,
    returned: returns::Table,
}

impl Tally {
    fn record(&mut self, what: &str, name: &str, result: Result<(), String>) {
        match result {
            Ok(()) => *self.passed.entry(what.to_owned()).or_insert(0) += 1,
            Err(e) => self.failures.push(format!("{what}: {name}: {e}")),
        }
    }
}

pub(crate) fn run(_: &Path, mut words: Parser) -> Result<(), String> {
    let mut given = Vec::new();
    while let Some(word) = words.next().map_err(|e| e.to_string())? {
        match word {
            Arg::Value(word) => given.push(word),
            option => return Err(option.unexpected().to_string()),
        }
    }
    let (dir, formats) = given.split_first().ok_or("name a folder of models")?;
    let formats: Vec<_> = formats.iter().map(|f| f.to_string_lossy().into_owned()).collect();
    folder(Path::new(dir), &formats)
}

/// Every model below a folder, or those of formats whose names begin with one of `formats`.
fn folder(dir: &Path, formats: &[String]) -> Result<(), String> {
    if !dir.is_dir() {
        return Err(format!("{}: no such folder", dir.display()));
    }
    let wanted = |format: &str| formats.is_empty() || formats.iter().any(|f| format.starts_with(f));
    let mut tally = Tally::default();
    if dir.join("manifest.json").is_file() {
        for entry in list(&dir.join("manifest.json"))? {
            let format = text(&entry, "format");
            if wanted(&format) {
                corpus_file(dir, &entry, &mut tally);
            }
        }
    } else {
        for path in xtask::fixtures::walk(dir).map_err(|e| e.to_string())? {
            let (name, bytes) = (path.display().to_string(), read(&path)?);
            let file = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            if let (Some(expect), Some(format)) = (Expect::of(file), Format::from_name(file)) {
                if wanted(format.id()) {
                    tally.record(expect.word(), &name, fixture(&path, format, expect, &bytes));
                }
                continue;
            }
            if PackKind::from_magic(&bytes).is_some() {
                continue;
            }
            let Some(found) = detect(&bytes, Some(file)) else { continue };
            if wanted(found.format.id()) {
                let rewritten = settings(&path, found.format)
                    .and_then(|settings| rewrite(&path, &bytes, found.format, &settings));
                tally.record("rewrite", &name, rewritten.map(drop));
            }
        }
    }
    tally.returned.print();
    for (what, n) in &tally.passed {
        println!("{what:<12} {n:5} passed");
    }
    if tally.failures.is_empty() {
        let nothing = tally.passed.is_empty().then(|| format!("{}: no model to look at", dir.display()));
        return nothing.map_or(Ok(()), Err);
    }
    Err(format!("{} failures\n{}", tally.failures.len(), tally.failures.join("\n")))
}

/// A fixture becomes what its name says, and what opens without a finding is drawn the same by a glTF player.
fn fixture(path: &Path, format: Format, expect: Expect, bytes: &[u8]) -> Result<(), String> {
    let settings = settings(path, format)?;
    let parsed = match (AnyModel::parse_with(bytes, format, &settings), expect) {
        (Ok(_), Expect::Reject) => return Err("must be refused".into()),
        (Err(e), Expect::Reject) => return located(bytes.len(), &e),
        (Err(e), _) => return Err(e.to_string()),
        (Ok(parsed), _) => parsed,
    };
    let findings = parsed.model.validate();
    // Rules of glTF that no reader needs are only in the full check.
    let full = || parsed.model.validate_with(&Companions::default());
    let is_clean = findings.is_empty() && (expect == Expect::Ok || full().is_empty());
    if findings.has_errors() || (expect == Expect::Ok) != is_clean {
        return Err(format!("{} findings", findings.findings().len()));
    }
    let model = parsed.model;
    if model.to_bytes().map_err(|e| e.to_string())? != bytes {
        return Err("the rewrite differs".into());
    }
    // Values with a warning, such as weights that do not sum to 1, are repaired in glTF.
    if expect == Expect::Warn {
        return Ok(());
    }
    let name = path.display().to_string();
    let loaded = Loaded { name, model, companions: Companions::default() };
    match loaded.model.to_scene("", &loaded.companions, &SceneOptions::default()) {
        Err(ConvertError::Unsupported { .. }) => return Ok(()),
        Err(e) => return Err(e.to_string()),
        Ok(_) => {}
    }
    let (scene, residual) = scene(&loaded)?;
    kernels::check(&scene)?;
    playback(&scene, residual)
}

/// Returns true for a file whose extension this build reads.
pub(crate) fn known(path: &Path) -> bool {
    path.file_name().and_then(|n| n.to_str()).is_some_and(|n| Format::from_name(n).is_some())
}

/// Returns a model read strictly, with files that it names from its folder, without errors, and written again.
fn rewrite(path: &Path, bytes: &[u8], format: Format, settings: &ReadSettings) -> Result<AnyModel, String> {
    let mut model = AnyModel::parse_with(bytes, format, settings).map_err(|e| e.to_string())?.model;
    supply(&mut model, path);
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

/// Returns the settings for reading a file, with the companion file of the read.
fn settings(path: &Path, format: Format) -> Result<ReadSettings, String> {
    let mut settings = ReadSettings::default();
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    for companion in format.companions().iter().filter(|c| c.part_of_reading) {
        let names = companion.beside.iter().filter_map(|beside| String::from_utf8(beside.name(name)).ok());
        if let Some(path) = names.map(|name| path.with_file_name(name)).find(|p| p.is_file()) {
            settings = settings.with_companion(companion.role, read(&path)?);
        }
    }
    Ok(settings)
}

pub(crate) fn load(dir: &Path, entry: &Value) -> Result<(Loaded, Vec<u8>), String> {
    let name = text(entry, "file");
    let path = dir.join(&name);
    let bytes = read(&path)?;
    let file_name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
    let found = detect(&bytes, Some(&file_name)).ok_or("not detected")?;
    let (mut companions, mut settings) = (Companions::default(), ReadSettings::default());
    for companion in entry.get("companions").and_then(Value::as_array).into_iter().flatten() {
        let companion = companion.as_str().unwrap_or_default();
        let bytes = read(&dir.join(companion))?;
        let keys = found.format.companions().iter().any(|c| c.role == Role::Keys);
        if keys && companion.ends_with(".cfp") {
            let added = companions.add(found.format, Role::Keys, companion, &bytes, &ReadSettings::default());
            added.map_err(|e| format!("{companion}: {e}"))?;
        }
        for declared in found.format.companions().iter().filter(|c| !c.beside.is_empty()) {
            if declared.part_of_reading {
                settings = settings.with_companion(declared.role, bytes.clone());
            } else {
                let plain = ReadSettings::default();
                let added = companions.add(found.format, declared.role, companion, &bytes, &plain);
                added.map_err(|e| format!("{companion}: {e}"))?;
            }
        }
    }
    let model = rewrite(&path, &bytes, found.format, &settings)?;
    Ok((Loaded { name, model, companions }, bytes))
}

/// Hands over the files that a model's file names, as far as they are there.
fn supply(model: &mut AnyModel, path: &Path) {
    for name in model.references().to_vec() {
        if let Ok(bytes) = std::fs::read(path.with_file_name(&name)) {
            model.supply(&name, bytes.into());
        }
    }
}

fn corpus_file(dir: &Path, entry: &Value, tally: &mut Tally) {
    let name = text(entry, "file");
    if !known(&dir.join(&name)) {
        return;
    }
    let loaded = match load(dir, entry) {
        Ok((loaded, _)) => loaded,
        // An extension that is required and not read is the only reason.
        Err(e) if samples::unreadable(&dir.join(&name)) => {
            let named = e.contains("KHR_draco_mesh_compression");
            return tally.record("refused", &name, if named { Ok(()) } else { Err(e) });
        }
        Err(e) => return tally.record("rewrite", &name, Err(e)),
    };
    tally.record("rewrite", &name, Ok(()));
    let expected = text(entry, "expected");
    if let AnyModel::Gltf(file) = &loaded.model {
        let posed = parse(&dir.join(&expected)).and_then(|expected| samples::check(file, &expected));
        tally.record("samples", &name, posed);
        tally.record("kernels", &name, scene(&loaded).and_then(|(scene, _)| kernels::check(&scene)));
        return;
    }
    if returns::RETURN.contains(&loaded.model.format().id()) {
        let returned = returns::check(&loaded, &mut tally.returned);
        tally.record("returned", &name, returned);
    }
    let lerp = parse(&dir.join(&expected)).ok().and_then(|e| e.pointer("/native/lerp").cloned());
    if let Some(lerp) = lerp.filter(Value::is_object) {
        tally.record("between", &name, between_frames(&loaded, &lerp));
    }
    if !is_drawable(&loaded) {
        return;
    }
    if !matches!(loaded.model, AnyModel::TsoAnimation(_) | AnyModel::TsoBinding(_)) {
        tally.record("playback", &name, scene(&loaded).and_then(|(scene, _)| playback(&scene, 0.0)));
        tally.record("kernels", &name, scene(&loaded).and_then(|(scene, _)| kernels::check(&scene)));
    }
    if matches!(loaded.model, AnyModel::TsoMesh(_)) {
        let figure = figure(dir, loaded).and_then(|figure| {
            let (scene, residual) = scene(&figure)?;
            kernels::check(&scene)?;
            playback(&scene, residual)
        });
        tally.record("figure", &name, figure);
    }
}

/// Returns a TSO mesh on the skeleton in its folder, with every animation of the folder.
pub(crate) fn figure(dir: &Path, mut mesh: Loaded) -> Result<Loaded, String> {
    for (kind, path) in beside(dir, &mesh)? {
        add(&mut mesh.companions, kind, &path)?;
    }
    Ok(mesh)
}

/// Adds a skeleton or an animation of a TSO mesh.
fn add(companions: &mut Companions, role: Role, path: &Path) -> Result<(), String> {
    let name = path.to_string_lossy().into_owned();
    let added = companions.add(Format::TsoMesh, role, name, &read(path)?, &ReadSettings::default());
    added.map_err(|e| e.to_string())
}

/// Skeletons and animations in the folder of a mesh.
fn beside(dir: &Path, mesh: &Loaded) -> Result<Vec<(Role, PathBuf)>, String> {
    let file = dir.join(&mesh.name);
    let paths = xtask::fixtures::walk(file.parent().unwrap_or(dir)).map_err(|e| e.to_string())?;
    let kind = |path: &Path| match path.extension()?.to_str()? {
        "skel" => Some(Role::Skeleton),
        "anim" => Some(Role::Animation),
        _ => None,
    };
    Ok(paths.into_iter().filter_map(|path| Some((kind(&path)?, path))).collect())
}

/// The pose between two frames of the file that a reference may list, by the format's own blend.
fn between_frames(loaded: &Loaded, lerp: &Value) -> Result<(), String> {
    let number = |key: &str| lerp[key].as_f64().ok_or("lerp: no numbers");
    let at = number("frame0")? + number("t")?;
    let options = SceneOptions::in_space(Space::File).with_memory(MEMORY);
    let mut scene = loaded.model.to_scene("", &loaded.companions, &options).map_err(|e| e.to_string())?.value;
    let file = scene.clips.len();
    scene.clips.extend(loaded.model.file_clip());
    let mut evaluator = Evaluator::new(&scene).map_err(|e| e.to_string())?.with_precision(Precision::Double);
    evaluator.pose(Some((file, at))).map_err(|e| e.to_string())?;
    let posed = evaluator.meshes().map_err(|e| e.to_string())?;
    let extent = compare::extent(posed.iter().flat_map(|m| &m.positions));
    let ours = posed.iter().flat_map(|m| m.positions.as_flattened()).map(|c| f64::from(*c));
    let theirs =
        array(lerp, "matrix").iter().filter_map(Value::as_array).flatten().filter_map(Value::as_array);
    let theirs: Vec<f64> = theirs.flatten().map(|c| c.as_f64().unwrap_or(f64::NAN)).collect();
    if posed.iter().map(|m| m.positions.len() * 3).sum::<usize>() != theirs.len() {
        return Err(format!("{} numbers are expected", theirs.len()));
    }
    let off = ours
        .zip(theirs)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |worst: f64, off| if off.is_nan() { off } else { worst.max(off) });
    if off <= 1e-6 * extent + 1e-6 { Ok(()) } else { Err(format!("{off:.1e} off between frames")) }
}

/// Returns the model as a scene, and the error that its weights may cause in any pose: half of the distance between
/// blend and real vertices of a TSO mesh, in metres.
pub(crate) fn scene(loaded: &Loaded) -> Result<(Scene, f64), String> {
    let options = SceneOptions::default().with_memory(MEMORY);
    let converted =
        loaded.model.to_scene("model", &loaded.companions, &options).map_err(|e| e.to_string())?;
    converted.value.validate().map_err(|e| format!("the scene is broken: {e}"))?;
    let residuals = converted.losses.iter().filter(|l| l.code == "blend-residual").filter_map(|l| l.amount);
    let residual = residuals.fold(0.0, f64::max) / 3.0 / 2.0;
    Ok((converted.value, residual))
}

/// Checks that vertices evaluated only from the GLB equal the native evaluation within 1e-5 of the extent (and
/// `residual`), at the frames of every clip.
fn playback(scene: &Scene, residual: f64) -> Result<(), String> {
    let options = ExportOptions::default().with_influences(gltf::Influences::All).with_memory(MEMORY);
    let exported = gltf::export(scene, &options).map_err(|e| e.to_string())?.value;
    let player = Player::new(&exported.to_glb()).map_err(|e| e.to_string())?;
    let mut native = Evaluator::new(scene).map_err(|e| e.to_string())?.with_precision(Precision::Double);
    let placed = scene.drawn_meshes().ok_or("the nodes form a cycle")?;
    let points: Vec<_> = placed
        .iter()
        .flat_map(|(_, mesh, place)| scene.meshes[mesh.0].positions.iter().map(|p| place.point(*p)))
        .collect();
    let tolerance = 1e-5 * compare::extent(points.iter()) + residual;
    let mut times = vec![None];
    for (i, clip) in scene.clips.iter().enumerate() {
        // Every frame of a moderate clip; of a long one with complete poses, some.
        let most = if matches!(clip.motion, Motion::Poses { .. }) { 40 } else { 400 };
        let step = (clip.frames as usize).div_ceil(most).max(1);
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

/// The offset of an error is inside the file of `len` bytes.
fn located(len: usize, e: &ReadError) -> Result<(), String> {
    if *e.stream() == Stream::File && e.offset() > len as u64 {
        Err(format!("offset outside the file: {e}"))
    } else {
        Ok(())
    }
}

/// Returns false for records without anything to draw: only suits and skills, keys, bindings.
fn is_drawable(loaded: &Loaded) -> bool {
    use AnyModel::{Apr, Bcf, Cfp, Cmx, Col, Hag, Oft, Po};
    let records =
        matches!(loaded.model, Bcf(_) | Cmx(_) | Cfp(_) | Apr(_) | Oft(_) | Hag(_) | Po(_) | Col(_));
    let nothing = || {
        let made = loaded.model.to_scene("", &loaded.companions, &SceneOptions::default());
        matches!(made, Err(ConvertError::Unsupported { .. }))
    };
    !records || !nothing()
}
