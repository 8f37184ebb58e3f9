//! Runs every fixture through detection, conversion to a scene, glTF export and dump.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "fsomodel",
    feature = "gltf",
    feature = "tso"
))]

use meshwright::dump::{Dump, DumpOptions, PoseRef};
use meshwright::gltf::{self, ExportOptions, Influences};
use meshwright::rig::Precision;
use meshwright::scene::{ConvertError, SceneOptions};
use meshwright::{AnyModel, Companions, Confidence, Format, ReadOptions, ReadSettings, Role, detect};
use meshwright_testkit::testdata;
use std::fs;
use std::path::PathBuf;

const MEMORY: u64 = 64 << 20;

struct Fixture {
    name: String,
    /// `ok`, `warn` or `reject`.
    word: String,
    bytes: Vec<u8>,
    /// The format of the extension.
    format: Format,
}

/// Returns the models of `testdata/`; companions have an extension of no format.
fn fixtures() -> Vec<Fixture> {
    let mut open = vec![testdata()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let Some(format) = Format::from_name(&name) else { continue };
            let word = name.rsplit('.').nth(1).unwrap().to_owned();
            found.push(Fixture { word, bytes: fs::read(path).unwrap(), format, name });
        }
    }
    assert!(found.len() > 200, "{} fixtures", found.len());
    for format in Format::ALL {
        assert!(found.iter().any(|f| f.format == *format), "no fixture of {format}");
    }
    found
}

fn sound() -> impl Iterator<Item = (Fixture, AnyModel)> {
    fixtures().into_iter().filter(|f| f.word != "reject").map(|f| {
        let model = AnyModel::parse(&f.bytes, f.format, &ReadOptions::default())
            .unwrap_or_else(|e| panic!("{}: {e}", f.name))
            .model;
        (f, model)
    })
}

fn add(companions: &mut Companions, owner: Format, role: Role, bytes: &[u8]) {
    companions.add(owner, role, role.name(), bytes, &ReadSettings::default()).unwrap();
}

/// An animation needs the skeleton that it moves.
fn companions(model: &AnyModel) -> Companions {
    let mut companions = Companions::default();
    if matches!(model, AnyModel::TsoAnimation(_)) {
        let skeleton = fs::read(testdata().join("tso/flower.ok.skel")).unwrap();
        add(&mut companions, Format::TsoAnimation, Role::Skeleton, &skeleton);
    }
    companions
}

#[test]
fn content_alone_tells_the_format() {
    let mut wrong = Vec::new();
    // Keys with a start that no program writes, and records whose numbers are of other types: only their names
    // identify them.
    let speaks =
        |f: &&Fixture| f.word != "reject" && !["start.warn.cfp", "kind.warn.apr"].contains(&&*f.name);
    for f in fixtures().iter().filter(speaks) {
        let found = detect(&f.bytes, None);
        if found.is_none_or(|d| d.format != f.format || d.confidence == Confidence::No) {
            wrong.push(format!("{}: {found:?}", f.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_misleading_name_does_not_mislead() {
    let (mut strong, mut weak) = (0, 0);
    for f in fixtures().iter().filter(|f| f.word != "reject") {
        // Content that says little gives way to a name.
        if detect(&f.bytes, None).is_none_or(|d| d.confidence <= Confidence::Possible) {
            weak += 1;
            continue;
        }
        strong += 1;
        for other in Format::ALL.iter().filter(|o| **o != f.format) {
            let name = format!("model.{}", other.extensions()[0]);
            let found = detect(&f.bytes, Some(&name)).unwrap();
            assert_eq!(found.format, f.format, "{} called {name}: {:?}", f.name, found.confidence);
        }
    }
    assert!(strong > 8 * weak, "{strong} fixtures speak for themselves, {weak} do not");
}

#[test]
fn a_name_speaks_where_content_is_silent() {
    for format in Format::ALL {
        let name = format!("MODEL.{}", format.extensions()[0].to_uppercase());
        let found = detect(b"", Some(&name)).map(|d| (d.format, d.confidence));
        // Many other texts are called `.json`.
        assert_eq!(found, format.holds_model().then_some((*format, Confidence::No)));
    }
    assert_eq!(detect(b"", None), None);
    assert_eq!(detect(b"no model at all", Some("notes.txt")), None);
}

#[test]
fn every_sound_fixture_becomes_gltf() {
    let mut exported = 0;
    for (f, model) in sound() {
        let scene = match model.to_scene(&f.name, &companions(&model), &SceneOptions::default()) {
            Ok(converted) => converted.value,
            // Not a model: a link, or a chunk without positions.
            Err(ConvertError::Unsupported { .. }) => continue,
            Err(e) => panic!("{}: {e}", f.name),
        };
        scene.validate().unwrap_or_else(|e| panic!("{}: {e}", f.name));
        let options = SceneOptions::default().with_bind_only(true);
        let bound = model.to_scene(&f.name, &companions(&model), &options).unwrap().value;
        let skins = || bound.meshes.iter().filter_map(|m| m.skin.as_ref());
        assert!(skins().all(|s| s.local.is_empty()), "{}", f.name);
        for influences in [Influences::Four, Influences::All] {
            let options = ExportOptions::default().with_influences(influences);
            let glb = |scene| gltf::export(scene, &options).unwrap().value.to_glb();
            let bytes = glb(&scene);
            assert!(bytes.starts_with(b"glTF"), "{}", f.name);
            assert_eq!(bytes, glb(&scene), "{}: not the same twice", f.name);
            assert_eq!(bytes, glb(&bound), "{}: not the same if bound only in model space", f.name);
        }
        exported += 1;
    }
    assert!(exported > 80, "{exported} exported");
}

#[test]
fn every_dump_is_json() {
    for (f, model) in sound() {
        let beside = companions(&model);
        let dump = Dump::new(&model, &beside, &f.name, &f.bytes, &DumpOptions::default().with_memory(MEMORY))
            .unwrap_or_else(|e| panic!("{}: {e}", f.name));
        let json: serde_json::Value = serde_json::from_str(&dump.to_json()).unwrap();
        assert_eq!(json["format"], model.format().family(), "{}", f.name);
        assert_eq!(json["source"], f.name.as_str());
        for mesh in json["meshes"].as_array().unwrap() {
            let count = usize::try_from(mesh["vertex_count"].as_u64().unwrap()).unwrap();
            for pose in mesh["poses"].as_array().unwrap() {
                let positions = pose["positions"].as_array().unwrap().len();
                assert!(positions == count || positions == 0, "{}: {positions} of {count}", f.name);
            }
        }
    }
}

fn dumped(model: &AnyModel, bytes: &[u8]) -> serde_json::Value {
    let beside = Companions::default();
    let dump = Dump::new(model, &beside, "", bytes, &DumpOptions::default()).unwrap();
    serde_json::from_str(&dump.to_json()).unwrap()
}

/// Data that is stored without motion is dumped unchanged, whatever a scene would do with it.
#[test]
fn a_dump_says_what_is_stored() {
    for name in ["fsomodel/nan.warn.fom", "crucible/nan.warn.cmesh"] {
        let bytes = fs::read(testdata().join(name)).unwrap();
        let format = Format::from_name(name).unwrap();
        let model = AnyModel::parse(&bytes, format, &ReadOptions::default()).unwrap().model;
        assert!(
            dumped(&model, &bytes)["meshes"][0]["poses"][0]["positions"].to_string().contains("\"NaN\""),
            "{name}"
        );
    }
    // A mesh without vertices has its lists all the same.
    let bytes = fs::read(testdata().join("fsomodel/bases.ok.fom")).unwrap();
    let model = AnyModel::parse(&bytes, Format::Fso, &ReadOptions::default()).unwrap().model;
    let empty = &dumped(&model, &bytes)["meshes"][2];
    assert_eq!(empty["vertex_count"], 0);
    assert!(empty["uvs"].is_array() && empty["poses"][0]["normals"].is_array(), "{empty}");
}

#[test]
fn a_flat_parent_is_a_parent() {
    use meshwright::crucible::{Bone, SkeletonChunk};
    let bone = |parent, scale| Bone {
        rotation: [0.0, 0.0, 0.0, 1.0].map(meshwright_core::F32::new),
        scale: [scale, 1.0, 1.0].map(meshwright_core::F32::new),
        parent,
        ..Bone::default()
    };
    let mut skeleton = SkeletonChunk::new(vec![bone(None, 0.0), bone(Some(0), 1.0)]);
    skeleton.list_children();
    let model = AnyModel::CrucibleSkeleton(Box::new(skeleton));
    assert_eq!(dumped(&model, b"")["bones"][1]["parent"], 0);
}

#[test]
fn bones_that_a_skeleton_lacks_are_found() {
    let read = |name: &str| fs::read(testdata().join("crucible").join(name)).unwrap();
    let (mesh, skeleton) = (read("weights.ok.cmesh"), read("tail.warn.cskel"));
    let mut companions = Companions::default();
    add(&mut companions, Format::CrucibleMesh, Role::Skeleton, &skeleton);
    assert!(
        companions.one::<meshwright::crucible::SkeletonChunk>().is_some(),
        "a skeleton's kind is that which its mesh declares"
    );
    let mesh = AnyModel::parse(&mesh, Format::CrucibleMesh, &ReadOptions::default()).unwrap().model;
    assert!(!mesh.validate().has("bone-range") && mesh.validate_with(&companions).has("bone-range"));

    let read = |name: &str| fs::read(testdata().join("tso").join(name)).unwrap();
    let flower =
        AnyModel::parse(&read("flower.ok.mesh"), Format::TsoMesh, &ReadOptions::default()).unwrap().model;
    for (skeleton, lacks) in [("flower.ok.skel", false), ("arm.ok.skel", true)] {
        let mut companions = Companions::default();
        add(&mut companions, Format::TsoMesh, Role::Skeleton, &read(skeleton));
        assert_eq!(flower.validate_with(&companions).has("bone-missing"), lacks, "{skeleton}");
    }
}

#[test]
fn what_cannot_be_drawn_is_dumped_by_its_fields() {
    let dump = |name: &str| -> serde_json::Value {
        let (f, model) = sound().find(|(f, _)| f.name == name).unwrap();
        dumped(&model, &f.bytes)
    };
    let sway = dump("sway.ok.anim");
    assert_eq!(
        sway["clips"],
        serde_json::json!([{ "name": "sway", "frames": 61, "fps": 30.0, "loop": false }])
    );
    assert_eq!(sway["native"]["motions"][0]["bone"], "BUD");
    let binding = dump("flower.ok.bnd");
    assert_eq!(binding["native"]["texture"]["type"], 0x14);
    assert_eq!(dump("untextured.ok.bnd")["native"]["texture"], serde_json::Value::Null);
}

/// Weights pull normals in different directions; the games normalise them.
#[test]
fn posed_normals_of_the_sims_have_length_1() {
    let (f, model) = sound().find(|(f, _)| f.name == "flower.ok.mesh").unwrap();
    let mut companions = Companions::default();
    for (kind, name) in [(Role::Skeleton, "flower.ok.skel"), (Role::Animation, "sway.ok.anim")] {
        let bytes = fs::read(testdata().join("tso").join(name)).unwrap();
        add(&mut companions, Format::TsoMesh, kind, &bytes);
    }
    for precision in [Precision::Single, Precision::Double] {
        let options = DumpOptions::default().with_precision(precision);
        let options = options.with_poses(vec![PoseRef::Clip { clip: 0, frame: 15 }]);
        let dump = Dump::new(&model, &companions, "", &f.bytes, &options).unwrap();
        let json: serde_json::Value = serde_json::from_str(&dump.to_json()).unwrap();
        for normal in json["meshes"][0]["poses"][1]["normals"].as_array().unwrap() {
            let [x, y, z] = [0, 1, 2].map(|i| normal[i].as_f64().unwrap());
            let length = x.hypot(y).hypot(z);
            assert!((length - 1.0).abs() < 1e-5, "{length}");
        }
    }
}

#[test]
fn a_texture_without_a_name_is_none() {
    let mut skn =
        meshwright::tso::Skn::parse(&fs::read(testdata().join("tso/flag.ok.skn")).unwrap()).unwrap();
    let materials = |skn: &meshwright::tso::Skn| {
        let model = AnyModel::Skn(Box::new(skn.clone()));
        let scene = model.to_scene("", &Companions::default(), &SceneOptions::default()).unwrap().value;
        scene.materials.into_iter().map(|m| m.name).collect::<Vec<_>>()
    };
    assert_eq!(materials(&skn), ["flag"]);
    skn.texture = "".into();
    assert!(materials(&skn).is_empty());
}

/// A scene must make up some data for glTF, a dump does not.
#[test]
fn a_dump_makes_nothing_up() {
    let dump = |model: &AnyModel| dumped(model, &[]);
    let fixture = |name: &str| sound().find(|(f, _)| f.name == name).unwrap().1;
    let clips = &dump(&fixture("rate-zero.warn.bmd"))["clips"];
    assert_eq!((clips[0]["name"].as_str(), clips[0]["fps"].as_f64()), (Some("rise"), Some(0.0)));
    let boneless = dump(&fixture("anims-without-bones.warn.bmd"));
    assert_eq!(["clips", "bones"].map(|list| boneless[list].as_array().unwrap().len()), [1, 0]);
    let bones = vec![meshwright::bmd::Bone::default(); 2];
    let nameless = AnyModel::Bmd(Box::new(meshwright::bmd::Bmd::default().with_bones(bones, Vec::new())));
    assert!(dump(&nameless)["bones"].as_array().unwrap().iter().all(|b| b["name"] == ""));
}

/// Between keys whose blend is nearly zero, the last bits of the keys decide.
#[test]
fn nearly_opposite_rotations_are_blended_in_full() {
    use meshwright::bmd::{Bmd, Bone, Clip, Keys, Mesh, Name, Stream, Vertex};
    use meshwright_core::num::{F8A, QuatF8, Se32};
    let word = |i: u8, r: u8| QuatF8::from_parts([i, 0, 0, r].map(F8A::from_bits));
    let (a, b) = (word(0x10, 0x70), word(0x91, 0xf0));
    let keys = Keys { rotation: vec![(0, a), (2, b)], ..Keys::default() };
    let clip =
        Clip { frames: 4, stream: Stream::from_bones([vec![], keys.to_steps()]).into(), ..Clip::default() };
    let vertex = Vertex::flat64(Se32::encode([0.0, 64.0, 0.0]), [F8A::ZERO; 3], 1).unwrap();
    let mesh =
        Mesh { vertices: vec![vertex].into(), material: Some(Name::new(b"#FFFFFF")), ..Mesh::default() };
    let model = Bmd::new(vec![mesh]).with_bones(vec![Bone::default(); 2], vec![clip]);
    let unit = |q: QuatF8| {
        let [x, _, _, w] = q.decode_raw().map(f64::from);
        [x / x.hypot(w), w / x.hypot(w)]
    };
    let angle = 2.0 * (unit(a)[0] + unit(b)[0]).atan2(unit(a)[1] + unit(b)[1]);
    let options = DumpOptions::default().with_poses(vec![PoseRef::Clip { clip: 0, frame: 1 }]);
    let model = AnyModel::Bmd(Box::new(model));
    let dump = Dump::new(&model, &Companions::default(), "", &[], &options).unwrap().to_json();
    let dump: serde_json::Value = serde_json::from_str(&dump).unwrap();
    let [x, y, z] = [0, 1, 2].map(|i| dump["meshes"][0]["poses"][1]["positions"][0][i].as_f64().unwrap());
    assert_eq!(x, 0.0);
    assert!(
        (y - 64.0 * angle.cos()).abs() < 1e-5 && (z - 64.0 * angle.sin()).abs() < 1e-5,
        "{y} {z} {angle}"
    );
}

#[test]
fn every_sound_fixture_is_rewritten_and_summed_up() {
    for (f, model) in sound() {
        assert_eq!(model.format(), f.format);
        assert!(!model.validate().has_errors(), "{}", f.name);
        assert_eq!(model.to_bytes().unwrap(), f.bytes, "{}", f.name);
        let summary = model.summary();
        let beside = companions(&model);
        let options = DumpOptions::default().with_memory(MEMORY);
        let dump = Dump::new(&model, &beside, "", &f.bytes, &options).unwrap().to_json();
        let dump: serde_json::Value = serde_json::from_str(&dump).unwrap();
        let meshes = dump["meshes"].as_array().unwrap();
        let triangles: u64 = meshes.iter().map(|m| m["triangle_count"].as_u64().unwrap()).sum();
        if !meshes.is_empty() && !matches!(model, AnyModel::Bmd(_)) {
            assert_eq!(summary.triangles as u64, triangles, "{}", f.name);
        }
    }
}

#[test]
fn ids_and_extensions_find_their_format() {
    for format in Format::ALL {
        assert_eq!(format.id().parse(), Ok(*format));
        for extension in format.extensions() {
            assert_eq!(Format::from_name(&format!("a.{extension}")), Some(*format));
        }
    }
    assert_eq!(Format::from_name("dpm"), None);
}

#[test]
fn a_rate_of_zero_is_dumped_as_it_is_stored() {
    let bytes = fs::read(testdata().join("dpm/pair.ok.zym")).unwrap();
    let mut model = AnyModel::parse(&bytes, Format::Zym, &ReadOptions::default()).unwrap().model;
    let AnyModel::Zym(zym) = &mut model else { panic!("not a ZYM") };
    zym.scenes[1].framerate = 0.0.into();
    let dump = |companions: &Companions| {
        let dump = Dump::new(&model, companions, "", &bytes, &DumpOptions::default()).unwrap().to_json();
        let dump: serde_json::Value = serde_json::from_str(&dump).unwrap();
        let clips = dump["clips"].as_array().unwrap();
        clips.iter().map(|c| c["fps"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    let mut companions = Companions::default();
    assert_eq!(dump(&companions), [8.0, 0.0]);
    add(&mut companions, Format::Zym, Role::Clips, b"0 1 5");
    assert_eq!(dump(&companions), [5.0], "a companion takes the place of the scenes");
}

#[test]
fn clips_of_a_companion_are_held_against_the_model() {
    let bytes = fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap();
    let model = AnyModel::parse(&bytes, Format::Dpm, &ReadOptions::default()).unwrap().model;
    let mut companions = Companions::default();
    add(&mut companions, Format::Dpm, Role::Clips, b"1 3\n2 99\n");
    let made = model.to_scene("", &companions, &SceneOptions::default().with_extras(true)).unwrap();
    let losses: Vec<_> = made.losses.iter().map(|l| (l.code, l.path.as_str())).collect();
    assert_eq!(losses, [("length-clamped", "groups[1].length")]);
    assert_eq!(made.value.clips.iter().map(|c| c.frames).collect::<Vec<_>>(), [3, 13]);
}
