//! Tests what is an edit and what is not.

use crate::support::*;
use meshwright_scene::strategy::clean_scene;
use meshwright_testkit::proptest;
use proptest::prelude::*;

#[test]
fn a_mangled_model_is_untouched() {
    let native = tube();
    let (scene, report) = same(&mangled(&native), &native);
    assert!(report.is_untouched(), "{report:#?}");
    assert_eq!(scene, native);
}

#[test]
fn what_was_edited_in_a_mangled_model_is_all_that_is() {
    let native = tube();
    let mut edited = mangled(&native);
    let body = &mut edited.meshes[1];
    body.positions[4][0] += 0.5;
    let (scene, report) = same(&edited, &native);
    let change = &report.meshes[0].change;
    assert_eq!(
        (report.meshes[0].state, change.moved, change.added, change.removed),
        (State::Edited, 1, 0, 0)
    );
    assert!((change.furthest - 0.5).abs() < 1e-6);
    let mut expected = native.clone();
    expected.meshes[0].positions[13][0] += 0.5;
    assert_eq!(scene, expected);
}

#[test]
fn an_edited_key_is_one_joint_in_one_frame() {
    let native = tube();
    let mut edited = mangled(&native);
    if let Motion::Tracks(tracks) = &mut edited.clips[0].motion {
        let own = wide(tracks[0].rotation.values[3]);
        tracks[0].rotation.values[3] = narrow(quat::product(own, quat::about([0.0, 1.0, 0.0], 0.3)));
    }
    let (scene, report) = same(&edited, &native);
    let change = &report.clips[0].change;
    assert_eq!((&change.frames[..], &change.joints[..]), (&[3][..], &["c.d".to_string()][..]));
    assert!((change.degrees - 0.3_f64.to_degrees()).abs() < 1e-3);
    assert_eq!((scene.meshes, scene.skeletons), (native.meshes, native.skeletons));
}

/// Extras of a clip, such as events, are compared. The colour of a hidden surface is not.
#[test]
fn what_clips_say_is_compared_and_what_is_hidden_is_not() {
    use meshwright_scene::Extra;
    let events = |frame: Extra, bone: &str| {
        let event = Extra::Map(vec![("frame".into(), frame), ("bone".into(), bone.into())]);
        Some(Extra::Map(vec![("events".into(), Extra::List(vec![event]))]))
    };
    let mut native = tube();
    native.clips[0].extras = events(Extra::Int(3), "arm");
    let mut edited = native.clone();
    edited.materials[0] = Material::named("skin").hidden();
    let mut untouched = vec![None, events(Extra::Float(3.0), "arm")];
    // Extras that the native clip lacks were added by the tool.
    untouched.push(Some(Extra::Map(vec![("fromFBX".into(), Extra::Bool(true))])));
    for extras in untouched {
        edited.clips[0].extras = extras;
        let (back, report) = same(&edited, &native);
        assert!(report.is_untouched(), "{report:?}");
        assert_eq!(back, native);
    }
    for extras in [events(Extra::Int(2), "arm"), events(Extra::Int(3), "Arm")] {
        edited.clips[0].extras.clone_from(&extras);
        let (back, report) = same(&edited, &native);
        assert!(report.clips[0].change.says && report.clips[0].change.joints.is_empty());
        assert_eq!(back.clips[0].extras, extras);
        assert_eq!(back.clips[0].motion, native.clips[0].motion);
    }
}

/// A renamed object renames its mesh, apart from changes that tools make to names.
#[test]
fn an_object_that_is_renamed_is_its_mesh() {
    let native = tube();
    let renamed = |name: &str| {
        let mut edited = native.clone();
        edited.nodes[0].name = name.into();
        same(&edited, &native)
    };
    for name in ["body.001", "body_1", "", "Node_3", "hat"] {
        let (back, report) = renamed(name);
        assert!(report.is_untouched(), "{name}: {:?}", report.meshes);
        assert_eq!(back, native);
    }
    let (back, report) = renamed("torso");
    assert_eq!(report.meshes[0].change.renamed.as_deref(), Some("torso"));
    assert_eq!((&*back.meshes[0].name, &*back.nodes[0].name), ("torso", "torso"));
}

#[test]
fn numbers_behind_shared_names_are_no_new_names() {
    let mut native = tube();
    native.skeletons[0].joints[2].name = "c.d".into();
    let mut edited = native.clone();
    edited.skeletons[0].joints[2].name = "c.d.001".into();
    let (_, report) = same(&edited, &native);
    assert!(report.is_untouched(), "{:?}", report.joints);
    edited.skeletons[0].joints[0].name = "a b.001".into();
    let (_, report) = same(&edited, &native);
    assert_eq!(report.joints[0].change.renamed.as_deref(), Some("a b.001"));
}

/// Packers keep a fixed number of bits of a translation's largest component, whatever the size of the model.
#[test]
fn a_translation_that_lost_bits_far_away_is_untouched() {
    let mut native = tube();
    let Motion::Tracks(tracks) = &mut native.clips[0].motion else { panic!("no tracks") };
    tracks[0].translation.push(0.0, [0.0, 1.0, 0.0]);
    tracks[0].translation.push(4.0, [3000.0, -1700.0, 90.0]);
    let moved = |by: f32| {
        let mut edited = native.clone();
        let Motion::Tracks(tracks) = &mut edited.clips[0].motion else { panic!("no tracks") };
        tracks[0].translation.values[1].iter_mut().for_each(|c| *c += by);
        edited
    };
    let (back, report) = snapped(&moved(1.2), &native, Snap::Loose);
    assert!(report.is_untouched(), "{:?}", report.clips);
    assert_eq!(back, native);
    for (by, snap) in [(1.8, Snap::Loose), (0.1, Snap::Default)] {
        assert_eq!(snapped(&moved(by), &native, snap).1.clips[0].state, State::Edited);
    }
}

/// A model without normals has no edited normals.
#[test]
fn normals_that_the_model_does_not_have_are_no_edits() {
    let mut native = tube();
    native.meshes[0].normals.clear();
    let exported = tube();
    let mut edited = exported.clone();
    // A vertex that was taken apart for its normals.
    let body = &mut edited.meshes[0];
    body.normals[4] = [0.0, 1.0, 0.0];
    body.positions.push(body.positions[7]);
    body.uvs.push(body.uvs[7]);
    body.normals.push([1.0, 0.0, 0.0]);
    let skin = body.skin.as_mut().unwrap();
    let own = skin.influences(7).to_vec();
    skin.influences.extend(own);
    skin.end_vertex();
    let corner = body.triangles.iter_mut().flatten().find(|v| **v == 7).unwrap();
    *corner = 18;
    let against = |native: &Scene, computed: bool| {
        let original = Original { native, exported: &exported };
        let options = Options { computed_normals: computed, ..Options::new(Snap::Default, Absent::Gone) };
        recover(&edited, &original, &options, &budget()).unwrap()
    };
    for (native, computed) in [(&native, false), (&exported, true)] {
        let (back, report) = against(native, computed);
        assert!(report.is_untouched(), "{report:?}");
        assert_eq!(back, *native);
    }
    assert!(!against(&exported, false).1.is_untouched());
}

/// Blender names joints and materials without a name by their number.
#[test]
fn names_of_what_has_none_are_no_edits() {
    let mut scene = tube();
    scene.skeletons[0].joints[1].name.clear();
    scene.materials[0].name.clear();
    let mut edited = scene.clone();
    edited.skeletons[0].joints[1].name = "Node_7".into();
    edited.materials[0].name = "Material_3".into();
    let mark = |index| Some(Mark { index, ..Mark::default() });
    let marks = {
        let mut marks = Marks::default();
        (marks.joints, marks.materials) = (vec![vec![None, mark(1), None]], vec![mark(0)]);
        marks
    };
    let against = |edited: &Scene| {
        let original = Original { native: &scene, exported: &scene };
        let options = Options { marks: Some(&marks), ..Options::new(Snap::Default, Absent::Gone) };
        recover(edited, &original, &options, &budget()).unwrap()
    };
    let (back, report) = against(&edited);
    assert!(report.is_untouched(), "{report:?}");
    assert_eq!(back, scene);
    edited.skeletons[0].joints[1].name = "arm".into();
    edited.materials[0].name = "cloth".into();
    let (back, report) = against(&edited);
    assert_eq!(report.joints[1].change.renamed.as_deref(), Some("arm"));
    assert_eq!((report.materials[0].state, back.materials[0].name.as_str()), (State::Edited, "cloth"));
}

#[test]
fn new_parts_come_behind() {
    let native = tube();
    let mut edited = mangled(&native);
    let ball = Mesh::new("ball", vec![[3.0, 3.0, 3.0], [4.0, 3.0, 3.0], [3.0, 4.0, 3.0]], vec![[0, 1, 2]]);
    edited.meshes.insert(0, ball);
    edited.nodes.iter_mut().for_each(|n| n.meshes[0].0 += 1);
    edited.nodes.push(Node::of_mesh("ball", MeshId(0)));
    edited.skeletons[0].joints.push(Joint::new("tail", Some(0), Local::default()));
    let mut wave = edited.clips[0].clone();
    wave.name = "wave".into();
    if let Motion::Tracks(tracks) = &mut wave.motion {
        tracks[0].rotation.values.iter_mut().for_each(|q| *q = [0.0, 0.0, 0.0, 1.0]);
    }
    edited.clips.insert(0, wave);
    let (scene, report) = same(&edited, &native);
    assert_eq!(scene.meshes[..2], native.meshes);
    assert_eq!(scene.skeletons[0].joints[..3], native.skeletons[0].joints);
    assert_eq!(scene.clips[0].name, "bend");
    let names = |n: &str| report.meshes.iter().any(|p| p.name == n && p.state == State::New);
    assert!(names("ball") && report.clips[1].state == State::New && report.joints[3].state == State::New);
    assert!(scene.validate().is_ok());
}

/// A mesh that was exported without any joint, as a static one or without its armature, has no information about weights.
#[test]
fn without_any_joint_weights_are_not_said() {
    let native = tube();
    let mut edited = native.clone();
    edited.meshes[0].skin = None;
    (edited.skeletons, edited.clips) = (Vec::new(), Vec::new());
    let original = Original { native: &native, exported: &native };
    let back = |edited: &Scene, absent| {
        recover(edited, &original, &Options::new(Snap::Default, absent), &budget()).unwrap()
    };
    let (scene, report) = back(&edited, Absent::Kept);
    assert!(report.is_untouched(), "{report:?}");
    assert_eq!(scene, native);
    assert!(back(&edited, Absent::Gone).1.is_untouched());
    edited.meshes[0].positions[4][2] += 0.5;
    let (scene, report) = back(&edited, Absent::Kept);
    let change = &report.meshes[0].change;
    assert_eq!((change.moved, change.weights), (1, 0));
    assert_eq!(scene.meshes[0].skin, native.meshes[0].skin);
    // A skeleton that moves other meshes would move this one too.
    edited.skeletons.clone_from(&native.skeletons);
    assert_ne!(back(&edited, Absent::Kept).1.meshes[0].change.weights, 0);
}

proptest! {
    #[test]
    fn a_scene_is_itself(scene in clean_scene()) {
        let (back, report) = snapped(&scene, &scene, Snap::Default);
        prop_assert!(report.is_untouched(), "{report:?}");
        // NaN is not equal to itself.
        prop_assert_eq!(format!("{back:?}"), format!("{scene:?}"));
    }

    #[test]
    fn any_two_scenes_give_a_scene_or_an_error(edited in clean_scene(), native in clean_scene()) {
        let original = Original { native: &native, exported: &native };
        for absent in [Absent::Gone, Absent::Kept] {
            if let Ok((scene, _)) = recover(&edited, &original, &Options::new(Snap::Loose, absent), &budget()) {
                prop_assert!(scene.validate().is_ok(), "{:?}", scene.validate());
            }
        }
    }
}
