//! Tests vertices that tools merge, split and reorder, and which of them was edited.

use crate::support::*;

/// Returns a strip with a duplicate, nearly equal middle column, and the same strip with the duplicates merged.
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
    // At the middle column, the second triangle has the other diagonal.
    corners.iter_mut().skip(2).step_by(4).for_each(|t| *t = [t[2] + 1, t[2], t[2] + 4]);
    corners.iter_mut().skip(3).step_by(4).for_each(|t| *t = [t[2], t[2] + 3, t[2] + 4]);
    let scene = |positions, triangles| {
        let mesh = Mesh::new("strip", positions, triangles);
        Scene::new("s").with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("strip", MeshId(0))])
    };
    (scene(positions, triangles), scene(welded, corners))
}

/// If two layers are within the tolerance of each other, each vertex matches the nearer one.
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

/// If two triangles share an edge, the existing one is matched by its position, whatever its normals are.
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

/// A mesh whose node moves in a clip follows a joint in the imported scene.
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

/// Returns a mesh with some moved vertices, as from a tool that keeps only the order of triangles.
fn split(native: &Mesh, by: f32, moved: impl Fn(usize) -> bool) -> Mesh {
    // Every triangle has vertices of its own, in another order.
    let mut mesh = Mesh::new(native.name.clone(), Vec::new(), Vec::new());
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

/// Rows of similar patches: moved vertices are nearer to others than to their own old positions.
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
    // With texture coordinates, some vertices move to the former positions of others.
    for (with_uvs, by) in [(true, 0.5), (false, 0.45)] {
        let mut mesh = Mesh::new("m", positions.clone(), triangles.clone());
        mesh.uvs = if with_uvs { uvs.clone() } else { Vec::new() };
        let native = scene(mesh);
        let (back, report) = same(&scene(split(&native.meshes[0], by, moved)), &native);
        let mut expected = native.clone();
        expected.meshes[0].positions.iter_mut().take(13).for_each(|p| p[1] += by);
        assert_eq!(back, expected, "{report:?}");
        assert_eq!((report.meshes[0].change.moved, report.meshes[0].change.normals), (13, 0));
        // If the order of triangles changed, it identifies nothing.
        let mut other = scene(split(&native.meshes[0], by, |_| false));
        other.meshes[0].triangles.rotate_left(3);
        other.meshes[0].positions[0][2] += 0.5;
        assert_eq!(same(&other, &native).1.meshes[0].change.moved, 0);
    }
}

/// Two triangles without common vertices: two vertices of the second equal vertices of the first, and one of them is edited.
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

/// Returns the positions of the corners of triangles, sorted, with the winding.
fn corners_of(mesh: &Mesh) -> Vec<[[f32; 3]; 3]> {
    let corners = |t: &[u32; 3]| {
        let mut corners = t.map(|v| mesh.positions[v as usize]);
        let least = (0..3).min_by(|a, b| corners[*a].partial_cmp(&corners[*b]).unwrap()).unwrap();
        corners.rotate_left(least);
        corners
    };
    let mut list: Vec<_> = mesh.triangles.iter().map(corners).collect();
    list.sort_by(|a, b| a.partial_cmp(b).unwrap());
    list
}

/// Editors split vertices at faces that were flipped, or that have another diagonal and are flat.
#[test]
fn some_faces_may_be_flipped_or_have_another_diagonal() {
    let native = tube();
    let own = &native.meshes[0];
    for (flips, first) in [(true, 0), (true, 6), (true, 18), (false, 0), (false, 6)] {
        let mut edited = native.clone();
        let mesh = &mut edited.meshes[0];
        let (a, b) = (own.triangles[first], own.triangles[first + 1]);
        let new = if flips {
            [[a[0], a[2], a[1]], [b[0], b[2], b[1]]]
        } else {
            [[a[0], a[1], b[1]], [a[0], b[1], a[2]]]
        };
        let mut skin = own.skin.clone().unwrap();
        for (t, corners) in new.into_iter().enumerate() {
            mesh.triangles[first + t] = corners.map(|v| {
                let v = v as usize;
                mesh.positions.push(own.positions[v]);
                mesh.normals.push([0.0, 0.6, if flips { -0.8 } else { 0.8 }]);
                mesh.uvs.push(own.uvs[v]);
                skin.influences.extend_from_slice(own.skin.as_ref().unwrap().influences(v));
                skin.end_vertex();
                u32::try_from(mesh.positions.len() - 1).unwrap()
            });
        }
        mesh.skin = Some(skin);
        let (back, report) = same(&edited, &native);
        assert_eq!(corners_of(&back.meshes[0]), corners_of(&edited.meshes[0]), "{flips} {first} {report:?}");
        let change = &report.meshes[0].change;
        assert_eq!((change.moved, change.triangles_added, change.triangles_removed), (0, 2, 2), "{change:?}");
    }
}

/// Native vertices may be nearly equal. If faces are copied, those of the original stay where they were.
#[test]
fn copied_faces_take_no_nearly_equal_vertices_away() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let order = [0, 1, 2, 0, 2, 3];
    let positions: Vec<[f32; 3]> = order.map(|c: usize| corners[c]).to_vec();
    let uvs = order.map(|c| [corners[c][0], corners[c][1]]).to_vec();
    let normals = |zero: f32| vec![[0.0, zero, 1.0]; 3];
    let mut mesh = Mesh::new("m", positions, vec![[0, 1, 2], [3, 4, 5]]).with_uvs(uvs);
    mesh.normals = [normals(0.0), normals(-0.0)].concat();
    let scene =
        |mesh: Mesh| Scene::new("s").with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("m", MeshId(0))]);
    let native = scene(mesh.clone());
    // The tool joined the vertices that are nearly equal.
    let mut edited = Mesh::new("m", corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]);
    edited.normals = vec![[0.0, 0.0, 1.0]; 4];
    edited.uvs = corners.iter().map(|[x, y, _]| [*x, *y]).collect();
    for triangle in mesh.triangles {
        let first = u32::try_from(edited.positions.len()).unwrap();
        edited.triangles.push([first + 2, first + 1, first]);
        for v in triangle.map(|v| v as usize) {
            let [x, y, z] = mesh.positions[v];
            edited.positions.push([-x - 1.0, y, z]);
            edited.normals.push([0.0, 0.0, 1.0]);
            edited.uvs.push(mesh.uvs[v]);
        }
    }
    let (back, report) = same(&scene(edited.clone()), &native);
    assert_eq!(corners_of(&back.meshes[0]), corners_of(&edited), "{report:?}");
}

/// A mesh may be copied before it is moved.
#[test]
fn a_copy_that_stays_does_not_undo_the_edits_of_its_original() {
    let native = tube();
    for first in [true, false] {
        let mut edited = native.clone();
        let mut copy = native.meshes[0].clone();
        copy.name = "body.001".into();
        edited.nodes.push(Node::of_mesh("body.001", MeshId(2)));
        edited.meshes.push(copy);
        let moved = if first { 0 } else { 2 };
        edited.meshes[moved].positions.iter_mut().take(9).for_each(|p| p[2] += 0.5);
        let (back, report) = same(&edited, &native);
        let all = |scene: &Scene, names: [usize; 2]| {
            let mut all: Vec<_> = names.iter().flat_map(|m| corners_of(&scene.meshes[*m])).collect();
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            all
        };
        let bodies: Vec<usize> = (0..back.meshes.len()).filter(|m| back.meshes[*m].name != "hat").collect();
        let made =
            if bodies.len() == 1 { corners_of(&back.meshes[0]) } else { all(&back, [bodies[0], bodies[1]]) };
        assert_eq!(made, all(&edited, [0, 2]), "{first} {report:?}");
    }
}
