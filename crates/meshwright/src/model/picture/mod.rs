//! Image files as images that glTF can hold. An image that the decoder rejects is rejected, even if it could be
//! embedded unchanged. The reason never quotes the content.

mod completeness;
#[cfg(feature = "dpm")]
pub(super) mod derived;

use crate::pixels::{Allowance, DecodeError, Kind, Pixels, decode};
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::Image;
use std::cell::Cell;
use std::fmt;

/// The memory limit for reading images: that of all results, and that of the largest one while it is read.
#[derive(Debug)]
pub(super) struct Room {
    budget: Budget,
    largest: Cell<u64>,
}

impl Room {
    pub(super) fn new(budget: Budget) -> Self {
        Self { budget, largest: Cell::new(0) }
    }

    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns the temporary memory of a file, which is freed before the next one is read.
    pub(super) fn remaining(&self) -> u64 {
        self.budget.remaining().saturating_add(self.largest.get())
    }

    /// Charges memory that is released before the next image is read.
    pub(super) fn passing(&self, bytes: u64) -> Result<(), LimitExceeded> {
        let largest = self.largest.get();
        self.budget.charge("a texture while it is read", bytes.saturating_sub(largest))?;
        self.largest.set(largest.max(bytes));
        Ok(())
    }

    /// Decodes an image, which is encoded again before the next one is read.
    fn decode(&self, bytes: &[u8], kind: Kind) -> Result<Pixels, Refused> {
        let charge = |width: u32, height: u32, bytes: u64| {
            self.passing(bytes.saturating_mul(2))?;
            self.budget.work("pixels of textures", u64::from(width).saturating_mul(height.into()))
        };
        let allowance = Allowance { memory: self.remaining(), charge: &charge };
        decode(bytes, kind, &allowance).map_err(|why| Refused::Broken(kind, why))
    }

    fn charge_kept(&self, bytes: usize) -> Result<(), LimitExceeded> {
        self.budget.charge("textures", bytes as u64)
    }
}

/// The reason why an image cannot be used.
#[derive(Debug)]
pub(super) enum Refused {
    /// The format is unknown.
    Unknown,
    /// The image is damaged.
    Broken(Kind, DecodeError),
    Limit(LimitExceeded),
}

impl From<LimitExceeded> for Refused {
    fn from(e: LimitExceeded) -> Self {
        Self::Limit(e)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("is not an image in a supported format"),
            Self::Broken(_, DecodeError::Limit(e)) | Self::Limit(e) => e.fmt(f),
            Self::Broken(kind, why) => write!(f, "{why} ({kind})"),
        }
    }
}

/// Converts an image file to PNG or JPEG. Files in these formats are unchanged; others become PNG.
pub(super) fn read(name: String, bytes: Vec<u8>, extension: &[u8], room: &Room) -> Result<Image, Refused> {
    let kind = Kind::detect(&bytes, extension).ok_or(Refused::Unknown)?;
    let decoded = room.decode(&bytes, kind)?;
    let cut = || Refused::Broken(kind, DecodeError::Cut);
    let (mime, bytes) = match kind {
        Kind::Png => ("image/png", completeness::png(bytes).ok_or_else(cut)?),
        Kind::Jpeg if completeness::is_jpeg(&bytes) => ("image/jpeg", bytes),
        Kind::Jpeg => return Err(cut()),
        _ => ("image/png", decoded.to_png().map_err(|why| Refused::Broken(kind, why))?),
    };
    room.charge_kept(bytes.len())?;
    Ok(Image::new(name, mime, bytes).with_alpha(decoded.alpha))
}

#[cfg(test)]
mod tests;
