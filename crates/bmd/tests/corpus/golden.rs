//! Compares with values of the original engine's code and of an independent reader, to the bit.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use meshwright_bmd::{
    Bmd, Bone, Clip, ClipRate, Keys, Mesh, Name, Primitive, Step, Stream, Vertex, VertexKind, nearest_shade,
    shade,
};
use meshwright_core::num::{QuatF8, Se32, St14Form};
use meshwright_testkit::corpus;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn golden(dir: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(dir.join("bmd/golden_numeric.json")).unwrap()).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn word(v: &Value) -> u32 {
    u32::from_str_radix(v.as_str().unwrap(), 16).unwrap()
}

fn floats<const N: usize>(v: &Value) -> [u32; N] {
    std::array::from_fn(|i| (v[i].as_f64().unwrap() as f32).to_bits())
}

#[test]
fn colour_bytes() {
    let golden = golden(&corpus!());
    for (byte, want) in (0..=u8::MAX).zip(golden["shade"].as_array().unwrap()) {
        let want = std::array::from_fn(|i| want[i].as_u64().unwrap() as u8);
        assert_eq!(shade(byte), want);
        assert_eq!(nearest_shade(want), byte);
    }
}

#[test]
fn primitives() {
    let golden = golden(&corpus!());
    for case in golden["prims"].as_array().unwrap() {
        let mut raw = bytes(case["bytes"].as_str().unwrap());
        let size = case["size"].as_u64().unwrap() as usize;
        raw.resize(8, 0);
        let p = Primitive::from_bits(u64::from_le_bytes(raw.try_into().unwrap())).unwrap();
        assert_eq!(p.size(), size);
        assert_eq!(u64::from(p.tag2()), case["tag2"].as_u64().unwrap());
        let want: Vec<u32> =
            case["indices"].as_array().unwrap().iter().map(|i| i.as_u64().unwrap() as u32).collect();
        assert_eq!(&p.indices()[..want.len()], want);
        assert_eq!(p.kind().is_quad(), want.len() == 4);
    }
}

#[test]
fn vertices() {
    let golden = golden(&corpus!());
    for case in golden["vertices"].as_array().unwrap() {
        let mut raw = bytes(case["bytes"].as_str().unwrap());
        assert_eq!(raw.len() as u64, case["size"].as_u64().unwrap());
        raw.resize(16, 0);
        let (first, second) = raw.split_at(8);
        let v = Vertex::from_words(
            u64::from_le_bytes(first.try_into().unwrap()),
            u64::from_le_bytes(second.try_into().unwrap()),
        )
        .unwrap();
        assert_eq!(v.size() as u64, case["size"].as_u64().unwrap());
        let name = case["flat"].as_array().map(|c| {
            let [r, g, b] = std::array::from_fn(|i| c[i].as_u64().unwrap());
            Name::new(format!("#{r:02x}{g:02X}{b:02x}").as_bytes())
        });
        let mesh =
            Mesh { vertices: Arc::new(vec![v]), material: name.or(Some(Name::new(b"t"))), ..Mesh::default() };
        let form = mesh.uvs(St14Form::Excess).next().unwrap();
        assert_eq!(mesh.positions().next().unwrap().map(f32::to_bits), floats(&case["pos"]));
        assert_eq!(form.map(f32::to_bits), floats(&case["st"]), "{case}");
        assert_eq!(mesh.normals().next().unwrap().map(f32::to_bits), floats(&case["normal"]), "{case}");
        let color = mesh.colors().next().unwrap().map(u64::from);
        assert_eq!(color, std::array::from_fn(|i| case["rgba"][i].as_u64().unwrap()));
        assert_eq!(u64::from(v.bone()), case["bone"].as_u64().unwrap());
        assert_eq!(v.kind() == VertexKind::Bits64, v.size() == 8);
    }
}

#[test]
fn streams() {
    let golden = golden(&corpus!());
    for case in golden["anim_streams"].as_array().unwrap() {
        let raw = bytes(case["bytes"].as_str().unwrap());
        let frames = case["n_frames"].as_u64().unwrap() as u8;
        let mut stream = Stream::new();
        let mut rest = raw.as_slice();
        for _ in 0..case["n_bones"].as_u64().unwrap() {
            let mut steps = Vec::new();
            while let Some((tag, tail)) = rest.split_first().filter(|(tag, _)| **tag != 0) {
                let mut words = [None; 3];
                rest = tail;
                for (slot, bit) in words.iter_mut().zip([0x80, 0x40, 0x20]) {
                    if tag & bit != 0 {
                        *slot = Some(u32::from_le_bytes(rest[..4].try_into().unwrap()));
                        rest = &rest[4..];
                    }
                }
                steps.push(Step::new(tag & 31, words[0], words[1], words[2]).unwrap());
            }
            rest = &rest[1..];
            stream.push_bone(&steps);
        }
        assert_eq!(stream.size() as u64, case["used"].as_u64().unwrap());
        for (bone, want) in case["tracks"].as_array().unwrap().iter().enumerate() {
            let keys = stream.keys(bone);
            let words = |want: &Value| -> Vec<(u32, u32)> {
                let want = want.as_object().unwrap();
                let mut keys: Vec<_> = want.iter().map(|(f, w)| (f.parse().unwrap(), word(w))).collect();
                keys.sort_unstable();
                keys
            };
            let triples =
                |keys: &[(u32, Se32)]| keys.iter().map(|k| (k.0, k.1.to_bits())).collect::<Vec<_>>();
            let rotations: Vec<_> = keys.rotation.iter().map(|k| (k.0, k.1.to_bits())).collect();
            assert_eq!(rotations, words(&want["r"]));
            assert_eq!(triples(&keys.translation), words(&want["t"]));
            assert_eq!(triples(&keys.scale), words(&want["s"]));
            assert!(rotations.iter().all(|k| k.0 < u32::from(frames)));
        }
    }
}

#[test]
fn interpolation() {
    let golden = golden(&corpus!());
    for case in golden["interp"].as_array().unwrap() {
        let mut keys: Vec<(u32, u32)> =
            case["keys"].as_object().unwrap().iter().map(|(f, w)| (f.parse().unwrap(), word(w))).collect();
        keys.sort_unstable();
        let turning = case["kind"] == "rotation";
        let keys = if turning {
            let rotation = keys.iter().map(|k| (k.0, QuatF8::from_bits(k.1))).collect();
            Keys { rotation, ..Keys::default() }
        } else {
            let translation = keys.iter().map(|k| (k.0, Se32::from_bits(k.1))).collect();
            Keys { translation, ..Keys::default() }
        };
        let clip = Clip {
            frames: case["n"].as_u64().unwrap() as u8,
            rate: if case["loop"].as_bool().unwrap() { ClipRate::USUAL } else { ClipRate::USUAL.once() },
            stream: Arc::new(Stream::from_bones([Vec::new(), keys.to_steps()])),
            ..Clip::default()
        };
        let model = Bmd::default().with_bones(vec![Bone::default(); 2], vec![clip]);
        let motion = model.motion(0).unwrap();
        for (frame, want) in case["values"].as_array().unwrap().iter().enumerate() {
            let sample = motion.sample(1, frame as f64);
            if turning {
                assert_eq!(sample.rotation.map(|c| (c as f32).to_bits()), floats(want), "{case} {frame}");
            } else {
                assert_eq!(sample.translation.map(|c| (c as f32).to_bits()), floats(want), "{case} {frame}");
            }
        }
    }
}

#[test]
fn encoders_take_the_best_word() {
    let golden = golden(&corpus!());
    let list = |name: &str| golden[name].as_array().unwrap().clone();
    for case in list("se32_encode") {
        let v: [u32; 3] = floats(&case["v"]);
        assert_eq!(Se32::encode(v.map(f32::from_bits)).to_bits(), word(&case["best"]), "{case}");
    }
    for case in list("quat") {
        let q: [u32; 4] = floats(&case["q"]);
        let got = QuatF8::encode(q.map(f32::from_bits)).decode();
        let error = |d: [f32; 4]| {
            let dot: f64 = d.iter().zip(q).map(|(a, b)| f64::from(*a) * f64::from(f32::from_bits(b))).sum();
            1.0 - dot.abs()
        };
        let best: [u32; 4] = floats(&case["best_decoded"]);
        assert!(error(got) <= error(best.map(f32::from_bits)) + 1e-7, "{case}");
    }
}
