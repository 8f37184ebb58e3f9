//! Where the lumps of a ZYM file lie.

use super::model::Zym;
use crate::layout::{Allocator, count};
use meshwright_core::layout::Gaps;
use meshwright_core::{Path, WriteError};

/// The header's size.
pub(crate) const HEADER: u64 = 140;
/// A scene's size.
pub(crate) const SCENE: u64 = 76;

/// The lumps in the order of the header, which is the order they are usually written in.
pub(crate) const LUMPS: [&str; 9] = [
    "lump_scenes",
    "lump_poses",
    "lump_bones",
    "lump_vertbonecounts",
    "lump_verts",
    "lump_texcoords",
    "lump_render",
    "lump_shaders",
    "lump_trizone",
];

/// Offsets of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ZymLayout {
    /// The header's claim.
    pub filesize: u32,
    /// The file's real size.
    pub size: u64,
    /// Start and length of each lump, as in [`LUMPS`].
    pub lumps: [(u32, u32); 9],
    pub gaps: Gaps,
}

/// The length that each lump of `model` has.
pub(crate) fn lengths(model: &Zym) -> [u64; 9] {
    let of = |n: usize, size: u64| (n as u64).saturating_mul(size);
    [
        of(model.scenes.len(), SCENE),
        of(model.poses.len(), 48),
        of(model.bones.len(), 40),
        of(model.counts.len(), 4),
        of(model.influences.len(), 16),
        of(model.texcoords.len(), 8),
        of(model.runs.len(), 4).saturating_add(of(model.triangle_count(), 12)),
        of(model.runs.len(), 32),
        of(model.trizone.len(), 1),
    ]
}

impl ZymLayout {
    /// True when every lump of `model` has the size that it had when this layout was made.
    pub(crate) fn fits(&self, model: &Zym) -> bool {
        self.lumps.iter().zip(lengths(model)).all(|(&(_, len), now)| u64::from(len) == now)
    }

    /// True when a strict reader accepts what the header claims.
    pub(crate) fn is_sound(&self) -> bool {
        let claimed = u64::from(self.filesize);
        let inside = |&(start, len): &(u32, u32)| u64::from(start).saturating_add(len.into()) <= claimed;
        HEADER <= claimed && claimed <= self.size && self.lumps.iter().all(inside)
    }

    /// The lumps one after the other behind the header.
    pub(crate) fn canonical(model: &Zym) -> Result<Self, WriteError> {
        let mut at = Allocator(HEADER);
        let mut lumps = [(0, 0); 9];
        for ((lump, len), name) in lumps.iter_mut().zip(lengths(model)).zip(LUMPS) {
            let path = Path::ROOT.field(name);
            let length = WriteError::fit(&path, "lump length", len, u32::MAX >> 1)?;
            *lump = (at.take(&path, len)?, length);
        }
        count("vertices", model.counts.len())?;
        // The format's integers are signed.
        let filesize = WriteError::fit(&Path::ROOT, "file size", at.0, u32::MAX >> 1)?;
        Ok(Self { filesize, size: at.0, lumps, gaps: Gaps::default() })
    }
}
