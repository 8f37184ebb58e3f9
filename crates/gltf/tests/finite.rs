//! JSON has no NaN and no infinities, and glTF does not allow them in its buffers: a number that is not finite is
//! rejected or replaced with a loss, anywhere in a scene.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright_gltf::{ExportOptions, Gltf, Influences, export};
use meshwright_scene::{
    Affine, Channel, Clip, Extra, Influence, Interpolation, Joint, Level, Local, LocalVertex, Material,
    MaterialId, Mesh, MeshId, Motion, Node, NodeId, PoseSet, PoseSetId, Scene, Skeleton, SkeletonId, Skin,
    Track, Trs,
};
use serde_json::Value;

fn translated(x: f32) -> Local {
    Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY })
}

fn mesh(local: bool) -> Mesh {
    let mut skin = Skin::new(SkeletonId(0));
    for _ in 0..3 {
        for joint in [0, 1] {
            skin.influences.push(Influence { joint, weight: 0.5 });
            if local {
                skin.local.push(LocalVertex { position: [0.5, 0.0, 0.0], normal: [0.0, 0.5, 0.0] });
            }
        }
        skin.end_vertex();
    }
    Mesh::new("", vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])
        .with_material(MaterialId(0))
        .with_normals(vec![[0.0, 0.0, 1.0]; 3])
        .with_tangents(vec![[1.0, 0.0, 0.0, 1.0]; 3])
        .with_uvs(vec![[0.0, 0.5]; 3])
        .with_skin(skin)
        .with_extras(Extra::Float(1.5))
}

/// Returns a scene with every kind of number.
fn scene() -> Scene {
    let mut joints = vec![
        Joint::new("a", None, translated(1.0)),
        Joint::new("b", Some(0), translated(2.0)),
        Joint::new("c", Some(0), Local::Affine(Affine::IDENTITY)),
    ];
    joints[2].follows = vec![(0, 0.5), (1, 0.5)];
    let mut skeleton = Skeleton { name: String::new(), joints };
    skeleton.bind_rest().unwrap();
    let mut track = Track { joint: 1, ..Track::default() };
    let mut add = |frame: f32| {
        track.translation.push(frame, [frame, 0.0, 0.0]);
        track.rotation.push(frame, [0.0, 0.0, 0.0, 1.0]);
        track.scale.push(frame, [1.0; 3]);
    };
    add(0.0);
    add(3.0);
    let clip = |frames, interpolation, motion| {
        Clip::new("c", SkeletonId(0), 10.0, motion)
            .with_frames(frames)
            .with_looping(true)
            .with_interpolation(interpolation)
            .with_extras(Extra::Float(0.5))
    };
    let poses = Motion::Poses { set: PoseSetId(0), frames: vec![0, 1, 0] };
    let node =
        |name: &str, mesh| Node { extras: Some(Extra::Float(2.5)), ..Node::of_mesh(name, MeshId(mesh)) };
    let mut still = mesh(false);
    still.skin = None;
    Scene::default()
        .with_nodes(vec![
            node("bind", 0),
            node("local", 1),
            Node { local: translated(1.0), ..node("still", 2) },
            Node { local: Local::Affine(Affine::IDENTITY), ..node("again", 2) },
        ])
        .with_meshes(vec![mesh(false), mesh(true), still])
        .with_skeletons(vec![skeleton])
        .with_materials(vec![Material::default().with_base_color([0.5; 4])])
        .with_pose_sets(vec![PoseSet { joints: 3, locals: vec![Affine::IDENTITY; 6] }])
        .with_clips(vec![
            clip(4, Interpolation::LinearShort, Motion::Tracks(vec![track])),
            clip(3, Interpolation::Matrix, poses.clone()),
            clip(3, Interpolation::Spherical, poses),
        ])
        .with_levels(vec![Level { name: "near".into(), nodes: vec![NodeId(0)], max_distance: Some(3.0) }])
        .with_extras(Extra::Map(vec![("f".into(), Extra::Float(0.25))]))
}

/// The location of a number.
type Place = (&'static str, fn(&mut Scene, f32));

fn locals(scene: &mut Scene, of: fn(&mut Trs) -> &mut f32, value: f32) {
    for local in scene.skeletons[0].joints.iter_mut().map(|j| &mut j.rest) {
        if let Local::Trs(trs) = local {
            *of(trs) = value;
        }
    }
}

fn channels(scene: &mut Scene, f: impl Fn(&mut Track)) {
    if let Motion::Tracks(tracks) = &mut scene.clips[0].motion {
        tracks.iter_mut().for_each(f);
    }
}

fn last<T: Copy>(channel: &mut Channel<T>) -> (&mut f32, &mut T) {
    (channel.frames.last_mut().unwrap(), channel.values.last_mut().unwrap())
}

const PLACES: &[Place] = &[
    ("positions", |s, v| s.meshes.iter_mut().for_each(|m| m.positions[1][0] = v)),
    ("normals", |s, v| s.meshes.iter_mut().for_each(|m| m.normals[1][1] = v)),
    ("tangents", |s, v| s.meshes.iter_mut().for_each(|m| m.tangents[1][2] = v)),
    ("sides of tangents", |s, v| s.meshes.iter_mut().for_each(|m| m.tangents[1][3] = v)),
    ("uvs", |s, v| s.meshes.iter_mut().for_each(|m| m.uvs[1][1] = v)),
    ("weights", |s, v| {
        s.meshes.iter_mut().flat_map(|m| &mut m.skin).for_each(|k| k.influences[1].weight = v);
    }),
    ("local positions", |s, v| s.meshes[1].skin.as_mut().unwrap().local[2].position[0] = v),
    ("local normals", |s, v| s.meshes[1].skin.as_mut().unwrap().local[2].normal[0] = v),
    ("mesh extras", |s, v| s.meshes[0].extras = Some(Extra::Float(v.into()))),
    ("base color", |s, v| s.materials[0].base_color[2] = v),
    ("alpha", |s, v| s.materials[0].base_color[3] = v),
    ("rest translation", |s, v| locals(s, |t| &mut t.translation[0], v)),
    ("rest rotation", |s, v| locals(s, |t| &mut t.rotation[1], v)),
    ("rest scale", |s, v| locals(s, |t| &mut t.scale[2], v)),
    ("rest matrix", |s, v| {
        let Local::Affine(m) = &mut s.skeletons[0].joints[2].rest else { return };
        m.x[0] = v;
    }),
    ("inverse bind", |s, v| s.skeletons[0].joints[1].inverse_bind.y[1] = v),
    ("follows", |s, v| s.skeletons[0].joints[2].follows[1].1 = v),
    ("joint extras", |s, v| s.skeletons[0].joints[0].extras = Some(Extra::Float(v.into()))),
    ("node translation", |s, v| s.nodes[2].local = translated(v)),
    ("node matrix", |s, v| {
        let Local::Affine(m) = &mut s.nodes[3].local else { return };
        m.z[2] = v;
    }),
    ("node extras", |s, v| s.nodes[0].extras = Some(Extra::Float(v.into()))),
    ("rate", |s, v| s.clips.iter_mut().for_each(|c| c.rate = v)),
    ("clip extras", |s, v| s.clips[0].extras = Some(Extra::Float(v.into()))),
    ("translation keys", |s, v| channels(s, |t| last(&mut t.translation).1[0] = v)),
    ("rotation keys", |s, v| channels(s, |t| last(&mut t.rotation).1[3] = v)),
    ("scale keys", |s, v| channels(s, |t| last(&mut t.scale).1[1] = v)),
    ("translation times", |s, v| channels(s, |t| *last(&mut t.translation).0 = v)),
    ("rotation times", |s, v| channels(s, |t| *last(&mut t.rotation).0 = v)),
    ("scale times", |s, v| channels(s, |t| *last(&mut t.scale).0 = v)),
    ("poses", |s, v| s.pose_sets[0].locals[4].y[0] = v),
    ("places of poses", |s, v| s.pose_sets[0].locals[4].w[2] = v),
    ("level", |s, v| s.levels[0].max_distance = Some(v)),
    ("scene extras", |s, v| s.extras = Some(Extra::Map(vec![("f".into(), Extra::Float(v.into()))]))),
];

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(map) => map.values().any(has_null),
        _ => false,
    }
}

/// Checks that the whole document and every float of its buffer are finite.
fn assert_finite(gltf: &Gltf<'_>, what: &str) {
    let (json, bin) = gltf.to_gltf("x.bin");
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert!(!has_null(&json), "{what}: null in {json}");
    for accessor in json["accessors"].as_array().unwrap().iter().filter(|a| a["componentType"] == 5126) {
        let view = &json["bufferViews"][usize::try_from(accessor["bufferView"].as_u64().unwrap()).unwrap()];
        let number = |key: &str| usize::try_from(view[key].as_u64().unwrap_or(0)).unwrap();
        let bytes = &bin[number("byteOffset")..][..number("byteLength")];
        let floats = bytes.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap()));
        assert!(floats.into_iter().all(f32::is_finite), "{what}: {accessor}");
    }
}

#[test]
fn no_number_that_is_not_finite_is_written() {
    let options =
        |influences, close| ExportOptions::default().with_influences(influences).with_close_loops(close);
    let (mut written, mut refused) = (0, 0);
    for options in [options(Influences::Four, false), options(Influences::All, true)] {
        assert_finite(&export(&scene(), &options).unwrap().value, "the scene");
        for (what, put) in PLACES {
            for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -0.0] {
                let mut scene = scene();
                put(&mut scene, value);
                match export(&scene, &options) {
                    Ok(made) => {
                        assert_finite(&made.value, &format!("{what} {value}"));
                        written += 1;
                    }
                    Err(e) => {
                        assert!(!e.to_string().is_empty());
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(written > 100 && refused > 50, "{written} written, {refused} refused");
}
