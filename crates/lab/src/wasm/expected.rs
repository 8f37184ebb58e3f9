//! The expected results of the page: those of the library for the same files, and the outputs of the program.

use super::drive::Browser;
use meshwright::page::{Dropped, about, dropped, failure_facts, glb, saved, textured_scene};
use meshwright::render::{ScenePose, visible_bounds};
use meshwright::scene::{Budget, Levels, Scene};
use meshwright::{Error, Limits, Opener, Target, rig};
use meshwright_testkit::patience;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::sh::{self, sha256};

/// The tolerance of a box, relative to the model's size: the page poses in 32 bits.
const NEAR: f64 = 2e-4;

/// Formats of bones and motions, which have no surface to measure.
const BONES: &[&str] = &["anim", "bcf", "cmx", "cskel", "skel"];

/// Files that are dropped together.
struct Drop {
    folder: PathBuf,
    models: Vec<Dropped>,
}

/// A model that is played: where it is in its drop, and the scene.
struct Played {
    name: String,
    scene: Scene,
}

pub(super) fn compared(root: &Path, browser: &Browser) -> Result<(), String> {
    let testdata = root.join("testdata");
    let drops = drops(&testdata)?;
    let mut played = Vec::new();
    let mut formats = BTreeSet::new();
    for drop in &drops {
        played.push(liveliest(drop, &mut formats)?);
    }
    let singles = fixtures(&testdata)?;
    let hostile = hostile(root)?;
    let at = |path: &str| testdata.join(path);
    let folders: Vec<_> = drops
        .iter()
        .zip(&played)
        .map(|(drop, played)| {
            let posed: Vec<_> =
                played.iter().map(|p| json!({ "name": p.name, "times": seconds(&p.scene) })).collect();
            json!({ "path": drop.folder, "posed": posed })
        })
        .collect();
    let plan = json!({
        "patience": 60 * patience(), "folders": folders, "singles": singles, "hostile": hostile,
        "hands": {
            "file": [at("dpm/hopper.ok.dpm"), at("dpm/hopper.ok.dpm.framegroups")], "saved": "hopper.ok.glb",
            "other": at("bmd/windmill.ok.bmd"), "broken": [at("dpm/parent.reject.dpm")],
            "odd": "<img src=x onerror=window.hacked=1>.dpm",
        },
    });
    let seen = browser.driven(&plan)?;
    let mut wrong: Vec<String> = array(&seen, "errors").iter().map(|e| format!("the page: {e}")).collect();
    for (what, holds) in
        seen["ok"].as_object().into_iter().flatten().filter(|(_, holds)| **holds != json!(true))
    {
        wrong.push(format!("the page: {what}: {holds}"));
    }
    let program = xtask::program(root, "meshwright", "dev")?;
    let mut counts = Counts::default();
    for ((drop, played), page) in drops.iter().zip(&played).zip(array(&seen, "folders")) {
        compare_models(&drop.folder, &drop.models, &page["models"], &mut counts, &mut wrong);
        written(&program, drop, array(page, "models"), &mut counts, &mut wrong)?;
        for (played, boxes) in played.iter().zip(array(page, "bounds")) {
            counts.boxes = counts.boxes.saturating_add(compare_boxes(played, boxes, &mut wrong)?);
        }
    }
    for (path, page) in singles.iter().zip(array(&seen, "singles")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let models = dropped([(name, sh::read(path)?)], Limits::default()).map_err(|e| e.to_string())?.models;
        compare_models(path, &models, page, &mut counts, &mut wrong);
    }
    for (paths, page) in hostile.iter().zip(array(&seen, "hostile")) {
        let seconds = page["seconds"].as_f64().unwrap_or(f64::INFINITY);
        println!(
            "{seconds:8.2} s, {:>5} MiB  {}",
            page["memory"].as_u64().unwrap_or(0) >> 20,
            shown_as(paths)
        );
        let faults = page["models"].to_string().contains("error[internal]");
        if faults {
            wrong.push(format!("{}: ended the module: {}", shown_as(paths), page["models"]));
        }
    }
    if array(&seen, "folders").len() != drops.len()
        || array(&seen, "singles").len() != singles.len()
        || array(&seen, "hostile").len() != hostile.len()
    {
        wrong.push("the page did not come to the end of the plan".into());
    }
    let saved = text(&seen, "download");
    let asset = meshwright::open(at("dpm/hopper.ok.dpm")).map_err(|e| e.to_string())?;
    let own = asset.convert(Target::Glb).map_err(|e| e.to_string())?;
    if own.files().main().is_none_or(|file| sha256(&file.bytes) != saved) {
        wrong.push("what was saved by hand is not what the library writes".into());
    }
    let all: BTreeSet<_> =
        meshwright::Format::ALL.iter().filter(|f| f.holds_model()).map(|f| f.id()).collect();
    let missing: Vec<_> = all.difference(&formats).filter(|id| !BONES.contains(id)).copied().collect();
    if !missing.is_empty() {
        wrong.push(format!("nothing was played of {}", missing.join(", ")));
    }
    if counts.pictures == 0 {
        wrong.push("no model had a picture".into());
    }
    println!("{counts}");
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The number of comparisons.
#[derive(Default)]
struct Counts {
    models: u64,
    refused: u64,
    programs: u64,
    pictures: u64,
    boxes: u64,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} models as the library has them, {} refused alike, {} GLBs as the program writes them, {} of them with pictures, {} boxes",
            self.models, self.refused, self.programs, self.pictures, self.boxes
        )
    }
}

/// Returns a list member, or an empty list without one.
pub(super) fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Returns a text member, or an empty text without one.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    sh::text(&value[key])
}

/// Returns the folders of testdata, and the data folders of a game in it.
fn drops(testdata: &Path) -> Result<Vec<Drop>, String> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(testdata).map_err(|e| e.to_string())? {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    let drop = |folder: PathBuf| {
        let mut files = Vec::new();
        for path in xtask::fixtures::walk(&folder).map_err(|e| e.to_string())? {
            let below = path.strip_prefix(testdata).map_err(|e| e.to_string())?;
            files.push((below.to_string_lossy().replace('\\', "/"), sh::read(&path)?));
        }
        let found = dropped(files, Limits::default()).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Drop { folder, models: found.models })
    };
    folders.into_iter().map(drop).collect()
}

/// Returns every fixture.
fn fixtures(testdata: &Path) -> Result<Vec<PathBuf>, String> {
    let files = xtask::fixtures::walk(testdata).map_err(|e| e.to_string())?;
    Ok(files.into_iter().filter(|path| path.extension().is_none_or(|e| e != "md")).collect())
}

/// Files that once broke a promise, those of a case together.
fn hostile(root: &Path) -> Result<Vec<Vec<PathBuf>>, String> {
    let top = sh::target_dir(root).join("wasm/hostile");
    let mut all = Vec::new();
    for folder in crate::hostile::folders(&top)? {
        let files = xtask::fixtures::walk(&folder).map_err(|e| e.to_string())?;
        all.push(files.into_iter().collect());
    }
    Ok(all)
}

fn shown_as(paths: &[PathBuf]) -> String {
    let folder = paths.first().and_then(|path| path.parent()).and_then(Path::file_name);
    folder.unwrap_or_default().to_string_lossy().into_owned()
}

fn options(model: &Dropped) -> Result<Opener, Error> {
    Ok(Opener::new().format(model.found.clone()?))
}

fn scene(model: &Dropped) -> Result<Scene, Error> {
    Ok(textured_scene(&mut options(model)?.open_in(&model.finder, &model.path)?)?.value)
}

/// Returns the model with the most clips for every format of a drop; their formats are added to the seen ones.
fn liveliest(drop: &Drop, formats: &mut BTreeSet<&'static str>) -> Result<Vec<Played>, String> {
    let mut played = Vec::new();
    let kinds: BTreeSet<_> =
        drop.models.iter().filter_map(|m| m.found.as_ref().ok()).map(|f| f.id()).collect();
    for kind in kinds.into_iter().filter(|kind| !formats.contains(kind)) {
        let of_kind = drop.models.iter().filter(|m| m.found.as_ref().is_ok_and(|f| f.id() == kind));
        let scenes = of_kind.filter_map(|m| Some((m, scene(m).ok().filter(|s| !s.meshes.is_empty())?)));
        let most = scenes.max_by_key(|(_, scene)| (scene.clips.len(), scene.meshes.len()));
        let Some((model, scene)) = most else { continue };
        played.push(Played { name: model.name.clone(), scene });
    }
    for played in &played {
        let kind = drop.models.iter().find(|m| m.name == played.name).and_then(|m| m.found.as_ref().ok());
        formats.extend(kind.map(|f| f.id()));
    }
    Ok(played)
}

/// Three frames of every clip.
fn frames(scene: &Scene) -> Vec<(usize, f64)> {
    let three = |(i, clip): (usize, &meshwright::scene::Clip)| {
        let last = clip.frames.saturating_sub(1);
        [0, last / 2, last].map(|frame| (i, f64::from(frame)))
    };
    let all: Vec<_> = scene.clips.iter().enumerate().flat_map(three).collect();
    all
}

/// Returns the same for the page, in seconds; the bind pose where nothing moves.
fn seconds(scene: &Scene) -> Value {
    let at = |(i, frame): (usize, f64)| scene.clips.get(i).map(|clip| json!([i, clip.seconds(frame)]));
    let all: Vec<_> = frames(scene).into_iter().filter_map(at).collect();
    if all.is_empty() { json!([[-1, 0.0]]) } else { all.into() }
}

/// Compares boxes of the page with those of the library, and returns their number.
fn compare_boxes(played: &Played, page: &Value, wrong: &mut Vec<String>) -> Result<u64, String> {
    let scene = &played.scene;
    let mut evaluator =
        rig::Evaluator::new(scene).map_err(|e| e.to_string())?.with_precision(rig::Precision::Double);
    let mut at: Vec<_> = frames(scene).into_iter().map(Some).collect();
    if at.is_empty() {
        at.push(None);
    }
    for (i, at) in at.iter().enumerate() {
        evaluator.pose(*at).map_err(|e| e.to_string())?;
        let posed = ScenePose::new(evaluator.meshes().map_err(|e| e.to_string())?, Vec::new());
        let bounds = visible_bounds(scene, &posed, Levels::Finest, &Budget::new(Limits::default()));
        let Some(bounds) = bounds.map_err(|e| e.to_string())? else { continue };
        let size = (0..3).map(|c| bounds.max[c] - bounds.min[c]).fold(0.0, f64::max);
        for (end, own) in [bounds.min, bounds.max].into_iter().enumerate() {
            for (c, own) in own.into_iter().enumerate() {
                let there = page[i][end][c].as_f64().unwrap_or(f64::NAN);
                if there.is_nan() || (there - own).abs() > NEAR * size {
                    wrong.push(format!("{}, pose {i}: {bounds:?} and on the page {}", played.name, page[i]));
                    return Ok(0);
                }
            }
        }
    }
    Ok(at.len() as u64)
}

/// Compares the models on the page with those of the library.
fn compare_models(
    from: &Path,
    models: &[Dropped],
    page: &Value,
    counts: &mut Counts,
    wrong: &mut Vec<String>,
) {
    let empty = Vec::new();
    let page = page.as_array().unwrap_or(&empty);
    let names = |m: &Dropped| m.name.clone();
    let (own, there): (Vec<_>, Vec<_>) =
        (models.iter().map(names).collect(), page.iter().map(|m| text(m, "name")).collect());
    if own != there {
        wrong.push(format!("{}: the list is {there:?}, not {own:?}", from.display()));
        return;
    }
    for (model, page) in models.iter().zip(page) {
        let own = model_facts(model);
        let mut page = page.clone();
        // The files that a model may be put together with: the page looks them up in its own list.
        if !page["about"]
            .as_object_mut()
            .and_then(|about| about.remove("parts"))
            .is_some_and(|parts| parts.is_array())
        {
            wrong.push(format!("{}, {}: the page has no list of parts", from.display(), model.name));
        }
        for key in ["about", "drawn", "saved", "file", "losses"] {
            let (a, b) = (own.get(key), page.get(key));
            if a != b {
                let cut = |v: Option<&Value>| v.map(|v| v.to_string().chars().take(600).collect::<String>());
                wrong.push(format!(
                    "{}, {}: {key} is {:?}, not {:?}",
                    from.display(),
                    model.name,
                    cut(b),
                    cut(a)
                ));
            }
        }
        counts.models = counts.models.saturating_add(1);
        counts.refused = counts.refused.saturating_add(own["about"]["error"].is_string().into());
    }
}

/// Returns the library's facts about a model.
fn model_facts(model: &Dropped) -> Value {
    let failed =
        |why: &Error| failure_facts(&model.name, why.code(), why.path(), why.offset(), why.message());
    let open = || -> Result<Value, Error> {
        let (options, limits) = (options(model)?, Limits::default());
        let mut asset = options.open_in(&model.finder, &model.path)?;
        let scene = textured_scene(&mut asset)?;
        let mut said = json!({ "about": about(&asset, &scene.value, &model.name) });
        if let Ok(bytes) = glb(&scene.value, limits) {
            said["drawn"] = sha256(&bytes).into();
        }
        let asset = options.open_in(&model.finder, &model.path)?;
        if let Ok(frame) = saved(asset, Target::Glb) {
            let (length, rest) =
                frame.split_first_chunk().map_or((0, &[][..]), |(l, rest)| (u32::from_le_bytes(*l), rest));
            let (head, bytes) = rest.split_at(usize::try_from(length).unwrap_or(0).min(rest.len()));
            let head: Value = serde_json::from_slice(head).unwrap_or_default();
            said["saved"] = sha256(bytes).into();
            (said["file"], said["losses"]) = (head["name"].clone(), head["losses"].clone());
        }
        Ok(said)
    };
    open().unwrap_or_else(|why| json!({ "about": failed(&why) }))
}

/// Holds the GLBs that the page saves against those that the program writes.
fn written(
    program: &Path,
    drop: &Drop,
    page: &[Value],
    counts: &mut Counts,
    wrong: &mut Vec<String>,
) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("meshwright-wasm-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    for model in page.iter().filter(|model| model["file"].is_string()) {
        let (input, out) = (drop.folder.join(text(model, "name")), folder.join(text(model, "file")));
        let _ = fs::remove_file(&out);
        let mut convert = Command::new(program);
        convert.args(["convert", "--quiet"]).arg(&input).arg("-o").arg(&out);
        let done = convert.output().map_err(|e| e.to_string())?;
        let bytes = fs::read(&out).unwrap_or_default();
        if sha256(&bytes) != text(model, "saved") {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            wrong.push(format!("{}: the page saves another GLB than the program: {said}", input.display()));
        }
        counts.programs = counts.programs.saturating_add(1);
        counts.pictures =
            counts.pictures.saturating_add(bytes.windows(9).any(|w| w == b"\"images\":").into());
    }
    fs::remove_dir_all(&folder).map_err(|e| e.to_string())
}
