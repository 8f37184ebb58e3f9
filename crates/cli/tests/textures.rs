//! The search for textures, and their conversion.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, names, run, stderr, stdout};
use meshwright::dpm::{Dpm, Name};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A PNG of one red pixel.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0,
    0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63,
    0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x89, 0x99, 0x3d, 0x1d, 0, 0, 0, 0, 0x49, 0x45, 0x4e,
    0x44, 0xae, 0x42, 0x60, 0x82,
];

/// Returns a TGA of one uncompressed pixel: blue, green, red and alpha.
fn tga(pixel: [u8; 4]) -> Vec<u8> {
    let mut tga = vec![0; 18];
    (tga[2], tga[12], tga[14], tga[16], tga[17]) = (2, 1, 1, 32, 8);
    tga.extend(pixel);
    tga
}

/// Returns a PCX of one pixel with 24 bits.
fn pcx() -> Vec<u8> {
    let mut pcx = vec![0; 128];
    (pcx[0], pcx[1], pcx[2], pcx[3], pcx[65], pcx[66]) = (10, 5, 1, 8, 3, 1);
    pcx.extend([1, 2, 3]);
    pcx
}

/// Returns a folder with a model whose only material has this name, and pictures.
fn folder(model: &str, material: &str, pictures: &[(&str, &[u8])]) -> TempDir {
    let dir = TempDir::new().unwrap();
    let mut parsed = Dpm::parse(&fs::read(demo()).unwrap()).unwrap();
    parsed.meshes.truncate(1);
    parsed.meshes[0].shader = Name::truncated(material.as_bytes());
    write_file(&dir.path().join(model), &parsed.to_bytes().unwrap());
    pictures.iter().for_each(|(name, bytes)| write_file(&dir.path().join(name), bytes));
    dir
}

fn write_file(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Converts a model to a GLB, and returns its document and the messages.
fn converted(words: &[&str], model: &Path) -> (Value, String) {
    let out = TempDir::new().unwrap();
    let glb = out.path().join("out.glb");
    let mut all = args(&["convert", "-o"]);
    all.push(glb.clone().into());
    all.extend(args(words));
    all.push(model.into());
    let output = run(all);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let glb = fs::read(glb).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&glb[20..20 + length]).unwrap(), stdout(&output) + &stderr(&output))
}

fn picture(document: &Value) -> Option<&str> {
    document["images"][0]["name"].as_str()
}

#[test]
fn textures_are_embedded_unless_told_otherwise() {
    let dir = folder("m.dpm", "skin", &[("skin.png", PNG)]);
    let model = dir.path().join("m.dpm");
    for (words, found) in [
        (&[][..], true),
        (&["--textures"], true),
        (&["--no-textures"], false),
        (&["--textures", "--no-textures"], false),
    ] {
        assert_eq!(picture(&converted(words, &model).0).is_some(), found, "{words:?}");
    }
    // One that is not there is worth a note.
    fs::remove_file(dir.path().join("skin.png")).unwrap();
    let (document, said) = converted(&[], &model);
    assert!(picture(&document).is_none() && said.contains("[texture-not-found]"), "{said}");
    assert!(!converted(&["--no-textures"], &model).1.contains("texture"));
}

#[test]
fn the_whole_name_within_the_tree_comes_before_its_last_part() {
    let pictures = [("textures/tile.tga", &tga([0, 0, 255, 255])[..]), ("models/p/tile.png", PNG)];
    let dir = folder("models/p/m.dpm", "textures/tile", &pictures);
    let model = dir.path().join("models/p/m.dpm");
    let material = |path: &Path| {
        let out = TempDir::new().unwrap();
        let mut words = args(&["convert", "--to=obj", "-o"]);
        words.extend([out.path().join("o.obj").into(), path.into()]);
        assert_eq!(code(&run(words)), 0);
        fs::read_to_string(out.path().join("o.mtl")).unwrap()
    };
    // A file's tree is the parent of the folder models around it.
    assert!(material(&model).contains("/textures/tile.tga\n"));
    fs::remove_file(dir.path().join("textures/tile.tga")).unwrap();
    assert!(material(&model).contains("/models/p/tile.png\n"));
    assert!(converted(&[], &model).1.contains("[texture-guessed]"));
}

#[test]
fn a_folder_that_was_named_is_the_tree() {
    let dir = folder("game/sub/m.dpm", "art/tile", &[("game/art/tile.png", PNG), ("art/other.png", PNG)]);
    let at = |name: &str| dir.path().join(name);
    let embedded = |input: PathBuf, out: &str| {
        let mut words = args(&["convert", "-o"]);
        words.extend([dir.path().join(out).into(), input.into()]);
        assert_eq!(code(&run(words)), 0);
    };
    embedded(at("game"), "whole/");
    embedded(at("game/sub"), "part/");
    let has_image = |glb: PathBuf| fs::read(glb).unwrap().windows(8).any(|w| w == b"\x89PNG\r\n\x1a\n");
    assert!(has_image(at("whole/sub/m.glb")) && !has_image(at("part/m.glb")));
    // A file by itself has its folder.
    assert!(picture(&converted(&[], &at("game/sub/m.dpm")).0).is_none());
}

#[test]
fn a_root_replaces_the_tree_and_later_ones_come_first() {
    let dir = folder(
        "in/m.dpm",
        "art/tile",
        &[("in/art/tile.png", PNG), ("in/m.dpm.framegroups", b"1 2 10 1 beside\n")],
    );
    let at = |name: &str| dir.path().join(name);
    write_file(&at("a/art/tile.tga"), &tga([0, 0, 255, 128]));
    write_file(&at("a/art/more.png"), PNG);
    write_file(&at("b/art/tile.png"), PNG);
    write_file(&at("c/nothing"), b"");
    write_file(&at("d/art/tile.tga"), &tga([0, 0, 255, 255]));
    let flag = |name: &str| format!("--root={}", at(name).display());
    let model = at("in/m.dpm");
    let modes = |words: &[&str]| {
        let document = converted(words, &model).0;
        let mode = document["materials"][0]["alphaMode"].as_str().unwrap_or("OPAQUE").to_owned();
        (picture(&document).is_some(), mode)
    };
    let (a, b, c, d) = (flag("a"), flag("b"), flag("c"), flag("d"));
    assert_eq!(modes(&[]), (true, "OPAQUE".into()));
    assert_eq!(modes(&[&a]), (true, "BLEND".into()));
    // One candidate after the other, each in all layers: a TGA comes before a PNG of a later one, as in the engine.
    assert_eq!(modes(&[&a, &b]), (true, "BLEND".into()));
    assert_eq!(modes(&[&a, &d]), (true, "OPAQUE".into()));
    assert_eq!(modes(&[&d, &a]), (true, "BLEND".into()));
    assert_eq!(modes(&[&c]), (false, "OPAQUE".into()));
    // Files next to the model are outside of `--root`.
    assert!(converted(&[&c], &model).1.contains("[texture-not-found]"));
    assert!(!converted(&[&c], &model).0.to_string().contains("beside"));
    let inside = flag("in");
    assert!(converted(&[&inside], &model).0.to_string().contains("beside"));
    let mut words = args(&["info", "--root"]);
    words.extend([at("in/m.dpm").into(), OsString::from(&model)]);
    assert_eq!(code(&run(words)), 2);
}

#[test]
fn an_obj_names_the_file_that_was_found_or_a_png_beside_itself() {
    let glass = tga([255, 0, 0, 128]);
    let dir = folder("in/m.dpm", "art/tile", &[("in/art/tile.tga", &glass)]);
    let at = |name: &str| dir.path().join(name);
    let mtl = |out: &str| {
        let mut words = args(&["convert", "--to=obj", "-o"]);
        words.extend([at(out).into(), at("in/m.dpm").into()]);
        let output = run(words);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        fs::read_to_string(at(out).with_extension("mtl")).unwrap()
    };
    let text = mtl("in/m.obj");
    assert!(text.contains("map_Kd art/tile.tga\nmap_d art/tile.tga\n"), "{text}");
    fs::create_dir(at("out")).unwrap();
    assert!(mtl("out/m.obj").contains("map_Kd ../in/art/tile.tga\n"));
    assert_eq!(names(&at("out")), ["m.mtl", "m.obj"]);
    fs::remove_file(at("in/art/tile.tga")).unwrap();
    write_file(&at("in/art/tile.pcx"), &pcx());
    let text = mtl("out/m.obj");
    assert!(text.contains("map_Kd m.tile.png\n") && !text.contains("map_d"), "{text}");
    assert_eq!(names(&at("out")), ["m.mtl", "m.obj", "m.tile.png"]);
    assert!(fs::read(at("out/m.tile.png")).unwrap().starts_with(b"\x89PNG"));
}

#[cfg(unix)]
#[test]
fn links_lead_only_to_what_lies_in_the_tree() {
    use std::os::unix::fs::symlink;
    let dir = folder("in/m.dpm", "skin", &[("out/skin.png", PNG), ("in/art/real.png", PNG)]);
    let at = |name: &str| dir.path().join(name);
    write_file(&at("out/m.dpm.framegroups"), b"0 1 10 1 hunter2\n");
    symlink(at("out/skin.png"), at("in/skin.png")).unwrap();
    symlink(at("out/m.dpm.framegroups"), at("in/m.dpm.framegroups")).unwrap();
    let model = at("in/m.dpm");
    let (document, said) = converted(&[], &model);
    assert!(picture(&document).is_none() && !(document.to_string() + &said).contains("hunter2"));
    for command in ["info", "check", "dump"] {
        let mut words = args(&[command]);
        words.push(model.clone().into());
        let output = run(words);
        assert!(!(stdout(&output) + &stderr(&output)).contains("hunter2"), "{command}");
    }
    // Links inside of the root folder are followed.
    let root = format!("--root={}", dir.path().display());
    assert!(converted(&[&root], &model).0.to_string().contains("hunter2"));
    fs::remove_file(at("in/skin.png")).unwrap();
    symlink("art/real.png", at("in/skin.png")).unwrap();
    assert_eq!(picture(&converted(&[], &model).0), Some("skin"));
    // A folder that leads out is not entered either.
    fs::remove_file(at("in/skin.png")).unwrap();
    let dir_link = folder("m.dpm", "away/skin", &[]);
    symlink(at("out"), dir_link.path().join("away")).unwrap();
    assert!(picture(&converted(&[], &dir_link.path().join("m.dpm")).0).is_none());
}

#[test]
fn info_shows_sizes_of_textures_and_gpu_memory() {
    let mut wide = tga([1, 2, 3, 255]);
    wide[12] = 4;
    wide[14] = 2;
    wide.extend([9; 4 * 7]);
    for (name, bytes, shown, format, texture) in
        [("skin.png", PNG.to_vec(), "1 x 1", "png", 4), ("skin.tga", wide, "4 x 2", "tga", 4 * (8 + 2 + 1))]
    {
        let dir = folder("a.dpm", "skin", &[(name, &bytes)]);
        let model = dir.path().join("a.dpm");
        let info = |words: &[&str]| {
            let mut all = args(words);
            all.push(model.clone().into());
            stdout(&run(all))
        };
        let text = info(&["info"]);
        let row = text.lines().find(|line| line.starts_with("skin ")).unwrap();
        assert!(row.contains(shown) && row.ends_with(&format.to_uppercase()), "{text}");
        assert!(text.lines().any(|line| line.starts_with("gpu") && line.contains("textures")), "{text}");
        let json: Value = serde_json::from_str(&info(&["info", "--format=jsonl"])).unwrap();
        assert_eq!(json["materials"][0]["image"]["format"], format);
        let sides = &json["materials"][0]["image"];
        assert_eq!(format!("{} x {}", sides["width"], sides["height"]), shown);
        let gpu = &json["gpu_memory"];
        let mesh = &json["meshes"][0];
        // Positions, normals, texture coordinates and one set of four influences.
        assert_eq!(gpu["vertices"], mesh["vertices"].as_u64().unwrap() * (12 + 12 + 8 + 24));
        assert_eq!(gpu["indices"], mesh["triangles"].as_u64().unwrap() * 6);
        assert_eq!(gpu["textures"], texture);
        let sum =
            ["vertices", "indices", "textures"].map(|part| gpu[part].as_u64().unwrap()).iter().sum::<u64>();
        assert_eq!(gpu["total"], sum);
        let csv = info(&["info", "--format=csv"]);
        assert!(csv.lines().nth(1).unwrap().ends_with(&format!(",{sum}")), "{csv}");
    }
    // A texture that is not there has no size, and takes nothing.
    let dir = folder("a.dpm", "skin", &[]);
    let output = run([OsString::from("info"), "--format=jsonl".into(), dir.path().join("a.dpm").into()]);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(json["materials"][0]["image"].is_null());
    assert_eq!(json["gpu_memory"]["textures"], 0);
}
