//! Applies the checks of `tests/scene.rs` to the files of the corpus.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a failing test panics")]

use crate::scene::{convert_again, largest_difference};
use meshwright_core::math::dot;
use meshwright_iqm::{ArrayKind, Iqm, IqmOptions, Scales};
use meshwright_scene::{FromSceneOptions, SceneOptions};
use meshwright_testkit::corpus;

#[test]
fn real_models_come_back_from_scenes() {
    let root = corpus!();
    for name in
        ["guy", "tool_made", "gen_skinned", "gen_events", "gen_scaled", "gen_v1", "gen_static", "gen_formats"]
    {
        let model =
            Iqm::parse(&std::fs::read(root.join("iqm").join(format!("{name}.iqm"))).unwrap()).unwrap();
        let back = convert_again(&model, Scales::Kept);
        let off = largest_difference(&model, &back);
        // Float weights become bytes.
        let allowed = if name == "gen_formats" { 1e-3 } else { 3e-5 };
        assert!(off < allowed, "{name}: {off}");
        if let Some(tangents) = back.array(ArrayKind::TANGENT).filter(|_| name != "gen_formats") {
            let (own, stored) = (tangents, model.array(ArrayKind::TANGENT).unwrap());
            for v in 0..own.len() {
                assert_eq!(own.floats::<4>(v, [0.0; 4])[3], stored.floats::<4>(v, [0.0; 4])[3], "{name}");
            }
        }
        if name != "gen_scaled" && name != "guy" {
            let baked = convert_again(&model, Scales::Baked);
            assert!(largest_difference(&model, &baked) < allowed, "{name} baked");
        }
    }
}

#[test]
fn tangents_made_anew_are_on_the_side_of_the_tool() {
    let root = corpus!();
    let model = Iqm::parse(&std::fs::read(root.join("iqm/tool_made.iqm")).unwrap()).unwrap();
    let scene = model.to_scene(&SceneOptions::default()).unwrap().value;
    let options = FromSceneOptions::for_format(IqmOptions::default().with_tangents(true));
    let back = Iqm::from_scene(&scene, &options).unwrap().value;
    let (own, stored) = (back.array(ArrayKind::TANGENT).unwrap(), model.array(ArrayKind::TANGENT).unwrap());
    for v in 0..stored.len() {
        let [[x, y, z, w], [a, b, c, s]] = [own, stored].map(|t| t.floats::<4>(v, [0.0; 4]));
        assert_eq!(w, s, "vertex {v}");
        assert!(dot([x, y, z], [a, b, c]) > 0.5, "vertex {v}");
    }
}
