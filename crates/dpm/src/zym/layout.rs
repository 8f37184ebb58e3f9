//! The offsets of the lumps of a ZYM file.

use super::record::LUMPS;
use meshwright_core::layout::Gaps;

/// Offsets of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ZymLayout {
    /// The header's claim.
    pub filesize: u32,
    /// The file's real size.
    pub size: u64,
    /// Start and length of each lump, as in [`LUMPS`].
    pub lumps: [(u32, u32); LUMPS.len()],
    pub gaps: Gaps,
}
