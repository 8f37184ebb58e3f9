//! A body of The Sims Online with stretched arms that Blender 5.0.1 imported and exported with its default settings.
//! The document was not edited. `recorded` has the document, and the files that it was made from (see the tests of
//! `meshwright-tso`).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test panics")]

use meshwright::tso::{Anim, Between, Geometry, Mesh, Skel};
use meshwright::{Format, NamedFile, Opener, Role};
use std::fs;
use std::path::Path;

fn recorded(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded").join(name)).unwrap()
}

/// Returns the corners of all triangles in a pose.
fn corners(g: &Geometry, skel: &Skel, anim: &Anim, frame: u32) -> Vec<[f64; 3]> {
    let pose = anim.pose(skel, frame.into(), Between::Slerp);
    let posed = g.pose(&skel.matrices_for(&g.bones, &skel.world(&pose)));
    g.faces.iter().flatten().map(|v| posed.positions[*v as usize].map(f64::from)).collect()
}

#[test]
fn a_body_from_blender_moves_as_before() {
    let skel = Skel::parse(&recorded("body.skel")).unwrap();
    let body = Mesh::parse(&recorded("body.mesh")).unwrap();
    let wave = Anim::parse(&recorded("wave.anim")).unwrap();
    let skeleton = NamedFile::new(Role::Skeleton, "body.skel", recorded("body.skel"));
    let exported = recorded("body.blender-5.0.1.glb");
    let model = Opener::new().named(skeleton).open_bytes("body.glb", exported, []).unwrap();
    let made = model.convert(Format::TsoMesh).unwrap();
    assert!(made.losses().iter().any(|l| l.code == "rest-differs" && l.count == 2), "{:?}", made.losses());
    let back = Mesh::parse(made.files().get("body.mesh").unwrap()).unwrap();
    let mut worst = 0.0_f64;
    for frame in 0..wave.frames() {
        let want = corners(&body.geometry, &skel, &wave, frame);
        let found = corners(&back.geometry, &skel, &wave, frame);
        assert_eq!(want.len(), found.len());
        // An editor may begin triangles with another corner.
        for a in &want {
            let apart = |b: &[f64; 3]| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt() / 3.0;
            worst = worst.max(found.iter().map(apart).fold(f64::INFINITY, f64::min));
        }
    }
    assert!(worst <= 1e-4, "{worst} m");
}
