# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: crucible
  title: Crucible mesh chunk
  file-extension:
    - cmesh
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A chunk. Its blocks are LZ4 blocks without a frame'
seq:
  - id: header
    type: chunk_header
  - id: indices
    size: header.packed
  - id: count
    type: stream_count
  - id: streams
    type: stream
    repeat: expr
    repeat-expr: count.stream_count
types:
  stream:
    doc: 'A stream of values, one for each vertex'
    seq:
      - id: header
        type: stream_header
      - id: data
        size: header.packed
  chunk_header:
    doc: 'The start of a chunk, before the block of its indices'
    seq:
      - id: index_size
        type: u1
        doc: '0 for 16-bit indices, otherwise 32-bit indices'
      - id: packed
        type: s4le
        doc: 'The size in bytes of the block that follows'
      - id: size
        type: s4le
        doc: 'The decoded size of the block in bytes'
  stream_count:
    doc: 'The fields between the indices and the first stream'
    seq:
      - id: stream_count
        type: u1
        doc: 'The number of attribute streams that follow'
  stream_header:
    doc: 'The start of an attribute stream, before its block'
    seq:
      - id: flag
        type: u2le
        doc: 'The flag of the attribute, one bit'
      - id: packed
        type: s4le
        doc: 'The size in bytes of the block that follows'
      - id: size
        type: s4le
        doc: 'The decoded size of the block in bytes'
  bone_weight:
    doc: 'The weight of a bone'
    seq:
      - id: bone
        type: u2le
        doc: 'The number of the bone'
      - id: weight
        type: f4le
        doc: 'The weight'
  bone_weight_32:
    doc: 'The weight of a bone, in engines of March 2025'
    seq:
      - id: bone
        type: u4le
        doc: 'The number of the bone'
      - id: weight
        type: f4le
        doc: 'The weight'
# Words that are packed bit by bit:
#   seed_flags, 16 bits: Attribute flags in the description, and in engines of March 2025
#     15:6 reserved Always 0
#     5 bone_weight Four pairs of bone (`u16`) and weight (`f32`), 24 bytes per vertex
#     4 color Red, green, blue, alpha, 4 bytes
#     3 uv `f32[2]`
#     2 normal `f32[3]`
#     1 position_2d `f32[2]`
#     0 position_3d `f32[3]`
#   tangent_flags, 16 bits: Attribute flags in engines from April 2025 on
#     15:7 reserved Always 0
#     6 bone_weight Bone weights, as in `seed_flags` but one bit higher
#     5 color Colour, as in `seed_flags` but one bit higher
#     4 tangent `f32[3]`, without handedness
#     3 uv `f32[2]`
#     2 normal `f32[3]`
#     1 position_2d `f32[2]`
#     0 position_3d `f32[3]`
