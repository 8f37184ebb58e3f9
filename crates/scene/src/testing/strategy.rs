//! Generators of scenes for property tests.
//!
//! Scenes are built from a list of random numbers, which is continued with zeros. So a shorter list gives a
//! simpler scene, and failures shrink.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "generators of test values")]

use crate::animation::motion::{Channel, Clip, Interpolation, Motion, PoseSet, PoseSetId, Track};
use crate::mesh::{Influence, LocalVertex, Mesh, Skin};
use crate::model::extra::Extra;
use crate::model::ids::{MaterialId, MeshId, NodeId, SkeletonId};
use crate::model::{Level, Material, Node, Scene};
use crate::skeleton::{Joint, Local, Skeleton};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::math::{Affine, Trs, normalize};
use proptest::prelude::*;

/// The kind of generated scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Only scenes that glTF can express up to rounding.
    Clean,
    /// Any scene that [`Scene::validate`] allows.
    Wild,
    /// Scenes as other programs export them, with finite numbers and invertible joints.
    Foreign,
}

/// Generates scenes that glTF can express up to rounding: at most four influences that sum to 1, unit
/// normals, joints without shear, no joints that follow others, keys at whole frames.
pub fn clean_scene() -> impl Strategy<Value = Scene> {
    tape().prop_map(|t| build(t, Kind::Clean))
}

/// Generates valid scenes with everything that a careless format allows: weights that are zero, negative or
/// do not sum to 1, repeated joints, normals and texture coordinates that are zero or not finite, flattened
/// and sheared joints, joints that follow others, empty meshes and clips, keys anywhere.
pub fn wild_scene() -> impl Strategy<Value = Scene> {
    tape().prop_map(|t| build(t, Kind::Wild))
}

/// Generates scenes as other programs export them. Their poses are defined, but every scene has something
/// that some format cannot hold: several skeletons, rest poses that differ from bind poses, uneven and
/// mirrored scales, shear, up to 20 influences whose sum is not 1, keys between frames, steps, clips of 60
/// Hz and of hundreds of frames, several instances (also mirrored), missing normals, texture coordinates and
/// materials, children before parents, and names that are equal, empty, too long or outside an encoding.
pub fn foreign_scene() -> impl Strategy<Value = Scene> {
    tape().prop_map(|t| build(t, Kind::Foreign))
}

fn tape() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..1500)
}

fn build(tape: Vec<u16>, kind: Kind) -> Scene {
    Tape { numbers: tape.into_iter(), kind }.scene()
}

struct Tape {
    numbers: vec::IntoIter<u16>,
    kind: Kind,
}

impl Tape {
    fn next(&mut self) -> u16 {
        self.numbers.next().unwrap_or(0)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.next()).checked_rem(n).unwrap_or(0)
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 1
    }

    fn wild(&mut self, one_in: usize) -> bool {
        self.chance(one_in) && self.kind == Kind::Wild
    }

    fn foreign(&mut self, one_in: usize) -> bool {
        self.kind == Kind::Foreign && self.chance(one_in)
    }

    /// Returns a proper name, or one that is difficult for formats.
    fn name(&mut self, proper: alloc::string::String) -> alloc::string::String {
        if !self.foreign(3) {
            return proper;
        }
        match self.below(7) {
            0 => "".into(),
            1 => "same".into(),
            2 => "SAME".into(),
            3 => format!("a very long name that differs only at its end, {}{proper}", "-".repeat(280)),
            4 => format!("骨 {proper} \"ü\"\n"),
            5 => "NULL".into(),
            _ => "bone2".into(),
        }
    }

    /// Returns a number from -8 to 8.
    fn number(&mut self) -> f32 {
        let bits = self.next().to_be_bytes();
        f32::from(i16::from_be_bytes(bits)) / 4096.0
    }

    fn vector(&mut self) -> [f32; 3] {
        [self.number(), self.number(), self.number()]
    }

    fn unit<const N: usize>(&mut self) -> [f32; N] {
        let v = core::array::from_fn(|_| self.number());
        normalize(v).unwrap_or_else(|| core::array::from_fn(|i| if i + 1 == N { 1.0 } else { 0.0 }))
    }

    fn scale(&mut self) -> [f32; 3] {
        if self.wild(6) {
            return [0.0, 1.0, f32::from(self.next() % 2)];
        }
        if self.foreign(8) {
            // A mirroring scale.
            return [-1.0, 1.0, 0.5 + f32::from(self.next() % 2)];
        }
        match self.below(3) {
            0 => [1.0; 3],
            1 => [0.5 + f32::from(self.next() % 8) / 8.0; 3],
            _ => core::array::from_fn(|_| 0.5 + f32::from(self.next() % 8) / 8.0),
        }
    }

    fn trs(&mut self) -> Trs {
        Trs { translation: self.vector(), rotation: self.unit(), scale: self.scale() }
    }

    fn affine(&mut self) -> Affine {
        let mut m = self.trs().to_affine();
        if self.wild(4) {
            m.x = self.vector();
        }
        if self.foreign(6) {
            m.y = core::array::from_fn(|i| m.y[i] + 0.25 * m.x[i]);
        }
        m
    }

    fn local(&mut self) -> Local {
        if self.below(2) == 0 { Local::Trs(self.trs()) } else { Local::Affine(self.affine()) }
    }

    fn extras(&mut self) -> Option<Extra> {
        match self.below(8) {
            1 => Some(Extra::Map(vec![
                ("z".into(), Extra::from(self.number())),
                ("a \"b\"\n".into(), Extra::List(vec![Extra::Bool(true), Extra::from("é\u{1}")])),
                ("n".into(), Extra::Float(f64::NAN)),
            ])),
            2 => Some(Extra::Int(i64::MIN)),
            3 if self.kind == Kind::Wild => {
                Some(Extra::Map(vec![("a".into(), true.into()), ("a".into(), false.into())]))
            }
            _ => None,
        }
    }

    fn scene(&mut self) -> Scene {
        let mut scene = Scene { name: "random".into(), extras: self.extras(), ..Scene::default() };
        let materials = self.below(3);
        scene.materials = (0..materials)
            .map(|i| Material {
                name: self.name(format!("textures/{i}")),
                base_color: if self.wild(4) { [2.0, f32::NAN, -1.0, 0.5] } else { [1.0, 0.5, 0.0, 1.0] },
                double_sided: self.chance(2),
                extras: self.extras(),
                ..Material::default()
            })
            .collect();
        let skeletons = self.below(if self.kind == Kind::Foreign { 4 } else { 3 });
        for _ in 0..skeletons {
            let skeleton = self.skeleton();
            scene.skeletons.push(skeleton);
        }
        for _ in 0..self.below(4) {
            let mesh = self.mesh(&scene);
            scene.meshes.push(mesh);
        }
        self.nodes(&mut scene);
        for i in 0..self.below(4) {
            self.clip(i, &mut scene);
        }
        scene
    }

    fn skeleton(&mut self) -> Skeleton {
        let n = if self.wild(8) { 0 } else { 1 + self.below(7) };
        let mut joints = Vec::new();
        for i in 0..n {
            let parent = if i == 0 || self.chance(6) { None } else { Some(self.below(i)) };
            let name = self.name(format!("bone {i}"));
            let mut joint = Joint::new(name, parent, self.local());
            joint.extras = self.extras();
            if i > 1 && self.wild(6) {
                let weights = [f32::from(self.next() % 3), 1.0];
                joint.follows = vec![(self.below(i), weights[0]), (self.below(i), weights[1])];
            }
            joints.push(joint);
        }
        if n > 1 && self.chance(3) {
            reverse(&mut joints);
        }
        let mut skeleton = Skeleton { name: format!("{n} bones"), joints };
        // Joints of size zero have no inverse and keep the identity.
        let _ = skeleton.bind_rest();
        if self.foreign(2) {
            // Some joints have rest poses that differ from their bind poses.
            for joint in &mut skeleton.joints {
                if self.chance(2) {
                    joint.rest = self.local();
                }
            }
        }
        skeleton
    }

    fn mesh(&mut self, scene: &Scene) -> Mesh {
        let n = if self.wild(8) { 0 } else { 3 + self.below(6) };
        let all = |on: bool| if on { n } else { 0 };
        let name = self.name(format!("mesh of {n}"));
        let mut mesh = Mesh { name, extras: self.extras(), ..Mesh::default() };
        mesh.positions = (0..n).map(|_| self.vector()).collect();
        mesh.normals = (0..all(!self.chance(3))).map(|_| self.unit()).collect();
        mesh.tangents = (0..all(self.chance(4))).map(|_| self.tangent()).collect();
        mesh.uvs = (0..all(!self.chance(3))).map(|_| [self.number(), self.number()]).collect();
        mesh.colors = (0..all(self.chance(3))).map(|_| [self.next().to_be_bytes()[0], 0, 255, 9]).collect();
        if self.wild(4) {
            spoil(mesh.normals.first_mut(), [0.0; 3]);
            spoil(mesh.normals.last_mut(), [f32::NAN, 0.0, 1.0]);
            spoil(mesh.uvs.first_mut(), [f32::INFINITY, 0.0]);
            spoil(mesh.tangents.first_mut(), [0.0; 4]);
        }
        let corner = |tape: &mut Self| u32::try_from(tape.below(n)).unwrap_or(0);
        let triangles = if n == 0 || self.wild(8) { 0 } else { 1 + self.below(8) };
        mesh.triangles = (0..triangles).map(|_| [corner(self), corner(self), corner(self)]).collect();
        if !scene.materials.is_empty() && !self.chance(4) {
            mesh.material = Some(MaterialId(self.below(scene.materials.len())));
        }
        if !scene.skeletons.is_empty() && !self.chance(4) {
            let id = self.below(scene.skeletons.len());
            if let Some(skeleton) = scene.skeletons.get(id) {
                self.skin(&mut mesh, SkeletonId(id), skeleton);
            }
        }
        mesh
    }

    fn tangent(&mut self) -> [f32; 4] {
        let [x, y, z] = self.unit();
        [x, y, z, if self.chance(2) { 1.0 } else { -1.0 }]
    }

    fn skin(&mut self, mesh: &mut Mesh, id: SkeletonId, skeleton: &Skeleton) {
        let joints = skeleton.joints.len();
        let mut skin = Skin::new(id);
        for _ in 0..mesh.positions.len() {
            let most = match (self.kind, self.foreign(4)) {
                (Kind::Wild, _) => 7,
                (_, true) => 20,
                (_, false) => 4.min(joints),
            };
            let n = if joints == 0 || self.wild(8) { 0 } else { 1 + self.below(most) };
            let start = self.below(joints);
            let raw: Vec<f32> = (0..n).map(|_| f32::from(1 + self.next() % 16)).collect();
            let sum: f32 = raw.iter().sum::<f32>() * if self.foreign(6) { 1.25 } else { 1.0 };
            for (k, weight) in raw.into_iter().enumerate() {
                let joint = if self.wild(3) { self.below(joints) } else { (start + k) % joints.max(1) };
                let weight = if self.wild(12) { self.number() } else { weight / sum };
                skin.influences.push(Influence { joint: u32::try_from(joint).unwrap_or(0), weight });
            }
            skin.end_vertex();
        }
        if self.kind != Kind::Foreign && self.chance(2) {
            localize(mesh, &mut skin, skeleton);
        }
        mesh.skin = Some(skin);
    }

    fn nodes(&mut self, scene: &mut Scene) {
        let meshes = scene.meshes.len();
        for m in 0..meshes {
            let mut node = Node::of_mesh(format!("node {m}"), MeshId(m));
            node.extras = self.extras();
            let skinned = scene.meshes.get(m).is_some_and(|m| m.skin.is_some());
            if !skinned {
                node.local = if self.below(2) == 0 { Local::default() } else { Local::Trs(self.trs()) };
                if self.foreign(3) {
                    node.local = Local::Trs(Trs { scale: [1.0, -0.5, 1.0], ..self.trs() });
                }
                if self.chance(3) && m > 0 {
                    node.parent = Some(NodeId(self.below(m)));
                }
            }
            if self.wild(4) || self.foreign(4) {
                node.meshes.push(MeshId(self.below(meshes)));
            }
            scene.nodes.push(node);
        }
        let roots: Vec<_> =
            (0..scene.nodes.len()).filter(|&i| scene.nodes[i].parent.is_none()).map(NodeId).collect();
        if roots.len() > 1 && self.chance(4) {
            let (near, far) = roots.split_at(1);
            let level = |nodes: &[NodeId], max_distance| Level {
                name: format!("{} nodes", nodes.len()),
                nodes: nodes.to_vec(),
                max_distance,
            };
            scene.levels = vec![level(near, Some(4.5)), level(far, None)];
        }
    }

    fn clip(&mut self, index: usize, scene: &mut Scene) {
        let skeleton = self.below(scene.skeletons.len());
        let Some(joints) = scene.skeletons.get(skeleton).map(|s| s.joints.len()) else { return };
        let mut frames = if self.wild(8) { 0 } else { 1 + self.below(5) };
        if self.foreign(6) {
            frames += 300;
        }
        let interpolation = [
            Interpolation::Linear,
            Interpolation::LinearShort,
            Interpolation::Spherical,
            Interpolation::Matrix,
        ][self.below(4)];
        let motion = if self.below(2) == 0 {
            let poses = self.below(4) + 1;
            let locals = (0..poses * joints).map(|_| self.affine()).collect();
            scene.pose_sets.push(PoseSet { joints, locals });
            let fits = if joints == 0 { 0 } else { frames };
            let set = PoseSetId(scene.pose_sets.len() - 1);
            Motion::Poses { set, frames: (0..fits).map(|_| self.index(poses)).collect() }
        } else {
            Motion::Tracks((0..self.below(4).min(joints)).map(|j| self.track(j, joints, frames)).collect())
        };
        let frames = match &motion {
            Motion::Poses { frames, .. } => frames.len(),
            Motion::Tracks(_) => frames,
        };
        scene.clips.push(Clip {
            name: self.name(format!("clip {index}")),
            skeleton: SkeletonId(skeleton),
            rate: [10.0, 30.0, if self.kind == Kind::Foreign { 60.0 } else { 0.1 }, 7.5][self.below(4)],
            frames: u32::try_from(frames).unwrap_or(0),
            looping: self.chance(2),
            start: self.index(9),
            interpolation,
            motion,
            extras: self.extras(),
        });
    }

    fn index(&mut self, n: usize) -> u32 {
        u32::try_from(self.below(n)).unwrap_or(0)
    }

    fn track(&mut self, joint: usize, joints: usize, frames: usize) -> Track {
        let joint = if self.wild(4) { self.below(joints) } else { joint };
        let mut track = Track { joint, ..Track::default() };
        for f in self.keys(frames) {
            track.translation.push(f, self.vector());
        }
        for f in self.keys(frames) {
            track.rotation.push(f, self.unit());
        }
        for f in self.keys(frames) {
            let value = self.scale();
            track.scale.push(f, value);
        }
        track
    }

    /// Returns the frames of keys, strictly ascending.
    fn keys(&mut self, frames: usize) -> Vec<f32> {
        let mut keys = Channel::<()>::new();
        for f in 0..u16::try_from(frames).unwrap_or(0) {
            // Long clips have few keys.
            if self.chance(if frames > 16 { 32 } else { 2 }) {
                let between = self.wild(4) || self.foreign(4);
                keys.push(f32::from(f) + if between { 0.25 } else { 0.0 }, ());
                if self.foreign(8) {
                    // A step: a second key shortly after the first.
                    keys.push(f32::from(f) + 0.251, ());
                }
            }
        }
        if self.wild(16) {
            keys.push(16_777_216.0, ());
            keys.push(16_777_218.0, ());
        }
        keys.frames
    }
}

fn spoil<T>(slot: Option<&mut T>, value: T) {
    if let Some(slot) = slot {
        *slot = value;
    }
}

/// The same tree with children before their parents.
fn reverse(joints: &mut [Joint]) {
    let last = joints.len() - 1;
    joints.reverse();
    for joint in joints {
        joint.parent = joint.parent.map(|p| last - p);
        for f in &mut joint.follows {
            f.0 = last - f.0;
        }
    }
}

/// Stores vertices in the joints' spaces, as the rest pose places them.
fn localize(mesh: &mut Mesh, skin: &mut Skin, skeleton: &Skeleton) {
    let model = skeleton.rest_model().unwrap_or_default();
    let mut positions = Vec::new();
    let mut normals = Vec::new();
    for v in 0..mesh.positions.len() {
        let (mut p, mut n) = ([0.0_f32; 3], [0.0_f32; 3]);
        for i in skin.influences(v).to_vec() {
            let joint = i.joint as usize;
            let (Some(m), Some(j)) = (model.get(joint), skeleton.joints.get(joint)) else { continue };
            let weigh = |v: [f32; 3]| v.map(|c| c * i.weight);
            let position = weigh(j.inverse_bind.point(mesh.positions[v]));
            let normal = mesh.normals.get(v).map_or([0.0; 3], |n| weigh(j.inverse_bind.vector(*n)));
            skin.local.push(LocalVertex { position, normal });
            for (sum, (a, w)) in p.iter_mut().zip(m.vector(position).into_iter().zip(m.w)) {
                *sum += a + i.weight * w;
            }
            for (sum, a) in n.iter_mut().zip(m.vector(normal)) {
                *sum += a;
            }
        }
        positions.push(p);
        normals.push(n);
    }
    mesh.positions = positions;
    if !mesh.normals.is_empty() {
        mesh.normals = normals;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;

    proptest! {
        #[test]
        fn generated_scenes_are_valid(clean in clean_scene(), wild in wild_scene(), foreign in foreign_scene()) {
            prop_assert_eq!(clean.validate(), Ok(()));
            prop_assert_eq!(foreign.validate(), Ok(()));
            prop_assert_eq!(wild.validate(), Ok(()));
        }
    }

    fn hundred(of: &impl Strategy<Value = Scene>) -> Vec<Scene> {
        use proptest::strategy::ValueTree;
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        (0..100).map(|_| of.new_tree(&mut runner).unwrap().current()).collect()
    }

    fn count(scenes: &[Scene], what: &str, has: &dyn Fn(&Scene) -> bool) {
        let n = scenes.iter().filter(|s| has(s)).count();
        assert!(n >= 5, "{what}: {n} of 100");
    }

    #[test]
    fn foreign_scenes_hold_what_formats_cannot() {
        let scenes = hundred(&foreign_scene());
        let often = |what: &str, has: &dyn Fn(&Scene) -> bool| count(&scenes, what, has);
        let budget = meshwright_core::Budget::new(meshwright_core::Limits::default());
        let bind = |s: &Scene, i| crate::BindPose::solve(s, SkeletonId(i), &budget).unwrap();
        let joints = |s: &Scene| s.skeletons.iter().flat_map(|k| k.joints.clone()).collect::<Vec<_>>();
        let skins = |s: &Scene| s.meshes.iter().filter_map(|m| m.skin.clone()).collect::<Vec<_>>();
        let sum = |s: &Skin, v| s.influences(v).iter().map(|i| i.weight).sum::<f32>();
        let tracks = |s: &Scene| {
            let of = |c: &Clip| if let Motion::Tracks(t) = &c.motion { t.clone() } else { Vec::new() };
            s.clips.iter().flat_map(of).collect::<Vec<_>>()
        };
        let mirrored = |m: &Affine| m.determinant() < 0.0;
        often("several skeletons", &|s| s.skeletons.len() > 1);
        often("other rest poses", &|s| (0..s.skeletons.len()).any(|i| bind(s, i).differs_from_rest));
        often("children first", &|s| joints(s).iter().enumerate().any(|(i, j)| j.parent > Some(i)));
        often("mirrored joints", &|s| joints(s).iter().any(|j| mirrored(&j.rest.to_affine())));
        often("sheared joints", &|s| {
            joints(s).iter().any(|j| Trs::from_affine(&j.rest.to_affine()).1 > 0.01)
        });
        often("17 influences", &|s| skins(s).iter().any(|k| k.max_influences() > 16));
        often("odd sums", &|s| {
            skins(s).iter().any(|k| (0..k.vertex_count()).any(|v| (sum(k, v) - 1.0).abs() > 0.1))
        });
        often("hundreds of frames", &|s| s.clips.iter().any(|c| c.frames > 255));
        often("60 Hz", &|s| s.clips.iter().any(|c| c.rate == 60.0));
        often("keys between frames", &|s| {
            tracks(s).iter().any(|t| t.rotation.frames.iter().any(|f| f % 1.0 != 0.0))
        });
        often("no normals", &|s| s.meshes.iter().any(|m| m.normals.is_empty()));
        often("no texture coordinates", &|s| s.meshes.iter().any(|m| m.uvs.is_empty()));
        often("no material", &|s| s.meshes.iter().any(|m| m.material.is_none()));
        often("long names", &|s| joints(s).iter().any(|j| j.name.len() > 255));
        often("names without bytes", &|s| joints(s).iter().any(|j| j.name.contains('骨')));
        often("mirrored nodes", &|s| s.nodes.iter().any(|n| mirrored(&n.local.to_affine())));
        often("meshes of two nodes", &|s| {
            s.nodes.iter().map(|n| n.meshes.len()).sum::<usize>() > s.meshes.len()
        });
    }

    #[test]
    fn generated_scenes_hold_everything() {
        let scenes = hundred(&wild_scene());
        let often = |what: &str, has: &dyn Fn(&Scene) -> bool| count(&scenes, what, has);
        let skins = |s: &Scene| s.meshes.iter().filter_map(|m| m.skin.clone()).collect::<Vec<_>>();
        often("bind-space skins", &|s| skins(s).iter().any(|k| k.local.is_empty()));
        often("local skins", &|s| skins(s).iter().any(|k| !k.local.is_empty()));
        often("five influences", &|s| skins(s).iter().any(|k| k.max_influences() > 4));
        often("poses", &|s| s.clips.iter().any(|c| matches!(c.motion, Motion::Poses { .. })));
        often("tracks", &|s| s.clips.iter().any(|c| matches!(&c.motion, Motion::Tracks(t) if !t.is_empty())));
        often("levels", &|s| !s.levels.is_empty());
        let joint =
            |s: &Scene, has: &dyn Fn(&Joint) -> bool| s.skeletons.iter().flat_map(|k| &k.joints).any(has);
        often("followers", &|s| joint(s, &|j| !j.follows.is_empty()));
        often("flat joints", &|s| joint(s, &|j| j.rest.to_affine().determinant() == 0.0));
        often("trees of nodes", &|s| s.nodes.iter().any(|n| n.parent.is_some()));
    }
}
