use super::*;
use crate::ids::{MaterialId, MeshId, SkeletonId};
use crate::mesh::{Influence, Mesh, Skin};
use crate::model::{Material, Node};
use crate::motion::{Clip, Motion, Track};
use crate::skeleton::{Joint, Local, Skeleton};
use crate::strategy::clean_scene;
use alloc::string::ToString;
use alloc::vec;
use meshwright_core::math::quat;
use meshwright_core::math::{Trs, Trs64, narrow};
use meshwright_core::{Budget, Limits};
use proptest::prelude::*;

fn budget() -> Budget {
    Budget::new(Limits::default())
}

fn same(edited: &Scene, native: &Scene) -> (Scene, Recovery) {
    snapped(edited, native, Snap::Default)
}

fn snapped(edited: &Scene, native: &Scene, snap: Snap) -> (Scene, Recovery) {
    let original = Original { native, exported: native };
    recover(edited, &original, &Options::new(snap, Absent::Gone), &budget()).unwrap()
}

/// A strip of quads along a chain of three bones, that bends in one clip.
fn tube() -> Scene {
    let joint = |name: &str, parent: Option<usize>| {
        let rest = Trs { translation: [0.0, 1.0, 0.0], ..Trs::IDENTITY };
        Joint::new(name, parent, Local::Trs(rest))
    };
    let mut skeleton = Skeleton {
        name: "s".into(),
        joints: vec![joint("a b", None), joint("c.d", Some(0)), joint("e", Some(1))],
    };
    skeleton.bind_rest().unwrap();
    let (mut positions, mut uvs, mut skin) = (Vec::new(), Vec::new(), Skin::new(SkeletonId(0)));
    for row in 0..6_u8 {
        for side in 0..3_u8 {
            positions.push([f32::from(side), f32::from(row) * 0.75, f32::from(side * row) * 0.01]);
            uvs.push([f32::from(side) / 2.0, f32::from(row) / 5.0]);
            skin.influences.push(Influence { joint: u32::from(row / 2), weight: 0.75 });
            skin.influences.push(Influence { joint: 2, weight: 0.25 });
            skin.end_vertex();
        }
    }
    let mut triangles = Vec::new();
    for row in 0..5_u32 {
        for side in 0..2 {
            let v = row * 3 + side;
            triangles.extend([[v, v + 1, v + 3], [v + 1, v + 4, v + 3]]);
        }
    }
    let normals = vec![[0.0, 0.0, 1.0]; positions.len()];
    let body = Mesh::new("body", positions, triangles)
        .with_normals(normals)
        .with_uvs(uvs)
        .with_skin(skin)
        .with_material(MaterialId(0));
    let hat = Mesh::new("hat", vec![[9.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, 0.0, 1.0]], vec![[0, 1, 2]]);
    let mut track = Track { joint: 1, ..Track::default() };
    for frame in 0..5_u8 {
        let turn = quat::about([0.0, 0.0, 1.0], f64::from(frame) * 0.2);
        track.rotation.push(f32::from(frame), narrow(turn));
    }
    let clip = Clip::new("bend", SkeletonId(0), 20.0, Motion::Tracks(vec![track]));
    Scene::new("tube")
        .with_meshes(vec![body, hat])
        .with_nodes(vec![Node::of_mesh("body", MeshId(0)), Node::of_mesh("hat", MeshId(1))])
        .with_skeletons(vec![skeleton])
        .with_materials(vec![Material::named("skin")])
        .with_clips(vec![clip])
}

/// The same model as a tool may hand it back: everything in another order, with other axes and names made safe.
fn mangled(scene: &Scene) -> Scene {
    let mut out = scene.clone();
    let mesh = &mut out.meshes[0];
    let n = mesh.positions.len();
    let last = u32::try_from(n - 1).unwrap();
    mesh.positions.reverse();
    mesh.normals.reverse();
    mesh.uvs.reverse();
    mesh.triangles.reverse();
    mesh.triangles.iter_mut().for_each(|t| *t = [last - t[1], last - t[2], last - t[0]]);
    let old = mesh.skin.take().unwrap();
    let mut skin = Skin::new(SkeletonId(0));
    for v in (0..n).rev() {
        skin.influences.extend(old.of(v).iter().map(|i| Influence { joint: 2 - i.joint, ..*i }));
        skin.end_vertex();
    }
    mesh.skin = Some(skin);
    out.meshes.reverse();
    out.nodes = vec![Node::of_mesh("hat", MeshId(0)), Node::of_mesh("body", MeshId(1))];
    let quarter = Trs64 { rotation: quat::about([1.0, 0.0, 0.0], 1.5), ..Trs64::IDENTITY }.to_affine();
    let back = quarter.inverse().unwrap();
    let joints = &mut out.skeletons[0].joints;
    for joint in joints.iter_mut() {
        joint.inverse_bind = back.after(&joint.inverse_bind.wide()).narrow();
        joint.parent = joint.parent.map(|p| 2 - p);
        joint.name = joint.name.replace(' ', "_").replace('.', "");
        let rest = joint.rest.to_affine64().after(&quarter);
        let rest = if joint.parent.is_some() { back.after(&rest) } else { rest };
        joint.rest = Local::Trs(Trs64::from_affine(&rest).narrow());
    }
    joints.reverse();
    if let Motion::Tracks(tracks) = &mut out.clips[0].motion {
        for q in &mut tracks[0].rotation.values {
            let turned = quat::product(quat::about([1.0, 0.0, 0.0], -1.5), wide(*q));
            *q = narrow(quat::product(turned, quat::about([1.0, 0.0, 0.0], 1.5)));
        }
        let mut moved = tracks[0].clone();
        // Its rest was turned: so is the place of the joint on its parent.
        moved.translation.push(0.0, narrow(back.vector([0.0, 1.0, 0.0])));
        tracks[0] = moved;
    }
    out
}

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
fn the_least_edit_is_seen() {
    let native = tube();
    type Edit = fn(&mut Scene);
    let edits: [(&str, Edit); 13] = [
        ("position", |s| s.meshes[0].positions[7][1] += 1e-4),
        ("normal", |s| s.meshes[0].normals[3] = [0.01, 0.0, 0.999_95]),
        ("uv", |s| s.meshes[0].uvs[3][0] += 1e-5),
        ("weight", |s| {
            let skin = s.meshes[0].skin.as_mut().unwrap();
            skin.influences[6].weight += 1e-5;
            skin.influences[7].weight -= 1e-5;
        }),
        ("triangle", |s| s.meshes[0].triangles[2].swap(0, 1)),
        ("mesh name", |s| s.meshes[1].name = "cap".into()),
        ("material", |s| s.meshes[1].material = Some(MaterialId(0))),
        ("colour", |s| s.materials[0].base_color[1] -= 1e-5),
        ("joint name", |s| s.skeletons[0].joints[2].name = "tail".into()),
        ("joint place", |s| {
            s.skeletons[0].joints[2].inverse_bind.w[0] -= 1e-3;
            if let Local::Trs(t) = &mut s.skeletons[0].joints[2].rest {
                t.translation[0] += 1e-3;
            }
        }),
        ("clip name", |s| s.clips[0].name = "fold".into()),
        ("key", |s| {
            if let Motion::Tracks(tracks) = &mut s.clips[0].motion {
                tracks[0].rotation.values[2] = narrow(quat::about([0.0, 0.0, 1.0], 0.4001));
            }
        }),
        ("deleted", |s| {
            s.meshes.truncate(1);
            s.nodes.truncate(1);
        }),
    ];
    for (what, edit) in edits {
        let mut edited = native.clone();
        edit(&mut edited);
        let (scene, report) = same(&edited, &native);
        assert!(!report.is_untouched(), "{what}");
        assert_ne!(scene, native, "{what}");
        assert!(scene.validate().is_ok(), "{what}");
    }
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

/// A strip whose middle column stands twice, next to equal, and the same with one vertex for each two.
fn welded() -> (Scene, Scene) {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    let (mut welded, mut corners) = (Vec::new(), Vec::new());
    for row in 0..4_u8 {
        let y = f32::from(row);
        positions.extend([[0.0, y, 0.0], [1.0, y, 0.0], [1.0, y, 1e-4], [2.0, y, 0.0]]);
        welded.extend([[2.0, y, 2e-5], [1.0, y, 5e-5], [0.0, y, 0.0]]);
    }
    for row in 0..3_u32 {
        let (v, w) = (row * 4, row * 3);
        triangles.extend([[v, v + 1, v + 4], [v + 1, v + 5, v + 4]]);
        triangles.extend([[v + 2, v + 3, v + 6], [v + 3, v + 7, v + 6]]);
        corners.extend([[w + 2, w + 1, w + 5], [w + 4, w + 5, w + 1]]);
        corners.extend([[w + 3, w + 4, w], [w + 4, w + 1, w]]);
    }
    // Where the columns meet, the second one goes the other way round.
    corners.iter_mut().skip(2).step_by(4).for_each(|t| *t = [t[2] + 1, t[2], t[2] + 4]);
    corners.iter_mut().skip(3).step_by(4).for_each(|t| *t = [t[2], t[2] + 3, t[2] + 4]);
    let scene = |positions, triangles| {
        let mesh = Mesh::new("strip", positions, triangles);
        Scene::new("s").with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("strip", MeshId(0))])
    };
    (scene(positions, triangles), scene(welded, corners))
}

/// Of two layers that lie within the tolerance of each other, each is the one that it is nearer to.
#[test]
fn layers_are_told_apart_by_which_is_nearer() {
    // A side of 10 allows for 1e-3.
    let layer = |z: f32| [[0.0, 0.0, z], [10.0, 0.0, z], [0.0, 10.0, z]];
    let scene = |layers: [f32; 2]| {
        let positions = layers.iter().flat_map(|z| layer(*z)).collect();
        let mesh = Mesh::new("leaf", positions, vec![[0, 1, 2], [3, 4, 5]]);
        Scene::new("s").with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("leaf", MeshId(0))])
    };
    let native = scene([0.0, 9e-4]);
    let edited = scene([1.2e-3, 3e-4]);
    let (back, report) = snapped(&edited, &native, Snap::Loose);
    assert!(report.is_untouched(), "{report:?}");
    assert_eq!(back, native);
    let moved = scene([2.2e-3, 3e-4]);
    assert!(!snapped(&moved, &native, Snap::Loose).1.is_untouched());
}

/// What a clip says of itself, such as its events, and the colour of what an engine does not draw.
#[test]
fn what_clips_say_is_compared_and_what_is_hidden_is_not() {
    use crate::extra::Extra;
    let events = |frame: Extra, bone: &str| {
        let event = Extra::Map(vec![("frame".into(), frame), ("bone".into(), bone.into())]);
        Some(Extra::Map(vec![("events".into(), Extra::List(vec![event]))]))
    };
    let mut native = tube();
    native.clips[0].extras = events(Extra::Int(3), "arm");
    let mut edited = native.clone();
    edited.materials[0] = Material::named("skin").hidden();
    let mut untouched = vec![None, events(Extra::Float(3.0), "arm")];
    // What the native clip does not say is the tool's.
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

/// The name of an object is that of its mesh, but for what tools make of it.
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

/// The faces of a mesh from one on as a mesh of their own.
fn cut(edited: &mut Scene, from: usize) -> Mesh {
    let mut part = edited.meshes[0].clone();
    part.triangles = edited.meshes[0].triangles.split_off(from);
    part.name = "body_1".into();
    part
}

#[test]
fn faces_of_another_material_are_a_mesh_of_their_own() {
    let native = tube();
    let with = |material: &str| {
        let mut edited = native.clone();
        let mut part = cut(&mut edited, 8);
        part.positions.iter_mut().for_each(|p| p[0] += 1e-7);
        if !material.is_empty() {
            part.material = Some(MaterialId(1));
            edited.materials.push(Material::named(material));
        }
        edited.nodes[0].meshes.push(MeshId(2));
        edited.meshes.push(part);
        same(&edited, &native)
    };
    let (scene, report) = with("blue");
    let change = &report.meshes[0].change;
    assert_eq!((change.triangles_removed, change.moved, change.material), (12, 0, false), "{report:?}");
    assert_eq!((scene.meshes.len(), report.meshes[2].state), (3, State::New));
    let new = &scene.meshes[2];
    assert_eq!(new.material.and_then(|m| scene.materials.get(m.0)).map(|m| &*m.name), Some("blue"));
    assert_eq!((new.triangles.len(), &new.positions), (12, &native.meshes[0].positions));
    // Tools split meshes, and call materials that are none something.
    for none in ["", "Material_0", "PaletteMaterial001"] {
        let (scene, report) = with(none);
        assert!(report.is_untouched() && scene == native, "{none}: {report:?}");
    }
}

/// They do not get their old material back because another mesh with the new one is gone, unless they may be that mesh.
#[test]
fn faces_of_the_material_of_a_mesh_that_is_gone_are_a_mesh_of_their_own() {
    let mut native = tube();
    native.materials.push(Material::named("cloth"));
    native.meshes[1].material = Some(MaterialId(1));
    let painted = |native: &Scene| {
        let mut edited = native.clone();
        let mut part = cut(&mut edited, 8);
        part.material = Some(MaterialId(1));
        edited.meshes[1] = part;
        edited.nodes[0].meshes.push(MeshId(1));
        edited.nodes.truncate(1);
        same(&edited, native)
    };
    // A hat elsewhere, of fewer triangles or of as many.
    let small = native.clone();
    native.meshes[1].triangles = vec![[0, 1, 2]; 12];
    for native in [&small, &native] {
        let (scene, report) = painted(native);
        assert_eq!(report.meshes[0].change.triangles_removed, 12, "{report:?}");
        let new = scene.meshes.iter().find(|m| m.name == "body_1").expect("a mesh of its own");
        assert_eq!((new.triangles.len(), new.material), (12, Some(MaterialId(1))));
    }
    // A shell of the body itself: it came back under another name.
    native.meshes[1] = Mesh { name: "shell".into(), ..native.meshes[0].clone() }.with_material(MaterialId(1));
    native.nodes[1].name = "shell".into();
    let mut edited = native.clone();
    edited.meshes[1].name = "body_1".into();
    edited.nodes[0].meshes.push(MeshId(1));
    edited.nodes.truncate(1);
    let (_, report) = same(&edited, &native);
    assert!(report.meshes.iter().all(|m| m.state != State::New), "{report:?}");
}

/// Of two triangles at one edge the one that is still there is known by where it stands, whatever its normals are.
#[test]
fn of_triangles_at_one_edge_none_moves_onto_another() {
    let corners = vec![
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 5.0, 3.0],
        [1.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
    ];
    let up = [0.0, 0.0, 1.0];
    let mesh =
        Mesh::new("m", corners, vec![[0, 1, 2], [0, 1, 3], [1, 4, 2], [0, 5, 1]]).with_normals(vec![up; 6]);
    let native = Scene::new("s").with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("m", MeshId(0))]);
    let mut edited = native.clone();
    let mesh = &mut edited.meshes[0];
    mesh.triangles.remove(1);
    // Its corner was taken apart, and looks elsewhere in one of the faces.
    mesh.positions[3] = mesh.positions[2];
    mesh.normals[3] = [0.0, 0.6, 0.8];
    mesh.triangles[0] = [0, 1, 3];
    let (_, report) = same(&edited, &native);
    assert_eq!(report.meshes[0].change.moved, 0, "{report:?}");
    // Nor where both have the same texture coordinates.
    let uvs = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.0]];
    let [native, edited] = [native, edited].map(|mut scene| {
        scene.meshes[0].uvs.clone_from(&uvs);
        scene
    });
    let (_, report) = same(&edited, &native);
    assert_eq!(report.meshes[0].change.moved, 0, "{report:?}");
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

/// Objects that are joined have the name of one, and their parts numbers.
#[test]
fn parts_of_one_object_keep_their_names() {
    let native = tube();
    let mut edited = native.clone();
    edited.meshes[1].name = "body_1".into();
    edited.nodes.pop();
    edited.nodes[0].meshes.push(MeshId(1));
    let (back, report) = same(&edited, &native);
    assert_eq!((&*back.meshes[1].name, report.is_untouched()), ("hat", true), "{:?}", report.meshes);
    edited.meshes[1].name = "cap".into();
    let (back, _) = same(&edited, &native);
    assert_eq!(back.meshes[1].name, "cap");
}

/// A palette of flat colours says nothing else than they did.
#[test]
fn colours_that_became_pixels_are_those_of_their_meshes() {
    let mut native = tube();
    native.materials[0].base_color = [0.5, 0.25, 0.125, 1.0];
    native.materials.push(Material::named("cloth"));
    native.materials[1].base_color = [0.0, 0.75, 0.5, 1.0];
    native.meshes[1].material = Some(MaterialId(1));
    let palette = |colors: [[f32; 4]; 2]| {
        let mut edited = native.clone();
        for (material, color) in edited.materials.iter_mut().zip(colors) {
            material.name = "PaletteMaterial001".into();
            material.base_color = color;
        }
        edited.meshes[0].uvs.clear();
        edited
    };
    let [body, hat] = [native.materials[0].base_color, native.materials[1].base_color];
    let marks =
        Marks { materials: vec![Some(Mark { name: "skin".into(), ..Mark::default() })], ..Marks::default() };
    let against = |edited: &Scene| {
        let original = Original { native: &native, exported: &native };
        let options = Options::new(Snap::Loose, Absent::Gone).with_marks(&marks);
        recover(edited, &original, &options, &budget()).unwrap()
    };
    // A whole step of eight bits: they are cut, not rounded.
    let pixel = |c: f32| crate::color::linear(crate::color::srgb(c).saturating_sub(1));
    let (back, report) = against(&palette([body, hat].map(|[r, g, b, a]| [pixel(r), pixel(g), pixel(b), a])));
    assert!(report.is_untouched(), "{report:?}");
    assert_eq!(back, native);
    let other = [0.53, 0.25, 0.125, 1.0];
    let (back, report) = against(&palette([other, hat]));
    let states: Vec<_> = report.materials.iter().map(|part| part.state).collect();
    assert_eq!(states, [State::Edited, State::Untouched]);
    assert_eq!((back.materials[0].base_color, back.materials[0].name.as_str()), (other, "skin"));
    // A mesh that has the other colour has the other material.
    let mut two = native.clone();
    two.meshes[1].material = Some(MaterialId(0));
    let original = Original { native: &two, exported: &two };
    let options = Options::new(Snap::Loose, Absent::Gone).with_marks(&marks);
    let (back, report) = recover(&palette([body, hat]), &original, &options, &budget()).unwrap();
    assert!(report.meshes[1].change.material && !report.meshes[0].change.material, "{report:?}");
    assert_eq!(back.meshes[1].material, Some(MaterialId(1)));
}

#[test]
fn vertices_that_were_joined_are_both_still_there() {
    let (native, edited) = welded();
    let (back, report) = snapped(&edited, &native, Snap::Loose);
    assert!(report.is_untouched(), "{report:?}");
    assert_eq!(back, native);
    assert!(!snapped(&edited, &native, Snap::Default).1.is_untouched());

    // One that was moved is both that it was.
    let mut moved = edited.clone();
    moved.meshes[0].positions[4][2] += 0.5;
    let (back, report) = snapped(&moved, &native, Snap::Loose);
    let change = &report.meshes[0].change;
    assert_eq!((change.moved, change.added, change.removed, change.triangles_added), (2, 0, 0, 0));
    let mut expected = native.clone();
    expected.meshes[0].positions[5][2] = 0.5 + 5e-5;
    expected.meshes[0].positions[6][2] = 0.5 + 5e-5;
    assert_eq!(back, expected);

    // A triangle that is gone is gone.
    let mut fewer = edited.clone();
    fewer.meshes[0].triangles.remove(3);
    let (_, report) = snapped(&fewer, &native, Snap::Loose);
    assert_eq!(report.meshes[0].change.triangles_removed, 1);
}

/// Packers keep so many bits of the largest number of a translation, however large the model is that it moves.
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

#[test]
fn colours_and_materials_that_packers_make_one_of_are_untouched() {
    let mut native = tube();
    let mut other = native.materials[0].clone();
    other.name = "cloth".into();
    native.materials.push(other);
    native.meshes[0].colors = vec![[9, 120, 250, 255]; native.meshes[0].positions.len()];
    native.meshes[1].material = Some(MaterialId(1));
    let mut edited = native.clone();
    edited.materials.pop();
    edited.meshes[1].material = Some(MaterialId(0));
    // The first step of eight bits of linear light is 13 of those of a screen.
    edited.meshes[0].colors.iter_mut().for_each(|c| c[0] = 13);
    let (back, report) = snapped(&edited, &native, Snap::Loose);
    assert!(report.is_untouched(), "{report:?}");
    assert_eq!(back, native);
    let (_, report) = same(&edited, &native);
    assert!(report.meshes[1].change.material && report.meshes[0].change.colors > 0);
    // One that looks otherwise is another one.
    native.materials[1].double_sided = !native.materials[1].double_sided;
    assert!(snapped(&edited, &native, Snap::Loose).1.meshes[1].change.material);
}

/// A mesh whose node moves in a clip follows a joint when it comes back.
#[test]
fn a_mesh_of_which_no_vertex_is_left_keeps_its_attributes() {
    let mut native = tube();
    native.meshes[1].normals = vec![[0.0, 1.0, 0.0]; 3];
    native.meshes[1].uvs = vec![[0.25, 0.5]; 3];
    let mut edited = native.clone();
    edited.meshes[1].triangles[0].rotate_left(1);
    let mut skin = Skin::new(SkeletonId(0));
    for _ in 0..3 {
        skin.influences.push(Influence { joint: 2, weight: 1.0 });
        skin.end_vertex();
    }
    edited.meshes[1].skin = Some(skin);
    let (back, report) = same(&edited, &native);
    assert_eq!(report.meshes[1].state, State::Edited);
    let hat = &back.meshes[1];
    assert_eq!((hat.positions.len(), hat.normals.len(), hat.uvs.len()), (3, 3, 3));
    assert_eq!((hat.normals[0], hat.uvs[0]), ([0.0, 1.0, 0.0], [0.25, 0.5]));
    // Nor is what moves it lost, of any skeleton.
    assert_eq!((&hat.positions, &hat.triangles), (&native.meshes[1].positions, &native.meshes[1].triangles));
    assert_eq!(hat.skin, edited.meshes[1].skin);
    let change = &report.meshes[1].change;
    assert_eq!((change.weights, change.moved, change.added, change.removed), (3, 0, 0, 0));
    edited
        .skeletons
        .push(Skeleton { name: "t".into(), joints: vec![Joint::new("w", None, Local::default())] });
    let skin = edited.meshes[1].skin.as_mut().unwrap();
    skin.skeleton = SkeletonId(1);
    skin.influences.iter_mut().for_each(|i| i.joint = 0);
    let (back, _) = same(&edited, &native);
    assert_eq!(back.meshes[1].skin, edited.meshes[1].skin);
}

/// A mesh with some vertices moved, as a tool hands it back that keeps the order of triangles alone.
fn split(native: &Mesh, by: f32, moved: impl Fn(usize) -> bool) -> Mesh {
    // Every triangle has vertices of its own, in another order.
    let mut mesh = Mesh { name: native.name.clone(), ..Mesh::default() };
    let count = u32::try_from(native.triangles.len() * 3).unwrap();
    for v in native.triangles.iter().flatten().map(|v| *v as usize).rev() {
        let [x, y, z] = native.positions[v];
        mesh.positions.push([x, if moved(v) { y + by } else { y }, z]);
        mesh.normals.push(native.normals.get(v).copied().unwrap_or([0.0, 1.0, 0.0]));
        mesh.uvs.extend(native.uvs.get(v));
    }
    mesh.triangles = (0..count / 3).map(|t| [0, 1, 2].map(|c| count - 1 - (t * 3 + c))).collect();
    mesh
}

/// Rows of patches that look alike, so that what was moved is nearer to others than to where it was.
#[test]
fn vertices_are_told_by_the_order_of_triangles() {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for k in 0..6_u8 {
        let (x, y) = (f32::from(k % 2) * 3.0, f32::from(k / 2) * 0.4);
        positions.extend([[x, y, 0.0], [x + 1.0, y, 0.0], [x, y + 0.3, 0.0], [x + 1.0, y + 0.3, 0.0]]);
        let v = u32::from(k) * 4;
        triangles.extend([[v, v + 1, v + 2], [v + 1, v + 3, v + 2]]);
    }
    let uvs: Vec<[f32; 2]> = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].repeat(6);
    let moved = |v: usize| v < 13;
    let scene =
        |mesh: Mesh| Scene::new("s").with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("m", MeshId(0))]);
    // With texture coordinates some come to stand where others stood.
    for (with_uvs, by) in [(true, 0.5), (false, 0.45)] {
        let mut mesh = Mesh::new("m", positions.clone(), triangles.clone());
        mesh.uvs = if with_uvs { uvs.clone() } else { Vec::new() };
        let native = scene(mesh);
        let (back, report) = same(&scene(split(&native.meshes[0], by, moved)), &native);
        let mut expected = native.clone();
        expected.meshes[0].positions.iter_mut().take(13).for_each(|p| p[1] += by);
        assert_eq!(back, expected, "{report:?}");
        assert_eq!((report.meshes[0].change.moved, report.meshes[0].change.normals), (13, 0));
        // Where the order is another nothing is told by it.
        let mut other = scene(split(&native.meshes[0], by, |_| false));
        other.meshes[0].triangles.rotate_left(3);
        other.meshes[0].positions[0][2] += 0.5;
        assert_eq!(same(&other, &native).1.meshes[0].change.moved, 0);
    }
}

/// Two triangles with vertices of their own, of which two are equal to others, and the second of those edited.
#[test]
fn of_equal_vertices_the_one_that_was_edited_is() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let positions: Vec<[f32; 3]> = [0, 1, 2, 0, 2, 3].map(|c: usize| corners[c]).to_vec();
    let mesh = Mesh::new("m", positions, vec![[0, 1, 2], [3, 4, 5]]).with_normals(vec![[0.0, 0.0, 1.0]; 6]);
    let scene =
        |mesh: Mesh| Scene::new("s").with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("m", MeshId(0))]);
    let native = scene(mesh.clone());
    let mut edited = mesh.clone();
    edited.positions[3][2] += 0.25;
    edited.normals[4] = [0.6, 0.0, 0.8];
    let edited = scene(edited);
    let (back, report) = same(&edited, &native);
    let change = &report.meshes[0].change;
    assert_eq!((change.moved, change.normals, change.added, change.removed), (1, 1, 0, 0));
    assert_eq!(back, edited);

    // The tool makes one of equals, and several of one.
    let joined =
        scene(
            Mesh::new("m", corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])
                .with_normals(vec![[0.0, 0.0, 1.0]; 4]),
        );
    assert!(same(&joined, &native).1.is_untouched());
    let (back, report) = same(&edited, &joined);
    let change = &report.meshes[0].change;
    assert_eq!((change.moved, change.normals, change.added, change.removed), (0, 0, 2, 0));
    assert_eq!((change.triangles_added, change.triangles_removed), (1, 1));
    assert_eq!(back.meshes[0].triangles, [[0, 1, 2], [4, 5, 3]]);
    assert_eq!(back.meshes[0].positions[..4], joined.meshes[0].positions[..]);
}

/// A model that has no normals has none that were edited.
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
    let own = skin.of(7).to_vec();
    skin.influences.extend(own);
    skin.end_vertex();
    let corner = body.triangles.iter_mut().flatten().find(|v| **v == 7).unwrap();
    *corner = 18;
    let against = |native: &Scene, computed: bool| {
        let original = Original { native, exported: &exported };
        let options = Options::new(Snap::Default, Absent::Gone).with_computed_normals(computed);
        recover(&edited, &original, &options, &budget()).unwrap()
    };
    for (native, computed) in [(&native, false), (&exported, true)] {
        let (back, report) = against(native, computed);
        assert!(report.is_untouched(), "{report:?}");
        assert_eq!(back, *native);
    }
    assert!(!against(&exported, false).1.is_untouched());
}

/// Blender calls nameless joints and materials by their number.
#[test]
fn names_of_what_has_none_are_no_edits() {
    let mut scene = tube();
    scene.skeletons[0].joints[1].name.clear();
    scene.materials[0].name.clear();
    let mut edited = scene.clone();
    edited.skeletons[0].joints[1].name = "Node_7".into();
    edited.materials[0].name = "Material_3".into();
    let mark = |index| Some(Mark { index, ..Mark::default() });
    let marks =
        Marks { joints: vec![vec![None, mark(1), None]], materials: vec![mark(0)], ..Marks::default() };
    let against = |edited: &Scene| {
        let original = Original { native: &scene, exported: &scene };
        let options = Options::new(Snap::Default, Absent::Gone).with_marks(&marks);
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

/// An original that is named may have been exported as a static mesh, which says nothing of weights.
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
    assert_eq!(back(&edited, Absent::Gone).1.meshes[0].state, State::Edited);
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
        // Numbers that are none are not equal to themselves.
        prop_assert_eq!(alloc::format!("{back:?}"), alloc::format!("{scene:?}"));
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

mod blender;
mod clips;
