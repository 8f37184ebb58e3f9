//! Tests every layout with literal bytes and values: if two fields or axes are exchanged, a test fails without any
//! other file.
#![cfg(feature = "scene")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use meshwright_core::math::{distance, wide};
use meshwright_core::{F32, FileFormat, ReadOptions, f32s};
use meshwright_scene::{Local, Motion as ClipMotion, SceneOptions};
use meshwright_testkit::{from_hex, hex_diff};
use meshwright_tso::{
    Anim, Assembly, BLEND_UNUSED, Binding, BlendVertex, Bmf, Bnd, Bone, Flag, Geometry, KEYS_UNUSED, Mesh,
    Motion, Nesting, Part, PropertyList, Q1_15, RealVertex, ResourceId, Skel, Skn, TimeProperty, Total,
};

/// Checks that the bytes are read as the model, and that the model is written as the bytes.
fn same<F: FileFormat>(bytes: &[u8], model: &F)
where
    F::Options: From<ReadOptions>,
{
    let read = F::parse_with(bytes, &ReadOptions::default().into()).unwrap().model;
    assert_eq!(read, *model);
    let written = model.to_bytes().unwrap();
    assert!(written == bytes, "{}", hex_diff(bytes, &written));
}

/// Returns true if two vectors differ only by the rounding of a division by three.
fn is_near(a: [f32; 3], b: [f32; 3]) -> bool {
    distance(wide(a), wide(b)) < 1e-6
}

fn vertex(uv: [f32; 2], position: [f32; 3], normal: [f32; 3]) -> RealVertex {
    RealVertex { uv: f32s(uv), position: f32s(position), normal: f32s(normal) }
}

/// Returns a triangle with a different value in every field: two vertices on ROOT, one on HEAD, which pulls the second.
fn triangle() -> Geometry {
    Geometry {
        bones: vec!["ROOT".into(), "HEAD".into()],
        faces: vec![[2, 0, 1]],
        bindings: vec![
            Binding { bone: 0, first_real: 0, real_count: 2, first_blend: BLEND_UNUSED, blend_count: 0 },
            Binding { bone: 1, first_real: 2, real_count: 1, first_blend: 0, blend_count: 1 },
        ],
        real: vec![
            vertex([0.25, 0.5], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
            vertex([0.75, 1.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]),
            vertex([-1.0, 2.0], [13.0, 14.0, 15.0], [16.0, 17.0, 18.0]),
        ],
        blends: vec![BlendVertex {
            weight: Q1_15::from_bits(0x4000),
            target: 1,
            position: f32s([19.0, 20.0, 21.0]),
            normal: f32s([22.0, 23.0, 24.0]),
        }],
        total: Total::All,
    }
}

/// Positions and normals of the three real vertices and of the blend vertex, little endian in every file.
const VERTICES: &str = "
    0000803f 00000040 00004040  00008040 0000a040 0000c040  # real 0: position 1 2 3, normal 4 5 6
    0000e040 00000041 00001041  00002041 00003041 00004041  # real 1
    00005041 00006041 00007041  00008041 00008841 00009041  # real 2
    00009841 0000a041 0000a841  0000b041 0000b841 0000c041  # blend 0
";

#[test]
fn a_mesh() {
    let text = format!(
        "
        00000002                             # version
        00000002 04 524f4f54 04 48454144     # bones ROOT HEAD
        00000001 00000002 00000000 00000001  # a face: 2 0 1
        00000002                             # bindings: bone, first real, count, first blend, count
        00000000 00000000 00000002 ffffffff 00000000
        00000001 00000002 00000001 00000000 00000001
        00000003                             # real vertices: u v
        0000803e 0000003f  0000403f 0000803f  000080bf 00000040
        00000001 00004000 00000001           # a blend vertex: weight, target
        00000004                             # all vertices
        {VERTICES}"
    );
    same(&from_hex(&text), &Mesh::from(triangle()));
    // The number of all vertices without the blend vertices, as FreeSO writes it.
    let real_only = Geometry { total: Total::RealOnly, ..triangle() };
    same(&from_hex(&text.replace("00000004 ", "00000003 ")), &Mesh::from(real_only));
}

#[test]
fn meshes_of_the_sims_1() {
    let text = format!(
        "
        01 73  03 74 65 78                   # skin s, texture tex
        02000000 04 524f4f54 04 48454144
        01000000 02000000 00000000 01000000
        02000000
        00000000 00000000 02000000 ffffffff 00000000
        01000000 02000000 01000000 00000000 01000000
        03000000
        0000803e 0000003f  0000403f 0000803f  000080bf 00000040
        01000000 00400000 01000000
        04000000
        {VERTICES}"
    );
    same(&from_hex(&text), &Bmf::new("s", "tex", triangle()));
    // In the text the target precedes the weight.
    let lines = "s\r\ntex\r\n2\r\nROOT\r\nHEAD\r\n1\r\n2 0 1\r\n2\r\n0 0 2 -1 0\r\n1 2 1 0 1\r\n3\r\n0.25 0.5\r\n0.75 1\r\n\
        -1 2\r\n1\r\n1 16384\r\n4\r\n1 2 3 4 5 6\r\n7 8 9 10 11 12\r\n13 14 15 16 17 18\r\n19 20 21 22 23 24\r\n";
    same(lines.as_bytes(), &Skn::new("s", "tex", triangle()));
}

fn skeleton() -> Skel {
    let bone = |name: &str, parent: &str| Bone {
        unknown: 1,
        name: name.into(),
        parent: parent.into(),
        can_translate: 1,
        can_rotate: 2,
        can_blend: 3,
        wiggle_value: F32::new(4.0),
        wiggle_power: F32::new(5.0),
        ..Bone::default()
    };
    let turned = |x, y, z, w| f32s([x, y, z, w]);
    Skel {
        name: "adult".into(),
        bones: vec![
            Bone {
                translation: f32s([6.0, 7.0, 8.0]),
                rotation: turned(0.5, -0.5, 0.5, 0.5),
                ..bone("ROOT", "NULL")
            },
            Bone {
                has_properties: Flag::YES,
                properties: vec![PropertyList(vec![("k".into(), "v".into())])],
                translation: f32s([9.0, 10.0, 11.0]),
                rotation: turned(1.0, 0.0, 0.0, 0.0),
                ..bone("HEAD", "ROOT")
            },
        ],
        trailing: Vec::new(),
    }
}

#[test]
fn a_skeleton() {
    let text = "
        00000001 05 6164756c74 0002                    # version, name, bones
        00000001 04 524f4f54 04 4e554c4c 00            # ROOT below NULL, no properties
        0000c040 0000e040 00000041                     # translation
        0000003f 000000bf 0000003f 0000003f            # rotation x y z w
        00000001 00000002 00000003 00008040 0000a040   # may be moved, turned, blended; wiggle value and power
        00000001 04 48454144 04 524f4f54 01            # HEAD below ROOT, properties:
        00000001 00000001 01 6b 01 76                  # one list of one pair k = v
        00001041 00002041 00003041
        0000803f 00000000 00000000 00000000
        00000001 00000002 00000003 00008040 0000a040";
    same(&from_hex(text), &skeleton());
    let scene = skeleton().to_scene(&SceneOptions::default(), &[]).unwrap().value;
    let rest = |joint: usize| {
        let Local::Trs(rest) = &scene.skeletons[0].joints[joint].rest else { panic!("no matrix") };
        (rest.translation, rest.rotation)
    };
    let third = |v: [f32; 3]| v.map(|c| c / 3.0);
    // Mirrored and conjugated at once.
    assert!(is_near(rest(0).0, third([-6.0, 7.0, 8.0])) && is_near(rest(1).0, third([-9.0, 10.0, 11.0])));
    assert_eq!((rest(0).1, rest(1).1), ([-0.5, -0.5, 0.5, 0.5], [-1.0, 0.0, 0.0, 0.0]));
    assert_eq!(scene.skeletons[0].joints[1].parent, Some(0));
}

fn animation() -> Anim {
    let list = |k: &str, v: &str| PropertyList(vec![(k.into(), v.into())]);
    Anim {
        name: "a2o".into(),
        duration: F32::new(66.0),
        distance: F32::new(1.5),
        moving: Flag::YES,
        translations: vec![f32s([1.0, 2.0, 3.0]), f32s([4.0, 5.0, 6.0])],
        rotations: vec![f32s([0.5, -0.5, 0.5, 0.5]), f32s([1.0, 0.0, 0.0, 0.0]), f32s([0.0, 0.0, 0.0, 1.0])],
        motions: vec![
            Motion {
                unknown: 7,
                bone: "ROOT".into(),
                frames: 2,
                duration: F32::new(67.0),
                has_translation: Flag::YES,
                has_rotation: Flag::YES,
                first_translation: 0,
                first_rotation: 1,
                has_properties: Flag::YES,
                properties: vec![vec![list("k", "v")]],
                has_time_properties: Flag::YES,
                time_properties: vec![vec![TimeProperty { time: 33, lists: vec![list("e", "f")] }]],
            },
            Motion {
                bone: "HEAD".into(),
                frames: 1,
                has_rotation: Flag::YES,
                first_translation: KEYS_UNUSED,
                ..Motion::default()
            },
        ],
        nesting: Nesting::Three,
        trailing: Vec::new(),
    }
}

#[test]
fn an_animation() {
    let text = "
        00000002 0003 61326f 00008442 0000c03f 01      # version, name, duration 66, distance 1.5, moving
        00000002                                       # translations
        0000803f 00000040 00004040  00008040 0000a040 0000c040
        00000003                                       # rotations x y z w
        0000003f 000000bf 0000003f 0000003f
        0000803f 00000000 00000000 00000000
        00000000 00000000 00000000 0000803f
        00000002                                       # motions
        00000007 04 524f4f54 00000002 00008642 01 01   # unknown, bone, frames, duration 67, both kinds of keys
        00000000 00000001                              # first translation, first rotation
        01 00000001 00000001 00000001 01 6b 01 76      # properties: lists of lists of pairs
        01 00000001 00000001 00000021 00000001 00000001 01 65 01 66  # events at 33 ms
        00000000 04 48454144 00000001 00000000 00 01 ffffffff 00000000 00 00";
    same(&from_hex(text), &animation());
    // Nested once less, as mixiate's add-on has it.
    let flat = text.replace("01 00000001 00000001 00000001 01 6b 01 76", "01 00000001 00000001 01 6b 01 76");
    same(&from_hex(&flat), &Anim { nesting: Nesting::Two, ..animation() });
    let scene = animation().to_scene(&SceneOptions::default(), &skeleton()).unwrap().value;
    let clip = &scene.clips[0];
    assert_eq!((clip.frames, clip.rate), (2, 30.0));
    let ClipMotion::Tracks(tracks) = &clip.motion else { panic!("tracks") };
    let of = |joint: usize| tracks.iter().find(|t| t.joint == joint).unwrap();
    let wanted = [[-1.0, 2.0, 3.0], [-4.0, 5.0, 6.0]].map(|v| v.map(|c| c / 3.0));
    let values = &of(0).translation.values;
    assert!(values.len() == 2 && values.iter().zip(wanted).all(|(a, b)| is_near(*a, b)), "{values:?}");
    // The sign of a whole quaternion is free.
    let up_to_sign = |q: [f32; 4], r: [f32; 4]| q == r || q.map(|c| -c) == r;
    assert!(up_to_sign(of(0).rotation.values[0], [-1.0, 0.0, 0.0, 0.0]), "{:?}", of(0).rotation.values);
    assert!(up_to_sign(of(1).rotation.values[0], [-0.5, -0.5, 0.5, 0.5]), "{:?}", of(1).rotation.values);
}

#[test]
fn a_binding() {
    let text = "
        00000001 04 48454144                           # version, bone
        00000008 00000001 c02bdebf 00000009            # a mesh: group, file, type
        00000008 00000002 00c0ffee 0000000e            # a texture";
    let bnd = Bnd {
        bone: "HEAD".into(),
        mesh: Some(ResourceId { group: 1, file: 0xc02b_debf, kind: 9 }),
        texture: Some(ResourceId { group: 2, file: 0x00c0_ffee, kind: 14 }),
        trailing: Vec::new(),
    };
    same(&from_hex(text), &bnd);
    assert!(bnd.validate().is_empty());
    same(&from_hex("00000001 00 00000000 00000000"), &Bnd::default());
    // A resource that is linked as a mesh must be of type 9, and one that is linked as a texture an image.
    let swapped = Bnd { mesh: bnd.texture, texture: bnd.mesh, ..bnd };
    let report = swapped.validate();
    let found: Vec<_> =
        report.findings().iter().map(|f| (f.rule.code, f.offset, f.path.to_string())).collect();
    let wanted = [("type-id", Some(21), "mesh.kind".into()), ("type-id", Some(37), "texture.kind".into())];
    assert_eq!(found, wanted);
}

#[test]
fn a_mesh_in_gltfs_space() {
    let geometry = triangle();
    let figure = Assembly::new("x").with_part(Part::new("x", &geometry));
    let scene = figure.to_scene(&SceneOptions::default()).unwrap().value;
    let mesh = &scene.meshes[0];
    assert!(is_near(mesh.positions[0], [-1.0 / 3.0, 2.0 / 3.0, 1.0]), "{:?}", mesh.positions);
    assert!(is_near(mesh.positions[2], [-13.0 / 3.0, 14.0 / 3.0, 5.0]), "{:?}", mesh.positions);
    let length = 77.0_f64.sqrt();
    let wanted = [-4.0, 5.0, 6.0].map(|c| c / length);
    assert!(mesh.normals[0].iter().zip(wanted).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-7));
    assert_eq!(mesh.triangles, [[1, 0, 2]]);
    assert_eq!(mesh.uvs, [[0.25, 0.5], [0.75, 1.0], [-1.0, 2.0]]);
    let skin = mesh.skin.as_ref().unwrap();
    let of = |v: usize| skin.influences(v).iter().map(|i| (i.joint, i.weight)).collect::<Vec<_>>();
    assert_eq!((of(0), of(1), of(2)), (vec![(0, 1.0)], vec![(0, 0.5), (1, 0.5)], vec![(1, 1.0)]));
    let names: Vec<_> = scene.skeletons[0].joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["ROOT", "HEAD"]);
}
