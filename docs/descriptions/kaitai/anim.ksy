# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: anim
  title: The Sims Online animation
  file-extension:
    - anim
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'An `.anim` file'
seq:
  - id: version
    type: u4be
    valid: 2
  - id: name_length
    type: u2be
  - id: name
    size: name_length
    type: str
    encoding: ISO-8859-1
  - id: header
    type: header
  - id: translation_count
    type: u4be
  - id: translations
    type: translation
    repeat: expr
    repeat-expr: translation_count
  - id: rotation_count
    type: u4be
  - id: rotations
    type: rotation
    repeat: expr
    repeat-expr: rotation_count
  - id: motion_count
    type: u4be
  - id: motions
    type: motion
    repeat: expr
    repeat-expr: motion_count
types:
  translation:
    doc: 'A key of a bone''s position'
    seq:
      - id: value
        type: f4le
        repeat: expr
        repeat-expr: 3
  rotation:
    doc: 'A key of a bone''s rotation: x, y, z, w'
    seq:
      - id: value
        type: f4le
        repeat: expr
        repeat-expr: 4
  motion:
    doc: 'The keys and events of a bone'
    seq:
      - id: unknown
        type: u4be
      - id: bone
        type: name
      - id: keys
        type: keys
      - id: has_properties
        type: u1
      - id: property_count
        if: has_properties != 0
        type: u4be
      - id: properties
        if: has_properties != 0
        type: property_lists
        repeat: expr
        repeat-expr: property_count
      - id: has_time_properties
        type: u1
      - id: event_count
        if: has_time_properties != 0
        type: u4be
      - id: time_properties
        if: has_time_properties != 0
        type: events
        repeat: expr
        repeat-expr: event_count
  property_lists:
    doc: 'Lists of pairs'
    seq:
      - id: count
        type: u4be
      - id: lists
        type: property_list
        repeat: expr
        repeat-expr: count
  events:
    doc: 'Events, by time'
    seq:
      - id: count
        type: u4be
      - id: events
        type: event
        repeat: expr
        repeat-expr: count
  event:
    doc: 'The events at one time in milliseconds'
    seq:
      - id: time
        type: u4be
      - id: lists
        type: property_lists
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
  header:
    doc: 'The fields between the name and the keys'
    seq:
      - id: duration
        type: f4le
        doc: 'Milliseconds in the game''s files, seconds in those of FreeSO'
      - id: distance
        type: f4le
        doc: 'The distance of a walk'
      - id: moving
        type: u1
        doc: '0 or 1: whether the character moves'
  keys:
    doc: 'The fields of a motion between its bone and its properties'
    seq:
      - id: frames
        type: u4be
        doc: 'The number of frames'
      - id: duration
        type: f4le
        doc: 'The duration, as in the header'
      - id: has_translation
        type: u1
        doc: '0 or 1: whether the motion has translations'
      - id: has_rotation
        type: u1
        doc: '0 or 1: whether the motion has rotations'
      - id: first_translation
        type: u4be
        doc: 'The first translation key; 0xFFFFFFFF without translations'
      - id: first_rotation
        type: u4be
        doc: 'The first rotation key; 0xFFFFFFFF without rotations'
