//! Changes that Blender makes to an unedited model, and the smallest edits next to them.

use crate::support::*;
use meshwright_core::math::{
    Affine64, add, corner_angle, cos, cross, dot, face_normal, scale, sin, sub, unit,
};
use meshwright_scene::{Channel, Interpolation};
use std::f64::consts::PI;

fn is_untouched(edited: &Scene, native: &Scene) -> bool {
    let (scene, report) = same(edited, native);
    assert_eq!(scene == *native, report.is_untouched(), "{report:?}");
    report.is_untouched()
}

/// Returns a scene of one mesh without a skeleton.
fn static_scene(positions: Vec<[f32; 3]>, normals: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>) -> Scene {
    let mesh = Mesh::new("m", positions, triangles).with_normals(normals);
    Scene::new("s").with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("m", MeshId(0))])
}

/// Returns a normal that is tilted from +z by one angle, in the direction of the other angle from +x. Both are in
/// degrees.
fn leaning(lean: f64, way: f64) -> [f32; 3] {
    let (lean, way) = (lean * PI / 180.0, way * PI / 180.0);
    narrow([sin(lean) * cos(way), sin(lean) * sin(way), cos(lean)])
}

#[test]
fn a_normal_that_leans_nearly_along_an_edge_leans_along_it() {
    let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let with = |normal| {
        static_scene(corners.clone(), vec![normal, [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]], vec![[0, 1, 2]])
    };
    let native = with(leaning(60.0, 0.6));
    assert!(is_untouched(&with(leaning(60.0, 0.0)), &native));
    // Not on the edge, leaning otherwise, or further than Blender would turn it.
    assert!(!is_untouched(&with(leaning(60.0, 1.2)), &native));
    assert!(!is_untouched(&with(leaning(59.4, 0.0)), &native));
    assert!(!is_untouched(&with(leaning(60.0, 0.0)), &with(leaning(60.0, 0.95))));
    let (_, report) = snapped(&with(leaning(60.0, 0.0)), &native, Snap::Exact);
    assert_eq!(report.meshes[0].change.normals, 1);
}

/// Two faces that share only a vertex have a frame each.
#[test]
fn normals_lean_from_the_faces_of_their_fan() {
    let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]];
    let up = [0.0, 0.0, 1.0];
    let with = |normal, triangles: &[[u32; 3]]| {
        let mut normals = vec![up; 5];
        normals[0] = normal;
        static_scene(corners.clone(), normals, triangles.to_vec())
    };
    let was = leaning(60.0, 0.6);
    let along = leaning(60.0, 0.0);
    // The second face looks along -y, so that the mean of both leans by 45 degrees.
    let apart = [[0, 1, 2], [0, 4, 3]];
    assert!(is_untouched(&with(along, &apart), &with(was, &apart)));
    assert!(!is_untouched(&with(leaning(60.0, 1.2), &apart), &with(was, &apart)));
    // If a third face connects both, all share a frame.
    let joined = [[0, 1, 2], [0, 3, 1], [0, 4, 3]];
    assert!(!is_untouched(&with(along, &joined), &with(was, &joined)));
    // With another winding, it does not connect them.
    let turned = [[0, 1, 2], [0, 1, 3], [0, 4, 3]];
    assert!(is_untouched(&with(along, &turned), &with(was, &turned)));
}

#[test]
fn normals_of_what_cannot_be_seen_say_nothing() {
    let side = [1.0, 0.0, 0.0];
    let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [3.0; 3], [3.0; 3], [4.0; 3]];
    let native = static_scene(corners, vec![side; 6], vec![[0, 1, 2], [3, 4, 5]]);
    let mut edited = native.clone();
    edited.meshes[0].normals[3..].fill([0.0, 1.0, 0.0]);
    assert!(is_untouched(&edited, &native));
    let (_, report) = snapped(&edited, &native, Snap::Exact);
    assert_eq!(report.meshes[0].change.normals, 3);
    edited.meshes[0].normals[0] = [0.0, 1.0, 0.0];
    assert!(!is_untouched(&edited, &native));
}

/// At an edge without length, Blender replaces a normal with the mean of the faces around it. Faces without area point up.
#[test]
fn a_normal_at_an_edge_without_length_is_the_mean() {
    let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]];
    let side = [1.0, 0.0, 0.0];
    let native = static_scene(corners, vec![side; 4], vec![[0, 1, 2], [0, 2, 3]]);
    let with = |normal: [f64; 3]| {
        let mut edited = native.clone();
        edited.meshes[0].normals[0] = narrow(unit(normal).unwrap());
        edited
    };
    // One face points down as much as the other points up, so that they have no mean.
    assert!(!is_untouched(&with([0.0, 1.0, 0.0]), &native));
    let mut tilted = native.clone();
    tilted.meshes[0].positions[1] = [0.0, 1.0, 0.0];
    let mean = |scene: &Scene| {
        let mut edited = scene.clone();
        edited.meshes[0].normals[0] = narrow(unit([1.0, 1.0, 0.0]).unwrap());
        edited
    };
    assert!(is_untouched(&mean(&tilted), &tilted));
    let mut other = mean(&tilted);
    other.meshes[0].normals[0] = [0.0, 0.0, 1.0];
    assert!(!is_untouched(&other, &tilted));
}

#[test]
fn influences_below_a_ten_thousandth_are_left_out() {
    let with = |least: f32, left_out: bool| {
        let mut scene = tube();
        let skin = scene.meshes[0].skin.as_mut().unwrap();
        skin.influences[0].weight = if left_out { 1.0 } else { 1.0 - least };
        skin.influences[1].weight = if left_out { 0.0 } else { least };
        scene
    };
    assert!(is_untouched(&with(6e-5, true), &with(6e-5, false)));
    assert!(!is_untouched(&with(2e-4, true), &with(2e-4, false)));
    let (_, report) = snapped(&with(6e-5, true), &with(6e-5, false), Snap::Exact);
    assert_eq!(report.meshes[0].change.weights, 1);
}

/// Returns a chain whose joints rest with scales that shear those below, and a clip that has keys for all of them.
fn sheared() -> Scene {
    let mut scene = tube();
    let turn = narrow(quat::about([0.0, 1.0, 0.0], 0.5));
    let joints = &mut scene.skeletons[0].joints;
    for (joint, scale) in joints.iter_mut().zip([[0.8, 1.0, 1.25], [0.5, 0.6, 0.5], [1.0; 3]]) {
        joint.rest = Local::Trs(Trs { translation: [0.0, 1.0, 0.0], rotation: turn, scale });
    }
    scene.skeletons[0].bind_rest().unwrap();
    let of = |j: usize| {
        let Local::Trs(rest) = scene.skeletons[0].joints[j].rest else { panic!() };
        let mut track = Track { joint: j, ..Track::default() };
        for frame in 0..4_u8 {
            let own =
                quat::product(wide(rest.rotation), quat::about([1.0, 0.0, 0.0], f64::from(frame) * 0.1));
            track.translation.push(f32::from(frame), rest.translation);
            track.rotation.push(f32::from(frame), narrow(own));
            track.scale.push(f32::from(frame), rest.scale.map(|s| s + f32::from(frame) * 0.01));
        }
        track
    };
    let tracks = (0..3).map(of).collect();
    scene.clips = vec![Clip::new("bend", SkeletonId(0), 20.0, Motion::Tracks(tracks))];
    for (v, normal) in scene.meshes[0].normals.iter_mut().enumerate() {
        *normal = leaning(40.0, 17.0 * f64::from(u8::try_from(v).unwrap()));
    }
    scene
}

/// Returns the scene with unscaled bones, and vertices and normals skinned to that pose.
fn without_scales(native: &Scene) -> Scene {
    unscaled(native).0
}

/// Returns the scene without scales of bones, and the transform of each vertex to it.
pub(super) fn unscaled(native: &Scene) -> (Scene, Vec<Affine64>) {
    let (mut edited, mut places) = (native.clone(), Vec::new());
    let mut worlds: Vec<Affine64> = Vec::new();
    for joint in &mut edited.skeletons[0].joints {
        let Local::Trs(rest) = &mut joint.rest else { panic!() };
        rest.scale = [1.0; 3];
        let own = rest.wide().to_affine();
        let world = joint.parent.map_or(own, |p| worlds[p].after(&own));
        joint.inverse_bind = world.inverse().unwrap().narrow();
        worlds.push(world);
    }
    let mesh = &mut edited.meshes[0];
    let skin = mesh.skin.as_ref().unwrap();
    for v in 0..mesh.positions.len() {
        let mut sum = [0.0; 12];
        for i in skin.influences(v) {
            let inverse = native.skeletons[0].joints[i.joint as usize].inverse_bind.wide();
            let m = worlds[i.joint as usize].after(&inverse).to_array();
            sum.iter_mut().zip(m).for_each(|(s, c)| *s += f64::from(i.weight) * c);
        }
        let [a, b, c, d, e, f, g, h, i, j, k, l] = sum;
        let m = Affine64 { x: [a, b, c], y: [d, e, f], z: [g, h, i], w: [j, k, l] };
        mesh.positions[v] = narrow(m.point(wide(mesh.positions[v])));
        mesh.normals[v] = narrow(unit(m.vector(wide(mesh.normals[v]))).unwrap());
        places.push(m);
    }
    (edited, places)
}

/// Blender stores normals relative to the faces in its own bind pose, without scales.
#[test]
fn normals_lean_from_the_faces_of_the_bones_without_scales() {
    let native = sheared();
    let (edited, places) = unscaled(&native);
    let mesh = &edited.meshes[0];
    let at = |v: u32| wide(mesh.positions[v as usize]);
    let around = |v: u32| mesh.triangles.iter().filter(move |t| t.contains(&v));
    let neighbours = |v: u32| around(v).flatten().copied().filter(move |w| *w != v);
    for (v, w) in [4_u32, 7, 10, 13].into_iter().flat_map(|v| neighbours(v).map(move |w| (v, w))) {
        let mut mean = [0.0; 3];
        for t in around(v) {
            let k = t.iter().position(|c| *c == v).unwrap();
            let corners = [0, 1, 2].map(|i| at(t[(k + i) % 3]));
            mean = add(mean, scale(face_normal(corners).unwrap(), corner_angle(corners)));
        }
        let mean = unit(mean).unwrap();
        let edge = unit(sub(at(w), at(v))).unwrap();
        let along = unit(sub(edge, scale(mean, dot(edge, mean)))).unwrap();
        let side = cross(mean, along);
        // So far from the mean, and so far about it from the edge.
        let leaning = |way: f64| {
            let (lean, way) = (60.0 * PI / 180.0, way * PI / 180.0);
            let to = add(scale(along, cos(way)), scale(side, sin(way)));
            add(scale(mean, cos(lean)), scale(to, sin(lean)))
        };
        let v = v as usize;
        let mut native = native.clone();
        let back = places[v].inverse().unwrap();
        native.meshes[0].normals[v] = narrow(unit(back.vector(leaning(0.7))).unwrap());
        let with = |way: f64| {
            let mut edited = without_scales(&native);
            edited.meshes[0].normals[v] = narrow(leaning(way));
            edited
        };
        assert!(is_untouched(&with(0.7), &native), "{v} {w}");
        assert!(is_untouched(&with(0.0), &native), "{v} {w}: {:?}", same(&with(0.0), &native).1);
        assert!(!is_untouched(&with(1.3), &native), "{v} {w}");
    }
}

#[test]
fn bones_that_scales_above_shear_are_turned_by_nothing() {
    let native = sheared();
    let edited = without_scales(&native);
    assert!(is_untouched(&edited, &native), "{:?}", same(&edited, &native).1);
    let mut other = edited.clone();
    other.meshes[0].normals[4] = leaning(41.0, 17.0 * 4.0);
    assert!(!is_untouched(&other, &native));
    let mut other = edited;
    let Motion::Tracks(tracks) = &mut other.clips[0].motion else { panic!() };
    let own = wide(tracks[2].rotation.values[2]);
    tracks[2].rotation.values[2] = narrow(quat::product(own, quat::about([0.0, 0.0, 1.0], 1e-3)));
    assert!(!is_untouched(&other, &native));
}

/// If the only joint that distinguishes two bind poses was deleted, the sizes of the others decide.
#[test]
fn a_bone_that_is_deleted_leaves_the_vertices_of_others_where_they_are() {
    let mut native = sheared();
    let joints = &mut native.skeletons[0].joints;
    let scales = [[0.8, 1.0, 1.25], [0.5; 3], [1.0; 3]];
    for (joint, scale) in joints.iter_mut().zip(scales) {
        let Local::Trs(rest) = &mut joint.rest else { panic!() };
        rest.scale = scale;
    }
    native.skeletons[0].bind_rest().unwrap();
    native.clips.clear();
    let skin = native.meshes[0].skin.as_mut().unwrap();
    skin.influences.iter_mut().for_each(|i| i.weight = if i.weight > 0.5 { 1.0 } else { 0.0 });
    let mut edited = without_scales(&native);
    edited.skeletons[0].joints.pop();
    let skin = edited.meshes[0].skin.as_mut().unwrap();
    skin.influences.iter_mut().filter(|i| i.joint == 2).for_each(|i| i.joint = 1);
    let (scene, report) = same(&edited, &native);
    assert_eq!((report.joints[2].state, report.meshes[0].change.weights), (State::Gone, 6));
    assert_eq!(scene.meshes[0].positions[..12], native.meshes[0].positions[..12]);
}

/// A new bone keeps the transform relative to its parent that it has in the file, where the parent has no scale.
#[test]
fn a_new_bone_on_a_scaled_one_stands_still_in_all_clips() {
    let native = sheared();
    let mut edited = without_scales(&native);
    let rest = Trs { translation: [0.0, 1.0, 0.25], ..Trs::IDENTITY };
    let mut tip = Joint::new("tip", Some(1), Local::Trs(rest));
    let above = edited.skeletons[0].joints[1].inverse_bind.wide().inverse().unwrap();
    tip.inverse_bind = above.after(&tip.rest.to_affine64()).inverse().unwrap().narrow();
    edited.skeletons[0].joints.push(tip);
    let (scene, report) = same(&edited, &native);
    assert!(report.clips.iter().all(|c| c.state == State::Untouched), "{:?}", report.clips);
    let made = scene.skeletons[0].joints[3].rest.to_affine64();
    assert!(meshwright_core::math::distance(made.w, [0.0, 1.0, 0.25]) < 1e-5, "{made:?}");
}

/// Returns a short bone far from the origin, that flies a long way.
fn flying() -> Scene {
    let mut scene = tube();
    let rest = Trs { translation: [4000.0, 1800.0, -30.0], ..Trs::IDENTITY };
    scene.skeletons[0].joints.truncate(1);
    scene.skeletons[0].joints[0].rest = Local::Trs(rest);
    scene.skeletons[0].bind_rest().unwrap();
    let mut track = Track { joint: 0, ..Track::default() };
    for frame in 0..6_u8 {
        let far = f32::from(frame) * 4000.0;
        track.translation.push(f32::from(frame), [4000.0 - far, 1800.0, far * 0.5]);
        track.rotation.push(f32::from(frame), narrow(quat::about([1.0, 0.0, 0.0], f64::from(frame) * 0.3)));
    }
    scene.clips = vec![Clip::new("fly", SkeletonId(0), 20.0, Motion::Tracks(vec![track]))];
    let mut skin = Skin::new(SkeletonId(0));
    for _ in &scene.meshes[0].positions {
        skin.influences.push(Influence { joint: 0, weight: 1.0 });
        skin.end_vertex();
    }
    scene.meshes[0].skin = Some(skin);
    scene
}

/// Returns the scene with the bone tilted by this angle, and its axes rotated by a quarter turn.
fn leant(native: &Scene, by: f64, quarters: bool) -> Scene {
    let mut edited = native.clone();
    let turn = |axis, angle| Trs64 { rotation: quat::about(axis, angle), ..Trs64::IDENTITY }.to_affine();
    let axes = if quarters { turn([0.0, 0.0, 1.0], PI / 2.0) } else { Affine64::IDENTITY };
    let joint = &mut edited.skeletons[0].joints[0];
    let bind = joint.inverse_bind.wide().inverse().unwrap();
    let meant = bind.after(&axes);
    let held = meant.after(&turn([0.6, 0.8, 0.0], by));
    joint.inverse_bind = held.inverse().unwrap().narrow();
    joint.rest = Local::Trs(Trs64::from_affine(&held).narrow());
    let Motion::Tracks(tracks) = &mut edited.clips[0].motion else { panic!() };
    let Track { translation, rotation, .. } = &mut tracks[0];
    for (t, r) in translation.values.iter_mut().zip(&mut rotation.values) {
        let pose = Trs { translation: *t, rotation: *r, ..Trs::IDENTITY }.wide().to_affine();
        let moved = held.after(&meant.inverse().unwrap()).after(&pose.after(&axes));
        let trs = Trs64::from_affine(&moved).narrow();
        (*t, *r) = (trs.translation, trs.rotation);
    }
    edited
}

#[test]
fn bones_lean_by_what_their_ends_are_rounded_by() {
    let native = flying();
    for quarters in [false, true] {
        assert!(is_untouched(&leant(&native, 8.5e-5, quarters), &native));
        assert!(!is_untouched(&leant(&native, 5e-3, quarters), &native));
    }
    let mut other = leant(&native, 8.5e-5, false);
    let Motion::Tracks(tracks) = &mut other.clips[0].motion else { panic!() };
    tracks[0].translation.values[3][1] += 2.0;
    assert!(!is_untouched(&other, &native));
}

/// Blender 3.4 exports the colours of corners as those of vertices.
#[test]
fn colours_of_corners_go_back_to_their_vertices() {
    let mut native = tube();
    let mesh = &mut native.meshes[0];
    let shade = |v: u8| [v * 7, 255 - v, v, 255 - v * 3];
    mesh.colors = (0..18).map(shade).collect();
    let mut edited = native.clone();
    let corners: Vec<u32> = native.meshes[0].triangles.iter().flatten().copied().collect();
    for (v, color) in edited.meshes[0].colors.iter_mut().enumerate() {
        *color = native.meshes[0].colors[corners[v] as usize];
    }
    assert!(is_untouched(&edited, &native));
    assert!(!snapped(&edited, &native, Snap::Exact).1.is_untouched());
    // Those that were moved have the colours of other corners, too.
    let mut moved = edited.clone();
    moved.meshes[0].positions[7..11].iter_mut().for_each(|p| p[2] += 0.5);
    let (scene, report) = same(&moved, &native);
    let change = &report.meshes[0].change;
    assert_eq!((change.moved, change.colors, change.added), (4, 0, 0), "{change:?}");
    assert_eq!(scene.meshes[0].colors, native.meshes[0].colors);
    // One that is painted otherwise.
    edited.meshes[0].colors[4][1] ^= 1;
    assert!(!is_untouched(&edited, &native));
    let mut painted = native.clone();
    painted.meshes[0].colors[5] = native.meshes[0].colors[corners[5] as usize];
    assert!(!is_untouched(&painted, &native));
}

/// A joint that hardly moves has keys only at both ends; the last is at Blender's last whole frame.
#[test]
fn a_joint_that_hardly_moves_stands_still_in_a_clip_that_was_cut() {
    let mut native = tube();
    let turned = |joint: usize, angles: &[(f32, f64)]| {
        let mut track = Track { joint, ..Track::default() };
        for (frame, angle) in angles {
            track.rotation.push(*frame, narrow(quat::about([0.0, 0.0, 1.0], *angle)));
        }
        track
    };
    let busy = |k: f64| (k * 1.25, k * 0.1);
    let mut slow: Vec<(f32, f64)> = (0_u8..8).map(|k| (f32::from(k), 2.5e-4)).collect();
    (slow[0].1, slow[1].1) = (0.0, 2e-4);
    let moves: Vec<(f32, f64)> = (0_u8..8).map(|k| (f32::from(k), f64::from(k) * 0.08)).collect();
    native.clips[0].rate = 30.0;
    native.clips[0].frames = 8;
    native.clips[0].motion = Motion::Tracks(vec![turned(1, &moves), turned(2, &slow)]);
    let mut edited = native.clone();
    // Six frames of 24 in a second.
    let own = |k: u8| {
        let (frame, angle) = busy(f64::from(k));
        #[expect(clippy::cast_possible_truncation, reason = "a frame")]
        (frame as f32, angle)
    };
    let samples: Vec<(f32, f64)> = (0_u8..6).map(own).collect();
    let with = |end: f64| Motion::Tracks(vec![turned(1, &samples), turned(2, &[(0.0, 0.0), (6.25, end)])]);
    edited.clips[0].motion = with(2.5e-4);
    let cut = |report: &Recovery| {
        let change = &report.clips[0].change;
        (change.frames.clone(), change.joints.clone())
    };
    let (scene, report) = same(&edited, &native);
    assert_eq!(cut(&report), (vec![], vec![]), "{report:?}");
    assert_eq!(scene.clips, native.clips);
    edited.clips[0].motion = with(1e-3);
    assert!(!cut(&same(&edited, &native).1).0.is_empty());
}

/// At its own rate, Blender samples rotations between keys by linear interpolation of quaternion components.
#[test]
fn clips_that_were_sampled_between_keys_are_untouched() {
    let mut native = tube();
    native.clips[0].interpolation = Interpolation::Spherical;
    let Motion::Tracks(tracks) = &mut native.clips[0].motion else { panic!() };
    for (frame, q) in (0..5_u8).zip(&mut tracks[0].rotation.values) {
        *q = narrow(quat::about([0.0, 0.0, 1.0], f64::from(frame * frame) * 0.09));
    }
    // A document that states the native rate has the keys between its frames.
    let at_rate = |interpolation, off: f64, rate: f32| {
        let mut own = native.clone();
        own.clips[0].interpolation = interpolation;
        let budget = budget();
        let sampler = meshwright_scene::Sampler::new(&own, 0, &budget).unwrap();
        let mut track = Track { joint: 1, ..Track::default() };
        for frame in 0..5_u8 {
            let rotation = sampler.trs(1, f64::from(frame) * 20.0 / 24.0).rotation;
            let by = if frame == 3 { off } else { 0.0 };
            let turned = quat::product(rotation, quat::about([0.0, 0.0, 1.0], by));
            track.rotation.push(f32::from(frame) * rate / 24.0, narrow(turned));
        }
        let clip = Clip::new("bend", SkeletonId(0), rate, Motion::Tracks(vec![track]));
        let mut edited = native.clone();
        edited.clips[0] =
            clip.with_frames(5).with_looping(false).with_interpolation(Interpolation::Spherical);
        edited
    };
    for rate in [24.0, 20.0] {
        for rule in [Interpolation::LinearShort, Interpolation::Spherical] {
            assert!(is_untouched(&at_rate(rule, 0.0, rate), &native), "{rule:?} {rate}");
            let (_, report) = same(&at_rate(rule, 0.0, rate), &native);
            assert!((report.clips[0].change.cut - (0.2 - 4.0 / 24.0)).abs() < 1e-6, "{report:?}");
            assert!(!is_untouched(&at_rate(rule, 1e-3, rate), &native), "{rule:?} {rate}");
        }
        let [a, b] = [Interpolation::LinearShort, Interpolation::Spherical].map(|r| at_rate(r, 0.0, rate));
        assert_ne!(a, b);
    }
}

/// If frames are further apart than samples, some samples are between frames.
#[test]
fn a_sample_between_frames_that_was_edited_is_an_edit() {
    let mut native = tube();
    let mut other = Track { joint: 2, ..Track::default() };
    for frame in 0..5_u8 {
        other.rotation.push(f32::from(frame), narrow(quat::about([1.0, 0.0, 0.0], f64::from(frame * frame))));
    }
    let Motion::Tracks(tracks) = &mut native.clips[0].motion else { panic!() };
    tracks.push(other);
    native.clips[0].rate = 10.0;
    let budget = budget();
    let sampler = meshwright_scene::Sampler::new(&native, 0, &budget).unwrap();
    let edited = |at: Option<u8>| {
        let of = |joint: usize| {
            let mut track = Track { joint, ..Track::default() };
            for sample in 0..10_u8 {
                let frame = f64::from(sample) * 10.0 / 24.0;
                let by = if at == Some(sample) && joint == 1 { 0.1 } else { 0.0 };
                let turned =
                    quat::product(sampler.trs(joint, frame).rotation, quat::about([0.0, 1.0, 0.0], by));
                track.rotation.push(f32::from(sample) * 10.0 / 24.0, narrow(turned));
            }
            track
        };
        let mut edited = native.clone();
        let clip = Clip::new("bend", SkeletonId(0), 10.0, Motion::Tracks(vec![of(1), of(2)]));
        edited.clips[0] = clip.with_frames(5).with_looping(false);
        edited
    };
    assert!(is_untouched(&edited(None), &native));
    // A constant channel jumps at its end, and stays constant up to the last frame.
    let mut still = edited(None);
    let Motion::Tracks(tracks) = &mut still.clips[0].motion else { panic!() };
    let last = 9.0 * 10.0 / 24.0;
    for (at, off) in [(0.0, 0.0), (f32::next_down(last), 0.0), (last, 1e-7), (4.0, 1e-7)] {
        tracks[0].translation.push(at, [off, 1.0, 0.0]);
    }
    assert!(is_untouched(&still, &native));
    for sample in 0..10 {
        let (scene, report) = same(&edited(Some(sample)), &native);
        let change = &report.clips[0].change;
        // The other joint is what it was, however far its frames are from the samples.
        assert_eq!((report.clips[0].state, &change.joints[..]), (State::Edited, &["c.d".to_string()][..]));
        let (Motion::Tracks(was), Motion::Tracks(is)) = (&native.clips[0].motion, &scene.clips[0].motion)
        else {
            panic!()
        };
        assert_eq!(was[1], is[1], "{sample}");
        assert!((change.degrees - 0.1_f64.to_degrees()).abs() < 1e-3 && change.frames.len() < 3);
    }
}

/// Times are stored in 32 bits, so fast joints differ by the rounding of a time.
#[test]
fn times_are_off_by_what_they_are_rounded_by() {
    let mut native = tube();
    let Motion::Tracks(tracks) = &mut native.clips[0].motion else { panic!() };
    // Far from its start it leaps, and what has no size grows.
    let leap = 4001.0;
    for (frame, by) in [(0.0, 0.0), (leap - 1.0, 0.0), (leap, 1.0), (4005.0, 1.0)] {
        tracks[0].translation.push(frame, [5e3 * by, 1.0, 0.0]);
        tracks[0].scale.push(frame, [0.7 * by; 3]);
    }
    tracks[0].rotation = Channel::default();
    native.clips[0] = native.clips[0].clone().with_frames(4006).with_looping(false);
    native.meshes[0].positions[0][0] = 100.0;
    let budget = budget();
    let sampler = meshwright_scene::Sampler::new(&native, 0, &budget).unwrap();
    let edited = |late: f64, off: f32| {
        let mut track = Track { joint: 1, ..Track::default() };
        for sample in 0..4807_u16 {
            let frame = f64::from(sample) * 20.0 / 24.0;
            let mut local = sampler.trs(1, frame + late).narrow();
            // A tool that computes changes the bits.
            local.translation[1] += 1e-5;
            local.translation[2] += if sample == 4801 { off } else { 0.0 };
            let [seconds] = narrow([f64::from(sample) / 24.0]);
            let frame = seconds * 20.0;
            track.translation.push(frame, local.translation);
            track.scale.push(frame, local.scale);
        }
        let mut edited = native.clone();
        let clip = Clip::new("bend", SkeletonId(0), 20.0, Motion::Tracks(vec![track]));
        edited.clips[0] = clip.with_frames(4006).with_looping(false);
        edited
    };
    assert!(is_untouched(&edited(0.0, 0.0), &native));
    assert!(is_untouched(&edited(5e-4, 0.0), &native));
    assert!(!is_untouched(&edited(1e-2, 0.0), &native));
    assert!(!is_untouched(&edited(0.0, 20.0), &native));
}
