//! Tests models with companion files and textures.
#![cfg(all(feature = "dpm", feature = "gltf", feature = "tso", feature = "textures"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::dpm::{Dpm, F32, Name};
use meshwright::files::Tree;
use meshwright::scene::SceneOptions;
use meshwright::{
    Error, Finder, Format, Limits, Model, NamedFile, Opener, PartRole, PartState, ReadOptions, Role, Target,
    WriteOptions,
};
use meshwright_testkit::testdata;
use std::fs;
use std::sync::Arc;

fn fixture(name: &str) -> Vec<u8> {
    fs::read(testdata().join(name)).unwrap()
}

/// Returns a model with a mesh for each of the materials.
fn painted(materials: &[&str]) -> Vec<u8> {
    let mut model = Dpm::parse(&fixture("dpm/hopper.ok.dpm")).unwrap();
    let mesh = model.meshes.remove(0);
    model.meshes.clear();
    for material in materials {
        let mut mesh = mesh.clone();
        mesh.shader = Name::truncated(material.as_bytes());
        model.meshes.push(mesh);
    }
    model.to_bytes().unwrap()
}

/// Returns an image of one pixel.
fn bmp() -> Vec<u8> {
    let (head, bits) = ([58_u32, 0, 54, 40, 1, 1], [1_u16, 24]);
    let mut bmp = b"BM".to_vec();
    bmp.extend(head.into_iter().flat_map(u32::to_le_bytes));
    bmp.extend(bits.into_iter().flat_map(u16::to_le_bytes));
    bmp.extend([0, 4, 0, 0, 0, 0, 0xff00_00ff].into_iter().flat_map(u32::to_le_bytes));
    bmp
}

#[test]
fn a_material_finds_its_picture_by_name() {
    let model = painted(&["models/x/skin", "skin.bmp", "broken", "missing"]);
    let files = [("m.dpm", model), ("Skin.BMP", bmp()), ("broken.tga", b"no image".to_vec())];
    let tree = Tree::memory(files).unwrap();
    let asset = Opener::new().textures(true).open_in(&tree, "m.dpm").unwrap();
    let images = &asset.companions().images;
    assert_eq!(images.keys().collect::<Vec<_>>(), [&0, &1]);
    assert!(images.iter().all(|i| i.1.mime == "image/png" && i.1.bytes.starts_with(b"\x89PNG")));
    let scene = asset.scene().unwrap();
    let losses: Vec<_> = scene.losses.iter().map(|l| (l.code, l.path.as_str(), l.is_note())).collect();
    for loss in [
        ("texture-guessed", "materials[0]", true),
        ("texture-unreadable", "materials[2]", false),
        ("texture-not-found", "materials[3]", true),
    ] {
        assert!(losses.contains(&loss), "{losses:?}");
    }
    let textures = asset.parts().iter().filter(|p| p.role == PartRole::Texture);
    assert_eq!(textures.map(|p| p.name.as_str()).collect::<Vec<_>>(), ["Skin.BMP", "broken.tga"]);
}

/// Only formats of one family hold the same records, so a long file of another family needs no memory for them.
#[test]
fn a_long_document_is_converted_within_its_own_memory() {
    let glb = fixture("gltf/arm.ok.glb");
    let json = 20 + u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let blanks = 4 << 20;
    let mut long = [&glb[..json], &vec![b' '; blanks], &glb[json..]].concat();
    for (at, length) in [(8, glb.len() + blanks), (12, json - 20 + blanks)] {
        long[at..at + 4].copy_from_slice(&u32::try_from(length).unwrap().to_le_bytes());
    }
    let limits = Limits::default().with_memory(16 << 20);
    let model = Opener::new().limits(limits).open_bytes("arm.glb", long, []).unwrap();
    for format in [Format::Dpm, Format::Iqm, Format::Bmd] {
        model.convert(format).unwrap();
    }
}

#[test]
fn a_file_that_many_materials_name_is_read_once() {
    let skin = ["skin", "Skin", "sKin", "skIn"];
    let names: Vec<String> = (0..40).map(|i| format!("{}{}", "./".repeat(i % 10), skin[i / 10])).collect();
    let model = painted(&names.iter().map(String::as_str).collect::<Vec<_>>());
    // Room for the picture twice, not for more; and for a broken one.
    let mut picture = bmp();
    picture.resize(60_000, 0);
    for (picture, found) in [(picture, 40), (vec![0; 60_000], 0)] {
        let tree = Tree::memory([("m.dpm", model.clone()), ("skin.bmp", picture)]).unwrap();
        let finder = Finder::new(tree);
        let limits = Limits::default().with_memory(100_000);
        let mut asset = Opener::new().limits(limits).open_in(&finder, "m.dpm").unwrap();
        let mut scene = asset.scene_with(&SceneOptions::default()).unwrap();
        asset.add_textures(&mut scene);
        let images: Vec<_> = scene.value.materials.iter().filter_map(|m| m.image.as_ref()).collect();
        assert_eq!(images.len(), found);
        assert!(images.windows(2).all(|two| Arc::ptr_eq(&two[0].bytes, &two[1].bytes)));
        let unread: Vec<_> = scene.losses.iter().filter(|l| l.code == "texture-unreadable").collect();
        assert_eq!(
            unread.iter().map(|l| l.count).collect::<Vec<_>>(),
            if found > 0 { vec![] } else { vec![40] }
        );
        assert_eq!(asset.parts().iter().filter(|p| p.role == PartRole::Texture).count(), 1);
    }
}

#[test]
fn what_no_decoder_takes_is_not_embedded() {
    let whole: &[u8] = &[
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0,
        0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c,
        0x63, 0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x89, 0x99, 0x3d, 0x1d, 0, 0, 0, 0, 0x49, 0x45,
        0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
    ];
    let opened = |name: &str, bytes: &[u8]| {
        let files = [("m.dpm", painted(&["skin"])), (name, bytes.to_vec())];
        let options = Opener::new().textures(true);
        let scene = options.open_in(Tree::memory(files).unwrap(), "m.dpm").unwrap();
        scene.scene().unwrap()
    };
    let sound = opened("skin.png", whole);
    assert_eq!(*sound.value.materials[0].image.as_ref().unwrap().bytes, whole);
    for (name, bytes) in
        [("skin.png", &whole[..33]), ("skin.png", &whole[..whole.len() - 12]), ("skin.jpg", b"\xff\xd8\xff")]
    {
        let scene = opened(name, bytes);
        assert!(scene.value.materials[0].image.is_none());
        assert!(
            scene.losses.iter().any(|l| l.code == "texture-unreadable" && !l.is_note()),
            "{:?}",
            scene.losses
        );
    }
}

#[cfg(feature = "bmd")]
#[test]
fn names_of_bmd_materials_are_paths_first() {
    use meshwright::bmd::{Bmd, Name};
    let mut model = Bmd::parse(&fixture("bmd/windmill.ok.bmd")).unwrap();
    let found = |model: &Bmd, files: &[&str]| {
        let files = files.iter().map(|f| (*f, bmp()));
        let files = files.chain([("models/w.bmd", model.to_bytes().unwrap())]);
        let asset = Opener::new().textures(true).open_in(Tree::memory(files).unwrap(), "models/w.bmd");
        let asset = asset.unwrap();
        asset
            .parts()
            .iter()
            .filter(|p| p.role == PartRole::Texture)
            .map(|p| p.name.clone())
            .collect::<Vec<_>>()
    };
    for mesh in &mut model.meshes {
        mesh.material = Some(Name::new(b"gfx/tile"));
    }
    let all = ["gfx/tile.bmp", "models/gfx/tile.bmp", "resource/gfx/tile.bmp", "models/tile.bmp", "tile.bmp"];
    for first in 0..4 {
        assert_eq!(found(&model, &all[first..]), [all[first]]);
    }
    assert_eq!(found(&model, &all[4..]), [""; 0]);
    for mesh in &mut model.meshes {
        mesh.material = Some(Name::new(b"resource/gfx/tile.tga"));
    }
    let all = ["resource/gfx/tile.bmp", "gfx/tile.bmp", "models/tile.bmp"];
    for first in 0..3 {
        assert_eq!(found(&model, &all[first..]), [all[first]]);
    }
}

#[test]
fn pictures_of_freespace_are_where_its_packs_have_them() {
    let [model, metadata] = ["fom", "json"].map(|e| fixture(&format!("fsomodel/pairs/fighter.ok.{e}")));
    let open = |pictures: &[&str]| {
        let own = [("data/models/f.fom", model.clone()), ("data/models/f.json", metadata.clone())];
        let all = own.into_iter().chain(pictures.iter().map(|path| (*path, bmp())));
        let tree = Tree::memory(all).unwrap();
        let options = Opener::new().textures(true);
        let asset = options.open_in(&tree, "data/models/f.fom").unwrap();
        let scene = asset.scene().unwrap();
        let found = scene.value.materials.iter().map(|m| m.image.as_ref().and_then(|i| i.source.clone()));
        let lost = scene.losses.iter().filter(|l| l.code == "texture-not-found");
        (found.collect::<Vec<_>>(), lost.map(|l| l.message.clone()).collect::<Vec<_>>())
    };
    let (found, lost) = open(&["data/maps/hull.bmp"]);
    assert_eq!(found, [Some("data/maps/hull.bmp".into()), None]);
    // The other says by which names it was looked for, and where.
    let [lost] = lost.as_slice() else { panic!("{lost:?}") };
    assert!(lost.contains("looked for: engine.png, data/maps/engine.png (.png, .jpg"), "{lost}");
    assert!(lost.contains("in the tree"), "{lost}");
}

#[test]
fn what_is_wrong_with_a_found_companion_is_said_without_its_content() {
    let model = fixture("fsomodel/pairs/fighter.ok.fom");
    for secret in ["{\"meshes\": [{\"offset\": \"hunter2\"}]}", "hunter2:x:0:0", "{\"hunter2\": 1"] {
        let tree = Tree::memory([("f.fom", model.clone()), ("f.json", secret.into())]).unwrap();
        let (finder, options) = (Finder::new(tree), Opener::new());
        let said = match options.open_in(&finder, "f.fom") {
            Ok(asset) => format!("{:?}", asset.parts()),
            Err(e) => format!("{e} {:?}", finder.faults("f.fom", &options, &e)),
        };
        assert!(!said.contains("hunter2") && said.contains("breaks the rule"), "{said}");
    }
    // Nor with a picture.
    let tree = Tree::memory([("m.dpm", painted(&["skin"])), ("skin.png", b"hunter2:x".to_vec())]).unwrap();
    let asset = Opener::new().textures(true).open_in(&tree, "m.dpm").unwrap();
    let said = format!("{:?} {:?}", asset.parts(), asset.scene().unwrap().losses);
    assert!(!said.contains("hunter2") && said.contains("texture-unreadable"), "{said}");
}

#[test]
fn companions_are_found_whatever_their_case() {
    let model = fixture("dpm/hopper.ok.dpm");
    let tree = Tree::memory([("h.dpm", model), ("H.DPM.FrameGroups", b"1 4 10 1 run\n".to_vec())]).unwrap();
    let asset = Opener::new().open_in(&tree, "h.dpm").unwrap();
    assert_eq!(asset.scene().unwrap().value.clips[0].name, "run");
    let alone = Opener::new().companions(false).open_in(&tree, "h.dpm").unwrap();
    assert_eq!(alone.parts().len(), 1);
}

#[test]
fn a_named_companion_of_another_kind_is_left_out() {
    let tree = Tree::memory([("h.dpm", fixture("dpm/hopper.ok.dpm"))]).unwrap();
    let skeleton = NamedFile::new(Role::Skeleton, "s.skel", fixture("tso/flower.ok.skel"));
    let asset = Opener::new().named(skeleton).open_in(&tree, "h.dpm").unwrap();
    assert!(matches!(asset.parts()[1].state, PartState::Ignored(_)) && asset.companions().files.is_empty());
    let tree = Tree::memory([("m.mesh", fixture("tso/flower.ok.mesh"))]).unwrap();
    let broken = NamedFile::new(Role::Skeleton, "s.skel", *b"no skeleton");
    let refused = Opener::new().named(broken).open_in(&tree, "m.mesh");
    assert!(refused.is_err_and(|e: Error| e.file() == Some("s.skel") && e.read_error().is_some()));
}

#[test]
fn a_refused_file_says_all_that_is_wrong_with_it() {
    let bytes = fixture("dpm/parent.reject.dpm");
    let finder = Finder::new(Tree::memory([("h.dpm", bytes)]).unwrap());
    for read in [ReadOptions::default(), ReadOptions::lenient()] {
        let options = Opener::from(read);
        let Err(e) = options.open_in(&finder, "h.dpm") else { panic!("it is broken") };
        assert!(finder.faults("h.dpm", &options, &e).has_errors());
    }
}

#[test]
fn a_figure_is_named_after_the_first_that_takes_parts() {
    let files = ["sway.ok.anim", "flower.ok.skel", "flower.ok.mesh"];
    let tree = Tree::memory(files.map(|name| (name, fixture(&format!("tso/{name}"))))).unwrap();
    let open = |name: &str| Opener::new().open_in(&tree, name).unwrap();
    let assets: Vec<_> = files.map(open).into();
    assert_eq!(Model::figure_lead(&assets), Some(2));
    let figure = Model::figure(assets).unwrap();
    assert_eq!(figure.path(), &"flower.ok.mesh");
    let scene = figure.scene().unwrap().value;
    assert_eq!((scene.meshes.len(), scene.skeletons.len(), scene.clips.len()), (1, 1, 1));
    let two = [open(files[2]), open(files[1]), open(files[1])];
    let several = Model::figure(two.into()).unwrap_err();
    assert_eq!(several.input(), 2);
    assert!(several.message().contains("skeleton"), "{}", several.message());
}

#[cfg(feature = "bmd")]
#[test]
fn what_has_no_name_is_called_after_the_file() {
    let scene = |file: &str, name: &str| {
        let tree = Tree::memory([(name, fixture(file))]).unwrap();
        Opener::new().open_in(&tree, name).unwrap().scene().unwrap().value
    };
    let robot = scene("bmd/moving.ok.bmd", "robot.bmd");
    assert_eq!((robot.format.as_str(), robot.skeletons[0].name.as_str()), ("bmd", "robot"));
    assert_eq!((robot.meshes[0].name.as_str(), robot.nodes[0].name.as_str()), ("robot_0", "robot_0"));
    let chair = scene("bmd/flat64.ok.bmd", "chair.bmd");
    assert!(chair.skeletons.is_empty());
    assert_eq!((chair.meshes[0].name.as_str(), chair.nodes[0].name.as_str()), ("chair", "chair"));
    // Names of the file stay.
    let hopper = scene("dpm/hopper.ok.dpm", "box.dpm");
    assert!(hopper.meshes.iter().all(|mesh| !mesh.name.starts_with("box")));
    assert_eq!(hopper.skeletons[0].name, "box");
}

#[cfg(feature = "fsomodel")]
#[test]
fn an_asset_is_rewritten_with_the_companion_that_was_read_with_it() {
    let files = ["f.fom", "f.json"].map(|name| {
        let extension = name.rsplit('.').next().unwrap();
        (name, fixture(&format!("fsomodel/pairs/fighter.ok.{extension}")))
    });
    let tree = Tree::memory(files.clone()).unwrap();
    let asset = Opener::new().open_in(&tree, "f.fom").unwrap();
    let written: Vec<_> = asset.rewrite("g.fom").unwrap().into_iter().map(|f| (f.name, f.bytes)).collect();
    let [(_, model), (_, companion)] = files;
    assert_eq!(written, [("g.fom".into(), model.clone()), ("g.json".into(), companion)]);
    assert!(asset.companions().missing.is_empty());
    // Without it the model is not whole, and both the report and the losses say what was looked for.
    let tree = Tree::memory([("f.fom", model)]).unwrap();
    let asset = Opener::new().open_in(&tree, "f.fom").unwrap();
    assert_eq!(asset.companions().missing, [(Role::Metadata, "f.json".into())]);
    assert!(asset.check().has("companion-missing"));
    let losses = asset.scene().unwrap().losses;
    for code in ["companion-missing", "mesh-table-missing"] {
        assert!(losses.iter().any(|l| l.code == code), "{losses:?}");
    }
    assert_eq!(asset.rewrite("g.fom").unwrap().into_iter().count(), 1);
}

#[test]
fn the_name_of_a_file_is_held_against_what_it_holds() {
    let mesh = || fixture("tso/flower.ok.mesh");
    let names = ["a.0000000100000009.mesh", "a.000000010000000a.mesh"];
    let tree = Tree::memory(names.map(|name| (name, mesh()))).unwrap();
    let told = |name| Opener::new().open_in(&tree, name).unwrap().check().has("type-id");
    assert_eq!(names.map(told), [false, true]);
}

#[test]
fn a_path_and_bytes_in_memory_open_alike() {
    let options = Opener::new();
    let path = testdata().join("dpm/hopper.ok.dpm");
    let named = options.open(&path).unwrap();
    let beside = ("hopper.ok.dpm.framegroups".to_owned(), fixture("dpm/hopper.ok.dpm.framegroups"));
    let held = options.open_bytes("hopper.ok.dpm", fixture("dpm/hopper.ok.dpm"), [beside]).unwrap();
    let clips = |asset: &Model| {
        let scene = asset.scene().unwrap().value;
        scene.clips.iter().map(|c| (c.name.clone(), c.frames)).collect::<Vec<_>>()
    };
    assert_eq!(clips(&named), clips(&held));
    assert!(clips(&held).len() > 1);
    assert!(options.open(testdata()).is_err_and(|e| e.code() == "cannot-read"));
}

#[test]
fn an_asset_becomes_its_own_bytes_or_another_format() {
    let asset = meshwright::open(testdata().join("dpm/hopper.ok.dpm")).unwrap();
    let own = asset.convert(Format::Dpm).unwrap();
    assert_eq!(own.files().get("hopper.ok.dpm").unwrap(), fixture("dpm/hopper.ok.dpm"));
    let glb = asset.convert(Target::Glb).unwrap().into_files().into_iter().next().unwrap();
    assert!(glb.bytes.starts_with(b"glTF") && glb.name == "hopper.ok.glb");
    // The export multiplies lengths, and the import divides them.
    let mut large = asset.scene_with(&Target::Glb.scene_options()).unwrap().value;
    large.rescale(2.0).unwrap();
    let files = meshwright::convert(&large, Target::Glb, &WriteOptions::default()).unwrap().value;
    let bytes = files.into_iter().next().unwrap().bytes;
    let large = Opener::new().open_bytes("large.glb", bytes, []).unwrap();
    let back = large.convert(Format::Dpm).unwrap();
    assert!(back.losses().iter().any(|l| l.code == "scale-undone"));
    let bounds = |bytes: &[u8]| Dpm::parse(bytes).unwrap().bounds.maxs.map(F32::get);
    let (before, after) =
        (bounds(asset.bytes()), bounds(&back.into_files().into_iter().next().unwrap().bytes));
    assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() < 1.0), "{before:?} {after:?}");
}

#[test]
fn every_error_has_one_shape() {
    let cut = fixture("dpm/hopper.ok.dpm")[..200].to_vec();
    let failure = Opener::new().open_bytes("x.dpm", cut, []).unwrap_err();
    assert!(failure.offset().is_some() && !failure.path().is_empty(), "{failure:?}");
    assert!(failure.to_string().contains(failure.code()) && failure.to_string().contains("(offset 0x"));
    let none = Opener::new().open(testdata().join("no.dpm")).unwrap_err();
    assert_eq!(none.code(), "cannot-read");
    let other = Opener::new().open_bytes("x", vec![7; 9], []).unwrap_err();
    assert_eq!(other.code(), "unknown-format");
    let leaves = Opener::new().open_bytes("../x.dpm", vec![7; 9], []).unwrap_err();
    assert_eq!(leaves.code(), "cannot-read");
    // A folder may have many packs.
    let pack = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken.pk3");
    fs::write(&pack, b"PK\x05\x06").unwrap();
    let broken = Opener::new().open(pack.join("x.dpm")).unwrap_err();
    assert!(broken.code() == "truncated" && broken.message().contains("broken.pk3"), "{broken:?}");
}
