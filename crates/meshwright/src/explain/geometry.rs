//! Losses and notes about meshes and their vertices.

use super::notices;

notices! {
    loss "alpha-dropped",
        "The target has no transparency; the alpha of vertices and materials was lost, not that of textures.",
        "Choose a target with it, such as glb, or put the alpha into the texture.";
    loss "arrays-dropped",
        "The source has vertex arrays that only other programs use, which a scene cannot hold.",
        "Convert to the source's own format to keep them.";
    loss "attribute-dropped",
        "Several meshes became one, and only some of them had this attribute.",
        "Give every mesh of the material the attribute, or keep the meshes apart.";
    either "bind-residual",
        "The influences of a vertex place it at different positions in the bind pose. glTF stores one position.",
        "Use `--keep-native` to keep the original; the amount says how far vertices are off in other poses.";
    loss "binding-clipped",
        "A bone binding of the mesh covers more vertices than the mesh has.",
        "Run `check` on the source; the vertices that exist are bound.";
    loss "binding-overlap",
        "Two bone bindings claim the same vertices; the first one counts.",
        "Run `check` on the source.";
    loss "bitangents-dropped",
        "A scene stores the handedness of a bitangent, not its direction.",
        "Convert to the source's own format to keep bitangents as they are stored.";
    either "blend-residual",
        "The two positions that a blended vertex has for its two bones do not meet in the rest pose.",
        "Name the right skeleton with `--skeleton`; a small amount is the rounding of the exporter.";
    loss "blend-skipped",
        "Blend vertices break rules of the format, and have no effect.",
        "Run `check` on the source.";
    loss "bounds",
        "The bounding boxes were not computed: the model has too many poses of too many vertices.",
        "Convert fewer clips if the engine needs the boxes.";
    loss "cameras-dropped",
        "A glTF document has cameras or lights; models of games have none.",
        "Nothing has to be done.";
    loss "colors-dropped",
        "The target has no vertex colours, or none for vertices that follow a bone.",
        "Bake the colours into a texture, or choose a target with vertex colours such as glb or iqm.";
    either "colors-rounded",
        "Vertex colours were rounded to the steps of the target.",
        "Nothing has to be done; the amount says how far a channel is off.";
    loss "chunks-dropped",
        "The source has chunks of unknown kinds, which a scene cannot hold.",
        "Convert to the source's own format to keep them.";
    note "empty-mesh",
        "A mesh without triangles was left out.",
        "Nothing has to be done.";
    loss "face-dropped",
        "Faces name vertices that the mesh does not have, and were left out.",
        "Run `check` on the source.";
    loss "groupids",
        "Triangles of a DPM have group ids, and the target has none.",
        "Pass `--extras` or `--keep-native` to keep them in a glTF.";
    loss "handedness-dropped",
        "The target's tangents have no handedness, so mirrored textures may be lit wrongly.",
        "Choose a target that stores it, such as glb or iqm.";
    loss "indices-left-over",
        "The index list ends with fewer than three indices, which make no triangle.",
        "Run `check` on the source.";
    loss "indices-unused",
        "No mesh draws some of the indices.",
        "Convert to the source's own format to keep them.";
    either "influence-sum",
        "The weights of a vertex do not sum to 1, or the target has no weights other than 1.",
        "Normalise the weights in the editor, or choose a target with weights such as dpm or iqm.";
    either "influences-dropped",
        "A vertex follows more bones than the target allows; its heaviest bones stay.",
        "Pass `--influences all` for glTF; limit the influences in the editor for other targets.";
    loss "levels-dropped",
        "The target holds fewer levels of detail than the source.",
        "Choose a target with levels, or convert each level by itself.";
    loss "levels-merged",
        "The target has no levels of detail, and all levels are drawn at once.",
        "Convert one level by itself.";
    loss "empty-level",
        "A level of detail without anything to draw was left out.",
        "Nothing has to be done unless the level is expected to show something.";
    note "level-clips",
        "Clips of a further level differ from those of the first level, and were left out.",
        "Give all levels the same clips.";
    note "level-skeleton",
        "A level has bones that the first level does not have, and keeps its own skeleton.",
        "Give all levels the same skeleton if the game needs one.";
    loss "level-unreadable",
        "The file of a level of detail cannot be read.",
        "Run `check` on that file.";
    loss "local-vertices-dropped",
        "The source stores vertices once for each bone; they became vertices of the bind pose.",
        "Pass `--keep-native` to keep the original.";
    note "mesh-gone",
        "The edited model no longer has the mesh that the original file held; the file stays without vertices.",
        "Delete the file if the game does not need it.";
    either "mesh-not-drawn",
        "No node, level or material draws the mesh, and it was left out.",
        "Add the mesh to the scene in the editor if it is wanted.";
    loss "mesh-rewritten",
        "The edited mesh has another number of vertices or triangles than the original, and was written as a new mesh.",
        "Nothing has to be done. Native data of this mesh that a scene cannot hold was lost.";
    note "mesh-split",
        "The mesh has more vertices, triangles or bones than the target allows in one mesh, and became several.",
        "Nothing has to be done.";
    loss "mesh-table-missing",
        "The source has no table of meshes; all indices were read as one mesh.",
        "Run `check` on the source.";
    loss "meshes-dropped",
        "The target holds no meshes.",
        "Choose another target if the meshes are wanted.";
    note "meshes-merged",
        "Meshes became one, because the target stores one mesh for each material or only one at all.",
        "Nothing has to be done.";
    loss "morph-targets",
        "Morph targets do not move; the mesh has the shape of their default weights.",
        "Set the weights of the shape before the export.";
    loss "more-texture-sets",
        "Only the texture coordinates of the base colour are read.",
        "Bake further textures into the first set.";
    note "no-binding",
        "No `.bnd` was written: it names mesh and texture by numbers, and nothing says which.",
        "Pass `--tso-id` to write one.";
    loss "node-not-drawn",
        "A node that no level draws was left out.",
        "Add the node to a level in the editor if it is wanted.";
    either "node-shear",
        "A node shears its content, which glTF cannot express.",
        "Apply the transform to the vertices in the editor.";
    note "nodes-applied",
        "The target has no nodes; their transforms were applied to the vertices.",
        "Nothing has to be done.";
    either "normal-residual",
        "The influences of a vertex turn its normal differently in the bind pose. glTF stores one normal.",
        "Pass `--keep-native` to keep the original.";
    note "normals-askew",
        "Many normals do not agree with the faces around them.",
        "Pass `--recompute-normals` to compute them from the faces.";
    note "normals-computed",
        "The source has no normals; Meshwright computed them from the triangles.",
        "Nothing has to be done.";
    loss "normals-dropped",
        "The target stores no normals; engines compute them from the triangles.",
        "Choose a target with normals, such as dpm, if edges must stay hard.";
    note "normals-recomputed",
        "`--recompute-normals` replaced the stored normals by those of the faces.",
        "Nothing has to be done.";
    either "normals-replaced",
        "Some normals have no direction and were replaced.",
        "Run `check` on the source; recompute the normals in the editor.";
    loss "normals-rounded",
        "Normals were rounded to the steps of the target.",
        "Nothing has to be done; the amount says how far a normal turned.";
    note "normals-scaled",
        "Normals were not of length 1, and were scaled to it.",
        "Nothing has to be done.";
    loss "not-finite",
        "Infinite or undefined numbers were replaced by 0 or left out.",
        "Run `check` on the source.";
    loss "points-or-lines",
        "Points and lines are not read.",
        "Turn them into triangles in the editor if they are wanted.";
    either "pose-error",
        "Vertices in clips differ from those of the scene, because the target rounds its channels.",
        "Nothing has to be done for a note. For a loss, give joints even scales that do not change.";
    loss "position-not-finite",
        "Infinite or undefined coordinates became 0.",
        "Run `check` on the source.";
    loss "positions-2d-dropped",
        "The mesh has positions in a plane and in space; the scene takes those in space.",
        "Convert to the source's own format to keep both.";
    loss "positions-clamped",
        "Vertices are outside the target's range of numbers, and were clamped to it.",
        "Pass `--scale` to make the model smaller.";
    loss "positions-rounded",
        "Positions were rounded to the steps of the target.",
        "Nothing has to be done; the amount says how far a vertex moved.";
    loss "solid-dropped",
        "The target cannot number this collision shape; its bone has none.",
        "Use fewer collision shapes.";
    loss "solids-dropped",
        "Bones share a collision shape that is too large to be copied for each of them.",
        "Convert without `--solids`, or raise `--max-memory`.";
    note "st-form",
        "Texture coordinates of 128-bit vertices were read in their old form, because their values fit only that.",
        "Name the form with `--dialect` if textures look wrong.";
    note "static-mesh",
        "The model has one frame, and its bones were applied to the vertices.",
        "Pass `--keep-skeleton` to keep bones and weights.";
    loss "streams-dropped",
        "The source has vertex streams that its dialect does not define.",
        "Convert to the source's own format to keep them.";
    note "tangent-handedness",
        "The handedness of some tangents is unknown; the usual one was used.",
        "Nothing has to be done unless a mirrored texture looks wrong.";
    note "tangent-length",
        "Tangents were not of length 1, and were scaled to it.",
        "Nothing has to be done.";
    note "tangents-computed",
        "Meshwright computed tangents from the texture coordinates by the MikkTSpace algorithm.",
        "Nothing has to be done.";
    loss "tangents-dropped",
        "The target has no tangents, or the mesh has tangents without normals.",
        "Nothing has to be done: engines compute tangents themselves.";
    note "tangents-guessed",
        "The texture coordinates define no tangent for some vertices; an arbitrary direction was used.",
        "Unwrap the mesh in the editor if it has a normal map.";
    note "tangents-replaced",
        "Some tangents have no direction and were replaced.",
        "Nothing has to be done.";
    loss "trailing-bytes",
        "The source has bytes after its last table, which a scene cannot hold.",
        "Convert to the source's own format to keep them.";
    note "triangles-sorted",
        "The triangles were sorted for the vertex caches of graphics cards.",
        "Nothing has to be done: the same triangles are drawn.";
    loss "trizone",
        "Triangles of a ZYM have zones, and the target has none.",
        "Pass `--extras` or `--keep-native` to keep them in a glTF.";
    loss "uv-third-dropped",
        "Texture coordinates have a third number that is not 0, which a scene cannot hold.",
        "Convert to the source's own format to keep it.";
    loss "uvs-dropped",
        "A mesh has a flat colour instead of a texture, and its small vertices hold no texture coordinates.",
        "Name the material after a texture if the coordinates are wanted.";
    note "uvs-missing",
        "The mesh has no texture coordinates, and the target needs them; all are 0.",
        "Unwrap the mesh in the editor if it has a texture.";
    loss "uvs-replaced",
        "Texture coordinates that are infinite or undefined became 0.",
        "Run `check` on the source.";
    loss "uvs-rounded",
        "Texture coordinates were rounded to the steps of the target.",
        "Nothing has to be done; the amount says how far one moved.";
    note "vertices-joined",
        "Identical vertices were stored once, and vertices in no triangle were dropped, as the format requires.",
        "Nothing has to be done: the same triangles are drawn.";
    note "vertices-pruned",
        "`--prune` dropped vertices that no triangle uses.",
        "Nothing has to be done.";
    note "vertices-split",
        "Vertices were added where a texture is mirrored or has a seam, because each needs a tangent of its own.",
        "Nothing has to be done.";
    either "vertices-unbound",
        "Vertices follow no bone; they were bound to the root or to an extra joint.",
        "Paint weights for these vertices in the editor.";
    either "vertices-unused",
        "No triangle uses some of the vertices.",
        "Pass `--prune` to drop them.";
    loss "weight-clamped",
        "Weights above 1 became 1.",
        "Run `check` on the source.";
    loss "weight-not-finite",
        "Influences with infinite or undefined weights were left out.",
        "Run `check` on the source.";
    note "weight-zero",
        "Blend vertices of weight 0 were left out.",
        "Nothing has to be done.";
    loss "weights-negative",
        "Negative weights were left out, or kept where the target allows them.",
        "Normalise the weights in the editor.";
    either "weights-normalized",
        "The weights of some vertices did not sum to 1, and were scaled.",
        "Normalise the weights in the editor if the amount is large.";
}
