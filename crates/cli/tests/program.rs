//! The program as its users run it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a failing test panics"
)]

use crate::common::{code, demo, program, run, stderr, stdout};
use meshwright::Opener;
use meshwright_testkit::testdata;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tempfile::TempDir;

/// Returns all fixtures of one kind.
fn fixtures(word: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in fs::read_dir(testdata()).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.contains(&format!(".{word}."))
                && !name.ends_with(".framegroups")
                && !name.ends_with(".json")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty());
    found
}

#[test]
fn every_sound_fixture_is_rewritten_byte_for_byte() {
    let dir = TempDir::new().unwrap();
    // A rewrite of a glTF document has other bytes.
    let sound = fixtures("ok").into_iter().chain(fixtures("warn"));
    for path in &sound.filter(|path| !path.components().any(|c| c.as_os_str() == "gltf")).collect::<Vec<_>>()
    {
        let out = dir.path().join(path.file_name().unwrap());
        let result = run([
            OsStr::new("convert"),
            path.as_os_str(),
            OsStr::new("-o"),
            out.as_os_str(),
            OsStr::new("-q"),
        ]);
        assert_eq!(code(&result), 0, "{}: {}", path.display(), stderr(&result));
        assert_eq!(fs::read(path).unwrap(), fs::read(out).unwrap(), "{}", path.display());
    }
}

/// Returns true if the library finds an error in a file that it reads.
fn has_errors(path: &Path) -> bool {
    Opener::new().open(path).unwrap().check().has_errors()
}

#[test]
fn check_finds_what_the_fixtures_are_named_for() {
    for (word, plain) in [("ok", 0), ("warn", 0), ("reject", 1)] {
        for path in fixtures(word) {
            let result = run([OsStr::new("check"), path.as_os_str()]);
            // A file that is read may have an error all the same: glTF forbids what its readers pass over.
            let plain = plain.max(i32::from(word == "warn" && has_errors(&path)));
            assert_eq!(code(&result), plain, "{}: {}", path.display(), stdout(&result));
            let denying = run([OsStr::new("check"), OsStr::new("--deny-warnings"), path.as_os_str()]);
            // A fixture may be one for a finding that is no more than information.
            let denied = i32::from(plain == 1 || stdout(&result).contains("warning["));
            assert_eq!(code(&denying), denied, "{}: {}", path.display(), stdout(&result));
            assert!(word == "ok" || stdout(&result).contains('['), "{}: no finding", path.display());
        }
    }
}

#[test]
fn a_rejected_file_is_refused_with_code_offset_path_and_hex() {
    let path = testdata().join("dpm/parent.reject.dpm");
    let result = run([
        OsStr::new("convert"),
        path.as_os_str(),
        OsStr::new("-o"),
        OsStr::new("-"),
        OsStr::new("--to"),
        OsStr::new("glb"),
    ]);
    assert_eq!(code(&result), 1);
    let text = stderr(&result);
    assert!(
        text.contains("error[bad-parent]") && text.contains("].parent:") && text.contains("(offset 0x"),
        "{text}"
    );
    assert!(text.contains("^^"), "{text}");
    assert!(result.stdout.is_empty());

    let result = run([OsStr::new("check"), OsStr::new("--format"), OsStr::new("json"), path.as_os_str()]);
    let json: Value = serde_json::from_slice(&result.stdout).unwrap();
    let finding = &json["files"][0]["findings"][0];
    assert_eq!(finding["code"], "bad-parent");
    assert!(finding["offset"].is_u64() && finding["path"].as_str().unwrap().ends_with(".parent"));
}

#[test]
fn convert_writes_glb_gltf_and_obj() {
    let dir = TempDir::new().unwrap();
    for (name, other) in [("a.glb", None), ("a.gltf", Some("bin")), ("a.obj", Some("mtl"))] {
        let out = dir.path().join(name);
        let result = run([OsStr::new("convert"), demo().as_os_str(), OsStr::new("-o"), out.as_os_str()]);
        assert_eq!(code(&result), 0, "{}", stderr(&result));
        assert!(fs::metadata(&out).unwrap().len() > 100);
        let is_other = |name: &String| name.rsplit_once('.').map(|n| n.1) == other;
        assert_eq!(crate::common::names(dir.path()).iter().any(is_other), other.is_some(), "{name}");
    }
    let glb = fs::read(dir.path().join("a.glb")).unwrap();
    assert_eq!(&glb[..4], b"glTF");
    let (document, _) = glb[20..].split_at(u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize);
    let json: Value = serde_json::from_slice(document).unwrap();
    assert_eq!(json["skins"].as_array().unwrap().len(), 1);
    assert!(!json["animations"].as_array().unwrap().is_empty());
}

#[test]
fn lengths_are_scaled_and_unused_vertices_dropped() {
    let folder = TempDir::new().unwrap();
    let json = |input: &Path, more: &[&str]| {
        let out = folder.path().join("out.gltf");
        let mut words = vec!["convert".into(), input.into(), "-o".into(), out.clone().into_os_string()];
        words.extend(crate::common::args(more));
        let done = run(words);
        assert_eq!(code(&done), 0, "{}", stderr(&done));
        let gltf: Value = serde_json::from_slice(&fs::read(out).unwrap()).unwrap();
        (gltf, stderr(&done))
    };
    let positions = |gltf: &Value| {
        let accessor = gltf["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap();
        gltf["accessors"][usize::try_from(accessor).unwrap()].clone()
    };
    let (whole, _) = json(&demo(), &[]);
    let (scaled, _) = json(&demo(), &["--scale", "0.5"]);
    let largest = |gltf: &Value| -> Vec<f64> {
        positions(gltf)["max"].as_array().unwrap().iter().filter_map(Value::as_f64).collect()
    };
    let (whole, half) = (largest(&whole), largest(&scaled));
    assert!(whole.iter().zip(&half).all(|(a, b)| (a * 0.5 - b).abs() < 1e-6), "{whole:?} {half:?}");
    let told = scaled["scenes"][0]["extras"]["meshwright"].as_str().unwrap();
    assert!(told.contains("\"scale\":0.5") && told.contains("\"format\":\"dpm\""), "{told}");
    for wrong in ["0", "-1", "x", "inf"] {
        let done = run(["convert", "x.dpm", "-o", "x.glb", "--scale", wrong].map(OsString::from));
        assert_eq!(code(&done), 2, "{wrong}");
    }
    // The same for a rewrite in the model's own format.
    let own = folder.path().join("own.dpm");
    let mut words =
        vec!["convert".into(), demo().into_os_string(), "-o".into(), own.clone().into_os_string()];
    words.extend(crate::common::args(&["--scale", "0.5"]));
    assert_eq!(code(&run(words)), 0);
    let (again, _) = json(&own, &[]);
    let again = largest(&again);
    assert!(again.iter().zip(&half).all(|(a, b)| (a - b).abs() < 1e-5), "{again:?} {half:?}");
    // Vertices that no triangle uses.
    let mut model = meshwright::dpm::Dpm::parse(&fs::read(demo()).unwrap()).unwrap();
    Arc::make_mut(&mut model.meshes[0].triangles).truncate(1);
    Arc::make_mut(&mut model.meshes[0].groupids).truncate(1);
    let loose = folder.path().join("loose.dpm");
    fs::write(&loose, model.to_bytes().unwrap()).unwrap();
    let (kept, said) = json(&loose, &[]);
    assert!(said.contains("--prune"), "{said}");
    let (pruned, said) = json(&loose, &["--prune"]);
    assert!(said.contains("vertices-pruned") && !said.contains("vertices-unused"), "{said}");
    let count = |gltf: &Value| positions(gltf)["count"].as_u64().unwrap();
    assert!(count(&pruned) < count(&kept));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let once = run([OsStr::new("convert"), demo().as_os_str(), OsStr::new("-o-"), OsStr::new("--to=glb")]);
    let twice = run([OsStr::new("convert"), demo().as_os_str(), OsStr::new("-o-"), OsStr::new("--to=glb")]);
    assert_eq!(code(&once), 0, "{}", stderr(&once));
    assert!(once.stdout == twice.stdout && !once.stdout.is_empty());
}

#[test]
fn standard_input_is_a_file_too() {
    let mut child = program()
        .args(["convert", "-", "-o", "-", "--to", "dpm"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = fs::read(demo()).unwrap();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let result = child.wait_with_output().unwrap();
    assert_eq!(code(&result), 0);
    assert_eq!(result.stdout, bytes);
}

#[test]
fn a_failed_run_leaves_what_was_there() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("out.glb");
    fs::write(&out, b"precious").unwrap();
    let bad = testdata().join("dpm/parent.reject.dpm");
    let result = run([OsStr::new("convert"), bad.as_os_str(), OsStr::new("-o"), out.as_os_str()]);
    assert_eq!(code(&result), 1);
    assert_eq!(fs::read(&out).unwrap(), b"precious");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn output_over_input_keeps_the_model() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("m.dpm");
    fs::copy(demo(), &path).unwrap();
    let result = run([OsStr::new("convert"), path.as_os_str(), OsStr::new("-o"), path.as_os_str()]);
    assert_eq!(code(&result), 0, "{}", stderr(&result));
    assert_eq!(fs::read(&path).unwrap(), fs::read(demo()).unwrap());
}

#[test]
fn folders_keep_their_tree() {
    let dir = TempDir::new().unwrap();
    let models = dir.path().join("in/sub");
    fs::create_dir_all(&models).unwrap();
    fs::copy(demo(), models.join("a.dpm")).unwrap();
    fs::copy(demo(), dir.path().join("in/b.dpm")).unwrap();
    fs::write(dir.path().join("in/readme.txt"), b"not a model").unwrap();
    let out = dir.path().join("out");
    let args = [
        OsStr::new("convert"),
        dir.path().join("in").as_os_str(),
        OsStr::new("-o"),
        Path::new(&format!("{}/", out.display())).as_os_str(),
        OsStr::new("--format=json"),
    ]
    .map(OsStr::to_owned);
    let result = run(args);
    assert_eq!(code(&result), 0, "{}", stderr(&result));
    assert!(out.join("sub/a.glb").is_file() && out.join("b.glb").is_file());
    let json: Value = serde_json::from_slice(&result.stdout).unwrap();
    assert_eq!(json["files"].as_array().unwrap().len(), 2);
}

#[test]
fn a_folder_is_rewritten_as_often_as_one_likes() {
    let dir = TempDir::new().unwrap();
    for name in ["a.dpm", "a.dpm.framegroups", "a.png", "b.DPM"] {
        fs::copy(demo(), dir.path().join(name)).unwrap();
    }
    fs::write(dir.path().join("a.dpm.framegroups"), "").unwrap();
    fs::write(dir.path().join("a.png"), "").unwrap();
    for _ in 0..2 {
        let mut command = program();
        let output = command.current_dir(dir.path()).args(["convert", ".", "--to=dpm", "-o", "out/"]);
        let output = output.output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(crate::common::names(&dir.path().join("out")), ["a.dpm", "a.dpm.framegroups", "b.DPM"]);
    }
    // Beside the models too, where what the first run wrote is what another would write.
    fs::remove_dir_all(dir.path().join("out")).unwrap();
    for _ in 0..2 {
        let output = program().current_dir(dir.path()).args(["convert", ".", "-o", "."]).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let names = crate::common::names(dir.path());
        assert_eq!(names, ["a.dpm", "a.dpm.framegroups", "a.glb", "a.png", "b.DPM", "b.glb"]);
    }
}

#[test]
fn the_only_model_of_a_folder_may_become_a_file() {
    let dir = TempDir::new().unwrap();
    let (models, out) = (dir.path().join("in"), dir.path().join("m.glb"));
    fs::create_dir(&models).unwrap();
    fs::copy(demo(), models.join("m.dpm")).unwrap();
    fs::write(models.join("m.dpm.framegroups"), "1 4 10 1 run\n").unwrap();
    let convert = || {
        let mut words = crate::common::args(&["convert", "-o"]);
        words.extend([out.clone().into(), models.clone().into()]);
        run(words)
    };
    assert_eq!(code(&convert()), 0);
    assert!(fs::read(&out).unwrap().windows(5).any(|w| w == b"\"run\""));
    fs::copy(demo(), models.join("n.dpm")).unwrap();
    assert_eq!(code(&convert()), 2);
}

#[test]
fn the_memory_of_an_obj_can_be_set() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("a #1.obj");
    let convert = |memory: &str| {
        let mut words = crate::common::args(&["convert", "--max-memory", memory, "-o"]);
        words.extend([out.clone().into(), testdata().join("crucible/lighthouse.ok.cmesh").into()]);
        run(words)
    };
    // Enough for the scene.
    let refused = convert("9000");
    assert_eq!(code(&refused), 1, "{}", stderr(&refused));
    assert!(stderr(&refused).contains("error[limit]"), "{}", stderr(&refused));
    assert!(!out.exists());
    assert_eq!(code(&convert("1M")), 0);
    // The materials are where the text says.
    assert!(fs::read_to_string(&out).unwrap().contains("\nmtllib a #1.mtl\n"));
    assert_eq!(crate::common::names(dir.path()), ["a #1.mtl", "a #1.obj"]);
}

#[test]
fn an_obj_does_not_take_the_name_of_its_materials() {
    let dir = TempDir::new().unwrap();
    let mut words = crate::common::args(&["convert", "--to=obj", "-o"]);
    words.extend([dir.path().join("a.mtl").into(), testdata().join("crucible/lighthouse.ok.cmesh").into()]);
    assert_eq!(code(&run(words)), 2);
    assert!(crate::common::names(dir.path()).is_empty());
}

#[test]
fn only_textures_are_looked_for() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    for kind in ["fom", "json"] {
        fs::copy(testdata().join(format!("fsomodel/pairs/fighter.ok.{kind}")), at(&format!("f.{kind}")))
            .unwrap();
    }
    let json = fs::read_to_string(at("f.json")).unwrap();
    assert!(json.contains("\"hull.png\"") && json.contains("\"engine.png\""));
    fs::write(at("f.json"), json.replace("hull.png", "plate.png").replace("engine.png", "fire.png")).unwrap();
    for texture in ["plate.png", "fire.png"] {
        fs::write(at(texture), b"\x89PNG\r\n\x1a\n").unwrap();
    }
    for model in [at("f.fom"), testdata().join("bmd/windmill.ok.bmd")] {
        let mut words = crate::common::args(&["convert", "--textures", "--to=glb", "-o"]);
        words.extend([at("out.glb").into(), model.into()]);
        let output = run(words);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(!stderr(&output).contains("texture-not-found"), "{}", stderr(&output));
    }
}

#[test]
fn wrong_arguments_are_2_and_unusable_files_3() {
    let missing = run(["info", "no/such/file.dpm"]);
    assert_eq!(code(&missing), 3);
    assert_eq!(code(&run(["frobnicate"])), 2);
    assert_eq!(code(&run(["info"])), 2);
    assert_eq!(code(&run(["info", "--as", "nonsense", "x"])), 2);
    assert_eq!(code(&run(["convert", "a.dpm", "-o", "x.nonsense"])), 2);
    assert_eq!(code(&run(["--version"])), 0);
    let dir = TempDir::new().unwrap();
    let unknown = dir.path().join("x.bin");
    fs::write(&unknown, b"no model at all").unwrap();
    assert_eq!(code(&run([OsStr::new("info"), unknown.as_os_str()])), 3);
    let out = dir.path().join("no/such/folder/a.glb");
    let result = run([OsStr::new("convert"), demo().as_os_str(), OsStr::new("-o"), out.as_os_str()]);
    assert_eq!(code(&result), 3, "{}", stderr(&result));
}

#[test]
fn dump_lists_the_poses_that_were_asked_for() {
    let result =
        run([OsStr::new("dump"), demo().as_os_str(), OsStr::new("--pose=0:1"), OsStr::new("--pose=:0")]);
    assert_eq!(code(&result), 0, "{}", stderr(&result));
    let json: Value = serde_json::from_slice(&result.stdout).unwrap();
    let poses = json["meshes"][0]["poses"].as_array().unwrap();
    assert_eq!(poses.len(), 3);
    assert_eq!(poses[1]["clip"], 0);
    // A frame of the file: frame 0 is the rest pose.
    assert_eq!(poses[2]["frame"], 0);
    assert_eq!(poses[2]["positions"], poses[0]["positions"]);
    assert_ne!(poses[1]["positions"], poses[0]["positions"]);
    assert_eq!(code(&run([OsStr::new("dump"), demo().as_os_str(), OsStr::new("--pose=9999:1")])), 2);
}

#[cfg(unix)]
#[test]
fn a_dump_that_nobody_reads_is_no_success() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = program();
    command.arg("dump").arg(demo()).stdout(writer);
    assert_eq!(command.status().unwrap().code(), Some(3));
}

#[test]
fn info_is_one_line_a_file() {
    let result = run([OsStr::new("info"), demo().as_os_str(), demo().as_os_str()]);
    assert_eq!(code(&result), 0);
    assert_eq!(stdout(&result).lines().count(), 2);
    assert!(stdout(&result).contains("DarkPlaces DPM"));
    // Standard error names the companion files.
    let said = stderr(&result);
    assert_eq!(said.lines().filter(|line| !line.contains(": with ")).collect::<Vec<_>>(), ["2 read"]);
}

#[test]
fn optimize_makes_a_bmd_smaller_and_changes_nothing() {
    let dir = TempDir::new().unwrap();
    let (model, out) = (testdata().join("bmd/windmill.ok.bmd"), dir.path().join("small.bmd"));
    let result = run([
        OsStr::new("optimize"),
        // `--compact` writes quads, which some engines misread; without it a model with quads grows.
        OsStr::new("--compact"),
        model.as_os_str(),
        OsStr::new("-o"),
        out.as_os_str(),
        OsStr::new("--format=json"),
    ]);
    assert_eq!(code(&result), 0, "{}", stderr(&result));
    let json: Value = serde_json::from_slice(&result.stdout).unwrap();
    assert!(json["errors"].as_object().unwrap().values().all(|e| e.as_f64() == Some(0.0)));
    assert!(fs::metadata(&out).unwrap().len() < fs::metadata(&model).unwrap().len());
    let dump = |path: &Path| {
        let result = run([OsStr::new("dump"), path.as_os_str(), OsStr::new("--pose=0:1")]);
        serde_json::from_slice::<Value>(&result.stdout).unwrap()
    };
    // The corners of all triangles, at rest and posed, whatever vertices they use.
    let corners = |dump: &Value| {
        let mut found: Vec<String> = Vec::new();
        for mesh in dump["meshes"].as_array().unwrap() {
            for pose in mesh["poses"].as_array().unwrap() {
                for triangle in mesh["triangles"].as_array().unwrap() {
                    let mut corners: Vec<String> = triangle
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|v| pose["positions"][v.as_u64().unwrap() as usize].to_string())
                        .collect();
                    // A triangle may start at another corner.
                    let first = (0..3).min_by_key(|i| corners[*i].clone()).unwrap();
                    corners.rotate_left(first);
                    found.push(format!("{} {} {corners:?}", mesh["material"], pose["frame"]));
                }
            }
        }
        found.sort();
        found
    };
    assert_eq!(corners(&dump(&model)), corners(&dump(&out)));
    let other = testdata().join("tso/flower.ok.mesh");
    assert_eq!(code(&run([OsStr::new("optimize"), other.as_os_str(), OsStr::new("-o-")])), 1);
}

#[test]
fn what_is_no_model_is_passed_over_in_a_folder() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("in")).unwrap();
    fs::copy(demo(), at("in/m.dpm")).unwrap();
    let sprite = [&b"IDSP"[..], &[1, 0, 0, 0, 2, 0, 0, 0], &[0; 64]].concat();
    let ogre = [&[0, 16][..], b"[MeshSerializer_v1.41]\n", &[0, 48, 9, 0, 0, 0, 0]].concat();
    let gettext = b"msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain\"\n";
    for (name, bytes) in [("s.spr", &sprite[..]), ("o.mesh", &ogre), ("de.po", gettext)] {
        fs::write(at("in").join(name), bytes).unwrap();
    }
    for command in ["info", "check"] {
        let output = run([OsStr::new(command), OsStr::new("--format=json"), at("in").as_os_str()]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["files"].as_array().unwrap().len(), 1, "{json}");
    }
    let out = at("out/");
    let output = run([OsStr::new("convert"), at("in").as_os_str(), OsStr::new("-o"), out.as_os_str()]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(crate::common::names(&out), ["m.glb"]);
    // One that is named is meant.
    assert_eq!(code(&run([OsStr::new("info"), at("in/o.mesh").as_os_str()])), 1);
}

#[test]
fn a_model_becomes_one_of_another_format() {
    let dir = TempDir::new().unwrap();
    for name in ["m.bmd", "m.zym", "m.fom", "m.cmodel"] {
        let out = dir.path().join(name);
        let output = run([OsStr::new("convert"), demo().as_os_str(), OsStr::new("-o"), out.as_os_str()]);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        let output = run([OsStr::new("check"), out.as_os_str()]);
        assert_eq!(code(&output), 0, "{name}: {}", stdout(&output));
    }
    // It comes with its companions, which standard output has no place for.
    assert_eq!(crate::common::names(dir.path()), ["m.bmd", "m.cmodel", "m.cskel", "m.fom", "m.zym"]);
    let output = run([OsStr::new("convert"), demo().as_os_str(), OsStr::new("-o-"), OsStr::new("--to=gltf")]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}
