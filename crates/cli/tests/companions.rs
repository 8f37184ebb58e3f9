//! Tests companion files: they are found, reported if missing, and written with their model.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, names, run, stderr, stdout};
use meshwright_testkit::testdata;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Copies fixtures into a folder under other names.
fn lay(folder: &Path, files: &[(&str, &str)]) {
    for (fixture, name) in files {
        fs::copy(testdata().join(fixture), folder.join(name)).unwrap();
    }
}

fn convert(input: &Path, output: &Path, more: &[&str]) -> std::process::Output {
    let mut words = args(&["convert"]);
    words.extend([input.into(), "-o".into(), output.into()]);
    words.extend(args(more));
    run(words)
}

const FIGHTER: [(&str, &str); 2] =
    [("fsomodel/pairs/fighter.ok.fom", "f.fom"), ("fsomodel/pairs/fighter.ok.json", "f.json")];
const HOPPER: [(&str, &str); 2] =
    [("dpm/hopper.ok.dpm", "h.dpm"), ("dpm/hopper.ok.dpm.framegroups", "h.dpm.framegroups")];
const LIGHTHOUSE: [(&str, &str); 2] =
    [("crucible/lighthouse.ok.cmesh", "l.cmesh"), ("crucible/lighthouse.ok.cskel", "l.cskel")];

#[test]
fn a_rewrite_takes_the_companions_along() {
    for (pair, name, beside) in [
        (FIGHTER, "g.fom", "g.json"),
        (HOPPER, "g.dpm", "g.dpm.framegroups"),
        (LIGHTHOUSE, "g.cmesh", "g.cskel"),
    ] {
        let (from, to) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        lay(from.path(), &pair);
        let model = from.path().join(pair[0].1);
        let result = convert(&model, &to.path().join(name), &[]);
        assert_eq!(code(&result), 0, "{}", stderr(&result));
        assert_eq!(names(to.path()), [name, beside]);
        for (copy, (fixture, _)) in [name, beside].iter().zip(pair) {
            assert_eq!(
                fs::read(to.path().join(copy)).unwrap(),
                fs::read(testdata().join(fixture)).unwrap(),
                "{copy}"
            );
        }
        // A conversion in place changes nothing, and the companion does not count as an input that would be replaced.
        let result = convert(&model, &model, &[]);
        assert_eq!(code(&result), 0, "{}", stderr(&result));
        assert_eq!(names(from.path()), [pair[0].1, pair[1].1]);
        // A folder, into another one.
        let out = to.path().join("all/");
        let id = ["fso", "dpm", "crucible"].into_iter().find(|id| {
            let result = convert(from.path(), &out, &["--to", id]);
            code(&result) == 0 && out.join(pair[0].1).exists() && out.join(pair[1].1).exists()
        });
        assert!(id.is_some(), "{name}");
        // None is taken along that was not looked for.
        let alone = to.path().join("alone");
        fs::create_dir(&alone).unwrap();
        convert(&model, &alone.join(name), &["--no-companions"]);
        assert!(!alone.join(beside).exists());
    }
}

#[test]
fn a_companion_without_a_place_is_told() {
    let from = TempDir::new().unwrap();
    lay(from.path(), &FIGHTER);
    let result = run([
        "convert".into(),
        from.path().join("f.fom").into_os_string(),
        "-o".into(),
        "-".into(),
        "--to".into(),
        "fso".into(),
    ]);
    assert_eq!(code(&result), 0, "{}", stderr(&result));
    assert_eq!(result.stdout, fs::read(from.path().join("f.fom")).unwrap());
    assert!(
        stderr(&result).contains("companion-left") && stderr(&result).contains("json"),
        "{}",
        stderr(&result)
    );
}

#[test]
fn all_files_of_a_rewrite_appear_or_none() {
    let (from, to) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    lay(from.path(), &FIGHTER);
    // The companion's place is taken by a folder.
    fs::create_dir(to.path().join("f.json")).unwrap();
    let result = convert(&from.path().join("f.fom"), &to.path().join("f.fom"), &[]);
    assert_eq!(code(&result), 3, "{}", stderr(&result));
    assert_eq!(names(to.path()), ["f.json"]);
}

#[test]
fn a_missing_table_of_meshes_is_told_with_the_name_that_was_looked_for() {
    let from = TempDir::new().unwrap();
    lay(from.path(), &FIGHTER[..1]);
    let model = from.path().join("f.fom");
    let glb = from.path().join("f.glb");
    let result = convert(&model, &glb, &[]);
    let text = stderr(&result);
    assert!(text.contains("mesh-table-missing") && text.contains("f.json"), "{text}");
    let result = convert(&model, &glb, &["--format", "json"]);
    let json: Value = serde_json::from_str(&stdout(&result)).unwrap();
    let text = json.to_string();
    assert!(text.contains("mesh-table-missing") && text.contains("f.json not found"), "{text}");
    let result = run(["check".into(), model.clone().into_os_string()]);
    let text = stdout(&result);
    assert!(text.contains("no-mesh-table") && text.contains("f.json is not there"), "{text}");
    // With the table the program prints no note.
    lay(from.path(), &FIGHTER[1..]);
    let result = convert(&model, &glb, &[]);
    assert!(!stderr(&result).contains("missing"), "{}", stderr(&result));
}

#[test]
fn every_command_finds_the_skeleton_beside_a_chunk() {
    let (with, without) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    lay(with.path(), &LIGHTHOUSE);
    lay(without.path(), &LIGHTHOUSE[..1]);
    let [found, lone] = [&with, &without].map(|dir| dir.path().join("l.cmesh"));
    for (words, told) in [(vec!["check"], "l.cskel"), (vec!["dump"], "l.cskel"), (vec!["info"], "")] {
        let of = |model: &Path| {
            let mut all = args(&words);
            all.push(model.into());
            run(all)
        };
        let (result, other) = (of(&found), of(&lone));
        assert_eq!((code(&result), code(&other)), (0, 0), "{words:?}: {}", stderr(&result));
        if !told.is_empty() {
            assert!(stderr(&result).contains(told), "{words:?}: {}", stderr(&result));
            assert!(!stderr(&other).contains(told), "{words:?}");
        }
    }
    let dump: Value =
        serde_json::from_str(&stdout(&run(["dump".into(), found.clone().into_os_string()]))).unwrap();
    assert_eq!(dump["bones"].as_array().map(Vec::len), Some(3));
    let glb = with.path().join("l.glb");
    let result = convert(&found, &glb, &[]);
    assert!(stderr(&result).contains("with") && stderr(&result).contains("l.cskel"), "{}", stderr(&result));
    assert!(!stderr(&result).contains("skeleton-missing"), "{}", stderr(&result));
    let result = convert(&lone, &glb, &[]);
    assert!(stderr(&result).contains("skeleton-missing"), "{}", stderr(&result));
}

#[test]
fn a_number_of_another_type_in_the_name_of_a_mesh_is_a_warning() {
    let from = TempDir::new().unwrap();
    let names = ["a.0000000100000009.mesh", "a.0000000100000007.mesh", "a.0000000100000009.anim"];
    for (name, told) in names.into_iter().zip([None, Some("type-id"), Some("name-extension")]) {
        lay(from.path(), &[("tso/flower.ok.mesh", name)]);
        let result = run(["check".into(), from.path().join(name).into_os_string()]);
        let text = stdout(&result);
        assert_eq!(code(&result), 0, "{text}");
        assert_eq!(told.is_some(), text.contains("warning["), "{text}");
        assert!(text.contains(told.unwrap_or("ok")), "{text}");
    }
}

#[test]
fn records_of_outfits_are_not_taken_for_skeletons() {
    let from = TempDir::new().unwrap();
    // An appearance with one binding: it begins like a nameless skeleton.
    let words = [1_u32, 0, 0, 1, 0x3200_0020, 11];
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_be_bytes).collect();
    fs::write(from.path().join("hand.420000200000000c.apr"), bytes).unwrap();
    lay(from.path(), &[("tso/flower.ok.mesh", "a.mesh")]);
    let result = run(["check".into(), "-v".into(), from.path().to_owned().into_os_string()]);
    assert_eq!(code(&result), 0, "{}{}", stdout(&result), stderr(&result));
    let text = stdout(&result);
    assert!(text.contains("The Sims Online appearance") && !text.contains("skeleton"), "{text}");
    assert!(text.contains("part binding 320000200000000b is not there"), "{text}");
    // The appearance has nothing to draw; the error names the option for the search path.
    let result = convert(&from.path().join("hand.420000200000000c.apr"), &from.path().join("hand.glb"), &[]);
    assert_ne!(code(&result), 0);
    assert!(stderr(&result).contains("--root"), "{}", stderr(&result));
}

#[test]
fn a_texture_that_the_suit_chooses_is_not_looked_for() {
    let from = TempDir::new().unwrap();
    let skn = fs::read_to_string(testdata().join("tso/flag.ok.skn")).unwrap();
    let mut lines: Vec<_> = skn.lines().collect();
    for (texture, told) in [("x", false), ("X", false), ("cloth", true)] {
        lines[1] = texture;
        let path = from.path().join("flag.skn");
        fs::write(&path, lines.join("\n")).unwrap();
        let result = convert(&path, &from.path().join("flag.glb"), &["--textures"]);
        assert_eq!(code(&result), 0, "{}", stderr(&result));
        assert_eq!(stderr(&result).contains("texture-not-found"), told, "{}", stderr(&result));
    }
}

#[test]
fn bindings_in_a_folder_are_for_its_meshes() {
    let dir = TempDir::new().unwrap();
    let (models, out) = (dir.path().join("in"), dir.path().join("out/"));
    fs::create_dir(&models).unwrap();
    for kind in ["mesh", "bnd"] {
        fs::copy(testdata().join(format!("tso/flower.ok.{kind}")), models.join(format!("a.{kind}"))).unwrap();
    }
    for target in [&out, &dir.path().join("a.glb")] {
        let mut words = args(&["convert", "-o"]);
        words.extend([target.into(), models.clone().into()]);
        let output = run(words);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    assert_eq!(names(&out), ["a.glb"]);
}

#[test]
fn a_figure_is_put_together_from_its_files() {
    let dir = TempDir::new().unwrap();
    let tso = testdata().join("tso");
    let out = dir.path().join("flower.glb");
    let named = run([
        OsStr::new("convert"),
        tso.join("flower.ok.mesh").as_os_str(),
        OsStr::new("--skeleton"),
        tso.join("flower.ok.skel").as_os_str(),
        OsStr::new("--anim"),
        tso.join("sway.ok.anim").as_os_str(),
        OsStr::new("-o"),
        out.as_os_str(),
    ]);
    assert_eq!(code(&named), 0, "{}", stderr(&named));
    let first = fs::read(&out).unwrap();
    let listed = run([
        OsStr::new("convert"),
        tso.join("sway.ok.anim").as_os_str(),
        tso.join("flower.ok.skel").as_os_str(),
        tso.join("flower.ok.mesh").as_os_str(),
        OsStr::new("-o"),
        out.as_os_str(),
    ]);
    assert_eq!(code(&listed), 0, "{}", stderr(&listed));
    assert_eq!(first, fs::read(&out).unwrap());
    // An animation without a skeleton is refused.
    let alone = [
        OsStr::new("convert"),
        OsStr::new("-o-"),
        OsStr::new("--to=glb"),
        tso.join("sway.ok.anim").as_os_str(),
    ]
    .map(OsStr::to_owned);
    for more in [None, Some("--textures")] {
        let alone = run(alone.iter().map(OsString::as_os_str).chain(more.map(OsStr::new)));
        assert_eq!(code(&alone), 1);
        assert!(stderr(&alone).contains("--skeleton"));
    }
    let two = run([
        OsStr::new("convert"),
        demo().as_os_str(),
        tso.join("flower.ok.mesh").as_os_str(),
        OsStr::new("-o"),
        out.as_os_str(),
    ]);
    assert_eq!(code(&two), 2);
}

#[test]
fn what_lies_beside_a_file_with_a_mesh_table_may_be_anything() {
    let dir = TempDir::new().unwrap();
    let place = |fixture: &str, json: &str| {
        let path = dir.path().join(fixture.replace(".ok.", ".").replace(".warn.", "."));
        fs::copy(testdata().join("fsomodel").join(fixture), &path).unwrap();
        fs::write(path.with_extension("json"), json).unwrap();
        path
    };
    let whole = place("triangle.ok.fom", "[\"notes\"]");
    let result = run([OsStr::new("check"), whole.as_os_str()]);
    assert_eq!(code(&result), 0, "{}", stdout(&result));
    assert!(stderr(&result).contains("ignored"), "{}", stderr(&result));
    // One that is named is meant, and a file without a table needs it.
    let json = whole.with_extension("json");
    let named = [OsStr::new("check"), whole.as_os_str(), OsStr::new("--metadata"), json.as_os_str()];
    assert_eq!(code(&run(named)), 1);
    let half = place("gl3.warn.fom", "[\"notes\"]");
    assert_eq!(code(&run([OsStr::new("check"), half.as_os_str()])), 1);
}

#[test]
fn a_crucible_skeleton_is_held_against_the_mesh_and_read_as_told() {
    let file = |name: &str| testdata().join("crucible").join(name);
    let (mesh, short) = (file("weights.ok.cmesh"), file("tail.warn.cskel"));
    let check = [OsStr::new("check"), mesh.as_os_str(), OsStr::new("--skeleton"), short.as_os_str()];
    let result = run(check);
    assert!(stdout(&result).contains("warning[bone-range]"), "{}", stdout(&result));
    let broken = file("unlisted.reject.cskel");
    let result = run([OsStr::new("check"), mesh.as_os_str(), OsStr::new("--skeleton"), broken.as_os_str()]);
    assert!(code(&result) == 1 && stderr(&result).contains("bone-tree"), "{}", stderr(&result));
    let (mesh, turned) = (file("lighthouse.ok.cmesh"), file("turned.ok.cskel"));
    let made = |more: &[&str]| {
        let args = [OsStr::new("convert"), mesh.as_os_str(), OsStr::new("--skeleton"), turned.as_os_str()];
        let args = args.into_iter().chain(["-o", "-", "--to", "glb", "-q"].map(OsStr::new));
        let result = run(args.chain(more.iter().map(OsStr::new)));
        assert_eq!(code(&result), 0, "{}", stderr(&result));
        result.stdout
    };
    assert_ne!(made(&[]), made(&["--quaternions-w-first"]));
}

#[test]
fn a_companion_that_is_named_goes_with_those_that_have_such() {
    let dir = TempDir::new().unwrap();
    let tso = testdata().join("tso");
    fs::copy(demo(), dir.path().join("m.dpm")).unwrap();
    fs::copy(tso.join("flower.ok.mesh"), dir.path().join("flower.mesh")).unwrap();
    fs::copy(tso.join("flower.ok.skel"), dir.path().join("flower.skel")).unwrap();
    let check = |path: &Path| {
        let skeleton = tso.join("flower.ok.skel");
        run([OsStr::new("check"), path.as_os_str(), OsStr::new("--skeleton"), skeleton.as_os_str()])
    };
    let output = check(dir.path());
    assert_eq!(
        (code(&output), &*stderr(&output)),
        (0, "3 files: 0 errors, 0 warnings\n"),
        "{}",
        stdout(&output)
    );
    let output = check(&dir.path().join("m.dpm"));
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert!(stderr(&output).contains("ignored: "), "{}", stderr(&output));
}

#[test]
fn files_of_one_folder_have_companions_of_their_own() {
    let dir = TempDir::new().unwrap();
    let files = ["a.dpm", "b.dpm", "c.dpm"].map(|name| dir.path().join(name));
    for (i, file) in files.iter().enumerate() {
        fs::copy(demo(), file).unwrap();
        fs::write(format!("{}.framegroups", file.display()), "99 1 5 1 far\n".repeat(i + 1)).unwrap();
    }
    let words = ["check", "-v", "--format=json"]
        .into_iter()
        .map(OsStr::new)
        .chain(files.iter().map(|f| f.as_os_str()));
    let output = run(words);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found: Vec<_> =
        json["files"].as_array().unwrap().iter().map(|f| f["warnings"].as_u64().unwrap()).collect();
    assert_eq!(found, [1, 2, 3], "{json}");
    assert_eq!(stderr(&output).matches(": with ").count(), 3);
}

#[test]
fn check_holds_a_companion_against_its_model() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("m.dpm");
    fs::copy(demo(), &path).unwrap();
    let groups = format!("1 6 6\n99 1 5 1 far\n{}", "3\n".repeat(40));
    fs::write(dir.path().join("m.dpm.framegroups"), groups).unwrap();
    let result = run([OsStr::new("check"), OsStr::new("--format=json"), path.as_os_str()]);
    assert_eq!(code(&result), 0, "{}", stderr(&result));
    let json: Value = serde_json::from_slice(&result.stdout).unwrap();
    let file = &json["files"][0];
    let far = file["findings"].as_array().unwrap().iter().find(|f| f["code"] == "start-clamped").unwrap();
    assert_eq!((&far["path"], &far["offset"]), (&"groups[1].start".into(), &6.into()));
    assert_eq!(far["stream"], "clips", "{far}");
    assert_eq!(file["warnings"], 41, "those that are not kept are counted");
}
