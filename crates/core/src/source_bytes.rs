//! The bytes that a model was read from.

use alloc::vec::Vec;
use core::fmt;

/// The bytes that a model was read from, which a writer returns if they still mean the same. Comparisons of models ignore
/// them: all values are equal.
#[derive(Clone, Default)]
pub struct SourceBytes(pub Vec<u8>);

impl PartialEq for SourceBytes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SourceBytes {}

impl fmt::Debug for SourceBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}
