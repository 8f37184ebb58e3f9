//! The page of `view` and of `convert -o x.html` in headless Chromium: the GPU's result for every clip equals that of
//! the library; keys, touch, names, dropped and changed files.
//!
//! Needs node, playwright-core in the folder that `NODE_MODULES` names, and Chromium (`CHROMIUM`, or on the path).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "the suite uses the rest")]
mod common;

use common::{code, program, run, skinned_quad, stderr};
use meshwright::files::Tree;
use meshwright::render::{ScenePose, visible_bounds};
use meshwright::scene::{Budget, Levels, Limits, Scene};
use meshwright::{NamedFile, Opener, Role, rig};
use meshwright_testkit::{skipped, test_name, testdata};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Returns the path of Chromium if everything is installed; otherwise prints that the test is skipped.
fn chromium(test: &str) -> Option<PathBuf> {
    let on_path = || {
        let path = std::env::var_os("PATH")?;
        let names = ["chromium", "chromium-browser", "google-chrome"];
        std::env::split_paths(&path).flat_map(|p| names.map(|n| p.join(n))).find(|p| p.is_file())
    };
    let browser = std::env::var_os("CHROMIUM").map(PathBuf::from).or_else(on_path).filter(|c| c.is_file());
    let modules = std::env::var_os("NODE_MODULES").map(PathBuf::from);
    match (&browser, modules.is_some_and(|m| m.join("playwright-core").is_dir())) {
        (None, _) => skipped(test, "no Chromium: set CHROMIUM"),
        (_, false) => skipped(test, "no playwright-core: set NODE_MODULES to its folder"),
        (Some(_), true) => return browser,
    }
    None
}

/// Drives the page with a plan, and returns its report.
fn driven(chromium: &Path, dir: &Path, plan: &Value) -> Value {
    let file = dir.join("plan.json");
    fs::write(&file, plan.to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/page.mjs");
    let done = Command::new("node").arg(script).arg(&file).env("CHROMIUM", chromium).output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    serde_json::from_str(text.trim())
        .unwrap_or_else(|e| panic!("{e}: {text} {}", String::from_utf8_lossy(&done.stderr)))
}

/// A program that serves its page, until it is dropped.
struct Served {
    child: Child,
    url: String,
}

impl Served {
    fn new(words: &[&str]) -> Self {
        let mut child = program()
            .args(["view", "--no-browser"])
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim().to_owned() }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns three frames of every clip.
fn frames(scene: &Scene) -> Vec<(usize, f64)> {
    let three = |(i, clip): (usize, &meshwright::scene::Clip)| {
        let last = clip.frames.saturating_sub(1);
        [0, last / 2, last].map(|frame| (i, f64::from(frame)))
    };
    scene.clips.iter().enumerate().flat_map(three).collect()
}

fn seconds(scene: &Scene) -> Value {
    frames(scene).into_iter().map(|(i, frame)| json!([i, scene.clips[i].seconds(frame)])).collect()
}

/// Returns the bounding box of the scene at each of these frames, computed by the library.
fn evaluated(scene: &Scene) -> Vec<[[f64; 3]; 2]> {
    let mut evaluator = rig::Evaluator::new(scene).unwrap().with_precision(rig::Precision::Double);
    let at = |(clip, frame)| {
        evaluator.pose(Some((clip, frame))).unwrap();
        let posed = ScenePose::new(evaluator.meshes().unwrap(), Vec::new());
        let budget = Budget::new(Limits::default());
        let bounds = visible_bounds(scene, &posed, Levels::Finest, &budget).unwrap().unwrap();
        [bounds.min, bounds.max]
    };
    frames(scene).into_iter().map(at).collect()
}

fn compare(name: &str, scene: &Scene, page: &Value) {
    let native = evaluated(scene);
    assert_eq!(page.as_array().unwrap().len(), native.len(), "{name}");
    for (i, (native, page)) in native.iter().zip(page.as_array().unwrap()).enumerate() {
        let size = (0..3).map(|c| native[1][c] - native[0][c]).fold(0.0, f64::max);
        for (end, side) in native.iter().enumerate() {
            for (c, own) in side.iter().enumerate() {
                let there = page[end][c].as_f64().unwrap_or(f64::NAN);
                assert!((there - own).abs() <= 2e-4 * size, "{name}, {i}: {native:?} {page}");
            }
        }
    }
}

fn scene_of(path: &str, named: &[(Role, &str)]) -> Scene {
    let path = testdata().join(path);
    let tree = Tree::open(&path).unwrap();
    let mut options = Opener::new();
    for (role, file) in named {
        let bytes = fs::read(testdata().join(file)).unwrap();
        options = options.named(NamedFile::new(*role, *file, bytes));
    }
    let name = path.file_name().unwrap().to_str().unwrap();
    let start = tree.start().cloned().unwrap();
    let asset = options.open_in(&tree, &*start.beside(name).unwrap().text()).unwrap();
    asset.scene().unwrap().value
}

fn all_true(seen: &Value) {
    assert_eq!(seen["errors"], json!([]));
    for (what, ok) in seen["ok"].as_object().unwrap() {
        assert_eq!(*ok, true, "{what}");
    }
}

const HOSTILE: &str = "<img src=x onerror=window.hacked=1>.dpm";

#[test]
fn the_page_plays_what_the_library_evaluates_and_takes_keys_fingers_and_files() {
    let Some(chromium) = chromium(test_name!()) else { return };
    let dir = TempDir::new().unwrap();
    let from = |name: &str| testdata().join(name);
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let models = [
        ("dpm/hopper.ok.dpm", "hopper.dpm"),
        ("bmd/moving.ok.bmd", "moving.bmd"),
        ("bmd/windmill.ok.bmd", "windmill.bmd"),
        ("dpm/pair.ok.zym", "pair.zym"),
        ("crucible/lighthouse.ok.cmesh", "lighthouse.ok.cmesh"),
        ("fsomodel/fighter.ok.fom", "fighter.fom"),
    ];
    for (source, name) in models {
        fs::copy(from(source), at(name)).unwrap();
    }
    fs::copy(from("dpm/hopper.ok.dpm.framegroups"), at("hopper.dpm.framegroups")).unwrap();
    fs::copy(from("crucible/lighthouse.ok.cskel"), at("lighthouse.ok.cskel")).unwrap();
    fs::copy(from("bmd/lods.ok.bmd"), at("lods.bmd")).unwrap();
    fs::copy(from("tso/arm.ok.skel"), at("arm.skel")).unwrap();
    skinned_quad(dir.path(), "skins.dpm");
    let hostile = if cfg!(windows) { "onerror.dpm" } else { HOSTILE };
    fs::copy(from("dpm/quad.ok.dpm"), at(hostile)).unwrap();
    fs::copy(from("dpm/parent.reject.dpm"), at("broken.dpm")).unwrap();
    let files: Vec<_> = models
        .iter()
        .map(|m| at(m.1))
        .chain([at("lods.bmd"), at("arm.skel"), at("skins.dpm"), at(hostile), at("broken.dpm")])
        .collect();
    let served = Served::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let scenes: Vec<_> = models.iter().map(|(source, _)| scene_of(source, &[])).collect();
    assert!(scenes.iter().map(|s| s.clips.len()).sum::<usize>() >= 4);
    let listed = models.iter().zip(&scenes).map(|(m, scene)| json!({ "name": m.1, "times": seconds(scene) }));
    let plan = json!({
        "url": served.url, "tag": "served", "models": listed.collect::<Vec<_>>(), "touch": true, "hostile": hostile,
        "more": ["levels", "skeleton", "skins", "hostile", "broken"],
        "drop": [from("bmd/windmill.ok.bmd")], "watched": at("hopper.dpm"), "other": from("dpm/quad.ok.dpm"),
        "broken": from("dpm/parent.reject.dpm"), "shots": std::env::var("MESHWRIGHT_SHOW").ok(),
    });
    let seen = driven(&chromium, dir.path(), &plan);
    all_true(&seen);
    assert!(seen["ok"].as_object().unwrap().len() > 20);
    for (i, (scene, (name, _))) in scenes.iter().zip(models).enumerate() {
        compare(name, scene, &seen["bounds"][i]);
    }
}

#[test]
fn a_figure_plays_with_the_skeleton_and_motion_that_are_named() {
    let Some(chromium) = chromium(test_name!()) else { return };
    let dir = TempDir::new().unwrap();
    let at = |name: &str| testdata().join(name).to_str().unwrap().to_owned();
    let (skel, anim) = (at("tso/flower.ok.skel"), at("tso/sway.ok.anim"));
    let named = [(Role::Skeleton, "tso/flower.ok.skel"), (Role::Animation, "tso/sway.ok.anim")];
    let scene = scene_of("tso/flower.ok.mesh", &named);
    assert_eq!(scene.clips.len(), 1);
    let served = Served::new(&[&at("tso/flower.ok.mesh"), "--skeleton", &skel, "--anim", &anim]);
    let models = json!([{ "name": "flower", "times": seconds(&scene) }]);
    let shots = std::env::var("MESHWRIGHT_SHOW").ok();
    let plan = json!({ "url": served.url, "tag": "figure", "models": models, "shots": shots });
    let seen = driven(&chromium, dir.path(), &plan);
    all_true(&seen);
    compare("flower", &scene, &seen["bounds"][0]);
}

#[test]
fn a_model_over_the_limit_opens_after_the_page_raised_it() {
    let Some(chromium) = chromium(test_name!()) else { return };
    let dir = TempDir::new().unwrap();
    let model = testdata().join("dpm/hopper.ok.dpm");
    let served = Served::new(&[model.to_str().unwrap(), "--max-memory", "2000"]);
    let shots = std::env::var("MESHWRIGHT_SHOW").ok();
    let seen = driven(&chromium, dir.path(), &json!({ "url": served.url, "limited": true, "shots": shots }));
    assert_eq!(seen["ok"].as_object().unwrap().len(), 4, "{seen}");
    // The browser reports answers about models and thumbnails that are over the limit.
    let others = seen["errors"].as_array().unwrap().iter().filter(|e| !e.to_string().contains("413"));
    assert_eq!(others.collect::<Vec<_>>(), Vec::<&Value>::new());
    assert!(seen["ok"].as_object().unwrap().values().all(|ok| *ok == true), "{seen}");
}

#[test]
fn a_page_with_a_model_inside_needs_nothing_else() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("x.html");
    let done =
        run(["convert", testdata().join("dpm/hopper.ok.dpm").to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let html = fs::read_to_string(&out).unwrap();
    assert!(html.contains("connect-src 'none'") && html.contains("\"glb\":\"Z2xURg"));
    let Some(chromium) = chromium(test_name!()) else { return };
    let url = format!("file://{}", out.display());
    let seen = driven(&chromium, dir.path(), &json!({ "url": url, "models": [] }));
    all_true(&seen);
}
