//! Data that conversions between similar formats keep, and the reported losses.
#![cfg(all(feature = "dpm", feature = "iqm", feature = "tso", feature = "gltf"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use meshwright::dpm::{Bone, BonePose, Dpm, Frame, Influence, Mesh, Name, PoseId, Vertices, Zym};
use meshwright::files::Tree;
use meshwright::iqm::Iqm;
use meshwright::scene::{
    Converted, Extra, Image, Loss, Material, MaterialId, MeshId, Node, OutputFiles, Scene, SceneOptions,
    Variant,
};
use meshwright::tso::Anim;
use meshwright::{
    ConvertOptions, Format, Model, NamedFile, Opener, Role, Route, Target, WriteOptions, convert,
};
use meshwright_testkit::testdata;
use std::sync::Arc;

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(testdata().join(name)).unwrap()
}

fn open(files: &[(&str, Vec<u8>)], options: &Opener) -> Model {
    let tree = Tree::memory(files.iter().map(|(name, bytes)| (*name, bytes.clone()))).unwrap();
    options.open_in(&tree, files[0].0).unwrap_or_else(|e| panic!("{}: {e}", files[0].0))
}

fn to(asset: &Model, format: Format) -> Converted<OutputFiles> {
    parts(asset.convert(format).unwrap())
}

fn parts(made: meshwright::Converted) -> Converted<OutputFiles> {
    let losses = made.losses().to_vec();
    Converted::new(made.into_files(), losses)
}

fn names(made: &Converted<OutputFiles>) -> Vec<&str> {
    made.value.iter().map(|file| file.name.as_str()).collect()
}

fn count(losses: &[Loss], code: &str) -> Option<u64> {
    losses.iter().find(|loss| loss.code == code).map(|loss| loss.count)
}

fn character() -> Vec<(&'static str, Vec<u8>)> {
    vec![("flower.cmx", fixture("tso/flower.ok.cmx")), ("sway.cfp", fixture("tso/sway.ok.cfp"))]
}

/// Text and binary hold the same records: no skeleton, mesh or clip is added, and keys stay as they are.
#[test]
fn records_are_not_taken_apart() {
    let asset = open(&character(), &Opener::new());
    let keys = asset.companions().files.iter().find(|file| file.role == Role::Keys).unwrap().file_name();
    let made = to(&asset, Format::Bcf);
    assert_eq!(names(&made), ["flower.bcf", &keys]);
    assert!(made.value.iter().next().unwrap().bytes == fixture("tso/flower.ok.bcf"));
    assert!(made.value.get(&keys).unwrap() == fixture("tso/sway.ok.cfp"));
    assert_eq!(made.losses.iter().map(|l| l.code).collect::<Vec<_>>(), ["comment-dropped"]);
    let skel = to(&asset, Format::TsoSkeleton);
    assert_eq!(names(&skel), ["flower.skel"]);
    assert_eq!(
        (count(&skel.losses, "suits-dropped"), count(&skel.losses, "clips-dropped")),
        (Some(1), Some(1))
    );
    assert_eq!(names(&to(&asset, Format::TsoAnimation)), ["flower.anim"]);

    let skel = open(&[("flower.skel", fixture("tso/flower.ok.skel"))], &Opener::new());
    assert_eq!(names(&to(&skel, Format::Cmx)), ["flower.cmx"]);
    let files = [("sway.anim", fixture("tso/sway.ok.anim")), ("flower.skel", fixture("tso/flower.ok.skel"))];
    let made = to(&open(&files, &Opener::new()), Format::Bcf);
    let [record, keys] = names(&made)[..] else { panic!("{:?}", names(&made)) };
    assert!(record == "sway.bcf" && keys.starts_with("xskill-"), "{keys}");
    let both: Vec<_> = made.value.iter().map(|file| (file.name.as_str(), file.bytes.clone())).collect();
    let again = to(&open(&both, &Opener::new()), Format::TsoAnimation);
    let anim = |bytes: &[u8]| {
        let anim = Anim::parse(bytes).unwrap();
        let events: Vec<_> = anim.motions.iter().map(|motion| motion.time_properties.clone()).collect();
        (anim.name, anim.duration, anim.distance, anim.translations, anim.rotations, events)
    };
    let again = &again.value.iter().next().unwrap().bytes;
    assert_eq!(anim(again), anim(&fixture("tso/sway.ok.anim")));

    let flag = open(&[("flag.skn", fixture("tso/flag.ok.skn"))], &Opener::new());
    let made = to(&flag, Format::Bmf);
    assert!(made.losses.is_empty() && made.value.get("flag.bmf").unwrap() == fixture("tso/flag.ok.bmf"));
    assert_eq!(names(&to(&flag, Format::TsoMesh)), ["flag.mesh"]);
    let numbered = WriteOptions::default().with_tso_id(Some(7)).into();
    assert_eq!(
        names(&parts(flag.convert_with(Format::TsoMesh, &numbered).unwrap())),
        ["flag.mesh", "flag.bnd"]
    );
}

#[test]
fn the_record_of_a_clip_names_the_file_of_its_keys() {
    let mut anim = Anim::parse(&fixture("tso/sway.ok.anim")).unwrap();
    for (clip, stem) in [("x".repeat(300), "sway"), ("\u{e9}".into(), "模"), ("a/b".into(), "a")] {
        anim.name = meshwright::tso::Name::from_text(&clip).0;
        let (main, skeleton) = (format!("{stem}.anim"), fixture("tso/flower.ok.skel"));
        let files = [(&*main, anim.to_bytes().unwrap()), ("flower.skel", skeleton)];
        let made = to(&open(&files, &Opener::new()), Format::Bcf);
        let both: Vec<_> = made.value.iter().map(|file| (file.name.as_str(), file.bytes.clone())).collect();
        assert!(both[1].0.len() < 100, "{}", both[1].0);
        let again = open(&both, &Opener::new());
        assert_eq!(again.companions().files.len(), 1, "{:?}", names(&made));
    }
}

/// Changes of a model are applied to its scene.
#[test]
fn what_changes_a_model_goes_by_way_of_a_scene() {
    let route = |asset: &Model, target: Target, options: &ConvertOptions| {
        asset.clone().into_conversion(target, options).map(|made| made.route()).ok()
    };
    let cmx = Target::Native(Format::Cmx);
    let options = ConvertOptions::from(WriteOptions::default().with_stem("x"));
    let skel = || fixture("tso/flower.ok.skel");
    let asset = open(&[("a.skel", skel())], &Opener::new());
    assert_eq!(route(&asset, cmx, &options), Some(Route::SameRecords));
    assert_eq!(route(&asset, cmx, &options.clone().with_scale(Some(2.0))), Some(Route::Scene));
    assert_eq!(route(&asset, Format::TsoSkeleton.into(), &options), Some(Route::Unchanged));
    assert_eq!(route(&asset, Target::Glb, &options), Some(Route::Scene));
    assert_eq!(route(&asset, Format::Dpm.into(), &options), Some(Route::Scene));
    // An animation that is named is to be in the result.
    let named = NamedFile::new(Role::Animation, "sway.anim", fixture("tso/sway.ok.anim"));
    let asset = open(&[("a.skel", skel())], &Opener::new().named(named));
    assert_eq!(route(&asset, cmx, &options), Some(Route::Scene));
    assert_eq!(names(&parts(asset.convert_with(cmx, &options).unwrap())).len(), 2);
}

#[test]
fn frames_that_no_clip_has_stay_where_they_are() {
    let files = [("h.dpm", fixture("dpm/hopper.ok.dpm")), ("h.dpm.framegroups", b"9 3 20 0 end\n".to_vec())];
    let dpm = Dpm::parse(&files[0].1).unwrap();
    let made = to(&open(&files, &Opener::new()), Format::Zym);
    let zym = Zym::parse(made.value.get("h.zym").unwrap()).unwrap();
    assert_eq!(zym.pose_count(), dpm.frames.len());
    assert!((0..dpm.frames.len()).all(|frame| zym.pose(frame) == dpm.frame_pose(frame)));
    assert_eq!((zym.scenes[0].start, zym.scenes[0].length), (9, 3));
    assert_eq!(count(&made.losses, "frames-without-clip"), None);
    let back = to(&open(&[("h.zym", zym.to_bytes().unwrap())], &Opener::new()), Format::Dpm);
    assert_eq!(names(&back), ["h.dpm", "h.dpm.framegroups"]);
    let back = Dpm::parse(back.value.get("h.dpm").unwrap()).unwrap();
    assert!((0..dpm.frames.len()).all(|frame| back.frame_pose(frame) == dpm.frame_pose(frame)));
}

/// Returns a static model with an attachment bone that no vertex follows.
fn tagged() -> Dpm {
    let name = |text: &str| Name::truncated(text.as_bytes());
    let bones = vec![Bone::new(name("body"), -1), Bone::new(name("tag_flash"), -1)];
    let moved = BonePose::from([[1.0, 0.0, 0.0, 4.0], [0.0, 0.0, -1.0, 5.0], [0.0, 1.0, 0.0, 6.0]]);
    let corner = |x: f32, y: f32| {
        let f = |v: [f32; 3]| v.map(Into::into);
        [Influence { origin: f([x, y, 0.0]), influence: 1.0.into(), normal: f([0.0, 0.0, 1.0]), bone: 0 }]
    };
    let vertices: Vertices = [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0)].into_iter().collect();
    let mesh = Mesh {
        shader: name("body"),
        vertices: Arc::new(vertices),
        texcoords: Arc::new(vec![[0.0.into(); 2]; 3]),
        triangles: Arc::new(vec![[0, 1, 2]]),
        groupids: Arc::new(vec![0]),
    };
    let frame = Frame { name: name("still_0"), pose: PoseId(0), ..Frame::default() };
    let mut dpm = Dpm::new(bones, vec![mesh], vec![BonePose::IDENTITY, moved], vec![frame]);
    dpm.recompute_bounds();
    dpm
}

#[test]
fn places_to_attach_things_come_back() {
    let dpm = tagged();
    let asset = open(&[("gun.dpm", dpm.to_bytes().unwrap())], &Opener::new());
    let glb = parts(asset.convert(Target::Glb).unwrap());
    let glb = glb.value.iter().next().unwrap().bytes.clone();
    let edited = open(&[("gun.glb", glb)], &Opener::new());
    let made = to(&edited, Format::Dpm);
    assert_eq!(count(&made.losses, "nodes-as-bones"), Some(1));
    let back = Dpm::parse(made.value.get("gun.dpm").unwrap()).unwrap();
    let tag = back.bones.iter().position(|bone| bone.name.bytes() == b"tag_flash").unwrap();
    let pose = back.frame_pose(0).unwrap()[tag].rows();
    let off = |(a, b): (&f32, &f32)| (a - b).abs();
    let wanted = dpm.poses[1].rows();
    let far = pose.as_flattened().iter().zip(wanted.as_flattened()).map(off).fold(0.0, f32::max);
    assert!(far < 1e-6, "{pose:?}");
    let zym = to(&edited, Format::Zym);
    let zym = Zym::parse(zym.value.get("gun.zym").unwrap()).unwrap();
    assert!(zym.bones.iter().any(|bone| bone.name.bytes() == b"tag_flash"));
    let iqm = to(&edited, Format::Iqm);
    let iqm = Iqm::parse(iqm.value.get("gun.iqm").unwrap()).unwrap();
    assert!(iqm.joints.iter().any(|joint| iqm.str(joint.name) == b"tag_flash"));
}

/// Returns a triangle in three looks. The second has a normal map.
fn looks() -> Scene {
    let asset = open(&[("gun.dpm", tagged().to_bytes().unwrap())], &Opener::new());
    let mut scene = asset.scene().unwrap().value;
    // Only what begins like a picture is written.
    let image = |name: &str, byte: u8| {
        Some(Image::new(name, "image/png", [b"\x89PNG\r\n\x1a\n", &[byte][..]].concat()))
    };
    let look = |own: &str, byte: u8| Material::named("models/body").with_image(image(own, byte));
    scene.materials = vec![look("body", 1), look("gold", 2), look("body", 3)];
    scene.materials[1].normal = image("gold_n", 4);
    let variant = |name: &str, material: usize| Variant {
        name: name.into(),
        materials: vec![(MeshId(0), MaterialId(material))],
    };
    scene.variants = vec![variant("plain", 0), variant("gold", 1), variant("other", 2)];
    scene
}

#[test]
fn looks_are_skins_beside_a_model() {
    let scene = looks();
    let options = WriteOptions::default().with_stem("gun");
    for (format, mesh) in [(Format::Dpm, "models/body"), (Format::Zym, "models/body"), (Format::Iqm, "body")]
    {
        let made = convert(&scene, format, &options).unwrap();
        let text = |n: usize| {
            let file = made.value.get(&format!("gun.{}_{n}.skin", format.id()));
            String::from_utf8(file.unwrap_or_else(|| panic!("{:?}", names(&made))).to_vec()).unwrap()
        };
        assert_eq!(text(0), format!("{mesh},models/body\n"), "{format}");
        assert_eq!(text(1), format!("{mesh},models/gold\n"));
        assert_eq!(text(2), format!("{mesh},models/body_2\n"));
        let picture = |name: &str| made.value.get(name).and_then(|bytes| bytes.last().copied());
        assert_eq!(picture("body.png"), Some(1));
        assert_eq!((picture("gold.png"), picture("gold_norm.png")), (Some(2), Some(4)));
        assert_eq!((picture("body_2.png"), picture("body_norm.png")), (Some(3), None));
        assert_eq!(count(&made.losses, "variants-dropped"), None);
        // Without pictures, and in formats that know no skins, the first look is all.
        let bare = options.clone().without_textures(true);
        let made = convert(&scene, format, &bare).unwrap();
        assert_eq!(count(&made.losses, "variants-dropped"), Some(3));
        let beside = |name: &&str| name.ends_with(".skin") || name.ends_with(".png");
        assert!(!names(&made).iter().any(beside), "{:?}", names(&made));
    }
    let made = convert(&scene, Format::Bmf, &options).unwrap();
    assert_eq!(count(&made.losses, "variants-dropped"), Some(3));
    assert!(made.value.iter().all(|file| !file.name.contains("gold")), "{:?}", names(&made));
    // The look that is shown without a variant is the first skin.
    let mut other = looks();
    other.variants.remove(0);
    let made = convert(&other, Format::Dpm, &options).unwrap();
    assert_eq!(made.value.get("gun.dpm_0.skin").unwrap(), b"models/body,models/body\n");
    assert_eq!(made.value.get("gun.dpm_1.skin").unwrap(), b"models/body,models/gold\n");
    assert_eq!(count(&made.losses, "skins-numbered"), Some(1));
}

/// Returns a scene of triangles, each with a material of this name whose texture has this name.
fn textured(materials: &[(&str, &str)]) -> Scene {
    let mut scene = Scene::new("gun");
    for (i, (name, image)) in materials.iter().enumerate() {
        let bytes = [b"\x89PNG\r\n\x1a\n", &[u8::try_from(i).unwrap()][..]].concat();
        let image = Image::new(*image, "image/png", bytes);
        scene.materials.push(Material::named(*name).with_image(Some(image)));
        let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mut mesh = meshwright::scene::Mesh::new(format!("part{i}"), corners, vec![[0, 1, 2]]);
        mesh.material = Some(MaterialId(i));
        scene.meshes.push(mesh);
        scene.nodes.push(Node { meshes: vec![MeshId(i)], ..Node::default() });
    }
    scene
}

#[test]
fn every_mesh_finds_its_own_texture() {
    let materials = [("Mat", "a"), ("mat", "b"), ("Mat", ""), ("", "c"), ("", "")];
    let scene = textured(&materials);
    let wanted = ["Mat", "b", "Mat_2", "c", "texture"];
    let options = WriteOptions::default().with_stem("gun");
    for format in [Format::Dpm, Format::Iqm, Format::Zym] {
        let made = convert(&scene, format, &options).unwrap();
        for (i, name) in wanted.iter().enumerate() {
            let picture = made.value.get(&format!("{name}.png"));
            assert_eq!(
                picture.and_then(|bytes| bytes.last()),
                u8::try_from(i).ok().as_ref(),
                "{format}: {name}"
            );
        }
        let main = made.value.get(&format!("gun.{}", format.id())).unwrap();
        let asset = open(&[(&format!("gun.{}", format.id()), main.to_vec())], &Opener::new());
        let read = asset.scene().unwrap().value;
        let shown = |mesh: &meshwright::scene::Mesh| read.materials[mesh.material.unwrap().0].name.clone();
        assert_eq!(read.meshes.iter().map(shown).collect::<Vec<_>>(), wanted, "{format}");
        for code in ["name-renamed", "material-named"] {
            let found =
                made.losses.iter().filter(|loss| loss.code == code && loss.path.starts_with("materials"));
            assert_eq!(found.count(), 2, "{format}: {code}");
        }
        assert_eq!(count(&made.losses, "image-dropped"), None, "{format}");
        // Without textures, names stay.
        let made = convert(&scene, format, &options.clone().without_textures(true)).unwrap();
        assert_eq!(count(&made.losses, "name-renamed"), None, "{format}");
    }
}

/// A shader without a name gives the mesh no name either.
#[test]
fn a_made_up_name_of_a_mesh_is_said() {
    let mut dpm = tagged();
    let named = open(&[("w_uzi.dpm", dpm.to_bytes().unwrap())], &Opener::new());
    assert_eq!(count(&to(&named, Format::Iqm).losses, "name-changed"), None);
    dpm.meshes[0].shader = Name::truncated(b"");
    let asset = open(&[("w_uzi.dpm", dpm.to_bytes().unwrap())], &Opener::new());
    let made = to(&asset, Format::Iqm);
    let note = made.losses.iter().find(|loss| loss.code == "name-changed").unwrap();
    assert!(note.is_note() && note.path == "meshes" && note.count == 1, "{note:?}");
}

#[test]
fn fields_that_a_format_has_no_place_for_are_said() {
    let mut dpm = tagged();
    dpm.bones[1].flags.0 = 1;
    dpm.meshes[0].groupids = Arc::new(vec![9]);
    let asset = open(&[("gun.dpm", dpm.to_bytes().unwrap())], &Opener::new());
    let made = to(&asset, Format::Bmd);
    let lost: Vec<_> = made.losses.iter().filter(|loss| loss.code == "extras-dropped").collect();
    assert!(lost.iter().any(|loss| loss.path == "meshes" && loss.message.contains("groupids")), "{lost:?}");
    assert!(lost.iter().any(|loss| loss.path == "skeletons" && loss.message.contains("flags")), "{lost:?}");
    // Empty fields are not losses, and neither are fields that the target stores.
    let plain = open(&[("gun.dpm", tagged().to_bytes().unwrap())], &Opener::new());
    assert_eq!(count(&to(&plain, Format::Bmd).losses, "extras-dropped"), None);
    let scene = asset.scene_with(&SceneOptions::default().with_extras(true)).unwrap().value;
    let made = convert(&scene, Format::Dpm, &WriteOptions::default()).unwrap();
    assert_eq!(count(&made.losses, "extras-dropped"), None);
    // Extras that an editor added are reported too.
    let mut scene = scene;
    scene.nodes[0].extras = Some(Extra::Map(vec![("mass".into(), Extra::Int(3))]));
    let made = convert(&scene, Format::Dpm, &WriteOptions::default()).unwrap();
    assert_eq!(count(&made.losses, "extras-dropped"), Some(1));
}
