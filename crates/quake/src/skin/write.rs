//! Writes a skin.

use super::{Skin, SkinLine};
use crate::tokens::is_plain;
use alloc::vec::Vec;

impl Skin {
    /// Creates a skin from these lines.
    pub fn new(lines: Vec<SkinLine>) -> Self {
        Self { lines, ..Self::default() }
    }

    /// Returns the text. Names that are not a single word are quoted. A name ends at its first line break or
    /// zero byte.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for line in &self.lines {
            word(&mut text, &line.mesh);
            text.push(b',');
            word(&mut text, &line.texture);
            text.push(b'\n');
        }
        text
    }
}

fn word(text: &mut Vec<u8>, name: &[u8]) {
    let name = name.split(|b| matches!(b, 0 | b'\n' | b'\r')).next().unwrap_or_default();
    if is_plain(name) {
        return text.extend_from_slice(name);
    }
    text.push(b'"');
    for b in name {
        match b {
            b'"' | b'\\' => text.extend_from_slice(&[b'\\', *b]),
            b => text.push(*b),
        }
    }
    text.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::{Budget, Limits};
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn lines(pairs: &[(Vec<u8>, Vec<u8>)]) -> Vec<SkinLine> {
        pairs
            .iter()
            .map(|(mesh, texture)| SkinLine { mesh: mesh.clone(), texture: texture.clone() })
            .collect()
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        let skin = Skin::new(lines(&[
            (b"body".to_vec(), b"models/a".to_vec()),
            (b"a mesh".to_vec(), b"x,\"y\"".to_vec()),
        ]));
        assert_eq!(skin.to_bytes(), b"body,models/a\n\"a mesh\",\"x,\\\"y\\\"\"\n");
    }

    proptest! {
        /// Every name is read back, except those that a line cannot store: tags, and the word that begins
        /// another statement.
        #[test]
        fn lines_are_read_back(pairs in prop::collection::vec(("[^\\x00\\r\\n]{1,12}", "[^\\x00\\r\\n]{1,12}"), 0..6)) {
            let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a.into_bytes(), b.into_bytes())).collect();
            prop_assume!(pairs.iter().all(|(mesh, _)| !mesh.starts_with(b"tag_") && mesh != b"replace"));
            let skin = Skin::new(lines(&pairs));
            let read = Skin::parse(&skin.to_bytes(), &Budget::new(Limits::default())).unwrap();
            prop_assert_eq!(read.lines, skin.lines);
        }
    }
}
