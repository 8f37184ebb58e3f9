# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: bnd
  title: The Sims Online binding
  file-extension:
    - bnd
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A `.bnd` file'
seq:
  - id: version
    type: u4be
    valid: 1
  - id: bone
    type: name
  - id: mesh
    type: link
  - id: texture
    type: link
types:
  link:
    doc: 'The game''s name for a file, or nothing if the first word is 0'
    seq:
      - id: tag
        type: u4be
      - id: id
        if: tag == 8
        type: id
  name:
    doc: 'A name'
    seq:
      - id: length
        type: u1
      - id: text
        size: length
        type: str
        encoding: ISO-8859-1
  id:
    doc: 'The game''s name for a file'
    seq:
      - id: group
        type: u4be
      - id: file
        type: u4be
        doc: 'The file''s number'
      - id: kind
        type: u4be
        doc: 'The type: 9 for a mesh, that of the image format for a texture'
