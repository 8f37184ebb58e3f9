//! Tests every layout with literal bytes and values. If two fields or axes are exchanged, a test fails
//! without other files.
#![allow(clippy::unwrap_used, reason = "tests")]

use meshwright_core::{F32, FileFormat, f32s, values};
use meshwright_crucible::{
    Attribute, AttributeFlag, Bone, BoneWeight, CModel, Chunk, CrucibleOptions, Dialect, IndexSize,
    QuaternionOrder, SkeletonChunk,
};
use meshwright_testkit::{from_hex, hex_diff};

fn same<F: FileFormat>(bytes: &[u8], model: &F, options: &F::Options) {
    let read = F::parse_with(bytes, options).unwrap().model;
    assert_eq!(read, *model);
    let written = read.to_bytes().unwrap();
    assert!(written == bytes, "{}", hex_diff(bytes, &written));
    // A newly compressed block may be shorter.
    let anew = model.to_bytes().unwrap();
    assert_eq!(F::parse_with(&anew, options).unwrap().model, *model);
}

/// The width of indices, their sizes, the block of the indices 0 0 0, and the number of streams. A block
/// with only literals has their number in the upper half of its first byte, followed by the literals.
const HEAD: &str = "00 07000000 06000000  60 0000 0000 0000";

/// 16-bit flag, sizes and block for one vertex.
const POSITION_3D: &str = "0100 0d000000 0c000000  c0 0000803f 00000040 00004040  # 1 2 3";
const POSITION_2D: &str = "0200 09000000 08000000  80 00008040 0000a040           # 4 5";
const NORMAL: &str = "0400 0d000000 0c000000  c0 0000003f 000000bf 0000803e       # 0.5 -0.5 0.25";
const UV: &str = "0800 09000000 08000000  80 0000c040 0000e040                    # 6 7";
const COLOR: &str = "05000000 04000000  40 01 02 03 04";
const TANGENT: &str = "1000 0d000000 0c000000  c0 00000041 00001041 00002041      # 8 9 10";
/// Four pairs of a 16-bit bone and a float: 24 bytes. The first byte counts 15 literals, the next one 9
/// more.
const WEIGHTS: &str = "1a000000 18000000  f0 09
    0100 0000003f  0200 0000803e  0300 0000003e  0400 0000003e";
/// Four pairs of a 32-bit bone and a float.
const WIDE_WEIGHTS: &str = "22000000 20000000  f0 11
    01000100 0000003f  02000000 0000803e  03000000 0000003e  04000000 0000003e";

fn weights(first: u32) -> [BoneWeight; 4] {
    let of = |bone, influence| BoneWeight { bone, influence: F32::new(influence) };
    [of(first, 0.5), of(2, 0.25), of(3, 0.125), of(4, 0.125)]
}

/// Returns a chunk of one vertex with every attribute of its dialect.
fn everything(dialect: Dialect) -> Chunk<'static> {
    let mut chunk = Chunk::new(dialect);
    chunk.set_indices(&[0, 0, 0]);
    chunk.set_floats(Attribute::Position3, &[[1.0, 2.0, 3.0]]).unwrap();
    chunk.set_floats(Attribute::Position2, &[[4.0, 5.0]]).unwrap();
    chunk.set_floats(Attribute::Normal, &[[0.5, -0.5, 0.25]]).unwrap();
    chunk.set_floats(Attribute::Uv, &[[6.0, 7.0]]).unwrap();
    if dialect == Dialect::Tangent {
        chunk.set_floats(Attribute::Tangent, &[[8.0, 9.0, 10.0]]).unwrap();
    }
    chunk.set(Attribute::Color, vec![1, 2, 3, 4]).unwrap();
    chunk.set_bone_weights(&[weights(if dialect == Dialect::Bone32 { 0x1_0001 } else { 1 })]).unwrap();
    chunk
}

#[test]
fn a_chunk_in_every_dialect() {
    let common = format!("{POSITION_3D}\n{POSITION_2D}\n{NORMAL}\n{UV}\n");
    for (dialect, rest, count) in [
        (Dialect::Seed, format!("1000 {COLOR}\n2000 {WEIGHTS}"), "06"),
        (Dialect::Tangent, format!("{TANGENT}\n2000 {COLOR}\n4000 {WEIGHTS}"), "07"),
        (Dialect::Bone32, format!("1000 {COLOR}\n2000 {WIDE_WEIGHTS}"), "06"),
    ] {
        let bytes = from_hex(&format!("{HEAD}\n{count}\n{common}{rest}"));
        same(&bytes, &everything(dialect), &CrucibleOptions::default());
        let chunk = Chunk::parse(&bytes).unwrap();
        assert_eq!((chunk.dialect, chunk.index_size), (dialect, IndexSize::U16));
        assert_eq!(chunk.indices().iter().collect::<Vec<_>>(), [0, 0, 0]);
        assert_eq!(chunk.positions().unwrap().get(0).map(values), Some([1.0, 2.0, 3.0]));
        assert_eq!(chunk.positions_2d().unwrap().get(0).map(values), Some([4.0, 5.0]));
        assert_eq!(chunk.normals().unwrap().get(0).map(values), Some([0.5, -0.5, 0.25]));
        assert_eq!(chunk.uvs().unwrap().get(0).map(values), Some([6.0, 7.0]));
        let tangent = chunk.tangents().and_then(|t| t.get(0)).map(values);
        assert_eq!(tangent, (dialect == Dialect::Tangent).then_some([8.0, 9.0, 10.0]));
        assert_eq!(chunk.colors().unwrap(), [[1, 2, 3, 4]]);
        let first = if dialect == Dialect::Bone32 { 0x1_0001 } else { 1 };
        assert_eq!(chunk.bone_weights().unwrap().get(0), Some(weights(first)));
    }
}

#[test]
fn indices_of_32_bits() {
    let bytes = from_hex(
        "01 0d000000 0c000000  c0 00000000 01000000 02000000  01
        0100 26000000 24000000  f0 15 # nine floats in a block of 36 literals
        0000803f 00000040 00004040 00008040 0000a040 0000c040 0000e040 00000041 00001041",
    );
    let chunk = Chunk::parse(&bytes).unwrap();
    assert_eq!(chunk.index_size, IndexSize::U32);
    assert_eq!(chunk.triangles().collect::<Vec<_>>(), [[0, 1, 2]]);
    assert_eq!(chunk.positions().unwrap().get(2).map(values), Some([7.0, 8.0, 9.0]));
    assert_eq!(chunk.to_bytes().unwrap(), bytes);
}

/// The description writes flags as binary digits after 0x.
#[test]
fn flags_are_these_bits() {
    use Attribute::{BoneWeights, Color, Normal, Position2, Position3, Tangent, Uv};
    let seed = [(Position3, 1), (Position2, 2), (Normal, 4), (Uv, 8), (Color, 0x10), (BoneWeights, 0x20)];
    let tangent = [
        (Position3, 1),
        (Position2, 2),
        (Normal, 4),
        (Uv, 8),
        (Tangent, 0x10),
        (Color, 0x20),
        (BoneWeights, 0x40),
    ];
    for (dialect, flags) in
        [(Dialect::Seed, &seed[..]), (Dialect::Bone32, &seed), (Dialect::Tangent, &tangent)]
    {
        for word in 0..=u16::MAX {
            let wanted = flags.iter().find(|f| f.1 == word).map(|f| f.0);
            assert_eq!(AttributeFlag(word).attribute(dialect), wanted, "{dialect} {word:#x}");
        }
        for &(attribute, word) in flags {
            assert_eq!(attribute.flag(dialect), Some(AttributeFlag(word)));
        }
    }
    let reserved = (0..16).filter(|bit| AttributeFlag(1 << bit).is_reserved()).collect::<Vec<_>>();
    assert_eq!(reserved, [7, 8, 9, 10, 11, 12, 13, 14, 15]);
}

#[test]
fn a_container() {
    let chunk = format!("{HEAD} 01 {POSITION_3D}");
    // The magic, the number of meshes, then the length of each chunk and the chunk.
    let text = format!("63 6d 6f 64 65 6c 0a 02000000\n2800000000000000 {chunk}\n1100000000000000 {HEAD} 00");
    let mut one = Chunk::new(Dialect::Seed);
    one.set_indices(&[0, 0, 0]);
    let mut other = one.clone();
    one.set_floats(Attribute::Position3, &[[1.0, 2.0, 3.0]]).unwrap();
    // The second chunk has no vertices, so it can have no indices.
    other.set_indices(&[]);
    let text =
        text.replace(&format!("1100000000000000 {HEAD} 00"), "0b00000000000000 00 01000000 00000000 00 00");
    same(&from_hex(&text), &CModel::new(vec![one, other]), &CrucibleOptions::default());
}

/// Two bones: number, position, rotation, scale, parent, children.
const BONES: &str = "
    0000 0000803f 00000040 00004040  0000003f 000000bf 0000803e 0000803f  00008040 0000a040 0000c040  ffff 0100 0100
    0100 0000e040 00000041 00001041  00000000 0000803f 00000000 000000bf  00002041 00003041 00004041  0000 0000";

#[test]
fn a_skeleton_in_both_orders() {
    // Both sizes come before the number of bones. The 94 literals are counted as 15 and 79 more.
    let bytes = from_hex(&format!("60000000 5e000000 0200  f0 4f {BONES}"));
    let bone = |position, rotation, scale, parent, children: &[u16]| Bone {
        position: f32s(position),
        rotation: f32s(rotation),
        scale: f32s(scale),
        parent,
        children: children.to_vec(),
    };
    let mut skeleton = SkeletonChunk::new(vec![
        bone([1.0, 2.0, 3.0], [0.5, -0.5, 0.25, 1.0], [4.0, 5.0, 6.0], None, &[1]),
        bone([7.0, 8.0, 9.0], [0.0, 1.0, 0.0, -0.5], [10.0, 11.0, 12.0], Some(0), &[]),
    ]);
    let read = SkeletonChunk::parse(&bytes).unwrap();
    assert_eq!(read, skeleton);
    assert_eq!(read.to_bytes().unwrap(), bytes);
    assert_eq!(SkeletonChunk::parse(&skeleton.to_bytes().unwrap()).unwrap(), skeleton);
    assert_eq!(read.rotation(&read.bones[0]), [0.5, -0.5, 0.25, 1.0]);
    // In the order of the engine's description, w comes first.
    let options = CrucibleOptions::default().with_quaternions(QuaternionOrder::Wxyz);
    let read = SkeletonChunk::parse_with(&bytes, &options).unwrap().model;
    skeleton.order = QuaternionOrder::Wxyz;
    assert_eq!(read, skeleton);
    assert_eq!(read.rotation(&read.bones[0]), [-0.5, 0.25, 1.0, 0.5]);
}

#[cfg(feature = "scene")]
#[test]
fn a_chunk_in_gltfs_space() {
    use meshwright_scene::SceneOptions;
    let mut chunk = Chunk::new(Dialect::Seed);
    chunk.set_floats(Attribute::Position3, &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]).unwrap();
    chunk.set_floats(Attribute::Normal, &[[0.6, 0.0, 0.8]; 3]).unwrap();
    chunk.set_floats(Attribute::Uv, &[[0.25, 0.75]; 3]).unwrap();
    chunk.set(Attribute::Color, vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]).unwrap();
    chunk.set_indices(&[0, 1, 2]);
    let scene = chunk.to_scene(&SceneOptions::default(), None).unwrap().value;
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions, [[-1.0, 2.0, 3.0], [-4.0, 5.0, 6.0], [-7.0, 8.0, 10.0]]);
    assert_eq!(mesh.normals, [[-0.6, 0.0, 0.8]; 3]);
    assert_eq!(mesh.uvs, [[0.25, 0.75]; 3]);
    assert_eq!(mesh.triangles, [[2, 1, 0]]);
}
