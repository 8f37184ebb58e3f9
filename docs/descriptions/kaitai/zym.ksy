# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: zym
  title: DarkPlaces ZYM
  file-extension:
    - zym
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A ZYM file'
seq:
  - id: header
    type: header
instances:
  scenes:
    io: _root._io
    pos: header.lump_scenes.start
    type: scene
    repeat: expr
    repeat-expr: header.numscenes
  poses:
    io: _root._io
    pos: header.lump_poses.start
    type: matrix
    repeat: expr
    repeat-expr: header.lump_poses.length / 48
    doc: 'A matrix for each bone, relative to its parent, pose after pose'
  bones:
    io: _root._io
    pos: header.lump_bones.start
    type: bone
    repeat: expr
    repeat-expr: header.numbones
  counts:
    io: _root._io
    pos: header.lump_vertbonecounts.start
    type: s4be
    repeat: expr
    repeat-expr: header.numverts
    doc: 'The number of bones of each vertex'
  vertices:
    io: _root._io
    pos: header.lump_verts.start
    type: vertex
    repeat: expr
    repeat-expr: header.lump_verts.length / 16
  texcoords:
    io: _root._io
    pos: header.lump_texcoords.start
    type: texcoord
    repeat: expr
    repeat-expr: header.numverts
  runs:
    io: _root._io
    pos: header.lump_render.start
    type: run
    repeat: expr
    repeat-expr: header.numshaders
    doc: 'Triangles, by shader'
  shaders:
    io: _root._io
    pos: header.lump_shaders.start
    type: name
    repeat: expr
    repeat-expr: header.numshaders
  trizone:
    io: _root._io
    pos: header.lump_trizone.start
    size: header.lump_trizone.length
types:
  run:
    doc: 'The triangles of a shader'
    seq:
      - id: count
        type: s4be
      - id: triangles
        type: triangle
        repeat: expr
        repeat-expr: count
  header:
    doc: 'The header of a file'
    seq:
      - id: id
        contents: [0x5a, 0x59, 0x4d, 0x4f, 0x54, 0x49, 0x43, 0x4d, 0x4f, 0x44, 0x45, 0x4c]
        doc: '`ZYMOTICMODEL`, without NUL'
      - id: type
        type: s4be
        doc: 'Always 1'
      - id: filesize
        type: s4be
        doc: 'The size of the file in bytes'
      - id: bounds
        type: bounds
        doc: 'Bounds of all scenes'
      - id: numverts
        type: s4be
        doc: 'The number of vertices'
      - id: numtris
        type: s4be
        doc: 'The number of triangles'
      - id: numshaders
        type: s4be
        doc: 'The number of shaders'
      - id: numbones
        type: s4be
        doc: 'The number of bones'
      - id: numscenes
        type: s4be
        doc: 'The number of scenes (clips)'
      - id: lump_scenes
        type: lump
        doc: 'The lump of scenes (clips)'
      - id: lump_poses
        type: lump
        doc: 'The lump of poses: the matrices of all bones, frame by frame'
      - id: lump_bones
        type: lump
        doc: 'The lump of bones'
      - id: lump_vertbonecounts
        type: lump
        doc: 'The lump with the number of bones of each vertex (`i32`), always 1'
      - id: lump_verts
        type: lump
        doc: 'The lump of vertices'
      - id: lump_texcoords
        type: lump
        doc: 'The lump of texture coordinates'
      - id: lump_render
        type: lump
        doc: 'The lump of triangles: for each shader their number (`i32`) and the triangles, whose indices refer to the vertices of the file'
      - id: lump_shaders
        type: lump
        doc: 'The lump of shader names, 32 bytes each'
      - id: lump_trizone
        type: lump
        doc: 'The lump with a byte for each triangle'
  lump:
    doc: 'The location of a lump'
    seq:
      - id: start
        type: s4be
        doc: 'The offset of the lump'
      - id: length
        type: s4be
        doc: 'The size of the lump in bytes'
  bounds:
    doc: 'The bounds of a file or a scene'
    seq:
      - id: mins
        type: f4be
        repeat: expr
        repeat-expr: 3
        doc: 'The minimum coordinates'
      - id: maxs
        type: f4be
        repeat: expr
        repeat-expr: 3
        doc: 'The maximum coordinates'
      - id: radius
        type: f4be
        doc: 'The square of the radius'
  scene:
    doc: 'A clip'
    seq:
      - id: name
        size: 32
        type: strz
        encoding: ISO-8859-1
        doc: 'The name, padded with NUL'
      - id: bounds
        type: bounds
        doc: 'Bounds of the clip'
      - id: framerate
        type: f4be
        doc: 'Frames per second'
      - id: flags
        type: u4be
        doc: 'Bit 0 is set for a clip that does not loop'
      - id: start
        type: s4be
        doc: 'The first pose'
      - id: length
        type: s4be
        doc: 'The number of poses'
  bone:
    doc: 'A bone'
    seq:
      - id: name
        size: 32
        type: strz
        encoding: ISO-8859-1
        doc: 'The name, padded with NUL'
      - id: flags
        type: u4be
        doc: 'Bit 0 is set for an attachment. A DPM has the parent before the flags'
      - id: parent
        type: s4be
        doc: 'The number of an earlier bone; -1 for none'
  vertex:
    doc: 'The influence of one bone on a vertex'
    seq:
      - id: bonenum
        type: s4be
        doc: 'The number of the bone'
      - id: origin
        type: f4be
        repeat: expr
        repeat-expr: 3
        doc: 'The position in the bone''s space'
  texcoord:
    doc: 'The texture coordinates of a vertex'
    seq:
      - id: u
        type: f4be
        doc: 'The first coordinate'
      - id: v
        type: f4be
        doc: 'The second coordinate: from the top down in a DPM, from the bottom up in a ZYM'
  triangle:
    doc: 'A triangle''s vertices'
    seq:
      - id: v0
        type: u4be
        doc: 'The first index'
      - id: v1
        type: u4be
        doc: 'The second index'
      - id: v2
        type: u4be
        doc: 'The third index'
  matrix:
    doc: 'A bone''s transform: three rows of four'
    seq:
      - id: matrix
        type: f4be
        repeat: expr
        repeat-expr: 12
        doc: 'Row by row; the fourth of each row is the translation'
  name:
    doc: 'A name, padded with NUL'
    seq:
      - id: name
        size: 32
        type: strz
        encoding: ISO-8859-1
        doc: 'The bytes of the name. A name of 32 bytes has no NUL'
# Words that are packed bit by bit:
#   bone_flags, 32 bits: The flags of a bone
#     31:1 unknown Bits without a known meaning
#     0 attachment An attachment point. Tools must not remove it
#   scene_flags, 32 bits: The flags of a scene
#     31:1 unknown Bits without a known meaning
#     0 no_loop True if the clip plays only once
