//! The rules of the format, from its description and the engine's loader.

meshwright_core::rules! {
    error TRUNC_HEADER = "truncated-header" ("E_TRUNC_HEADER"), Truncated,
        "The file ends before its header or one of its tables does.",
        "Take the file from its source again: the rest of it is lost.";
    error MAGIC = "bad-magic" ("E_MAGIC"), BadMagic [Refuses],
        "The file does not begin with the letters BMD1.",
        "It is of another format, or its beginning is lost: open it with the program that made it.";
    error LIMIT = "limit-exceeded" ("E_LIMIT"), Limit [NoEngine],
        "Reading the file would take more memory than the caller allows.",
        "Allow more memory if the file comes from a source that you trust.";
    error TABLE_RANGE = "table-range" ("E_TABLE_RANGE"), OutOfBounds,
        "A table of meshes, levels, bones or animations is outside the file, or over its header.",
        "The header's offset or size is wrong, or the file was cut: take it from its source again.";
    error TABLE_SIZE = "table-size" ("E_TABLE_SIZE"), BadSize,
        "The size of a table is not a whole number of records.",
        "Set the size in the header to the number of records times the bytes of one.";
    error TABLE_OFS0 = "table-without-offset" ("E_TABLE_OFS0"), OutOfBounds,
        "A table with records has offset 0, which means that the file has no such table.",
        "Set the offset in the header to that of the table, or its size to 0.";
    error OVERLAP = "table-overlap" ("E_OVERLAP"), Overlap,
        "A table shares bytes with another table or with a list.",
        "Correct the offset or size of one of the two: no sound tool writes such files.";
    error RANGE = "list-range" ("E_RANGE"), OutOfBounds,
        "A list of vertices, triangles or keys is outside the file, or over its header.",
        "The record's offset or size is wrong, or the file was cut: take it from its source again.";
    error STR_RANGE = "name-range" ("E_STR_RANGE"), OutOfBounds,
        "A name is outside the file, or over its header.",
        "Correct the record's offset of the name, or set it to 0 for no name.";
    error STR_TERM = "unterminated-name" ("E_STR_TERM"), Truncated,
        "A name runs to the end of the file without the zero byte that ends it.",
        "Append a zero byte to the file, or take it from its source again if it was cut.";
    error NVTX = "vertex-count" ("E_NVTX"), BadCount,
        "A mesh states more vertices than its list holds, or than can be counted.",
        "Correct the count, or divide the mesh: one mesh counts at most 65535 vertices.";
    error VTX_CUT = "bad-vertex" ("E_VTX"), Truncated,
        "A vertex is cut off by the end of its list.",
        "Correct the size of the list: the tag of each vertex says how many bytes it takes.";
    error VTX_TAG = "bad-vertex" ("E_VTX"), BadValue,
        "A vertex has one of the tags FC, FE and FF, which are reserved.",
        "The bytes are no vertex: the list starts elsewhere, or a vertex before it is damaged.";
    forgivable VTX_SUBTYPE = "vertex-form" ("E_VTX_SUBTYPE"), BadValue,
        "A vertex is of a kind that the flags of its mesh rule out.",
        "Set the low two bits of the flags to 1, which allows all kinds.";
    error VTX_BONE = "bad-bone-index" ("E_VTX_BONE"), BadReference,
        "A vertex names a bone that does not exist.",
        "Bind the vertex to a bone of the table, or to bone 0 in a static model.";
    error VTX_POS = "non-finite-position" ("E_VTX_POS"), NonFinite [Misshown],
        "A coordinate of a vertex is infinite or not a number (NaN).",
        "Give the vertex a finite position.";
    error TRI = "truncated-triangle" ("E_TRI"), Truncated,
        "A triangle or quad is cut off by the end of its list.",
        "Correct the size of the list: the low two bits of each element say how many bytes it takes.";
    forgivable TRI_SUBTYPE = "triangle-form" ("E_TRI_SUBTYPE"), BadValue,
        "A triangle or quad is of a kind that the flags of its mesh rule out.",
        "Set bits 3 and 2 of the flags to 01, which allows all kinds.";
    forgivable TAG2 = "reserved-bits" ("E_TAG2"), BadValue,
        "The reserved upper two bits of a quad or of a 64-bit triangle are set.",
        "Clear them, unless the element is damaged altogether.";
    error INDEX = "bad-vertex-index" ("E_INDEX"), BadReference,
        "A triangle or quad names a vertex that its mesh does not have.",
        "Remove the triangle, or correct its index.";
    forgivable NTRI = "triangle-count" ("E_NTRI"), BadCount [Unchecked],
        "The stored number of triangles fits none of the ways to count them.",
        "Store the number that the list holds; writing the model does so.";
    forgivable LOD_RANGE = "level-range" ("E_LOD_RANGE"), BadReference,
        "A level of detail names meshes that do not exist.",
        "Correct the first mesh or the number of meshes of the level.";
    error BONE_PARENT = "bone-parent" ("E_BONE_PARENT"), BadReference,
        "The parent of a bone does not exist or is a pseudo-bone.",
        "Attach it to a normal bone, or to bone 0 for the model itself.";
    error BONE_CYCLE = "parent-cycle" ("E_BONE_CYCLE"), BadHierarchy,
        "A bone is its own ancestor.",
        "Attach one bone of the circle to bone 0.";
    error PSEUDO_ORDER = "pseudo-bone-order" ("E_PSEUDO_ORDER"), BadHierarchy,
        "A normal bone comes after a pseudo-bone.",
        "Move pseudo-bones to the end of the table: animations have keys for the bones before them only.";
    error PSEUDO_REF = "pseudo-bone-parent" ("E_PSEUDO_REF"), BadReference,
        "A pseudo-bone follows a bone that does not exist or that is a pseudo-bone itself.",
        "Let it follow normal bones, or set the weight of that bone to 0.";
    error PSEUDO_WEIGHT = "pseudo-bone-weight" ("E_PSEUDO_WEIGHT"), NotNormalized,
        "The weights of a pseudo-bone sum to zero, so its position is undefined.",
        "Give at least one of the bones that it follows a weight.";
    forgivable SOLID_RANGE = "solid-range" ("E_SOLID_RANGE"), BadReference [Ignored],
        "A bone is bounded by a mesh that does not exist.",
        "Name an existing mesh, or 0 for none.";
    error ANIM_TRUNC = "truncated-keys" ("E_ANIM_TRUNC"), Truncated,
        "The keys of an animation end before every bone has had its own.",
        "Append a zero byte for every bone that is missing, or correct the size of the list.";
    forgivable ANIM_FRAME = "key-after-end" ("E_ANIM_FRAME"), BadValue,
        "A key is after the last frame of its animation.",
        "Raise the number of frames, or remove the key.";
    forgivable ANIM_FRAMES0 = "no-frames" ("E_ANIM_FRAMES0"), BadCount [Unchecked],
        "An animation has no frames; the engine's loader never returns from such a file.",
        "Give it at least one frame, or remove it.";

    warning W_MBZ = "reserved-field" ("W_MBZ"), BadValue [Ignored],
        "A field that must be zero is not.",
        "Set it to zero; readers ignore it.";
    warning W_FLAGS = "unknown-flags" ("W_FLAGS"), BadValue [Ignored],
        "The flags of a mesh have bits without a meaning.",
        "Clear them; readers ignore them.";
    warning W_VTX_SLACK = "vertex-slack" ("W_VTX_SLACK"), BadSize,
        "The list of vertices is longer than its vertices are.",
        "Correct the size of the list, or the count if vertices are missing.";
    warning W_VTX_TAG = "reserved-tag" ("W_VTX_TAG"), BadValue,
        "A vertex has a tag of F0 to F7, which is reserved; its low two bits are read as those of F8 to FB.",
        "Use the tags F8 to FB.";
    warning W_VTX_BONE = "bones-missing" ("W_VTX_BONE"), Missing,
        "Vertices name bones, and the file has animations, but the table of bones is missing.",
        "Restore the bones; until then the vertices stay where they are.";
    warning W_NTRI = "engine-triangle-count" ("W_NTRI"), Compatibility [Ignored],
        "Quads are counted by the engine's rule, which is the reverse of the described one.",
        "Nothing needs to be done for the engine; other readers may expect the described count.";
    warning W_INDEX = "index-in-overlap" ("W_INDEX"), BadReference [Misshown],
        "Triangles name vertices that the mesh does not have; its lists of vertices and triangles overlap.",
        "Correct the offset or size of one of the lists; until then those triangles are not drawn.";
    warning W_DEGENERATE = "degenerate-triangle" ("W_DEGENERATE"), Degenerate [Ignored],
        "A triangle or quad names a vertex twice and has no area.",
        "Remove it; nothing of it is seen.";
    warning W_LOD_EMPTY = "empty-level" ("W_LOD_EMPTY"), BadCount [Tolerated],
        "A level of detail has no meshes; in the only level of a file the engine takes that for all of them.",
        "State the meshes of the level.";
    warning W_LOD_HIDDEN = "hidden-level" ("W_LOD_HIDDEN"), BadReference [Misshown],
        "A level of detail holds a mesh without a material, which is not drawn.",
        "Give the mesh a material, or take it out of the level.";
    warning W_PARENT_ORDER = "parent-order" ("W_PARENT_ORDER"), BadHierarchy [Misshown],
        "A bone comes before its parent, and readers that place bones in file order misplace it.",
        "Order the bones so that parents come first.";
    warning W_SOLID_OPEN = "solid-open" ("W_SOLID_OPEN"), Degenerate [Ignored],
        "The mesh that bounds a bone is not closed.",
        "Close it: every edge belongs to two triangles that run along it in opposite directions.";
    warning W_SOLID_BONES = "solid-bones" ("W_SOLID_BONES"), BadReference [Ignored],
        "The vertices of the mesh that bounds a bone name several bones or another one.",
        "Bind the whole mesh to that bone or to bone 0.";
    warning W_SOLID_INVERTED = "solid-inverted" ("W_SOLID_INVERTED"), Degenerate [Ignored],
        "The mesh that bounds a bone is inside out.",
        "Reverse the order of the corners of its triangles.";
    warning W_SOLID_CROSS = "solid-cross" ("W_SOLID_CROSS"), Degenerate [Ignored],
        "The mesh that bounds a bone crosses itself.",
        "Rebuild it without triangles that touch others than their neighbours.";
    warning W_ANIM_HZ = "zero-rate" ("W_ANIM_HZ"), BadValue [Ignored],
        "The rate of an animation is zero.",
        "State a rate; conversions take 10 frames per second, which the original tool always wrote.";
    warning W_ANIM_SLACK = "key-slack" ("W_ANIM_SLACK"), BadSize,
        "The list of keys continues after the keys of the last bone.",
        "Correct the size of the list, or restore the bones if some are missing.";
    warning W_ANIM_NO_KEY = "absent-key" ("W_ANIM_ABSENT"), BadValue [Tolerated],
        "A key is FFFFFFFF, which the original tool writes by mistake and its engine takes for no key.",
        "Export the animation again from its source: frames after that key may be lost.";
    warning W_ANIM_BONE0 = "base-bone-keys" ("W_ANIM_BONE0"), Unused [Ignored],
        "An animation has keys for bone 0, which never moves.",
        "Animate a child of it instead.";
    warning W_ANIM_BONES = "no-bones" ("W_ANIM_BONES"), Missing,
        "There are animations but no bones that they could move.",
        "Restore the bones, or remove the animations.";
    warning W_MAT_NAME = "material-name" ("W_MAT_NAME"), BadName [Tolerated],
        "A material name starts like a colour but is not one, or is longer than the engine's 255 bytes.",
        "Write colours as # and six hexadecimal digits, and shorten names.";
    warning W_ALIGN = "misaligned" ("W_ALIGN"), Misaligned,
        "A table or list starts at an offset that is not a multiple of 4.",
        "Write the model again; readers that map files into memory may refuse it.";
    warning W_OVERLAP = "list-overlap" ("W_OVERLAP"), Overlap,
        "Two lists or strings share some of their bytes without being the same.",
        "Write the model again, unless the overlap is meant to save room.";
    warning W_TRAILING = "trailing-bytes" ("W_TRAILING"), Unused [Ignored],
        "Bytes that nothing refers to follow the last structure.",
        "Write the model again to drop them; a rewrite in place keeps them.";
    warning W_ST_LEGACY = "legacy-texcoords" ("W_ST_LEGACY"), Ambiguous [Misshown],
        "Vertices of 128 bits seem to hold texture coordinates in the old form, two 16-bit numbers.",
        "Force the form if textures look wrong; write the model again for readers of the described form.";

    info I_VTX_UNUSED = "unused-vertices" ("I_VTX_UNUSED"), Unused [Ignored],
        "No triangle uses some of the vertices.",
        "Nothing needs to be done; optimising removes them.";
    info I_TRI_WIDE = "wide-triangles" ("I_TRI_WIDE"), Compatibility [NoEngine],
        "Triangles take 64 bits although the mesh has few enough vertices for 32.",
        "Nothing needs to be done; optimising makes them smaller.";
    info I_MAT_EXT = "material-extension" ("I_MAT_EXT"), BadName [Ignored],
        "A material name has a file name extension, which the description leaves out.",
        "Nothing needs to be done: the engine drops it.";
    info I_BONE_NAME = "bone-named-color" ("I_BONE_NAME"), BadName,
        "A bone is named like a colour: the original tool gives such names to bones without a name.",
        "Name the bone if its name matters.";
    info I_BONE_UNNAMED = "unnamed-bone" ("I_BONE_UNNAMED"), BadName,
        "A bone other than the base has no name.",
        "Name the bone: the description gives every bone from 1 on a name.";
    info I_ALIGN = "nominal-alignment" ("I_ALIGN"), Misaligned [Ignored],
        "A table or list starts at an offset that is not a multiple of 8, the nominal alignment of structures.",
        "Readers that accept any offset need no change; writing the file with another arrangement aligns it.";
    info I_VTX_MANY = "many-vertices" ("I_VTX_MANY"), Compatibility [NoEngine],
        "A mesh has more than 1024 vertices, as many as the description of its record counts to.",
        "Divide the mesh for readers that go by the record; triangles of 64 bits do reach further.";
    info I_TRI_NARROW = "narrow-triangles" ("I_TRI_NARROW"), Compatibility [NoEngine],
        "Triangles or quads take 32 bits in a mesh of more than 1024 vertices, for which the description assumes 64.",
        "Store all of them in 64 bits, or divide the mesh: readers that go by the count misread the others.";
    info I_SOLID_UNCHECKED = "solid-unchecked" ("I_SOLID_UNCHECKED"), Limit [NoEngine],
        "A mesh that bounds a bone is too large to be checked in full.",
        "Bound bones by simple meshes.";
}
