//! The rules of an IQM file. Reading, writing and validation check the same rules.

use meshwright_core::Codes;

meshwright_core::rules! {
    error MAGIC = "bad-magic", BadMagic [Refuses],
        "The file does not begin with the letters of its format.",
        "Nothing can be repaired: the file is of another format, or its beginning is lost.";
    error VERSION = "bad-version", Unsupported [Refuses],
        "The file is of a version that was never defined.",
        "Look for another program's format under the same extension.";
    error SHORT_HEADER = "truncated", Truncated [Refuses],
        "The file ends within its header.",
        "Get a complete copy; what is missing cannot be rebuilt.";
    forgivable TRUNCATED = "truncated", Truncated [Refuses],
        "The file is shorter than its header says; every loader refuses it.",
        "Get a complete copy, or write the model again with a new layout.";
    error SHORT = "out-of-file", OutOfBounds [Refuses],
        "A table, an array or an extension is outside of the file.",
        "Get a complete copy, or correct the offset and the count.";
    forgivable BEHIND_END = "out-of-file", OutOfBounds,
        "Sections are after the size that the header states.",
        "Correct the stored size, or write the model again with a new layout.";
    error COUNT = "out-of-file", BadCount,
        "A table claims more items than the file has room for.",
        "Get a complete copy, or correct the count.";
    error LIMIT = "limit-exceeded", Limit [NoEngine],
        "Reading the file would take more memory than the caller allows.",
        "Allow more memory, if the file is trusted.";
    error TOO_MUCH = "limit-exceeded", BadCount [NoEngine],
        "The file states more frames and poses, or lets meshes share more vertices and triangles, than any model \
         needs.",
        "Correct the counts, or give each mesh a range of its own.";
    error IN_HEADER = "in-header", Overlap,
        "A section begins within the header.",
        "Correct its offset.";
    error BAD_COUNT = "bad-count", BadCount,
        "Lists that belong together have different lengths.",
        "Store one entry for each vertex, triangle and frame.";
    error VERSION_1 = "version-1", Unsupported [NoEngine],
        "A file of version 1 cannot store the fourth number of a rotation or a tenth channel.",
        "Set the version to 2.";
    forgivable TEXT_END = "bad-text", BadName [Unchecked],
        "The last string of the text has no end; loaders read past it.",
        "End the text with a zero byte.";
    forgivable NAME = "bad-name", BadName [Unchecked],
        "A name is outside of the text; DarkPlaces and FTE read other bytes as the name.",
        "Point it at a string of the text; 0 is the empty one.";
    error BAD_FORMAT = "bad-format", BadValue,
        "An array has a format or size that no reader can use.",
        "Store positions as three floats, and joints as four bytes.";
    error NO_POSITION = "missing-array", Missing [Refuses],
        "The file has meshes but no array of positions.",
        "Add an array of positions.";
    error VERTEX_INDEX = "bad-vertex-index", BadReference [Tolerated],
        "A triangle names a vertex that does not exist or that belongs to another mesh.",
        "Remove the triangle, or name a vertex of its mesh.";
    error MESH_RANGE = "bad-mesh-range", BadReference,
        "A mesh names vertices or triangles that do not exist.",
        "Correct the first index and the count.";
    error PARENT_ORDER = "bad-parent", BadHierarchy,
        "A joint does not come after its parent.",
        "Sort the joints so that parents come first.";
    error NON_FINITE = "non-finite", NonFinite [Misshown],
        "A position, normal, weight or transform is infinite or not a number (NaN), so the model cannot be drawn.",
        "Replace the number, or export the model again.";
    error JOINT_INDEX = "bad-joint-index", BadReference [Unchecked],
        "A vertex names a joint that does not exist; engines read past the end of their tables.",
        "Name a joint that exists.";
    error POSE_COUNT = "pose-count", BadCount,
        "The number of poses differs from the number of joints, or the file has frames but no poses.",
        "Store one pose for each joint.";
    error BAD_CHANNELS = "bad-channels", BadCount,
        "The channel masks of the poses give another number of channels than the header.",
        "Correct the count that the header states.";
    error ANIM_RANGE = "bad-anim", BadReference [Unchecked],
        "An anim names frames that do not exist.",
        "Correct its first frame and its length.";
    error ANIM_RATE = "bad-anim", BadValue,
        "The rate of an anim is negative, infinite or not a number (NaN).",
        "Set a rate of 0 or more frames per second.";
    error EXTENSION_LOOP = "extension-loop", BadHierarchy,
        "The list of extensions forms a cycle.",
        "Correct the number of extensions, or the links between their nodes.";
    warning TRAILING = "trailing-bytes", Unused [Refuses],
        "Bytes follow the end that the header states; assimp and FTE refuse the file.",
        "Remove them, unless another program is known to use them.";
    info UNREFERENCED = "unreferenced-bytes", Unused [Ignored],
        "Some bytes of the file are neither padding nor part of any structure; they are kept.",
        "Nothing needs to be done.";
    warning FLAGS = "unknown-flags", BadValue [Ignored],
        "The header, an array or an anim has flags without a known meaning.",
        "Nothing needs to be done: the flags are kept and loaders ignore them.";
    warning MISALIGNED = "misaligned", Misaligned,
        "A table or an array is not aligned; loaders that cast pointers may fail on it.",
        "Write the model again with a new layout.";
    warning NOT_UTF8 = "not-utf8", BadName,
        "A name is not UTF-8.",
        "Rename it, if programs show it wrongly.";
    warning UNUSUAL_FORMAT = "unusual-format", Compatibility [Refuses],
        "Not every loader reads arrays of this form: DarkPlaces ignores the array, Daemon may refuse the file.",
        "Store joints and weights as bytes and other arrays as floats.";
    warning UNKNOWN_ARRAY = "unknown-array", BadValue [Ignored],
        "An array is of a kind that the format does not define.",
        "Nothing needs to be done: it is kept and loaders ignore it.";
    warning DUPLICATE_ARRAY = "duplicate-array", Duplicate [Tolerated],
        "Two arrays have the same kind. Meshwright uses the first, DarkPlaces and FTE use the last.",
        "Remove one of them.";
    warning ARRAY_ORDER = "array-order", BadValue,
        "Arrays are not sorted by their kinds, as the format asks.",
        "Sort them.";
    warning NO_TEXCOORD = "missing-array", Missing [Refuses],
        "The model has no texture coordinates; DarkPlaces and FTE refuse it.",
        "Add an array of texture coordinates.";
    warning OVERLAP = "overlap", Overlap,
        "Meshes share vertices or triangles.",
        "Nothing needs to be done.";
    warning UNUSED_TRIANGLES = "unused-triangles", Unused [Ignored],
        "Triangles belong to no mesh and are not drawn.",
        "Remove them, or give them to a mesh.";
    info UNUSED_VERTICES = "unused-vertices", Unused [Ignored],
        "The header states vertices, but the file has no mesh. Animation files of games are like this.",
        "Nothing needs to be done.";
    warning PARENT_BELOW = "bad-parent", BadReference [Tolerated],
        "The number of a joint's parent is below -1; any negative number makes a root.",
        "Set the parent to -1.";
    warning NOT_UNIT = "not-unit", NotNormalized [Tolerated],
        "The rotation of a joint does not have length 1; readers normalise it before use.",
        "Normalise it.";
    warning ZERO_ROTATION = "zero-quaternion", NotNormalized,
        "A rotation has length 0; readers use no rotation instead.",
        "Replace it.";
    warning NON_FINITE_EXTRA = "non-finite", NonFinite,
        "A texture coordinate, tangent, colour or bound is infinite or not a number (NaN).",
        "Replace it.";
    warning JOINT_INDEX_UNUSED = "bad-joint-index", BadReference [Ignored],
        "A vertex names a joint that does not exist, with weight 0; it has no effect.",
        "Set the joint's number to 0.";
    warning WEIGHT_SUM = "weight-sum", NotNormalized [Misshown],
        "The weights of a vertex do not sum to 1.",
        "Divide each of them by their sum.";
    warning WEIGHT_RANGE = "weight-range", BadValue,
        "A weight is negative or above 1.",
        "Give the vertex weights between 0 and 1.";
    warning NO_WEIGHTS = "no-weights", Missing [Refuses],
        "The model has joints, but its vertices name none; DarkPlaces and FTE refuse the model.",
        "Add joints and weights to the vertices, or remove the joints.";
    warning UNKNOWN_CHANNELS = "unknown-channels", BadValue [Ignored],
        "A mask has bits beyond its channels; readers ignore them.",
        "Clear them.";
    warning EMPTY_ANIM = "empty-anim", BadCount [Refuses],
        "An anim has no frame; Daemon refuses it.",
        "Leave it out.";
    warning NO_RATE = "no-framerate", BadValue [Tolerated],
        "An anim has a rate of 0: FTE plays 10 frames per second, DarkPlaces does not move.",
        "State the rate.";
    warning EXTENSION_SIZE = "extension-size", BadSize,
        "The size of an FTE extension does not match its content.",
        "Remove it, or export it again.";
    warning EXTENSION_ANIM = "extension-anim", BadReference [Ignored],
        "An event belongs to an anim that does not exist; FTE drops it.",
        "Correct the number of the anim.";
    warning EXTENSION_TEXT = "extension-text", BadReference,
        "An extension names a string outside of the text.",
        "Point it at a string of the text.";
    warning ADJACENCY = "bad-adjacency", BadReference [Ignored],
        "The adjacency names a triangle that does not exist.",
        "Compute the adjacency again, or remove it: no engine reads it.";
    warning PARENT_DIFFERS = "parent-differs", BadReference,
        "A pose and its joint have different parents.",
        "Set both to the same parent.";
}

pub(crate) const CODES: Codes = Codes { short: SHORT, count: COUNT, limit: LIMIT };
