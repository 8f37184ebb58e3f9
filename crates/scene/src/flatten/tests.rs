use super::*;
use crate::mesh::Skin;
use crate::model::ids::SkeletonId;
use crate::model::{Level, Material, Node};
use crate::skeleton::{Joint, Local, Skeleton};
use crate::testing::strategy::{clean_scene, wild_scene};
use alloc::vec;
use meshwright_core::Limits;
use meshwright_core::math::Trs;
use meshwright_testkit::proptest;
use proptest::prelude::*;

fn budget() -> Budget {
    Budget::new(Limits::default())
}

fn all<'s>(scene: &'s Scene, options: &DrawOptions) -> (Vec<Drawable<'s>>, Vec<&'static str>) {
    let budget = budget();
    let mut drawables = Drawables::new(scene, options, &budget).unwrap();
    let made = drawables.by_ref().map(Result::unwrap).collect();
    (made, drawables.take_losses().iter().map(|l| l.code).collect())
}

/// Returns a unit triangle at the origin. Each corner has its own joint, if joints are given.
fn triangle(joints: Option<[u32; 3]>) -> Mesh {
    let mut mesh = Mesh {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    };
    mesh.skin = joints.map(|joints| {
        let mut skin = Skin::new(SkeletonId(0));
        for joint in joints {
            skin.influences.push(Influence { joint, weight: 1.0 });
            skin.end_vertex();
        }
        skin
    });
    mesh
}

fn node(mesh: usize, x: f32, parent: Option<usize>) -> Node {
    let local = Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY });
    Node { local, parent: parent.map(NodeId), ..Node::of_mesh("", MeshId(mesh)) }
}

fn skeleton(joints: usize) -> Skeleton {
    Skeleton { name: String::new(), joints: vec![Joint::new("j", None, Local::default()); joints] }
}

#[test]
fn instances_are_applied() {
    let mirror = Local::Trs(Trs { scale: [-1.0, 1.0, 1.0], ..Trs::IDENTITY });
    let nodes = vec![node(0, 5.0, None), Node { local: mirror, ..node(0, 0.0, None) }];
    let scene = Scene { meshes: vec![triangle(None), Mesh::default()], nodes, ..Scene::default() };
    let (made, codes) = all(&scene, &DrawOptions::default());
    assert_eq!(made[0].mesh.positions, [[5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0]]);
    assert_eq!(made[1].mesh.triangles, [[2, 1, 0]]);
    assert_eq!(made[1].node(), Some(NodeId(1)));
    assert_eq!(codes, ["nodes-applied", "mesh-not-drawn"]);
    let (made, codes) = all(&scene, &DrawOptions::default().with_bake(false).with_undrawn(true));
    assert!(made.iter().all(|d| matches!(d.mesh, Cow::Borrowed(_))));
    assert_eq!((made.len(), made[2].node(), codes.len()), (3, None, 0));
}

#[test]
fn axes_and_texture_origin_are_mapped() {
    let mut mesh = triangle(None);
    mesh.uvs = vec![[0.25, 0.25]; 3];
    mesh.tangents = vec![[1.0, 0.0, 0.0, 1.0]; 3];
    let scene = Scene { meshes: vec![mesh], nodes: vec![node(0, 0.0, None)], ..Scene::default() };
    let map = AxisMap::new([0, 1, 2], [-1.0, 1.0, 1.0], 2.0);
    let (made, _) = all(&scene, &DrawOptions::default().with_axes(map).with_flip_v(true).with_normals(true));
    let mesh = &made[0].mesh;
    assert_eq!(mesh.positions[1], [-2.0, 0.0, 0.0]);
    assert_eq!(mesh.triangles, [[2, 1, 0]]);
    assert_eq!((mesh.uvs[0], mesh.tangents[0]), ([0.25, 0.75], [-1.0, 0.0, 0.0, -1.0]));
    assert_eq!(mesh.normals[0], [0.0, 0.0, 1.0]);
}

#[test]
fn levels_are_chosen() {
    let level =
        |nodes: &[usize]| Level { nodes: nodes.iter().copied().map(NodeId).collect(), ..Level::default() };
    let nodes = vec![node(0, 0.0, None), node(1, 0.0, None), node(2, 0.0, Some(1)), node(0, 9.0, None)];
    let scene = Scene {
        meshes: vec![triangle(None); 3],
        nodes,
        levels: vec![level(&[0]), level(&[1])],
        ..Scene::default()
    };
    let drawn = |levels| {
        let (made, codes) = all(&scene, &DrawOptions::default().with_levels(levels));
        let list: Vec<_> = made.iter().map(|d| (d.level(), d.node().unwrap().0)).collect();
        (list, codes)
    };
    let (list, codes) = drawn(Levels::Each);
    assert_eq!(list, [(Some(0), 0), (Some(1), 1), (Some(1), 2)]);
    assert_eq!(codes, ["node-not-drawn", "nodes-applied"]);
    let (list, codes) = drawn(Levels::Finest);
    assert_eq!(list, [(Some(0), 0), (Some(0), 3)]);
    assert_eq!(codes, ["levels-dropped", "nodes-applied", "mesh-not-drawn"]);
    assert_eq!(drawn(Levels::Only(1)).0, [(Some(1), 1), (Some(1), 2)]);
    let (list, codes) = drawn(Levels::Merged);
    assert_eq!((list.len(), codes[0]), (4, "levels-merged"));
    let (options, budget) = (DrawOptions::default().with_levels(Levels::Only(2)), budget());
    assert!(matches!(Drawables::new(&scene, &options, &budget), Err(ConvertError::Unsupported { .. })));
}

#[test]
fn joints_are_numbered_by_a_palette() {
    let mut mesh = triangle(Some([4, 2, 4]));
    let other = triangle(Some([1, 3, 9]));
    mesh.positions.extend(other.positions);
    mesh.triangles.push([3, 4, 5]);
    let skin = mesh.skin.as_mut().unwrap();
    for i in other.skin.unwrap().influences {
        skin.influences.push(i);
        skin.end_vertex();
    }
    let nodes = vec![node(0, 0.0, None)];
    let scene = Scene { meshes: vec![mesh], nodes, skeletons: vec![skeleton(10)], ..Scene::default() };
    let (made, codes) = all(&scene, &DrawOptions::default().with_max_joints(Some(3)));
    let palettes: Vec<_> = made.iter().map(|d| d.palette.clone().unwrap()).collect();
    assert_eq!(palettes, [vec![2, 4], vec![1, 3, 9]]);
    assert_eq!(made[0].mesh.skin.as_ref().unwrap().influences[0].joint, 1);
    assert_eq!(codes, ["nodes-applied", "mesh-split"][1..]);
    let (made, _) = all(&scene, &DrawOptions::default().with_max_joints(Some(8)));
    assert_eq!(made[0].palette, Some(vec![1, 2, 3, 4, 9]));
    let (options, budget) = (DrawOptions::default().with_max_joints(Some(2)), budget());
    let made: Result<Vec<_>, _> = Drawables::new(&scene, &options, &budget).unwrap().collect();
    assert!(matches!(made, Err(ConvertError::Unsupported { .. })));
}

#[test]
fn the_heaviest_influences_take_over() {
    let mut skin = Skin::new(SkeletonId(0));
    skin.influences =
        (0..).zip([0.1, 0.5, 0.0, 0.3, 0.1]).map(|(joint, weight)| Influence { joint, weight }).collect();
    skin.end_vertex();
    let (cut, share) = weights::heaviest(&mut skin, 2);
    assert!(cut == 1 && (share - 0.2).abs() < 1e-6, "{share}");
    let kept: Vec<_> = skin.influences.iter().map(|i| (i.joint, (i.weight * 1000.0).round())).collect();
    assert_eq!(kept, [(1, 625.0), (3, 375.0)]);
    // The weights of a joint that occurs twice are added.
    let mut skin = Skin::new(SkeletonId(0));
    for (joint, weight) in [(4, 0.2), (7, 0.4), (4, 0.3), (8, 0.1)] {
        skin.influences.push(Influence { joint, weight });
    }
    skin.end_vertex();
    let (cut, share) = weights::heaviest(&mut skin, 2);
    assert!(cut == 1 && (share - 0.1).abs() < 1e-6, "{share}");
    assert_eq!(skin.influences.iter().map(|i| i.joint).collect::<Vec<_>>(), [4, 7]);
}

#[test]
fn one_mesh_per_material() {
    let mesh = |material, colors: bool| Mesh {
        material: Some(MaterialId(material)),
        colors: vec![[9; 4]; if colors { 3 } else { 0 }],
        ..triangle(None)
    };
    let scene = Scene {
        meshes: vec![mesh(0, false), mesh(1, false), mesh(0, true)],
        materials: vec![Material::default(); 2],
        nodes: vec![node(0, 0.0, None), node(1, 0.0, None), node(2, 0.0, None)],
        ..Scene::default()
    };
    let (made, codes) = all(&scene, &DrawOptions::default().with_by_material(true));
    assert_eq!(made.len(), 2);
    assert_eq!(made[0].mesh.triangles, [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(made[0].mesh.colors[2..4], [[255; 4], [9; 4]]);
    assert_eq!(made[0].sources.iter().map(|s| s.mesh.0).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(codes, ["meshes-merged"]);
}

#[test]
fn what_one_of_several_meshes_lacks_is_made_up() {
    let bare = Mesh { material: Some(MaterialId(0)), ..triangle(None) };
    let full = Mesh {
        uvs: vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        tangents: vec![[1.0, 0.0, 0.0, 1.0]; 3],
        ..bare.clone()
    };
    let scene = Scene {
        meshes: vec![bare, full.clone()],
        materials: vec![Material::default()],
        nodes: vec![node(0, 0.0, None), node(1, 0.0, None)],
        ..Scene::default()
    };
    let (made, codes) = all(&scene, &DrawOptions::default().with_by_material(true));
    let mesh = &made[0].mesh;
    assert_eq!((mesh.normals.len(), mesh.tangents.len()), (6, 6));
    assert_eq!((&mesh.uvs[..3], &mesh.uvs[3..]), (&[[0.0; 2]; 3][..], &full.uvs[..]));
    assert_eq!(codes, ["meshes-merged", "normals-computed", "tangents-computed", "uvs-missing"]);
}

/// Returns a triangle on a joint that is bound at x = 1. The joint's rest pose is at x = 5 and mirrored.
fn posed_at_rest() -> Scene {
    let trs = |x, scale| Trs { translation: [x, 0.0, 0.0], scale, ..Trs::IDENTITY };
    let mut skeleton = Skeleton {
        joints: vec![Joint::new("j", None, Local::Trs(trs(1.0, [1.0; 3])))],
        ..Skeleton::default()
    };
    skeleton.bind_rest();
    skeleton.joints[0].rest = Local::Trs(trs(5.0, [-1.0, 1.0, 1.0]));
    let mut skin = Skin::new(SkeletonId(0));
    for _ in 0..3 {
        skin.influences.push(Influence { joint: 0, weight: 0.5 });
        skin.influences.push(Influence { joint: 0, weight: 0.25 });
        skin.end_vertex();
    }
    let mesh = Mesh { skin: Some(skin), ..triangle(None) };
    let nodes = vec![node(0, 0.0, None)];
    Scene { meshes: vec![mesh], skeletons: vec![skeleton], nodes, ..Scene::default() }
}

#[test]
fn weights_sum_to_1_where_that_is_asked_for() {
    let scene = posed_at_rest();
    let (made, codes) = all(&scene, &DrawOptions::default().with_normalize(true));
    let sum = |v| made[0].mesh.skin.as_ref().unwrap().influences(v).iter().map(|i| i.weight).sum::<f32>();
    assert_eq!(([sum(0), sum(1), sum(2)], codes), ([1.0; 3], vec!["weights-normalized"]));
    assert!(all(&scene, &DrawOptions::default()).1.is_empty());
}

#[test]
fn meshes_of_formats_without_bones_stand_as_they_rest() {
    let mut scene = posed_at_rest();
    for i in &mut scene.meshes[0].skin.as_mut().unwrap().influences {
        i.weight *= 4.0 / 3.0;
    }
    let (made, codes) = all(&scene, &DrawOptions::default().with_rest(true).with_normals(true));
    let mesh = &made[0].mesh;
    assert!(mesh.skin.is_none());
    // x is relative to the joint at 1, mirrored, and moved to 5.
    let was = triangle(None);
    for (old, new) in was.positions.iter().zip(&mesh.positions) {
        assert_eq!(*new, [5.0 - (old[0] - 1.0), old[1], old[2]]);
    }
    assert_eq!(mesh.triangles, was.triangles);
    assert_eq!(mesh.normals, [[0.0, 0.0, 1.0]; 3]);
    assert_eq!(codes, ["normals-computed", "rest-pose-applied"]);
}

#[test]
fn many_instances_end_at_the_budget() {
    let mut nodes = vec![node(0, 1.0, None)];
    nodes[0].meshes = vec![MeshId(0); 1000];
    let scene = Scene { meshes: vec![triangle(None)], nodes, ..Scene::default() };
    let small = Budget::new(Limits::default().with_memory(20_000));
    assert!(matches!(Drawables::new(&scene, &DrawOptions::default(), &small), Err(ConvertError::Limit(_))));
    let some = Budget::new(Limits::default().with_memory(300_000));
    let mut drawables = Drawables::new(&scene, &DrawOptions::default(), &some).unwrap();
    assert!(matches!(drawables.find_map(Result::err), Some(ConvertError::Limit(_))));
    assert!(drawables.next().is_none(), "nothing comes after an error");
}

fn corners(mesh: &Mesh) -> Vec<[[f32; 3]; 3]> {
    mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize])).collect()
}

/// Returns the triangles of all instances, computed from the scene itself.
fn expected(scene: &Scene) -> Vec<[[f32; 3]; 3]> {
    let drawn = scene.drawn_meshes().unwrap();
    drawn.iter().flat_map(|(_, mesh, matrix)| corners(&scene.meshes[mesh.0].baked(matrix))).collect()
}

/// Returns joint and weight of every influence of every corner.
fn influences(drawable: &Drawable<'_>) -> Vec<(u32, f32)> {
    let Some(skin) = &drawable.mesh.skin else { return Vec::new() };
    let corners = drawable.mesh.triangles.iter().flatten();
    corners.flat_map(|v| skin.influences(*v as usize)).map(|i| (drawable.joint(i), i.weight)).collect()
}

proptest! {
    #[test]
    fn triangles_are_where_the_scene_draws_them(
        scene in clean_scene(),
        vertices in 3_usize..8,
        triangles in 1_usize..4,
        joints in prop::option::of(12_usize..20),
    ) {
        let plain = DrawOptions::default().with_levels(Levels::Merged);
        let split = plain.clone().with_max_vertices(vertices).with_max_triangles(triangles).with_max_joints(joints);
        let (whole, _) = all(&scene, &plain);
        let (parts, _) = all(&scene, &split);
        let corners_of = |made: &[Drawable<'_>]| made.iter().flat_map(|d| corners(&d.mesh)).collect::<Vec<_>>();
        let influences_of = |made: &[Drawable<'_>]| made.iter().flat_map(influences).collect::<Vec<_>>();
        prop_assert_eq!(corners_of(&whole), expected(&scene));
        prop_assert_eq!(corners_of(&parts), expected(&scene));
        prop_assert_eq!(influences_of(&parts), influences_of(&whole));
        for d in &parts {
            prop_assert!(d.mesh.positions.len() <= vertices && d.mesh.triangles.len() <= triangles);
            prop_assert!(joints.is_none_or(|j| d.palette.as_ref().is_some_and(|p| p.len() <= j)));
        }
    }

    #[test]
    fn influences_are_limited_and_keep_their_sum(scene in clean_scene(), most in 1_usize..4) {
        let (whole, _) = all(&scene, &DrawOptions::default());
        let (cut, _) = all(&scene, &DrawOptions::default().with_max_influences(most));
        for (a, b) in whole.iter().zip(&cut) {
            let Some((a, b)) = a.mesh.skin.as_ref().zip(b.mesh.skin.as_ref()) else { continue };
            prop_assert!(b.max_influences() <= most);
            for v in 0..a.vertex_count() {
                let sum = |s: &Skin| s.influences(v).iter().map(|i| i.weight).sum::<f32>();
                prop_assert!((sum(a) - sum(b)).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn whatever_is_asked_for_ends_well(
        scene in wild_scene(),
        flags: [bool; 9],
        tangents in 0_usize..3,
        counts in [1_usize..9, 1..9, 1..9, 0..9],
        levels in 0..4,
        memory in 0_u64..40_000,
    ) {
        let [bake, undrawn, skip_empty, flip_v, normals, by_material, rest, normalize, local] = flags;
        let options = DrawOptions {
            levels: [Levels::Each, Levels::Finest, Levels::Only(0), Levels::Merged][levels as usize],
            bake, undrawn, skip_empty, flip_v, normals, by_material, rest, normalize, local,
            tangents: [Tangents::Keep, Tangents::Up, Tangents::Down][tangents],
            axes: AxisMap::new([2, 1, 0], [-1.0, 1.0, 1.0], 0.5),
            max_vertices: counts[0], max_triangles: counts[1],
            max_joints: Some(counts[2]), max_influences: counts[3],
        };
        let budget = Budget::new(Limits::default().with_memory(memory));
        if let Ok(mut drawables) = Drawables::new(&scene, &options, &budget) {
            for made in drawables.by_ref().map_while(Result::ok) {
                let mesh = made.mesh.into_owned();
                let palette = made.palette.unwrap_or_default();
                let joints = mesh.skin.iter().flat_map(|s| &s.influences);
                prop_assert!(joints.clone().all(|i| (i.joint as usize) < palette.len()));
                let alone = Mesh { skin: None, material: None, ..mesh };
                prop_assert_eq!(Scene { meshes: vec![alone], ..Scene::default() }.validate(), Ok(()));
            }
        }
    }
}
