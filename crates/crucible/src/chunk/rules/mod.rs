//! The rules of a chunk: its structure and its content.

pub(crate) mod content;
pub(crate) mod structure;

use crate::rules::joined;
use meshwright_core::{Rule, rules};

rules! {
    error ATTRIBUTE_FLAG = "attribute-flag" ("AttributeFlag"), BadValue [Refuses],
        "The flag of a stream is not exactly one bit; the engine refuses 0 and takes the lowest of several.",
        "Set the one bit of the attribute that the stream holds.";
    error DUPLICATE_ATTRIBUTE = "duplicate-attribute" ("DuplicateAttribute"), Duplicate [Refuses],
        "Two streams have the same flag, which the engine refuses.",
        "Remove one of the streams, or correct its flag.";
    forgivable RESERVED_FLAG = "reserved-flag" ("ReservedFlag"), BadValue [Unchecked],
        "The flag of a stream is reserved in the chunk's dialect: nothing says what the stream holds.",
        "Read the chunk in the dialect that it was written in, or remove the stream.";
    forgivable STREAM_SIZE = "stream-size" ("StreamSize"), BadSize [Tolerated],
        "A stream ends within its last item: its size is not a multiple of the item's. The engine rounds down.",
        "Export the stream again, or cut it after the last whole item.";
    error VERTEX_COUNT = "vertex-count" ("VertexCount"), BadCount [Refuses],
        "Two streams hold different numbers of vertices, which the engine refuses.",
        "Give every attribute of the mesh a value for every vertex.";
    forgivable INDEX_RANGE = "index-range" ("IndexRange"), BadReference [Unchecked],
        "An index names a vertex that does not exist; the engine does not check this and reads past its buffers.",
        "Remove the triangle or correct the index.";
    forgivable OUTPUT_TOO_SHORT = "lz4-too-short" ("Lz4OutputTooShort"), BadSize [Tolerated],
        "An LZ4 block decodes to fewer bytes than the stream states; the engine leaves zeros after them.",
        "Correct the stated size or compress the stream again.";
    warning INDEX_SIZE_BYTE = "index-size-byte" ("IndexSizeByte"), BadValue [Tolerated],
        "The byte for the width of indices is neither 0 nor 1; the engine takes it for 32 bits.",
        "Write 1.";
    warning NOT_TRIANGLES = "not-triangles" ("NotTriangles"), BadCount [Ignored],
        "The number of indices is not a multiple of three, and the engine draws triangles only.",
        "Remove the indices after the last whole triangle, or add the missing ones.";
    warning AMBIGUOUS_DIALECT = "ambiguous-dialect" ("AmbiguousDialect"), Ambiguous [NoEngine],
        "The sizes of the streams fit several dialects, which read the vertices differently.",
        "Name the dialect when the chunk is read; a stream of positions, normals or texture coordinates decides it.";
    warning NO_VERTICES = "no-vertices" ("NoVertices"), Missing,
        "The chunk has no vertices.",
        "Leave the chunk out unless it is meant to be empty.";
    warning NO_POSITION = "no-position" ("NoPosition"), Missing,
        "The chunk has no positions of vertices.",
        "Add positions unless a shader places the vertices.";
    warning BOTH_POSITIONS = "both-positions" ("BothPositions"), Duplicate,
        "The chunk has positions both in space and in the plane; nothing says which are drawn.",
        "Remove those that are not meant.";
    warning NORMAL_LENGTH = "normal-length" ("NormalLength"), NotNormalized [Misshown],
        "A normal does not have length 1, so the mesh is lit too dark or too bright.",
        "Divide the normal by its length.";
    warning WEIGHT_SUM = "weight-sum" ("WeightSum"), NotNormalized [Misshown],
        "The weights of a vertex do not sum to 1, as the description asks for.",
        "Divide each weight by their sum.";
    warning WEIGHT_RANGE = "weight-range" ("WeightRange"), BadValue,
        "A weight is outside of 0 to 1.",
        "Correct the weight in the program that made the model.";
    warning BONE_TWICE = "duplicate-influence" ("BoneTwice"), Duplicate,
        "A vertex names a bone twice with weights above 0.",
        "Add the two weights up in one slot.";
    warning BONE_RANGE = "bone-range" ("BoneRange"), BadReference,
        "A vertex names a bone that the skeleton does not have.",
        "Use the skeleton that the mesh was bound to, or correct the bone's number.";
}

/// All rules of a chunk.
pub(crate) const ALL: [&Rule; RULES.len() + crate::rules::RULES.len()] = joined(crate::rules::RULES, RULES);
