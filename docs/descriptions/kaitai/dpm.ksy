# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: dpm
  title: DarkPlaces DPM
  file-extension:
    - dpm
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A DPM file'
seq:
  - id: header
    type: header
instances:
  bones:
    io: _root._io
    pos: header.ofs_bones
    type: bone
    repeat: expr
    repeat-expr: header.num_bones
  meshes:
    io: _root._io
    pos: header.ofs_meshs
    type: mesh_data
    repeat: expr
    repeat-expr: header.num_meshs
  frames:
    io: _root._io
    pos: header.ofs_frames
    type: frame_data
    repeat: expr
    repeat-expr: header.num_frames
types:
  mesh_data:
    doc: 'A mesh and its sections'
    seq:
      - id: mesh
        type: mesh
    instances:
      vertices:
        io: _root._io
        pos: mesh.ofs_verts
        type: vertex_data
        repeat: expr
        repeat-expr: mesh.num_verts
      texcoords:
        io: _root._io
        pos: mesh.ofs_texcoords
        type: texcoord
        repeat: expr
        repeat-expr: mesh.num_verts
      triangles:
        io: _root._io
        pos: mesh.ofs_indices
        type: triangle
        repeat: expr
        repeat-expr: mesh.num_tris
      groupids:
        io: _root._io
        pos: mesh.ofs_groupids
        type: u4be
        repeat: expr
        repeat-expr: mesh.num_tris
  vertex_data:
    doc: 'A vertex and its influences'
    seq:
      - id: vertex
        type: vertex
      - id: influences
        type: influence
        repeat: expr
        repeat-expr: vertex.numbones
  frame_data:
    doc: 'A frame and its pose'
    seq:
      - id: frame
        type: frame
    instances:
      pose:
        io: _root._io
        pos: frame.ofs_bonepositions
        type: matrix
        repeat: expr
        repeat-expr: _root.header.num_bones
        doc: 'A matrix for each bone, relative to its parent'
  header:
    doc: 'The header of a file'
    seq:
      - id: id
        contents: [0x44, 0x41, 0x52, 0x4b, 0x50, 0x4c, 0x41, 0x43, 0x45, 0x53, 0x4d, 0x4f, 0x44, 0x45, 0x4c, 0x00]
        doc: '`DARKPLACESMODEL` and NUL'
      - id: type
        type: u4be
        doc: 'Always 2'
      - id: filesize
        type: u4be
        doc: 'The size of the file in bytes'
      - id: bounds
        type: bounds
        doc: 'Bounds of all frames'
      - id: num_bones
        type: u4be
        doc: 'The number of bones, at least 1'
      - id: num_meshs
        type: u4be
        doc: 'The number of meshes, at least 1'
      - id: num_frames
        type: u4be
        doc: 'The number of frames, at least 1'
      - id: ofs_bones
        type: u4be
        doc: 'The offset of the bones'
      - id: ofs_meshs
        type: u4be
        doc: 'The offset of the meshes'
      - id: ofs_frames
        type: u4be
        doc: 'The offset of the frames'
  bounds:
    doc: 'The bounds of a file or a frame'
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
      - id: yawradius
        type: f4be
        doc: 'The radius of a cylinder around the z axis'
      - id: allradius
        type: f4be
        doc: 'The radius of a sphere around the origin'
  bone:
    doc: 'A bone'
    seq:
      - id: name
        size: 32
        type: strz
        encoding: ISO-8859-1
        doc: 'The name, padded with NUL'
      - id: parent
        type: s4be
        doc: 'The number of an earlier bone; -1 for none'
      - id: flags
        type: u4be
        doc: 'Bit 0 is set for an attachment, which tools must not remove'
  mesh:
    doc: 'A mesh: its shader, its counts, and the offsets of its sections'
    seq:
      - id: shadername
        size: 32
        type: strz
        encoding: ISO-8859-1
        doc: 'The shader, which is also the name of the mesh'
      - id: num_verts
        type: u4be
        doc: 'The number of vertices'
      - id: num_tris
        type: u4be
        doc: 'The number of triangles'
      - id: ofs_verts
        type: u4be
        doc: 'The offset of the vertices'
      - id: ofs_texcoords
        type: u4be
        doc: 'The offset of `num_verts` texture coordinates'
      - id: ofs_indices
        type: u4be
        doc: 'The offset of `num_tris` triangles. Their indices refer to the mesh''s own vertices'
      - id: ofs_groupids
        type: u4be
        doc: 'The offset of `num_tris` numbers for game code'
  vertex:
    doc: 'The header of a vertex; its influences follow'
    seq:
      - id: numbones
        type: u4be
        doc: 'The number of influences that follow, at least 1'
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
  influence:
    doc: 'The influence of one bone on a vertex'
    seq:
      - id: origin
        type: f4be
        repeat: expr
        repeat-expr: 3
        doc: 'The position in the bone''s space times the influence'
      - id: influence
        type: f4be
        doc: 'The weight. The weights of a vertex sum to 1'
      - id: normal
        type: f4be
        repeat: expr
        repeat-expr: 3
        doc: 'The normal in the bone''s space times the influence'
      - id: bonenum
        type: u4be
        doc: 'The number of the bone'
  frame:
    doc: 'A frame: its name, bounds, and the offset of its pose'
    seq:
      - id: name
        size: 32
        type: strz
        encoding: ISO-8859-1
        doc: 'The name, padded with NUL'
      - id: bounds
        type: bounds
        doc: 'Bounds of the frame'
      - id: ofs_bonepositions
        type: u4be
        doc: 'The offset of the pose, a matrix for each bone'
  matrix:
    doc: 'A bone''s transform: three rows of four'
    seq:
      - id: matrix
        type: f4be
        repeat: expr
        repeat-expr: 12
        doc: 'Row by row; the fourth of each row is the translation'
# Words that are packed bit by bit:
#   bone_flags, 32 bits: The flags of a bone
#     31:1 unknown Bits without a known meaning
#     0 attachment An attachment point. Tools must not remove it
