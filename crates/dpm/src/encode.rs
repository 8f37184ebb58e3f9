//! Encodes arrays.

use crate::bone::BonePose;
use alloc::vec::Vec;
use meshwright_core::layout::Placer;
use meshwright_core::{ByteWriter, F32};

/// The number of items that are encoded together: few enough to stay in the cache.
const TOGETHER: usize = 1 << 10;

/// Encodes records one after the other.
pub(crate) fn table<'t, T: 't>(
    items: impl IntoIterator<Item = &'t T>,
    put: fn(&mut ByteWriter, &T),
) -> Vec<u8> {
    let mut w = ByteWriter::new();
    items.into_iter().for_each(|item| put(&mut w, item));
    w.into_bytes()
}

/// A section that is written piece by piece, so that it is not in memory twice.
#[derive(Debug)]
pub(crate) struct Section<'f> {
    file: &'f mut Placer,
    at: u64,
    piece: ByteWriter,
}

impl<'f> Section<'f> {
    /// Begins a section at an offset.
    pub(crate) fn begin(file: &'f mut Placer, start: u32) -> Self {
        Self { file, at: start.into(), piece: ByteWriter::new() }
    }

    /// Appends the encoded items.
    pub(crate) fn items<T>(&mut self, items: &[T], mut put: impl FnMut(&mut ByteWriter, &[T])) -> Option<()> {
        for items in items.chunks(TOGETHER) {
            put(&mut self.piece, items);
            self.file.write_section(self.at, self.piece.as_bytes())?;
            self.at = self.at.saturating_add(self.piece.len() as u64);
            self.piece.clear();
        }
        Some(())
    }

    /// Appends floats in big-endian order.
    pub(crate) fn floats(&mut self, values: &[F32]) -> Option<()> {
        self.items(values, ByteWriter::be_f32s)
    }

    /// Appends integers in big-endian order.
    pub(crate) fn words(&mut self, values: &[u32]) -> Option<()> {
        self.items(values, ByteWriter::be_u32s)
    }

    /// Appends bone poses in big-endian order.
    pub(crate) fn poses(&mut self, poses: &[BonePose]) -> Option<()> {
        self.items(poses, |piece, poses| poses.iter().for_each(|p| piece.be_f32s(p.0.as_flattened())))
    }
}
