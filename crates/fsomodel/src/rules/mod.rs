//! The rules of a file. Reading, writing and validation check the same rules.

mod content;
pub(crate) mod offsets;
pub(crate) mod structure;

pub(crate) use content::check_version;

meshwright_core::rules! {
    error MAGIC = "bad-magic" ("Magic"), BadMagic [Refuses],
        "The file does not begin with FSOMODEL.",
        "Nothing can be repaired: it is a file of another format, or its beginning is lost.";
    error VERSION = "bad-version" ("Version"), Unsupported,
        "The format forbids to use an unknown version, and 1 is the only one that was ever written.",
        "Set the version to 1 if the file is known to be otherwise sound.";
    error TRUNCATED = "truncated" ("Truncated"), Truncated,
        "The file ends within a chunk, or a chunk claims more bytes than are left.",
        "Copy the file again; what is missing cannot be rebuilt.";
    error LIMIT = "limit-exceeded" ("LimitExceeded"), Limit [NoEngine],
        "Reading the file would take more memory than the caller allows.",
        "Raise the limit if the file is trusted.";
    error DUPLICATE_CHUNK = "duplicate-chunk" ("DuplicateChunk"), Duplicate [Refuses],
        "There are two vertex, index or mesh chunks, and nothing says which is meant; the engine refuses the file.",
        "Remove the one that is not meant.";
    forgivable MISSING_CHUNK = "missing-chunk" ("MissingChunk"), Missing,
        "There are no vertices or no indices.",
        "Add the chunk, empty if there is nothing to draw.";
    forgivable STREAM_SIZE = "stream-size" ("StreamSize"), BadSize,
        "A chunk is not a whole number of vertices, indices or meshes of its dialect; the last one is cut.",
        "Cut the part of an item off, or name the dialect if the file has another one.";
    forgivable MISALIGNED = "misaligned" ("Misaligned"), Misaligned,
        "A mesh starts within an index.",
        "Round the offset to a multiple of 4.";
    forgivable MESH_RANGE = "mesh-range" ("MeshRange"), OutOfBounds [Unchecked],
        "A mesh draws indices that are not there; the engine reads beyond its buffer.",
        "Shorten the mesh to the indices that there are.";
    forgivable INDEX_RANGE = "index-range" ("IndexRange"), BadReference [Unchecked],
        "An index, its base added, names a vertex that is not there; the engine reads beyond its buffer.",
        "Remove the triangle or point it at a vertex that is there.";
    forgivable MESH_COUNT = "metadata" ("Metadata"), BadCount,
        "The companion has another number of meshes than the file.",
        "Use the companion that was exported with the file.";
    warning AMBIGUOUS_DIALECT = "ambiguous-dialect" ("AmbiguousDialect"), Ambiguous [NoEngine],
        "The sizes of the chunks fit more than one dialect, and the file does not say which it is.",
        "Name the dialect when the file is read.";
    warning NO_MESH_TABLE = "no-mesh-table" ("NoMeshTable"), Missing,
        "Nothing says which indices make up which mesh, so that all of them are one.",
        "Put the companion file next to the model, or name it.";
    warning NOT_TRIANGLES = "not-triangles" ("NotTriangles"), BadCount [Ignored],
        "The indices of a mesh are not a whole number of triangles; the last ones draw nothing.",
        "Remove the indices after the last triangle.";
    warning MIN_MAX_AFTER_BASE = "min-max-after-base" ("MinMaxAfterBase"), BadValue [Ignored],
        "The lowest and highest index of a mesh are given after its base was added, and are meant before.",
        "Compute them again; no loader relies on them.";
    warning LOOSE_MIN_MAX = "loose-min-max" ("LooseMinMax"), BadValue [Ignored],
        "A mesh claims a wider range of indices than it has.",
        "Compute it again; no loader relies on it.";
    warning WRONG_MIN_MAX = "wrong-min-max" ("WrongMinMax"), BadValue [Ignored],
        "A mesh claims a range of indices that leaves some of its own out.",
        "Compute it again; no loader relies on it.";
    warning UNUSED_INDICES = "unused-indices" ("UnusedIndices"), Unused [Ignored],
        "No mesh draws some of the indices.",
        "Remove them, or add the mesh that should draw them.";
    warning NON_FINITE = "non-finite" ("NonFinite"), NonFinite,
        "A vertex holds a number that is infinite or NaN.",
        "Replace it: 0 is taken where the model is converted.";
    warning NORMAL_LENGTH = "normal-length" ("NormalLength"), NotNormalized [Misshown],
        "Normals are not of length 1, so that the engine lights them too bright or too dark.",
        "Divide them by their length.";
}
