//! The rules of a skin.

meshwright_core::rules! {
    error LIMIT = "limit", Limit [NoEngine],
        "The text has more lines than the caller allows.",
        "Allow more memory, if the file is trusted.";
    warning STATEMENT = "unknown-statement", Syntax [Ignored],
        "A line is neither `mesh,texture` nor `replace mesh texture`; it is skipped.",
        "Correct the line.";
    warning WORDS = "too-many-words", Syntax [Ignored],
        "A line has more than 10 words; it is skipped.",
        "Shorten the line.";
    warning NO_TEXTURE = "no-texture", Missing [Misshown],
        "A line names a mesh without a texture; the mesh is drawn without one.",
        "Add the texture.";
}
