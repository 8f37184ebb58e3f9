//! Tests the format's description with literal bytes and values.
#![cfg(feature = "scene")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_core::values;
use meshwright_dpm::{BoneFlags, Dpm, PoseId};
use meshwright_scene::{Interpolation, Motion, SceneOptions, Space};

/// Big-endian words, floats and fields of text.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn ints(mut self, values: &[i32]) -> Self {
        self.0.extend(values.iter().flat_map(|v| v.to_be_bytes()));
        self
    }

    fn floats(mut self, values: &[f32]) -> Self {
        self.0.extend(values.iter().flat_map(|v| v.to_be_bytes()));
        self
    }

    /// Text and a zero, in a field of `len` characters.
    fn text(mut self, text: &str, len: usize) -> Self {
        let end = self.0.len() + len;
        self.0.extend(text.bytes());
        self.0.resize(end, 0);
        self
    }
}

/// Two bones, a triangle whose second corner both move, two frames. Every section has its place in the comments.
fn file() -> Vec<u8> {
    let bounds = [-1.0, -2.0, -3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    let influence = |b: Bytes, origin: [f32; 3], weight: f32, normal: [f32; 3], bone| {
        b.floats(&origin).floats(&[weight]).floats(&normal).ints(&[bone])
    };
    let rows = |b: Bytes, rows: [[f32; 4]; 3]| b.floats(rows.as_flattened());
    let at = |x: f32, y: f32, z: f32| [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]];
    let quarter = [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 5.0]];
    // 0: magic, type, size, bounds, three counts, three offsets.
    let b = Bytes::default().text("DARKPLACESMODEL", 16).ints(&[2, 724]).floats(&bounds);
    let b = b.ints(&[2, 1, 2, 80, 160, 216]);
    // 80: bones: name, parent, flags.
    let b = b.text("root", 32).ints(&[-1, 0]).text("hand", 32).ints(&[0, 1]);
    // 160: a mesh: shader, counts of vertices and triangles, four offsets.
    let b = b.text("box", 32).ints(&[3, 1, 352, 492, 516, 528]);
    // 216: frames: name, bounds, offset of the pose.
    let b = b.text("base", 32).floats(&bounds).ints(&[532]).text("turn", 32).floats(&bounds).ints(&[628]);
    // 352: vertices: how many influences, then each.
    let b = influence(b.ints(&[1]), [1.0, 0.0, 0.0], 1.0, [1.0, 0.0, 0.0], 0);
    let b = influence(b.ints(&[2]), [0.0, 0.5, 0.0], 0.25, [0.0, 0.0, 0.25], 0);
    let b = influence(b, [0.0, 0.0, 0.0], 0.75, [0.0, 0.0, 0.75], 1);
    let b = influence(b.ints(&[1]), [1.0, 0.0, 0.0], 1.0, [0.0, 1.0, 0.0], 1);
    // 492: texture coordinates; 516: a triangle; 528: its group; 532 and 628: poses.
    let b = b.floats(&[0.0, 0.25, 0.5, 0.75, 1.0, 1.25]).ints(&[0, 1, 2]).ints(&[0x1234_5678]);
    let b = rows(rows(b, at(1.0, 0.0, 0.0)), at(0.0, 2.0, 0.0));
    rows(rows(b, quarter), at(0.0, 2.0, 0.0)).0
}

#[test]
fn a_file_byte_for_byte() {
    let bytes = file();
    let model = Dpm::parse(&bytes).unwrap();
    assert!(model.bounds.values().eq([-1.0, -2.0, -3.0, 4.0, 5.0, 6.0, 7.0, 8.0]));
    let bones: Vec<_> = model.bones.iter().map(|b| (b.name.text(), b.parent, b.flags)).collect();
    assert_eq!(bones, [("root".into(), -1, BoneFlags(0)), ("hand".into(), 0, BoneFlags::ATTACHMENT)]);
    let mesh = &model.meshes[0];
    assert_eq!((mesh.shader.text().as_str(), &mesh.vertices.counts[..]), ("box", &[1, 2, 1][..]));
    assert_eq!(
        mesh.texcoords.iter().map(|uv| values(*uv)).collect::<Vec<_>>(),
        [[0.0, 0.25], [0.5, 0.75], [1.0, 1.25]]
    );
    assert_eq!((&mesh.triangles[..], &mesh.groupids[..]), (&[[0, 1, 2]][..], &[0x1234_5678][..]));
    let second = mesh.vertices.influences[1];
    assert_eq!((values(second.origin), second.influence.get(), second.bone), ([0.0, 0.5, 0.0], 0.25, 0));
    assert_eq!(values(second.normal), [0.0, 0.0, 0.25]);
    let frames: Vec<_> = model.frames.iter().map(|f| (f.name.text(), f.pose)).collect();
    assert_eq!(frames, [("base".into(), PoseId(0)), ("turn".into(), PoseId(1))]);
    assert_eq!(
        model.frame_pose(1).unwrap()[0].rows(),
        [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 5.0]]
    );
    assert_eq!(model.to_bytes().unwrap(), bytes);
    // In the other byte order nothing of it is right.
    let mut little = bytes;
    little[16..20].reverse();
    assert_eq!(Dpm::parse(&little).unwrap_err().code(), "bad-type");
}

#[test]
fn bones_follow_their_parents_and_weights_are_in_the_vertices() {
    let model = Dpm::parse(&file()).unwrap();
    let matrices = model.model_matrices(PoseId(1)).unwrap();
    assert_eq!(matrices[1].to_rows(), [[0.0, -1.0, 0.0, -2.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 5.0]]);
    // The results of the bones are added together as they are.
    assert_eq!(model.evaluate(0, 0).unwrap().positions, [[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [2.0, 2.0, 0.0]]);
    let turned = model.evaluate(0, 1).unwrap();
    assert_eq!(turned.positions, [[0.0, 1.0, 5.0], [-2.0, 0.0, 5.0], [-2.0, 1.0, 5.0]]);
    assert_eq!(turned.normals, [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]);
}

#[test]
fn frame_0_is_the_base_and_a_frame_like_any_other() {
    let model = Dpm::parse(&file()).unwrap();
    let scene = model.to_scene(&SceneOptions::in_space(Space::File), None).unwrap().value;
    assert_eq!(scene.meshes[0].positions, [[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [2.0, 2.0, 0.0]]);
    let frames: Vec<_> = scene.clips.iter().map(|c| (c.name.as_str(), c.motion.clone())).collect();
    let Motion::Poses { frames: first, .. } = &frames[0].1 else { panic!("poses") };
    assert_eq!((frames[0].0, &first[..]), ("base", &[0][..]));
    // Between two poses the elements of bone matrices are blended.
    assert!(scene.clips.iter().all(|c| c.interpolation == Interpolation::Matrix));
}

#[test]
fn what_a_loader_must_check_is_an_error() {
    let broken = |at: usize, value: i32| {
        let mut bytes = file();
        bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
        Dpm::parse(&bytes).unwrap_err().code()
    };
    assert_eq!(broken(152, 1), "bad-parent", "a bone that is its own parent");
    assert_eq!(broken(112, 1), "bad-parent", "a parent after its child");
    assert_eq!(broken(352 + 32, 2), "bad-bone-index", "a bone of a vertex");
    assert_eq!(broken(516, 3), "bad-vertex-index", "a vertex of a triangle");
    assert_eq!(broken(192 + 8, 720), "out-of-file", "vertices after the file");
}

/// Corners of hard edges are vertices of their own: nothing is joined on the way into a scene and back.
#[test]
fn vertices_that_are_there_twice_stay() {
    let mut model = Dpm::parse(&file()).unwrap();
    let mesh = &mut model.meshes[0];
    let mut vertices = (*mesh.vertices).clone();
    let first = vertices.influences[0];
    vertices.push(&[first]);
    mesh.vertices = vertices.into();
    let mut texcoords = (*mesh.texcoords).clone();
    texcoords.push(texcoords[0]);
    mesh.texcoords = texcoords.into();
    mesh.triangles = vec![[0, 1, 2], [3, 2, 1]].into();
    mesh.groupids = vec![1, 2].into();
    let scene = model.to_scene(&SceneOptions::default(), None).unwrap().value;
    assert_eq!(
        (scene.meshes[0].positions.len(), &scene.meshes[0].triangles[..]),
        (4, &[[0, 1, 2], [3, 2, 1]][..])
    );
    let again = Dpm::parse(&model.to_bytes().unwrap()).unwrap();
    assert_eq!((&again, &again.meshes[0].groupids[..]), (&model, &[1, 2][..]));
}
