//! Tests every layout of the format with literal bytes and values from the author's description. Nothing here is
//! written by this crate, and no other file is needed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::field_reassign_with_default,
    reason = "a failing test panics"
)]

use meshwright_bmd::{Arrangement, Bmd, ClipRate, MeshFlags, Name, PrimitiveKind, QuadCount, VertexKind};
use meshwright_core::num::St14Form;
use meshwright_core::{Finding, Severity};
use meshwright_scene::{FromSceneOptions, SceneOptions, Space};

/// X 0, Y -3, Z 4 with the exponent 22, whose steps are 1.
const ORIGIN: [u8; 4] = [0x00, 0xfa, 0x13, 0xb0];
/// Fractions 768 and 1536: (fraction / 1024 - 0.5) * 4.
const ST11: [u8; 3] = [0x00, 0x03, 0x70];
/// Fractions 2048 and 3072: fraction / 2048 - 0.5.
const ST12: [u8; 3] = [0x00, 0x08, 0xc0];
/// 1, 3/4 and -1/2.
const NORMAL: [u8; 3] = [0x70, 0x68, 0xe0];
/// 2/9, -4/9, 5/9 and 6/9 after normalising; the stored length is 9/8.
const TURN: [u8; 4] = [0x50, 0xe0, 0x64, 0x68];

const VARIABLE: u32 = 0b0101;

/// Returns a file with one mesh: header, record, vertices, primitives and material, each at a multiple of 8.
fn one_mesh(
    vertices: &[u8],
    count: u16,
    primitives: &[u8],
    stored: u16,
    material: &[u8],
    flags: u32,
) -> Vec<u8> {
    let mut file = b"BMD1".to_vec();
    file.extend([0; 12]);
    // Meshes at 0x30, one record; no levels, bones, animations.
    file.extend([0x30, 0, 0, 0, 0x20, 0, 0, 0]);
    file.extend([0; 24]);
    let put = |file: &mut Vec<u8>, n: usize| file.extend(u32::try_from(n).unwrap().to_le_bytes());
    let tris = (0x50 + vertices.len()).next_multiple_of(8);
    let name = (tris + primitives.len()).next_multiple_of(8);
    [0x50, tris, name].into_iter().for_each(|n| put(&mut file, n));
    file.extend(count.to_le_bytes());
    file.extend(stored.to_le_bytes());
    [vertices.len(), primitives.len()].into_iter().for_each(|n| put(&mut file, n));
    file.extend(flags.to_le_bytes());
    file.extend([0; 4]);
    file.extend(vertices);
    file.resize(tris, 0);
    file.extend(primitives);
    file.resize(name, 0);
    file.extend(material);
    file.push(0);
    file
}

/// The decoded values of a vertex, without the bone, because several bones would need a table.
#[derive(Debug, PartialEq)]
struct Decoded {
    kind: VertexKind,
    position: [f32; 3],
    normal: [f32; 3],
    st: [f32; 2],
    color: [u8; 4],
}

fn decoded(vertex: &[u8], material: &[u8], form: St14Form) -> Decoded {
    let model = Bmd::parse(&one_mesh(vertex, 1, &[], 0, material, VARIABLE)).unwrap();
    let mesh = &model.meshes[0];
    Decoded {
        kind: mesh.vertices[0].kind(),
        position: mesh.positions().next().unwrap(),
        normal: mesh.normals().next().unwrap(),
        st: mesh.uvs(form).next().unwrap(),
        color: mesh.colors().next().unwrap(),
    }
}

fn bytes(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

const POSITION: [f32; 3] = [0.0, -3.0, 4.0];
const NORMAL_VALUE: [f32; 3] = [1.0, 0.75, -0.5];
const WHITE: [u8; 4] = [255; 4];

#[test]
fn a_vertex_of_64_bits_under_a_texture() {
    let want = Decoded {
        kind: VertexKind::Bits64,
        position: POSITION,
        normal: [0.0, -0.6, 0.8],
        st: [1.0, 4.0],
        color: WHITE,
    };
    assert_eq!(decoded(&bytes(&[&ORIGIN, &ST11, &[0]]), b"gfx/tile", St14Form::Excess), want);
}

#[test]
fn a_vertex_of_64_bits_under_a_flat_colour() {
    let want = Decoded {
        kind: VertexKind::Bits64,
        position: POSITION,
        normal: NORMAL_VALUE,
        st: [0.0; 2],
        color: [0x80, 0xc0, 0x20, 255],
    };
    assert_eq!(decoded(&bytes(&[&ORIGIN, &NORMAL, &[0]]), b"#80c020", St14Form::Excess), want);
}

#[test]
fn vertices_of_96_bits() {
    let cases = [
        (0xf8, &ST12, 0x1f, [0.5, 1.0], [0xff, 0x55, 0x55, 255]),
        (0xf9, &ST11, 0x47, [1.0, 4.0], [0x2a, 0x2a, 0x7f, 255]),
        (0xfa, &ST12, 0x00, [0.5, 1.0], WHITE),
        (0xfb, &ST11, 0x00, [1.0, 4.0], WHITE),
    ];
    for (tag, st_bytes, extra, st, color) in cases {
        let vertex = bytes(&[&ORIGIN, st_bytes, &[tag], &NORMAL, &[extra]]);
        let want = Decoded { kind: VertexKind::Bits96, position: POSITION, normal: NORMAL_VALUE, st, color };
        assert_eq!(decoded(&vertex, b"gfx/tile", St14Form::Excess), want, "{tag:02x}");
    }
    // The colour byte is relative to a flat colour.
    let vertex = bytes(&[&ORIGIN, &ST12, &[0xf8], &NORMAL, &[0x1f]]);
    assert_eq!(decoded(&vertex, b"#8060ff", St14Form::Excess).color, [0x80, 0x20, 0x55, 255]);
}

#[test]
fn a_vertex_of_128_bits() {
    // 1, -2 and 1/2 in binary16; colour; tag; fractions 0x3800 and 0x1800 under the exponent 1; normal; bone.
    let halves = [0x00, 0x3c, 0x00, 0xc0, 0x00, 0x38];
    let vertex = bytes(&[&halves, &[0x4f, 0xfd], &[0x00, 0x38, 0x00, 0x16], &NORMAL, &[0]]);
    for (form, st) in [
        (St14Form::Excess, [3.0, -1.0]),
        (St14Form::TwosComplement, [-1.0, 3.0]),
        (St14Form::Legacy, [3.5, 1.375]),
    ] {
        let want = Decoded {
            kind: VertexKind::Bits128,
            position: [1.0, -2.0, 0.5],
            normal: NORMAL_VALUE,
            st,
            color: [0x55, 0x55, 0xff, 255],
        };
        assert_eq!(decoded(&vertex, b"gfx/tile", form), want);
    }
    let model = Bmd::parse(&one_mesh(&vertex, 1, &[], 0, b"t", VARIABLE)).unwrap();
    assert_eq!(model.st_form(), St14Form::Excess);
}

#[test]
fn exponents_of_positions_reach_from_the_smallest_to_the_largest() {
    // X 255, Y -256, Z 1.
    for (exponent, step) in [(0, 1.0 / 4_194_304.0), (22, 1.0), (31, 512.0)] {
        let word = 255_u32 | 0x100 << 9 | 1 << 18 | exponent << 27;
        let vertex = bytes(&[&word.to_le_bytes(), &ST11, &[0]]);
        let position = decoded(&vertex, b"t", St14Form::Excess).position;
        assert_eq!(position, [255.0 * step, -256.0 * step, step]);
    }
}

#[test]
fn the_bone_stands_where_each_kind_has_it() {
    let cases: [(Vec<u8>, u8); 5] = [
        (bytes(&[&ORIGIN, &ST11, &[0xef]]), 0xef),
        (bytes(&[&ORIGIN, &ST12, &[0xfa], &NORMAL, &[0x12]]), 0x12),
        (bytes(&[&ORIGIN, &ST11, &[0xfb], &NORMAL, &[0xfe]]), 0xfe),
        (bytes(&[&ORIGIN, &ST12, &[0xf8], &NORMAL, &[0x12]]), 0),
        (bytes(&[&[0; 7], &[0xfd], &[0; 4], &NORMAL, &[0x34]]), 0x34),
    ];
    for (vertex, bone) in cases {
        let mut words = vertex.clone();
        words.resize(16, 0);
        let word = |at: usize| u64::from_le_bytes(words[at..at + 8].try_into().unwrap());
        assert_eq!(meshwright_bmd::Vertex::from_words(word(0), word(8)).unwrap().bone(), bone);
    }
}

#[test]
fn primitives_of_every_kind() {
    let cases: [(&[u8], PrimitiveKind, [u32; 4]); 4] = [
        (&[0x04, 0x20, 0xc0, 0xff], PrimitiveKind::Triangle32, [1, 2, 1023, 1023]),
        (&[0x05, 0x04, 0x83, 0x3f], PrimitiveKind::Quad32, [1, 2, 3, 127]),
        (&[0x06, 0x00, 0x80, 0x00, 0x00, 0xfc, 0x00, 0x00], PrimitiveKind::Triangle64, [1, 2, 63, 63]),
        (&[0x07, 0x00, 0x04, 0x00, 0x03, 0x80, 0xff, 0x00], PrimitiveKind::Quad64, [1, 2, 3, 511]),
    ];
    let vertices = bytes(&[&ORIGIN, &ST11, &[0]]).repeat(1024);
    for (primitive, kind, indices) in cases {
        // With 1024 vertices quads count once or twice.
        let model = Bmd::parse(&one_mesh(&vertices, 1024, primitive, 1, b"t", VARIABLE)).unwrap();
        let found = model.meshes[0].primitives[0];
        assert_eq!((found.kind(), found.indices()), (kind, indices));
        let [a, b, c, d] = indices;
        let triangles: Vec<_> = model.meshes[0].triangles().collect();
        let want = if kind.is_quad() { vec![[a, b, c], [a, c, d]] } else { vec![[a, b, c]] };
        assert_eq!(triangles, want);
    }
    // The largest index of 64 bits.
    let all = u64::from_le_bytes([0x06, 0x00, 0x80, 0x00, 0x00, 0xfc, 0xff, 0x3f]);
    let largest = meshwright_bmd::Primitive::from_bits(all).unwrap();
    assert_eq!((largest.indices(), largest.tag2()), ([1, 2, 0xf_ffff, 0xf_ffff], 0));
    let all = u64::from_le_bytes([0x07, 0x00, 0x04, 0x00, 0x03, 0x80, 0xff, 0xff]);
    let largest = meshwright_bmd::Primitive::from_bits(all).unwrap();
    assert_eq!((largest.indices(), largest.tag2()), ([1, 2, 3, 0x7fff], 3));
}

/// A quad is two triangles with fewer than 1024 vertices, and one with more.
#[test]
fn quads_are_counted_by_the_number_of_vertices() {
    let quad = [0x05, 0x04, 0x83, 0x01];
    for (vertices, described, other) in [(4, 2, 1), (1025, 1, 2)] {
        let list = bytes(&[&ORIGIN, &ST11, &[0]]).repeat(vertices);
        for (stored, rule) in [(described, QuadCount::Described), (other, QuadCount::Other)] {
            let count = u16::try_from(vertices).unwrap();
            let model = Bmd::parse(&one_mesh(&list, count, &quad, stored, b"t", VARIABLE)).unwrap();
            assert_eq!(model.meshes[0].quad_count, rule);
        }
        let file = one_mesh(&list, u16::try_from(vertices).unwrap(), &quad, 3, b"t", VARIABLE);
        assert_eq!(Bmd::parse(&file).unwrap_err().code(), "triangle-count");
    }
}

/// Tests the kinds that the two fields of the flags allow.
#[test]
fn flags_allow_what_they_say() {
    let vertices = [
        bytes(&[&ORIGIN, &ST11, &[0]]),
        bytes(&[&ORIGIN, &ST12, &[0xfa], &NORMAL, &[0]]),
        bytes(&[&[0; 7], &[0xfd], &[0; 4], &NORMAL, &[0]]),
    ];
    // 00 64 bits, 01 any, 10 128 bits, 11 96 bits.
    for (flags, allowed) in
        [(0, [true, false, false]), (1, [true; 3]), (2, [false, false, true]), (3, [false, true, false])]
    {
        for (vertex, allowed) in vertices.iter().zip(allowed) {
            let read = Bmd::parse(&one_mesh(vertex, 1, &[], 0, b"t", flags | 0b0100));
            assert_eq!(
                read.map_err(|e| e.code()),
                if allowed { Ok(read_again(vertex, flags | 4)) } else { Err("vertex-form") }
            );
        }
    }
    let primitives: [&[u8]; 4] =
        [&[0, 0, 0, 0], &[1, 0, 0, 0], &[2, 0, 0, 0, 0, 0, 0, 0], &[3, 0, 0, 0, 0, 0, 0, 0]];
    // 00 triangles of 32 bits, 01 any, 10 triangles of 64 bits, 11 triangles and quads of 64 bits.
    let table = [
        (0, [true, false, false, false]),
        (1, [true; 4]),
        (2, [false, false, true, false]),
        (3, [false, false, true, true]),
    ];
    for (flags, allowed) in table {
        for (primitive, allowed) in primitives.iter().zip(allowed) {
            let stored = if primitive[0] & 1 == 1 { 2 } else { 1 };
            let file = one_mesh(&vertices[0], 1, primitive, stored, b"t", flags << 2 | 1);
            assert_eq!(Bmd::parse(&file).err().map(|e| e.code()), (!allowed).then_some("triangle-form"));
        }
    }
}

fn read_again(vertex: &[u8], flags: u32) -> Bmd {
    Bmd::parse(&one_mesh(vertex, 1, &[], 0, b"t", flags)).unwrap()
}

/// Bones and an animation: header, two empty mesh entries, bones at 0x30, the animation at 0x60, its keys at 0x70,
/// names after them.
fn moving() -> Vec<u8> {
    let header: [u8; 48] = [
        b'B', b'M', b'D', b'1', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // magic, reserved
        0, 0, 0, 0, 0, 0, 0, 0, 0xa0, 0, 0, 0, 8, 0, 0, 0, // no meshes; two levels at 0xa0
        0x30, 0, 0, 0, 0x30, 0, 0, 0, 0x60, 0, 0, 0, 0x10, 0, 0, 0, // three bones, one animation
    ];
    let base = [0, 0, 0, 0, 0, 0, 0, 0, 0x98, 0, 0, 0, 0, 0, 0, 0];
    let arm = bytes(&[&ORIGIN, &TURN, &[0x9d, 0, 0, 0], &[0, 0, 0, 0]]);
    // Bones 1 and 0 with the weights 1 and 1/2.
    let helper = [1, 0, 0, 0, 0x70, 0x60, 0, 0, 0x9d, 0, 0, 0, 0xff, 0, 0, 0];
    // Five frames, once, at 10 Hz.
    let clip = [0x98, 0, 0, 0, 5, 0xa8, 0, 0, 0x70, 0, 0, 0, 0x19, 0, 0, 0];
    // Bone 0: nothing. Bone 1: two frames on all three keys, in the next frame a translation, in the last one a rotation.
    let translation = [0x02, 0x04, 0x0c, 0xb0];
    let scale = [0x80, 0x00, 0x01, 0x79];
    let keys = bytes(&[&[0], &[0xe2], &TURN, &translation, &scale, &[0x40], &ORIGIN, &[0x80], &TURN, &[0]]);
    let mut file = bytes(&[&header, &base, &arm, &helper, &clip, &keys]);
    file.resize(0x98, 0);
    file.extend(*b"walk\0a\0\0");
    // A level with all meshes at scale 1, and one at the smallest scale.
    file.extend([0, 0, 0x70, 0, 0, 0, 0x01, 0]);
    file
}

#[test]
fn bones_levels_and_keys() {
    let model = Bmd::parse(&moving()).unwrap();
    assert_eq!(model.normal_bones(), 2);
    let (base, arm, helper) = (&model.bones[0], &model.bones[1], &model.bones[2]);
    assert_eq!(base.name, Some(Name::new(b"walk")));
    assert_eq!(arm.name, Some(Name::new(b"a")));
    assert_eq!(arm.transform.origin().decode(), [0.0, -3.0, 4.0]);
    let turn = arm.transform.rotation().decode();
    let want = [2.0 / 9.0, -4.0 / 9.0, 5.0 / 9.0, 6.0 / 9.0_f32];
    assert!(turn.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-7), "{turn:?}");
    assert_eq!(arm.transform.rotation().decode_raw(), [0.25, -0.5, 0.625, 0.75]);
    let parts = helper.transform.followed().map(|(id, weight)| (id, weight.decode()));
    assert!(helper.is_pseudo());
    assert_eq!(parts, [(1, 1.0), (0, 0.5), (0, 0.0), (0, 0.0)]);

    let clip = &model.clips[0];
    assert_eq!((clip.frames, clip.rate), (5, ClipRate::USUAL.once()));
    assert_eq!((clip.rate.frames_per_second(), clip.rate.is_looping()), (10.0, false));
    let keys = clip.stream.keys(1);
    let frames = |keys: &[(u32, meshwright_core::num::Se32)]| -> Vec<(u32, [f32; 3])> {
        keys.iter().map(|k| (k.0, k.1.decode())).collect()
    };
    assert_eq!(keys.rotation.iter().map(|k| k.0).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(frames(&keys.translation), [(2, [2.0, 2.0, 3.0]), (3, [0.0, -3.0, 4.0])]);
    assert_eq!(frames(&keys.scale), [(2, [1.0, 1.0, 0.5])]);
    assert_eq!(model.to_bytes().unwrap(), moving());

    assert_eq!(model.lods[0].max_distance(), Some(0.0));
    let far = model.lods[1].max_distance().unwrap();
    assert!((far - 119.47).abs() < 0.005, "{far}");
}

/// 1 / (distance + 1): 0x60 is 1/2, 0x50 is 1/4, 0x01 is 17/2048, 0 has no limit.
#[test]
fn levels_are_chosen_by_distance() {
    let with = |scales: &[u8]| {
        let lods = scales.iter().map(|s| meshwright_bmd::Lod {
            scale: meshwright_core::num::F8A::from_bits(*s),
            ..meshwright_bmd::Lod::default()
        });
        let mut model = Bmd::default();
        model.lods = lods.collect();
        model
    };
    let model = with(&[0x60, 0x50, 0x01]);
    for (metres, level) in
        [(0.0, 0), (1.0, 0), (1.01, 1), (3.0, 1), (3.01, 2), (119.47, 2), (119.48, 2), (1e9, 2)]
    {
        assert_eq!(model.lod_at(metres), Some(level), "{metres} m");
    }
    assert_eq!(with(&[0x60, 0x00, 0x01]).lod_at(1e9), Some(1));
    assert_eq!(with(&[]).lod_at(1.0), None);
}

fn codes(file: &[u8]) -> Vec<&'static str> {
    let mut codes: Vec<_> =
        Bmd::parse(file).unwrap().validate().findings().iter().map(|f| f.rule.code).collect();
    codes.dedup();
    codes
}

#[test]
fn default_flags_are_variable_length_and_either_kind_of_primitive() {
    assert_eq!(MeshFlags::default(), MeshFlags(0b0101));
    assert_eq!(meshwright_bmd::Mesh::default().flags.0, 5);
}

#[test]
fn a_bone_without_a_name_is_remarked_on() {
    assert!(!codes(&moving()).contains(&"unnamed-bone"));
    let mut file = moving();
    // Removes the name of bone 1, then that of bone 0, which needs no name.
    file[0x48..0x4c].fill(0);
    assert!(codes(&file).contains(&"unnamed-bone"));
    let mut file = moving();
    file[0x38..0x3c].fill(0);
    assert!(!codes(&file).contains(&"unnamed-bone"));
}

#[test]
fn what_is_not_on_a_multiple_of_8_is_remarked_on_and_written_so() {
    let vertex = bytes(&[&ORIGIN, &ST12, &[0xfa], &NORMAL, &[0]]);
    let sound = one_mesh(&vertex.repeat(3), 3, &[4, 0x20, 0, 0], 1, b"t", VARIABLE);
    assert!(codes(&sound).is_empty(), "{:?}", codes(&sound));
    // Vertices from 0x54 on: the list is moved by 4 bytes into the padding after it.
    let mut moved = sound.clone();
    moved.splice(0x50..0x50, [0; 4]);
    moved.drain(0x50 + 4 + 36..0x50 + 4 + 36 + 4);
    moved[0x30] = 0x54;
    assert_eq!(codes(&moved), ["nominal-alignment"]);
    let model = Bmd::parse(&moved).unwrap();
    assert_eq!(model.to_bytes().unwrap(), moved);
    let mut anew = model.clone();
    anew.discard_layout();
    assert!(codes(&anew.to_bytes().unwrap()).is_empty());
    for arrangement in [Arrangement::Aligned, Arrangement::Compact] {
        assert!(codes(&model.to_bytes_as(arrangement).unwrap()).is_empty(), "{arrangement:?}");
    }
    // One level of detail after three names of odd lengths: the current tool aligns only it, to 4.
    for name in [&b"gfx"[..], b"gfx/tile", b"gfx/1", b"g", b"gfx/tiles/1"] {
        let mut model =
            Bmd::parse(&one_mesh(&vertex.repeat(3), 3, &[4, 0x20, 0, 0], 1, name, VARIABLE)).unwrap();
        model.lods = vec![meshwright_bmd::Lod { count: 1, ..meshwright_bmd::Lod::default() }];
        assert!(codes(&model.to_bytes().unwrap()).is_empty());
    }
}

/// With more than 1024 vertices the description assumes 64-bit primitives, and its record counts to 1024.
#[test]
fn many_vertices_are_remarked_on() {
    let narrow = [0x04, 0x20, 0, 0];
    let wide = [0x06, 0, 0x80, 0, 0, 0, 0, 0];
    let mixed = bytes(&[&wide, &narrow]);
    let cases: [(u16, &[u8], u16, &[&str]); 5] = [
        (1024, &narrow, 1, &[]),
        (1024, &mixed, 2, &[]),
        (1025, &wide, 1, &["many-vertices"]),
        (1025, &mixed, 2, &["many-vertices", "narrow-triangles"]),
        (1025, &narrow, 1, &["many-vertices", "narrow-triangles"]),
    ];
    for (n, primitives, stored, want) in cases {
        let vertices = bytes(&[&ORIGIN, &ST11, &[0]]).repeat(n.into());
        let report =
            Bmd::parse(&one_mesh(&vertices, n, primitives, stored, b"t", VARIABLE)).unwrap().validate();
        let of_note = |f: &&Finding| want.contains(&f.rule.code) || f.severity == Severity::Warning;
        let mut found: Vec<_> = report.findings().iter().filter(of_note).map(|f| f.rule.code).collect();
        found.dedup();
        assert_eq!(found, want, "{n} {primitives:?}");
    }
}

/// A colour has exactly six digits.
#[test]
fn colours_of_another_length_are_remarked_on() {
    let vertex = bytes(&[&ORIGIN, &NORMAL, &[0]]).repeat(3);
    let file = |name: &[u8]| one_mesh(&vertex, 3, &[4, 0x20, 0, 0], 1, name, VARIABLE);
    assert!(codes(&file(b"#80c020")).is_empty());
    for name in [&b"#"[..], b"#80c02", b"#80c0200", b"#80c020ff", b"#80c020 dark", b"#80c02g"] {
        assert_eq!(codes(&file(name)), ["material-name"]);
        assert_eq!(Bmd::parse(&file(name)).unwrap().meshes[0].flat_color(), None);
    }
}

/// Returns a tetrahedron without a material that bounds bone 1, which is at 0, -3, 4 and is turned; its vertices name bone 0.
fn bounded(bone: u8) -> Vec<u8> {
    let corner =
        |x: u32, y: u32, z: u32| bytes(&[&(x | y << 9 | z << 18 | 22 << 27).to_le_bytes(), &[0; 3], &[bone]]);
    let solid = bytes(&[&corner(0, 0, 0), &corner(8, 0, 0), &corner(0, 8, 0), &corner(0, 0, 8)]);
    let faces = [[0_u32, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let faces = faces.map(|[a, b, c]| (a << 2 | b << 12 | c << 22).to_le_bytes()).concat();
    let face = bytes(&[&(2_u32 << 12 | 1 << 22).to_le_bytes()]);
    let mut file = b"BMD1".to_vec();
    file.extend([0; 12]);
    // Meshes at 0x30, one level at 0xc0, bones at 0x70.
    file.extend([0x30, 0, 0, 0, 0x40, 0, 0, 0, 0xc0, 0, 0, 0, 4, 0, 0, 0]);
    file.extend([0x70, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    // A drawn mesh of three of the vertices, and the solid.
    file.extend([0x90, 0, 0, 0, 0xc8, 0, 0, 0, 0xd0, 0, 0, 0, 3, 0, 1, 0, 0x18, 0, 0, 0, 4, 0, 0, 0]);
    file.extend([0; 8]);
    file.extend([0x90, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 0x20, 0, 0, 0, 0x10, 0, 0, 0]);
    file.extend([0; 8]);
    file.extend([0, 0, 0, 0, 0, 0, 0, 0, 0xd0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend(bytes(&[&ORIGIN, &TURN, &[0xd0, 0, 0, 0, 0, 1, 0, 0]]));
    file.extend(bytes(&[&solid, &faces, &[0, 1, 0x01, 0], &[0; 4], &face, &[0; 4], b"t"]));
    file.push(0);
    file
}

/// A solid's vertices are relative to the bone that it bounds, whatever bone they name.
#[test]
fn a_solid_stands_where_its_bone_does() {
    let turn = [2.0 / 9.0, -4.0 / 9.0, 5.0 / 9.0, 6.0 / 9.0];
    let there = |p: [f64; 3]| {
        let [x, y, z] = meshwright_core::math::quat::rotate(turn, p);
        [x, y - 3.0, z + 4.0]
    };
    for bone in [0, 1] {
        let model = Bmd::parse(&bounded(bone)).unwrap();
        assert!(!model.validate().has_errors());
        let solid = model.solid(1).unwrap();
        assert!(model.solid(0).is_none() && solid.material.is_none());
        let pose = model.rest().unwrap().pose(0.0);
        for v in solid.vertices.iter() {
            let want = there(v.position().map(f64::from));
            let found = pose.solid_position(1, *v);
            let matrix = pose.solid(1).point(v.position().map(f64::from));
            for i in 0..3 {
                assert!((f64::from(found[i]) - want[i]).abs() < 1e-5, "{found:?} {want:?}");
                assert!((matrix[i] - want[i]).abs() < 1e-5);
            }
            // As a vertex of a drawn mesh it follows the bone that it names.
            assert_eq!(pose.position(*v) == v.position(), bone == 0);
        }
    }
}

/// A solid becomes a mesh of the scene that its joint refers to. It moves only with the joint, and converts
/// back to a solid.
#[test]
fn solids_go_into_a_scene_and_come_back() {
    for (bone, space) in [(0, Space::Gltf), (1, Space::Gltf), (0, Space::File), (1, Space::File)] {
        let model = Bmd::parse(&bounded(bone)).unwrap();
        let scene = model.to_scene(&SceneOptions::in_space(space)).unwrap();
        assert!(scene.losses.iter().all(|l| l.code != "mesh-not-drawn"), "{:?}", scene.losses);
        let scene = scene.value;
        scene.validate().unwrap();
        let id = scene.skeletons[0].joints[1].solid.unwrap();
        assert!(scene.skeletons[0].joints[0].solid.is_none());
        let mesh = &scene.meshes[id.0];
        let skin = mesh.skin.as_ref().unwrap();
        assert!(skin.influences.iter().all(|i| i.joint == 1 && i.weight == 1.0));
        let pose = model.rest().unwrap().pose(0.0);
        for (v, p) in model.solid(1).unwrap().vertices.iter().zip(&mesh.positions) {
            let [x, y, z] = pose.solid_position(1, *v);
            let want = if space == Space::Gltf { [-x / 40.0, z / 40.0, y / 40.0] } else { [x, y, z] };
            assert!(p.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-5), "{p:?} {want:?}");
        }
        let draws = |options: &SceneOptions| {
            let scene = model.to_scene(options).unwrap().value;
            scene.nodes.iter().flat_map(|n| &n.meshes).any(|m| *m == id)
        };
        assert!(!draws(&SceneOptions::in_space(space)));
        assert!(draws(&SceneOptions::in_space(space).with_solids(true)));
        if space == Space::File {
            continue;
        }
        let back = Bmd::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
        let (old, new) = (model.solid(1).unwrap(), back.solid(1).unwrap());
        assert_eq!((new.vertices.len(), new.triangles().count(), &new.material), (4, 4, &None));
        let corners = |mesh: &meshwright_bmd::Mesh| -> Vec<[f32; 3]> {
            let positions: Vec<_> = mesh.positions().collect();
            mesh.triangles().flatten().map(|i| positions[i as usize]).collect()
        };
        for (a, b) in corners(old).iter().zip(corners(new)) {
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.02), "{a:?} {b:?}");
        }
        assert!(new.bones().all(|b| b == 1));
        assert_eq!(back.drawn_meshes(0).count(), 1);
        let report = Bmd::parse(&back.to_bytes().unwrap()).unwrap().validate();
        assert!(
            report.findings().iter().all(|f| !f.rule.native.starts_with("W_SOLID")),
            "{:?}",
            report.findings()
        );
    }
}
