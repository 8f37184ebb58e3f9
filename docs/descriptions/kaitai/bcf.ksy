# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: bcf
  title: The Sims character (binary)
  file-extension:
    - bcf
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A `.bcf` file'
seq:
  - id: skeleton_count
    type: u4le
  - id: skeletons
    type: skeleton
    repeat: expr
    repeat-expr: skeleton_count
  - id: suit_count
    type: u4le
  - id: suits
    type: suit
    repeat: expr
    repeat-expr: suit_count
  - id: skill_count
    type: u4le
  - id: skills
    type: skill
    repeat: expr
    repeat-expr: skill_count
types:
  skeleton:
    doc: 'A skeleton'
    seq:
      - id: name
        type: name
      - id: bone_count
        type: u4le
      - id: bones
        type: bone
        repeat: expr
        repeat-expr: bone_count
  bone:
    doc: 'A bone. The root names the parent `NULL`'
    seq:
      - id: name
        type: name
      - id: parent
        type: name
      - id: list_count
        type: u4le
      - id: properties
        type: property_list
        repeat: expr
        repeat-expr: list_count
      - id: translation
        type: f4le
        repeat: expr
        repeat-expr: 3
      - id: rotation
        type: f4le
        repeat: expr
        repeat-expr: 4
      - id: can_translate
        type: u4le
      - id: can_rotate
        type: u4le
      - id: can_blend
        type: u4le
      - id: wiggle_value
        type: f4le
      - id: wiggle_power
        type: f4le
  suit:
    doc: 'A set of meshes'
    seq:
      - id: name
        type: name
      - id: kind
        type: u4le
      - id: unknown
        type: u4le
      - id: skin_count
        type: u4le
      - id: skins
        type: skin
        repeat: expr
        repeat-expr: skin_count
  skin:
    doc: 'A mesh on a bone'
    seq:
      - id: bone
        type: name
      - id: skin
        type: name
      - id: censor
        type: u4le
      - id: unknown
        type: u4le
  skill:
    doc: 'A clip, whose keys are in another file'
    seq:
      - id: name
        type: name
      - id: keys
        type: name
      - id: duration
        type: f4le
      - id: distance
        type: f4le
      - id: moving
        type: u4le
      - id: translations
        type: u4le
      - id: rotations
        type: u4le
      - id: motion_count
        type: u4le
      - id: motions
        type: motion
        repeat: expr
        repeat-expr: motion_count
  motion:
    doc: 'The keys and events of a bone'
    seq:
      - id: bone
        type: name
      - id: frames
        type: u4le
      - id: duration
        type: f4le
      - id: has_translation
        type: u4le
      - id: has_rotation
        type: u4le
      - id: first_translation
        type: u4le
      - id: first_rotation
        type: u4le
      - id: list_count
        type: u4le
      - id: properties
        type: property_list
        repeat: expr
        repeat-expr: list_count
      - id: event_count
        type: u4le
      - id: events
        type: events
        repeat: expr
        repeat-expr: event_count
  events:
    doc: 'Events, by time'
    seq:
      - id: count
        type: u4le
      - id: events
        type: event
        repeat: expr
        repeat-expr: count
  event:
    doc: 'The events at one time in milliseconds'
    seq:
      - id: time
        type: u4le
      - id: properties
        type: property_list
  property_list:
    doc: 'Pairs of key and value'
    seq:
      - id: count
        type: u4le
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
    doc: 'A name. A length of 255 is followed by the real length in 32 bits'
    seq:
      - id: length
        type: u1
      - id: long_length
        if: length == 255
        type: u4le
      - id: text
        size: 'length == 255 ? long_length : length'
        type: str
        encoding: ISO-8859-1
