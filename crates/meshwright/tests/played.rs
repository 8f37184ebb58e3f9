//! Models as a glTF player draws them, and the fast kernels of skinning, against an evaluation in 64 bits.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use meshwright::gltf::playback::{Player, PrimitivePose};
use meshwright::gltf::{ExportOptions, Gltf, Influences, export};
use meshwright::rig::glam::DAffine3;
use meshwright::rig::{
    Evaluator, InstructionSet, Output, Pose, Precision, Rig, Sampler, SkinPlan, Workspace,
};
use meshwright::scene::{ConvertError, MeshId, Motion, Scene, SceneOptions};
use meshwright::{Companions, Format, Model, Opener};
use meshwright_testkit::{Expect, testdata};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const MEMORY: u64 = 1 << 30;
/// Frames of a clip in which kernels are compared.
const FRAMES: usize = 24;

/// Returns every file below a folder.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// Returns the longest side of the box around some points.
pub(crate) fn extent<'a>(points: impl Iterator<Item = &'a [f32; 3]>) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in points {
        for i in 0..3 {
            low[i] = low[i].min(f64::from(p[i]));
            high[i] = high[i].max(f64::from(p[i]));
        }
    }
    (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max)
}

/// Checks the kernels and the GLB of a model. Returns false if it has nothing to draw.
pub(crate) fn check_drawing(name: &str, model: &Model) -> bool {
    let converted = match model.scene_with(&SceneOptions::default().with_memory(MEMORY)) {
        Ok(converted) => converted,
        Err(ConvertError::Unsupported { .. }) => return false,
        Err(e) => panic!("{name}: {e}"),
    };
    let scene = converted.value;
    scene.validate().unwrap_or_else(|e| panic!("{name}: the scene is broken: {e}"));
    check_kernels(name, &scene);
    // Half of the distance between blend and real vertices of a TSO mesh, in metres: poses may be as far off.
    let residuals = converted.losses.iter().filter(|l| l.code == "blend-residual").filter_map(|l| l.amount);
    check_playback(name, &scene, residuals.fold(0.0, f64::max) / 3.0 / 2.0);
    true
}

/// Checks that vertices evaluated only from the GLB equal the native evaluation within 1e-5 of the extent (and
/// `residual`), at the frames of every clip.
fn check_playback(name: &str, scene: &Scene, residual: f64) {
    let options = ExportOptions::default().with_influences(Influences::All).with_memory(MEMORY);
    let exported = export(scene, &options).unwrap_or_else(|e| panic!("{name}: {e}")).value;
    let player = Player::new(&exported.to_glb()).unwrap();
    let mut native = Evaluator::new(scene).unwrap().with_precision(Precision::Double);
    let placed = scene.drawn_meshes().unwrap();
    let points = placed
        .iter()
        .flat_map(|(_, mesh, place)| scene.meshes[mesh.0].positions.iter().map(|p| place.point(*p)));
    let tolerance = 1e-5 * extent(points.collect::<Vec<_>>().iter()) + residual;
    let mut times = vec![None];
    for (i, clip) in scene.clips.iter().enumerate() {
        // Every frame of a moderate clip; of a long one with complete poses, some.
        let most = if matches!(clip.motion, Motion::Poses { .. }) { 40 } else { 400 };
        let step = (clip.frames as usize).div_ceil(most).max(1);
        let frames = (0..clip.frames).step_by(step).chain(clip.frames.checked_sub(1));
        times.extend(frames.map(|f| Some((i, f))));
    }
    for at in times {
        native.pose(at.map(|(clip, frame)| (clip, f64::from(frame)))).unwrap();
        let played = match at {
            None => player.evaluate(None, 0.0),
            Some((clip, frame)) => {
                let animation = exported.clip_sources().iter().position(|c| *c == clip);
                #[expect(clippy::cast_possible_truncation, reason = "glTF has 32-bit times")]
                let time = (f64::from(frame) / f64::from(scene.clips[clip].rate)) as f32;
                player.evaluate(animation, time)
            }
        };
        check_places(&format!("{name} at {at:?}"), scene, &exported, &native, &played, tolerance);
    }
}

/// Checks that every mesh that the scene draws has the same positions in a GLB that is played.
fn check_places(
    name: &str,
    scene: &Scene,
    gltf: &Gltf<'_>,
    native: &Evaluator<&Scene>,
    played: &[PrimitivePose],
    tolerance: f64,
) {
    let drawn = scene.drawn_meshes().unwrap();
    let drawn = drawn.iter().filter_map(|(_, mesh, place)| {
        Some((gltf.mesh_sources().iter().position(|m| m == mesh)?, *mesh, place))
    });
    let drawn: Vec<_> = drawn.collect();
    assert_eq!(played.len(), drawn.len(), "{name}");
    for (index, mesh, place) in drawn {
        let pose = native.mesh(mesh).unwrap();
        let positions: Vec<_> = pose.positions.iter().map(|p| place.point(*p)).collect();
        let distance = |p: &PrimitivePose| {
            let pairs = positions.iter().zip(&p.positions);
            pairs.fold(0.0, |worst: f64, (a, b)| {
                (0..3).fold(worst, |worst, i| worst.max((f64::from(a[i]) - b[i]).abs()))
            })
        };
        // Several nodes may draw a mesh; each drawing has its own position.
        let same = played.iter().filter(|p| p.mesh == index && p.positions.len() == positions.len());
        let error = same.map(distance).fold(f64::INFINITY, f64::min);
        assert!(
            error <= tolerance,
            "{name}: meshes[{}] is {error:.3e} away, {tolerance:.3e} allowed",
            mesh.0
        );
    }
}

/// Checks that the kernels are as near to the evaluation in 64 bits as rounding allows: every mesh between the frames of
/// each clip.
pub(crate) fn check_kernels(name: &str, scene: &Scene) {
    let mut wide = Evaluator::new(scene).unwrap().with_precision(Precision::Double);
    let mut fast = Evaluator::new(scene).unwrap();
    let mut times = vec![None];
    for (c, clip) in scene.clips.iter().enumerate() {
        let step = (clip.frames as usize).div_ceil(FRAMES).max(1);
        times.extend((0..clip.frames).step_by(step).map(|f| Some((c, f64::from(f) + 0.5))));
    }
    for at in times {
        wide.pose(at).unwrap();
        fast.pose(at).unwrap();
        let poses = (0..scene.skeletons.len()).filter_map(|s| wide.skeleton(s));
        let far = poses.map(|(_, pose)| furthest(pose)).fold(0.0, f64::max);
        for m in 0..scene.meshes.len() {
            let (a, b) = (wide.mesh(MeshId(m)).unwrap(), fast.mesh(MeshId(m)).unwrap());
            let name = format!("{name}: meshes[{m}] {at:?}");
            check_near(&name, &a.positions, &b.positions, largest(&a.positions, far) * 1e-6 + 1e-9);
            check_near(&name, &a.normals, &b.normals, largest(&a.normals, 1.0) * 1e-6);
        }
    }
    for mesh in &scene.meshes {
        check_portable_kernels(name, scene, mesh);
    }
}

/// Checks that the portable kernels agree with those of this machine, in one pose of each clip.
fn check_portable_kernels(name: &str, scene: &Scene, mesh: &meshwright::scene::Mesh) {
    let Some(skin) = &mesh.skin else { return };
    let rig = Rig::new(&scene.skeletons[skin.skeleton.0]).unwrap();
    let plan = SkinPlan::new(mesh, &rig).unwrap();
    let mut pose = Pose::<DAffine3>::new(&rig);
    for (c, _) in scene.clips.iter().enumerate().filter(|(_, c)| c.skeleton == skin.skeleton) {
        pose.sample(&rig, &Sampler::new(scene, c).unwrap(), 1.5).unwrap();
        let [a, b] = [InstructionSet::PORTABLE, InstructionSet::detect()].map(|instructions| {
            let mut out = vec![[0.0; 3]; plan.vertex_count()];
            let mut work = Workspace::with_instructions(instructions);
            plan.skin(&pose, &mut work, Output::positions(&mut out)).unwrap();
            out
        });
        let size = largest(&a, furthest(&pose));
        check_near(&format!("{name}: {}", plan.info()), &a, &b, size * 1e-6 + 1e-9);
    }
}

fn furthest(pose: &Pose<DAffine3>) -> f64 {
    pose.model_matrices().iter().map(|m| m.translation.abs().max_element()).fold(0.0, f64::max)
}

fn largest(vectors: &[[f32; 3]], least: f64) -> f64 {
    vectors.iter().flatten().fold(least, |size, c| size.max(f64::from(c.abs())))
}

fn check_near(name: &str, a: &[[f32; 3]], b: &[[f32; 3]], tolerance: f64) {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    let error = pairs.fold(0.0, |e: f64, (a, b)| e.max((f64::from(*a) - f64::from(*b)).abs()));
    assert!(a.len() == b.len() && error <= tolerance, "{name}: {error:.3e} away, {tolerance:.3e} allowed");
}

#[test]
fn fixtures_are_what_their_names_say_and_play_alike() {
    let mut drawn = 0;
    for path in files_below(&testdata()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let (Some(expect), Some(format)) = (Expect::of(name), Format::from_name(name)) else { continue };
        let bytes = fs::read(&path).unwrap();
        let model = match (Opener::new().format(format).open(&path), expect) {
            (Ok(_), Expect::Reject) => panic!("{name}: must be refused"),
            (Err(e), Expect::Reject) => {
                let at = e.read_error().filter(|e| *e.stream() == meshwright::Stream::File);
                assert!(at.is_none_or(|e| e.offset() <= bytes.len() as u64), "{name}: {e}");
                continue;
            }
            (Err(e), _) => panic!("{name}: {e}"),
            (Ok(model), _) => model,
        };
        let findings = model.model().validate();
        // Rules of glTF that no reader needs are only in the full check.
        let full = || model.model().validate_with(&Companions::default());
        let is_clean = findings.is_empty() && (expect == Expect::Ok || full().is_empty());
        assert!(!findings.has_errors() && (expect == Expect::Ok) == is_clean, "{name}: {findings:?}");
        assert!(model.model().to_bytes().unwrap() == bytes, "{name}: the rewrite differs");
        // Values with a warning, such as weights that do not sum to 1, are repaired in glTF.
        drawn += usize::from(expect == Expect::Ok && check_drawing(name, &model));
    }
    assert!(drawn > 75, "{drawn} were drawn");
}
