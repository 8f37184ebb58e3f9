# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: cfp
  title: The Sims keys
  file-extension:
    - cfp
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A `.cfp` file: numbers up to its end, each as one of three codes'
seq:
  - id: numbers
    type: number
    repeat: eos
types:
  number:
    doc: 'A step from the last number, a number of repetitions (254), or a number (255)'
    seq:
      - id: code
        type: u1
      - id: repetitions
        if: code == 254
        type: u2le
      - id: value
        if: code == 255
        type: f4le
