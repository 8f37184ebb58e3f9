//! Every fixture through detection, scene, glTF export and dump.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "fsomodel",
    feature = "gltf",
    feature = "tso"
))]

use meshwright::dump::{Dump, DumpOptions};
use meshwright::gltf::{self, ExportOptions, Influences};
use meshwright::scene::{ConvertError, SceneOptions};
use meshwright::{AnyModel, CompanionKind, Companions, Confidence, Format, ReadOptions, detect};
use meshwright_testkit::testdata;
use std::fs;
use std::path::PathBuf;

const MEMORY: u64 = 64 << 20;

struct Fixture {
    name: String,
    /// `ok`, `warn` or `reject`.
    word: String,
    bytes: Vec<u8>,
    /// What the extension says.
    format: Format,
}

/// The models of `testdata/`; companions have an extension of no format.
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

/// An animation needs the skeleton that it moves.
fn companions(model: &AnyModel) -> Companions {
    let mut companions = Companions::default();
    if matches!(model, AnyModel::TsoAnimation(_)) {
        let skeleton = fs::read(testdata().join("tso/flower.ok.skel")).unwrap();
        companions.add(CompanionKind::Skeleton, &skeleton, &ReadOptions::default()).unwrap();
    }
    companions
}

#[test]
fn content_alone_tells_the_format() {
    let mut wrong = Vec::new();
    for f in fixtures().iter().filter(|f| f.word != "reject") {
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
        if detect(&f.bytes, None).unwrap().confidence <= Confidence::Possible {
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
        let found = detect(b"", Some(&name)).unwrap();
        assert_eq!((found.format, found.confidence), (*format, Confidence::No));
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
        for influences in [Influences::Four, Influences::All] {
            let options = ExportOptions::default().with_influences(influences);
            let glb = |scene| gltf::export(scene, &options).unwrap().value.to_glb();
            let bytes = glb(&scene);
            assert!(bytes.starts_with(b"glTF"), "{}", f.name);
            assert_eq!(bytes, glb(&scene), "{}: not the same twice", f.name);
        }
        exported += 1;
    }
    assert!(exported > 80, "{exported} exported");
}

#[test]
fn every_dump_is_json() {
    for (f, model) in sound() {
        let dump = Dump::new(
            &model,
            &companions(&model),
            &f.name,
            &f.bytes,
            &DumpOptions::default().with_memory(MEMORY),
        )
        .unwrap_or_else(|e| panic!("{}: {e}", f.name));
        let json: serde_json::Value = serde_json::from_str(&dump.to_json()).unwrap();
        assert_eq!(json["format"], model.format().family(), "{}", f.name);
        assert_eq!(json["source"], f.name.as_str());
        assert_eq!(json["meshes"].as_array().unwrap().len(), dump.meshes.len());
        for mesh in json["meshes"].as_array().unwrap() {
            let count = usize::try_from(mesh["vertex_count"].as_u64().unwrap()).unwrap();
            for pose in mesh["poses"].as_array().unwrap() {
                let positions = pose["positions"].as_array().unwrap().len();
                assert!(positions == count || positions == 0, "{}: {positions} of {count}", f.name);
            }
        }
    }
}

/// What a scene has to make up for glTF, a dump does not.
#[test]
fn a_dump_makes_nothing_up() {
    let dump = |model: &AnyModel| {
        Dump::new(model, &Companions::default(), "", &[], &DumpOptions::default()).unwrap()
    };
    let fixture = |name: &str| sound().find(|(f, _)| f.name == name).unwrap().1;
    let clips = dump(&fixture("rate-zero.warn.bmd")).clips;
    assert_eq!((clips[0].name.as_str(), clips[0].fps), ("rise", 0.0));
    let boneless = dump(&fixture("anims-without-bones.warn.bmd"));
    assert_eq!((boneless.clips.len(), boneless.bones.len()), (1, 0));
    let bones = vec![meshwright::bmd::Bone::default(); 2];
    let nameless = AnyModel::Bmd(Box::new(meshwright::bmd::Bmd { bones, ..Default::default() }));
    assert!(dump(&nameless).bones.iter().all(|b| b.name.is_empty()));
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
    let model =
        Bmd { meshes: vec![mesh], bones: vec![Bone::default(); 2], clips: vec![clip], ..Bmd::default() };
    let unit = |q: QuatF8| {
        let [x, _, _, w] = q.decode_raw().map(f64::from);
        [x / x.hypot(w), w / x.hypot(w)]
    };
    let angle = 2.0 * (unit(a)[0] + unit(b)[0]).atan2(unit(a)[1] + unit(b)[1]);
    let options =
        DumpOptions::default().with_poses(vec![meshwright::dump::PoseRef::Clip { clip: 0, frame: 1 }]);
    let dump = Dump::new(&AnyModel::Bmd(Box::new(model)), &Companions::default(), "", &[], &options).unwrap();
    let [x, y, z] = dump.meshes[0].poses[1].positions[0].map(|c| f64::from(c.0));
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
        let dump =
            Dump::new(&model, &companions(&model), "", &f.bytes, &DumpOptions::default().with_memory(MEMORY))
                .unwrap();
        let triangles: usize = dump.meshes.iter().map(|m| m.triangle_count).sum();
        if !dump.meshes.is_empty() && !matches!(model, AnyModel::Bmd(_) | AnyModel::Fso(_)) {
            assert_eq!(summary.triangles, triangles, "{}", f.name);
        }
    }
}

#[test]
fn ids_and_extensions_find_their_format() {
    for format in Format::ALL {
        assert_eq!(Format::from_id(format.id()), Some(*format));
        for extension in format.extensions() {
            assert_eq!(Format::from_name(&format!("a.{extension}")), Some(*format));
        }
    }
    assert_eq!(Format::from_name("dpm"), None);
}
