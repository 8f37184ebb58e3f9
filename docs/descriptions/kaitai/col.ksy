# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: col
  title: The Sims Online collection
  file-extension:
    - col
    - co
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A `.col` file'
seq:
  - id: count
    type: u4be
  - id: items
    type: item
    repeat: expr
    repeat-expr: count
types:
  item:
    doc: 'An item that is for sale'
    seq:
      - id: index
        type: u4be
      - id: purchasable
        type: reference
  reference:
    doc: 'The number of a file and its type'
    seq:
      - id: file
        type: u4be
      - id: kind
        type: u4be
