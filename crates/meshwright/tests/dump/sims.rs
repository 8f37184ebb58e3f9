//! Dumps of The Sims.

use super::*;
use meshwright::tso::{
    Anim, Binding, BlendVertex, Bnd, Bone, Flag, Geometry, Mesh, Motion, PropertyList, Q1_15, RealVertex,
    ResourceId, Skel, Skn, TimeProperty, Total,
};

fn anim() -> Anim {
    let list = PropertyList(vec![("sound".into(), "purr".into())]);
    let twice = PropertyList(vec![("k".into(), "1".into()), ("k".into(), "2".into())]);
    let motion = Motion {
        unknown: 7,
        bone: "TAIL".into(),
        frames: 2,
        duration: F32::new(66.0),
        has_translation: Flag::YES,
        has_rotation: Flag::YES,
        first_translation: 0,
        first_rotation: 0,
        has_properties: Flag::YES,
        properties: vec![vec![list.clone()]],
        has_time_properties: Flag::YES,
        time_properties: vec![vec![TimeProperty { time: 33, lists: vec![list, twice] }]],
    };
    Anim {
        name: "wag".into(),
        duration: F32::new(66.0),
        distance: F32::new(1.5),
        moving: Flag(3),
        translations: vec![f32s([1.0, 2.0, 3.0]), f32s([4.0, 5.0, 6.0])],
        rotations: vec![f32s([0.0, 0.0, 0.0, 1.0]), f32s([0.5, 0.5, 0.5, 0.5])],
        motions: vec![motion],
        trailing: vec![0xab],
        ..Anim::default()
    }
}

fn expected() -> Value {
    json!({
        "name": "wag",
        "duration": 66.0,
        "distance": 1.5,
        "moving": 3,
        "translations": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        "rotations": [[0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5]],
        "motions": [{
            "unknown": 7,
            "bone": "TAIL",
            "frames": 2,
            "duration": 66.0,
            "has_translation": 1,
            "has_rotation": 1,
            "first_translation": 0,
            "first_rotation": 0,
            "has_properties": 1,
            "properties": [[{ "sound": "purr" }]],
            "has_time_properties": 1,
            "time_properties": [[{
                "time_ms": 33,
                "properties": [{ "sound": "purr" }, [["k", "1"], ["k", "2"]]],
            }]],
        }],
        "nesting": 3,
        "trailing": "ab",
    })
}

#[test]
fn an_animation_with_keys_and_events() {
    let alone = dump(anim());
    assert_eq!(alone["native"], expected());
    assert_eq!(alone["clips"], json!([{ "name": "wag", "frames": 2, "fps": 30.0, "loop": false }]));
}

fn skel() -> Skel {
    let bone = Bone {
        unknown: 1,
        name: "TAIL".into(),
        parent: "NULL".into(),
        translation: f32s([0.25, 0.5, 0.75]),
        rotation: f32s([0.0, 1.0, 0.0, 0.0]),
        can_rotate: 1,
        wiggle_power: F32::new(2.5),
        ..Bone::default()
    };
    Skel { name: "cat".into(), bones: vec![bone], trailing: Vec::new() }
}

#[test]
fn a_skeleton_with_places_and_turns() {
    let json = dump(skel());
    assert_eq!((&json["native"]["name"], &json["native"]["trailing"]), (&json!("cat"), &json!("")));
    assert_eq!(
        json["native"]["bones"],
        json!([{
            "unknown": 1, "name": "TAIL", "parent": "NULL", "has_properties": 0,
            "translation": [0.25, 0.5, 0.75], "rotation": [0.0, 1.0, 0.0, 0.0],
            "can_translate": 0, "can_rotate": 1, "can_blend": 0, "wiggle_value": 0.0, "wiggle_power": 2.5,
        }])
    );
    // With a skeleton the keys of an animation are shown all the same.
    let mut beside = Companions::default();
    beside.files.push(meshwright::CompanionFile::new(Role::Skeleton, "cat", skel()));
    assert_holds(&dump_beside(anim(), &beside)["native"], &expected());
}

fn geometry() -> Geometry {
    let real = |u: f32, x: f32| RealVertex {
        uv: f32s([u, 0.25]),
        position: f32s([x, 2.0, 3.0]),
        normal: f32s([0.0, 0.0, 1.0]),
    };
    Geometry {
        bones: vec!["TAIL".into()],
        faces: vec![[0, 1, 2]],
        bindings: vec![Binding { bone: 0, first_real: 0, real_count: 3, first_blend: 0, blend_count: 1 }],
        real: vec![real(0.0, 1.0), real(0.5, 2.0), real(1.0, 4.0)],
        blends: vec![BlendVertex {
            weight: Q1_15::from_bits(0x4000),
            target: 2,
            position: f32s([7.0, 8.0, 9.0]),
            normal: f32s([0.0, 1.0, 0.0]),
        }],
        total: Total::RealOnly,
    }
}

#[test]
fn a_mesh_with_bindings_weights_and_pulls() {
    let expected = json!({
        "bone_names": ["TAIL"],
        "bindings": [
            { "bone": 0, "first_real": 0, "real_count": 3, "first_blend": 0, "blend_count": 1 },
        ],
        "real_vertices": [
            { "uv": [0.0, 0.25], "position": [1.0, 2.0, 3.0], "normal": [0.0, 0.0, 1.0] },
            { "uv": [0.5, 0.25], "position": [2.0, 2.0, 3.0], "normal": [0.0, 0.0, 1.0] },
            { "uv": [1.0, 0.25], "position": [4.0, 2.0, 3.0], "normal": [0.0, 0.0, 1.0] },
        ],
        "blend_vertices": [{
            "weight": 0x4000, "pull": 0.5, "other_vertex": 2,
            "position": [7.0, 8.0, 9.0], "normal": [0.0, 1.0, 0.0],
        }],
        "total_vertex_count": 3,
    });
    assert_holds(&dump(Mesh::from(geometry()))["native"]["meshes"][0], &expected);
    let skin = dump(Skn::new("xskin", "fur", geometry()));
    assert_holds(&skin["native"]["meshes"][0], &expected);
    assert_holds(&skin["native"], &json!({ "skin": "xskin", "texture": "fur", "trailing": "" }));
}

#[test]
fn a_binding() {
    let id = |kind| Some(ResourceId { group: 1, file: 2, kind });
    let binding = Bnd { bone: "TAIL".into(), mesh: id(9), texture: id(20), trailing: vec![1, 2] };
    assert_eq!(
        dump(binding)["native"],
        json!({
            "bone": "TAIL",
            "mesh": { "group": 1, "file": 2, "type": 9 },
            "texture": { "group": 1, "file": 2, "type": 20 },
            "trailing": "0102",
        })
    );
}
