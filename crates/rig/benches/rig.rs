//! Throughput of skinning and posing: `cargo bench -p meshwright-rig`. Ratios to other programs are measured
//! by `cargo run --release -p xtask -- bench`.
#![allow(clippy::unwrap_used, clippy::cast_precision_loss, reason = "a benchmark of meshes made here")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use meshwright_rig::glam::Affine3A;
use meshwright_rig::{
    Animation, Choice, Layer, LocalPose, Output, Path, PlanOptions, Player, Pose, Rig, Sampler, SkinPlan,
    Workspace,
};
use meshwright_scene::{
    Clip, Influence, Interpolation, Joint, Local, Mesh, Motion, Scene, Skeleton, SkeletonId, Skin, Track, Trs,
};

const JOINTS: u32 = 64;
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

fn figure() -> Scene {
    let joints = (0..JOINTS as usize).map(|i| {
        let rest = Trs { translation: [0.1, 0.2, 0.0], ..Trs::IDENTITY };
        let parent = if i % 8 == 0 { (i > 0).then_some(i / 8) } else { Some(i - 1) };
        Joint::new(format!("{i}"), parent, Local::Trs(rest))
    });
    let mut skeleton = Skeleton { name: "figure".into(), joints: joints.collect() };
    skeleton.bind_rest().unwrap();
    let track = |joint: usize| {
        let mut track = Track { joint, ..Track::default() };
        for f in 0..30_u8 {
            let angle = f32::from(f) * 0.1;
            track.rotation.push(f32::from(f), [angle.sin(), 0.0, 0.0, angle.cos()]);
        }
        track
    };
    let clip = Clip {
        name: "move".into(),
        skeleton: SkeletonId(0),
        rate: 30.0,
        frames: 30,
        looping: true,
        interpolation: Interpolation::LinearShort,
        motion: Motion::Tracks((0..JOINTS as usize).map(track).collect()),
        extras: None,
    };
    Scene { skeletons: vec![skeleton], clips: vec![clip], ..Scene::default() }
}

/// `n` vertices of `width` influences, of which `share` neighbours have the same.
fn mesh(n: usize, width: u32, share: usize) -> Mesh {
    let mut skin = Skin::new(SkeletonId(0));
    let mut mesh = Mesh::default();
    for v in 0..n {
        let kind = u32::try_from(v / share).unwrap();
        for k in 0..width {
            let joint = (kind.wrapping_mul(2_654_435_761) >> 16).wrapping_add(k * 3) % JOINTS;
            skin.influences.push(Influence { joint, weight: 1.0 / width as f32 });
        }
        skin.end_vertex();
        mesh.positions.push([v as f32 * 1e-3, 1.0, -1.0]);
        mesh.normals.push([0.0, 0.6, 0.8]);
    }
    mesh.skin = Some(skin);
    mesh
}

fn skin(bencher: Bencher<'_, '_>, mesh: &Mesh, options: PlanOptions, path: Path) {
    let scene = figure();
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let plan = SkinPlan::with_options(mesh, &rig, options).unwrap();
    let pose = Pose::<Affine3A>::new(&rig);
    let mut work = Workspace::with_path(path);
    let n = plan.vertex_count();
    let (mut p, mut q) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        let out = Output::positions(black_box(&mut p)).with_normals(black_box(&mut q));
        plan.skin(&pose, &mut work, out).unwrap();
    });
}

fn plain() -> PlanOptions {
    PlanOptions::default().with_table(Choice::Never).with_runs(Choice::Never)
}

#[divan::bench(args = SIZES)]
fn four_influences(bencher: Bencher<'_, '_>, n: usize) {
    skin(bencher, &mesh(n, 4, 1), plain(), Path::detect());
}

#[divan::bench(args = SIZES)]
fn four_influences_portable(bencher: Bencher<'_, '_>, n: usize) {
    skin(bencher, &mesh(n, 4, 1), plain(), Path::PORTABLE);
}

#[divan::bench(args = SIZES)]
fn shared_by_four(bencher: Bencher<'_, '_>, n: usize) {
    skin(bencher, &mesh(n, 4, 4), PlanOptions::default(), Path::detect());
}

#[divan::bench(args = SIZES)]
fn sorted_by_bone(bencher: Bencher<'_, '_>, n: usize) {
    skin(bencher, &mesh(n, 1, n / 64), PlanOptions::default(), Path::detect());
}

#[divan::bench]
fn pose(bencher: Bencher<'_, '_>) {
    let scene = figure();
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let animation = Animation::new(&rig, &Sampler::new(&scene, 0).unwrap()).unwrap();
    let mut player = Player::new(&animation);
    let mut pose = LocalPose::new(&rig);
    let mut model = vec![Affine3A::IDENTITY; rig.joint_count()];
    let mut palette = model.clone();
    let mut frame = 0.0;
    bencher.counter(ItemsCount::new(JOINTS)).bench_local(|| {
        frame += 0.4;
        player.sample(frame, &mut pose).unwrap();
        rig.compose(&pose, black_box(&mut model), black_box(&mut palette)).unwrap();
    });
}

#[divan::bench]
fn blend_of_three(bencher: Bencher<'_, '_>) {
    let scene = figure();
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let poses = [(); 3].map(|()| LocalPose::new(&rig));
    let layers = [0.5, 0.3, 0.2].map(|w| w);
    let mut out = LocalPose::new(&rig);
    bencher.counter(ItemsCount::new(JOINTS)).bench_local(|| {
        let [a, b, c] = &poses;
        let layers = [Layer::new(a, layers[0]), Layer::new(b, layers[1]), Layer::new(c, layers[2])];
        black_box(&mut out).blend(&rig, &layers).unwrap();
    });
}
