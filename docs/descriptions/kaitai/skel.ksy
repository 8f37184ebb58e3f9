# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: skel
  title: The Sims Online skeleton
  file-extension:
    - skel
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A `.skel` file'
seq:
  - id: version
    type: u4be
    valid: 1
  - id: name
    type: name
  - id: bone_count
    type: u2be
  - id: bones
    type: bone
    repeat: expr
    repeat-expr: bone_count
types:
  bone:
    doc: 'A bone. The root names the parent `NULL`'
    seq:
      - id: unknown
        type: u4be
      - id: name
        type: name
      - id: parent
        type: name
      - id: has_properties
        type: u1
      - id: list_count
        if: has_properties != 0
        type: u4be
      - id: properties
        if: has_properties != 0
        type: property_list
        repeat: expr
        repeat-expr: list_count
      - id: tail
        type: tail
  property_list:
    doc: 'Pairs of key and value'
    seq:
      - id: count
        type: u4be
      - id: pairs
        type: property
        repeat: expr
        repeat-expr: count
  property:
    doc: 'A pair of key and value'
    seq:
      - id: key
        type: name
      - id: value
        type: name
  name:
    doc: 'A name'
    seq:
      - id: length
        type: u1
      - id: text
        size: length
        type: str
        encoding: ISO-8859-1
  tail:
    doc: 'The fields of a bone after its properties'
    seq:
      - id: translation
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'The translation relative to the parent'
      - id: rotation
        type: f4le
        repeat: expr
        repeat-expr: 4
        doc: 'The conjugate of the bone''s rotation'
      - id: can_translate
        type: u4be
        doc: '0 or 1: whether animations may move the bone'
      - id: can_rotate
        type: u4be
        doc: '0 or 1: whether animations may rotate the bone'
      - id: can_blend
        type: u4be
        doc: '0 or 1: whether suits may blend on the bone'
      - id: wiggle_value
        type: f4le
        doc: 'A parameter of an effect that no game shows'
      - id: wiggle_power
        type: f4le
