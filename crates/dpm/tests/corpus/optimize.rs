//! Applies the checks of `tests/optimize.rs` to the files of the corpus.
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare small numbers, and fail by a panic"
)]

use crate::optimize::{same, zym_same};
use meshwright_dpm::{Dpm, OptimizeOptions, Zym};
use meshwright_testkit::corpus;
use std::fs;

#[test]
fn the_corpus_shrinks_and_stays() {
    let root = corpus!();
    for folder in ["dpm", "zym"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = fs::read(&path).unwrap();
            if name.ends_with(".dpm") {
                let model = Dpm::parse(&bytes).unwrap();
                let mut few = model.clone();
                few.discard_layout();
                let every = few.frames.len().div_ceil(12);
                few.frames = few.frames.iter().step_by(every).copied().collect();
                let kept: Vec<_> = few.frames.iter().map(|f| model.pose(f.pose).unwrap().to_vec()).collect();
                few.poses = kept.concat();
                (0..).zip(&mut few.frames).for_each(|(i, f)| f.pose.0 = i);
                same(&name, &few, &few.optimize(&OptimizeOptions::default(), &[]).unwrap());
            } else if name.ends_with(".zym") {
                let mut model = Zym::parse(&bytes).unwrap();
                let bones = model.bones.len();
                let poses = model.pose_count().min(12);
                model.poses.truncate(poses * bones);
                model.scenes.truncate(1);
                (model.scenes[0].start, model.scenes[0].length) = (0, poses as u32);
                model.discard_layout();
                zym_same(&name, &model, &model.optimize(&OptimizeOptions::default(), &[]).unwrap());
            }
        }
    }
}
