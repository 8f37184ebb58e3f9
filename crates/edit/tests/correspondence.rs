//! Tests the correspondence between parts of an edited scene and of its original.

use crate::support::*;

fn find(edited: &Scene, native: &Scene) -> Correspondence {
    let original = Original { native, exported: native };
    let options = Options::new(Snap::Default, Absent::Gone);
    Patch::find(edited, &original, &options, &budget()).unwrap().correspondence
}

/// Returns a scene of two meshes, two materials and two clips.
fn pair() -> Scene {
    let mut scene = tube();
    scene.materials.push(Material::named("blue"));
    scene.meshes[1].material = Some(MaterialId(1));
    let mut clip = scene.clips[0].clone();
    clip.name = "second".into();
    let Motion::Tracks(tracks) = &mut clip.motion else { panic!("no tracks") };
    tracks[0].rotation.values.reverse();
    scene.clips.push(clip);
    scene
}

#[test]
fn a_scene_corresponds_to_itself() {
    let native = pair();
    assert_eq!(find(&native, &native), Patch::unedited(native.clone()).correspondence);
}

/// Parts of every kind are found in any order.
#[test]
fn parts_are_found_whatever_their_order_is() {
    let native = pair();
    let mut edited = native.clone();
    edited.meshes.reverse();
    for node in &mut edited.nodes {
        node.meshes.iter_mut().for_each(|m| m.0 = 1 - m.0);
    }
    edited.materials.reverse();
    edited.clips.reverse();
    for mesh in &mut edited.meshes {
        mesh.material = mesh.material.map(|m| MaterialId(1 - m.0));
        mesh.triangles.reverse();
        let last = mesh.positions.len() - 1;
        mesh.positions.reverse();
        mesh.normals.reverse();
        mesh.uvs.reverse();
        mesh.triangles.iter_mut().flatten().for_each(|v| *v = u32::try_from(last).unwrap() - *v);
        let Some(was) = mesh.skin.clone() else { continue };
        let mut skin = Skin::new(was.skeleton);
        for v in (0..=last).rev() {
            skin.influences.extend(was.influences(v));
            skin.end_vertex();
        }
        mesh.skin = Some(skin);
    }
    let found = find(&edited, &native);
    assert_eq!((&found.clips, &found.materials), (&vec![Some(1), Some(0)], &vec![Some(1), Some(0)]));
    for (m, own) in found.meshes.iter().enumerate() {
        let (vertices, triangles) = (native.meshes[m].positions.len(), native.meshes[m].triangles.len());
        let back = |count: usize| -> Vec<_> {
            let at = |n| PartAt {
                mesh: u32::try_from(1 - m).unwrap(),
                index: u32::try_from(count - 1 - n).unwrap(),
            };
            (0..count).map(|n| Some(at(n))).collect()
        };
        assert_eq!(own.meshes, [1 - m]);
        assert_eq!((&own.vertices, &own.triangles), (&back(vertices), &back(triangles)), "{m}");
    }
}

#[test]
fn what_is_gone_corresponds_to_nothing() {
    let native = pair();
    let mut edited = native.clone();
    edited.meshes[0].triangles.remove(3);
    edited.clips.remove(0);
    edited.skeletons[0].joints[2].name = "f".into();
    edited.skeletons[0].joints.swap(1, 2);
    let joints = &mut edited.skeletons[0].joints;
    (joints[1].parent, joints[2].parent) = (Some(2), Some(0));
    let other = |j: u32| if j == 0 { 0 } else { 3 - j };
    for skin in edited.meshes.iter_mut().filter_map(|m| m.skin.as_mut()) {
        skin.influences.iter_mut().for_each(|i| i.joint = other(i.joint));
    }
    let Motion::Tracks(tracks) = &mut edited.clips[0].motion else { panic!("no tracks") };
    tracks.iter_mut().for_each(|t| t.joint = other(u32::try_from(t.joint).unwrap()) as usize);
    let found = find(&edited, &native);
    assert_eq!(found.clips, [None, Some(0)]);
    let at = |joint| Some(JointAt { skeleton: 0, joint });
    assert_eq!(found.joints, [[at(0), at(2), at(1)]]);
    let gone: Vec<_> =
        (0..native.meshes[0].triangles.len()).filter(|t| found.meshes[0].triangles[*t].is_none()).collect();
    assert_eq!(gone, [3]);
    assert_eq!(found.meshes[0].triangles[4], Some(PartAt { mesh: 0, index: 3 }));
}
