//! Dumps of DPM and ZYM.

use super::*;
use meshwright::dpm::{
    Bone, BoneFlags, BonePose, Dpm, Frame, Influence, Mesh, Name, PoseId, Vertices, Zym, ZymInfluence,
    ZymRun, ZymScene,
};
use meshwright::quake::FrameGroups;

fn name(text: &str) -> Name {
    Name::try_from(text).unwrap()
}

const MATRIX: [[f32; 4]; 3] = [[1.0, 0.0, 0.0, 4.0], [0.0, 1.0, 0.0, 5.0], [0.0, 0.0, 1.0, 6.0]];

#[test]
fn a_dpm_with_poses_influences_flags_and_bounds() {
    let influence = Influence {
        origin: f32s([1.0, 2.0, 3.0]),
        influence: F32::new(1.0),
        normal: f32s([0.0, 0.0, 1.0]),
        bone: 0,
    };
    let mut garbage = *b"box_0\0rest.......................\0".first_chunk::<32>().unwrap();
    garbage[31] = 0;
    let mesh = Mesh {
        shader: name("box"),
        vertices: [[influence], [influence], [influence]].into_iter().collect::<Vertices>().into(),
        texcoords: vec![f32s([0.0, 0.5]); 3].into(),
        triangles: vec![[0, 1, 2]].into(),
        groupids: vec![42].into(),
    };
    let bone = Bone { flags: BoneFlags(5), ..Bone::new(name("root"), -1) };
    let frame = Frame { name: Name::from_bytes(garbage), pose: PoseId(0), ..Frame::default() };
    let mut model = Dpm::new(vec![bone], vec![mesh], vec![BonePose::from(MATRIX)], vec![frame]);
    model.bounds.allradius = F32::new(8.5);
    let json = dump(model);
    let native = &json["native"];
    assert_holds(
        native,
        &json!({
            "format": "dpm", "type": 2, "mins": [0.0, 0.0, 0.0], "maxs": [0.0, 0.0, 0.0],
            "yawradius": 0.0, "allradius": 8.5,
            "bones": [{ "flags": 5, "name": "root" }],
            "poses": [[MATRIX]],
        }),
    );
    assert_holds(&native["frames"][0], &json!({ "name": "box_0", "pose": 0, "allradius": 0.0 }));
    assert!(native["frames"][0]["name_rest"].as_str().unwrap().starts_with("0072657374"), "{native}");
    let one = json!([{ "bone": 0, "influence": 1.0, "origin": [1.0, 2.0, 3.0], "normal": [0.0, 0.0, 1.0] }]);
    assert_holds(
        &native["meshes"][0],
        &json!({ "groupids": [42], "name": "box", "vertices": [one, one, one] }),
    );
}

#[test]
fn a_zym_with_poses_counts_and_scenes() {
    let corner = ZymInfluence { bone: 0, origin: f32s([1.0, 2.0, 3.0]) };
    let scene = ZymScene { name: name("walk"), framerate: F32::new(8.0), length: 1, ..ZymScene::default() };
    let mut model = Zym::default();
    model.scenes = vec![scene];
    model.poses = vec![BonePose::from(MATRIX)];
    model.bones = vec![Bone::new(name("root"), -1)];
    model.counts = vec![1; 3];
    model.influences = vec![corner; 3];
    model.texcoords = vec![f32s([0.25, 0.75]); 3];
    model.runs = vec![ZymRun { shader: name("box"), triangles: vec![[0, 1, 2]] }];
    model.trizone = vec![7];
    let json = dump(model);
    assert_holds(
        &json["native"],
        &json!({
            "format": "zym", "type": 1, "radius_squared": 0.0,
            "poses": [[MATRIX]],
            "vertices": vec![json!([{ "bone": 0, "origin": [1.0, 2.0, 3.0] }]); 3],
            "texcoords": vec![[0.25, 0.75]; 3],
            "runs": [{ "name": "box" }],
            "trizone": [7],
        }),
    );
    assert_holds(
        &json["native"]["scenes"][0],
        &json!({ "name": "walk", "framerate": 8.0, "flags": 0, "start": 0, "length": 1, "radius_squared": 0.0 }),
    );
}

#[test]
fn a_list_of_clips() {
    let groups = FrameGroups::parse(b"1 20 15 0 run // fast\n").unwrap();
    assert_eq!(
        dump(groups)["native"],
        json!({ "groups": [{ "start": 1, "length": 20, "fps": 15.0, "loop": false, "name": "run" }] })
    );
}
