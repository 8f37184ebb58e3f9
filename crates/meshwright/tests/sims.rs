//! Tests the search for the parts of a The Sims character in a tree: skeletons by their blends, keys and skins by
//! name, outfits by number, textures by the game's naming.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]
#![cfg(all(feature = "tso", feature = "textures"))]

use meshwright::files::Tree;
use meshwright::tso::{Gesture, Tone};
use meshwright::{Finder, Model, Opener};
use meshwright_testkit::testdata;
use std::collections::BTreeSet;
use std::fs;

/// A scene is converted back to records, meshes and keys, which form the character again.
#[test]
fn figures_come_back_from_scenes() {
    let bytes = |name: &str| fs::read(testdata().join("tso").join(name)).unwrap();
    let files = [
        ("flower.mesh", bytes("flower.ok.mesh")),
        ("flower.skel", bytes("flower.ok.skel")),
        ("sway.anim", bytes("sway.ok.anim")),
    ];
    let finder = Finder::new(Tree::memory(files).unwrap());
    let open = |name: &str| Opener::new().open_in(&finder, name).unwrap();
    let figure = Model::figure(vec![open("flower.mesh"), open("flower.skel"), open("sway.anim")]).unwrap();
    let scene = figure.scene().unwrap().value;
    for (extension, mesh) in [("cmx", "skn"), ("bcf", "bmf")] {
        let target = meshwright::Target::from_name(&format!("x.{extension}")).unwrap();
        let options = meshwright::WriteOptions::default().with_stem("flower");
        let made = meshwright::convert(&scene, target, &options).unwrap().value;
        assert_eq!(made.main().map(|f| &*f.name), Some(&*format!("flower.{extension}")));
        let names: BTreeSet<_> = made.iter().map(|f| f.name.clone()).collect();
        assert_eq!(names.len(), 3, "{names:?}");
        assert!(
            names.contains(&format!("flower.{extension}")) && names.iter().any(|n| n.ends_with(mesh)),
            "{names:?}"
        );
        let tree = Tree::memory(made.iter().map(|f| (f.name.as_str(), f.bytes.clone()))).unwrap();
        let again = Finder::new(tree);
        let asset = Opener::new().open_in(&again, &*format!("flower.{extension}")).unwrap();
        let back = asset.scene().unwrap();
        assert_eq!((back.value.meshes.len(), back.value.clips.len()), (1, 1), "{:?}", back.losses);
        assert_eq!(back.value.meshes[0].positions.len(), scene.meshes[0].positions.len());
        assert_eq!(back.value.clips[0].frames, scene.clips[0].frames);
    }
}

/// The texture of a skin: from the person, from the mesh's name, from the suit. Meshwright reports missing ones.
#[test]
fn pictures_go_by_person_mesh_and_suit() {
    let bytes = |name: &str| fs::read(testdata().join("tso").join(name)).unwrap();
    let flag = String::from_utf8(bytes("flag.ok.skn")).unwrap();
    let mesh = "xskin-b001fafit_01-PELVIS-BODY.skn";
    let material = |texture: &str, pictures: &[&str], options: &Opener| {
        let skn = flag.lines().enumerate().map(|(i, line)| if i == 1 { texture } else { line });
        let skn = skn.collect::<Vec<_>>().join("\n") + "\n";
        let mut files = vec![(mesh.to_owned(), skn.into_bytes())];
        files.extend(pictures.iter().map(|name| ((*name).to_owned(), b"BM".to_vec())));
        let finder = Finder::new(Tree::memory(files).unwrap());
        let asset = options.open_in(&finder, mesh).unwrap();
        let name = asset.scene().unwrap().value.materials.first().map(|m| m.name.clone());
        let place = name.as_ref().and_then(|name| asset.companions().pictures.get(name).cloned());
        (name.unwrap_or_default(), place.unwrap_or_default(), asset.companions().missing.len())
    };
    let plain = Opener::new();
    let own = ("cloth".to_owned(), "skins/cloth.bmp".to_owned(), 0);
    assert_eq!(material("cloth", &["skins/cloth.bmp", "b001fafitlgt_a.bmp"], &plain), own);
    let light = ("b001fafitlgt_a".to_owned(), "x/b001fafitlgt_a.bmp".to_owned(), 0);
    let all = ["x/b001fafitlgt_a.bmp", "x/b001fafitlgt_b.bmp", "x/b001fafitdrk_a.tga"];
    assert_eq!(material("x", &all, &plain), light);
    assert_eq!(material("not-there", &all, &plain), light);
    let dark = Opener::new().look(Tone::Dark, [Gesture::Idle; 2]);
    assert_eq!(material("x", &all, &dark).0, "b001fafitdrk_a");
    let worn = meshwright::tso::Wear::parse("b001fafit_01,BODY=b001fafitlgt_b;b002fafit_01");
    assert_eq!(material("x", &all, &Opener::new().wear(worn)).0, "b001fafitlgt_b");
    assert_eq!(material("x", &[], &plain), ("x".into(), String::new(), 1));
    assert_eq!(material("cloth", &[], &plain), ("cloth".into(), String::new(), 0));
}
