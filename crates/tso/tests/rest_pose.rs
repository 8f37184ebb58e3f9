//! Converts bodies with stretched arms through a program that makes the bind pose the rest pose, like Blender. On the
//! game's skeleton they must move as before.
#![allow(clippy::cast_sign_loss, reason = "numbers from 0 to 1")]

use meshwright_core::f32s;
use meshwright_core::math::{Affine64, Trs64, distance, narrow, quat};
use meshwright_scene::{Channel, FromSceneOptions, Local, Motion as ClipMotion, Scene, SceneOptions, Track};
use meshwright_tso::{
    ADULT_BONES, Anim, Assembly, BLEND_UNUSED, Between, Binding, BlendVertex, Bone, CharacterForm, Cmx, F32,
    Flag, Geometry, Mesh, Motion, Part, Q1_15, RealVertex, Skel, Skn, Total, TsoSceneOptions, write_scene,
};
use std::collections::BTreeSet;

/// Generates pseudo-random numbers from 0 to 1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }

    fn vector(&mut self, size: f64) -> [f64; 3] {
        [(); 3].map(|()| (self.next() - 0.5) * size)
    }

    fn turn(&mut self, angle: f64) -> [f64; 4] {
        let [x, y, z] = self.vector(1.0);
        let axis = meshwright_core::math::unit([x, y, z + 2.0]).unwrap();
        quat::about(axis, angle * self.next())
    }
}

/// Returns a skeleton with the bones of an adult, and the turn of its arms in the pose in which meshes are made.
fn skeleton(seed: u64, size: f64) -> Skel {
    let mut numbers = Numbers(seed);
    let bones = ADULT_BONES.map(|(name, parent)| {
        let translation = [0.45 * size, 0.04 * size, -0.03 * size];
        let rotation = quat::conjugate(numbers.turn(0.6));
        Bone {
            unknown: 1,
            name: name.into(),
            parent: parent.unwrap_or("NULL").into(),
            translation: f32s(narrow(translation)),
            rotation: f32s(narrow(rotation)),
            can_rotate: 1,
            ..Bone::default()
        }
    });
    Skel { name: "adult".into(), bones: bones.to_vec(), trailing: Vec::new() }
}

/// Returns the pose in which bodies are made: both upper arms are turned about their own z.
fn bind(skel: &Skel, degrees: f64) -> Vec<Affine64> {
    let mut pose = skel.rest();
    for (name, sign) in [("L_ARM1", 1.0), ("R_ARM1", -1.0)] {
        let bone = &mut pose[skel.find(&name.into()).unwrap()];
        let turn = quat::about([0.0, 0.0, 1.0], sign * f64::to_radians(degrees));
        bone.rotation = quat::conjugate(quat::product(quat::conjugate(bone.rotation), turn));
    }
    skel.world(&pose)
}

/// Returns a body with vertices on every bone. Most vertices also follow the parent of their bone.
fn body(skel: &Skel, world: &[Affine64], seed: u64) -> Geometry {
    const EACH: usize = 6;
    let mut numbers = Numbers(seed);
    let parents = skel.parents();
    let mut g = Geometry {
        bones: skel.bones.iter().map(|b| b.name.clone()).collect(),
        total: Total::All,
        ..Geometry::default()
    };
    let mut pulled = Vec::new();
    for (bone, place) in world.iter().enumerate() {
        let first = g.real.len();
        for i in 0..EACH {
            let around = numbers.vector(0.5);
            let point = [place.w[0] + around[0], place.w[1] + around[1], place.w[2] + around[2]];
            let local = place.inverse().unwrap().point(point);
            let normal = f32s([0.0, 0.0, 1.0]);
            g.real.push(RealVertex { uv: f32s([0.0; 2]), position: f32s(narrow(local)), normal });
            if let Some(parent) = parents[bone].filter(|_| i > 0) {
                let seen = world[parent].inverse().unwrap().point(point);
                let weight = Q1_15::from_bits(1 + (numbers.next() * 15_000.0) as u32);
                let (target, position) = ((first + i) as u32, f32s(narrow(seen)));
                pulled.push((parent, BlendVertex { weight, target, position, normal }));
            }
        }
        g.faces.extend((0..EACH - 2).map(|i| [first, first + i + 1, first + i + 2].map(|v| v as u32)));
    }
    pulled.sort_by_key(|p| (p.0, p.1.target));
    for bone in 0..world.len() {
        let first = pulled.partition_point(|p| p.0 < bone);
        let count = pulled.partition_point(|p| p.0 <= bone) - first;
        g.bindings.push(Binding {
            bone: bone as u32,
            first_real: (bone * EACH) as u32,
            real_count: EACH as u32,
            first_blend: if count == 0 { BLEND_UNUSED } else { first as u32 },
            blend_count: count as u32,
        });
    }
    g.blends = pulled.into_iter().map(|p| p.1).collect();
    g
}

/// Returns a motion of all bones but two, which keep their rest pose.
fn motion(skel: &Skel, seed: u64) -> Anim {
    let (mut numbers, frames) = (Numbers(seed), 4);
    let mut anim =
        Anim { name: "a2o-wave".into(), duration: F32::new(133.0), moving: Flag::YES, ..Anim::default() };
    for bone in
        skel.bones.iter().filter(|b| !["L_ARM2", "HEAD"].iter().any(|still| b.name.matches(&(*still).into())))
    {
        let first_rotation = anim.rotations.len() as u32;
        let rest = bone.rest().rotation;
        anim.rotations.extend(
            (0..frames).map(|_| f32s(narrow(quat::product(quat::conjugate(numbers.turn(1.5)), rest)))),
        );
        anim.motions.push(Motion {
            bone: bone.name.clone(),
            frames,
            duration: anim.duration,
            has_rotation: Flag::YES,
            first_translation: u32::MAX,
            first_rotation,
            ..Motion::default()
        });
    }
    anim
}

/// Makes the bind pose the rest pose, as Blender does. Channels that clips do not have get the pose that joints had.
fn rest_as_bound(mut scene: Scene) -> Scene {
    let joints = &mut scene.skeletons[0].joints;
    let world: Vec<_> = joints.iter().map(|j| j.inverse_bind.wide().inverse().unwrap()).collect();
    let rests: Vec<Trs64> = joints.iter().map(|j| j.rest.to_trs64()).collect();
    for (j, place) in world.iter().enumerate() {
        let above = joints[j].parent.map_or(Affine64::IDENTITY, |p| world[p].inverse().unwrap());
        joints[j].rest = Local::Trs(Trs64::from_affine(&above.after(place)).narrow());
    }
    for clip in &mut scene.clips {
        let ClipMotion::Tracks(tracks) = &mut clip.motion else { panic!("a clip has poses") };
        for (joint, rest) in rests.iter().enumerate() {
            if !tracks.iter().any(|t| t.joint == joint) {
                tracks.push(Track { joint, ..Track::default() });
            }
            let track = tracks.iter_mut().find(|t| t.joint == joint).unwrap();
            let rest = rest.narrow();
            if track.translation.is_empty() {
                track.translation = Channel { frames: vec![0.0], values: vec![rest.translation] };
            }
            if track.rotation.is_empty() {
                track.rotation = Channel { frames: vec![0.0], values: vec![rest.rotation] };
            }
        }
    }
    for mesh in &mut scene.meshes {
        mesh.skin.as_mut().unwrap().local.clear();
    }
    scene.with_format("other")
}

/// Returns the largest distance between two bodies in a pose, in metres.
fn largest_distance(skel: &Skel, a: (&Geometry, &Anim), b: (&Geometry, &Anim), frame: u32) -> f64 {
    let posed = |(g, anim): (&Geometry, &Anim)| {
        let pose = anim.pose(skel, frame.into(), Between::Slerp);
        g.pose(&skel.matrices_for(&g.bones, &skel.world(&pose)))
    };
    let (p, q) = (posed(a), posed(b));
    let corners = |g: &Geometry| g.faces.iter().flatten().map(|v| *v as usize).collect::<Vec<_>>();
    let (own, other) = (corners(a.0), corners(b.0));
    assert_eq!(own.len(), other.len());
    let wide = |p: [f32; 3]| p.map(f64::from);
    let far =
        own.iter().zip(&other).map(|(v, w)| distance(wide(p.positions[*v]), wide(q.positions[*w])) / 3.0);
    far.fold(0.0, f64::max)
}

fn figure<'a>(skel: &'a Skel, g: &'a Geometry, clips: &'a [Anim]) -> Assembly<'a> {
    Assembly::new("body")
        .with_part(Part::new("xskin-b001fafit_01-PELVIS-BODY", g))
        .with_skeleton(skel)
        .with_animations(clips)
}

#[test]
fn bodies_keep_their_arms_in_the_motions_of_the_game() {
    let (mut worst, mut without) = (0.0_f64, 0.0_f64);
    for seed in 0..26 {
        let (size, degrees) = if seed % 5 == 4 { (0.7, 84.89) } else { (1.0, 85.0) };
        let skel = skeleton(seed + 100, size);
        let g = body(&skel, &bind(&skel, degrees), seed);
        let clips: Vec<_> = (0..4).map(|clip| motion(&skel, 1000 * seed + clip)).collect();
        let scene = figure(&skel, &g, &clips).to_scene(&SceneOptions::default()).unwrap().value;
        let edited = rest_as_bound(scene);
        edited.validate().unwrap();
        let options = || FromSceneOptions::for_format(TsoSceneOptions::made_for(skel.clone()));
        let mesh = Mesh::from_scene(&edited, &options()).unwrap();
        let codes: BTreeSet<_> = mesh.losses.iter().map(|l| l.code).collect();
        assert!(codes.contains("rest-differs"), "{codes:?}");
        let turned = mesh.losses.iter().find(|l| l.code == "rest-differs").unwrap();
        assert_eq!(turned.count, 2, "both upper arms, and no other bone");
        let skn = Skn::from_scene(&edited, &options()).unwrap().value;
        assert_eq!(skn.geometry, mesh.value.geometry);
        for (c, clip) in clips.iter().enumerate() {
            let made = Anim::from_scene(
                &edited,
                &FromSceneOptions::for_format(TsoSceneOptions::made_for(skel.clone()).with_clip(c)),
            );
            let made = made.unwrap().value;
            for frame in 0..clip.frames() {
                // The game's own motion, and the one that was exported too.
                worst = worst.max(largest_distance(&skel, (&g, clip), (&mesh.value.geometry, clip), frame));
                worst = worst.max(largest_distance(&skel, (&g, clip), (&mesh.value.geometry, &made), frame));
            }
        }
        // Vertices that are moved to where they are in the rest pose of the skeleton are wrong.
        let world = skel.world(&[]);
        let mut moved = g.clone();
        let posed = bind(&skel, degrees);
        for binding in &g.bindings {
            let bone = binding.bone as usize;
            let back = world[bone].inverse().unwrap().after(&posed[bone]);
            let own = binding.first_real as usize;
            for vertex in &mut moved.real[own..own + binding.real_count as usize] {
                vertex.position = f32s(narrow(back.point(vertex.position.map(|c| f64::from(c.get())))));
            }
        }
        without = without.max(largest_distance(&skel, (&g, &clips[0]), (&moved, &clips[0]), 0));
    }
    println!("largest error {:.5} mm", worst * 1000.0);
    assert!(worst <= 1e-4, "{worst} m");
    assert!(without > 0.05, "the comparison sees turned arms: {without} m");
}

#[test]
fn a_suit_for_the_skeleton_of_the_game_has_the_same_vertices() {
    let skel = skeleton(7, 1.0);
    let g = body(&skel, &bind(&skel, 85.0), 3);
    let clips = [motion(&skel, 5)];
    let scene = figure(&skel, &g, &clips).to_scene(&SceneOptions::default()).unwrap().value;
    let options = TsoSceneOptions::made_for(skel.clone()).with_character(CharacterForm::Text);
    let files = write_scene(&rest_as_bound(scene), "b777fafit_01", &FromSceneOptions::for_format(options));
    let files = files.unwrap();
    assert!(files.losses.iter().any(|l| l.code == "rest-differs"));
    let of = |end: &str| files.value.iter().find(|f| f.name.ends_with(end)).unwrap().bytes.clone();
    assert_eq!(Cmx::parse(&of(".cmx")).unwrap().character.suits.len(), 1);
    let skn = Skn::parse(&of(".skn")).unwrap();
    assert!(largest_distance(&skel, (&g, &clips[0]), (&skn.geometry, &clips[0]), 2) <= 1e-4);
}

/// A program may also change the axes of joints. Then the positions of joints show that the arms are rotated.
#[test]
fn arms_are_found_by_the_places_of_joints_with_other_axes() {
    let skel = skeleton(11, 1.0);
    let g = body(&skel, &bind(&skel, 85.0), 4);
    let clips = [motion(&skel, 6)];
    let scene = figure(&skel, &g, &clips).to_scene(&SceneOptions::default()).unwrap().value;
    let mut edited = rest_as_bound(scene);
    let turn = Trs64 { rotation: quat::about([0.6, 0.0, 0.8], 1.2), ..Trs64::IDENTITY }.to_affine();
    let joints = &mut edited.skeletons[0].joints;
    for joint in joints.iter_mut() {
        let local = joint.rest.to_affine64().after(&turn);
        let local = if joint.parent.is_some() { turn.inverse().unwrap().after(&local) } else { local };
        joint.rest = Local::Trs(Trs64::from_affine(&local).narrow());
        joint.inverse_bind = turn.inverse().unwrap().after(&joint.inverse_bind.wide()).narrow();
    }
    edited.clips.clear();
    let options = FromSceneOptions::for_format(TsoSceneOptions::made_for(skel.clone()));
    let mesh = Mesh::from_scene(&edited, &options).unwrap();
    let far = largest_distance(&skel, (&g, &clips[0]), (&mesh.value.geometry, &clips[0]), 1);
    assert!(far <= 1e-4, "{far} m {:?}", mesh.losses);
    assert!(mesh.losses.iter().any(|l| l.code == "rest-differs" && l.count == 2), "{:?}", mesh.losses);
}
