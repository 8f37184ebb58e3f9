//! Small changes, and bones that are out of order.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_core::ReadOptions;
use meshwright_dpm::{BoneFlags, Dpm, Edit, EditError, Winding, Zym, write_scene};
use meshwright_scene::{Extra, FromSceneOptions, Local, SceneOptions};
use meshwright_testkit::testdata;
use std::fs;

fn fixture(name: &str) -> Vec<u8> {
    fs::read(testdata().join("dpm").join(name)).unwrap()
}

/// Offsets of the bytes in which two files differ.
fn changed(a: &[u8], b: &[u8]) -> Vec<usize> {
    assert_eq!(a.len(), b.len());
    (0..a.len()).filter(|&i| a[i] != b[i]).collect()
}

#[test]
fn every_other_byte_stays() {
    // Bones of 40 bytes from 80 on, mesh headers of 56 from 160 on: as the compiler writes it, and the other way round.
    for (name, bones, mesh, ids) in [("quad.ok.dpm", 80, 160, None), ("reversed.ok.dpm", 0, 0, Some(()))] {
        let bytes = fixture(name);
        let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (bones_at, meshes_at) = (word(68), word(72));
        if ids.is_none() {
            assert_eq!((bones_at, meshes_at), (bones, mesh));
        }
        let ids_at = word(meshes_at + 52);
        let edited = |edit: Edit| {
            let mut model = Dpm::parse(&bytes).unwrap();
            model.edit(&edit).unwrap();
            changed(&bytes, &model.to_bytes().unwrap())
        };
        assert_eq!(edited(Edit::Attachment { bone: b"BASE".to_vec(), on: true }), [bones_at + 39]);
        assert_eq!(edited(Edit::Attachment { bone: b"#1".to_vec(), on: false }), [bones_at + 40 + 39]);
        let flags = Edit::Flags { bone: b"base".to_vec(), flags: BoneFlags(0x0100_0000) };
        assert_eq!(edited(flags), [bones_at + 36]);
        let rename = Edit::RenameBone { bone: b"tip".to_vec(), name: b"tap".to_vec() };
        assert_eq!(edited(rename), [bones_at + 41]);
        let shader = Edit::Shader { mesh: b"textures/quad".to_vec(), shader: b"textures/quae".to_vec() };
        assert_eq!(edited(shader), [meshes_at + 12]);
        // Group ids are 0, 0, 7, 7.
        let id = |triangles, id| Edit::GroupId { mesh: b"#0".to_vec(), triangles, id };
        assert_eq!(edited(id(Some(1..3), 9)), [ids_at + 7, ids_at + 11]);
        assert_eq!(edited(id(None, 7)), [ids_at + 3, ids_at + 7]);
    }
}

#[test]
fn what_cannot_be_changed_is_said() {
    let mut model = Dpm::parse(&fixture("quad.ok.dpm")).unwrap();
    model.meshes.push(model.meshes[0].clone());
    let before = model.clone();
    let mut refused = |edit: Edit| model.edit(&edit).unwrap_err().to_string();
    let rename = |bone: &[u8], name: &[u8]| Edit::RenameBone { bone: bone.to_vec(), name: name.to_vec() };
    assert_eq!(refused(rename(b"none", b"x")), "no bone is called \"none\"");
    assert_eq!(refused(rename(b"#2", b"x")), "no bone is called \"#2\"");
    assert_eq!(refused(rename(b"tip", b"BASE")), "bone #0 is called \"BASE\" already");
    assert!(refused(rename(b"tip", &[b'x'; 32])).contains("at most 31 bytes"));
    let id = |mesh: &[u8], range| Edit::GroupId { mesh: mesh.to_vec(), triangles: Some(range), id: 1 };
    assert!(refused(id(b"textures/quad", 0..1)).contains("as in #0"));
    assert_eq!(refused(id(b"#1", 2..9)), "triangles 2 to 8 of mesh #1, which has 4");
    let unknown = Edit::Shader { mesh: b"no".to_vec(), shader: b"x".to_vec() };
    assert!(matches!(model.edit(&unknown), Err(EditError::Unknown { what: "mesh", .. })));
    assert_eq!(model, before);
}

#[test]
fn native_fields_of_a_scene_mark_bones_and_triangles() {
    let model = Dpm::parse(&fixture("quad.ok.dpm")).unwrap();
    let mut scene = model.to_scene(&SceneOptions::default().with_extras(true), None).unwrap().value;
    // As a person sets them in an editor.
    let map = |fields: &[(&str, Extra)]| {
        Some(Extra::Map(fields.iter().map(|(k, v)| ((*k).into(), v.clone())).collect()))
    };
    scene.skeletons[0].joints[0].extras = map(&[("flags", Extra::Int(4)), ("attach", Extra::Bool(true))]);
    scene.skeletons[0].joints[1].extras = map(&[("flags", Extra::Int(1)), ("attach", Extra::Int(0))]);
    scene.skeletons[0].joints[1].name = "renamed".into();
    scene.meshes[0].extras = map(&[("groupids", Extra::List([3_u32, 1, 4, 1].map(Extra::from).to_vec()))]);
    scene.materials[0].name = "textures/other".into();
    let back = write_scene(&scene, &FromSceneOptions::default()).unwrap().value.model;
    assert_eq!((back.bones[0].flags, back.bones[1].flags), (BoneFlags(5), BoneFlags(0)));
    assert_eq!(back.bones[1].name.bytes(), b"renamed");
    assert_eq!(*back.meshes[0].groupids, [3, 1, 4, 1]);
    assert_eq!(back.meshes[0].shader.bytes(), b"textures/other");
}

/// Returns the quad with its bones in reverse order: `tip`, the child of `base`, comes first.
fn turned_round() -> Vec<u8> {
    let mut bytes = fixture("quad.ok.dpm");
    let word = |b: &[u8], at: usize| u32::from_be_bytes(b[at..at + 4].try_into().unwrap()) as usize;
    let swap = |bytes: &mut [u8], at: usize, size: usize| {
        let (a, b) = bytes[at..at + 2 * size].split_at_mut(size);
        a.swap_with_slice(b);
    };
    swap(&mut bytes, 80, 40);
    bytes[80 + 32..80 + 36].copy_from_slice(&1_u32.to_be_bytes());
    bytes[120 + 32..120 + 36].copy_from_slice(&u32::MAX.to_be_bytes());
    for frame in 0..2 {
        let pose = word(&bytes, word(&bytes, 76) + 68 * frame + 64);
        swap(&mut bytes, pose, 48);
    }
    let mut at = word(&bytes, word(&bytes, 72) + 40);
    for _ in 0..6 {
        let parts = word(&bytes, at);
        at += 4;
        for _ in 0..parts {
            bytes[at + 31] ^= 1;
            at += 32;
        }
    }
    bytes
}

#[test]
fn a_lenient_reader_puts_parents_first() {
    let bytes = turned_round();
    let e = Dpm::parse(&bytes).unwrap_err();
    assert_eq!(e.to_string(), "bones[0].parent: parent 1 of bone 0 is not before it (offset 0x70)");
    let parsed = Dpm::parse_with(&bytes, &ReadOptions::lenient()).unwrap();
    assert!(parsed.forgiven.has("bad-parent"));
    let quad = fixture("quad.ok.dpm");
    assert_eq!(parsed.model.bones, Dpm::parse(&quad).unwrap().bones);
    assert!(!parsed.model.validate().has_errors());
    assert_eq!(parsed.model.to_bytes().unwrap(), quad, "mended in place");
    let native = Dpm::parse(&quad).unwrap();
    assert_eq!(parsed.model.evaluate(0, 1), native.evaluate(0, 1));
    // The same by hand.
    let mut model = native.clone();
    assert!(model.sort_bones() && model == native);
    // Circles and strangers stay refused.
    for (parent, bone) in [(0_u32, 0), (0, 1), (7, 1)] {
        let mut bytes = turned_round();
        bytes[80 + 40 * bone + 32..][..4].copy_from_slice(&parent.to_be_bytes());
        assert_eq!(Dpm::parse_with(&bytes, &ReadOptions::lenient()).unwrap_err().code(), "bad-parent");
    }
    // A model that was built so is no scene.
    let mut model = native;
    model.bones.swap(0, 1);
    (model.bones[0].parent, model.bones[1].parent) = (1, -1);
    assert!(model.to_scene(&SceneOptions::default(), None).is_err());
    assert!(model.sort_bones());
    assert!(model.to_scene(&SceneOptions::default(), None).is_ok());
}

#[test]
fn a_lenient_reader_puts_parents_of_a_zym_first() {
    let bytes = fixture("pair.ok.zym");
    let native = Zym::parse(&bytes).unwrap();
    let mut model = native.clone();
    // The first and the second bone change places, the second hanging from the first.
    model.bones.swap(0, 1);
    model.bones[0].parent = 1;
    model.bones[1].parent = -1;
    let bones = model.bones.len();
    model.poses.chunks_mut(bones).for_each(|p| p.swap(0, 1));
    model.influences.iter_mut().for_each(|i| i.bone = [1, 0].get(i.bone as usize).copied().unwrap_or(i.bone));
    assert_eq!(model.to_bytes().map_err(|_| ()), Err(()));
    assert!(model.sort_bones());
    assert_eq!(native.bones[1].parent, 0, "as the fixture has it");
    assert_eq!(model.to_bytes().unwrap(), bytes);
}

#[test]
fn triangles_against_their_normals_are_told() {
    let mut model = Dpm::parse(&fixture("quad.ok.dpm")).unwrap();
    assert!(!model.validate().has("winding"));
    std::sync::Arc::make_mut(&mut model.meshes[0].triangles)[1..].iter_mut().for_each(|t| t.swap(0, 1));
    let report = model.validate();
    let found = report.findings().iter().find(|f| f.rule.code == "winding").unwrap();
    let text = found.to_string();
    assert!(text.starts_with("info[winding] meshes[0].tris: 3 of 4 triangles "), "{text}");
    assert!(text.ends_with("(offset 0x2a8)"), "{text}");
    assert!(!report.has_errors());
    assert_eq!(model.winding(0).map(|w: Winding| (w.against, w.seen)), Some((3, 4)));
}

#[test]
fn a_model_of_one_frame_is_a_static_mesh() {
    let mut model = Dpm::parse(&fixture("quad.ok.dpm")).unwrap();
    model.frames.truncate(1);
    model.poses.truncate(2);
    let options = SceneOptions::default().with_static_meshes(true);
    // A bone for attachments that moves nothing, 1 above the tip at x = 2.
    let mut tag = model.bones[1];
    (tag.name, tag.parent, tag.flags) = (meshwright_dpm::Name::truncated(b"tag_hat"), 1, BoneFlags(0));
    model.bones[1].flags = BoneFlags(0);
    model.bones.push(tag);
    let up = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]];
    model.poses.push(up.into());
    let made = model.to_scene(&options, None).unwrap();
    let scene = made.value;
    assert!(scene.skeletons.is_empty() && scene.clips.is_empty() && scene.pose_sets.is_empty());
    assert!(scene.meshes.iter().all(|m| m.skin.is_none()));
    assert_eq!(scene.meshes[0].positions[5], [1.0, 0.0, 4.0], "y, z, x of the file");
    let names: Vec<_> = scene.nodes.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["textures/quad", "tag_hat"]);
    let Local::Affine(place) = scene.nodes[1].local else { panic!("a matrix") };
    assert_eq!(place.w, [0.0, 1.0, 2.0]);
    assert!(made.losses.iter().any(|l| l.code == "static-mesh" && l.is_note() && l.count == 2));
    // With its skeleton where that is asked for, and where there is more than one frame.
    let kept = model.to_scene(&SceneOptions::default(), None).unwrap().value;
    assert_eq!((kept.skeletons.len(), kept.clips.len()), (1, 1));
    let moving = Dpm::parse(&fixture("quad.ok.dpm")).unwrap().to_scene(&options, None).unwrap().value;
    assert_eq!((moving.skeletons.len(), moving.clips.len()), (1, 2));
    let mut zym = Zym::parse(&fixture("pair.ok.zym")).unwrap();
    zym.poses.truncate(zym.bones.len());
    zym.scenes.truncate(1);
    zym.scenes[0].length = 1;
    let still = zym.to_scene(&options, None).unwrap().value;
    assert!(still.skeletons.is_empty() && still.meshes.iter().all(|m| m.skin.is_none()));
}
