# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: cskel
  title: Crucible skeleton chunk
  file-extension:
    - cskel
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A skeleton chunk. Its bones are an LZ4 block without a frame'
seq:
  - id: header
    type: skeleton_header
  - id: bones
    size: header.packed
types:
  bone:
    doc: 'A bone in the decoded block'
    seq:
      - id: header
        type: bone_header
      - id: children
        type: u2le
        repeat: expr
        repeat-expr: header.child_count
  skeleton_header:
    doc: 'The start of a skeleton chunk, before its block'
    seq:
      - id: packed
        type: s4le
        doc: 'The size in bytes of the block that follows'
      - id: size
        type: s4le
        doc: 'The decoded size of the block in bytes'
      - id: bone_count
        type: u2le
        doc: 'The number of bones'
  bone_header:
    doc: 'A bone in the decoded block, before its children'
    seq:
      - id: index
        type: u2le
        doc: 'The bone''s own number'
      - id: position
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'Relative to the parent'
      - id: rotation
        type: f4le
        repeat: expr
        repeat-expr: 4
        doc: 'X y z w as the engine writes it'
      - id: scale
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'The scale per axis'
      - id: parent
        type: u2le
        doc: 'The parent''s number; 0xFFFF for the root'
      - id: child_count
        type: u2le
        doc: 'The number of children. Their numbers (`u16`) follow'
