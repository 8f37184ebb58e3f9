//! Applies the checks of `tests/iqm.rs` to the files of the corpus.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a failing test panics")]

use crate::iqm::{Corners, converted, extent, hold, open, to_iqm, worst};
use meshwright::files::Tree;
use meshwright::iqm::Iqm;
use meshwright::scene::Engine;
use meshwright::{AnyModel, Format, Opener, Target, WriteOptions, convert};
use meshwright_testkit::corpus;

/// Like [`worst`], where triangles may have been put in another order.
fn worst_of_any(a: &Corners, b: &Corners) -> f64 {
    assert_eq!(a.len(), b.len());
    let apart = |p: &[[f32; 3]; 3], q: &[[f32; 3]; 3]| {
        let turned = [*q, [q[1], q[2], q[0]], [q[2], q[0], q[1]]];
        turned.iter().map(|q| worst(&vec![*p], &vec![*q])).fold(f64::INFINITY, f64::min)
    };
    a.iter().map(|p| b.iter().map(|q| apart(p, q)).fold(f64::INFINITY, f64::min)).fold(0.0, f64::max)
}

#[test]
fn every_model_of_darkplaces_moves_as_iqm() {
    let root = corpus!();
    let mut all = Vec::new();
    for format in ["dpm", "zym"] {
        let folder = std::fs::read_dir(root.join(format)).unwrap().map(|e| e.unwrap().path());
        all.extend(folder.filter(|p| p.extension().is_some_and(|e| e == format)));
    }
    all.sort();
    let next = std::sync::Mutex::new(all.iter());
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = { next.lock().unwrap().next() } {
                    let held = hold(path);
                    results.lock().unwrap().push((held.0, held.1, path.display().to_string()));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by(|a, b| b.0.total_cmp(&a.0));
    let frames: usize = results.iter().map(|r| r.1).sum();
    eprintln!("{} models, {frames} frames; worst of the extent:", results.len());
    results.iter().take(4).for_each(|r| eprintln!("  {:.3e} {}", r.0, r.2));
    assert_eq!(results.len(), all.len());
}

#[test]
fn to_dpm_and_back_keeps_frames_and_names() {
    let root = corpus!();
    for name in ["gen_skinned.iqm", "gen_events.iqm", "tool_made.iqm"] {
        let (_, asset) = open(&root.join("iqm").join(name));
        let AnyModel::Iqm(first) = asset.model() else { panic!("{name}") };
        let scene = asset.scene().unwrap().value;
        let files = convert(&scene, Target::Native(Format::Dpm), &WriteOptions::default().with_stem("m"))
            .unwrap()
            .value;
        let tree = Tree::memory(files.into_iter().map(|f| (f.name, f.bytes))).unwrap();
        let dpm = Opener::new().open_in(&tree, "m.dpm").unwrap();
        let back = to_iqm(&dpm);
        let names = |m: &Iqm| {
            let anims = m.anims.iter().map(|a| (m.str(a.name).to_vec(), a.frame_count, a.flags));
            let joints = m.joints.iter().map(|j| (m.str(j.name).to_vec(), j.parent));
            (anims.collect::<Vec<_>>(), joints.collect::<Vec<_>>())
        };
        assert_eq!(names(first), names(&back), "{name}");
        for (a, b) in first.anims.iter().zip(&back.anims) {
            for i in 0..a.frame_count {
                let [p, q] = [converted(first, a.first_frame + i), converted(&back, b.first_frame + i)];
                let off = worst_of_any(&p, &q);
                let at = (
                    String::from_utf8_lossy(first.str(a.name)).into_owned(),
                    i,
                    a.first_frame,
                    b.first_frame,
                );
                assert!(off <= 1e-3 * extent(&p), "{name} {at:?}: {off} of {}", extent(&p));
            }
        }
    }
}

#[test]
fn loaders_are_known_for_what_they_refuse() {
    let root = corpus!();
    let codes = |name: &str, engine: Engine| -> Vec<&'static str> {
        let bytes = std::fs::read(root.join("iqm").join(name)).unwrap();
        let report = AnyModel::open(&bytes, name).unwrap().validate_for(engine);
        let mut codes: Vec<_> = report.iter().map(|f| f.rule.code).collect();
        codes.dedup();
        codes
    };
    let [darkplaces, fte, daemon] = [Engine::DarkPlaces, Engine::Fte, Engine::Daemon];
    // The observed behaviour of DarkPlaces' own loader.
    assert!(codes("gen_formats.iqm", darkplaces).contains(&"engine-array-format"));
    assert!(codes("gen_scaled.iqm", darkplaces).contains(&"engine-scale"));
    assert!(codes("guy.iqm", darkplaces).contains(&"engine-scale"));
    assert_eq!(codes("gen_skinned.iqm", darkplaces), [""; 0]);
    assert_eq!(codes("gen_formats.iqm", fte), [""; 0]);
    assert!(codes("gen_formats.iqm", daemon).contains(&"engine-array-format"));
    assert!(codes("gen_v1.iqm", daemon).contains(&"engine-version"));
    assert!(codes("gen_animonly.iqm", daemon).contains(&"engine-empty"));
    assert!(
        codes("gen_static.iqm", daemon).contains(&"engine-array-format"),
        "16-bit array of another program"
    );
    assert!(codes("gen_events.iqm", fte).contains(&"engine-rate"));
}
