//! The rules of glTF documents.

meshwright_core::rules! {
    error GLB_HEADER = "glb-header", BadMagic [NoEngine],
        "The file does not begin as a GLB does.",
        "The file cannot be repaired: it is of another format, or cut.";
    error GLB_VERSION = "glb-version", Unsupported [NoEngine],
        "The container is of a version other than 2.",
        "Convert the file to glTF 2.0.";
    error GLB_LENGTH = "glb-length", BadSize [NoEngine],
        "The header states a length that is not that of the file.",
        "Copy the file again, or set the length in the header to the file's length.";
    error GLB_CHUNK = "glb-chunk", OutOfBounds [NoEngine],
        "A chunk extends past the end of the file, or the first chunk is not the JSON.",
        "Export the file again.";
    warning GLB_CHUNK_UNUSED = "glb-chunk", Unused [NoEngine],
        "A chunk is not used.",
        "Leave it out.";
    warning GLB_TRAILING = "glb-trailing", Unused [NoEngine],
        "Bytes follow the length that the header states.",
        "Cut them off.";
    warning GLB_ALIGNMENT = "glb-alignment", Misaligned [NoEngine],
        "The length of a chunk is not a multiple of 4.",
        "Pad the JSON with spaces and the binary part with zeros.";
    error GLB_MISALIGNED = "glb-alignment", Misaligned [NoEngine],
        "The length of a chunk is not a multiple of 4.",
        "Pad the JSON with spaces and the binary part with zeros.";
    error GLB_CHUNK_PLACE = "glb-chunk", Duplicate [NoEngine],
        "A GLB has two chunks of one type, an empty JSON, or its binary chunk is not the second.",
        "Export the file again.";

    error JSON_SYNTAX = "json-syntax", Syntax [NoEngine],
        "The text is not JSON.",
        "Export the file again.";
    error JSON_ENCODING = "json-encoding", Syntax [NoEngine],
        "The text is not UTF-8, or escapes half of a surrogate pair.",
        "Save the text as UTF-8.";
    error JSON_DEPTH = "json-depth", Limit [NoEngine],
        "Lists and objects are nested more than 128 deep.",
        "Make the extras flatter.";
    error JSON_DUPLICATE = "json-duplicate", Duplicate [NoEngine],
        "An object has a key twice.",
        "Remove one of them.";
    error JSON_SHAPE = "json-shape", BadValue [NoEngine],
        "A value is missing, or does not have the type or length that glTF defines.",
        "Export the file again.";
    error JSON_NUMBER = "json-number", BadValue [NoEngine],
        "A number is negative, fractional or infinite where glTF forbids it.",
        "Export the file again.";
    warning JSON_BOM = "json-bom", Compatibility [NoEngine],
        "The text begins with a byte order mark.",
        "Save the file without it.";
    error JSON_BOM_WRITTEN = "json-bom", Syntax [NoEngine],
        "The text begins with a byte order mark, which glTF forbids.",
        "Save the file without it.";
    error VALUE_RANGE = "value-range", BadValue [NoEngine],
        "A number is outside the range that glTF gives it.",
        "Bring it into the range that the message names.";
    warning VALUE_UNKNOWN = "value-unknown", Compatibility [NoEngine],
        "A value is not among those that glTF 2.0 lists for its property.",
        "Use one of those that the message names.";
    warning PROPERTY_UNKNOWN = "property-unknown", Unused [NoEngine],
        "An object has a property that glTF does not define.",
        "Remove it, or put it into extras.";
    error PROPERTY_CONFLICT = "property-conflict", Ambiguous [NoEngine],
        "Two properties of an object exclude each other, or one needs another that is missing.",
        "Keep one of them, or add the missing one.";
    error ELEMENT_TWICE = "element-twice", Duplicate [NoEngine],
        "A list has a duplicate.",
        "Remove one of the two.";
    warning NAME_LONG = "name-long", BadName [NoEngine],
        "A name is longer than 1024 bytes and was cut.",
        "Give it a shorter name.";

    error ASSET_VERSION = "asset-version", Unsupported [NoEngine],
        "The version of the document is not glTF 2.0.",
        "Convert the file to glTF 2.0.";
    error EXTENSION_REQUIRED = "extension-required", Unsupported [NoEngine],
        "The document requires an extension that Meshwright does not read.",
        "Export it without the extension, or let another tool remove it.";
    warning EXTENSION_IGNORED = "extension-ignored", Compatibility [NoEngine],
        "The document uses an extension that Meshwright does not read.",
        "Nothing needs to be done if the model looks right.";
    error EXTENSION_UNDECLARED = "extension-undeclared", Missing [NoEngine],
        "An extension is used but not declared, or is missing from a list that must name it.",
        "Name it in extensionsUsed, and in extensionsRequired where the message says so.";
    error EXTENSION_MISPLACED = "extension-misplaced", BadReference [NoEngine],
        "An extension is on an object of the wrong kind.",
        "Remove it there.";

    warning EXTRAS_IGNORED = "extras-ignored", Compatibility [NoEngine],
        "The extras that Meshwright's export wrote about the model cannot be read.",
        "Export the model again.";

    error URI_SCHEME = "uri-scheme", Unsupported [NoEngine],
        "A URI is neither a relative path nor embedded data.",
        "Put the file next to the document.";
    error URI_PATH = "uri-path", OutOfBounds [NoEngine],
        "A path leaves the folder of the document, or is not valid.",
        "Put the file next to the document and name it without `..`.";
    warning URI_PATH_IMAGE = "uri-path", OutOfBounds [NoEngine],
        "The path of an image leads outside the document's folder, or is not valid.",
        "Put the image next to the document.";
    error URI_DATA = "uri-data", Syntax [NoEngine],
        "Embedded data cannot be decoded.",
        "Export the file again.";
    warning URI_DATA_LOOSE = "uri-data", Syntax [NoEngine],
        "Embedded data holds white space, or lacks its padding.",
        "Export the file again.";
    error URI_DATA_TYPE = "uri-data", BadValue [NoEngine],
        "The embedded data of a buffer has a media type that buffers do not have.",
        "Embed it as application/octet-stream.";
    error BUFFER_MISSING = "buffer-missing", Missing [NoEngine],
        "The bytes of a buffer are missing.",
        "Put the file next to the document.";
    warning BUFFER_OPEN = "buffer-missing", Missing [NoEngine],
        "A buffer has no bytes: its file was not supplied, or only an application knows them.",
        "Supply the file. Nothing has to be done for an application that knows the bytes.";
    error BUFFER_SHORT = "buffer-short", Truncated [NoEngine],
        "A buffer has fewer bytes than it states.",
        "Copy the file again.";
    error INDEX = "index", BadReference [NoEngine],
        "An index names an item that does not exist.",
        "Export the file again.";

    error VIEW_RANGE = "view-range", OutOfBounds [NoEngine],
        "A view extends past the end of its buffer.",
        "Export the file again.";
    error VIEW_STRIDE = "view-stride", BadValue [NoEngine],
        "A stride is below 4 or the element size, above 252, or not a multiple of 4.",
        "Export the file again.";
    error VIEW_USE = "view-use", Overlap [NoEngine],
        "A view or an accessor is used for two purposes, or not for the purpose that it states.",
        "Use a view and an accessor for each purpose.";
    error ACCESSOR_RANGE = "accessor-range", OutOfBounds [NoEngine],
        "An accessor extends past the end of its view.",
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
        "An accessor does not begin at a multiple of its component size.",
        "Export the file again.";
    error ACCESSOR_MISALIGNED = "accessor-alignment", Misaligned [NoEngine],
        "An accessor does not begin at a multiple of its component size, or an attribute not at a multiple of 4.",
        "Export the file again.";
    error ACCESSOR_NORMALIZED = "accessor-normalized", BadValue [NoEngine],
        "An accessor of 32-bit numbers is marked as normalised.",
        "Remove normalized.";
    error SPARSE_RANGE = "sparse-range", OutOfBounds [NoEngine],
        "A sparse accessor replaces elements that it does not have.",
        "Export the file again.";
    error SPARSE_ORDER = "sparse-order", BadValue [NoEngine],
        "The indices of a sparse accessor are not in increasing order.",
        "Sort them without duplicates.";

    error ATTRIBUTE_COUNT = "attribute-count", BadCount [NoEngine],
        "The attributes of a primitive have different lengths.",
        "Export the file again.";
    error ATTRIBUTE_NAME = "attribute-name", BadName [NoEngine],
        "An attribute has a name that glTF does not define, or its sets are not numbered from 0 on.",
        "Number sets from 0 on; begin names of your own with an underscore.";
    error MORPH_TARGETS = "morph-targets", BadCount [NoEngine],
        "The counts of morph targets, weights and vertices do not fit each other.",
        "Give all primitives of a mesh the same targets, and each target a weight.";
    error MATERIAL_NEEDS = "material-attributes", Missing [NoEngine],
        "A material needs texture coordinates or tangents that the primitive does not have.",
        "Export the mesh with them.";
    error MODE = "mode", BadValue [NoEngine],
        "A primitive is of an unknown mode.",
        "Export the file again.";
    error NODE_CYCLE = "node-cycle", BadHierarchy [NoEngine],
        "Nodes are their own ancestors.",
        "Export the file again.";
    error NODE_PARENTS = "node-parents", BadHierarchy [NoEngine],
        "A node is a child of two nodes, or is listed twice as a child of one.",
        "Copy the node.";
    warning NODE_TRANSFORM = "node-transform", BadValue [NoEngine],
        "A node has a matrix together with translation, rotation or scale, or a matrix that projects.",
        "Keep one of them.";
    error NODE_MATRIX = "node-transform", BadValue [NoEngine],
        "The matrix of a node shears, projects or flattens, or the node also has translation, rotation or scale.",
        "Give the node translation, rotation and scale.";
    error NODE_ROTATION = "rotations-scaled", NotNormalized [NoEngine],
        "The rotation of a node is not of length 1.",
        "Normalise it.";
    warning SCENE_ROOT = "scene-root", BadHierarchy [NoEngine],
        "A scene lists a child of another node, or lists a node twice.",
        "Name only roots, each once.";
    error SCENE_ROOT_WRONG = "scene-root", BadHierarchy [NoEngine],
        "A scene names a node that is a child of another.",
        "Name roots only.";
    error NOT_FINITE = "not-finite", NonFinite [NoEngine],
        "A number is outside the range of 32-bit floats.",
        "Export the file again.";
    error SKIN_JOINTS = "skin-joints", BadReference [NoEngine],
        "A skin has no joints, or lists a joint twice.",
        "Export the file again.";
    error SKIN_IBM = "skin-ibm", BadCount [NoEngine],
        "A skin has fewer inverse bind matrices than joints.",
        "Export the file again.";
    error SAMPLER_COUNT = "sampler-count", BadCount [NoEngine],
        "The number of a sampler's values does not fit the number of its times.",
        "Export the file again.";
    error SAMPLER_INTERPOLATION = "sampler-interpolation", BadValue [NoEngine],
        "A sampler has an unknown interpolation.",
        "Use LINEAR, STEP or CUBICSPLINE.";
    error CHANNEL_TARGET = "channel-target", BadValue [NoEngine],
        "A channel animates an unknown property.",
        "Export the file again.";
    error MESHOPT = "meshopt", BadValue [NoEngine],
        "A compressed view has a mode, a size or a stream that cannot be decoded.",
        "Export the file again, or without EXT_meshopt_compression.";

    error INDEX_RANGE = "index-range", BadReference [NoEngine],
        "A triangle names a vertex that does not exist.",
        "Export the file again.";
    warning INDEX_COUNT = "index-count", BadCount [NoEngine],
        "The indices end within a triangle, which is not drawn.",
        "Export the file again.";
    warning POSITION_MISSING = "position-missing", Missing [NoEngine],
        "A primitive has no positions: there is nothing to draw.",
        "Leave it out.";
    warning ACCESSOR_BOUNDS = "accessor-bounds", BadValue [NoEngine],
        "The stated bounds of positions do not match the positions.",
        "Export the file again.";
    error ACCESSOR_BOUNDS_WRONG = "accessor-bounds", BadValue [NoEngine],
        "The stated bounds of an accessor are wrong, or missing where glTF requires them.",
        "Export the file again.";
    error VECTORS_SCALED = "vectors-scaled", NotNormalized [NoEngine],
        "Normals, tangents or rotations are not of length 1.",
        "Normalise them.";
    error INDEX_RESTART = "index-restart", BadValue [NoEngine],
        "An index has the greatest value of its type, which graphics APIs reserve to restart a strip.",
        "Use a larger type of indices.";
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
    error WEIGHTS_NEGATIVE = "weights-negative", BadValue [NoEngine],
        "A weight of a vertex is negative; the reader leaves it out.",
        "Give every vertex weights of at least 0.";
    error WEIGHTS_NORMALIZED = "weights-normalized", NotNormalized [NoEngine],
        "The weights of a vertex do not sum to 1; the reader scales them.",
        "Normalise them.";
    warning VERTICES_UNBOUND = "vertices-unbound", Missing [NoEngine],
        "Vertices of a skinned mesh follow no joint.",
        "Bind every vertex to a joint.";
    warning ROTATIONS_SCALED = "rotations-scaled", NotNormalized [NoEngine],
        "Quaternions do not have length 1; one of length 0 counts as no rotation.",
        "Normalise them.";
    warning SKIN_WEIGHTS = "skin-weights", Missing [NoEngine],
        "One of skin, joints and weights is present without the others: the mesh follows its node.",
        "Give the mesh all of them or none.";
    error SKIN_UNUSED = "skin-weights", Missing [NoEngine],
        "A node has a skin, but its mesh has no joints.",
        "Give the mesh joints and weights, or remove the skin.";
    warning SKIN_SKELETON = "skin-skeleton", BadHierarchy [NoEngine],
        "The skeleton root of a skin is not an ancestor of its joints.",
        "Leave it out.";
    warning SKIN_JOINTS_OUTSIDE = "skin-joints", BadHierarchy [NoEngine],
        "Joints of a skin are not in the scene that shows its mesh; they still move it.",
        "Put them into the scene.";
    warning BIND_SINGULAR = "bind-singular", BadValue [NoEngine],
        "An inverse bind matrix cannot be inverted.",
        "Export the file again.";
    error BIND_PROJECTIVE = "bind-projective", BadValue [NoEngine],
        "The last row of an inverse bind matrix is not 0 0 0 1.",
        "Export the file again.";
    error KEY_TIMES = "key-times", BadValue [NoEngine],
        "The times of keys are negative, or not in increasing order.",
        "Sort the keys.";
    warning KEY_TIMES_ODD = "key-times", BadValue [NoEngine],
        "Keys have equal times (the later key counts) or negative times (cut off at 0).",
        "Give every key a time of its own, from 0 on.";
    warning CHANNEL_IGNORED = "channel-target", BadValue [NoEngine],
        "A channel has no target, the same target as another channel, or a node with a matrix.",
        "Remove the channel, or give the node translation, rotation and scale.";
    warning EMPTY_CLIP = "empty-clip", Unused [NoEngine],
        "An animation has no keys for any node.",
        "Leave it out.";
    error IMAGE_MISSING = "image-missing", Missing [NoEngine],
        "An image file is missing, or embedded image data cannot be decoded.",
        "Put the file next to the document.";
    warning TEXTURE_EMPTY = "texture-empty", Missing [NoEngine],
        "A texture names no image; materials that use it are drawn without a texture.",
        "Name an image in `source`.";
    error IMAGE_DATA = "image-data", Truncated [NoEngine],
        "An image ends before its size is known, or its header is broken.",
        "Export the image again.";
    warning IMAGE_CUT = "image-data", Truncated [NoEngine],
        "An image ends too soon: part of it is missing.",
        "Export the image again.";
    error IMAGE_TYPE = "image-type", BadValue [NoEngine],
        "An image is not of its stated type, or its type needs an extension.",
        "State its type, or export it as PNG or JPEG.";
    warning IMAGE_UNKNOWN = "image-type", Compatibility [NoEngine],
        "An image is of no known type.",
        "Export it as PNG or JPEG.";
    error LIMIT = "limit", Limit [NoEngine],
        "Reading the file needs more memory than the limit allows.",
        "Raise the limit if you trust the file.";
}
