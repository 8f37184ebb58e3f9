//! File names that the program makes up.

use crate::render;

/// The most bytes of a name made of another; extensions and numbers still fit the 255 of most systems.
const LONGEST: usize = 200;

/// A file name made of a name that came from a model or another path: no separators, no control characters,
/// no reserved names, never empty.
pub(crate) fn safe_file_name(name: &str) -> String {
    const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let mut safe: String =
        name.chars().map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { '_' } else { c }).collect();
    safe.truncate(render::beginning(&safe, LONGEST).len());
    while safe.ends_with(['.', ' ']) {
        safe.pop();
    }
    // Windows takes what stands before the first dot for a device, whatever follows.
    let stem = safe.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let numbered = ["com", "lpt"].iter().any(|device| {
        let number = stem.strip_prefix(device).map(|n| n.chars().collect::<Vec<_>>());
        matches!(number.as_deref(), Some(['0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}']))
    });
    if safe.is_empty() || safe.starts_with('.') || numbered || RESERVED.contains(&stem.as_str()) {
        safe.insert(0, '_');
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_folder() {
        for (from, to) in [
            ("walk", "walk"),
            ("../../etc/passwd", "_.._.._etc_passwd"),
            ("/etc/passwd", "_etc_passwd"),
            ("C:\\Windows\\x", "C__Windows_x"),
            ("\\\\server\\share", "__server_share"),
            ("a/b\\c:d", "a_b_c_d"),
            ("..", "_"),
            (".", "_"),
            ("", "_"),
            ("nul.glb", "_nul.glb"),
            ("NUL .glb", "_NUL .glb"),
            ("com1", "_com1"),
            ("lpt\u{b9}.x", "_lpt\u{b9}.x"),
            ("conin$", "_conin$"),
            ("command", "command"),
            ("a\0b\u{1b}[2J", "a_b_[2J"),
            ("trailing. ", "trailing"),
            ("-", "-"),
        ] {
            assert_eq!(safe_file_name(from), to, "{from:?}");
        }
        let long = safe_file_name(&"\u{20ac}".repeat(200));
        assert_eq!((long.len(), long.chars().count()), (198, 66));
    }
}
