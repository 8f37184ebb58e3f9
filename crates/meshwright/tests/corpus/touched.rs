//! Applies the checks of `tests/touched.rs` to the files of the corpus.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

use crate::touched::{TouchedFiles, touched};
use meshwright_testkit::corpus;

#[test]
fn every_edit_of_a_real_model_is_found() {
    let root = corpus!();
    let models: [(&str, &[&str]); 9] = [
        ("dpm", &["dpm/spiderbot.dpm"]),
        ("zym", &["zym/pomp.zym"]),
        ("bmd", &["bmd/chicken1.bmd"]),
        ("iqm", &["iqm/gen_skinned.iqm"]),
        (
            "tso",
            &[
                "tso/au-blue.d93f568500000009.mesh",
                "tso/adult_reconstructed.skel",
                "tso/d2o-rc-turn45-cw.7c8b5a1e00000007.anim",
            ],
        ),
        ("ts1", &["ts1/xskin-b001fafit_01-PELVIS-BODY.skn", "ts1/adult-skeleton.cmx", "ts1/adult-idle2.cmx"]),
        ("iqm, colours", &["iqm/gen_static.iqm"]),
        ("crucible", &["crucible/skinned_tube_u16.cmesh", "crucible/skeleton_six.cskel"]),
        ("fso", &["fsomodel/gl3_teapots_tex.fom"]),
    ];
    for (format, files) in models {
        let files: Vec<_> = files.iter().map(|file| root.join(file)).collect();
        assert!(touched(&TouchedFiles::new(format, &files)) >= 20, "{format}");
    }
}
