# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: oft
  title: The Sims Online outfit
  file-extension:
    - oft
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'An `.oft` file'
seq:
  - id: version
    type: u4be
    valid: 1
  - id: unknown
    type: u4be
  - id: appearances
    type: reference
    repeat: expr
    repeat-expr: 3
    doc: 'The appearances of light, medium and dark skin'
  - id: hands
    type: u4be
  - id: region
    type: u4be
    doc: '0 for the head, 18 for the body'
types:
  reference:
    doc: 'The number of a file and its type'
    seq:
      - id: file
        type: u4be
      - id: kind
        type: u4be
