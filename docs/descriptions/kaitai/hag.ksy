# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: hag
  title: The Sims Online hands
  file-extension:
    - hag
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A `.hag` file'
seq:
  - id: version
    type: u4be
    valid: 1
  - id: appearances
    type: reference
    repeat: expr
    repeat-expr: 18
    doc: 'The appearances by skin tone, side and gesture'
types:
  reference:
    doc: 'The number of a file and its type'
    seq:
      - id: file
        type: u4be
      - id: kind
        type: u4be
