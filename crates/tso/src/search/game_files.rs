//! The access to the files of a game.

use crate::ts1::{Bcf, Character, Cmx};
use alloc::vec::Vec;
use core::fmt::Display;

/// The largest record or skeleton that a search reads.
pub(super) const RECORD: u64 = 4 << 20;

/// The files of a game, on disk or in archives. A [`CharacterSearch`](crate::CharacterSearch) finds the parts of
/// characters in them.
pub trait GameFiles {
    /// The path of a file.
    type Path: Clone + PartialEq + Display;

    /// Returns the name of a file, without its folder.
    fn name<'p>(&self, path: &'p Self::Path) -> &'p [u8];

    /// Returns true if two files are in the same folder.
    fn is_beside(&self, path: &Self::Path, other: &Self::Path) -> bool;

    /// Finds a file by its name, ignoring letter case, in the folder of another.
    fn find_beside(&self, path: &Self::Path, name: &str) -> Option<Self::Path>;

    /// Returns the size of a file in bytes.
    fn size(&self, path: &Self::Path) -> Option<u64>;

    /// Reads a file of at most `most` bytes.
    fn read(&self, path: &Self::Path, most: u64) -> Option<Vec<u8>>;
}

/// Splits the name of a file into stem and extension, both in lower case.
pub(super) fn split_name(name: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let dot = name.iter().rposition(|b| *b == b'.').filter(|dot| *dot > 0);
    let (stem, extension) = dot.and_then(|dot| name.split_at_checked(dot)).unwrap_or((name, b""));
    (stem.to_ascii_lowercase(), extension.get(1..).unwrap_or_default().to_ascii_lowercase())
}

/// Reads a file of records of The Sims 1.
pub(super) fn read_records<F: GameFiles>(files: &F, path: &F::Path) -> Option<Character> {
    match &*split_name(files.name(path)).1 {
        b"cmx" => Some(Cmx::parse(&files.read(path, RECORD)?).ok()?.character),
        b"bcf" => Some(Bcf::parse(&files.read(path, RECORD)?).ok()?.character),
        _ => None,
    }
}
