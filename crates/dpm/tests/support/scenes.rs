//! Scenes, evaluated by nothing but what they hold.

use meshwright_core::F32;
use meshwright_dpm::{Affine64, Dpm, FrameClip};
use meshwright_quake::FrameGroups;
use meshwright_scene::{
    Affine, AxisMap, Channel, Clip, Interpolation, Joint, Local, Loss, Motion, Node, NodeId, Scene,
    SceneOptions, Skeleton, SkeletonId, Skin, Track, Trs,
};
use meshwright_testkit::testdata;
use std::fs;

pub(crate) const TO_GLTF: AxisMap = AxisMap::new([1, 2, 0], [1.0; 3], 1.0);

pub(crate) fn hopper() -> (Dpm, Vec<FrameClip>) {
    let read = |name: &str| fs::read(testdata().join("dpm").join(name)).unwrap();
    let groups = FrameGroups::parse(&read("hopper.ok.dpm.framegroups")).unwrap();
    let model = Dpm::parse(&read("hopper.ok.dpm")).unwrap();
    let clips = super::clips(&groups, model.frames.len());
    (model, clips)
}

pub(crate) fn matrix(m: &Affine) -> Affine64 {
    m.wide()
}

/// Model-space matrices of a scene's clip at a frame, or in its rest pose.
pub(crate) fn posed(scene: &Scene, at: Option<(usize, usize)>) -> Vec<Affine64> {
    let joints = &scene.skeletons[0].joints;
    let locals: Vec<Affine> = match at {
        None => joints.iter().map(|j| j.rest.to_affine()).collect(),
        Some((clip, frame)) => {
            let Motion::Poses { set, frames } = &scene.clips[clip].motion else { panic!("poses expected") };
            scene.pose_sets[set.0].pose(frames[frame] as usize).unwrap().to_vec()
        }
    };
    let mut model: Vec<Affine64> = Vec::new();
    for (joint, local) in joints.iter().zip(&locals) {
        let local = matrix(local);
        model.push(joint.parent.map_or(local, |p| model[p].after(&local)));
    }
    model
}

/// Positions and normals from the vertices in bone space.
pub(crate) fn by_local(scene: &Scene, mesh: usize, model: &[Affine64]) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
    let skin = scene.meshes[mesh].skin.as_ref().unwrap();
    let vertex = |v: usize| {
        let (mut p, mut n) = ([0.0; 3], [0.0; 3]);
        for k in skin.range(v) {
            let (i, local) = (skin.influences[k], skin.local[k]);
            let m = &model[i.joint as usize];
            let part = m.vector(local.position.map(f64::from));
            let turned = m.vector(local.normal.map(f64::from));
            for c in 0..3 {
                p[c] += part[c] + f64::from(i.weight) * m.w[c];
                n[c] += turned[c];
            }
        }
        (p.map(|c| c as f32), n.map(|c| c as f32))
    };
    (0..skin.vertex_count()).map(vertex).unzip()
}

/// Positions from the vertices in model space and the bind matrices, as glTF has it.
pub(crate) fn by_bind(scene: &Scene, mesh: usize, model: &[Affine64]) -> Vec<[f32; 3]> {
    let mesh = &scene.meshes[mesh];
    let skin = mesh.skin.as_ref().unwrap();
    let joints = &scene.skeletons[0].joints;
    let vertex = |v: usize| {
        let mut p = [0.0; 3];
        for i in skin.influences(v) {
            let bind = matrix(&joints[i.joint as usize].inverse_bind);
            let moved = model[i.joint as usize].point(bind.point(mesh.positions[v].map(f64::from)));
            for c in 0..3 {
                p[c] += f64::from(i.weight) * moved[c];
            }
        }
        p.map(|c| c as f32)
    };
    (0..skin.vertex_count()).map(vertex).collect()
}

pub(crate) fn wide(points: &[[f32; 3]]) -> Vec<[f64; 3]> {
    points.iter().map(|p| p.map(f64::from)).collect()
}

pub(crate) fn codes(losses: &[Loss]) -> Vec<&str> {
    losses.iter().map(|l| l.code).collect()
}

pub(crate) fn clip(name: &str, start: u32, length: u32) -> FrameClip {
    FrameClip { name: name.into(), start, length, fps: 20.0, looping: true }
}

/// Returns a scene as an importer makes it: tracks, a node tree, a mesh without skin, children before parents, a bind
/// pose that is not the rest pose.
pub(crate) fn foreign() -> Scene {
    let (model, _) = hopper();
    let source = model.to_scene(&SceneOptions::default(), None).unwrap().value;
    let at = |x: f32, y: f32| Trs { translation: [x, y, 0.0], ..Trs::IDENTITY };
    let joint = |name: &str, parent, trs: Trs| Joint::new(name, parent, Local::Trs(trs));
    let mut skeleton = Skeleton {
        name: "s".into(),
        joints: vec![joint("tip", Some(1), at(0.0, 2.0)), joint("base", None, at(5.0, 0.0))],
    };
    skeleton.joints[0].inverse_bind = Affine { w: [0.0, -2.0, 0.0], ..Affine::IDENTITY };
    let mut skin = Skin::new(SkeletonId(0));
    for v in 0..source.meshes[1].positions.len() {
        for (joint, weight) in [(0, 0.75), (1, 0.25)].into_iter().take(if v == 0 { 0 } else { 2 }) {
            skin.influences.push(meshwright_scene::Influence { joint, weight });
        }
        skin.end_vertex();
    }
    let mut undrawn = source.meshes[0].clone();
    undrawn.skin = None;
    let mut skinned = source.meshes[1].clone();
    skinned.skin = Some(skin);
    skinned.normals.clear();
    let mut still = source.meshes[1].clone();
    (still.skin, still.name, still.material) = (None, "still \u{2603}".into(), None);
    let mut track = Track { joint: 0, ..Track::default() };
    track.translation.push(0.0, [0.0, 2.0, 0.0]);
    track.translation.push(2.0, [0.0, 4.0, 0.0]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    track.rotation =
        Channel { frames: vec![0.0, 2.0], values: vec![[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half]] };
    let clip = Clip::new("a \"clip\"", SkeletonId(0), 0.5, Motion::Tracks(vec![track]))
        .with_frames(3)
        .with_interpolation(Interpolation::Spherical);
    let turned = Trs { translation: [0.0, 1.0, 0.0], scale: [-1.0, 1.0, 2.0], ..Trs::IDENTITY };
    let leaf = Node {
        parent: Some(NodeId(2)),
        local: Local::Trs(turned),
        ..Node::of_mesh("still", meshwright_scene::MeshId(1))
    };
    let trunk = Node { local: Local::Trs(at(10.0, 0.0)), ..Node::default() };
    Scene::default()
        .with_nodes(vec![Node::of_mesh("skinned", meshwright_scene::MeshId(0)), leaf, trunk])
        .with_meshes(
            vec![skinned, still, undrawn]
                .into_iter()
                .map(|mut m| {
                    m.material = None;
                    m
                })
                .collect(),
        )
        .with_skeletons(vec![skeleton])
        .with_clips(vec![clip])
}

/// Floats of a size that computations survive.
pub(crate) fn tame(v: &mut F32) {
    let bits = v.to_bits();
    *v = F32::from_bits(bits & 0x807f_ffff | ((bits >> 23 & 7) + 122) << 23);
}
