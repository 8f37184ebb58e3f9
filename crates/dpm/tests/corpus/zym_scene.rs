//! Applies the checks of `tests/zym_scene.rs` to the files of the corpus.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare small numbers, and fail by a panic"
)]

use crate::zym_scene::bare;
use meshwright_dpm::Zym;
use meshwright_scene::{FromSceneOptions, SceneOptions, Space};
use meshwright_testkit::corpus;
use std::fs;

#[test]
fn zym_files_of_the_corpus_come_back() {
    let root = corpus!();
    let mut seen = 0;
    for entry in fs::read_dir(root.join("zym")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "zym") {
            continue;
        }
        let zym = Zym::parse(&fs::read(&path).unwrap()).unwrap();
        let scene = zym.to_scene(&SceneOptions::in_space(Space::File), None).unwrap().value;
        let back = Zym::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
        let (own, got) = (bare(zym), bare(back));
        let name = path.display();
        assert_eq!(
            (own.vertex_count(), own.triangle_count()),
            (got.vertex_count(), got.triangle_count()),
            "{name}"
        );
        assert_eq!((&own.influences, &own.runs), (&got.influences, &got.runs), "{name}");
        assert!(own.poses == got.poses, "{name}: poses");
        assert_eq!(own.scenes, got.scenes, "{name}");
        seen += 1;
    }
    assert!(seen > 3, "{seen} files");
}
