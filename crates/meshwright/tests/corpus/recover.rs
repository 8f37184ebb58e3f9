//! Applies the checks of `tests/recover.rs` to the files of the corpus.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

use crate::recover::{count, figure_is_kept, files, is_kept, returns};
use meshwright::gltf::ExportOptions;
use meshwright_testkit::corpus;
use std::path::PathBuf;

#[test]
fn real_models_that_were_not_edited_are_untouched() {
    let root = corpus!();
    assert!(count(&root, returns) > 90);
}

#[test]
fn real_models_that_went_along_come_back_as_they_were() {
    let root = corpus!();
    assert!(count(&root, |path| is_kept(path, &ExportOptions::default())) > 90);
}

/// Tests every mesh of the games with every skeleton, and every animation with its skeleton.
#[test]
fn real_figures_that_went_along_come_back_as_they_were() {
    let root = corpus!();
    let all: Vec<PathBuf> = ["tso", "ts1", "crucible"].iter().flat_map(|f| files(&root.join(f))).collect();
    let of = |extensions: &'static [&str]| {
        let is = |p: &&PathBuf| extensions.iter().any(|e| p.extension().is_some_and(|own| own == *e));
        all.iter().filter(is).cloned().collect::<Vec<_>>()
    };
    let mut kept = 0;
    for mesh in of(&["mesh", "skn", "bmf", "skel", "cmesh", "cmodel"]) {
        for rest in of(&["skel", "cmx", "bcf", "cskel", "anim"]).into_iter().filter(|rest| *rest != mesh) {
            kept += figure_is_kept(&[mesh.clone(), rest]).iter().count();
        }
    }
    let skel = root.join("tso/adult_reconstructed.skel");
    let mut whole = of(&["mesh", "anim"]);
    whole.push(skel);
    assert!(figure_is_kept(&whole).is_some());
    let skeleton = root.join("ts1/adult-skeleton.bcf");
    let mut whole = of(&["skn", "bmf"]);
    whole.extend([
        skeleton,
        root.join("ts1/adult-walking-frantic-loop.cmx"),
        root.join("ts1/adult-idle2.cmx"),
    ]);
    assert!(figure_is_kept(&whole).is_some());
    assert!(kept > 60, "{kept}");
}
