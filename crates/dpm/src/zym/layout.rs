//! The offsets of the lumps of a ZYM file.

use super::record::LUMPS;
use meshwright_core::layout::Gaps;

/// The offsets of all parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ZymLayout {
    /// The file size that the header states.
    pub filesize: u32,
    /// The actual size of the file.
    pub size: u64,
    /// The start and length of each lump, in the order of [`LUMPS`].
    pub lumps: [(u32, u32); LUMPS.len()],
    pub gaps: Gaps,
}
