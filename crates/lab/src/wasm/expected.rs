//! The expected results of the page: those of the library for the same files, and the outputs of the program.

use super::drive::Browser;
use meshwright::page::{Dropped, about, dropped, failure_facts, glb, saved, textured_scene};
use meshwright::{Error, Limits, Opener, Target};
use meshwright_testkit::patience;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::sh::{self, sha256};

/// Files that are dropped together.
struct Drop {
    folder: PathBuf,
    models: Vec<Dropped>,
}

pub(super) fn compared(root: &Path, browser: &Browser) -> Result<(), String> {
    let testdata = root.join("testdata");
    let drops = drops(&testdata)?;
    let is_fixture = |path: &PathBuf| path.extension().is_none_or(|e| e != "md");
    let singles: Vec<_> = files_below(&testdata)?.into_iter().filter(is_fixture).collect();
    // Files that once broke a promise, those of a case together.
    let hostile = crate::hostile::folders(&sh::target_dir(root).join("wasm/hostile"))?;
    let hostile = hostile.iter().map(|folder| files_below(folder)).collect::<Result<Vec<_>, _>>()?;
    let at = |path: &str| testdata.join(path);
    let folders: Vec<_> = drops.iter().map(|drop| &drop.folder).collect();
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
    let program = xtask::program(root, "meshwright", "test")?;
    let mut counts = Counts::default();
    for (drop, models) in drops.iter().zip(array(&seen, "folders")) {
        let models = models.as_array().map_or(&[][..], Vec::as_slice);
        compare_models(&drop.folder, &drop.models, models, &mut counts, &mut wrong);
        written(&program, drop, models, &mut counts, &mut wrong)?;
    }
    for (path, page) in singles.iter().zip(array(&seen, "singles")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let models = dropped([(name, sh::read(path)?)], Limits::default()).map_err(|e| e.to_string())?.models;
        let page = page.as_array().map_or(&[][..], Vec::as_slice);
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
    let planned = [("folders", drops.len()), ("singles", singles.len()), ("hostile", hostile.len())];
    if planned.into_iter().any(|(part, count)| array(&seen, part).len() != count) {
        wrong.push("the page did not come to the end of the plan".into());
    }
    let saved = text(&seen, "download");
    let asset = meshwright::open(at("dpm/hopper.ok.dpm")).map_err(|e| e.to_string())?;
    let own = asset.convert(Target::Glb).map_err(|e| e.to_string())?;
    if own.files().main().is_none_or(|file| sha256(&file.bytes) != saved) {
        wrong.push("what was saved by hand is not what the library writes".into());
    }
    if counts.pictures == 0 {
        wrong.push("no model had a picture".into());
    }
    let Counts { models, refused, programs, pictures } = counts;
    println!(
        "{models} models as the library has them, {refused} refused alike, {programs} GLBs as the program writes them, \
         {pictures} of them with pictures"
    );
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The number of comparisons: models, those of them that both refuse, GLBs of the program, and those of them with pictures.
#[derive(Default)]
struct Counts {
    models: u64,
    refused: u64,
    programs: u64,
    pictures: u64,
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
    let entries = fs::read_dir(testdata).map_err(sh::error_at(testdata))?;
    let mut folders: Vec<_> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect();
    folders.sort();
    let drop = |folder: PathBuf| {
        let mut files = Vec::new();
        for path in files_below(&folder)? {
            let below = path.strip_prefix(testdata).map_err(|e| e.to_string())?;
            files.push((below.to_string_lossy().replace('\\', "/"), sh::read(&path)?));
        }
        let found = dropped(files, Limits::default()).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Drop { folder, models: found.models })
    };
    folders.into_iter().map(drop).collect()
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(xtask::fixtures::walk(folder).map_err(sh::error_at(folder))?.into_iter().collect())
}

fn shown_as(paths: &[PathBuf]) -> String {
    let folder = paths.first().and_then(|path| path.parent()).and_then(Path::file_name);
    folder.unwrap_or_default().to_string_lossy().into_owned()
}

fn options(model: &Dropped) -> Result<Opener, Error> {
    Ok(Opener::new().format(model.found.clone()?))
}

/// Compares the models on the page with those of the library.
fn compare_models(
    from: &Path,
    models: &[Dropped],
    page: &[Value],
    counts: &mut Counts,
    wrong: &mut Vec<String>,
) {
    let own: Vec<_> = models.iter().map(|m| m.name.as_str()).collect();
    let there: Vec<_> = page.iter().map(|m| text(m, "name")).collect();
    if own != there {
        wrong.push(format!("{}: the list is {there:?}, not {own:?}", from.display()));
        return;
    }
    for (model, page) in models.iter().zip(page) {
        let own = model_facts(model);
        let mut page = page.clone();
        // The files that a model may be put together with: the page looks them up in its own list.
        let parts = page["about"].as_object_mut().and_then(|about| about.remove("parts"));
        if !parts.is_some_and(|parts| parts.is_array()) {
            wrong.push(format!("{}, {}: the page has no list of parts", from.display(), model.name));
        }
        for key in ["about", "drawn", "saved", "file", "losses"] {
            let (a, b) = (own.get(key), page.get(key));
            if a != b {
                let cut = |v: Option<&Value>| v.map(|v| v.to_string().chars().take(600).collect::<String>());
                let (from, name) = (from.display(), &model.name);
                wrong.push(format!("{from}, {name}: {key} is {:?}, not {:?}", cut(b), cut(a)));
            }
        }
        counts.models += 1;
        counts.refused += u64::from(own["about"]["error"].is_string());
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
        counts.programs += 1;
        counts.pictures += u64::from(bytes.windows(9).any(|w| w == b"\"images\":"));
    }
    fs::remove_dir_all(&folder).map_err(|e| e.to_string())
}
