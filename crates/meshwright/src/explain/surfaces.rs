//! Losses and notes about materials, textures and files that belong to a model.

use super::notices;

notices! {
    loss "color-clamped",
        "A colour is outside the range from 0 to 1, and was brought into it.",
        "Correct the colour in the source.";
    either "companion-left",
        "A companion file was not written: the output takes one file, or another file has its name.",
        "Name a folder as the output, or move the other file away.";
    loss "companion-missing",
        "A companion file is missing without which the model is not complete.",
        "Put the file next to the model, or name it with its option.";
    loss "extension-unread",
        "The document requires an extension that is not read. It only concerns how surfaces look.",
        "Nothing has to be done if the model looks right.";
    loss "extras-dropped",
        "Parts of the model have native fields that the target cannot store; the message lists them.",
        "Keep the source, or convert to its own format.";
    note "file-left",
        "The edited model uses nothing of a companion file, and it was not written.",
        "Delete the old file if the game does not need it.";
    loss "image-dropped",
        "The target holds no images, or the image cannot be read.",
        "Put the image file next to the output; materials name it.";
    loss "image-unreadable",
        "An image is not of the kind that it claims to be, and was left out.",
        "Save the image again as PNG or JPEG.";
    loss "kept-ignored",
        "The embedded original cannot be used, and the model was written only from the glTF.",
        "Export again with `--keep-native`, or pass the original file with `--onto`.";
    loss "material",
        "The target stores neither colours nor two-sided materials.",
        "Put the colour into the texture.";
    note "material-added",
        "Meshes without a material got one, because the target needs it.",
        "Nothing has to be done.";
    note "material-named",
        "The target needs materials with names. A mesh without a material got one with the name of the mesh, and a material without a name got that of its texture.",
        "Give the mesh a material in the editor.";
    loss "materials-dropped",
        "The target has no materials, or fewer than the source.",
        "Split the model by material, or choose another target.";
    either "member-left",
        "The output is one file of a character, and another file of the original is not in it.",
        "Convert to the format of that file too.";
    note "normals-of-heights",
        "A texture holds heights; Meshwright computed a normal map from it as the engine does.",
        "Nothing has to be done.";
    note "not-drawn",
        "The skin or the shader says that the engine does not draw the mesh; it is transparent in the glTF.",
        "Nothing has to be done.";
    note "nothing-visible",
        "An image shows only its background: the model has no surface that is drawn, or the camera does not see it.",
        "Try another `--camera` or `--level`; `info` says what the model holds.";
    loss "original-dropped",
        "No part of the original could be reused for the edited model, and it was written from scratch.",
        "Read the reason in the message; edit less of the model, or pass the original with `--onto`.";
    note "original-missing",
        "The glTF was edited in a tool that keeps custom properties only on request, and has no embedded original.",
        "Export with custom properties, or pass the original file with `--onto`.";
    loss "other-scenes",
        "The glTF has several scenes; only the default one is read.",
        "Move everything into one scene in the editor.";
    loss "picture-alpha",
        "The target's images have a palette and no alpha.",
        "Nothing has to be done unless the texture is transparent.";
    loss "picture-dropped",
        "An image was not written: it cannot be decoded, or another file has its name.",
        "Save the image again as PNG, or rename one of the two.";
    loss "picture-quantized",
        "An image has more colours than the 256 of the target; each became the nearest.",
        "Reduce the colours in an image editor.";
    loss "projection-dropped",
        "A node has a matrix with a projection, which a scene cannot express.",
        "Run `check` on the source.";
    note "record-left",
        "The edited model uses nothing of a record; it stays in its file.",
        "Remove the record if the game does not need it.";
    loss "shader-left-out",
        "The shader script does something that a glTF material cannot express.",
        "Rebuild the effect in the target engine.";
    loss "skin-name-dropped",
        "A mesh of The Sims 1 has the name of a skin, which the target cannot store.",
        "Give the file the name of the skin.";
    loss "skin-not-found",
        "The model has no skin with this number; its own texture names were used.",
        "Pass a number that exists with `--skin`.";
    note "skin-unused",
        "The skin file names meshes that the model does not have.",
        "Correct the names in the `.skin` file.";
    note "skins",
        "The model has several skins; the first is shown and the others are variants.",
        "Pass `--skin N` to show another one.";
    note "skins-numbered",
        "The look without a variant became skin 0; the variants follow it.",
        "Nothing has to be done.";
    loss "suits-dropped",
        "The source has suits, and the target holds none.",
        "Convert to `.cmx` or `.bcf` to keep them.";
    note "texture-added",
        "Materials without a texture name one after themselves, because the target needs a name.",
        "Nothing has to be done.";
    note "texture-guessed",
        "The texture is not where its name says; a file of the same name next to the model was used.",
        "Put the texture where the name says: the engine does not find it here.";
    note "texture-layer",
        "A glTF keeps a texture layer of the game for the conversion back, and viewers do not draw it.",
        "Pass `--colors` to mix the layers of shirt and pants in, or `--no-layers` to leave layers out.";
    loss "texture-left-out",
        "The target cannot express a texture, or two textures do not fit each other.",
        "Convert to glTF to keep the texture.";
    loss "texture-names-dropped",
        "Materials name a texture file, and the target cannot store the name.",
        "Pass `--extras` or `--keep-native` to keep them in a glTF.";
    either "texture-not-found",
        "No image file has the name of the texture, or the engine itself makes the image.",
        "Name the game's folder with `--root`; `-v` lists the names that were tried.";
    loss "texture-unreadable",
        "An image file was found and cannot be decoded.",
        "Save the image again as PNG, JPEG or TGA.";
    loss "texture-without-uvs",
        "A texture was left out for meshes without texture coordinates.",
        "Unwrap the mesh in the editor.";
    loss "variants-dropped",
        "The target has one look, or a look was edited and the original has no such skin; these looks were left out.",
        "Pass `--skin N` to convert another one; edit the `.skin` files for other skins of the original.";
    loss "wear-unused",
        "`--wear` names a suit, a skin or a texture that the model or the game's folder does not have.",
        "Correct the name: `info` lists suits, and `list` the files.";
}
