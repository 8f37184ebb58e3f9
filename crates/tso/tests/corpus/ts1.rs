//! Compares files of The Sims 1 with their reference dumps, and Maxis' bodies on their skeletons.

use super::adult::{locals, skinned};
use super::data::{float, floats, int, json, largest, name, table, triangles};
use meshwright_core::{FileFormat, ReadOptions, Report, Severity};
use meshwright_scene::SceneOptions;
use meshwright_testkit::{corpus, hex_diff};
use meshwright_tso::{
    Anim, Assembly, Bcf, Between, Bmf, Cfp, CfpOptions, Character, Cmx, F32, Geometry, KEYS_UNUSED, Part,
    PropertyList, Skel, Skn, TO_GLTF,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn all(dir: &Path, extension: &str) -> Vec<PathBuf> {
    super::data::files(&dir.join("ts1"), extension)
}

fn rewritten<F: FileFormat>(path: &Path) -> F {
    let (name, bytes) = (name(path), fs::read(path).unwrap());
    let model = F::parse_with(&bytes, &F::Options::default()).unwrap_or_else(|e| panic!("{name}: {e}")).model;
    let written = model.to_bytes().unwrap();
    assert!(written == bytes, "{name}\n{}", hex_diff(&bytes, &written));
    let report = model.validate();
    assert!(!report.has_errors(), "{name}: {:?}", report.findings());
    model
}

fn character(path: &Path) -> Character {
    if path.extension().is_some_and(|e| e == "bcf") {
        rewritten::<Bcf>(path).character
    } else {
        rewritten::<Cmx>(path).character
    }
}

/// Returns the keys with the name that a skill gives.
fn keys(dir: &Path, name: &str) -> Option<Cfp> {
    let found = all(dir, "cfp")
        .into_iter()
        .find(|p| p.file_stem().is_some_and(|s| s.to_string_lossy().eq_ignore_ascii_case(name)));
    found.map(|p| Cfp::parse(&fs::read(p).unwrap()).unwrap())
}

fn lists(found: &[PropertyList], want: &Value) {
    let lists: Vec<Value> = found.iter().map(pairs).collect();
    assert_eq!(Value::from(lists), *want);
}

fn pairs(list: &PropertyList) -> Value {
    Value::from(list.0.iter().map(|(k, v)| Value::from(vec![k.text(), v.text()])).collect::<Vec<_>>())
}

fn assert_near<const N: usize>(found: [F32; N], want: &Value) {
    assert!(largest(&[found.map(F32::get)], &[floats::<N>(want)]) <= 1e-6, "{found:?} {want}");
}

fn same_tree(dir: &Path, c: &Character, native: &Value) {
    let list = |key: &str| native[key].as_array().unwrap().clone();
    assert_eq!(
        (c.skeletons.len(), c.suits.len(), c.skills.len()),
        (list("skeletons").len(), list("suits").len(), list("skills").len())
    );
    for (s, want) in c.skeletons.iter().zip(list("skeletons")) {
        assert_eq!(s.name.text(), want["name"].as_str().unwrap());
        let bones = want["bones"].as_array().unwrap();
        assert_eq!(s.bones.len(), bones.len());
        let world = s.to_skel().world(&[]);
        for ((b, world), want) in s.bones.iter().zip(&world).zip(bones) {
            assert_eq!(
                (b.name.text(), b.parent.text()),
                (want["name"].as_str().unwrap().into(), want["parent_name"].as_str().unwrap().into())
            );
            lists(&b.properties, &want["props"]);
            assert_near(b.translation, &want["translation"]);
            assert_near(b.rotation, &want["rotation_xyzw"]);
            assert_eq!(
                [b.can_translate, b.can_rotate, b.can_blend],
                ["can_translate", "can_rotate", "can_blend"].map(|k| int(&want[k]))
            );
            assert_near(
                [b.wiggle_value, b.wiggle_power],
                &Value::from(vec![want["wiggle_value"].clone(), want["wiggle_power"].clone()]),
            );
            let rows = table::<4>(&want["world_rest_rows"]);
            assert!(largest(&world.narrow().to_rows(), &rows) <= 2e-6, "{:?}", b.name);
        }
    }
    for (s, want) in c.suits.iter().zip(list("suits")) {
        assert_eq!(
            (s.name.text().as_str(), s.kind, s.unknown),
            (want["name"].as_str().unwrap(), int(&want["type"]), int(&want["unknown"]))
        );
        let skins = want["skins"].as_array().unwrap();
        assert_eq!(s.skins.len(), skins.len());
        for (skin, want) in s.skins.iter().zip(skins) {
            assert_eq!(
                (skin.bone.text().as_str(), skin.skin.text().as_str()),
                (want["bone"].as_str().unwrap(), want["skin"].as_str().unwrap())
            );
            assert_eq!((skin.censor, skin.unknown), (int(&want["censor"]), int(&want["unknown"])));
        }
    }
    for (s, want) in c.skills.iter().zip(list("skills")) {
        assert_eq!(
            (s.name.text().as_str(), s.keys.text().as_str()),
            (want["name"].as_str().unwrap(), want["keys"].as_str().unwrap())
        );
        assert_eq!(
            (s.duration.get(), s.moving, s.frames()),
            (float(&want["duration"]), int(&want["moving"]), int(&want["frames"]))
        );
        assert_near([s.distance], &Value::from(vec![want["distance"].clone()]));
        assert_eq!(
            (s.translations, s.rotations),
            (int(&want["translation_count"]), int(&want["rotation_count"]))
        );
        let motions = want["motions"].as_array().unwrap();
        assert_eq!(s.motions.len(), motions.len());
        for (m, want) in s.motions.iter().zip(motions) {
            assert_eq!(
                (m.bone.text().as_str(), m.frames),
                (want["bone"].as_str().unwrap(), int(&want["frames"]))
            );
            assert_eq!(
                [m.has_translation, m.has_rotation, m.first_translation, m.first_rotation],
                ["has_translation", "has_rotation", "first_translation", "first_rotation"]
                    .map(|k| int(&want[k]))
            );
            lists(&m.properties, &want["properties"]);
            let events = want["time_properties"].as_array().unwrap();
            assert_eq!(m.events.len(), events.len());
            for (found, want) in m.events.iter().zip(events) {
                let found: Vec<_> = found.iter().map(|e| (e.time, pairs(&e.properties))).collect();
                let want: Vec<_> = want
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|e| (int(&e["time_ms"]), e["pairs"].clone()))
                    .collect();
                assert_eq!(found, want);
            }
        }
        let wanted = want.get("translations").and_then(Value::as_array);
        let anim = keys(dir, &s.keys.text()).map(|k| s.to_anim(&k).unwrap());
        assert_eq!(anim.is_some(), wanted.is_some(), "{}", s.name);
        let Some(anim) = anim else { continue };
        let of3 = anim.translations.iter().map(|k| k.map(F32::get)).collect::<Vec<_>>();
        let of4 = anim.rotations.iter().map(|k| k.map(F32::get)).collect::<Vec<_>>();
        assert!(largest(&of3, &table(&want["translations"])) <= 1e-6);
        assert!(largest(&of4, &table(&want["rotations"])) <= 1e-6);
        assert!(!anim.validate().has_errors());
    }
}

#[test]
fn records_are_read_and_written_as_they_are() {
    let dir = corpus!();
    for extension in ["cmx", "bcf"] {
        for path in all(&dir, extension) {
            let dump = json(&dir.join(format!("expected/ts1/{}.json", name(&path))));
            let c = character(&path);
            same_tree(&dir, &c, &dump["native"]);
            // Both spellings hold the same data, byte for byte as the game and another writer spell them.
            let source = path.with_extension("cmx");
            if source.is_file() {
                let theirs = fs::read(&source).unwrap();
                let bcf = Cmx::parse(&theirs).unwrap().to_bcf();
                assert!(bcf.losses.is_empty(), "{}: {:?}", name(&path), bcf.losses);
                assert!(bcf.value.to_cmx().value.to_bytes().unwrap() == theirs, "{}", name(&path));
                if extension == "bcf" {
                    assert!(bcf.value.to_bytes().unwrap() == fs::read(&path).unwrap(), "{}", name(&path));
                }
            } else {
                assert_eq!(Bcf::new(c.clone()).to_cmx().value.to_bcf().value.character, c);
            }
        }
    }
    for path in all(&dir, "skn") {
        let skn = rewritten::<Skn>(&path);
        // Without the text that was read the writer finds it again.
        let anew = Skn::new(skn.skin.clone(), skn.texture.clone(), skn.geometry.clone()).to_bytes().unwrap();
        assert!(anew == fs::read(&path).unwrap(), "{}", name(&path));
        let binary = skn.to_bmf().value;
        assert!(binary.to_skn().value.to_bytes().unwrap() == fs::read(&path).unwrap(), "{}", name(&path));
        if let Ok(theirs) = fs::read(path.with_extension("bmf")) {
            assert!(binary.to_bytes().unwrap() == theirs, "{}", name(&path));
        }
    }
    all(&dir, "bmf").iter().for_each(|p| drop(rewritten::<Bmf>(p)));
}

#[test]
fn what_persons_wear_is_taken_apart_as_in_the_reference() {
    let dir = corpus!();
    let all = json(&dir.join("expected/archives/assembly.json"));
    for case in all["ts1"].as_array().unwrap() {
        let found: Vec<Value> = meshwright_tso::Wear::parse(case["text"].as_str().unwrap())
            .into_iter()
            .map(|w| serde_json::json!({ "suit": w.suit, "textures": w.textures }))
            .collect();
        assert_eq!(Value::from(found), case["means"], "{}", case["text"]);
    }
}

#[test]
fn keys_are_encoded_as_maxis_did() {
    let dir = corpus!();
    for path in all(&dir, "cfp") {
        let cfp = rewritten::<Cfp>(&path);
        let anew = Cfp::new(cfp.values).to_bytes().unwrap();
        assert!(anew == fs::read(&path).unwrap(), "{}", name(&path));
    }
}

fn counts(case: &Value) -> Option<(u32, u32)> {
    let counts = case.get("counts")?.as_array()?;
    Some((int(&counts[0]), int(&counts[1])))
}

#[test]
fn broken_records_fare_as_listed() {
    let dir = corpus!();
    fn check<F: FileFormat>(
        file: &str,
        bytes: &[u8],
        case: &Value,
        options: impl Fn(ReadOptions) -> F::Options,
    ) {
        let (expect, code) = (case["expect"].as_str().unwrap(), case["code"].as_str().unwrap());
        let codes = |r: &Report| {
            let found = r.findings().iter().filter(|f| f.severity > Severity::Info);
            found.map(|f| f.rule.native).collect::<BTreeSet<_>>()
        };
        match F::parse_with(bytes, &options(ReadOptions::default())) {
            Ok(parsed) => {
                assert_ne!(expect, "reject", "{file} opens");
                let found = codes(&parsed.model.validate());
                let ok = if expect == "warn" {
                    found.contains(code)
                } else {
                    found.iter().all(|c| c.starts_with('W'))
                };
                assert!(ok, "{file}: {found:?}");
                assert!(parsed.model.to_bytes().unwrap() == bytes, "{file}");
            }
            Err(e) => {
                assert_eq!((expect, e.rule().native), ("reject", code), "{file}: {e}");
                assert_eq!(e.offset(), case["offset"].as_u64().unwrap(), "{file}: {e}");
                if let Ok(parsed) = F::parse_with(bytes, &options(ReadOptions::lenient())) {
                    assert!(parsed.forgiven.findings().iter().any(|f| f.rule.native == code), "{file}");
                }
            }
        }
    }
    let mut checked = 0;
    for case in json(&dir.join("malformed/cases.json")).as_array().unwrap() {
        if case["format"] != "ts1" {
            continue;
        }
        let file = case["file"].as_str().unwrap();
        let bytes = fs::read(dir.join(file)).unwrap();
        match file.rsplit('.').next().unwrap() {
            "cmx" => check::<Cmx>(file, &bytes, case, |read| read),
            "bcf" => check::<Bcf>(file, &bytes, case, |read| read),
            "cfp" => check::<Cfp>(file, &bytes, case, |read| {
                let (t, r) = counts(case).unwrap();
                CfpOptions::from(read).with_counts(t, r)
            }),
            other => panic!("{other}"),
        }
        checked += 1;
    }
    assert_eq!(checked, 55);
}

pub(crate) struct Body {
    pub(crate) file: String,
    pub(crate) skn: Skn,
    pub(crate) skel: Skel,
    pub(crate) clips: Vec<(Anim, u32)>,
    pub(crate) dump: Value,
}

/// Returns the meshes of the manifest with poses, with their skeletons and skills.
pub(crate) fn bodies(dir: &Path) -> Vec<Body> {
    let manifest = json(&dir.join("manifest.json"));
    let posed =
        manifest.as_array().unwrap().iter().filter(|e| e["format"] == "ts1" && e.get("posed").is_some());
    posed
        .map(|entry| {
            let path = |v: &Value| dir.join(v.as_str().unwrap());
            let dump = json(&path(&entry["posed"]));
            let clip = |v: &Value| {
                let skill = &character(&path(&v[0])).skills[int(&v[1]) as usize];
                (skill.to_anim(&keys(dir, &skill.keys.text()).unwrap()).unwrap(), int(&v[1]))
            };
            Body {
                file: entry["file"].as_str().unwrap().into(),
                skn: rewritten::<Skn>(&path(&entry["file"])),
                skel: character(&path(&entry["companions"][0])).skeletons[0].to_skel(),
                clips: entry["clips"].as_array().unwrap().iter().map(clip).collect(),
                dump,
            }
        })
        .collect()
}

pub(crate) fn native(g: &Geometry, skel: &Skel, at: Option<(&Anim, f64)>) -> meshwright_tso::Posed {
    let pose = at.map_or_else(|| skel.rest(), |(anim, frame)| anim.pose(skel, frame, Between::Slerp));
    g.pose(&skel.matrices_for(&g.bones, &skel.world(&pose)))
}

#[test]
fn bodies_are_bound_in_the_pose_that_they_were_modelled_in() {
    let dir = corpus!();
    let all = bodies(&dir);
    assert_eq!(all.len(), 3);
    let mut worst = 0.0_f64;
    for Body { file, skn, skel, clips, dump } in &all {
        // The native rule, at rest and in every pose of the reference.
        for want in dump["meshes"][0]["poses"].as_array().unwrap() {
            let at = want["clip"].as_u64().map(|c| (&clips[c as usize].0, f64::from(int(&want["frame"]))));
            let posed = native(&skn.geometry, skel, at);
            assert!(largest(&posed.positions, &table(&want["positions"])) <= 2e-5, "{file} {at:?}");
            assert!(largest(&posed.normals, &table(&want["normals"])) <= 2e-5, "{file}");
        }
        let solved = skel.bind_pose([&skn.geometry]);
        let rows: Vec<Value> = dump["bind"]["world_rows"].as_array().unwrap().clone();
        for (m, want) in solved.world.iter().zip(&rows) {
            assert!(largest(&m.narrow().to_rows(), &table::<4>(want)) <= 1e-4, "{file}");
        }
        let turned: BTreeSet<_> =
            solved.turned.iter().map(|t| skel.bones[t.bone].name.text().to_ascii_lowercase()).collect();
        let wanted: BTreeSet<_> = dump["bind"]["solved"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(turned, wanted, "{file}");

        let anims: Vec<_> = clips.iter().map(|c| &c.0).collect();
        let assembly = Assembly::new("body")
            .with_part(Part::new("body", &skn.geometry))
            .with_skeleton(skel)
            .with_animations(anims.iter().copied());
        let scene = assembly.to_scene(&SceneOptions::default()).unwrap().value;
        scene.validate().unwrap();
        let (gltf, drawn) = (&dump["gltf"], &scene.meshes[0]);
        let matrices: Vec<[f32; 16]> = table(&gltf["inverse_bind_matrices_column_major"]);
        for (joint, want) in scene.skeletons[0].joints.iter().zip(&matrices) {
            let columns: Vec<f32> = joint.inverse_bind.to_columns().into_iter().flatten().collect();
            assert!(largest(&[columns.try_into().unwrap()], &[*want]) < 1e-4, "{file} {}", joint.name);
        }
        assert!(largest(&drawn.positions, &table(&gltf["positions"])) <= 1e-5, "{file}");
        assert!(largest(&drawn.normals, &table(&gltf["normals"])) <= 1e-4, "{file}");
        assert_eq!(drawn.triangles, triangles(&gltf["triangles"]));
        for want in gltf["poses"].as_array().unwrap() {
            let (clip, frame) = (int(&want["clip"]) as usize, int(&want["frame"]) as usize);
            let ours = skinned(&scene, drawn, &locals(&scene, clip, frame));
            let ours: Vec<_> = ours.into_iter().map(|p| p.map(|c| c as f32)).collect();
            assert!(largest(&ours, &table(&want["positions"])) <= 1e-4, "{file}");
        }
        // Joint weights and bind matrices against the native rule, at every frame of every skill.
        for (c, (anim, _)) in clips.iter().enumerate() {
            for frame in 0..anim.frames() {
                let wanted = native(&skn.geometry, skel, Some((anim, f64::from(frame)))).positions;
                let ours = skinned(&scene, drawn, &locals(&scene, c, frame as usize));
                for (want, ours) in wanted.iter().zip(&ours) {
                    let want = TO_GLTF.point(*want).map(f64::from);
                    worst = (0..3).map(|i| (want[i] - ours[i]).abs()).fold(worst, f64::max);
                }
            }
        }
    }
    println!("largest error {:.4} mm", worst * 1000.0);
    assert!(worst <= 1e-4, "{worst:e} m");
}

#[test]
fn blends_tell_the_skeleton_and_whose_normals_they_carry() {
    let dir = corpus!();
    let skel = |file: &str| character(&dir.join("ts1").join(file)).skeletons[0].to_skel();
    let (adult, child) = (skel("adult-skeleton.cmx"), skel("child-skeleton.cmx"));
    for Body { file, skn, skel, .. } in &bodies(&dir) {
        let other = if skel.name == adult.name { &child } else { &adult };
        match (skn.geometry.misfit(skel), skn.geometry.misfit(other)) {
            (Some(right), Some(wrong)) => {
                assert!(right <= 7.4e-5 && wrong >= 0.1, "{file}: {right:e} {wrong:e}");
                assert!(skn.geometry.validate_with(skel).has("blend-normals"), "{file}");
                let mended = skn.geometry.clone().with_blend_normals_of(skel);
                assert!(
                    mended.normals_apart(skel).unwrap() < 0.1
                        && !mended.validate_with(skel).has("blend-normals")
                );
            }
            (right, wrong) => {
                assert!(right.is_none() && wrong.is_none() && skn.geometry.blends.is_empty(), "{file}");
            }
        }
    }
    assert_eq!(adult.bones.len(), 29);
    assert_eq!(KEYS_UNUSED, u32::MAX);
}

#[test]
fn meshes_by_freeso_stay_as_they_are() {
    let dir = corpus!();
    let adult = character(&dir.join("ts1/adult-skeleton.cmx")).skeletons[0].to_skel();
    let mut blended = 0;
    for (name, mesh) in super::data::meshes(&dir) {
        let bind = adult.bind_pose([&mesh.geometry]);
        assert!(bind.turned.is_empty(), "{name}: {:?}", bind.turned);
        assert_eq!(bind.world, adult.world(&[]), "{name}");
        blended += usize::from(!mesh.geometry.blends.is_empty());
    }
    println!("{blended} meshes with blends");
    assert!(blended > 0);
}
