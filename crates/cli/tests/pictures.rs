//! `render`: pictures of the fixtures by their kept hashes, animations, strips, sheets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, names, run, skinned_quad, stderr};
use meshwright_testkit::testdata;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn fixture(name: &str) -> String {
    testdata().join(name).to_str().unwrap().to_owned()
}

/// Returns width, height and pixels of the images in a file.
fn decoded(path: &Path) -> (u32, u32, Vec<Vec<u8>>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(fs::read(path).unwrap()));
    decoder.set_transformations(png::Transformations::ALPHA);
    let mut reader = decoder.read_info().unwrap();
    let (width, height) = (reader.info().width, reader.info().height);
    let count = reader.info().animation_control.map_or(1, |a| a.num_frames);
    let frames = (0..count).map(|_| {
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        pixels
    });
    let frames = frames.collect();
    (width, height, frames)
}

/// Returns the FNV-1a hash of an image file's pixels.
fn hash(path: &Path) -> u64 {
    let (width, height, frames) = decoded(path);
    let bytes = [width.to_le_bytes(), height.to_le_bytes()];
    let all = bytes.iter().flatten().chain(frames.iter().flatten());
    all.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

/// The images of each kind of file: inputs, options and hash. Look at a changed image before its hash is updated.
const KEPT: &[(&[&str], &[&str], u64)] = &[
    (&["bmd/windmill.ok.bmd"], &[], 0x2f46_7f3c_d087_f53f),
    (&["bmd/moving.ok.bmd"], &["--overlay", "bones"], 0xcd77_97e4_07ef_a76c),
    (&["crucible/lighthouse.ok.cmesh"], &["--overlay", "bones,names"], 0x8a25_c607_f40e_fe42),
    (&["crucible/colors.ok.cmesh"], &["--camera", "back"], 0xa939_14f3_ee50_5a23),
    (&["dpm/hopper.ok.dpm"], &["--frame", "0:1"], 0xacf6_93e7_f828_a1fb),
    (&["dpm/pair.ok.zym"], &["--overlay", "wireframe"], 0x358f_bc83_81bc_33ee),
    (&["fsomodel/fighter.ok.fom"], &["--overlay", "bounds"], 0x12c0_b7a3_ab69_2ff8),
    (&["fsomodel/triangle.ok.fom"], &["--view", "normals", "--camera", "front"], 0x1c8b_bf71_93f6_a7f5),
    (
        &["tso/flower.ok.mesh", "tso/flower.ok.skel", "tso/sway.ok.anim"],
        &["--frame", "0:1"],
        0x2607_b445_d42a_7d90,
    ),
    (
        &["tso/flower.ok.mesh", "tso/flower.ok.skel"],
        &["--view", "uv", "--background", "none"],
        0x4eb2_0cee_3977_040e,
    ),
    (&["tso/flag.ok.skn"], &["--overlay", "bones"], 0x1516_c9a1_360c_88e7),
    (&["iqm/tube.ok.iqm"], &["--overlay", "bones,normals"], 0x10f1_6e20_884c_10dd),
    (&["iqm/sheet.ok.iqm"], &["--view", "unlit", "--background", "#102030"], 0x66a6_35c8_25f5_eb21),
    (&["gltf/arm.ok.glb"], &["--overlay", "bones,names"], 0xcb01_1c7f_3a03_175a),
    (&["gltf/quantized.ok.glb"], &["--camera", "20,20,1.5"], 0xff98_bbaf_d01b_174c),
];

#[test]
fn pictures_of_the_fixtures_are_the_same_everywhere() {
    let dir = TempDir::new().unwrap();
    let mut wrong = Vec::new();
    for (i, (files, options, kept)) in KEPT.iter().enumerate() {
        let out = dir.path().join(format!("{i}.png"));
        let files = files.iter().map(|f| fixture(f));
        let words = ["render".to_owned()].into_iter().chain(files);
        let words = words.chain(["-q", "--size", "96", "-o", out.to_str().unwrap()].map(str::to_owned));
        let done = run(words.chain(options.iter().map(|o| (*o).to_owned())));
        assert_eq!(code(&done), 0, "{}", stderr(&done));
        let (_, _, frames) = decoded(&out);
        let first = &frames[0][..4];
        assert!(frames[0].chunks(4).any(|p| p != first), "{i}: nothing is drawn");
        let found = hash(&out);
        if found != *kept {
            wrong.push(format!("{}: {found:#x}", KEPT[i].0[0]));
        }
        if let Some(folder) = std::env::var_os("MESHWRIGHT_SHOW") {
            fs::copy(&out, PathBuf::from(folder).join(format!("kept-{i}.png"))).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn clips_and_turntables_are_animations_or_strips() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("x.png");
    let model = fixture("dpm/hopper.ok.dpm");
    let drawn = |options: &[&str]| {
        let words = ["render", &model, "-q", "--size", "40x30", "-o", out.to_str().unwrap()];
        let done = run(words.iter().chain(options));
        assert_eq!(code(&done), 0, "{}", stderr(&done));
        decoded(&out)
    };
    let (width, height, frames) = drawn(&["--turntable", "5"]);
    assert_eq!((width, height, frames.len()), (40, 30, 5));
    assert_ne!(frames[0], frames[2]);
    let (.., frames) = drawn(&["--clip", "0"]);
    assert!(frames.len() > 1 && frames.iter().any(|f| *f != frames[0]));
    // An animation needs memory for one image, whatever its length: 200 would need 3.3 MB.
    let long = dir.path().join("long.png");
    let limits = ["--turntable", "200", "--size", "64", "--max-memory", "3M", "-q"];
    let done = run(["render", &model, "-o", long.to_str().unwrap()].iter().chain(&limits));
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    assert_eq!(decoded(&long).2.len(), 200);
    let (width, height, frames) = drawn(&["--clip", "0", "--strip", "3", "--turntable", "3"]);
    assert_eq!((width, height, frames.len()), (6 + 3 * 46, 6 + 36, 1));
    let refused = |options: &[&str], why: &str| {
        let words = ["render", &model, "-q", "-o", out.to_str().unwrap()];
        let done = run(words.iter().chain(options));
        assert_eq!(code(&done), 2, "{options:?}: {}", stderr(&done));
        assert!(stderr(&done).contains(why), "{}", stderr(&done));
    };
    refused(&["--clip", "no such"], "no clip no such");
    refused(&["--frame", "0:999999"], "no such frame");
    refused(&["--strip", "3"], "--strip needs");
    refused(&["--camera", "above"], "three-quarter");
    refused(&["--level", "7"], "--level 7");
}

#[test]
fn a_folder_becomes_pictures_or_a_sheet() {
    let dir = TempDir::new().unwrap();
    let models = dir.path().join("models");
    fs::create_dir(&models).unwrap();
    for (from, to) in [
        ("dpm/hopper.ok.dpm", "a.dpm"),
        ("bmd/windmill.ok.bmd", "a.bmd"),
        ("dpm/parent.reject.dpm", "broken.dpm"),
    ] {
        fs::copy(fixture(from), models.join(to)).unwrap();
    }
    fs::write(models.join("readme.txt"), "no model").unwrap();
    let (folder, sheet) = (dir.path().join("out"), dir.path().join("sheet.png"));
    let models = models.to_str().unwrap();
    let done = run(["render", models, "--size", "32", "-o", folder.to_str().unwrap()]);
    assert_eq!(code(&done), 1, "{}", stderr(&done));
    assert_eq!(names(&folder), ["a.bmd.png", "a.dpm.png"]);
    let done =
        run(["render", models, "--sheet", "--size", "32", "-o", sheet.to_str().unwrap(), "--format", "json"]);
    assert_eq!(code(&done), 1, "{}", stderr(&done));
    let (width, height, _) = decoded(&sheet);
    // The broken model has a cell too, which says why it is empty.
    assert_eq!((width, height), (6 + 2 * 38, 6 + 2 * 62));
    let json: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&json["summary"]["done"], &json["summary"]["failed"]), (&2.into(), &1.into()));
}

#[test]
fn skins_are_chosen_by_number() {
    let dir = TempDir::new().unwrap();
    skinned_quad(dir.path(), "quad.dpm");
    let (model, out) = (dir.path().join("quad.dpm"), dir.path().join("x.png"));
    let drawn = |options: &[&str]| {
        let words =
            ["render", model.to_str().unwrap(), "--size", "40", "--view", "unlit", "--camera", "35,60"];
        let done = run(words.iter().chain(options).chain(&["-o", out.to_str().unwrap()]));
        assert_eq!(code(&done), 0, "{}", stderr(&done));
        let (.., frames) = decoded(&out);
        let count = |color: [u8; 3]| frames[0].chunks(4).filter(|p| p[..3] == color).count();
        (count([255, 0, 0]) > 50, count([0, 0, 255]) > 50, stderr(&done))
    };
    let (red, blue, said) = drawn(&[]);
    assert!(red && !blue, "{said}");
    let (red, blue, said) = drawn(&["--skin", "1"]);
    assert!(!red && blue, "{said}");
    let (red, blue, _) = drawn(&["--skin", "1", "--no-textures"]);
    assert!(!red && !blue);
    assert!(drawn(&["--skin", "7"]).2.contains("skin-not-found"));
}

#[test]
fn two_models_are_compared_by_their_pictures() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("x.png");
    let (hopper, quad) = (fixture("dpm/hopper.ok.dpm"), fixture("dpm/quad.ok.dpm"));
    let compared = |one: &str, other: &str| {
        let words = ["diff", one, other, "--format", "json", "--picture", out.to_str().unwrap()];
        let done = run(words);
        let json: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        (code(&done), json["picture"].clone())
    };
    let (status, picture) = compared(&hopper, &hopper);
    assert_eq!((status, &picture["differing"], &picture["largest"]), (0, &0.into(), &0.into()));
    let (width, height, frames) = decoded(&out);
    assert_eq!((width, height, frames.len()), (6 + 3 * 518, 6 + 512 + 14 + 6, 1));
    // Both halves show the same, and nothing in the third is red.
    let red = |pixel: &[u8]| pixel[0] > 180 && pixel[1] < 130;
    let reds = |frame: &[u8]| frame.chunks(4).filter(|p| red(p)).count() as u64;
    assert_eq!(reds(&frames[0]), 0);
    let (status, picture) = compared(&hopper, &quad);
    assert_eq!((status, &picture["pixels"]), (1, &(512 * 512).into()));
    let (.., frames) = decoded(&out);
    let differing = picture["differing"].as_u64().unwrap();
    assert!(differing > 10_000 && reds(&frames[0]) == differing, "{differing}, {}", reds(&frames[0]));
    let said = run(["diff", &hopper, &quad, "--picture", out.to_str().unwrap()]);
    assert!(
        crate::common::stdout(&said).contains(&format!("{differing} of 262144 pixels differ")),
        "{said:?}"
    );
    let done = run(["diff", &hopper, &quad, "--picture", "x.bmp"]);
    assert_eq!(code(&done), 2, "{}", stderr(&done));
    // An input is not overwritten.
    let model = dir.path().join("model.png");
    fs::copy(&quad, &model).unwrap();
    let model = model.to_str().unwrap();
    let done = run(["diff", model, &hopper, "--picture", model]);
    assert_eq!(code(&done), 2, "{}", stderr(&done));
    assert_eq!(fs::read(model).unwrap(), fs::read(&quad).unwrap());
}
