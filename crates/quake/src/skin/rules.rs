//! What can be odd with a skin.

meshwright_core::rules! {
    error LIMIT = "limit", Limit [NoEngine],
        "The text has more lines than the caller allows.",
        "Allow more memory, if the file is trusted.";
    warning STATEMENT = "unknown-statement", Syntax [Ignored],
        "A line is neither `mesh,texture` nor `replace mesh texture`, so that it is skipped.",
        "Correct the line.";
    warning WORDS = "too-many-words", Syntax [Ignored],
        "A line has more than 10 words, so that it is skipped.",
        "Shorten the line.";
    warning NO_TEXTURE = "no-texture", Missing [Misshown],
        "A line names a mesh and no texture: it has none.",
        "Add the texture.";
}
