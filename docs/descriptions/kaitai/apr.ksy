# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: apr
  title: The Sims Online appearance
  file-extension:
    - apr
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'An `.apr` file'
seq:
  - id: version
    type: u4be
    valid: 1
  - id: thumbnail
    type: reference
  - id: count
    type: u4be
  - id: bindings
    type: reference
    repeat: expr
    repeat-expr: count
types:
  reference:
    doc: 'The number of a file and its type'
    seq:
      - id: file
        type: u4be
      - id: kind
        type: u4be
