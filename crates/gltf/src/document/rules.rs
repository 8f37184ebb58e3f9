//! What a document may not do, each rule once.

meshwright_core::rules! {
    error GLB_HEADER = "glb-header", BadMagic [NoEngine],
        "The file does not begin as a GLB does.",
        "Nothing can be mended: the file is of another format, or cut.";
    error GLB_VERSION = "glb-version", Unsupported [NoEngine],
        "The container is of a version other than 2.",
        "Convert the file to glTF 2.0.";
    error GLB_LENGTH = "glb-length", BadSize [NoEngine],
        "The header states a length that is not that of the file.",
        "Copy the file again, or state its length.";
    error GLB_CHUNK = "glb-chunk", OutOfBounds [NoEngine],
        "A chunk goes beyond the file, or the first is not the JSON.",
        "Export the file again.";
    warning GLB_CHUNK_UNUSED = "glb-chunk", Unused [NoEngine],
        "A chunk is not used.",
        "Leave it out.";
    warning GLB_TRAILING = "glb-trailing", Unused [NoEngine],
        "Bytes follow the length that the header states.",
        "Cut them off.";
    warning GLB_ALIGNMENT = "glb-alignment", Misaligned [NoEngine],
        "The length of a chunk is no multiple of 4.",
        "Pad the JSON with spaces and the binary part with zeros.";

    error JSON_SYNTAX = "json-syntax", Syntax [NoEngine],
        "The text is no JSON.",
        "Export the file again.";
    error JSON_ENCODING = "json-encoding", Syntax [NoEngine],
        "The text is not UTF-8, or escapes half of a surrogate pair.",
        "Save the text as UTF-8.";
    error JSON_DEPTH = "json-depth", Limit [NoEngine],
        "Lists and objects lie deeper in each other than 128.",
        "Make the extras flatter.";
    error JSON_DUPLICATE = "json-duplicate", Duplicate [NoEngine],
        "An object has a key twice.",
        "Leave one of them out.";
    error JSON_SHAPE = "json-shape", BadValue [NoEngine],
        "A value is of another type or length than glTF says, or is missing.",
        "Export the file again.";
    error JSON_NUMBER = "json-number", BadValue [NoEngine],
        "A number is negative, fractional or infinite where it may not be.",
        "Export the file again.";
    warning JSON_BOM = "json-bom", Compatibility [NoEngine],
        "The text begins with a byte order mark.",
        "Save it without.";
    warning NAME_LONG = "name-long", BadName [NoEngine],
        "A name is longer than 1024 bytes and was cut.",
        "Give it a shorter name.";

    error ASSET_VERSION = "asset-version", Unsupported [NoEngine],
        "The document is not of glTF 2.0.",
        "Convert the file to glTF 2.0.";
    error EXTENSION_REQUIRED = "extension-required", Unsupported [NoEngine],
        "The document cannot be understood without an extension that is not read.",
        "Export it without the extension, or let another tool remove it.";
    warning EXTENSION_IGNORED = "extension-ignored", Compatibility [NoEngine],
        "The document uses an extension that is not read.",
        "Nothing need be done if the model looks right.";

    warning EXTRAS_IGNORED = "extras-ignored", Compatibility [NoEngine],
        "What an export of this library says of a model cannot be read.",
        "Export the model again.";

    error URI_SCHEME = "uri-scheme", Unsupported [NoEngine],
        "A URI leads elsewhere than to a file or data.",
        "Put the file beside the document.";
    error URI_PATH = "uri-path", OutOfBounds [NoEngine],
        "A path leaves the folder of the document, or is none.",
        "Put the file beside the document and name it without `..`.";
    warning URI_PATH_IMAGE = "uri-path", OutOfBounds [NoEngine],
        "The path of an image leads nowhere that is read.",
        "Put the image beside the document.";
    error URI_DATA = "uri-data", Syntax [NoEngine],
        "Embedded data cannot be decoded.",
        "Export the file again.";
    warning URI_DATA_LOOSE = "uri-data", Syntax [NoEngine],
        "Embedded data holds white space, or lacks its padding.",
        "Export the file again.";
    error BUFFER_MISSING = "buffer-missing", Missing [NoEngine],
        "The bytes of a buffer are not there.",
        "Put the file beside the document.";
    error BUFFER_SHORT = "buffer-short", Truncated [NoEngine],
        "A buffer has fewer bytes than it states.",
        "Copy the file again.";
    error INDEX = "index", BadReference [NoEngine],
        "An index names something that is not there.",
        "Export the file again.";

    error VIEW_RANGE = "view-range", OutOfBounds [NoEngine],
        "A view goes beyond its buffer.",
        "Export the file again.";
    error VIEW_STRIDE = "view-stride", BadValue [NoEngine],
        "A stride is below 4 or the size of an element, above 252, or no multiple of 4.",
        "Export the file again.";
    error ACCESSOR_RANGE = "accessor-range", OutOfBounds [NoEngine],
        "An accessor goes beyond its view.",
        "Export the file again.";
    error ACCESSOR_COUNT = "accessor-count", BadCount [NoEngine],
        "An accessor has no elements.",
        "Leave it out.";
    error ACCESSOR_TYPE = "accessor-type", BadValue [NoEngine],
        "An accessor is of a type that is unknown, or not allowed where it is used.",
        "Export the file again.";
    warning ACCESSOR_TYPE_UNDECLARED = "accessor-type", Compatibility [NoEngine],
        "An attribute is of a type that needs KHR_mesh_quantization, which the document does not name.",
        "Name the extension as required.";
    warning ACCESSOR_ALIGNMENT = "accessor-alignment", Misaligned [NoEngine],
        "An accessor begins at no multiple of the size of its components.",
        "Export the file again.";
    error SPARSE_RANGE = "sparse-range", OutOfBounds [NoEngine],
        "A sparse accessor replaces elements that it does not have.",
        "Export the file again.";
    error SPARSE_ORDER = "sparse-order", BadValue [NoEngine],
        "The indices of a sparse accessor do not rise.",
        "Sort them, each once.";

    error ATTRIBUTE_COUNT = "attribute-count", BadCount [NoEngine],
        "The attributes of a primitive have different lengths.",
        "Export the file again.";
    error MODE = "mode", BadValue [NoEngine],
        "A primitive is of an unknown mode.",
        "Export the file again.";
    error NODE_CYCLE = "node-cycle", BadHierarchy [NoEngine],
        "Nodes are their own ancestors.",
        "Export the file again.";
    error NODE_PARENTS = "node-parents", BadHierarchy [NoEngine],
        "A node is the child of two nodes, or twice of one.",
        "Copy the node.";
    warning NODE_TRANSFORM = "node-transform", BadValue [NoEngine],
        "A node has a matrix beside other parts, or one that projects.",
        "Keep one of them.";
    warning SCENE_ROOT = "scene-root", BadHierarchy [NoEngine],
        "A scene names a node that is a child, or one twice.",
        "Name roots alone, each once.";
    error NOT_FINITE = "not-finite", NonFinite [NoEngine],
        "A number is beyond 32-bit floats.",
        "Export the file again.";
    error SKIN_JOINTS = "skin-joints", BadReference [NoEngine],
        "A skin has no joints, or one twice.",
        "Export the file again.";
    error SKIN_IBM = "skin-ibm", BadCount [NoEngine],
        "A skin has fewer inverse bind matrices than joints.",
        "Export the file again.";
    error SAMPLER_COUNT = "sampler-count", BadCount [NoEngine],
        "A sampler has not as many values as its times ask for.",
        "Export the file again.";
    error SAMPLER_INTERPOLATION = "sampler-interpolation", BadValue [NoEngine],
        "A sampler interpolates in an unknown way.",
        "Use LINEAR, STEP or CUBICSPLINE.";
    error CHANNEL_TARGET = "channel-target", BadValue [NoEngine],
        "A channel moves an unknown property.",
        "Export the file again.";
    error MESHOPT = "meshopt", BadValue [NoEngine],
        "A compressed view has a mode, a size or a stream that cannot be decoded.",
        "Export the file again, or without EXT_meshopt_compression.";

    error INDEX_RANGE = "index-range", BadReference [NoEngine],
        "A triangle names a vertex that is not there.",
        "Export the file again.";
    warning INDEX_COUNT = "index-count", BadCount [NoEngine],
        "Indices do not fill the last triangle, which is left out.",
        "Export the file again.";
    warning POSITION_MISSING = "position-missing", Missing [NoEngine],
        "A primitive has no positions: there is nothing to draw.",
        "Leave it out.";
    warning ACCESSOR_BOUNDS = "accessor-bounds", BadValue [NoEngine],
        "The stated bounds of positions are not theirs.",
        "Export the file again.";
    error JOINT_RANGE = "joint-range", BadReference [NoEngine],
        "A vertex follows a joint that its skin does not have.",
        "Export the file again.";
    warning JOINT_RANGE_UNUSED = "joint-range", BadReference [NoEngine],
        "A vertex names a joint that its skin does not have, with weight 0.",
        "Name joint 0 where the weight is 0.";
    warning NORMALS_REPLACED = "normals-replaced", BadValue [NoEngine],
        "Normals are zero or not finite and are computed from the triangles.",
        "Give every vertex a unit normal.";
    warning NORMALS_SCALED = "normals-scaled", NotNormalized [NoEngine],
        "Normals are not of length 1.",
        "Normalise them.";
    warning WEIGHTS_NEGATIVE = "weights-negative", BadValue [NoEngine],
        "Weights are negative and count as 0.",
        "Give every vertex weights of at least 0.";
    warning WEIGHTS_NORMALIZED = "weights-normalized", NotNormalized [NoEngine],
        "The weights of vertices do not sum to 1 and are scaled.",
        "Normalise them.";
    warning VERTICES_UNBOUND = "vertices-unbound", Missing [NoEngine],
        "Vertices of a skinned mesh follow no joint.",
        "Bind every vertex to a joint.";
    warning ROTATIONS_SCALED = "rotations-scaled", NotNormalized [NoEngine],
        "Quaternions are not of length 1; one of length 0 turns nothing.",
        "Normalise them.";
    warning SKIN_WEIGHTS = "skin-weights", Missing [NoEngine],
        "Of skin, joints and weights one is there without the others: the mesh is drawn by its node.",
        "Give the mesh all of them or none.";
    warning SKIN_SKELETON = "skin-skeleton", BadHierarchy [NoEngine],
        "The skeleton's root that a skin names is not above its joints.",
        "Leave it out.";
    warning SKIN_JOINTS_OUTSIDE = "skin-joints", BadHierarchy [NoEngine],
        "Joints of a skin are not in the scene that shows its mesh; they still move it.",
        "Put them into the scene.";
    warning BIND_SINGULAR = "bind-singular", BadValue [NoEngine],
        "An inverse bind matrix cannot be inverted.",
        "Export the file again.";
    error KEY_TIMES = "key-times", BadValue [NoEngine],
        "The times of keys fall.",
        "Sort the keys.";
    warning KEY_TIMES_ODD = "key-times", BadValue [NoEngine],
        "The times of keys are equal, where the later counts, or negative, where they are cut off at 0.",
        "Give every key a time of its own, from 0 on.";
    warning CHANNEL_IGNORED = "channel-target", BadValue [NoEngine],
        "A channel moves nothing, what another moves, or a node with a matrix, which is taken apart.",
        "Leave it out, or give the node translation, rotation and scale.";
    warning EMPTY_CLIP = "empty-clip", Unused [NoEngine],
        "An animation has no keys of a node.",
        "Leave it out.";
    error LIMIT = "limit", Limit [NoEngine],
        "The file asks for more memory than is allowed.",
        "Allow more if the file can be trusted.";
}
