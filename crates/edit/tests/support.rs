//! Recovers edits of a small scene.

pub(crate) use meshwright_core::math::{Trs, Trs64, narrow, quat, wide};
pub(crate) use meshwright_core::{Budget, Limits};
pub(crate) use meshwright_edit::*;
pub(crate) use meshwright_scene::{
    Clip, ConvertError, Influence, Joint, Local, Mark, Marks, Material, MaterialId, Mesh, MeshId, Motion,
    Node, PoseSet, PoseSetId, Scene, Skeleton, SkeletonId, Skin, Track,
};

pub(crate) fn recover(
    edited: &Scene,
    original: &Original<'_>,
    options: &Options<'_>,
    budget: &Budget,
) -> Result<(Scene, Recovery), ConvertError> {
    Patch::find(edited, original, options, budget).map(|patch| (patch.scene, patch.report))
}

pub(crate) fn budget() -> Budget {
    Budget::new(Limits::default())
}

pub(crate) fn same(edited: &Scene, native: &Scene) -> (Scene, Recovery) {
    snapped(edited, native, Snap::Default)
}

pub(crate) fn snapped(edited: &Scene, native: &Scene, snap: Snap) -> (Scene, Recovery) {
    let original = Original { native, exported: native };
    recover(edited, &original, &Options::new(snap, Absent::Gone), &budget()).unwrap()
}

/// Returns a strip of quads along a chain of three bones, that bends in one clip.
pub(crate) fn tube() -> Scene {
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

/// Returns the same model as a tool may export it: with another order, other axes and changed names.
pub(crate) fn mangled(scene: &Scene) -> Scene {
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
        skin.influences.extend(old.influences(v).iter().map(|i| Influence { joint: 2 - i.joint, ..*i }));
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
