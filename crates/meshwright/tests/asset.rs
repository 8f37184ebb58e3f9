//! Models with all that belongs to them.
#![cfg(all(feature = "dpm", feature = "tso", feature = "textures"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::dpm::{Dpm, Name};
use meshwright::files::Tree;
use meshwright::scene::SceneOptions;
use meshwright::{
    Asset, AssetError, FigureError, NamedFile, OpenOptions, PartRole, PartState, ReadOptions, Role,
};
use meshwright_testkit::testdata;
use std::fs;

fn fixture(name: &str) -> Vec<u8> {
    fs::read(testdata().join(name)).unwrap()
}

/// A model with a mesh for each of the materials.
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

/// One pixel.
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
    let asset = Asset::open(&tree, "m.dpm", &OpenOptions::default().with_textures(true)).unwrap();
    let images = &asset.companions().images;
    assert_eq!(images.iter().map(|i| i.0.as_str()).collect::<Vec<_>>(), ["models/x/skin", "skin.bmp"]);
    assert!(images.iter().all(|i| i.1.mime == "image/png" && i.1.bytes.starts_with(b"\x89PNG")));
    let scene = asset.to_scene(&SceneOptions::default()).unwrap();
    let losses: Vec<_> = scene.losses.iter().map(|l| (l.code, l.path.as_str())).collect();
    for loss in [("texture-unreadable", "materials[2]"), ("texture-not-found", "materials[3]")] {
        assert!(losses.contains(&loss), "{losses:?}");
    }
    let textures = asset.parts().iter().filter(|p| p.role == PartRole::Texture);
    assert_eq!(textures.map(|p| p.name.as_str()).collect::<Vec<_>>(), ["Skin.BMP", "Skin.BMP", "broken.tga"]);
}

#[test]
fn companions_are_found_whatever_their_case() {
    let model = fixture("dpm/hopper.ok.dpm");
    let tree = Tree::memory([("h.dpm", model), ("H.DPM.FrameGroups", b"1 4 10 1 run\n".to_vec())]).unwrap();
    let asset = Asset::open(&tree, "h.dpm", &OpenOptions::default()).unwrap();
    assert_eq!(asset.to_scene(&SceneOptions::default()).unwrap().value.clips[0].name, "run");
    let alone = Asset::open(&tree, "h.dpm", &OpenOptions::default().with_companions(false)).unwrap();
    assert_eq!(alone.parts().len(), 1);
}

#[test]
fn a_named_companion_of_another_kind_is_left_out() {
    let tree = Tree::memory([("h.dpm", fixture("dpm/hopper.ok.dpm"))]).unwrap();
    let skeleton = NamedFile::new(Role::Skeleton, "s.skel", fixture("tso/flower.ok.skel"));
    let asset = Asset::open(&tree, "h.dpm", &OpenOptions::default().with_named(skeleton)).unwrap();
    assert!(matches!(asset.parts()[1].state, PartState::Ignored(_)) && asset.companions().files.is_empty());
    let tree = Tree::memory([("m.mesh", fixture("tso/flower.ok.mesh"))]).unwrap();
    let broken = NamedFile::new(Role::Skeleton, "s.skel", *b"no skeleton");
    let refused = Asset::open(&tree, "m.mesh", &OpenOptions::default().with_named(broken));
    assert!(matches!(refused, Err(AssetError::Companion { .. })));
}

#[test]
fn a_refused_file_says_all_that_is_wrong_with_it() {
    let bytes = fixture("dpm/parent.reject.dpm");
    let tree = Tree::memory([("h.dpm", bytes)]).unwrap();
    for read in [ReadOptions::default(), ReadOptions::lenient()] {
        let Err(e) = Asset::open(&tree, "h.dpm", &OpenOptions::from(read)) else { panic!("it is broken") };
        assert!(e.report().has_errors());
    }
}

#[test]
fn a_figure_is_named_after_the_first_that_takes_parts() {
    let files = ["sway.ok.anim", "flower.ok.skel", "flower.ok.mesh"];
    let tree = Tree::memory(files.map(|name| (name, fixture(&format!("tso/{name}"))))).unwrap();
    let open = |name: &str| Asset::open(&tree, name, &OpenOptions::default()).unwrap();
    let assets: Vec<_> = files.map(open).into();
    assert_eq!(Asset::figure_lead(&assets), Some(2));
    let figure = Asset::figure(assets).unwrap();
    assert_eq!(figure.path(), &"flower.ok.mesh");
    let scene = figure.to_scene(&SceneOptions::default()).unwrap().value;
    assert_eq!((scene.meshes.len(), scene.skeletons.len(), scene.clips.len()), (1, 1, 1));
    let two = [open(files[2]), open(files[1]), open(files[1])];
    assert_eq!(
        Asset::figure(two.into()).unwrap_err(),
        FigureError::Several { index: 2, role: Role::Skeleton }
    );
}

#[cfg(feature = "bmd")]
#[test]
fn what_has_no_name_is_called_after_the_file() {
    let scene = |file: &str, name: &str| {
        let tree = Tree::memory([(name, fixture(file))]).unwrap();
        Asset::open(&tree, name, &OpenOptions::default())
            .unwrap()
            .to_scene(&SceneOptions::default())
            .unwrap()
            .value
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
    let asset = Asset::open(&tree, "f.fom", &OpenOptions::default()).unwrap();
    let written: Vec<_> = asset.rewrite("g.fom").unwrap().into_iter().map(|f| (f.name, f.bytes)).collect();
    let [(_, model), (_, companion)] = files;
    assert_eq!(written, [("g.fom".into(), model.clone()), ("g.json".into(), companion)]);
    assert!(asset.companions().missing.is_empty());
    // Without it the model is not whole, and both the report and the losses say what was looked for.
    let tree = Tree::memory([("f.fom", model)]).unwrap();
    let asset = Asset::open(&tree, "f.fom", &OpenOptions::default()).unwrap();
    assert_eq!(asset.companions().missing, [(Role::Metadata, "f.json".into())]);
    assert!(asset.check().has("companion-missing"));
    let losses = asset.to_scene(&SceneOptions::default()).unwrap().losses;
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
    let told = |name| Asset::open(&tree, name, &OpenOptions::default()).unwrap().check().has("W_TYPE_ID");
    assert_eq!(names.map(told), [false, true]);
}
