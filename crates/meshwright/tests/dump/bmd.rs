//! Dumps of BMD.

use super::*;
use meshwright::bmd::{
    Bmd, Bone, BoneTransform, Clip, ClipRate, Lod, Mesh, MeshFlags, Name, Primitive, Step, Stream, Vertex,
};
use meshwright_core::num::{F8A, QuatF8, Se32};

#[test]
fn a_model_with_packed_words_levels_bones_and_keys() {
    // Exponent 15 and fractions 1, 2, 3 are 1/16, 2/16, 3/16 of ... : see the decoded position.
    let place = Se32::from_bits(15 << 27 | 3 << 18 | 2 << 9 | 1);
    let vertex = Vertex::flat64(place, [0x70, 0, 0].map(F8A::from_bits), 1).unwrap();
    let mesh = Mesh {
        vertices: vec![vertex; 3].into(),
        primitives: vec![Primitive::triangle([0, 1, 2]).unwrap()].into(),
        material: Some(Name::new(b"#0A0B0C")),
        flags: MeshFlags(0),
        reserved: 9,
        ..Mesh::default()
    };
    let base = BoneTransform::new(place, QuatF8::IDENTITY);
    let follows = BoneTransform::following([0x70_u8, 0, 0, 0].map(|w| (1, F8A::from_bits(w))));
    let bones = vec![
        Bone::default(),
        Bone { transform: base, name: Some(Name::new(b"arm")), ..Bone::default() },
        Bone { transform: follows, parent: Bone::PSEUDO, name: Some(Name::new(b"ghost")), ..Bone::default() },
    ];
    let step = Step::new(2, Some(QuatF8::IDENTITY.to_bits()), Some(place.to_bits()), None).unwrap();
    let clip = Clip {
        name: Some(Name::new(b"nod")),
        frames: 4,
        rate: ClipRate(0x88),
        stream: Stream::from_bones([vec![], vec![step]]).into(),
        ..Clip::default()
    };
    let mut model = Bmd::new(vec![mesh]).with_bones(bones, vec![clip]);
    model.reserved = [1, 2, 3];
    model.lods = vec![Lod { first: 0, count: 1, scale: F8A::from_bits(0x01), reserved: 0 }];
    let json = dump(model);
    let native = &json["native"];
    let word = format!("{:08x}", place.to_bits());
    let position = place.decode();
    assert_eq!((native["reserved"].clone(), native["normal_bones"].clone()), (json!([1, 2, 3]), json!(2)));
    assert_holds(
        &native["bmd_lods"][0],
        &json!({ "first": 0, "count": 1, "scale": 0.008300781, "scale_code": 1, "reserved": 0 }),
    );
    assert!((native["bmd_lods"][0]["max_distance_m"].as_f64().unwrap() - 119.470_588).abs() < 1e-6);
    assert_holds(
        &native["meshes"][0],
        &json!({ "flags": 0, "quads": 0, "quads_counted": "described", "drawn": true, "flat_color": [10, 11, 12], "reserved": 9 }),
    );
    assert_eq!(
        native["meshes"][0]["vertices"][2],
        json!({
            "bits": 64, "words": format!("01000070{word}"), "bone": 1, "position": position,
            "normal": [1.0, 0.0, 0.0], "normal_stored": true, "color": null,
        })
    );
    assert_eq!(native["meshes"][0]["primitives"], json!([{ "bits": 32, "tag2": 0, "indices": [0, 1, 2] }]));
    let identity = QuatF8::IDENTITY;
    assert_holds(
        &native["bones"][1],
        &json!({
            "parent": 0, "solid": 0, "reserved": [0, 0],
            "transform": format!("{:08x}{word}", identity.to_bits()),
            "origin": position, "rotation": [0.0, 0.0, 0.0, 1.0],
        }),
    );
    let whole = json!({ "bone": 1, "weight": 1.0 });
    let none = json!({ "bone": 1, "weight": 0.0 });
    assert_holds(&native["bones"][2], &json!({ "parent": 255, "follows": [whole, none, none, none] }));
    assert_holds(&native["clips"][0], &json!({ "rate": 0x88, "reserved": [0, 0] }));
    assert_eq!(
        native["clips"][0]["bones"][1],
        json!({
            "rotation": [{ "frame": 2, "word": format!("{:08x}", identity.to_bits()), "value": [0.0, 0.0, 0.0, 1.0] }],
            "translation": [{ "frame": 2, "word": word, "value": position }],
            "scale": [],
            "tags": "c2",
        })
    );
    assert_eq!(json["clips"], json!([{ "name": "nod", "frames": 4, "fps": 2.0, "loop": false }]));
}
