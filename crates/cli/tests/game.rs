//! Converts glTF documents to formats of games, with the options of this conversion.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

use crate::common::{args, code, demo, names, run, stderr, stdout};
use meshwright::gltf::{ExportOptions, export};
use meshwright::scene::{Image, Material, MaterialId, Mesh, MeshId, Node, Scene};
use meshwright::{Format, Opener};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

fn convert(input: &Path, output: &Path, more: &[&str]) -> Output {
    let mut words = args(&["convert"]);
    words.extend([input.into(), "-o".into(), output.into()]);
    words.extend(args(more));
    run(words)
}

fn done(input: &Path, output: &Path, more: &[&str]) -> String {
    let output = convert(input, output, more);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stderr(&output)
}

fn scene(path: &Path) -> Scene {
    let tree = meshwright::files::Tree::open(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let asset = Opener::new().open_in(&tree, name).unwrap();
    asset.scene().unwrap().value
}

/// Returns the name, rate, number of frames and looping of each clip.
fn playback(scene: &Scene) -> Vec<(String, f32, u32, bool)> {
    scene.clips.iter().map(|c| (c.name.clone(), c.rate, c.frames, c.looping)).collect()
}

#[test]
fn a_document_becomes_a_model_of_every_game() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    for (name, also) in [("m.glb", None), ("n.gltf", Some(".bin"))] {
        done(&demo(), &at(name), &[]);
        let beside = names(dir.path());
        assert!(also.is_none_or(|end| beside.iter().any(|n| n.ends_with(end))), "{beside:?}");
        for command in [&["info"][..], &["check"], &["dump"]] {
            let mut words = args(command);
            words.push(at(name).into());
            let output = run(words);
            assert_eq!(code(&output), 0, "{command:?} {name}: {}", stderr(&output));
            assert!(command != ["info"] || stdout(&output).contains(": glTF 2.0\n"), "{}", stdout(&output));
        }
        let formats = Format::ALL.iter().filter(|f| f.holds_model() && f.id() != "gltf");
        for format in formats {
            let out = at(&format!("out.{}", format.extensions()[0]));
            done(&at(name), &out, &["--to", format.id()]);
            let check = run([Path::new("check"), &out]);
            assert_eq!(code(&check), 0, "{format}: {}{}", stdout(&check), stderr(&check));
        }
        let again = at("again.glb");
        done(&at(name), &again, &[]);
        assert_eq!(playback(&scene(&again)), playback(&scene(&at(name))));
    }
    let (first, back) = (scene(&demo()), scene(&at("out.dpm")));
    assert_eq!(first.skeletons[0].joints.len(), back.skeletons[0].joints.len());
    assert!(at("out.dpm.framegroups").is_file());
    assert_eq!(playback(&first), playback(&back));
}

#[test]
fn a_folder_of_documents_is_converted() {
    let (dir, out) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::create_dir(dir.path().join("sub")).unwrap();
    done(&demo(), &dir.path().join("a.glb"), &[]);
    done(&demo(), &dir.path().join("sub/b.gltf"), &[]);
    let said = done(dir.path(), &out.path().join("dpm"), &["--to", "dpm"]);
    assert!(said.contains("2 converted"), "{said}");
    assert_eq!(names(&out.path().join("dpm")), ["a.dpm", "a.dpm.framegroups", "sub"]);
    assert_eq!(names(&out.path().join("dpm/sub")), ["b.dpm", "b.dpm.framegroups"]);
}

#[test]
fn what_a_document_names_and_is_not_there_is_an_error() {
    let dir = TempDir::new().unwrap();
    let text = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"not%20there.bin"}]}"#;
    let path = dir.path().join("a.gltf");
    fs::write(&path, text).unwrap();
    for command in [&["info"][..], &["check"], &["dump"], &["convert", "--to=dpm", "-o-"]] {
        let mut words = args(command);
        words.push(path.clone().into());
        let output = run(words);
        let said = stdout(&output) + &stderr(&output);
        assert_eq!(code(&output), 1, "{command:?}: {said}");
        assert!(said.contains("buffer-missing") && said.contains("not there.bin"), "{command:?}: {said}");
    }
}

#[test]
fn a_scale_that_an_export_states_is_divided_out_unless_one_is_given() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    let extent = |path: &Path| {
        let scene = scene(path);
        scene.meshes[0].positions.iter().flatten().fold(0.0_f32, |m, c| m.max(c.abs()))
    };
    done(&demo(), &at("m.glb"), &["--scale", "0.0254"]);
    let own = extent(&demo());
    let near = |a: f32, b: f32| (a - b).abs() <= 1e-5 * own;
    assert!(near(extent(&at("m.glb")), own * 0.0254));
    let said = done(&at("m.glb"), &at("plain.dpm"), &[]);
    assert!(said.contains("0.0254"), "{said}");
    assert!(near(extent(&at("plain.dpm")), own));
    done(&at("m.glb"), &at("kept.dpm"), &["--scale", "1"]);
    assert!(near(extent(&at("kept.dpm")), own * 0.0254));
    done(&at("m.glb"), &at("twice.dpm"), &["--scale", "2"]);
    assert!(near(extent(&at("twice.dpm")), own * 0.0508));
    // Another document keeps lengths, and says what they were multiplied by.
    done(&at("m.glb"), &at("n.glb"), &[]);
    assert!(near(extent(&at("n.glb")), own * 0.0254));
    done(&at("n.glb"), &at("after.dpm"), &[]);
    assert!(near(extent(&at("after.dpm")), own));
}

#[test]
fn clips_are_resampled_at_a_rate_that_is_given() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    done(&demo(), &at("m.glb"), &[]);
    done(&at("m.glb"), &at("m.dpm"), &["--fps", "60"]);
    let (before, after) = (scene(&demo()), scene(&at("m.dpm")));
    for (before, after) in before.clips.iter().zip(&after.clips) {
        assert_eq!(after.rate, 60.0);
        let seconds = |c: &meshwright::scene::Clip| f64::from(c.frames.saturating_sub(1)) / f64::from(c.rate);
        assert!((seconds(before) - seconds(after)).abs() <= 1.0 / 60.0 + 1e-6, "{before:?} {after:?}");
    }
    for wrong in ["0", "-5", "nan", "x"] {
        assert_eq!(code(&convert(&at("m.glb"), &at("x.dpm"), &["--fps", wrong])), 2, "{wrong}");
    }
}

#[test]
fn a_dry_run_tells_and_writes_nothing() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    done(&demo(), &at("m.glb"), &[]);
    let before = names(dir.path());
    let output = convert(&at("m.glb"), &at("m.bmd"), &["--dry-run"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let dry = stderr(&output);
    assert!(
        stdout(&output).contains("m.bmd: ") && stdout(&output).contains(" bytes\n"),
        "{}",
        stdout(&output)
    );
    let dpm = stdout(&convert(&at("m.glb"), &at("new/deep/m.dpm"), &["--dry-run"]));
    assert!(dpm.contains("m.dpm.framegroups: "), "{dpm}");
    let folder = convert(dir.path(), &at("out/"), &["--dry-run", "--to", "zym"]);
    assert!(stderr(&folder).contains("1 would be converted"), "{}", stderr(&folder));
    let json = convert(&at("m.glb"), &at("m.bmd"), &["--dry-run", "--format", "json"]);
    let json: Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert!(json["files"][0]["output"][0].as_str().unwrap().ends_with("m.bmd"), "{json}");
    assert_eq!(names(dir.path()), before);
    // A dry run prints the same losses and sizes as a real run.
    let real = done(&at("m.glb"), &at("m.bmd"), &[]);
    let (wrote, losses) = real.split_once('\n').unwrap();
    assert!(wrote.starts_with("wrote ") && wrote.contains("m.bmd (1.6 KiB)"), "{wrote}");
    assert_eq!(losses, dry);
    let size = fs::metadata(at("m.bmd")).unwrap().len();
    assert!(stdout(&output).contains(&format!("m.bmd: {size} bytes")), "{}", stdout(&output));
    // It refuses what a real run refuses.
    assert_eq!(code(&convert(&at("m.glb"), &at("m.glb"), &["--dry-run"])), 2);
}

/// Returns a quad with two pictures, one of them under a name with folders.
fn pictured(path: &Path) -> Vec<u8> {
    let png: Vec<u8> = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82".to_vec();
    let image = Image::new("wood", "image/png", png.clone());
    let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let uvs = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let mesh = |name: &str, material| {
        let mesh = Mesh::new(name, corners.clone(), vec![[0, 1, 2]]).with_uvs(uvs.clone());
        mesh.with_material(MaterialId(material))
    };
    let scene = Scene::new("quad")
        .with_meshes(vec![mesh("a", 0), mesh("b", 1)])
        .with_nodes(vec![Node::of_mesh("a", MeshId(0)), Node::of_mesh("b", MeshId(1))])
        .with_materials(vec![
            Material::named("models/wood.tga").with_image(image.clone()),
            Material::named("plain").with_image(image),
        ]);
    fs::write(path, export(&scene, &ExportOptions::default()).unwrap().value.to_glb()).unwrap();
    png
}

#[test]
fn pictures_lie_beside_under_the_names_that_engines_look_for() {
    let dir = TempDir::new().unwrap();
    let glb = dir.path().join("q.glb");
    let png = pictured(&glb);
    for extension in ["dpm", "zym", "bmd", "fom"] {
        let out = dir.path().join(extension);
        fs::create_dir(&out).unwrap();
        let said = done(&glb, &out.join(format!("q.{extension}")), &[]);
        assert!(!said.contains("no images"), "{extension}: {said}");
        for name in ["wood.png", "plain.png"] {
            assert_eq!(fs::read(out.join(name)).unwrap(), png, "{extension}: {name}");
        }
        let bare = dir.path().join(format!("bare-{extension}"));
        fs::create_dir(&bare).unwrap();
        done(&glb, &bare.join(format!("q.{extension}")), &["--no-textures"]);
        assert!(!names(&bare).iter().any(|n| n.ends_with(".png")), "{:?}", names(&bare));
    }
    // The model finds its picture again.
    let again = dir.path().join("again.glb");
    done(&dir.path().join("dpm/q.dpm"), &again, &[]);
    assert!(scene(&again).materials.iter().all(|m| m.image.as_ref().is_some_and(|i| *i.bytes == png)));
}

#[test]
fn the_sims_1_gets_pictures_with_palettes() {
    let dir = TempDir::new().unwrap();
    let glb = dir.path().join("q.glb");
    pictured(&glb);
    for extension in ["skn", "bmf"] {
        let out = dir.path().join(extension);
        fs::create_dir(&out).unwrap();
        let said = done(&glb, &out.join(format!("q.{extension}")), &[]);
        assert!(!said.contains("no images"), "{extension}: {said}");
        for name in ["wood.bmp", "plain.bmp"] {
            let bmp = fs::read(out.join(name)).unwrap();
            // 8 bits a pixel; the one pixel is in a full palette.
            assert_eq!((&bmp[..2], &bmp[28..30], bmp.len()), (&b"BM"[..], &[8, 0][..], 14 + 40 + 1024 + 4));
        }
    }
}

#[test]
fn iqm_has_neighbours_and_tangents_where_they_are_asked_for() {
    use meshwright::iqm::Iqm;
    let dir = TempDir::new().unwrap();
    let glb = dir.path().join("q.glb");
    pictured(&glb);
    let made = |words: &[&str]| {
        let out = dir.path().join("q.iqm");
        done(&glb, &out, words);
        Iqm::parse(&fs::read(out).unwrap()).unwrap()
    };
    let (plain, full) = (made(&[]), made(&["--adjacency", "--tangents"]));
    assert!(plain.adjacency.is_none());
    assert_eq!(full.adjacency.unwrap().len(), full.triangles.len());
    assert!(full.arrays.len() >= plain.arrays.len() && full.arrays.iter().any(|a| a.components == 4));
}

#[test]
fn clips_of_an_iqm_may_be_in_files_of_their_own() {
    use meshwright::iqm::Iqm;
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    let tube = meshwright_testkit::testdata().join("iqm/tube.ok.iqm");
    let whole = scene(&tube);
    done(&tube, &at("body.iqm"), &["--clip-files"]);
    let files = names(dir.path());
    assert_eq!(files.len(), 1 + whole.clips.len(), "{files:?}");
    let body = Iqm::parse(&fs::read(at("body.iqm")).unwrap()).unwrap();
    assert!(body.frame_count == 0 && !body.joints.is_empty());
    // A model without its clips keeps its skeleton.
    done(&at("body.iqm"), &at("still.glb"), &[]);
    let still = scene(&at("still.glb"));
    assert!(still.clips.is_empty() && still.meshes[0].skin.is_some());
    let clips: Vec<_> = files.iter().filter(|name| name.starts_with("body_")).collect();
    let one = at(clips[0]);
    done(&at("body.iqm"), &at("one.glb"), &["--anim", one.to_str().unwrap()]);
    assert_eq!(scene(&at("one.glb")).clips.len(), 1);
    // All of a folder, or those that the game's script names.
    done(&at("body.iqm"), &at("all.glb"), &["--anim", dir.path().to_str().unwrap()]);
    assert_eq!(playback(&scene(&at("all.glb"))), playback(&whole));
    let lines: String = clips.iter().map(|clip| format!("iqmanim \"x\" \"{clip}\"\n")).collect();
    fs::write(at("iqm.cfg"), format!("iqmload \"body.iqm\"\n{lines}")).unwrap();
    done(&at("body.iqm"), &at("kept.glb"), &["--keep-native"]);
    assert_eq!(playback(&scene(&at("kept.glb"))), playback(&whole));
    // Nobody edited anything: the files are as they were.
    fs::create_dir(at("back")).unwrap();
    done(&at("kept.glb"), &at("back/body.iqm"), &[]);
    assert_eq!(fs::read(at("back/body.iqm")).unwrap(), fs::read(at("body.iqm")).unwrap());
    // An edit of one clip changes its file, and no other.
    done(&at("body.iqm"), &at("kept.gltf"), &["--keep-native"]);
    let clip = &whole.clips[0].name;
    let text = fs::read_to_string(at("kept.gltf")).unwrap();
    let edited = text.replace(&format!("\"name\":\"{clip}\""), "\"name\":\"edited\"");
    assert_ne!(text, edited);
    fs::write(at("kept.gltf"), edited).unwrap();
    fs::create_dir(at("edited")).unwrap();
    done(&at("kept.gltf"), &at("edited/body.iqm"), &[]);
    assert_eq!(fs::read(at("edited/body.iqm")).unwrap(), fs::read(at("body.iqm")).unwrap());
    // All companion files are written; the unedited one has the same bytes.
    let read = |folder: &str, name: &str| fs::read(at(folder).join(name)).unwrap();
    let changed: Vec<_> = clips.iter().filter(|name| read("edited", name) != read(".", name)).collect();
    assert_eq!((names(&at("edited")).len(), changed.len()), (3, 1), "{changed:?}");
    let again = Iqm::parse(&read("edited", changed[0])).unwrap();
    assert_eq!(again.str(again.anims[0].name), b"edited");
    let other = convert(
        &at("body.iqm"),
        &at("x.glb"),
        &["--anim", tube.with_file_name("motion.ok.iqm").to_str().unwrap()],
    );
    assert!(code(&other) == 0 || stderr(&other).contains("motion.ok.iqm"), "{}", stderr(&other));
}

#[test]
fn numbers_of_the_sims_come_from_names_or_are_given() {
    let dir = TempDir::new().unwrap();
    let glb = dir.path().join("q.glb");
    let png = pictured(&glb);
    let folder = |name: &str| {
        let path = dir.path().join(name);
        fs::create_dir(&path).unwrap();
        path
    };
    let plain = folder("plain");
    let said = done(&glb, &plain.join("q.mesh"), &[]);
    assert!(said.contains("no .bnd was written"), "{said}");
    assert_eq!(names(&plain), ["q-b.mesh", "q.mesh"]);
    let given = folder("given");
    let said = done(&glb, &given.join("q.mesh"), &["--tso-id", "0x10"]);
    assert!(!said.contains("no .bnd was written"), "{said}");
    assert_eq!(
        names(&given),
        ["q-b.bnd", "q-b.mesh", "q.000000100000000e.png", "q.000000110000000e.png", "q.bnd", "q.mesh"]
    );
    assert_eq!(fs::read(given.join("q.000000100000000e.png")).unwrap(), png);
    let bnd = |name: &str| meshwright::tso::Bnd::parse(&fs::read(given.join(name)).unwrap()).unwrap();
    let tags = |name: &str| (bnd(name).mesh.unwrap().tag(), bnd(name).texture.unwrap().tag());
    assert_eq!(tags("q.bnd"), ("0000001000000009".into(), "000000100000000e".into()));
    assert_eq!(tags("q-b.bnd"), ("0000001100000009".into(), "000000110000000e".into()));
    // The name of the file says the number of the mesh.
    let named = folder("named");
    done(&glb, &named.join("q.0000000700000009.mesh"), &["--tso-id", "16"]);
    let bytes = fs::read(named.join("q.0000000700000009.bnd")).unwrap();
    assert_eq!(meshwright::tso::Bnd::parse(&bytes).unwrap().mesh.unwrap().tag(), "0000000700000009");
    assert_eq!(code(&convert(&glb, &given.join("x.mesh"), &["--tso-id", "no"])), 2);
}

#[test]
fn an_engine_is_one_that_reads_the_format() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("m.dpm");
    for engine in ["darkplaces", "fte", "dpmodel"] {
        done(&demo(), &out, &["--for", engine]);
    }
    for (engine, output) in [("bgbtech", "m.dpm"), ("darkplaces", "m.bmd"), ("doom", "m.dpm")] {
        let output = convert(&demo(), &dir.path().join(output), &["--for", engine]);
        assert_eq!(code(&output), 2, "{engine}: {}", stderr(&output));
    }
}
