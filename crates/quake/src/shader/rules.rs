//! The rules of a shader script.

meshwright_core::rules! {
    error LIMIT = "limit", Limit [NoEngine],
        "The text has more shaders than the caller allows.",
        "Allow more memory, if the file is trusted.";
    warning NO_BRACE = "no-brace", Syntax [Misshown],
        "No brace follows the name of a shader: the engine drops the rest of the file.",
        "Add the brace.";
    warning BRACE = "brace-on-line", Syntax [Misshown],
        "A brace closes on the line of a statement, which engines misread.",
        "Put the brace on a line of its own.";
    warning OPEN = "unclosed-shader", Syntax,
        "The text ends within a shader.",
        "Close it with a brace.";
    warning STAGES = "too-many-stages", BadCount [Tolerated],
        "A shader has more than the 8 stages that the engine keeps.",
        "Remove stages.";
    warning NAME = "name-cut", BadName [Tolerated],
        "A shader's name is longer than the engine keeps.",
        "Shorten it to 63 bytes.";
}
