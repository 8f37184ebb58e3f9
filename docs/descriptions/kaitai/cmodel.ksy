# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: cmodel
  title: Crucible model
  file-extension:
    - cmodel
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A container of chunks'
seq:
  - id: header
    type: model_header
  - id: meshes
    type: mesh
    repeat: expr
    repeat-expr: header.mesh_count
types:
  mesh:
    doc: 'A chunk with its length'
    seq:
      - id: header
        type: mesh_header
      - id: chunk
        type: chunk
        size: header.length
  chunk:
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
  stream:
    doc: 'A stream of values, one for each vertex'
    seq:
      - id: header
        type: stream_header
      - id: data
        size: header.packed
  model_header:
    doc: 'The start of a container'
    seq:
      - id: magic
        contents: [0x63, 0x6d, 0x6f, 0x64, 0x65, 0x6c, 0x0a]
        doc: '`cmodel` and a line feed'
      - id: mesh_count
        type: u4le
        doc: 'The number of chunks that follow'
  mesh_header:
    doc: 'The fields before each chunk'
    seq:
      - id: length
        type: u8le
        doc: 'The size in bytes of the chunk that follows'
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
