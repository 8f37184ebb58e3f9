# Written by `cargo run -p xtask -- describe` of Meshwright.
meta:
  id: fso
  title: FreeSpace Open FSOMODEL
  file-extension:
    - fom
    - fso
    - fsomodel
  license: MIT OR Apache-2.0
  ks-version: 0.9
doc: 'A FSOMODEL file'
seq:
  - id: header
    type: header
  - id: chunks
    type: chunk_data
    repeat: eos
types:
  chunk_data:
    doc: 'A chunk. The width of vertices and indices depends on the program that wrote the file'
    seq:
      - id: chunk
        type: chunk
      - id: meshes
        if: 'chunk.id == "MESH"'
        type: mesh
        repeat: expr
        repeat-expr: chunk.length / 24
      - id: data
        if: 'chunk.id != "MESH"'
        size: chunk.length
  header:
    doc: 'The header of a file'
    seq:
      - id: magic
        contents: [0x46, 0x53, 0x4f, 0x4d, 0x4f, 0x44, 0x45, 0x4c]
        doc: '`FSOMODEL`, without NUL'
      - id: version
        type: u4le
        doc: 'Always 1'
  chunk:
    doc: 'The header of a chunk'
    seq:
      - id: id
        size: 4
        type: strz
        encoding: ISO-8859-1
        doc: 'Four bytes: `VDAT`, `INDX` or `MESH`. Other chunks are skipped and kept'
      - id: length
        type: u8le
        doc: 'The size of the payload in bytes'
  mesh:
    doc: 'An entry of the MESH chunk'
    seq:
      - id: offset
        type: u8le
        doc: 'The start of the mesh''s indices in INDX, in bytes'
      - id: count
        type: u4le
        doc: 'The number of indices'
      - id: base_index
        type: u4le
        doc: 'Added to each index'
      - id: min_index
        type: u4le
        doc: 'The lowest index of the mesh, before `base_index` is added'
      - id: max_index
        type: u4le
        doc: 'The highest index of the mesh, before `base_index` is added'
  vertex_44:
    doc: 'A vertex of the description''s dialect'
    seq:
      - id: position
        type: f4le
        repeat: expr
        repeat-expr: 3
      - id: uv
        type: f4le
        repeat: expr
        repeat-expr: 2
        doc: '(0, 0) is the bottom left of the image'
      - id: normal
        type: f4le
        repeat: expr
        repeat-expr: 3
      - id: tangent
        type: f4le
        repeat: expr
        repeat-expr: 3
  vertex_56:
    doc: 'A vertex of the revised description''s dialect'
    seq:
      - id: position
        type: f4le
        repeat: expr
        repeat-expr: 3
      - id: uv
        type: f4le
        repeat: expr
        repeat-expr: 2
        doc: '(0, 0) is the bottom left of the image'
      - id: normal
        type: f4le
        repeat: expr
        repeat-expr: 3
      - id: tangent
        type: f4le
        repeat: expr
        repeat-expr: 3
      - id: bitangent
        type: f4le
        repeat: expr
        repeat-expr: 3
  vertex_60:
    doc: 'A vertex of the implementation''s dialect'
    seq:
      - id: position
        type: f4le
        repeat: expr
        repeat-expr: 3
      - id: uv
        type: f4le
        repeat: expr
        repeat-expr: 3
        doc: 'The third coordinate is 0'
      - id: normal
        type: f4le
        repeat: expr
        repeat-expr: 3
      - id: tangent
        type: f4le
        repeat: expr
        repeat-expr: 3
      - id: bitangent
        type: f4le
        repeat: expr
        repeat-expr: 3
