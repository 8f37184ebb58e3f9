# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: iqm
  title: Inter-Quake Model
  file-extension:
    - iqm
    - vvm
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'An IQM file. Names are offsets in its text'
seq:
  - id: header
    type: header
instances:
  text:
    io: _root._io
    pos: header.ofs_text
    size: header.num_text
  meshes:
    io: _root._io
    pos: header.ofs_meshes
    type: mesh_data
    repeat: expr
    repeat-expr: header.num_meshes
  vertexarrays:
    io: _root._io
    pos: header.ofs_vertexarrays
    type: array_data
    repeat: expr
    repeat-expr: header.num_vertexarrays
  triangles:
    io: _root._io
    pos: header.ofs_triangles
    type: triangle
    repeat: expr
    repeat-expr: header.num_triangles
  adjacency:
    io: _root._io
    pos: header.ofs_adjacency
    if: header.ofs_adjacency != 0
    type: triangle
    repeat: expr
    repeat-expr: header.num_triangles
    doc: 'The neighbours of each triangle'
  joints:
    io: _root._io
    pos: header.ofs_joints
    if: header.version != 1
    type: joint_data
    repeat: expr
    repeat-expr: header.num_joints
  joints_v1:
    io: _root._io
    pos: header.ofs_joints
    if: header.version == 1
    type: joint_v1_data
    repeat: expr
    repeat-expr: header.num_joints
  poses:
    io: _root._io
    pos: header.ofs_poses
    if: header.version != 1
    type: pose
    repeat: expr
    repeat-expr: header.num_poses
  poses_v1:
    io: _root._io
    pos: header.ofs_poses
    if: header.version == 1
    type: pose_v1
    repeat: expr
    repeat-expr: header.num_poses
  anims:
    io: _root._io
    pos: header.ofs_anims
    type: anim_data
    repeat: expr
    repeat-expr: header.num_anims
  frames:
    io: _root._io
    pos: header.ofs_frames
    type: u2le
    repeat: expr
    repeat-expr: header.num_frames * header.num_framechannels
  bounds:
    io: _root._io
    pos: header.ofs_bounds
    if: header.ofs_bounds != 0
    type: bounds
    repeat: expr
    repeat-expr: header.num_frames
  comment:
    io: _root._io
    pos: header.ofs_comment
    size: header.num_comment
  extensions:
    io: _root._io
    pos: header.ofs_extensions
    if: header.num_extensions != 0
    type: extension_data
types:
  mesh_data:
    doc: 'A mesh and its names'
    seq:
      - id: mesh
        type: mesh
    instances:
      name:
        io: _root._io
        pos: _root.header.ofs_text + mesh.name
        type: strz
        encoding: ISO-8859-1
      material:
        io: _root._io
        pos: _root.header.ofs_text + mesh.material
        type: strz
        encoding: ISO-8859-1
  array_data:
    doc: 'An array and its values'
    seq:
      - id: array
        type: array
    instances:
      data:
        io: _root._io
        pos: array.offset
        size: '_root.header.num_vertexes * array.size * (array.format <= 1 ? 1 : array.format <= 3 ? 2 : array.format <= 5 ? 4 : array.format == 6 ? 2 : array.format == 7 ? 4 : 8)'
  joint_data:
    doc: 'A joint and its name'
    seq:
      - id: joint
        type: joint
    instances:
      name:
        io: _root._io
        pos: _root.header.ofs_text + joint.name
        type: strz
        encoding: ISO-8859-1
  joint_v1_data:
    doc: 'A joint of version 1 and its name'
    seq:
      - id: joint
        type: joint_v1
    instances:
      name:
        io: _root._io
        pos: _root.header.ofs_text + joint.name
        type: strz
        encoding: ISO-8859-1
  anim_data:
    doc: 'A clip and its name'
    seq:
      - id: anim
        type: anim
    instances:
      name:
        io: _root._io
        pos: _root.header.ofs_text + anim.name
        type: strz
        encoding: ISO-8859-1
  extension_data:
    doc: 'An extension, and the next one'
    seq:
      - id: extension
        type: extension
    instances:
      data:
        io: _root._io
        pos: extension.ofs_data
        size: extension.num_data
      next:
        io: _root._io
        pos: extension.ofs_extensions
        if: extension.ofs_extensions != 0
        type: extension_data
  header:
    doc: 'The header of a file'
    seq:
      - id: magic
        contents: [0x49, 0x4e, 0x54, 0x45, 0x52, 0x51, 0x55, 0x41, 0x4b, 0x45, 0x4d, 0x4f, 0x44, 0x45, 0x4c, 0x00]
        doc: '`INTERQUAKEMODEL` and NUL'
      - id: version
        type: u4le
        doc: '2; 1 in files from the format''s first weeks'
      - id: filesize
        type: u4le
        doc: 'The size of the file in bytes'
      - id: flags
        type: u4le
        doc: 'The flags; 0 in every known file'
      - id: num_text
        type: u4le
        doc: 'The size of all strings in bytes'
      - id: ofs_text
        type: u4le
        doc: 'The offset of the strings'
      - id: num_meshes
        type: u4le
        doc: 'The number of meshes'
      - id: ofs_meshes
        type: u4le
        doc: 'The offset of the meshes'
      - id: num_vertexarrays
        type: u4le
        doc: 'The number of vertex arrays'
      - id: num_vertexes
        type: u4le
        doc: 'The number of vertices, which each array has a value for'
      - id: ofs_vertexarrays
        type: u4le
        doc: 'The offset of the vertex arrays'
      - id: num_triangles
        type: u4le
        doc: 'The number of triangles'
      - id: ofs_triangles
        type: u4le
        doc: 'The offset of the triangles'
      - id: ofs_adjacency
        type: u4le
        doc: 'The offset of the neighbours of triangles; 0 for none'
      - id: num_joints
        type: u4le
        doc: 'The number of joints'
      - id: ofs_joints
        type: u4le
        doc: 'The offset of the joints'
      - id: num_poses
        type: u4le
        doc: 'The number of poses, equal to that of joints'
      - id: ofs_poses
        type: u4le
        doc: 'The offset of the poses'
      - id: num_anims
        type: u4le
        doc: 'The number of anims (clips)'
      - id: ofs_anims
        type: u4le
        doc: 'The offset of the anims'
      - id: num_frames
        type: u4le
        doc: 'The number of frames of all clips together'
      - id: num_framechannels
        type: u4le
        doc: 'The number of stored channels per frame'
      - id: ofs_frames
        type: u4le
        doc: 'The offset of `num_frames * num_framechannels` 16-bit numbers'
      - id: ofs_bounds
        type: u4le
        doc: 'The offset of the bounds of each frame; 0 for none'
      - id: num_comment
        type: u4le
        doc: 'The size of the comment in bytes'
      - id: ofs_comment
        type: u4le
        doc: 'The offset of the comment'
      - id: num_extensions
        type: u4le
        doc: 'The number of extensions'
      - id: ofs_extensions
        type: u4le
        doc: 'The offset of the first extension in a linked list'
  mesh:
    doc: 'A mesh: a range of vertices and a range of triangles'
    seq:
      - id: name
        type: u4le
        doc: 'The offset of the name in the text'
      - id: material
        type: u4le
        doc: 'The offset of the material name in the text'
      - id: first_vertex
        type: u4le
        doc: 'The first vertex'
      - id: num_vertexes
        type: u4le
        doc: 'The number of vertices'
      - id: first_triangle
        type: u4le
        doc: 'The first triangle'
      - id: num_triangles
        type: u4le
        doc: 'The number of triangles'
  array:
    doc: 'An array with a value for each vertex'
    seq:
      - id: type
        type: u4le
        doc: 'The meaning of the values'
      - id: flags
        type: u4le
        doc: 'Flags, 0'
      - id: format
        type: u4le
        doc: 'The storage format of the numbers'
      - id: size
        type: u4le
        doc: 'The number of components per vertex'
      - id: offset
        type: u4le
        doc: 'The offset of the data'
  triangle:
    doc: 'Three indices of vertices, or of neighbouring triangles'
    seq:
      - id: v0
        type: u4le
        doc: 'The first index; vertices are counted in the whole file'
      - id: v1
        type: u4le
        doc: 'The second index'
      - id: v2
        type: u4le
        doc: 'The third index'
  joint:
    doc: 'A joint'
    seq:
      - id: name
        type: u4le
        doc: 'The offset of the name in the text'
      - id: parent
        type: s4le
        doc: 'The number of an earlier joint; negative for a root'
      - id: translate
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'The translation relative to the parent'
      - id: rotate
        type: f4le
        repeat: expr
        repeat-expr: 4
        doc: 'The rotation as a quaternion x, y, z, w'
      - id: scale
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'The scale'
  joint_v1:
    doc: 'A joint of version 1, whose rotation lacks its last component'
    seq:
      - id: name
        type: u4le
        doc: 'The offset of the name in the text'
      - id: parent
        type: s4le
        doc: 'The number of the parent joint'
      - id: translate
        type: f4le
        repeat: expr
        repeat-expr: 3
      - id: rotate
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'The rotation as x, y, z. w is the negative root of 1 - x² - y² - z²'
      - id: scale
        type: f4le
        repeat: expr
        repeat-expr: 3
  pose:
    doc: 'The encoding of the channels of a joint in the frames'
    seq:
      - id: parent
        type: s4le
        doc: 'The number of the parent joint, as in the joint itself'
      - id: channelmask
        type: u4le
        doc: 'A bit for each of the ten channels that the frames store'
      - id: channeloffset
        type: f4le
        repeat: expr
        repeat-expr: 10
        doc: 'The value of each channel for the stored number 0'
      - id: channelscale
        type: f4le
        repeat: expr
        repeat-expr: 10
        doc: 'The size of one step of each channel'
  pose_v1:
    doc: 'A pose of version 1, with nine channels'
    seq:
      - id: parent
        type: s4le
        doc: 'The number of the parent joint'
      - id: channelmask
        type: u4le
        doc: 'A bit for each channel that the frames store'
      - id: channeloffset
        type: f4le
        repeat: expr
        repeat-expr: 9
        doc: 'The value of each channel for the stored number 0'
      - id: channelscale
        type: f4le
        repeat: expr
        repeat-expr: 9
        doc: 'The size of one step of each channel'
  anim:
    doc: 'A clip: a range of the frames'
    seq:
      - id: name
        type: u4le
        doc: 'The offset of the name in the text'
      - id: first_frame
        type: u4le
        doc: 'The first frame'
      - id: num_frames
        type: u4le
        doc: 'The number of frames'
      - id: framerate
        type: f4le
        doc: 'Frames per second'
      - id: flags
        type: u4le
        doc: 'Bit 0 is set for a loop'
  bounds:
    doc: 'The bounds of a frame'
    seq:
      - id: bbmins
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'The minimum coordinates'
      - id: bbmaxs
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'The maximum coordinates'
      - id: xyradius
        type: f4le
        doc: 'The radius of a cylinder around the z axis'
      - id: radius
        type: f4le
        doc: 'The radius of a sphere around the origin'
  extension:
    doc: 'A node in the linked list of extensions'
    seq:
      - id: name
        type: u4le
        doc: 'The offset of the name in the text'
      - id: num_data
        type: u4le
        doc: 'The size of the data in bytes'
      - id: ofs_data
        type: u4le
        doc: 'The offset of the data'
      - id: ofs_extensions
        type: u4le
        doc: 'The offset of the next node'
# Words that are packed bit by bit:
#   anim_flags, 32 bits: The flags of an anim
#     31:1 unknown Bits without a known meaning
#     0 loop True if the clip loops
