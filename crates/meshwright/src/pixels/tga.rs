//! TGA. Described in Truevision's "TGA file format specification", version 2.0.

use super::masks::{Masks, Rows};
use super::{Allowance, DecodeError, Header, Pixels};

const HEADER: usize = 18;

/// The storage of a pixel or an entry of the colour map.
#[derive(Clone, Copy)]
enum Layout {
    /// One byte.
    Gray,
    /// Gray, then alpha.
    GrayAlpha,
    Color {
        bytes: usize,
        masks: Masks,
    },
}

impl Layout {
    /// Returns the layout for a number of bits. The highest of 16 bits is not alpha: exporters leave it 0 or fill it
    /// with noise.
    fn color(bits: u8) -> Result<Self, DecodeError> {
        let (bytes, masks) = match bits {
            15 | 16 => (2, Masks::RGB_555),
            24 => (3, Masks::RGB_888),
            32 => (4, Masks::RGBA_8888),
            _ => return Err(DecodeError::Unsupported),
        };
        Ok(Self::Color { bytes, masks: Masks::new(masks) })
    }

    fn bytes(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::GrayAlpha => 2,
            Self::Color { bytes, .. } => bytes,
        }
    }

    fn channels(self) -> u8 {
        match self {
            Self::Gray => 1,
            Self::GrayAlpha => 2,
            Self::Color { masks, .. } => masks.channels(),
        }
    }

    fn decode(self, to: &mut [u8], from: &[u8]) {
        match self {
            Self::Color { masks, .. } => {
                to.iter_mut().zip(masks.color(from)).for_each(|(to, value)| *to = value);
            }
            _ => to.copy_from_slice(from),
        }
    }
}

pub(super) fn decode(bytes: &[u8], allowance: &Allowance<'_>) -> Result<Pixels, DecodeError> {
    let header = Header(bytes);
    let (has_map, kind, depth) = (header.u8(1)?, header.u8(2)?, header.u8(16)?);
    let (first, length, entry_bits) = (header.u16(3)?, header.u16(5)?, header.u8(7)?);
    let (width, height) = (header.u16(12)?, header.u16(14)?);
    let descriptor = header.u8(17)?;
    if width == 0 || height == 0 || has_map > 1 {
        return Err(DecodeError::Unsound);
    }
    let map_at = HEADER.saturating_add(header.u8(0)?.into());
    let map_size = match has_map {
        0 => 0,
        _ => usize::from(length).saturating_mul(usize::from(entry_bits).div_ceil(8)),
    };
    let data = bytes.get(map_at.saturating_add(map_size)..).ok_or(DecodeError::Cut)?;
    // The stored and the decoded form of a pixel.
    let (stored, shown) = match kind & 7 {
        1 if has_map == 0 => return Err(DecodeError::Unsound),
        1 if matches!(depth, 8 | 16) => (usize::from(depth / 8), Layout::color(entry_bits)?),
        2 => Layout::color(depth).map(|layout| (layout.bytes(), layout))?,
        3 if depth == 8 => (1, Layout::Gray),
        3 if depth == 16 && descriptor & 15 == 8 => (2, Layout::GrayAlpha),
        _ => return Err(DecodeError::Unsupported),
    };
    let size = (u32::from(width), u32::from(height));
    let channels = shown.channels();
    let mut rows = Rows::dense(size.0, stored)?;
    (rows.leftwards, rows.upwards) = (descriptor & 0x10 != 0, descriptor & 0x20 == 0);
    let packed = match kind {
        1..=3 => 0,
        9..=11 => rows.stride.saturating_mul(height.into()),
        _ => return Err(DecodeError::Unsupported),
    };
    let mut samples = vec![0; allowance.samples(size.0, size.1, channels, packed)?];
    let unpacked = if packed > 0 { Some(unpacked(data, stored, packed)?) } else { None };
    let data = unpacked.as_deref().unwrap_or(data);
    if kind & 7 == 1 {
        let entries = bytes.get(map_at..).and_then(|rest| rest.get(..map_size)).ok_or(DecodeError::Cut)?;
        let entries: Vec<_> = entries.chunks_exact(shown.bytes()).collect();
        let mut outside = false;
        rows.fill(data, &mut samples, size.0, channels.into(), |to, from| {
            let index = from.iter().rev().fold(0_usize, |value, b| value << 8 | usize::from(*b));
            let place = index.checked_sub(first.into());
            if let Some(entry) = place.and_then(|place| entries.get(place)) {
                shown.decode(to, entry);
            } else {
                outside = true;
            }
        })?;
        if outside {
            return Err(DecodeError::Unsound);
        }
    } else {
        rows.fill(data, &mut samples, size.0, channels.into(), |to, from| shown.decode(to, from))?;
    }
    Pixels::new(size.0, size.1, channels, samples).ok_or(DecodeError::Unsound)
}

/// Expands runs, which may go on from one row to the next, to `length` bytes.
fn unpacked(mut data: &[u8], bytes: usize, length: usize) -> Result<Vec<u8>, DecodeError> {
    let mut pixels = Vec::with_capacity(length);
    while pixels.len() < length {
        let (packet, rest) = data.split_first().ok_or(DecodeError::Cut)?;
        let count = usize::from(packet & 0x7f).saturating_add(1);
        let stored = if packet & 0x80 == 0 { count } else { 1 }.saturating_mul(bytes);
        let room = length.saturating_sub(pixels.len());
        // The last packet may hold more than the image needs.
        let taken = stored.min(room);
        let from = rest.get(..taken).ok_or(DecodeError::Cut)?;
        if packet & 0x80 == 0 {
            pixels.extend_from_slice(from);
        } else {
            pixels.extend(from.iter().copied().cycle().take(count.saturating_mul(bytes).min(room)));
        }
        data = rest.get(stored..).unwrap_or_default();
    }
    Ok(pixels)
}
