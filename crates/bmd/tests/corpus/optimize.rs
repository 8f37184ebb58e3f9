//! Applies the checks of `tests/optimize.rs` to the files of the corpus.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use crate::optimize::compact;
use meshwright_bmd::{Bmd, Bone, Clip, ClipRate, Keys, Stream};
use meshwright_core::num::QuatF8;
use meshwright_testkit::corpus;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Returns a model with a stream that has a key on every frame.
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
        rate: ClipRate::looping(120).unwrap(),
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
    let done = model.optimize(&compact().with_key_bounds(1.0, 0.0, 0.0)).unwrap();
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
