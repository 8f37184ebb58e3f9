//! Tests the format's description with literal words and values. If two fields are exchanged, a test fails
//! without other files.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a failing test panics"
)]

use meshwright_bmd::{
    Bmd, Bone, BoneTransform, Clip, ClipRate, Lod, MaterialKind, Mesh, MeshFlags, Name, Primitive,
    PrimitiveKind, QuadCount, Step, Stream, Vertex, VertexKind, flat_color, shade, tint,
};
use meshwright_core::num::{F8A, QuatF8, Se32, St11, St12, St14, St14Form};

/// Returns a word of fields as the description writes them: highest bit, lowest bit, value.
fn word(fields: &[(u32, u32, u64)]) -> u64 {
    let mut used = 0_u64;
    fields.iter().fold(0, |word, &(high, low, value)| {
        let mask = u64::MAX >> (63 - (high - low)) << low;
        assert!(value >> (high - low) <= 1 && used & mask == 0, "{high}:{low}");
        used |= mask;
        word | value << low
    })
}

/// Exponent 20, in steps of a quarter: X 1.25, Y 0.75, Z -0.25.
const PLACE: [(u32, u32, u64); 4] = [(31, 27, 20), (26, 18, 0x1ff), (17, 9, 3), (8, 0, 5)];
const PLACE_IS: [f32; 3] = [1.25, 0.75, -0.25];

fn place() -> Se32 {
    Se32::from_bits(word(&PLACE) as u32)
}

fn f8a(codes: [u8; 3]) -> [F8A; 3] {
    codes.map(F8A::from_bits)
}

#[test]
fn a_vertex_of_64_bits_under_a_texture() {
    let st = [(63, 56, 0x12), (55, 54, 1), (53, 43, 1000), (42, 32, 600)];
    let vertex = Vertex::from_words(word(&[&st[..], &PLACE].concat()), 0).unwrap();
    assert_eq!(
        (vertex.kind(), vertex.size(), vertex.bone(), vertex.color()),
        (VertexKind::Bits64, 8, 0x12, None)
    );
    assert_eq!(vertex.position(), PLACE_IS);
    assert_eq!(
        vertex.st(MaterialKind::Texture, St14Form::Excess),
        [(600.0 / 1024.0 - 0.5) * 4.0, (1000.0 / 1024.0 - 0.5) * 4.0]
    );
    // It has no normal: the direction of its position replaces it.
    assert_eq!(vertex.stored_normal(MaterialKind::Texture), None);
    let length = (1.25_f32 * 1.25 + 0.75 * 0.75 + 0.25 * 0.25).sqrt();
    assert!(
        vertex.normal(MaterialKind::Texture).iter().zip(PLACE_IS).all(|(n, p)| (n - p / length).abs() < 1e-6)
    );
    assert_eq!(
        Vertex::textured64(
            place(),
            St11::from_bits(word(&[(23, 22, 1), (21, 11, 1000), (10, 0, 600)]) as u32),
            0x12
        ),
        Some(vertex)
    );
}

#[test]
fn a_vertex_of_64_bits_under_a_flat_colour() {
    let normal = [(63, 56, 3), (55, 48, 0x50), (47, 40, 0xe0), (39, 32, 0x70)];
    let vertex = Vertex::from_words(word(&[&normal[..], &PLACE].concat()), 0).unwrap();
    assert_eq!((vertex.bone(), vertex.position()), (3, PLACE_IS));
    assert_eq!(vertex.normal(MaterialKind::FlatColor), [1.0, -0.5, 0.25]);
    assert_eq!(
        vertex.st(MaterialKind::FlatColor, St14Form::Excess),
        [0.0; 2],
        "texture coordinates are understood as zeroes"
    );
    assert_eq!(Vertex::flat64(place(), f8a([0x70, 0xe0, 0x50]), 3), Some(vertex));
}

#[test]
fn a_vertex_of_96_bits() {
    let second = word(&[(31, 24, 0x2f), (23, 16, 0x50), (15, 8, 0xe0), (7, 0, 0x70)]);
    let of = |tag, st: &[(u32, u32, u64)]| {
        Vertex::from_words(word(&[&[(63, 56, tag)], st, &PLACE[..]].concat()), second).unwrap()
    };
    let fine = [(55, 44, 3000), (43, 32, 1024)];
    let wide = [(55, 54, 2), (53, 43, 1000), (42, 32, 600)];
    let st_fine = [1024.0 / 2048.0 - 0.5, 3000.0 / 2048.0 - 0.5];
    let st_wide = [(600.0 / 1024.0 - 0.5) * 16.0, (1000.0 / 1024.0 - 0.5) * 16.0];
    // F8 and F9 hold a colour, FA and FB a bone; F9 and FB have an exponent.
    for (tag, st, values, color, bone) in [
        (0xf8, &fine[..], st_fine, Some(0x2f), 0),
        (0xf9, &wide[..], st_wide, Some(0x2f), 0),
        (0xfa, &fine[..], st_fine, None, 0x2f),
        (0xfb, &wide[..], st_wide, None, 0x2f),
    ] {
        let vertex = of(tag, st);
        assert_eq!((vertex.kind(), vertex.size()), (VertexKind::Bits96, 12));
        assert_eq!(
            (vertex.position(), vertex.st(MaterialKind::Texture, St14Form::Excess)),
            (PLACE_IS, values),
            "{tag:x}"
        );
        assert_eq!((vertex.color(), vertex.bone()), (color, bone), "{tag:x}");
        assert_eq!(vertex.normal(MaterialKind::Texture), [1.0, -0.5, 0.25]);
    }
    assert!((0xf0..=0xfb).all(|tag| VertexKind::of_tag(tag) == Some(VertexKind::Bits96)));
    assert!((0..=0xef).all(|tag| VertexKind::of_tag(tag) == Some(VertexKind::Bits64)));
    assert!([0xfc, 0xfe, 0xff].iter().all(|tag| VertexKind::of_tag(*tag).is_none()));
}

#[test]
fn a_vertex_of_128_bits() {
    let first = word(&[(63, 56, 0xfd), (55, 48, 0x2f), (47, 32, 0x3800), (31, 16, 0xc000), (15, 0, 0x3c00)]);
    let st = [(31, 28, 1), (27, 14, 0x3000), (13, 0, 0x1000)];
    let normal = [(63, 56, 9), (55, 48, 0x50), (47, 40, 0xe0), (39, 32, 0x70)];
    let vertex = Vertex::from_words(first, word(&[&normal[..], &st].concat())).unwrap();
    assert_eq!((vertex.kind(), vertex.size()), (VertexKind::Bits128, 16));
    assert_eq!((vertex.color(), vertex.bone()), (Some(0x2f), 9));
    assert_eq!(vertex.position(), [1.0, -2.0, 0.5], "binary16");
    assert_eq!(vertex.normal(MaterialKind::Texture), [1.0, -0.5, 0.25]);
    // The literal Q2.12, from -2.0 to 1.999, times a power of 2.
    assert_eq!(vertex.st(MaterialKind::Texture, St14Form::TwosComplement), [2.0, -2.0]);
    let ends = |bits| St14::from_bits(word(&[(31, 28, 0), (27, 14, bits), (13, 0, bits)]) as u32);
    assert_eq!(ends(0x2000).decode(St14Form::TwosComplement), [-2.0; 2]);
    assert_eq!(ends(0x1fff).decode(St14Form::TwosComplement), [1.999_755_9; 2]);
    // In the existing reader, the same range counts from its lower end.
    assert_eq!(ends(0).decode(St14Form::Excess), [-2.0; 2]);
    assert_eq!(ends(0x3fff).decode(St14Form::Excess), [1.999_755_9; 2]);
    assert_eq!(vertex.st(MaterialKind::Texture, St14Form::Excess), [-2.0, 2.0]);
}

#[test]
fn ranges_and_steps_of_texture_coordinates() {
    let st11 = |exponent, fraction| {
        St11::from_bits(word(&[(23, 22, exponent), (21, 11, fraction), (10, 0, fraction)]) as u32).decode()
    };
    for (exponent, low, high, step) in [
        (0, -0.5, 1.499_023_4, 1.0 / 1024.0),
        (1, -2.0, 5.996_093_8, 4.0 / 1024.0),
        (2, -8.0, 23.984_375, 16.0 / 1024.0),
        (3, -32.0, 95.9375, 64.0 / 1024.0),
    ] {
        assert_eq!((st11(exponent, 0), st11(exponent, 2047)), ([low; 2], [high; 2]));
        assert_eq!(st11(exponent, 1), [low + step; 2]);
    }
    let st12 = |fraction| St12::from_bits(word(&[(23, 12, fraction), (11, 0, fraction)]) as u32).decode();
    assert_eq!((st12(0), st12(1), st12(4095)), ([-0.5; 2], [-0.5 + 1.0 / 2048.0; 2], [1.499_511_7; 2]));
}

#[test]
fn small_floats_have_a_sign_three_bits_and_four() {
    for (code, value) in
        [(0x00, 0.0), (0x60, 0.5), (0x70, 1.0), (0x78, 1.5), (0x7f, 1.9375), (0xf0, -1.0), (0xff, -1.9375)]
    {
        assert_eq!(F8A::from_bits(code).decode(), value, "{code:x}");
    }
    assert_eq!(F8A::from_bits(word(&[(7, 7, 1), (6, 4, 5), (3, 0, 3)]) as u8).decode(), -19.0 / 64.0);
}

#[test]
fn triangles_and_quads() {
    let read = |fields: &[(u32, u32, u64)]| Primitive::from_bits(word(fields)).unwrap();
    let small = read(&[(31, 22, 1023), (21, 12, 2), (11, 2, 1), (1, 0, 0)]);
    assert_eq!(
        (small.kind(), small.size(), &small.indices()[..3]),
        (PrimitiveKind::Triangle32, 4, &[1, 2, 1023][..])
    );
    let quad = read(&[(31, 30, 0), (29, 23, 127), (22, 16, 3), (15, 9, 2), (8, 2, 1), (1, 0, 1)]);
    assert_eq!((quad.kind(), quad.size(), quad.indices()), (PrimitiveKind::Quad32, 4, [1, 2, 3, 127]));
    let wide = read(&[(63, 62, 0), (61, 42, 0xf_ffff), (41, 22, 2), (21, 2, 1), (1, 0, 2)]);
    assert_eq!(
        (wide.kind(), wide.size(), &wide.indices()[..3]),
        (PrimitiveKind::Triangle64, 8, &[1, 2, 0xf_ffff][..])
    );
    let wide_quad = read(&[(63, 62, 0), (61, 47, 0x7fff), (46, 32, 3), (31, 17, 2), (16, 2, 1), (1, 0, 3)]);
    assert_eq!(
        (wide_quad.kind(), wide_quad.size(), wide_quad.indices()),
        (PrimitiveKind::Quad64, 8, [1, 2, 3, 0x7fff])
    );
    assert_eq!(wide_quad.triangles().collect::<Vec<_>>(), [[1, 2, 3], [1, 3, 0x7fff]]);
    assert_eq!(read(&[(31, 30, 2), (29, 23, 3), (22, 16, 2), (15, 9, 1), (8, 2, 0), (1, 0, 1)]).tag2(), 2);
    // Indices above 32 bits need a 64-bit primitive.
    let kind = |last| Primitive::triangle([0, 1, last]).unwrap().kind();
    assert_eq!((kind(1023), kind(1024)), (PrimitiveKind::Triangle32, PrimitiveKind::Triangle64));
    // Below 1024 vertices a quad counts as two triangles, otherwise as one.
    assert_eq!(Mesh::stored_count(1023, 5, 2, QuadCount::Described), 7);
    assert_eq!(Mesh::stored_count(1025, 5, 2, QuadCount::Described), 5);
}

#[test]
fn a_bone_transform_is_a_turn_and_a_place() {
    let turn = [(63, 56, 0x70), (55, 48, 0x70), (47, 40, 0), (39, 32, 0)];
    let transform = BoneTransform::from_bits(word(&[&turn[..], &PLACE].concat()));
    assert_eq!(transform.origin().decode(), PLACE_IS);
    // R and K are equal: a quarter turn about Z, after normalising.
    let half = 0.5_f32.sqrt();
    assert!(
        transform.rotation().decode().iter().zip([0.0, 0.0, half, half]).all(|(a, b)| (a - b).abs() < 1e-6)
    );
    let turn = [(63, 56, 0), (55, 48, 0), (47, 40, 0x70), (39, 32, 0)];
    assert_eq!(BoneTransform::from_bits(word(&turn)).rotation().decode(), [0.0, 1.0, 0.0, 0.0], "J is Y");
}

#[test]
fn words_of_animations() {
    let turn = word(&[(31, 24, 0x70), (23, 16, 0), (15, 8, 0), (7, 0, 0xf0)]) as u32;
    let half = 0.5_f32.sqrt();
    assert!(
        QuatF8::from_bits(turn)
            .decode()
            .iter()
            .zip([-half, 0.0, 0.0, half])
            .all(|(a, b)| (a - b).abs() < 1e-6)
    );
    // The fraction is sign-extended, not normalised, and scaled by the exponent.
    assert_eq!(place().fractions(), [5, 3, -1]);
    let twice = [(31, 27, 21), (26, 18, 0x1ff), (17, 9, 3), (8, 0, 5)];
    assert_eq!(Se32::from_bits(word(&twice) as u32).decode(), PLACE_IS.map(|c| 2.0 * c));
}

/// Returns a step of raw words after `skip` frames.
fn step(skip: u8, rotation: Option<u32>, translation: Option<u32>, scale: Option<u32>) -> Step {
    Step::new(skip, rotation, translation, scale).unwrap()
}

fn pack_position(x: f32, y: f32, z: f32) -> u32 {
    Se32::encode([x, y, z]).to_bits()
}

/// Returns a model whose bone 1 is a child of bone 0 and the parent of bone 2, which a clip of four frames moves.
fn arm(steps: Vec<Step>, rate: ClipRate) -> Bmd {
    let bone = |parent, origin: [f32; 3]| Bone {
        transform: BoneTransform::new(Se32::encode(origin), QuatF8::IDENTITY),
        name: Some(Name::new(b"bone")),
        parent,
        ..Bone::default()
    };
    let clip = Clip {
        name: Some(Name::new(b"wave")),
        frames: 4,
        rate,
        stream: Stream::from_bones([vec![], vec![], steps]).into(),
        ..Clip::default()
    };
    let vertex = |bone| Vertex::flat64(Se32::encode([1.0, 0.0, 0.0]), f8a([0x70, 0, 0]), bone).unwrap();
    let mesh = Mesh {
        vertices: vec![vertex(1), vertex(2), vertex(0)].into(),
        primitives: vec![Primitive::triangle([0, 1, 2]).unwrap()].into(),
        material: Some(Name::new(b"#FFFFFF")),
        ..Mesh::default()
    };
    let bones = vec![Bone::default(), bone(0, [0.0, 10.0, 0.0]), bone(1, [4.0, 0.0, 0.0])];
    Bmd::new(vec![mesh]).with_bones(bones, vec![clip])
}

fn positions(model: &Bmd, t: f64) -> Vec<[f32; 3]> {
    let pose = model.motion(0).unwrap().pose(t);
    model.meshes[0].vertices.iter().map(|v| pose.position(*v)).collect()
}

#[test]
fn vertices_lie_in_the_space_of_their_bone_and_bones_in_that_of_their_parent() {
    let model = arm(vec![], ClipRate::USUAL);
    // Bone 0 is the model itself.
    assert_eq!(positions(&model, 0.0), [[1.0, 10.0, 0.0], [5.0, 10.0, 0.0], [1.0, 0.0, 0.0]]);
}

#[test]
fn keys_are_relative_to_the_base_and_what_lies_between_is_blended() {
    let quarter = word(&[(31, 24, 0x70), (23, 16, 0x70), (15, 8, 0), (7, 0, 0)]) as u32;
    let none = QuatF8::IDENTITY.to_bits();
    // Frame 0: no rotation, translation 0. Frame 2: a quarter turn about Z, translation 8 along Z, scale 2.
    let steps = vec![
        step(0, Some(none), Some(pack_position(0.0, 0.0, 0.0)), Some(pack_position(1.0, 1.0, 1.0))),
        step(1, Some(quarter), Some(pack_position(0.0, 0.0, 8.0)), Some(pack_position(2.0, 2.0, 2.0))),
    ];
    let model = arm(steps, ClipRate::USUAL.once());
    assert_eq!(positions(&model, 0.0)[1], [5.0, 10.0, 0.0]);
    let near = |p: [f32; 3], q: [f32; 3]| p.iter().zip(q).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(near(positions(&model, 2.0)[1], [4.0, 12.0, 8.0]), "scaled, turned, moved");
    // Frame 1 has no keys: values are blended linearly and the rotation is normalised.
    let (sin, cos) = (std::f32::consts::FRAC_PI_8 * 2.0).sin_cos();
    assert!(near(positions(&model, 1.0)[1], [4.0 + 1.5 * cos, 10.0 + 1.5 * sin, 4.0]));
    // Bone 1 has no keys and stays at rest.
    assert_eq!(positions(&model, 1.0)[0], [1.0, 10.0, 0.0]);
}

#[test]
fn a_value_without_a_key_is_the_identity() {
    let model = arm(vec![step(1, None, Some(pack_position(0.0, 0.0, 8.0)), None)], ClipRate::USUAL);
    let sample = model.motion(0).unwrap().sample(2, 0.0);
    assert_eq!((sample.rotation, sample.scale), ([0.0, 0.0, 0.0, 1.0], [1.0; 3]));
    let sample = arm(vec![], ClipRate::USUAL);
    assert_eq!(sample.motion(0).unwrap().sample(2, 0.0).translation, [0.0; 3]);
}

#[test]
fn pseudo_bones_are_the_mean_of_the_bones_that_they_follow() {
    let mut model = arm(vec![step(0, None, Some(pack_position(0.0, 0.0, 8.0)), None)], ClipRate::USUAL);
    // Four bones in the lower half of the word, four weights in the upper one: 1 and 2, a quarter and three quarters.
    let bits = word(&[(7, 0, 1), (15, 8, 2), (39, 32, 0x50), (47, 40, 0x68)]);
    assert_eq!(
        BoneTransform::from_bits(bits).followed().map(|(b, w)| (b, w.decode())),
        [(1, 0.25), (2, 0.75), (0, 0.0), (0, 0.0)]
    );
    model.bones.push(Bone {
        transform: BoneTransform::from_bits(bits),
        name: Some(Name::new(b"ghost")),
        parent: Bone::PSEUDO,
        ..Bone::default()
    });
    assert_eq!(model.normal_bones(), 3, "its keys are not in the stream");
    let vertex = Vertex::flat64(Se32::encode([1.0, 0.0, 0.0]), f8a([0x70, 0, 0]), 3).unwrap();
    let at = model.motion(0).unwrap().pose(0.0).position(vertex);
    // Bone 1 at (0, 10, 0), bone 2 at (4, 10, 8) after the key.
    assert_eq!(at, [3.0 + 1.0, 10.0, 6.0]);
    let bytes = model.to_bytes().unwrap();
    let again = Bmd::parse(&bytes).unwrap();
    assert_eq!((again.clips[0].stream.bone_count(), &again), (3, &model));
    // A normal bone after a pseudo-bone would get the keys of another bone.
    model.bones.push(Bone { name: Some(Name::new(b"late")), ..Bone::default() });
    assert!(model.to_bytes().is_err() && model.validate().has("pseudo-bone-order"));
}

#[test]
fn flags_restrict_the_kinds_of_elements() {
    let st = St11::from_bits(0);
    let vertices = [
        Vertex::textured64(place(), st, 0).unwrap(),
        Vertex::from_words(word(&[(63, 56, 0xf8)]), 0).unwrap(),
        Vertex::from_words(word(&[(63, 56, 0xfd)]), 0).unwrap(),
    ];
    let primitives = [
        Primitive::new(PrimitiveKind::Triangle32, [0, 1, 2, 0]).unwrap(),
        Primitive::new(PrimitiveKind::Quad32, [0, 1, 2, 3]).unwrap(),
        Primitive::new(PrimitiveKind::Triangle64, [0, 1, 2, 0]).unwrap(),
        Primitive::new(PrimitiveKind::Quad64, [0, 1, 2, 3]).unwrap(),
    ];
    let fits = |flags, vertex: Vertex, primitive: Primitive| {
        let mesh = Mesh {
            vertices: vec![vertex; 4].into(),
            primitives: vec![primitive].into(),
            material: Some(Name::new(b"skin")),
            flags: MeshFlags(flags),
            ..Mesh::default()
        };
        Bmd::new(vec![mesh]).to_bytes().is_ok()
    };
    for (subtype, allowed) in
        [[true, false, false], [true; 3], [false, false, true], [false, true, false]].iter().enumerate()
    {
        let flags = subtype as u32 | 1 << 2;
        assert_eq!(
            vertices.map(|v| fits(flags, v, primitives[0])),
            *allowed,
            "vertices of subtype {subtype}"
        );
        assert_eq!(usize::from(MeshFlags(flags).vertex_subtype()), subtype);
    }
    let kinds =
        [[true, false, false, false], [true; 4], [false, false, true, false], [false, false, true, true]];
    for (subtype, allowed) in kinds.iter().enumerate() {
        let flags = (subtype as u32) << 2;
        assert_eq!(
            primitives.map(|p| fits(flags, vertices[0], p)),
            *allowed,
            "primitives of subtype {subtype}"
        );
        assert_eq!(usize::from(MeshFlags(flags).primitive_subtype()), subtype);
    }
}

#[test]
fn materials_are_names_or_colours() {
    assert_eq!(flat_color(b"#0A0b0C"), Some([10, 11, 12]));
    assert_eq!([flat_color(b"gfx/skin"), flat_color(b"#0A0B0"), flat_color(b"0A0B0C")], [None; 3]);
    let colored = Vertex::from_words(word(&[(63, 56, 0xf8)]), word(&[(31, 24, 0x1f)])).unwrap();
    let plain = Vertex::flat64(place(), f8a([0; 3]), 0).unwrap();
    let colors = |material: &[u8]| {
        let material = Some(Name::new(material));
        let mesh = Mesh { vertices: vec![colored, plain].into(), material, ..Mesh::default() };
        mesh.colors().collect::<Vec<_>>()
    };
    // Colours of vertices are relative to that of the material, which is white under a texture.
    assert_eq!(shade(0x1f), [255, 0x55, 0x55]);
    assert_eq!(colors(b"gfx/skin"), [[255, 0x55, 0x55, 255], [255; 4]]);
    let [r, g, b] = tint([10, 11, 12], [255, 0x55, 0x55]);
    assert_eq!(colors(b"#0A0B0C"), [[r, g, b, 255], [10, 11, 12, 255]]);
    // A mesh without a material is not drawn.
    let hidden = Mesh { material: None, ..Mesh::default() };
    let drawn = Mesh { material: Some(Name::new(b"gfx/skin")), ..Mesh::default() };
    assert_eq!(Bmd::new(vec![hidden, drawn]).drawn_meshes(0).collect::<Vec<_>>(), [1]);
}

#[test]
fn levels_are_ranges_of_meshes_by_distance() {
    let drawn = Mesh { material: Some(Name::new(b"skin")), ..Mesh::default() };
    let mut model = Bmd::new(vec![drawn; 3]);
    let level = |first, count, scale| Lod { first, count, scale: F8A::from_bits(scale), reserved: 0 };
    // Half the size at one metre, a quarter at three, and 17 / 2048 at 119.47.
    model.lods = vec![level(0, 2, 0x60), level(1, 1, 0x50), level(2, 1, 0x01)];
    assert_eq!(model.drawn_meshes(0).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(model.drawn_meshes(2).collect::<Vec<_>>(), [2]);
    let far: Vec<_> = model.lods.iter().map(|l| l.max_distance().unwrap()).collect();
    assert_eq!(far, [1.0, 3.0, 2048.0 / 17.0 - 1.0]);
    assert_eq!([0.0, 1.0, 1.1, 3.0, 3.1, 1e9].map(|d| model.lod_at(d).unwrap()), [0, 0, 1, 1, 2, 2]);
}

#[test]
fn solids_are_closed_volumes_of_one_bone() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let vertex = |p: [f32; 3], bone| Vertex::flat64(Se32::encode(p), f8a([0; 3]), bone).unwrap();
    let solid = |bones: [u8; 4], faces: &[[u32; 3]], more: &[[f32; 3]]| {
        let all =
            corners.iter().zip(bones).map(|(p, b)| vertex(*p, b)).chain(more.iter().map(|p| vertex(*p, 1)));
        Mesh {
            vertices: all.collect::<Vec<_>>().into(),
            primitives: faces.iter().filter_map(|f| Primitive::triangle(*f)).collect::<Vec<_>>().into(),
            ..Mesh::default()
        }
    };
    let closed = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let judged = |mesh: Mesh| {
        let mut model = arm(vec![], ClipRate::USUAL);
        model.meshes.push(mesh);
        model.bones[1].solid = 1;
        let report = model.validate();
        ["solid-open", "solid-bones", "solid-inverted", "solid-cross"].map(|code| report.has(code))
    };
    assert_eq!(judged(solid([1; 4], &closed, &[])), [false; 4], "of the bone itself");
    assert_eq!(judged(solid([0; 4], &closed, &[])), [false; 4], "of bone 0");
    let drawn = Mesh { material: Some(Name::new(b"skin")), ..solid([1; 4], &closed, &[]) };
    assert_eq!(judged(drawn), [false; 4], "drawn too");
    assert_eq!(judged(solid([2; 4], &closed, &[])), [false, true, false, false], "of another bone");
    assert_eq!(judged(solid([1, 1, 1, 0], &closed, &[])), [false, true, false, false], "of two bones");
    assert_eq!(judged(solid([1; 4], &closed[..3], &[])), [true, false, false, false], "not closed");
    // With one face pushed in the solid is valid. With that face pushed out of the other side, it crosses
    // itself.
    let dented = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]];
    assert_eq!(judged(solid([1; 4], &dented, &[[0.125; 3]])), [false; 4]);
    assert!(judged(solid([1; 4], &dented, &[[0.5, 0.5, -0.5]]))[3]);
    // A duplicated corner, as texture seams need, opens the surface.
    let seam = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4]];
    assert!(judged(solid([1; 4], &seam, &[corners[3]]))[0]);
}

/// Tests a whole file: each field of each record is where the description has it.
#[test]
fn a_file_byte_for_byte() {
    let mut file = vec![0_u8; 0x12c];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    let u32s = |values: &[u32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    // Header: magic, three reserved words, then offset and size of meshes, levels, bones and animations.
    put(0x00, b"BMD1");
    put(0x10, &u32s(&[0x30, 0x20, 0x50, 4, 0x58, 0x30, 0x88, 0x10]));
    // Mesh: vertices, triangles, material; 3 vertices and 1 triangle; sizes of both lists, flags, reserved.
    put(0x30, &u32s(&[0xb8, 0xd0, 0x98]));
    put(0x3c, &[3, 0, 1, 0]);
    put(0x40, &u32s(&[24, 4, 5, 0]));
    // Level: first mesh, how many, scale, reserved.
    put(0x50, &[0, 1, 0x60, 0]);
    // Bones: transform, name, parent, solid, two reserved bytes.
    let turn = [(63, 56, 0x70), (55, 48, 0), (47, 40, 0), (39, 32, 0)];
    put(0x68, &word(&[&turn[..], &PLACE].concat()).to_le_bytes());
    put(0x70, &u32s(&[0x9d]));
    put(0x78, &word(&[(7, 0, 1), (39, 32, 0x70)]).to_le_bytes());
    put(0x80, &u32s(&[0xa1]));
    put(0x84, &[0xff, 0, 0, 0]);
    // Animation: name, frames, rate (no loop, 2 Hz), two reserved bytes, keys and their size.
    put(0x88, &u32s(&[0xa7]));
    put(0x8c, &[4, 0x88, 0, 0]);
    put(0x90, &u32s(&[0xd4, 16]));
    put(0x98, b"skin\0arm\0ghost\0wave\0");
    // Vertices, a triangle.
    for (i, bone) in [0_u64, 1, 2].into_iter().enumerate() {
        put(0xb8 + 8 * i, &word(&[&[(63, 56, bone)], &PLACE[..]].concat()).to_le_bytes());
    }
    put(0xd0, &u32s(&[word(&[(31, 22, 2), (21, 12, 1), (11, 2, 0), (1, 0, 0)]) as u32]));
    // Keys of bone 0: none. Bone 1: skip one frame, a rotation and a translation, then a scale in the next
    // frame.
    put(0xd4, &[0, 0xc1]);
    put(0xd6, &u32s(&[0x7000_0000, word(&PLACE) as u32]));
    put(0xde, &[0x20]);
    put(0xdf, &u32s(&[pack_position(1.0, 2.0, 4.0)]));
    put(0xe3, &[0]);
    file.truncate(0xe4);

    let model = Bmd::parse(&file).unwrap();
    assert_eq!(model.reserved, [0; 3]);
    let mesh = &model.meshes[0];
    assert_eq!(mesh.material.as_ref().unwrap().text(), "skin");
    assert_eq!((mesh.flags, mesh.reserved), (MeshFlags(5), 0));
    assert_eq!(mesh.bones().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(mesh.positions().collect::<Vec<_>>(), [PLACE_IS; 3]);
    assert_eq!(mesh.triangles().collect::<Vec<_>>(), [[0, 1, 2]]);
    assert_eq!(model.lods, [Lod { first: 0, count: 1, scale: F8A::from_bits(0x60), reserved: 0 }]);
    assert_eq!((model.bones.len(), model.bones[0].name.is_none()), (3, true));
    assert_eq!(model.bones[1].name.as_ref().unwrap().text(), "arm");
    assert_eq!((model.bones[1].parent, model.bones[1].solid), (0, 0));
    assert_eq!(model.bones[1].transform.origin().decode(), PLACE_IS);
    assert!(model.bones[2].is_pseudo() && model.bones[2].transform.followed()[0].0 == 1);
    let clip = &model.clips[0];
    assert_eq!((clip.name.as_ref().unwrap().text(), clip.frames), ("wave".into(), 4));
    assert_eq!((clip.rate.frames_per_second(), clip.rate.is_looping()), (2.0, false));
    assert_eq!(clip.stream.bone_count(), 2, "pseudo-bones have no keys");
    let keys = clip.stream.keys(1);
    assert_eq!(keys.rotation, [(1, QuatF8::from_bits(0x7000_0000))]);
    assert_eq!(keys.translation, [(1, place())]);
    assert_eq!(keys.scale, [(2, Se32::encode([1.0, 2.0, 4.0]))]);
    assert_eq!(model.to_bytes().unwrap(), file);

    // Reserved bytes other than zero are reported. The magic is required.
    for reserved in [0x04, 0x08, 0x0c, 0x4c, 0x53, 0x66, 0x67, 0x8e] {
        let mut odd = file.clone();
        odd[reserved] = 1;
        assert!(Bmd::parse(&odd).unwrap().validate().has("reserved-field"), "{reserved:#x}");
    }
    file[3] = b'2';
    assert_eq!(Bmd::parse(&file).unwrap_err().code(), "bad-magic");
}
