//! Measures the savings of an optimisation, and checks that its errors are within the stated bounds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use meshwright_bmd::strategy::model;
use meshwright_bmd::{
    Arrangement, Bmd, Bone, Clip, ClipRate, EngineSafety, Keys, OptimizeOptions, Optimized, PrimitiveKind,
    Stream,
};
use meshwright_core::math::{Affine64, quat};
use meshwright_core::num::QuatF8;
use meshwright_testkit::{Deadline, proptest, sound};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A decoded corner: position, normal, texture coordinate, colour, bone.
type Corner = (Vec<u32>, [u8; 4], u8);
/// A triangle that starts at its smallest corner.
type Triangle = [Corner; 3];

/// Returns the triangles of every material at every level of detail, sorted.
fn surface(model: &Bmd) -> BTreeMap<(usize, Option<Vec<u8>>), Vec<Triangle>> {
    let form = model.st_form();
    let mut all: BTreeMap<_, Vec<Triangle>> = BTreeMap::new();
    let drawn = (0..model.lods.len().max(1)).flat_map(|l| model.drawn_meshes(l).map(move |m| (l, m)));
    let hidden = (0..model.meshes.len()).filter(|m| model.meshes[*m].material.is_none());
    for (level, m) in drawn.chain(hidden.map(|m| (usize::MAX, m))) {
        let mesh = &model.meshes[m];
        let (positions, normals) = (mesh.positions().collect::<Vec<_>>(), mesh.normals().collect::<Vec<_>>());
        let (uvs, colors) = (mesh.uvs(form).collect::<Vec<_>>(), mesh.colors().collect::<Vec<_>>());
        let corner = |i: u32| -> Corner {
            let i = i as usize;
            let numbers = positions[i].iter().chain(&normals[i]).chain(&uvs[i]).map(|c| c.to_bits());
            (numbers.collect(), colors[i], mesh.vertices[i].bone())
        };
        let list = all.entry((level, mesh.material.as_ref().map(|n| n.bytes().to_vec()))).or_default();
        for [a, b, c] in mesh.triangles() {
            let (a, b, c) = (corner(a), corner(b), corner(c));
            let turns = [[a.clone(), b.clone(), c.clone()], [b.clone(), c.clone(), a.clone()], [c, a, b]];
            list.extend(turns.into_iter().min());
        }
    }
    all.values_mut().for_each(|l| l.sort());
    all.retain(|_, l| !l.is_empty());
    all
}

fn assert_same_motion(old: &Bmd, new: &Bmd, name: &str) {
    for (c, clip) in old.clips.iter().enumerate() {
        let (Some(a), Some(b)) = (old.motion(c), new.motion(c)) else { panic!("{name}: no motion") };
        assert_eq!((new.clips[c].frames, new.clips[c].rate), (clip.frames, clip.rate));
        for f in 0..u32::from(clip.frames) {
            for bone in 1..old.normal_bones() {
                let (x, y) = (a.sample(bone, f64::from(f)), b.sample(bone, f64::from(f)));
                let bits = |v: &[f64]| v.iter().map(|c| (*c as f32).to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&x.rotation), bits(&y.rotation), "{name} clip {c} frame {f} bone {bone}");
                assert_eq!(bits(&x.translation), bits(&y.translation), "{name}");
                assert_eq!(bits(&x.scale), bits(&y.scale), "{name}");
            }
        }
    }
}

fn assert_lossless(old: &Bmd, done: &Optimized, name: &str) {
    assert_eq!(done.errors, Default::default(), "{name}");
    let read = Bmd::parse(&done.bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(read == done.model, "{name}");
    assert!(surface(old) == surface(&read), "{name}: the triangles changed");
    assert_same_motion(old, &read, name);
    assert!(!read.validate().has_errors());
    let solid = |m: &Bmd, b: usize| -> Option<Vec<[[u32; 3]; 3]>> {
        let mesh = m.meshes.get(usize::from(m.bones[b].solid)).filter(|_| m.bones[b].solid > 0)?;
        let positions: Vec<_> = mesh.positions().map(|p| p.map(f32::to_bits)).collect();
        Some(mesh.triangles().map(|t| t.map(|i| positions[i as usize])).collect())
    };
    for b in 0..old.bones.len() {
        assert_eq!(solid(old, b), solid(&read, b), "{name}: the solid of bone {b}");
    }
}

fn models() -> Vec<(String, Bmd)> {
    sound("bmd", "bmd").into_iter().map(|(name, bytes)| (name, Bmd::parse(&bytes).unwrap())).collect()
}

pub(crate) fn compact() -> OptimizeOptions {
    OptimizeOptions::default().with_engine(EngineSafety::Ignored)
}

#[test]
fn nothing_is_lost_by_default() {
    for (name, model) in models() {
        for arrangement in [Arrangement::Compact, Arrangement::P2] {
            for options in [OptimizeOptions::default(), compact()] {
                let options = options.with_arrangement(arrangement);
                let done = model.optimize(&options).unwrap();
                println!("{name} {arrangement:?} {:?}: {:?}", options.engine, done.sizes);
                assert!(done.sizes.clips <= done.sizes.meshes, "{name}");
                assert!(done.sizes.meshes <= done.sizes.arranged || options.engine != EngineSafety::Ignored);
                assert_lossless(&model, &done, &name);
                let small = if options.engine == EngineSafety::Ignored { 7827 } else { 8515 };
                if name == "chicken1.bmd" && arrangement == Arrangement::Compact {
                    assert!(done.bytes.len() <= small, "{:?}", done.sizes);
                }
            }
        }
    }
}

#[test]
fn a_second_run_changes_nothing() {
    for (name, model) in models() {
        for options in [OptimizeOptions::default(), compact()] {
            let once = model.optimize(&options).unwrap();
            let twice = Bmd::parse(&once.bytes).unwrap().optimize(&options).unwrap();
            assert!(once.bytes == twice.bytes, "{name}: {} then {}", once.bytes.len(), twice.bytes.len());
        }
    }
}

/// Checks that the existing engine's loader can load every mesh.
fn assert_safe_meshes(model: &Bmd, name: &str) {
    for mesh in &model.meshes {
        let quad = |k: PrimitiveKind| matches!(k, PrimitiveKind::Quad32 | PrimitiveKind::Quad64);
        assert!(!mesh.primitives.iter().any(|p| quad(p.kind())), "{name}");
        assert!(mesh.primitives.len() <= mesh.vertices.len(), "{name}");
    }
}

/// Returns the bones that have a key on the last frame of a clip.
fn on_last_frames(model: &Bmd) -> Vec<(usize, usize)> {
    let clips = model.clips.iter().enumerate().filter(|(_, c)| c.frames > 1);
    let bones = clips.flat_map(|(c, clip)| {
        let last = u32::from(clip.frames) - 1;
        let on = move |b: &usize| {
            let keys = clip.stream.keys(*b);
            let triples = keys.translation.iter().chain(&keys.scale).map(|k| k.0);
            keys.rotation.iter().map(|k| k.0).chain(triples).any(|f| f == last)
        };
        (0..clip.stream.bone_count()).filter(on).map(move |b| (c, b))
    });
    bones.collect()
}

#[test]
fn files_avoid_what_the_loader_gets_wrong() {
    let mut kept = 0;
    for (name, model) in models() {
        let done = model.optimize(&OptimizeOptions::default()).unwrap();
        assert_safe_meshes(&done.model, &name);
        // No new keys are on a last frame. Existing ones stay if they cannot be removed without an error.
        let (old, new) = (on_last_frames(&model), on_last_frames(&done.model));
        assert!(new.iter().all(|b| old.contains(b)), "{name}: {old:?} {new:?}");
        kept += done.misread_clips;
        let always = model.optimize(&OptimizeOptions::default().with_engine(EngineSafety::Always)).unwrap();
        assert_safe_meshes(&always.model, &name);
        for (c, b) in on_last_frames(&always.model) {
            let stream = &always.model.clips[c].stream;
            assert!((b + 1..stream.bone_count()).all(|b| stream.keys(b).is_empty()), "{name} {c} {b}");
        }
        let safe = done.misread_clips == 0;
        assert_eq!(always.errors == Default::default(), safe, "{name}: {:?}", always.errors);
        assert!(surface(&model) == surface(&always.model), "{name}");
    }
    println!("{kept} clips that the loader misreads");
}

/// The existing loader takes the end of a bone's keys after the last frame for that of the next bone. It
/// does no harm if no bone with keys follows.
#[test]
fn a_key_on_the_last_frame_counts_where_keys_follow() {
    let turn = |frame: u32, byte: u32| (frame, QuatF8::from_bits(0x7000_0000 | byte));
    let keyed = |last: u8| {
        let rotation = vec![turn(0, 0x10), turn(3, 0x30), turn(u32::from(last), 0x60)];
        Keys { rotation, ..Keys::default() }.to_steps()
    };
    for (bones, misread) in [
        (vec![vec![], keyed(9), keyed(7)], 1),
        (vec![vec![], keyed(7), keyed(9)], 0),
        (vec![vec![], keyed(9), vec![]], 0),
        (vec![vec![], keyed(9), keyed(9), keyed(9)], 1),
    ] {
        let count = bones.len();
        let stream = Arc::new(Stream::from_bones(bones));
        let clip = Clip { frames: 10, rate: ClipRate::USUAL.once(), stream, ..Clip::default() };
        let model = Bmd::default().with_bones(vec![Bone::default(); count], vec![clip]);
        let done = model.optimize(&OptimizeOptions::default()).unwrap();
        assert_eq!(done.misread_clips, misread);
        assert_same_motion(&model, &done.model, "keys");
    }
}

/// Returns the largest distance and angle between the keys of `new` and `old`, at whole frames of all clips,
/// in model space.
fn posed(old: &Bmd, new: &Bmd) -> (f64, f64) {
    let (mut far, mut turned) = (0.0_f64, 0.0_f64);
    for (c, clip) in old.clips.iter().enumerate().filter(|_| !old.bones.is_empty()) {
        let (a, b) = (old.motion(c).unwrap(), new.motion(c).unwrap());
        for f in (0..u32::from(clip.frames)).map(f64::from) {
            let (x, y) = (a.pose(f), b.pose(f));
            let mut point = |bone: usize, p: [f32; 3]| {
                let at = |m: &[Affine64]| m[bone].point(p.map(f64::from));
                let (p, q) = (at(x.matrices()), at(y.matrices()));
                far = far.max((0..3).map(|i| (p[i] - q[i]).powi(2)).sum::<f64>().sqrt());
            };
            (0..old.bones.len()).for_each(|b| point(b, [0.0; 3]));
            for v in old.meshes.iter().flat_map(|m| m.vertices.iter()) {
                point(usize::from(v.bone()), v.position());
            }
            let mut turns = vec![[[0.0, 0.0, 0.0, 1.0]; 2]; old.bones.len()];
            for bone in 1..old.normal_bones() {
                let base = old.bones[bone].transform.rotation().decode().map(f64::from);
                let parent = turns[usize::from(old.bones[bone].parent)];
                turns[bone] = [(&a, parent[0]), (&b, parent[1])]
                    .map(|(m, above)| quat::product(above, quat::product(m.sample(bone, f).rotation, base)));
                turned = turned.max(quat::angle(turns[bone][0], turns[bone][1]).to_degrees());
            }
        }
    }
    (far, turned)
}

#[test]
fn bounds_are_of_the_posed_model_and_reported() {
    for (name, model) in models() {
        for (angle, distance) in [(0.0, 0.05), (0.0, 1.0), (1.0, 0.0), (5.0, 0.0), (2.0, 0.2), (10.0, 0.02)] {
            for engine in [EngineSafety::WithinBounds, EngineSafety::Ignored] {
                let options = OptimizeOptions::default().with_engine(engine).with_effort(3);
                let exact = model.optimize(&options).unwrap();
                let done = model.optimize(&options.with_key_bounds(angle, distance, 0.0)).unwrap();
                let (far, turned) = posed(&model, &done.model);
                let (e, case) = (done.errors, format!("{name} {angle} {distance}"));
                println!("{case}: {} for {}, {e:?}", done.bytes.len(), exact.bytes.len());
                assert!(
                    (e.distance - far).abs() <= 1e-6 && (e.angle - turned).abs() <= 1e-5,
                    "{case}: {far} {turned} {e:?}"
                );
                assert!(turned <= angle + 1e-5, "{case}: turned {turned}");
                assert!(far <= distance + 1e-9 || distance == 0.0 && angle > 0.0, "{case}: moved {far}");
                assert!(done.bytes.len() <= exact.bytes.len(), "{case}");
            }
        }
    }
}

#[test]
fn bounds_of_vertices_and_scales_are_kept_and_reported() {
    for (name, model) in models() {
        let options =
            OptimizeOptions::default().with_vertex_bounds(0.1, 5.0, 0.01).with_key_bounds(2.0, 0.2, 0.05);
        let done = model.optimize(&options).unwrap();
        let e = done.errors;
        assert!(e.position <= 0.1 && e.normal <= 5.0 && e.st <= 0.01, "{name}: {e:?}");
        assert!(e.angle <= 2.0 + 1e-9 && e.distance <= 0.2 && e.scale <= 0.05, "{name}: {e:?}");
        assert!(
            done.sizes.clips <= model.optimize(&OptimizeOptions::default()).unwrap().sizes.clips,
            "{name}"
        );
        Bmd::parse(&done.bytes).unwrap();
    }
}

/// Tests a long chain of bones, each with a key on every frame: the total work is limited, and the bounds
/// hold even if not everything is tried.
#[test]
fn work_is_bounded_in_total() {
    let bones = 100;
    let noise = |b: u32, f: u32| b.wrapping_mul(0x9e37_79b9).wrapping_add(f.wrapping_mul(0x85eb_ca6b)) >> 28;
    let keys = |b: u32| {
        let word = |f: u32| 0x7010_2030 + noise(b, f) + (noise(f, b) << 8) + ((f / 4) << 16);
        Keys { rotation: (0..255).map(|f| (f, QuatF8::from_bits(word(f)))).collect(), ..Keys::default() }
            .to_steps()
    };
    let stream = Arc::new(Stream::from_bones(std::iter::once(Vec::new()).chain((1..bones).map(keys))));
    let clip = Clip { frames: 255, rate: ClipRate::USUAL, stream, ..Clip::default() };
    let chain =
        (0..bones).map(|b| Bone { parent: u8::try_from(b).unwrap().saturating_sub(1), ..Bone::default() });
    let model = Bmd::default().with_bones(chain.collect(), vec![clip]);
    let mut sizes = Vec::new();
    for effort in [0, 4] {
        let options = OptimizeOptions::default().with_effort(effort).with_key_bounds(5.0, 0.0, 0.0);
        let deadline = Deadline::seconds(5);
        let done = model.optimize(&options).unwrap();
        deadline.met("126 kB of keys");
        assert!(done.cut_short && done.errors.angle <= 5.0, "{:?}", done.errors);
        let (_, turned) = posed(&model, &done.model);
        assert!((done.errors.angle - turned).abs() < 1e-5);
        sizes.push(done.bytes.len());
    }
    assert!(sizes[1] < sizes[0], "{sizes:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn random_models_lose_nothing(model in model()) {
        for options in [OptimizeOptions::default(), compact()] {
            let done = model.optimize(&options).unwrap();
            assert_lossless(&model, &done, "random");
            prop_assert_eq!(&done.model.optimize(&options).unwrap().bytes, &done.bytes);
        }
    }
}
