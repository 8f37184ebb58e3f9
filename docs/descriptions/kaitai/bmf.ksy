# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: bmf
  title: The Sims mesh (binary)
  file-extension:
    - bmf
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A `.bmf` file'
seq:
  - id: skin
    type: name
  - id: texture
    type: name
  - id: geometry
    type: geometry
types:
  geometry:
    doc: 'A mesh'
    seq:
      - id: bone_count
        type: u4le
      - id: bones
        type: name
        repeat: expr
        repeat-expr: bone_count
      - id: face_count
        type: u4le
      - id: faces
        type: face
        repeat: expr
        repeat-expr: face_count
      - id: binding_count
        type: u4le
      - id: bindings
        type: binding
        repeat: expr
        repeat-expr: binding_count
      - id: real_count
        type: u4le
      - id: uvs
        type: uv
        repeat: expr
        repeat-expr: real_count
      - id: blend_count
        type: u4le
      - id: pulls
        type: pull
        repeat: expr
        repeat-expr: blend_count
      - id: total
        type: u4le
        doc: 'Real and blend vertices, or only real ones'
      - id: real
        type: vertex
        repeat: expr
        repeat-expr: real_count
      - id: blends
        type: vertex
        repeat: expr
        repeat-expr: blend_count
  name:
    doc: 'A name'
    seq:
      - id: length
        type: u1
      - id: text
        size: length
        type: str
        encoding: ISO-8859-1
  face:
    doc: 'A triangle'
    seq:
      - id: corners
        type: u4le
        repeat: expr
        repeat-expr: 3
        doc: 'Real vertices, clockwise seen from outside'
  binding:
    doc: 'A bone''s runs of vertices'
    seq:
      - id: bone
        type: u4le
        doc: 'One of the bone names'
      - id: first_real
        type: u4le
        doc: 'The first real vertex'
      - id: real_count
        type: u4le
        doc: 'The number of them'
      - id: first_blend
        type: u4le
        doc: 'The first blend vertex; 0xFFFFFFFF without blend vertices'
      - id: blend_count
        type: u4le
        doc: 'The number of them'
  uv:
    doc: 'Texture coordinates of a real vertex'
    seq:
      - id: uv
        type: f4le
        repeat: expr
        repeat-expr: 2
        doc: 'Texture coordinates from the top left'
  pull:
    doc: 'The weight of a blend vertex and the real vertex that it pulls. Text files have them in the reverse order'
    seq:
      - id: weight
        type: u4le
        doc: '0x8000 means 1'
      - id: target
        type: u4le
        doc: 'The real vertex'
  vertex:
    doc: 'The common fields of real and blend vertices'
    seq:
      - id: position
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'The position in the space of the bone'
      - id: normal
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'The normal in the space of the bone'
