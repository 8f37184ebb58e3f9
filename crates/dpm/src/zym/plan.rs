//! Layouts of models: the offsets of all parts, whether a layout still fits, and the layout that the writer
//! chooses.

use super::layout::ZymLayout;
use super::model::Zym;
use super::record::{LUMPS, bone, header, scene, vertex};
use crate::record::{WORD, item, length, matrix, name, texcoord, triangle};
use crate::rules::Extent;
use meshwright_core::layout::{Gaps, Planner};
use meshwright_core::record::Field;
use meshwright_core::{FieldPath, WriteError};

/// Returns the length of each lump of `model`.
pub(crate) fn lengths(model: &Zym) -> [u64; LUMPS.len()] {
    let triangles = length(model.triangle_count(), triangle::SIZE);
    [
        length(model.scenes.len(), scene::SIZE),
        length(model.poses.len(), matrix::SIZE),
        length(model.bones.len(), bone::SIZE),
        length(model.counts.len(), WORD),
        length(model.influences.len(), vertex::SIZE),
        length(model.texcoords.len(), texcoord::SIZE),
        length(model.runs.len(), WORD).saturating_add(triangles),
        length(model.runs.len(), name::SIZE),
        model.trizone.len() as u64,
    ]
}

impl ZymLayout {
    /// Returns the size that the header states.
    pub(crate) const fn extent(&self) -> Extent {
        Extent { field: header::FILESIZE, claimed: self.filesize, size: self.size }
    }

    /// Returns true if every lump of `model` has the size for which this layout was computed.
    pub(crate) fn fits(&self, model: &Zym) -> bool {
        self.lumps.iter().zip(lengths(model)).all(|(&(_, len), now)| u64::from(len) == now)
    }

    /// Returns the end of the last lump.
    pub(crate) fn end(&self) -> u64 {
        let ends = self.lumps.iter().map(|&(start, len)| u64::from(start).saturating_add(len.into()));
        ends.fold(header::SIZE as u64, u64::max)
    }

    /// Computes the usual layout: the lumps one after the other, after the header.
    pub(crate) fn canonical(model: &Zym) -> Result<Self, WriteError> {
        // The format's integers are signed.
        const MOST: u32 = u32::MAX >> 1;
        let mut at = Planner::from(header::SIZE as u64);
        let mut lumps = [(0, 0); LUMPS.len()];
        for ((lump, len), field) in lumps.iter_mut().zip(lengths(model)).zip(LUMPS) {
            let path = field.path(&FieldPath::ROOT);
            let length = WriteError::fit(&path, "lump length", len, MOST)?;
            *lump = (at.take(&path, len)?, length);
        }
        let size = at.end();
        let filesize = WriteError::fit(&FieldPath::ROOT, "file size", size, MOST)?;
        Ok(Self { filesize, size, lumps, gaps: Gaps::default() })
    }
}

/// The offsets of a model's parts in its file; `None` if it has no file or its size changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a>(pub(crate) Option<&'a ZymLayout>);

impl<'a> Places<'a> {
    pub(crate) fn locate(model: &'a Zym) -> Self {
        Self(model.layout.get().filter(|layout| layout.fits(model)))
    }

    pub(crate) fn header(&self, field: Field) -> Option<u64> {
        self.0.map(|_| field.offset_in(0))
    }

    /// Returns the start of the lump of a header field.
    pub(crate) fn lump(&self, field: Field) -> Option<u64> {
        let place = LUMPS.iter().position(|lump| *lump == field)?;
        self.0?.lumps.get(place).map(|&(start, _)| start.into())
    }

    /// Returns the offset of an item of a lump.
    pub(crate) fn item(&self, field: Field, i: usize, size: usize) -> Option<u64> {
        self.lump(field).map(|start| item(start, i, size))
    }
}
