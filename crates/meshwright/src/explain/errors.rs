//! Errors that are not broken rules of a file, and the differences that `diff` finds.

use super::notices;

notices! {
    error "bad-output",
        "A name in a document or an archive cannot be the name of an output, or a companion is not a file of its kind.",
        "Do not trust the file; the message says which name or file it is.";
    error "cannot-read",
        "A file, or one that belongs to it, cannot be read.",
        "Check its name and permissions; raise `--max-memory` if it is too large.";
    error "cannot-write",
        "An output, or standard output, cannot be written.",
        "Check the folder, its permissions and the free space.";
    error "invalid-model",
        "The model breaks a rule of its format that a conversion cannot ignore.",
        "Run `check` on the source; `repair` fixes what has one right value.";
    error "limit",
        "The work would take more memory or time than the limit allows.",
        "Raise `--max-memory` if the file is trusted.";
    error "malformed",
        "A file cannot be opened.",
        "Run `check` on it.";
    error "native-json",
        "`build` cannot compile a JSON: the message has the path of the value that does not fit.",
        "Correct the value, or write the JSON again with `dump --native`.";
    error "no-model",
        "A folder or archive holds no file of a known format.",
        "Name another folder; `list` prints what this one holds.";
    error "not-convertible",
        "The target cannot hold any part of the source, or not the part that was asked for.",
        "Choose another target, or name the missing file: the message says which.";
    error "not-packable",
        "The archive format cannot hold a file.",
        "Rename the file, or choose another kind of archive.";
    error "not-repairable",
        "`repair` cannot open the file, not even leniently.",
        "Take the file from its source again.";
    error "not-writable",
        "The model breaks a rule of the target, or a number does not fit its field.",
        "Run `check` on the source, and correct the field that the message names.";
    error "unknown-format",
        "Neither the content nor the name of the file belongs to a known format.",
        "Name the format with `--as`, if the file is one of the known formats.";
    error "usage",
        "The arguments of the command are wrong, or do not fit the file.",
        "Read `meshwright help COMMAND`.";
    error "would-replace",
        "An output would replace a file that the run reads, another output, or a file that no earlier run wrote.",
        "Choose another output, or pass `--force` to replace files that are not inputs.";

    difference "bone-missing",
        "One model has a bone that the other does not have.", "";
    difference "bone-name",
        "The bone has another name.", "";
    difference "bone-parent",
        "The bone has another parent.", "";
    difference "bone-rest",
        "The bone rests in another place.", "";
    difference "clip-frames",
        "The clip has another number of frames.", "";
    difference "clip-loop",
        "The clip loops in one model only.", "";
    difference "clip-missing",
        "One model has a clip that the other does not have.", "";
    difference "clip-name",
        "The clip has another name.", "";
    difference "clip-rate",
        "The clip has another frame rate.", "";
    difference "material-alpha",
        "The material treats transparency differently.", "";
    difference "material-color",
        "The material has another colour.", "";
    difference "material-missing",
        "One model has a material that the other does not have.", "";
    difference "material-name",
        "The material has another name.", "";
    difference "material-picture",
        "The material has another image, or has one in one model only.", "";
    difference "material-sides",
        "The material is drawn from both sides in one model only.", "";
    difference "mesh-attribute",
        "The mesh has texture coordinates, normals or colours in one model only.", "";
    difference "mesh-colors",
        "Vertex colours differ by more than the tolerance.", "";
    difference "mesh-count",
        "The models have different numbers of meshes.", "";
    difference "mesh-material",
        "The mesh has another material.", "";
    difference "mesh-normals",
        "Normals differ by more than the tolerance.", "";
    difference "mesh-skin",
        "The mesh follows bones in one model only.", "";
    difference "mesh-triangles",
        "The mesh has another number of triangles.", "";
    difference "mesh-uvs",
        "Texture coordinates differ by more than the tolerance.", "";
    difference "posed-vertices",
        "Vertices are in different places in a frame of a clip.", "";
    difference "rest-vertices",
        "Vertices are in different places at rest.", "";
    difference "skeleton-count",
        "The models have different numbers of skeletons.", "";
    difference "triangle-count",
        "The models have different numbers of triangles.", "";
}
