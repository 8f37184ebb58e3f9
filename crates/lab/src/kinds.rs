//! Which kinds of file can be drawn, as the book says it.

use meshwright::Format;

/// Extensions of files that hold nothing to draw.
const EMPTY: &[&str] = &["framegroups", "json", "bnd", "apr", "oft", "hag", "po", "col", "cfp"];

/// Returns whether the files of a format can be drawn.
pub(crate) fn drawable(format: Format) -> &'static str {
    match format.extensions().first() {
        Some(&"anim") => "with a skeleton",
        Some(extension) if EMPTY.contains(extension) => "holds no model",
        _ => "yes",
    }
}
