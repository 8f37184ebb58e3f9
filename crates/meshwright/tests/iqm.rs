//! Converts models of DarkPlaces to IQM and back, and compares every frame with their own evaluation.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a failing test panics")]
#![cfg(all(feature = "dpm", feature = "iqm"))]

use meshwright::files::Tree;
use meshwright::iqm::Iqm;
use meshwright::scene::Engine;
use meshwright::{AnyModel, Format, Model, Opener, Target, WriteOptions, convert};
use meshwright_testkit::testdata;
use std::path::Path;

/// The corners of all triangles at a frame.
pub(crate) type Corners = Vec<[[f32; 3]; 3]>;

fn native(model: &AnyModel, frame: usize) -> Option<Corners> {
    let mut corners = Vec::new();
    match model {
        AnyModel::Dpm(m) => {
            for (i, mesh) in m.meshes.iter().enumerate() {
                let posed = m.evaluate(i, frame)?.positions;
                corners.extend(mesh.triangles.iter().map(|t| t.map(|v| posed[v as usize])));
            }
        }
        AnyModel::Zym(m) => {
            let posed = m.evaluate(frame)?.positions;
            let triangles = m.runs.iter().flat_map(|r| &r.triangles);
            corners.extend(triangles.map(|t| t.map(|v| posed[v as usize])));
        }
        _ => return None,
    }
    Some(corners)
}

pub(crate) fn converted(model: &Iqm, frame: u32) -> Corners {
    let mut corners = Vec::new();
    for mesh in &model.meshes {
        let posed = model.evaluate(mesh, Some(frame)).unwrap().positions;
        // Clockwise.
        let corner = |v: u32| posed[(v - mesh.first_vertex) as usize];
        corners.extend(model.triangles_of(mesh).iter().map(|[a, b, c]| [*a, *c, *b].map(corner)));
    }
    corners
}

pub(crate) fn worst(a: &Corners, b: &Corners) -> f64 {
    assert_eq!(a.len(), b.len());
    let points = a.as_flattened().iter().zip(b.as_flattened());
    points.flat_map(|(p, q)| p.iter().zip(q)).fold(0.0, |w, (a, b)| w.max(f64::from((a - b).abs())))
}

pub(crate) fn extent(corners: &Corners) -> f64 {
    let side = |i: usize| {
        let of = |f: fn(f32, f32) -> f32, from| corners.as_flattened().iter().map(|p| p[i]).fold(from, f);
        f64::from(of(f32::max, f32::MIN) - of(f32::min, f32::MAX))
    };
    (0..3).map(side).fold(0.0, f64::max)
}

/// Returns the allowed distance between the vertices of an IQM and their sources.
fn bound(model: &Iqm, extent: f64) -> f64 {
    let steps = model.poses.iter().flat_map(|p| p.scale.iter().take(3)).map(|s| f64::from(s.get()));
    let blends = (0..model.vertex_count as usize).any(|v| model.influences(v)[1].1 > 0.0);
    5e-5 * extent + steps.fold(0.0, f64::max) + if blends { 5e-4 * extent } else { 0.0 }
}

pub(crate) fn open(path: &Path) -> (Tree, Model) {
    let tree = Tree::open(path.parent().unwrap()).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let asset = Opener::new().open_in(&tree, name).unwrap();
    (tree, asset)
}

pub(crate) fn to_iqm(asset: &Model) -> Iqm {
    measured(asset).0
}

/// Returns the model and the reported deviation of its vertices.
fn measured(asset: &Model) -> (Iqm, f64) {
    let scene = asset.scene().unwrap();
    let files = convert(&scene.value, Target::Native(Format::Iqm), &WriteOptions::default()).unwrap();
    let errors = files.losses.iter().filter(|l| l.code == "pose-error").filter_map(|l| l.amount);
    (Iqm::parse(&files.value.main().unwrap().bytes).unwrap(), errors.fold(0.0, f64::max))
}

/// Compares a model with its IQM at every frame. Returns the worst error as a fraction of the tolerance.
pub(crate) fn hold(path: &Path) -> (f64, usize) {
    let (_, asset) = open(path);
    let scene = asset.scene().unwrap().value;
    let (model, said) = measured(&asset);
    assert!(!model.validate().has_errors());
    for engine in [Engine::DarkPlaces, Engine::Fte, Engine::Daemon] {
        let report = model.check_for(engine);
        assert!(!report.has_errors(), "{}: {engine}: {:?}", path.display(), report.findings());
    }
    let own = asset.model();
    let size = extent(&native(own, 0).unwrap());
    let allowed = bound(&model, size);
    assert_eq!(model.anims.len(), scene.clips.len().max(1), "{}", path.display());
    let (mut off, mut frames) = (0.0_f64, 0);
    for (anim, clip) in model.anims.iter().zip(&scene.clips) {
        assert_eq!(model.str(anim.name), clip.name.as_bytes(), "{}", path.display());
        assert_eq!(
            (anim.first_frame, anim.frame_count, anim.framerate.get()),
            (clip.start, clip.frames, clip.rate)
        );
    }
    // Frames have the numbers that they have in the file, those of no clip too where no two share a pose.
    let whole = match own {
        AnyModel::Dpm(m) => {
            let poses = (0..model.frame_count).map(Some);
            poses.eq(m.frames.iter().map(|f| Some(f.pose.0)))
        }
        AnyModel::Zym(m) => model.frame_count as usize == m.pose_count(),
        _ => false,
    };
    for frame in 0..model.frame_count {
        let named =
            model.anims.iter().any(|a| (a.first_frame..a.first_frame + a.frame_count).contains(&frame));
        if whole || named {
            let theirs = native(own, frame as usize).unwrap();
            off = off.max(worst(&theirs, &converted(&model, frame)));
            frames += 1;
        }
    }
    // Generated models exceed what engines can store, and have longer levers than real ones. The loss then gives the size.
    let made_up =
        path.file_name().unwrap().to_str().unwrap().starts_with("gen_") || path.starts_with(testdata());
    if made_up && off > allowed {
        assert!((0.5 * off..=2.0 * off).contains(&said), "{}: {off}, {said} said", path.display());
        return (0.0, frames);
    }
    assert!(off <= allowed, "{}: {off:.3e}, {allowed:.3e} allowed, extent {size}", path.display());
    (off / size, frames)
}

#[test]
fn fixtures_of_darkplaces_move_as_iqm() {
    for name in ["quad.ok.dpm", "hopper.ok.dpm", "weights.ok.dpm"] {
        assert!(hold(&testdata().join("dpm").join(name)).1 > 0, "{name}");
    }
}

#[test]
fn skins_go_along_under_the_new_name() {
    let dpm = std::fs::read(testdata().join("dpm/quad.ok.dpm")).unwrap();
    let files = [
        ("m/a.dpm", dpm),
        ("m/a.dpm_0.skin", b"textures/quad,red\n".to_vec()),
        ("m/a.dpm_1.skin", b"textures/quad,blue\n".to_vec()),
        ("m/a.dpm_3.skin", b"textures/quad,green\n".to_vec()),
    ];
    let tree = Tree::memory(files).unwrap();
    let asset = Opener::new().open_in(&tree, "m/a.dpm").unwrap();
    let skins = asset.skins("b.iqm");
    let names: Vec<_> = skins.iter().map(|s| (s.name.as_str(), s.bytes.len())).collect();
    assert_eq!(names, [("b.iqm_0.skin", 18), ("b.iqm_1.skin", 19)]);
    // Skins name meshes, textures follow from materials: both are the shader.
    let model = to_iqm(&asset);
    let mesh = &model.meshes[0];
    assert_eq!([mesh.name, mesh.material].map(|id| model.str(id)), [b"textures/quad".as_slice(); 2]);
}
