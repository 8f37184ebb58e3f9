# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: po
  title: The Sims Online purchasable
  file-extension:
    - po
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A `.po` file'
seq:
  - id: version
    type: u4be
    valid: 2
  - id: unknown
    type: u4be
  - id: outfit
    type: link
  - id: collection
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
