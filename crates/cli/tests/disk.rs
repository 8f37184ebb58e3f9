//! A game on disk: opened with all companion files of its models, converted in parts, and imported again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]
#![allow(clippy::cast_possible_truncation, reason = "places in tables of small documents")]

use crate::common::{code, ok, run_in as run, stderr, tree};
use meshwright_testkit::testdata;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Returns a copy of the game that `xtask fixtures` makes: a data folder, one of a modification, and ships.
fn game() -> TempDir {
    let dir = TempDir::new().unwrap();
    for part in ["base", "mod", "ships"] {
        for (name, bytes) in tree(&testdata().join("game").join(part)) {
            let to = dir.path().join("game").join(part).join(name);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, bytes).unwrap();
        }
    }
    dir
}

/// Returns the document of a GLB.
fn document(path: PathBuf) -> Value {
    let glb = fs::read(path).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

fn strings(document: &Value, table: &str) -> Vec<String> {
    let all = document[table].as_array().into_iter().flatten();
    all.map(|item| item["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_model_opens_with_its_pictures() {
    let dir = game();
    let said = ok(dir.path(), &["convert", "game", "-o", "out", "--verbose"]);
    assert!(said.contains("3 converted"), "{said}");
    for line in [
        "1 .md3: MD3 models are not supported; Noesis",
        "1 .pof: FreeSpace models are not supported; pof-tools",
        "1 file is hidden by another",
        "note[texture-layer] materials[0]: green_pants",
        "the model has 2 skins",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let all = tree(&dir.path().join("out")).into_keys().collect::<Vec<_>>();
    assert_eq!(all, ["base/models/hopper.glb", "base/models/hopper_lod1.glb", "mod/models/pair.glb"]);
    let hopper = document(dir.path().join("out/base/models/hopper.glb"));
    // Two skins: green with a normal map, and blue with a height map; the eyes are only in the first.
    assert_eq!(
        strings(&hopper, "images"),
        ["green", "green_norm", "green_glow", "green_gloss", "green_pants", "blue", "blue_bump", "eye"]
    );
    let variants = &hopper["extensions"]["KHR_materials_variants"]["variants"];
    assert_eq!(*variants, json!([{ "name": "skin 0" }, { "name": "skin 1" }]));
    let materials = hopper["materials"].as_array().unwrap();
    let [green, blue, eye, unseen] = materials.as_slice() else { panic!("{materials:?}") };
    assert!(green["normalTexture"].is_object() && green["emissiveTexture"].is_object(), "{green}");
    let further =
        json!({ "gloss": "models/hopper/green_gloss.tga", "pants": "models/hopper/green_pants.tga" });
    assert_eq!(green["extras"]["textures"], further);
    let layers = json!({
        "gloss": { "image": 3, "name": "green_gloss" },
        "pants": { "image": 4, "name": "green_pants" },
    });
    assert_eq!(green["extras"]["layers"], layers);
    let highlights = &green["extensions"]["KHR_materials_specular"]["specularColorTexture"];
    assert_eq!(hopper["textures"][highlights["index"].as_u64().unwrap() as usize]["source"], json!(3));
    assert_eq!(hopper["extensionsUsed"], json!(["KHR_materials_specular", "KHR_materials_variants"]));
    assert!(blue["normalTexture"].is_object() && blue["emissiveTexture"].is_null(), "{blue}");
    assert_eq!((&eye["alphaMode"], &eye["doubleSided"]), (&json!("MASK"), &json!(true)));
    let texture = &hopper["textures"]
        [eye["pbrMetallicRoughness"]["baseColorTexture"]["index"].as_u64().unwrap() as usize];
    assert!(texture["sampler"].is_u64(), "clampmap: {texture}");
    assert_eq!((&unseen["alphaMode"], &unseen["name"]), (&json!("MASK"), &eye["name"]));
    assert_eq!(unseen["pbrMetallicRoughness"]["baseColorFactor"][3], json!(0.0));
    assert_eq!(unseen["extras"]["nodraw"], json!("no line of the skin names it"));
    let attributes = |mesh: usize| hopper["meshes"][mesh]["primitives"][0]["attributes"].clone();
    assert!(
        attributes(0)["TANGENT"].is_u64() && attributes(1)["TANGENT"].is_null(),
        "tangents for directions"
    );
    // The loose picture, not that of the pack.
    let other = TempDir::new().unwrap();
    fs::create_dir(other.path().join("base")).unwrap();
    for pack in ["pak0.pak", "z.pk3"] {
        fs::copy(dir.path().join("game/base").join(pack), other.path().join("base").join(pack)).unwrap();
    }
    ok(other.path(), &["convert", "base", "-o", "out"]);
    let of = |dir: &Path, name: &str| fs::read(dir.join(name)).unwrap();
    assert_ne!(of(other.path(), "out/models/hopper.glb"), of(dir.path(), "out/base/models/hopper.glb"));
}

#[test]
fn players_have_the_colors_that_are_asked_for() {
    let dir = game();
    let said = ok(dir.path(), &["convert", "game/base", "-o", "out", "--verbose", "--colors", "red,#00ff00"]);
    assert!(!said.contains("texture-layer"), "{said}");
    let hopper = document(dir.path().join("out/models/hopper.glb"));
    let images = strings(&hopper, "images");
    assert!(
        images.contains(&"green_colored".to_owned()) && images.contains(&"green".to_owned()),
        "{images:?}"
    );
    // The game mixes colours itself: the mixed texture does not replace the one of the game.
    fs::create_dir(dir.path().join("back")).unwrap();
    ok(dir.path(), &["convert", "out/models/hopper.glb", "-o", "back/hopper.dpm"]);
    let back = tree(&dir.path().join("back"));
    let image = |name: &str| image_bytes(&dir.path().join("out/models/hopper.glb"), name);
    assert_eq!(back["skin.png"], image("green"));
    assert_eq!(back["skin_colored.png"], image("green_colored"));
    assert_eq!(back["skin_pants.png"], image("green_pants"));
    let textures = &hopper["materials"][0]["extras"]["textures"];
    assert_eq!(textures["pants"], json!("models/hopper/green_pants.tga"));
    assert!(textures["base"].as_str().unwrap().starts_with("models/hopper/green."), "{textures}");
    // Pictures are in colours anyway; other colours are other pictures.
    let mut drawn = Vec::new();
    for (name, more) in [("a", &[][..]), ("b", &["--colors", "6"]), ("c", &["--colors", "13"])] {
        let out = format!("{name}.png");
        ok(dir.path(), &[&["render", "game/base/pak0.pak/models/hopper.dpm", "-o", &out], more].concat());
        drawn.push(fs::read(dir.path().join(out)).unwrap());
    }
    assert!(drawn[0] == drawn[1] && drawn[1] != drawn[2]);
    let refused = run(dir.path(), &["render", "game", "-o", "x.png", "--colors", "16,1"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("--colors"), "{}", stderr(&refused));
}

/// Returns the binary chunk of a GLB.
fn binary(path: &Path) -> Vec<u8> {
    let glb = fs::read(path).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    glb[28 + length..].to_vec()
}

/// Returns an image of a GLB.
fn image_bytes(path: &Path, name: &str) -> Vec<u8> {
    let document = document(path.to_owned());
    let image = strings(&document, "images").iter().position(|own| own == name).unwrap();
    let view = &document["bufferViews"][document["images"][image]["bufferView"].as_u64().unwrap() as usize];
    let part = |name: &str| view[name].as_u64().unwrap_or_default() as usize;
    binary(path)[part("byteOffset")..][..part("byteLength")].to_vec()
}

/// Writes a GLB with another document.
fn replace_document(path: &Path, document: &Value) {
    let binary = binary(path);
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let words = |numbers: [usize; 3]| numbers.map(|n| (n as u32).to_le_bytes()).concat();
    let all = [
        words([0x4654_6c67, 2, 28 + json.len() + binary.len()]),
        words([json.len(), 0x4e4f_534a, 0])[..8].to_vec(),
        json,
        words([binary.len(), 0x004e_4942, 0])[..8].to_vec(),
        binary,
    ];
    fs::write(path, all.concat()).unwrap();
}

#[test]
fn layers_of_textures_come_back_as_files() {
    let dir = game();
    let model = "game/base/pak0.pak/models/hopper.dpm";
    let at = |name: &str| dir.path().join(name);
    for folder in ["files", "bare", "kept", "painted"] {
        fs::create_dir(at(folder)).unwrap();
    }
    ok(dir.path(), &["convert", model, "-o", "a.glb"]);
    ok(dir.path(), &["convert", "a.glb", "-o", "files/hopper.dpm"]);
    let files = tree(&at("files"));
    for suffix in ["", "_norm", "_glow", "_gloss", "_pants"] {
        let wanted = image_bytes(&at("a.glb"), &format!("green{suffix}"));
        assert_eq!(files[&format!("skin{suffix}.png")], wanted, "{suffix}");
    }
    // Editors renumber images; names hold. An image that an editor dropped is not missed.
    let mut document = document(at("a.glb"));
    let layers = &mut document["materials"][0]["extras"]["layers"];
    layers["pants"]["image"] = json!(0);
    layers["shirt"] = json!({ "image": 99, "name": "gone" });
    replace_document(&at("a.glb"), &document);
    ok(dir.path(), &["convert", "a.glb", "-o", "files/hopper.zym"]);
    assert_eq!(tree(&at("files"))["skin_pants.png"], files["skin_pants.png"]);
    assert!(!at("files/skin_shirt.png").exists());
    // Only what viewers draw.
    let said = ok(dir.path(), &["convert", model, "-o", "b.glb", "--no-layers"]);
    assert!(said.contains("texture-left-out"), "{said}");
    assert!(!strings(&self::document(at("b.glb")), "images").contains(&"green_pants".to_owned()));
    ok(dir.path(), &["convert", "b.glb", "-o", "bare/hopper.dpm"]);
    assert!(at("bare/skin_gloss.png").exists() && !at("bare/skin_pants.png").exists());
    // With the original, only painted layers are written, under the names of their files.
    ok(dir.path(), &["convert", model, "-o", "k.glb", "--keep-native"]);
    ok(dir.path(), &["convert", "k.glb", "-o", "kept/hopper.dpm"]);
    assert!(tree(&at("kept")).keys().all(|name| !name.ends_with(".png")));
    let mut document = self::document(at("k.glb"));
    let place = |name: &str| strings(&document, "images").iter().position(|own| own == name).unwrap();
    let (green, painted) = (place("green"), [place("green_pants"), place("green_gloss")]);
    for image in painted {
        document["images"][image]["bufferView"] = document["images"][green]["bufferView"].clone();
    }
    replace_document(&at("k.glb"), &document);
    let said = ok(dir.path(), &["convert", "k.glb", "-o", "painted/hopper.dpm"]);
    assert!(said.contains("green_pants") && said.contains("green_gloss"), "{said}");
    let (kept, painted) = (tree(&at("kept")), tree(&at("painted")));
    let new: Vec<_> = painted.keys().filter(|name| !kept.contains_key(*name)).collect();
    assert_eq!(new, ["green_gloss.png", "green_pants.png"]);
    assert_eq!(painted["green_pants.png"], image_bytes(&at("k.glb"), "green"));
    assert!(kept.iter().all(|(name, bytes)| painted[name] == *bytes));
}

#[test]
fn without_its_packs_a_model_says_what_was_looked_for_and_where() {
    let dir = game();
    let pack = dir.path().join("game/base/pak0.pak");
    let alone = dir.path().join("alone");
    fs::create_dir(&alone).unwrap();
    fs::rename(pack, alone.join("pak0.pak")).unwrap();
    let said = ok(dir.path(), &["convert", "alone", "-o", "out", "--verbose"]);
    assert!(said.contains("[texture-not-found]") || said.contains("texture-not-found"), "{said}");
    assert!(
        said.contains("models/hopper/skin.tga, models/hopper/skin.png, models/hopper/skin.jpg"),
        "{said}"
    );
    assert!(said.contains("alone/pak0.pak") || said.contains("alone\\pak0.pak"), "{said}");
    // The pictures are in another data folder.
    let said = ok(dir.path(), &["convert", "alone", "--root", "game/base", "-o", "with", "--verbose"]);
    assert!(!said.contains("texture-not-found"), "{said}");
    let found = strings(&document(dir.path().join("with/models/hopper.glb")), "images");
    assert!(found.contains(&"green".to_owned()), "{found:?}");
}

#[test]
fn levels_in_files_of_their_own_are_joined() {
    let dir = game();
    let said = ok(dir.path(), &["convert", "game/base", "-o", "out", "--join-levels"]);
    assert!(said.contains("1 converted"), "{said}");
    let hopper = document(dir.path().join("out/models/hopper.glb"));
    assert_eq!(strings(&hopper, "scenes"), ["hopper", "hopper_lod1"]);
    assert_eq!(hopper["skins"].as_array().unwrap().len(), 1, "one skeleton for both");
    let triangles = |mesh: &Value| {
        let accessor = mesh["primitives"][0]["indices"].as_u64().unwrap() as usize;
        hopper["accessors"][accessor]["count"].as_u64().unwrap() / 3
    };
    let meshes: Vec<_> = hopper["meshes"].as_array().unwrap().iter().map(triangles).collect();
    assert_eq!(meshes, [60, 16, 12]);
    assert_eq!(hopper["animations"].as_array().unwrap().len(), 2);
    // The same for a single model.
    ok(dir.path(), &["convert", "game/base/pak0.pak/models/hopper.dpm", "-o", "one.glb", "--join-levels"]);
    assert_eq!(strings(&document(dir.path().join("one.glb")), "scenes").len(), 2);
}

#[test]
fn a_run_in_parts_in_any_order_gives_the_same_files_and_manifest() {
    let dir = game();
    let made = |out: &str, more: &[&str]| {
        let manifest = format!("{out}.json");
        let words = [&["convert", "game", "-o", out, "--manifest", &manifest], more].concat();
        ok(dir.path(), &words)
    };
    made("whole", &["-j", "1"]);
    let manifest = |out: &str| fs::read_to_string(dir.path().join(format!("{out}.json"))).unwrap();
    let (files, text) = (tree(&dir.path().join("whole")), manifest("whole"));
    made("many", &["-j", "4"]);
    for part in ["3/3", "1/3", "2/3"] {
        made("parts", &["--shard", part]);
    }
    for other in ["many", "parts"] {
        assert!(tree(&dir.path().join(other)) == files, "{other}");
        assert_eq!(manifest(other), text, "{other}");
    }
    let whole: Value = serde_json::from_str(&text).unwrap();
    let hopper = &whole["files"][0];
    assert_eq!(hopper["input"], "base/models/hopper.dpm");
    let part = |member: &str| {
        let parts = hopper["parts"].as_array().unwrap().iter();
        parts
            .clone()
            .find(|part| part["member"] == member)
            .unwrap_or_else(|| panic!("{member}: {hopper}"))
            .clone()
    };
    assert_eq!(
        (part("models/hopper.dpm")["pack"].clone(), part("models/hopper.dpm")["role"].clone()),
        (json!("pak0.pak"), json!("model"))
    );
    assert_eq!(part("models/hopper/eye.tga")["pack"], "z.pk3");
    assert_eq!(part("models/hopper.dpm_0.skin")["role"], "skin");
    assert!(part("models/hopper/blue.png")["pack"].is_null(), "a loose file");
    assert_eq!(hopper["outputs"][0]["path"], "base/models/hopper.glb");
    assert!(hopper["losses"]["bone-flags"].as_u64() > Some(0));
    let summary = &whole["summary"];
    assert_eq!([&summary["converted"], &summary["failed"], &summary["hidden"]], [3, 0, 1]);
    assert_eq!(summary["elsewhere"].as_array().unwrap().len(), 2);
    // Unchanged inputs are not converted again. A new image may belong to any model.
    assert!(made("whole", &["--resume"]).contains("0 converted, 3 unchanged"));
    fs::write(dir.path().join("game/base/textures.tga"), b"?").unwrap();
    assert!(made("whole", &["--resume"]).contains("3 converted"));
    assert_eq!(code(&run(dir.path(), &["convert", "game", "-o", "x.glb", "--manifest", "m.json"])), 2);
    // A manifest does not overwrite an input or any other file that is not a manifest.
    let (own, bytes) = (dir.path().join("own.dpm"), fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap());
    fs::write(&own, &bytes).unwrap();
    fs::write(dir.path().join("notes.json"), r#"{"version": "2"}"#).unwrap();
    let pack = fs::read(dir.path().join("game/base/pak0.pak")).unwrap();
    for manifest in ["own.dpm", "./own.dpm", "game/base/pak0.pak", "notes.json"] {
        for more in ["--quiet", "--resume"] {
            let words = ["convert", "own.dpm", "game", "-o", "own/", "--manifest", manifest, more];
            let out = run(dir.path(), &words);
            assert!(code(&out) == 2 && stderr(&out).contains("is not a manifest"), "{}", stderr(&out));
        }
    }
    assert!(fs::read(&own).unwrap() == bytes);
    assert!(fs::read(dir.path().join("game/base/pak0.pak")).unwrap() == pack);
    assert_eq!(fs::read(dir.path().join("notes.json")).unwrap(), br#"{"version": "2"}"#);
}

/// Returns the records of a zip archive in front of its directory: header, name and data of each member.
fn records(pack: &[u8]) -> Vec<&[u8]> {
    let starts: Vec<_> = (0..pack.len() - 3)
        .filter(|at| matches!(&pack[*at..*at + 4], b"PK\x03\x04" | b"PK\x01\x02"))
        .collect();
    starts.windows(2).map(|pair| &pack[pair[0]..pair[1]]).filter(|r| r.starts_with(b"PK\x03\x04")).collect()
}

#[test]
fn an_edited_file_goes_back_and_nothing_else_changes() {
    let dir = game();
    let at = |name: &str| dir.path().join(name);
    ok(dir.path(), &["unpack", "game/base/z.pk3", "-o", "files"]);
    let skin = at("files/models/hopper.dpm_0.skin");
    let text = fs::read_to_string(&skin).unwrap();
    fs::write(&skin, text.replace("models/hopper/green", "textures/body")).unwrap();
    // A model that was edited elsewhere comes as a scene.
    ok(dir.path(), &["convert", "game/base/pak0.pak/models/hopper.dpm", "-o", "edited.glb"]);
    ok(dir.path(), &["convert", "edited.glb", "-o", "files/models/hopper.dpm", "--no-textures"]);
    let said = ok(dir.path(), &["pack", "files", "--onto", "game/base/z.pk3", "-o", "mine.pk3"]);
    let members = tree(&at("files")).len();
    assert!(said.contains(&format!("{members} files, 12 untouched, 1 replaced")), "{said}");
    let (before, after) = (fs::read(at("game/base/z.pk3")).unwrap(), fs::read(at("mine.pk3")).unwrap());
    let all = records(&before);
    assert_eq!(all.len(), 13);
    for record in all.iter().filter(|record| !record.windows(6).any(|w| w == b"_0.ski")) {
        assert!(after.windows(record.len()).any(|w| w == *record), "an untouched member is another");
    }
    fs::rename(at("mine.pk3"), at("game/base/z.pk3")).unwrap();
    let said = ok(dir.path(), &["convert", "game/base", "-o", "out"]);
    assert!(said.contains("2 converted"), "{said}");
    // An old pack's tga beats the png of the new one.
    let images = strings(&document(at("out/models/hopper.glb")), "images");
    assert!(images.contains(&"body".to_owned()) && !images.contains(&"green".to_owned()), "{images:?}");
    let glb = fs::read(at("out/models/hopper.glb")).unwrap();
    ok(dir.path(), &["info", "game/base/z.pk3/models/hopper.dpm"]);
    assert!(ok(dir.path(), &["check", "game/base", "-v"]).contains("zip archive: ok"));
    assert!(!glb.is_empty());
}

#[test]
fn lists_count_what_others_read() {
    let dir = game();
    let said = ok(dir.path(), &["list", "game/base", "game/ships/ships.vp"]);
    assert!(said.contains("1 .md3: MD3 models") && said.contains("1 .pof: FreeSpace models"), "{said}");
    let output = run(dir.path(), &["list", "game/base", "--format", "json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["elsewhere"][0]["extension"], ".md3");
}

#[test]
fn patterns_name_members_of_archives_in_lists() {
    let dir = game();
    let said = ok(dir.path(), &["list", "game/base/*.pk3/models/*.dpm"]);
    assert!(said.contains("models/hopper_lod1.dpm") && said.lines().count() == 1, "{said}");
    let output = run(dir.path(), &["list", "game/base/*.pk3/none/*"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}
