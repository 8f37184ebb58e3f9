//! Builds a walking character with any names, rest pose and proportions.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_rig::glam::{DMat3, DQuat, DVec3};
use meshwright_scene::{
    Clip, Influence, Joint, Local, Mesh, MeshId, Motion, Node, Scene, Skeleton, SkeletonId, Skin, Track, Trs,
};
use std::f64::consts::TAU;

/// The bones: a key that identifies each, and the key of its parent. `*` is `l` or `r`.
const MIDDLE: &[(&str, &str)] = &[
    ("hips", ""),
    ("spine0", "hips"),
    ("spine1", "spine0"),
    ("spine2", "spine1"),
    ("neck", "spine2"),
    ("head", "neck"),
];
const SIDED: &[(&str, &str)] = &[
    ("*shoulder", "spine2"),
    ("*arm", "*shoulder"),
    ("*forearm", "*arm"),
    ("*hand", "*forearm"),
    ("*finger", "*hand"),
    ("*leg", "hips"),
    ("*shin", "*leg"),
    ("*foot", "*shin"),
    ("*toe", "*foot"),
];

/// Names in the order of `MIDDLE`, then of `SIDED` with `*` for the side.
pub(crate) struct Names {
    pub(crate) middle: [&'static str; 6],
    pub(crate) sided: [&'static str; 9],
    pub(crate) sides: [&'static str; 2],
}

pub(crate) const MIXAMO: Names = Names {
    middle: [
        "mixamorig:Hips",
        "mixamorig:Spine",
        "mixamorig:Spine1",
        "mixamorig:Spine2",
        "mixamorig:Neck",
        "mixamorig:Head",
    ],
    sided: [
        "mixamorig:*Shoulder",
        "mixamorig:*Arm",
        "mixamorig:*ForeArm",
        "mixamorig:*Hand",
        "mixamorig:*HandMiddle1",
        "mixamorig:*UpLeg",
        "mixamorig:*Leg",
        "mixamorig:*Foot",
        "mixamorig:*ToeBase",
    ],
    sides: ["Left", "Right"],
};

pub(crate) const SIMS: Names = Names {
    middle: ["PELVIS", "SPINE", "SPINE1", "SPINE2", "NECK", "HEAD"],
    sided: ["*_ARM", "*_ARM1", "*_ARM2", "*_HAND", "*_FINGER0", "*_LEG", "*_LEG1", "*_FOOT", "*_TOE0"],
    sides: ["L", "R"],
};

pub(crate) const NEXUIZ: Names = Names {
    middle: ["bip01 pelvis", "bip01 spine", "bip01 spine1", "bip01 spine2", "bip01 neck", "bip01 head"],
    sided: [
        "bip01 * clavicle",
        "bip01 * upperarm",
        "bip01 * forearm",
        "bip01 * hand",
        "bip01 * finger2",
        "bip01 * thigh",
        "bip01 * calf",
        "bip01 * foot",
        "bip01 * toe0",
    ],
    sides: ["l", "r"],
};

pub(crate) const RIGIFY: Names = Names {
    middle: [
        "DEF-spine",
        "DEF-spine.001",
        "DEF-spine.002",
        "DEF-spine.003",
        "DEF-spine.004",
        "DEF-spine.006",
    ],
    sided: [
        "DEF-shoulder.*",
        "DEF-upper_arm.*",
        "DEF-forearm.*",
        "DEF-hand.*",
        "DEF-f_middle.01.*",
        "DEF-thigh.*",
        "DEF-shin.*",
        "DEF-foot.*",
        "DEF-toe.*",
    ],
    sides: ["L", "R"],
};

pub(crate) const VRM: Names = Names {
    middle: [
        "J_Bip_C_Hips",
        "J_Bip_C_Spine",
        "J_Bip_C_Chest",
        "J_Bip_C_UpperChest",
        "J_Bip_C_Neck",
        "J_Bip_C_Head",
    ],
    sided: [
        "J_Bip_*_Shoulder",
        "J_Bip_*_UpperArm",
        "J_Bip_*_LowerArm",
        "J_Bip_*_Hand",
        "J_Bip_*_Middle1",
        "J_Bip_*_UpperLeg",
        "J_Bip_*_LowerLeg",
        "J_Bip_*_Foot",
        "J_Bip_*_ToeBase",
    ],
    sides: ["L", "R"],
};

pub(crate) const QUAKE: Names = Names {
    middle: ["Hips", "Waist", "Chest", "Shoulders", "Neck", "Head"],
    sided: ["*shoulder", "*uparm", "*loarm", "*hand", "*fingers", "*upleg", "*loleg", "*ankle", "*ball"],
    sides: ["L", "R"],
};

pub(crate) const WORDS: Names = Names {
    middle: ["pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "head"],
    sided: [
        "clavicle_*",
        "upperarm_*",
        "lowerarm_*",
        "hand_*",
        "middle_01_*",
        "thigh_*",
        "calf_*",
        "foot_*",
        "ball_*",
    ],
    sides: ["l", "r"],
};

/// Names without a meaning.
pub(crate) const NUMBERS: Names = Names {
    middle: ["b0", "b1", "b2", "b3", "b4", "b5"],
    sided: ["b6*", "b7*", "b8*", "b9*", "b10*", "b11*", "b12*", "b13*", "b14*"],
    sides: ["x", "y"],
};

/// The shape of a character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The factor for all lengths.
    pub(crate) size: f64,
    /// The length of a leg.
    pub(crate) leg: f64,
    /// The length of a leg below the knee.
    pub(crate) shin: f64,
    /// The length of an arm.
    pub(crate) arm: f64,
    /// Half of the distance between the legs.
    pub(crate) hips: f64,
    /// The angle of the arms below the horizontal at rest, in degrees; 0 is a T-pose.
    pub(crate) droop: f64,
    /// The rotation of the trunk above the hips at rest, in degrees.
    pub(crate) stance: f64,
    /// The bend of the knees at rest, in degrees.
    pub(crate) knees: f64,
    /// True if the axes of joints are along their bones, as in Blender.
    pub(crate) along: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            size: 1.0,
            leg: 0.84,
            shin: 0.49,
            arm: 0.52,
            hips: 0.1,
            droop: 0.0,
            stance: 0.0,
            knees: 0.0,
            along: false,
        }
    }
}

/// A joint under construction.
struct Bone {
    key: String,
    parent: Option<usize>,
    /// The position in a T-pose.
    place: DVec3,
}

fn bones(shape: &Shape) -> Vec<Bone> {
    let s = shape;
    let hip = s.leg + 0.08;
    let place = |key: &str| -> DVec3 {
        let (side, part) = match key.split_at(1) {
            ("l", part) => (1.0, part),
            ("r", part) => (-1.0, part),
            _ => (0.0, key),
        };
        let (x, y, z) = match part {
            "hips" => (0.0, hip + 0.05, 0.0),
            "spine0" => (0.0, hip + 0.12, -0.01),
            "spine1" => (0.0, hip + 0.25, -0.01),
            "spine2" => (0.0, hip + 0.40, 0.0),
            "neck" => (0.0, hip + 0.55, 0.0),
            "head" => (0.0, hip + 0.65, 0.02),
            "shoulder" => (0.06, hip + 0.5, 0.0),
            "arm" => (0.19, hip + 0.5, -0.01),
            "forearm" => (0.19 + 0.52 * s.arm, hip + 0.5, -0.01),
            "hand" => (0.19 + s.arm, hip + 0.5, -0.01),
            "finger" => (0.19 + 1.15 * s.arm, hip + 0.5, -0.01),
            "leg" => (s.hips, hip, 0.0),
            "shin" => (s.hips, hip - s.leg * (1.0 - s.shin), 0.002),
            "foot" => (s.hips, hip - s.leg, 0.0),
            "toe" => (s.hips, 0.02, 0.12),
            other => panic!("{other}"),
        };
        DVec3::new(x * side, y, z) * s.size
    };
    let mut bones: Vec<Bone> = Vec::new();
    let sided = ["l", "r"]
        .into_iter()
        .flat_map(|side| SIDED.iter().map(move |(k, p)| (k.replace('*', side), p.replace('*', side))));
    for (key, parent) in MIDDLE.iter().map(|(k, p)| (String::from(*k), String::from(*p))).chain(sided) {
        let parent = bones.iter().position(|b| b.key == parent);
        let place = place(&key);
        bones.push(Bone { key, parent, place });
    }
    bones
}

/// Returns the rotation of a bone from the T-pose to the rest pose, in model space.
fn rest_turn(key: &str, shape: &Shape) -> DQuat {
    let trunk = if key.starts_with("spine")
        || key.contains("arm")
        || key.contains("shoulder")
        || key.contains("hand")
        || key.contains("finger")
    {
        DQuat::from_rotation_y(shape.stance.to_radians())
    } else {
        DQuat::IDENTITY
    };
    let side = if key.starts_with('l') { -1.0 } else { 1.0 };
    let bend = shape.knees.to_radians();
    match &key[key.len().min(1)..] {
        "arm" | "forearm" | "hand" | "finger" => {
            trunk * DQuat::from_rotation_z(side * shape.droop.to_radians())
        }
        "leg" => DQuat::from_rotation_x(-bend / 2.0),
        "shin" => DQuat::from_rotation_x(bend / 2.0),
        _ => trunk,
    }
}

/// Returns the rotation of a bone from the T-pose at a time of the walk, 0 to 1.
fn walk_turn(key: &str, moment: f64) -> DQuat {
    let w = moment * TAU;
    let (x, y, z) = (DQuat::from_rotation_x, DQuat::from_rotation_y, DQuat::from_rotation_z);
    let side = if key.starts_with('l') { 1.0 } else { -1.0 };
    let w2 = if side > 0.0 { w } else { w + TAU / 2.0 };
    let thigh = -0.42 * w2.sin();
    let knee = 0.12 + 0.85 * (w2 + 1.9).sin().max(0.0).powi(2);
    let swing = 0.4 * w2.sin();
    let down = z(-side * 1.3);
    match key {
        "hips" => y(0.08 * w.sin()) * z(0.03 * w.cos()),
        "neck" | "head" => DQuat::IDENTITY,
        _ if key.starts_with("spine") => y(-0.06 * w.sin()) * x(0.05),
        _ => match &key[1..] {
            "shoulder" => y(-0.06 * w.sin()) * x(0.05),
            "arm" => x(swing) * down,
            "leg" => x(thigh),
            "shin" => x(thigh + knee),
            "foot" | "toe" => x(0.25 * (w2 + 2.6).sin().max(0.0)),
            _ => x(swing - 0.35) * down,
        },
    }
}

fn name(names: &Names, key: &str) -> String {
    if let Some(place) = MIDDLE.iter().position(|(k, _)| *k == key) {
        return names.middle[place].into();
    }
    let (side, rest) = key.split_at(1);
    let place = SIDED.iter().position(|(k, _)| &k[1..] == rest).unwrap();
    names.sided[place].replace('*', names.sides[usize::from(side == "r")])
}

const FRAMES: u16 = 24;

/// Returns a character that walks forward, with a mesh of one triangle per bone.
pub(crate) fn figure(names: &Names, shape: &Shape) -> Scene {
    let bones = bones(shape);
    let n = bones.len();
    // The rest pose: positions and axes in model space.
    let mut places = vec![DVec3::ZERO; n];
    let mut axes = vec![DQuat::IDENTITY; n];
    for (i, bone) in bones.iter().enumerate() {
        places[i] = bone.parent.map_or(bone.place, |p| {
            places[p] + rest_turn(&bones[p].key, shape) * (bone.place - bones[p].place)
        });
        let child = bones.iter().find(|b| b.parent == Some(i)).map_or(DVec3::Y, |c| c.place - bone.place);
        let own =
            if shape.along { DQuat::from_rotation_arc(DVec3::Y, child.normalize()) } else { DQuat::IDENTITY };
        axes[i] = rest_turn(&bone.key, shape) * own;
    }
    let local = |i: usize, turns: &[DQuat], at: &[DVec3]| match bones[i].parent {
        Some(p) => (turns[p].inverse() * turns[i], turns[p].inverse() * (at[i] - at[p])),
        None => (turns[i], at[i]),
    };
    let joints = (0..n).map(|i| {
        let (rotation, translation) = local(i, &axes, &places);
        let trs = Trs {
            translation: translation.as_vec3().into(),
            rotation: rotation.as_quat().to_array(),
            ..Trs::IDENTITY
        };
        Joint::new(name(names, &bones[i].key), bones[i].parent, Local::Trs(trs))
    });
    let mut skeleton = Skeleton { name: "figure".into(), joints: joints.collect() };
    skeleton.bind_rest().unwrap();
    let mut tracks: Vec<Track> = (0..n).map(|joint| Track { joint, ..Track::default() }).collect();
    for frame in 0..=FRAMES {
        let moment = f64::from(frame) / f64::from(FRAMES);
        let turns: Vec<DQuat> = (0..n)
            .map(|i| walk_turn(&bones[i].key, moment) * rest_turn(&bones[i].key, shape).inverse() * axes[i])
            .collect();
        for (i, track) in tracks.iter_mut().enumerate() {
            let (rotation, _) = local(i, &turns, &places);
            let rotation = rotation.as_quat().to_array();
            let last = track.rotation.values.last().copied().unwrap_or(rotation);
            let dot: f32 = last.iter().zip(rotation).map(|(a, b)| a * b).sum();
            track.rotation.push(frame.into(), rotation.map(|c| if dot < 0.0 { -c } else { c }));
        }
        let step = DVec3::new(0.0, -0.02 + 0.015 * (2.0 * moment * TAU).cos(), 1.2 * moment) * shape.leg
            / 0.84
            * shape.size;
        tracks[0].translation.push(frame.into(), (places[0] + step).as_vec3().into());
    }
    let clip = Clip::new("walk", SkeletonId(0), 24.0, Motion::Tracks(tracks));
    Scene::new("figure")
        .with_nodes(vec![Node::of_mesh("body", MeshId(0))])
        .with_meshes(vec![mesh(&places, &axes)])
        .with_skeletons(vec![skeleton])
        .with_clips(vec![clip])
}

/// Returns a mesh with a triangle around each joint, bound to this joint only.
fn mesh(places: &[DVec3], axes: &[DQuat]) -> Mesh {
    let mut skin = Skin::new(SkeletonId(0));
    let (mut positions, mut normals, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for (joint, (place, axes)) in (0_u32..).zip(places.iter().zip(axes)) {
        let basis = DMat3::from_quat(*axes);
        for axis in [basis.x_axis, basis.y_axis, basis.z_axis] {
            positions.push((*place + axis * 0.03).as_vec3().into());
            normals.push(axis.as_vec3().into());
            skin.influences.push(Influence { joint, weight: 1.0 });
            skin.end_vertex();
        }
        triangles.push([3 * joint, 3 * joint + 1, 3 * joint + 2]);
    }
    Mesh::new("body", positions, triangles).with_normals(normals).with_skin(skin)
}
