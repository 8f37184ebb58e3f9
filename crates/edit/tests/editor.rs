//! Edits that people make in an editor.

use crate::support::*;

/// Returns the vertices of the first mesh in a frame of the first clip, or in the rest pose.
fn posed(scene: &Scene, frame: Option<f64>) -> Vec<[f64; 3]> {
    let budget = budget();
    let skeleton = &scene.skeletons[0];
    let mut worlds = Vec::new();
    match frame {
        Some(frame) => {
            meshwright_scene::Sampler::new(scene, 0, &budget).unwrap().model(frame, &mut worlds).unwrap();
        }
        None => worlds.extend(skeleton.rest_model().unwrap().iter().map(meshwright_scene::Affine::wide)),
    }
    let mesh = &scene.meshes[0];
    let skin = mesh.skin.as_ref().unwrap();
    let at = |v: usize| {
        let mut sum = [0.0; 3];
        for i in skin.influences(v) {
            let joint = i.joint as usize;
            let m = worlds[joint].after(&skeleton.joints[joint].inverse_bind.wide());
            let p = m.point(wide(mesh.positions[v]));
            sum.iter_mut().zip(p).for_each(|(s, c)| *s += f64::from(i.weight) * c);
        }
        sum
    };
    (0..mesh.positions.len()).map(at).collect()
}

const FRAMES: [Option<f64>; 4] = [None, Some(0.0), Some(2.0), Some(4.0)];

fn looks_alike(edited: &Scene, back: &Scene, frames: &[Option<f64>]) {
    for &frame in frames {
        for (v, (a, b)) in posed(edited, frame).iter().zip(posed(back, frame)).enumerate() {
            let far = meshwright_core::math::distance(*a, b);
            assert!(far < 1e-5, "vertex {v} at {frame:?}: {a:?} {b:?}");
        }
    }
}

/// Moves the second joint, as in Edit Mode.
fn move_bone(edited: &mut Scene) {
    let by = [0.25_f32, 0.5, 0.0];
    let joints = &mut edited.skeletons[0].joints;
    let bound = joints[1].inverse_bind.wide().inverse().unwrap();
    let moved = meshwright_core::math::Affine64 { w: meshwright_core::math::add(bound.w, wide(by)), ..bound };
    joints[1].inverse_bind = moved.inverse().unwrap().narrow();
    for (joint, sign) in [(1, 1.0), (2, -1.0)] {
        let Local::Trs(rest) = &mut joints[joint].rest else { panic!("no parts") };
        rest.translation.iter_mut().zip(by).for_each(|(c, by)| *c += sign * by);
    }
}

/// Moves or scales the armature of a scene, whose roots are then below it.
fn place_armature(edited: &mut Scene, space: &Trs64) {
    let (by, space) = (space.scale[0], space.to_affine());
    edited.meshes[0].positions.iter_mut().for_each(|p| *p = narrow(space.point(wide(*p))));
    let back = space.inverse().unwrap();
    for joint in &mut edited.skeletons[0].joints {
        joint.inverse_bind = joint.inverse_bind.wide().after(&back).narrow();
        if joint.parent.is_none() {
            let rest = space.after(&joint.rest.to_affine64());
            joint.rest = Local::Trs(Trs64::from_affine(&rest).narrow());
        }
    }
    for clip in &mut edited.clips {
        let Motion::Tracks(tracks) = &mut clip.motion else { panic!("no tracks") };
        for root in tracks.iter_mut().filter(|track| track.joint == 0) {
            root.translation.values.iter_mut().for_each(|v| *v = narrow(space.point(wide(*v))));
            let scales = root.scale.values.iter_mut().flatten();
            scales.for_each(|s| *s = narrow([f64::from(*s) * by])[0]);
        }
    }
}

/// A bone that is moved in Edit Mode moves nothing else: its children and its motions stay.
#[test]
fn a_bone_that_moved_leaves_its_children_where_they_were() {
    let native = tube();
    let mut edited = native.clone();
    move_bone(&mut edited);
    let (back, report) = same(&edited, &native);
    looks_alike(&edited, &back, &FRAMES);
    let states: Vec<_> = report.joints.iter().map(|j| j.state).collect();
    assert_eq!(states, [State::Untouched, State::Edited, State::Untouched]);
    assert_eq!(report.clips[0].state, State::Edited);
}

/// An armature that was moved or scaled moves and scales its mesh, its joints and its clips.
#[test]
fn an_armature_that_was_placed_or_scaled_takes_everything_along() {
    let native = tube();
    let scaled = Trs64 { scale: [2.0; 3], ..Trs64::IDENTITY };
    let placed = Trs64 { translation: [3.0, 0.0, -1.5], ..Trs64::IDENTITY };
    for space in [scaled, placed] {
        let mut edited = native.clone();
        place_armature(&mut edited, &space);
        let space = space.to_affine();
        assert!(edited.clips.iter().all(|clip| match &clip.motion {
            Motion::Tracks(tracks) => tracks.iter().all(|track| track.joint != 0),
            Motion::Poses { .. } => false,
        }));
        let (back, report) = same(&edited, &native);
        looks_alike(&edited, &back, &FRAMES);
        let moved = native.meshes[0].positions.iter().filter(|p| space.point(wide(**p)) != wide(**p)).count();
        assert_eq!((report.meshes[0].change.moved, report.meshes[0].change.added), (moved, 0));
        assert!(report.joints.iter().filter(|joint| joint.state == State::Edited).count() >= 2);
    }
}

/// Blender has no scales in Edit Mode, and keeps those of clips.
#[test]
fn what_is_moved_among_bones_whose_scales_a_tool_drops_looks_alike_in_clips() {
    let mut native = tube();
    let root = Trs { translation: [0.5, 1.0, 0.0], scale: [0.7; 3], ..Trs::IDENTITY };
    native.skeletons[0].joints[0].rest = Local::Trs(root);
    native.skeletons[0].bind_rest().unwrap();
    let mut track = Track { joint: 0, ..Track::default() };
    track.translation.push(0.0, root.translation);
    track.scale.push(0.0, root.scale);
    let Motion::Tracks(tracks) = &mut native.clips[0].motion else { panic!("no tracks") };
    tracks.insert(0, track);
    let plain = crate::blender::unscaled(&native).0;
    assert!(same(&plain, &native).1.is_untouched());
    let moved = |edit: &dyn Fn(&mut Scene)| {
        let mut edited = plain.clone();
        edit(&mut edited);
        let (back, report) = same(&edited, &native);
        looks_alike(&edited, &back, &FRAMES[1..]);
        report.joints.iter().filter(|joint| joint.state == State::Edited).count()
    };
    assert_eq!(moved(&move_bone), 1);
    let scaled = Trs64 { scale: [2.0; 3], ..Trs64::IDENTITY };
    assert_eq!(moved(&|edited| place_armature(edited, &scaled)), 3);
    let placed = Trs64 { translation: [3.0, 0.0, -1.5], ..Trs64::IDENTITY };
    assert_eq!(moved(&|edited| place_armature(edited, &placed)), 3);
}

/// The children of a removed bone become children of its parent, and keep their positions.
#[test]
fn children_of_a_bone_that_is_gone_stay_where_they_were() {
    let native = tube();
    let mut edited = native.clone();
    let joints = &mut edited.skeletons[0].joints;
    joints.remove(1);
    joints[1].parent = Some(0);
    let Local::Trs(rest) = &mut joints[1].rest else { panic!("no parts") };
    rest.translation[1] += 1.0;
    edited.clips.clear();
    let skin = edited.meshes[0].skin.as_mut().unwrap();
    skin.influences.iter_mut().for_each(|i| i.joint = u32::from(i.joint > 1));
    edited.skeletons[0].joints[1].name = "e".into();
    let (back, report) = same(&edited, &native);
    assert_eq!(report.joints[1].state, State::Gone);
    assert_eq!(posed(&edited, None), posed(&back, None));
}

/// Returns a rest transform that is this far along Y.
fn rest(y: f32) -> Local {
    Local::Trs(Trs { translation: [0.0, y, 0.0], ..Trs::IDENTITY })
}

/// Adds keys to the first clip that turn a joint.
fn turn(scene: &mut Scene, joint: usize) {
    let mut track = Track { joint, ..Track::default() };
    for (time, turn) in [(0.0, 0.0), (4.0, 0.7)] {
        track.rotation.push(time, narrow(quat::about([1.0, 0.0, 0.0], turn)));
    }
    let Motion::Tracks(tracks) = &mut scene.clips[0].motion else { panic!("no tracks") };
    tracks.push(track);
}

/// A new bone may come between a bone and its parent, and may move.
#[test]
fn a_bone_that_is_inserted_moves_what_hangs_from_it() {
    let native = tube();
    let mut edited = native.clone();
    let joints = &mut edited.skeletons[0].joints;
    joints.push(Joint::new("new", Some(0), rest(0.25)));
    (joints[1].parent, joints[1].rest) = (Some(3), rest(0.75));
    joints[3].inverse_bind = Trs { translation: [0.0, -1.25, 0.0], ..Trs::IDENTITY }.to_affine();
    turn(&mut edited, 3);
    let (back, report) = same(&edited, &native);
    looks_alike(&edited, &back, &FRAMES);
    let parents: Vec<_> = back.skeletons[0].joints.iter().map(|joint| joint.parent).collect();
    assert_eq!(parents, [None, Some(3), Some(1), Some(0)]);
    let states: Vec<_> = report.joints.iter().map(|j| (j.state, j.change.parent)).collect();
    let untouched = (State::Untouched, false);
    assert_eq!(states, [untouched, (State::Edited, true), untouched, (State::New, false)]);
}

/// Clips that the edited file lacks look as before, whatever the new parents of their joints are.
#[test]
fn clips_that_stay_move_joints_with_other_parents_as_before() {
    let native = tube();
    for inserts in [false, true] {
        let mut edited = native.clone();
        edited.clips.clear();
        let joints = &mut edited.skeletons[0].joints;
        (joints[2].parent, joints[2].rest) = (Some(0), rest(2.0));
        if inserts {
            joints.push(Joint::new("new", Some(0), rest(0.5)));
            (joints[2].parent, joints[2].rest) = (Some(3), rest(1.5));
        }
        let original = Original { native: &native, exported: &native };
        let options = Options::new(Snap::Default, Absent::Kept);
        let (back, report) = recover(&edited, &original, &options, &budget()).unwrap();
        assert_eq!(back.skeletons[0].joints[2].parent, Some(if inserts { 3 } else { 0 }));
        looks_alike(&native, &back, &FRAMES);
        assert_eq!(report.clips[0].change.joints, ["e"]);
    }
}

/// A former descendant may become the parent of its ancestors.
#[test]
fn a_bone_that_becomes_the_parent_of_its_root_moves_it() {
    let native = tube();
    let mut edited = native.clone();
    let joints = &mut edited.skeletons[0].joints;
    (joints[2].parent, joints[2].rest) = (None, rest(3.0));
    (joints[0].parent, joints[0].rest) = (Some(2), rest(-2.0));
    turn(&mut edited, 2);
    let (back, report) = same(&edited, &native);
    looks_alike(&edited, &back, &FRAMES);
    let parents: Vec<_> = back.skeletons[0].joints.iter().map(|joint| joint.parent).collect();
    assert_eq!(parents, [Some(2), Some(0), None]);
    assert!(report.joints[0].change.parent && report.joints[2].change.parent);
}

/// A mesh that is exported without its armature has no information about joints.
#[test]
fn a_mesh_without_its_armature_keeps_its_weights() {
    let native = tube();
    let mut edited = native.clone();
    (edited.skeletons, edited.clips) = Default::default();
    edited.meshes[0].skin = None;
    edited.meshes[0].positions[4][2] += 0.5;
    let (back, report) = same(&edited, &native);
    assert_eq!((report.meshes[0].change.moved, report.meshes[0].change.weights), (1, 0));
    assert_eq!(back.meshes[0].skin, native.meshes[0].skin);
    assert_eq!((back.skeletons, back.clips), (native.skeletons, native.clips));
}

#[test]
fn colours_where_there_were_none_are_an_edit_unless_they_are_white() {
    let native = tube();
    let mut edited = native.clone();
    edited.meshes[0].colors = vec![[255; 4]; 18];
    assert!(same(&edited, &native).1.is_untouched());
    edited.meshes[0].colors[3] = [255, 0, 0, 255];
    let (back, report) = same(&edited, &native);
    assert_eq!(report.meshes[0].change.colors, 1);
    assert_eq!(back.meshes[0].colors, edited.meshes[0].colors);
}

#[test]
fn all_texture_coordinates_may_change_and_no_vertex_does() {
    let native = tube();
    let mut edited = native.clone();
    edited.meshes[0].uvs.iter_mut().flatten().for_each(|c| *c *= 0.5);
    for order in [false, true] {
        if order {
            edited = mangled(&edited);
        }
        let (back, report) = same(&edited, &native);
        let change = &report.meshes.iter().find(|part| part.name == "body").unwrap().change;
        assert_eq!((change.uvs, change.added, change.removed, change.triangles_added), (17, 0, 0, 0));
        assert_eq!(back.meshes[0].positions, native.meshes[0].positions);
    }
}

/// Vertices at a seam differ in texture coordinates only: the common scale tells them apart.
#[test]
fn texture_coordinates_at_seams_may_change_with_all_others() {
    let mut native = tube();
    let mesh = &mut native.meshes[0];
    // Every triangle has corners of its own, and each corner its own texture coordinates.
    let corners: Vec<usize> = mesh.triangles.as_flattened().iter().map(|v| *v as usize).collect();
    let skin = mesh.skin.take().unwrap();
    let mut new = Skin::new(skin.skeleton);
    for v in &corners {
        new.influences.extend(skin.influences(*v));
        new.end_vertex();
    }
    mesh.skin = Some(new);
    mesh.positions = corners.iter().map(|v| mesh.positions[*v]).collect();
    mesh.normals = corners.iter().map(|v| mesh.normals[*v]).collect();
    mesh.colors = corners.iter().filter_map(|v| mesh.colors.get(*v).copied()).collect();
    // Every eighth corner has a position of its own, like vertices outside seams.
    let count = corners.len();
    mesh.uvs = (0..count).map(|c| [c as f32 / 64.0, (c * c % 61) as f32 / 64.0]).collect();
    mesh.triangles = (0..count as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    for c in (0..count).step_by(8) {
        mesh.positions[c][0] += 0.01 + 1e-4 * c as f32;
    }
    let mut edited = native.clone();
    let mesh = &mut edited.meshes[0];
    mesh.uvs.iter_mut().for_each(|uv| *uv = [0.5 * uv[0] + 0.25, 2.0 * uv[1]]);
    // Tools keep no order of triangles.
    mesh.triangles.rotate_left(1);
    let (back, report) = same(&edited, &native);
    let change = &report.meshes[0].change;
    assert_eq!((change.uvs, change.added, change.removed), (count, 0, 0));
    assert_eq!(back.meshes[0].positions, native.meshes[0].positions);
}

/// Tools tell clips of one name apart by numbers.
#[test]
fn clips_of_one_name_are_not_renamed() {
    let mut native = tube();
    let again = native.clips[0].clone();
    native.clips.push(again);
    let mut edited = native.clone();
    edited.clips[1].name = "bend.001".into();
    let (back, report) = same(&edited, &native);
    assert!(report.is_untouched(), "{:?}", report.clips);
    assert_eq!(back, native);
}

/// Some tools leave out clips in which nothing moves, and some keep them.
#[test]
fn a_clip_that_stands_still_is_gone_where_its_tool_keeps_such() {
    let mut native = tube();
    let still = Clip::new("still", SkeletonId(0), 20.0, Motion::Tracks(Vec::new()));
    native.clips.push(still);
    let edited = tube();
    let original = Original { native: &native, exported: &native };
    for kept in [false, true] {
        let options = Options { keeps_still_clips: kept, ..Options::new(Snap::Default, Absent::Gone) };
        let (back, report) = recover(&edited, &original, &options, &budget()).unwrap();
        assert_eq!((report.is_untouched(), back.clips.len()), (!kept, if kept { 1 } else { 2 }));
    }
}

#[test]
fn a_picture_or_a_material_that_changed_is_an_edit() {
    let native = tube();
    let mut edited = native.clone();
    let image = meshwright_scene::Image::new("skin", "image/png", vec![1, 2, 3]);
    edited.materials[0].image = Some(image.clone());
    let original = Original { native: &native, exported: &native };
    let find = |edited: &Scene, pictures: &[bool]| {
        let mut marks = Marks::default();
        let named = |name: &str| Some(Mark { name: name.into(), ..Mark::default() });
        marks.meshes = vec![named("body"), None];
        let options = Options { pictures, marks: Some(&marks), ..Options::new(Snap::Default, Absent::Gone) };
        recover(edited, &original, &options, &budget()).unwrap()
    };
    assert!(find(&edited, &[false]).1.is_untouched());
    let (back, report) = find(&edited, &[true]);
    assert!(report.materials[0].change.picture && back.materials[0].image == Some(image));
    edited.meshes[0].material = None;
    let (back, report) = find(&edited, &[false]);
    assert!(report.meshes[0].change.material && back.meshes[0].material.is_none());
}
