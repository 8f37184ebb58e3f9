//! New outfits of The Sims: all files of an outfit with consistent numbers and names, and the archives that hold them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

use crate::common::{code, names, ok, run_in, stderr};
use meshwright::files::Tree;
use meshwright::gltf::{ExportOptions, export};
use meshwright::scene::{Image, Influence, Material, MaterialId, MeshId, Node, Scene, SkeletonId, Skin};
use meshwright::tso::{Apr, Bnd, Cmx, Hag, Oft, Region, Skn};
use meshwright::{Opener, Target, WriteOptions, convert};
use meshwright_testkit::testdata;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// An image of one pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// Writes a flower with two hands and a texture as `flower.glb`, and its skeleton as `bones.skel`.
fn flower_with_hands(dir: &Path) -> Scene {
    for (fixture, name) in [("flower.ok.mesh", "flower.mesh"), ("flower.ok.skel", "flower.skel")] {
        fs::copy(testdata().join("tso").join(fixture), dir.join(name)).unwrap();
    }
    let open = Opener::new().skeleton(dir.join("flower.skel"));
    let mut scene = open.open(dir.join("flower.mesh")).unwrap().scene().unwrap().value;
    scene.materials =
        vec![Material::named("petals").with_image(Image::new("petals", "image/png", PNG.to_vec()))];
    scene.meshes[0].material = Some(MaterialId(0));
    for (i, bone) in ["R_HAND", "L_HAND"].into_iter().enumerate() {
        let joints = &mut scene.skeletons[0].joints;
        let mut hand = joints[1].clone();
        hand.name = bone.into();
        joints.push(hand);
        let mut mesh = scene.meshes[0].clone();
        mesh.name = format!("xskin-flower-{bone}-HAND.00c0fff{i}00000009");
        let count = mesh.positions.len();
        let influence = Influence { joint: u32::try_from(2 + i).unwrap(), weight: 1.0 };
        let starts = (0..=u32::try_from(count).unwrap()).collect();
        let skeleton = SkeletonId(0);
        mesh.skin = Some(Skin { skeleton, starts, influences: vec![influence; count], local: Vec::new() });
        scene.meshes.push(mesh);
        scene.nodes.push(Node::of_mesh(bone, MeshId(1 + i)));
    }
    let skel = convert(&scene, Target::from_name("bones.skel").unwrap(), &WriteOptions::default());
    fs::write(dir.join("bones.skel"), &skel.unwrap().value.main().unwrap().bytes).unwrap();
    fs::write(dir.join("flower.glb"), export(&scene, &ExportOptions::default()).unwrap().value.to_glb())
        .unwrap();
    scene
}

#[test]
fn a_new_outfit_is_complete() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    let scene = flower_with_hands(dir);
    let words = "convert flower.glb --skeleton bones.skel --name rose --tso-id 42 --to oft -o outfit/";
    ok(dir, &words.split(' ').collect::<Vec<_>>());
    assert_eq!(
        names(&dir.join("outfit")),
        [
            "flower.0000002a0000000d.oft",
            "rose-left.0000002c0000000c.apr",
            "rose-right.0000002b0000000c.apr",
            "rose-xskin-flower-L_HAND-HAND.0000002c00000009.mesh",
            "rose-xskin-flower-L_HAND-HAND.0000002c0000000b.bnd",
            "rose-xskin-flower-R_HAND-HAND.0000002b00000009.mesh",
            "rose-xskin-flower-R_HAND-HAND.0000002b0000000b.bnd",
            "rose.0000002a00000009.mesh",
            "rose.0000002a0000000b.bnd",
            "rose.0000002a0000000c.apr",
            "rose.0000002a0000000e.png",
            "rose.0000002a00000012.hag",
        ]
    );
    // Every number leads to a file.
    let read = |name: &str| fs::read(dir.join("outfit").join(name)).unwrap();
    let outfit = Oft::parse(&read("flower.0000002a0000000d.oft")).unwrap();
    assert_eq!((outfit.region, outfit.hands), (Region::BODY, 42));
    assert!(outfit.appearances.iter().all(|look| (look.file, look.kind) == (42, 12)));
    let hands = Hag::parse(&read("rose.0000002a00000012.hag")).unwrap();
    let sides = hands.appearances.map(|look| look.file);
    assert_eq!(sides, [[43; 3], [44; 3], [43; 3], [44; 3], [43; 3], [44; 3]].concat()[..]);
    let look = Apr::parse(&read("rose-left.0000002c0000000c.apr")).unwrap();
    assert_eq!((look.bindings[0].file, look.bindings[0].kind), (44, 11));
    let bound = Bnd::parse(&read("rose-xskin-flower-L_HAND-HAND.0000002c0000000b.bnd")).unwrap();
    assert_eq!(bound.mesh.unwrap().tag(), "0000002c00000009");
    assert_eq!(
        (bound.texture.unwrap().tag(), bound.bone.text()),
        ("0000002a0000000e".into(), "L_HAND".into())
    );
    // The archive assembles the character by its outfit.
    ok(dir, &["pack", "outfit", "-o", "rose.dat"]);
    assert_eq!(fs::read(dir.join("rose.dat")).unwrap()[8], 3);
    let said = ok(dir, &["check", "rose.dat"]);
    assert!(said.contains("0 errors, 0 warnings"), "{said}");
    let tree = Tree::open(dir.join("rose.dat")).unwrap();
    let open = Opener::new().skeleton(dir.join("bones.skel")).textures(true);
    let worn = open.open_in(tree, "flower.0000002a0000000d.oft").unwrap();
    assert_eq!(worn.companions().missing, []);
    let worn = worn.scene().unwrap().value;
    assert_eq!(worn.meshes.len(), 3);
    let image = |scene: &Scene| scene.materials[0].image.as_ref().map(|image| image.bytes.clone());
    assert!(image(&worn).is_some() && image(&worn) == image(&scene));
    let distance =
        |a: &[f32; 3], b: &[f32; 3]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    for (was, is) in scene.meshes.iter().zip(&worn.meshes) {
        let nearest = |p: &[f32; 3]| is.positions.iter().map(|q| distance(p, q)).fold(f32::MAX, f32::min);
        assert!(was.positions.iter().map(nearest).fold(0.0, f32::max) < 1e-4, "{}", is.name);
    }
    ok(
        dir,
        &["convert", "rose.dat/flower.0000002a0000000d.oft", "--skeleton", "bones.skel", "-o", "worn.glb"],
    );
}

#[test]
fn the_name_of_an_outfit_has_its_number() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    flower_with_hands(dir);
    let run = |words: &str| run_in(dir, &words.split(' ').collect::<Vec<_>>());
    let refused = run("convert flower.glb --skeleton bones.skel --tso-id 42 -o out/rose.oft");
    let said = stderr(&refused);
    assert!(code(&refused) == 2 && said.contains("rose.0000002a0000000d.oft"), "{said}");
    let refused = run("convert flower.glb --skeleton bones.skel -o rose.oft");
    assert!(code(&refused) == 1 && stderr(&refused).contains("--tso-id"), "{}", stderr(&refused));
    // The name gives the number. Without meshes of hands, the outfit names those of the game.
    fs::create_dir(dir.join("named")).unwrap();
    let done =
        run("convert flower.mesh --skeleton bones.skel --tso-hands 0x99 -o named/rose.000000070000000d.oft");
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let outfit = Oft::parse(&fs::read(dir.join("named/rose.000000070000000d.oft")).unwrap()).unwrap();
    assert_eq!((outfit.hands, outfit.appearances[0].file), (0x99, 7));
    assert!(dir.join("named/rose.000000070000000c.apr").exists());
    // An outfit with a new name is not the embedded original.
    assert_eq!(code(&run("convert flower.mesh --skeleton bones.skel --keep-native -o kept.glb")), 0);
    let done = run("convert kept.glb --skeleton bones.skel --name lily --tso-id 9 --to oft -o kept/");
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    assert!(dir.join("kept/kept.000000090000000d.oft").exists());
    assert!(dir.join("kept/lily.0000000900000009.mesh").exists());
}

/// A suit of The Sims 1 gets the new name in its record, in the names of its files and in the files.
#[test]
fn a_new_suit_has_its_own_name() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    flower_with_hands(dir);
    fs::create_dir(dir.join("out")).unwrap();
    ok(dir, &["convert", "flower.glb", "--skeleton", "bones.skel", "--name", "lily", "-o", "out/set.cmx"]);
    let suit = Cmx::parse(&fs::read(dir.join("out/set.cmx")).unwrap()).unwrap().character.suits.remove(0);
    assert_eq!((suit.name.text(), suit.skins.len()), ("lily".to_owned(), 3));
    for skin in suit.skins {
        let name = skin.skin.text();
        let mesh = Skn::parse(&fs::read(dir.join("out").join(format!("{name}.skn"))).unwrap()).unwrap();
        assert!(name.starts_with("xskin-lily-") && mesh.skin.text() == name, "{name}: {}", mesh.skin.text());
    }
}

#[test]
fn archives_of_the_sims_have_the_version_that_is_named() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("in")).unwrap();
    fs::copy(testdata().join("tso/flower.ok.cmx"), dir.join("in/flower.cmx")).unwrap();
    for (version, number) in [("1a", 1), ("1b", 1), ("3", 3)] {
        let archive = format!("{version}.far");
        let output = run_in(dir, &["pack", "in", "--far", version, "-o", &archive]);
        if version == "3" {
            assert!(code(&output) == 1 && stderr(&output).contains("numbers"), "{}", stderr(&output));
            fs::rename(dir.join("in/flower.cmx"), dir.join("in/flower.0000000100000002.cmx")).unwrap();
            ok(dir, &["pack", "in", "--far", version, "-o", &archive]);
        }
        let bytes = fs::read(dir.join(&archive)).unwrap();
        assert_eq!(bytes[8], number, "{version}");
        let said = ok(dir, &["list", "--format", "json", &archive]);
        assert!(said.contains("flower"), "{said}");
    }
    let length = |name: &str| fs::metadata(dir.join(name)).unwrap().len();
    assert_eq!(length("1a.far"), length("1b.far") + 2);
}
