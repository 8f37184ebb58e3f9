//! What an optimisation saves, and that it gives up no more than it says.
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
    Arrangement, Bmd, Bone, Clip, ClipRate, Keys, OptimizeOptions, Optimized, PrimitiveKind, Stream,
};
use meshwright_core::num::QuatF8;
use meshwright_testkit::{corpus, sound};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A corner as decoding gives it: position, normal, texture coordinate, colour, bone.
type Corner = (Vec<u32>, [u8; 4], u8);
/// A triangle from its least corner on.
type Triangle = [Corner; 3];

/// The triangles of every material at every level of detail, in no particular order.
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
    let solids = |m: &Bmd| -> Vec<_> {
        m.bones.iter().map(|b| (b.solid != 0).then(|| m.meshes[usize::from(b.solid)].clone())).collect()
    };
    assert_eq!(solids(old), solids(&read), "{name}");
}

fn models() -> Vec<(String, Bmd)> {
    sound("bmd", "bmd").into_iter().map(|(name, bytes)| (name, Bmd::parse(&bytes).unwrap())).collect()
}

#[test]
fn nothing_is_lost_by_default() {
    for (name, model) in models() {
        for arrangement in [Arrangement::Compact, Arrangement::P2] {
            let options = OptimizeOptions::default().with_arrangement(arrangement);
            let done = model.optimize(&options).unwrap();
            println!("{name} {arrangement:?}: {:?}", done.sizes);
            assert!(done.sizes.clips <= done.sizes.meshes && done.sizes.meshes <= done.sizes.arranged);
            assert_lossless(&model, &done, &name);
            let again = done.model.optimize(&options).unwrap();
            assert!(again.bytes.len() <= done.bytes.len(), "{name} grows again");
            if name == "chicken1.bmd" && arrangement == Arrangement::Compact {
                assert!(done.bytes.len() <= 8706, "{:?}", done.sizes);
            }
        }
    }
}

#[test]
fn engine_safe_files_avoid_what_the_loader_gets_wrong() {
    for (name, model) in models() {
        let done = model.optimize(&OptimizeOptions::default().with_engine_safe(true)).unwrap();
        let read = Bmd::parse(&done.bytes).unwrap();
        for mesh in &read.meshes {
            let quad = |k: PrimitiveKind| matches!(k, PrimitiveKind::Quad32 | PrimitiveKind::Quad64);
            assert!(!mesh.primitives.iter().any(|p| quad(p.kind())), "{name}");
        }
        for clip in read.clips.iter().filter(|c| c.frames > 1) {
            let last = u32::from(clip.frames) - 1;
            for bone in 0..clip.stream.bone_count() {
                let keys = clip.stream.keys(bone);
                assert!(keys.rotation.iter().all(|k| k.0 < last), "{name}");
                assert!(keys.translation.iter().chain(&keys.scale).all(|k| k.0 < last), "{name}");
            }
        }
        assert!(surface(&model) == surface(&read), "{name}");
    }
}

#[test]
fn bounds_are_kept_and_reported() {
    for (name, model) in models() {
        let options =
            OptimizeOptions::default().with_vertex_bounds(0.1, 5.0, 0.01).with_key_bounds(2.0, 0.2, 0.05);
        let done = model.optimize(&options).unwrap();
        let e = done.errors;
        println!("{name}: {:?} {e:?}", done.sizes);
        assert!(e.position <= 0.1 && e.normal <= 5.0 && e.st <= 0.01, "{name}: {e:?}");
        assert!(e.angle <= 2.0 + 1e-9 && e.distance <= 0.2 && e.scale <= 0.05 * 2.0, "{name}: {e:?}");
        assert!(
            done.sizes.clips <= model.optimize(&OptimizeOptions::default()).unwrap().sizes.clips,
            "{name}"
        );
        Bmd::parse(&done.bytes).unwrap();
    }
}

/// A stream with a key on every frame, and what it was encoded from.
fn dense(corpus: &Path) -> Bmd {
    let text = fs::read_to_string(corpus.join("bmd/dense_clip.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let number = |v: &Value| v.as_f64().unwrap();
    let rotations: Vec<Vec<[f64; 4]>> = json["rotations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b.as_array().unwrap().iter().map(|q| std::array::from_fn(|i| number(&q[i]))).collect())
        .collect();
    let keys = |bone: &Vec<[f64; 4]>| {
        let rotation = (0..).zip(bone).map(|(f, q)| (f, QuatF8::encode(q.map(|c| c as f32)))).collect();
        Keys { rotation, ..Keys::default() }.to_steps()
    };
    let stream = Stream::from_bones(std::iter::once(Vec::new()).chain(rotations.iter().map(keys)));
    let clip = Clip {
        frames: u8::try_from(rotations[0].len()).unwrap(),
        rate: ClipRate::new(120, true).unwrap(),
        stream: Arc::new(stream),
        ..Clip::default()
    };
    let bones = vec![Bone::default(); rotations.len() + 1];
    Bmd::default().with_bones(bones, vec![clip])
}

#[test]
fn dense_keys_are_thinned() {
    let model = dense(&corpus!());
    assert_eq!(model.clips[0].stream.size(), 8415);
    let done = model.optimize(&OptimizeOptions::default().with_key_bounds(1.0, 0.0, 0.0)).unwrap();
    let stream = &done.model.clips[0].stream;
    println!("{} bytes, {:?}", stream.size(), done.errors);
    assert!(done.errors.angle <= 1.0 + 1e-9);
    assert!(stream.size() <= 1290, "{} bytes", stream.size());
    for bone in 1..stream.bone_count() {
        let keys = stream.keys(bone).rotation;
        let unit = |w: QuatF8| w.decode().map(f64::from);
        let pairs = keys.windows(2).map(|w| (unit(w[0].1), unit(w[1].1)));
        assert!(pairs.into_iter().all(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() >= 0.0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn random_models_lose_nothing(model in model()) {
        let done = model.optimize(&OptimizeOptions::default()).unwrap();
        assert_lossless(&model, &done, "random");
    }
}
