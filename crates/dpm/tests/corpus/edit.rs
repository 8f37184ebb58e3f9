//! Applies the checks of `tests/edit.rs` to a file of the corpus.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright_dpm::Dpm;
use meshwright_testkit::corpus;

#[test]
fn triangles_against_their_normals_are_told() {
    let bytes = std::fs::read(corpus!().join("dpm/spiderbot_barrels.dpm")).unwrap();
    let barrels = Dpm::parse(&bytes).unwrap();
    assert_eq!(barrels.winding(0).map(|w| (w.against, w.seen)), Some((216, 216)));
}
