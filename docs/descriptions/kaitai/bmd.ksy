# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: bmd
  title: BGBTech BMD
  file-extension:
    - bmd
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A BMD file. Offset 0 means none'
seq:
  - id: header
    type: header
instances:
  meshes:
    io: _root._io
    pos: header.ofs_meshes
    type: mesh_data
    repeat: expr
    repeat-expr: header.sz_meshes / 32
  lods:
    io: _root._io
    pos: header.ofs_lods
    type: lod
    repeat: expr
    repeat-expr: header.sz_lods / 4
  bones:
    io: _root._io
    pos: header.ofs_bones
    type: bone_data
    repeat: expr
    repeat-expr: header.sz_bones / 16
  anims:
    io: _root._io
    pos: header.ofs_anims
    type: anim_data
    repeat: expr
    repeat-expr: header.sz_anims / 16
types:
  mesh_data:
    doc: 'A mesh, its material and its lists'
    seq:
      - id: mesh
        type: mesh
    instances:
      material:
        io: _root._io
        pos: mesh.ofs_mat
        if: mesh.ofs_mat != 0
        type: strz
        encoding: ISO-8859-1
      vertices:
        io: _root._io
        pos: mesh.ofs_vtx
        type: vertex
        repeat: expr
        repeat-expr: mesh.n_vtx
      primitives:
        io: _root._io
        pos: mesh.ofs_tris
        if: mesh.sz_tris != 0
        type: primitive
        repeat: until
        repeat-until: _io.pos >= mesh.ofs_tris + mesh.sz_tris
  vertex:
    doc: 'A vertex of 64, 96 or 128 bits. The highest byte of its first word is the bone, or says how wide it is'
    seq:
      - id: first
        type: u8le
      - id: second_96
        if: (first >> 56) >= 240 and (first >> 56) <= 251
        type: u4le
      - id: second_128
        if: (first >> 56) == 253
        type: u8le
  primitive:
    doc: 'A triangle or quad of 32 or 64 bits, as its two lowest bits say'
    seq:
      - id: low
        type: u4le
      - id: high
        if: '(low & 3) >= 2'
        type: u4le
  bone_data:
    doc: 'A bone and its name'
    seq:
      - id: bone
        type: bone
    instances:
      name:
        io: _root._io
        pos: bone.ofs_name
        if: bone.ofs_name != 0
        type: strz
        encoding: ISO-8859-1
  anim_data:
    doc: 'A clip, its name and its keys'
    seq:
      - id: anim
        type: anim
    instances:
      name:
        io: _root._io
        pos: anim.ofs_name
        if: anim.ofs_name != 0
        type: strz
        encoding: ISO-8859-1
      keys:
        io: _root._io
        pos: anim.ofs_frames
        if: anim.sz_frames != 0
        type: key
        repeat: until
        repeat-until: _io.pos >= anim.ofs_frames + anim.sz_frames
  key:
    doc: 'Keys of a bone at one frame, or with the tag 0 the end of the bone'
    seq:
      - id: tag
        type: u1
      - id: rotation
        if: '(tag & 128) != 0'
        type: u4le
      - id: translation
        if: '(tag & 64) != 0'
        type: u4le
      - id: scale
        if: '(tag & 32) != 0'
        type: u4le
  header:
    doc: 'The start of a file'
    seq:
      - id: magic
        contents: [0x42, 0x4d, 0x44, 0x31]
        doc: '`BMD1`'
      - id: resv1
        type: u4le
        doc: 'Reserved, 0'
      - id: resv2
        type: u4le
        doc: 'Reserved, 0'
      - id: resv3
        type: u4le
        doc: 'Reserved, 0'
      - id: ofs_meshes
        type: u4le
        doc: 'The offset of the mesh table'
      - id: sz_meshes
        type: u4le
        doc: 'The size of the mesh table in bytes, 32 per mesh'
      - id: ofs_lods
        type: u4le
        doc: 'The offset of the table of levels of detail'
      - id: sz_lods
        type: u4le
        doc: 'The size of that table in bytes, 4 per level'
      - id: ofs_bones
        type: u4le
        doc: 'The offset of the bone table; 0 in a static model'
      - id: sz_bones
        type: u4le
        doc: 'The size of the bone table in bytes, 16 per bone'
      - id: ofs_anims
        type: u4le
        doc: 'The offset of the clip table; 0 in a static model'
      - id: sz_anims
        type: u4le
        doc: 'The size of the clip table in bytes, 16 per clip'
  mesh:
    doc: '`MeshDef`, a mesh'
    seq:
      - id: ofs_vtx
        type: u4le
        doc: 'The offset of the vertices'
      - id: ofs_tris
        type: u4le
        doc: 'The offset of the triangles and quads'
      - id: ofs_mat
        type: u4le
        doc: 'The offset of the material name; 0 for a mesh that is not drawn'
      - id: n_vtx
        type: u2le
        doc: 'The number of vertices'
      - id: n_tris
        type: u2le
        doc: 'The number of triangles. Quads count once or twice, depending on the number of vertices'
      - id: sz_vtx
        type: u4le
        doc: 'The size of the vertices in bytes'
      - id: sz_tris
        type: u4le
        doc: 'The size of the triangles and quads in bytes'
      - id: flags
        type: u4le
        doc: 'The allowed kinds of vertices (bits 1:0) and of primitives (bits 3:2)'
      - id: resv3
        type: u4le
        doc: 'Reserved, 0'
  lod:
    doc: '`LodDef`, a level of detail'
    seq:
      - id: id_mesh
        type: u1
        doc: 'The first mesh'
      - id: n_mesh
        type: u1
        doc: 'The number of meshes'
      - id: ld_sc
        type: u1
        doc: 'F8A, the smallest scale at which the level is shown'
      - id: resv1
        type: u1
        doc: 'Reserved, 0'
  bone:
    doc: '`BoneDef`, a bone'
    seq:
      - id: xform
        type: u8le
        doc: 'Origin and rotation relative to the parent; 0 for bone 0'
      - id: ofs_name
        type: u4le
        doc: 'The offset of the name'
      - id: id_parent
        type: u1
        doc: 'The parent; 0xFF for a pseudo-bone'
      - id: id_solid
        type: u1
        doc: 'The mesh that bounds the bone for collisions, 0 for none'
      - id: resv1
        type: u1
        doc: 'Reserved, 0'
      - id: resv2
        type: u1
        doc: 'Reserved, 0'
  anim:
    doc: '`AnimDef`, a clip'
    seq:
      - id: ofs_name
        type: u4le
        doc: 'The offset of the name'
      - id: n_frames
        type: u1
        doc: 'The number of frames'
      - id: fl_hz
        type: u1
        doc: 'Bit 7 is set for a clip that does not loop, bits 6:0 frames per second in quarters'
      - id: resv1
        type: u1
        doc: 'Reserved, 0'
      - id: resv2
        type: u1
        doc: 'Reserved, 0'
      - id: ofs_frames
        type: u4le
        doc: 'The offset of the keys'
      - id: sz_frames
        type: u4le
        doc: 'The size of the keys in bytes'
# Words that are packed bit by bit:
#   textured, 64 bits: First word of a 96-bit vertex, and of a 64-bit vertex with a texture
#     63:56 tag Bone of a 64-bit vertex, else 0xF0..0xFB
#     55:32 st 11-bit form with exponent, or 12-bit form
#     31:0 position Shared exponent triple
#   flat, 64 bits: A 64-bit vertex with a flat colour
#     63:56 tag The bone
#     55:48 normal_z F8A
#     47:40 normal_y F8A
#     39:32 normal_x F8A
#     31:0 position Shared exponent triple
#   second96, 32 bits: Second word of a 96-bit vertex
#     31:24 extra Colour (F8, F9) or bone (FA, FB)
#     23:16 normal_z F8A
#     15:8 normal_y F8A
#     7:0 normal_x F8A
#   first128, 64 bits: First word of a 128-bit vertex
#     63:56 tag 0xFD
#     55:48 color A byte of colour
#     47:32 z Binary16
#     31:16 y Binary16
#     15:0 x Binary16
#   second128, 64 bits: Second word of a 128-bit vertex
#     63:56 bone The bone
#     55:48 normal_z F8A
#     47:40 normal_y F8A
#     39:32 normal_x F8A
#     31:0 st Exponent (31:28), T (27:14), S (13:0)
#   tri32, 32 bits: Triangle of 32 bits
#     31:22 v2
#     21:12 v1
#     11:2 v0
#     1:0 tag
#   quad32, 32 bits: Quad of 32 bits
#     31:30 tag2
#     29:23 v3
#     22:16 v2
#     15:9 v1
#     8:2 v0
#     1:0 tag
#   tri64, 64 bits: Triangle of 64 bits
#     63:62 tag2
#     61:42 v2
#     41:22 v1
#     21:2 v0
#     1:0 tag
#   quad64, 64 bits: Quad of 64 bits
#     63:62 tag2
#     61:47 v3
#     46:32 v2
#     31:17 v1
#     16:2 v0
#     1:0 tag
#   transform, 64 bits: The transform of a normal bone
#     63:32 rotation Four F8A parts R, K, J, I from the highest byte down. They are normalised when read
#     31:0 origin Shared exponent triple
