//! Relative paths.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Returns the path from a folder, which need not exist, to a file, with slashes. Returns `None` if no relative path
/// exists or it is not text. Links are resolved, since the real parent of a linked folder differs from its path.
pub(super) fn between(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (resolved(folder)?, resolved(file)?);
    let (mut from, mut to) = (folder.components().peekable(), file.components().peekable());
    let mut same = false;
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
        same = true;
    }
    let mut names = Vec::new();
    for component in from {
        let Component::Normal(_) = component else { return None };
        names.push("..");
    }
    for component in to {
        let Component::Normal(name) = component else { return None };
        names.push(name.to_str()?);
    }
    same.then(|| names.join("/"))
}

/// Resolves the links in a path, as far as the path exists.
fn resolved(path: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(path).ok()?;
    let (mut at, mut missing) = (whole.as_path(), Vec::new());
    loop {
        if let Ok(real) = fs::canonicalize(at) {
            return Some(missing.iter().rev().fold(real, |path, name| path.join(name)));
        }
        missing.push(at.file_name()?);
        at = at.parent()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_lead_up_and_down() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("in/textures")).unwrap();
        fs::write(at("in/textures/a b.tga"), b"").unwrap();
        for (folder, way) in [
            ("in", "textures/a b.tga"),
            ("in/textures", "a b.tga"),
            ("out/not/yet", "../../../in/textures/a b.tga"),
            ("in/textures/../x", "../textures/a b.tga"),
        ] {
            if folder.contains("..") && !cfg!(unix) {
                continue;
            }
            assert_eq!(between(&at(folder), &at("in/textures/a b.tga")).as_deref(), Some(way), "{folder}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_way_out_of_a_linked_folder_starts_where_it_really_is() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("far/away")).unwrap();
        fs::write(at("a.png"), b"").unwrap();
        std::os::unix::fs::symlink(at("far/away"), at("out")).unwrap();
        assert_eq!(between(&at("out"), &at("a.png")).as_deref(), Some("../../a.png"));
    }
}
