//! DirectDraw surfaces: the largest level of the first picture. Described in Microsoft's "Programming guide for DDS".

use super::masks::{Masks, Rows};
use super::{Allowance, DecodeError, Header, Pixels};

const HEADER: usize = 128;
/// The size of a header with a DXGI format.
const LONG_HEADER: usize = HEADER + 20;

/// Flags of the pixel format.
const HAS_ALPHA: u32 = 0x1;
const ALPHA_ONLY: u32 = 0x2;
const FOUR_CC: u32 = 0x4;
const RGB: u32 = 0x40;
const LUMINANCE: u32 = 0x2_0000;

/// The storage of pixels.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// Blocks of four by four pixels.
    Blocks { bytes: usize, decode: fn(&[u8], &mut [u8; 64]) },
    /// One number a pixel.
    Plain { bytes: usize, masks: [u32; 4] },
}

pub(super) fn decode(bytes: &[u8], allowance: &Allowance<'_>) -> Result<Pixels, DecodeError> {
    let header = Header(bytes);
    let (height, width) = (header.u32(12)?, header.u32(16)?);
    if header.u32(4)? != 124 || width == 0 || height == 0 {
        return Err(DecodeError::Unsound);
    }
    let (layout, start) = layout(header)?;
    let data = bytes.get(start..).unwrap_or_default();
    match layout {
        Layout::Blocks { bytes, decode } => {
            let size = allowance.samples(width, height, 4, 0)?;
            let across = usize::try_from(width).map_err(|_| DecodeError::Memory)?;
            let samples = blocks(data, across, size, bytes, decode).ok_or(DecodeError::Cut)?;
            Pixels::new(width, height, 4, samples).ok_or(DecodeError::Unsound)
        }
        Layout::Plain { bytes, masks } => {
            Masks::new(masks).image(data, (width, height), Rows::dense(width, bytes)?, allowance)
        }
    }
}

fn layout(header: Header<'_>) -> Result<(Layout, usize), DecodeError> {
    let (flags, bits) = (header.u32(80)?, header.u32(88)?);
    let unread = || DecodeError::Unsupported;
    if flags & FOUR_CC != 0 {
        let name = header.u32(84)?.to_le_bytes();
        return match &name {
            b"DX10" => Ok((dxgi(header.u32(HEADER)?).ok_or_else(unread)?, LONG_HEADER)),
            name => Ok((four_cc(name).ok_or_else(unread)?, HEADER)),
        };
    }
    let channels = [92, 96, 100, 104].map(|at| header.u32(at));
    let [r, g, b, a] = channels;
    let (r, g, b, a) = (r?, g?, b?, a?);
    let alpha = if flags & (HAS_ALPHA | ALPHA_ONLY) != 0 { a } else { 0 };
    let masks = match flags {
        _ if flags & RGB != 0 => [r, g, b, alpha],
        _ if flags & LUMINANCE != 0 => [r, r, r, alpha],
        _ if flags & ALPHA_ONLY != 0 => [0, 0, 0, alpha],
        _ => return Err(unread()),
    };
    match bits {
        8 | 16 | 24 | 32 => Ok((Layout::Plain { bytes: (bits / 8) as usize, masks }, HEADER)),
        _ => Err(unread()),
    }
}

fn four_cc(name: &[u8; 4]) -> Option<Layout> {
    Some(match name {
        b"DXT1" => BC1,
        b"DXT2" | b"DXT3" => BC2,
        b"DXT4" | b"DXT5" => BC3,
        b"ATI1" | b"BC4U" => BC4,
        b"ATI2" | b"BC5U" => BC5,
        _ => return None,
    })
}

/// Returns the layout of a DXGI format. The linear and the sRGB variant of a format decode to the same values.
fn dxgi(format: u32) -> Option<Layout> {
    let plain = |masks| Layout::Plain { bytes: 4, masks };
    Some(match format {
        27..=29 => plain([0xff, 0xff00, 0xff_0000, 0xff00_0000]),
        87 | 90 | 91 => plain([0xff_0000, 0xff00, 0xff, 0xff00_0000]),
        88 | 92 | 93 => plain([0xff_0000, 0xff00, 0xff, 0]),
        70..=72 => BC1,
        73..=75 => BC2,
        76..=78 => BC3,
        79 | 80 => BC4,
        82 | 83 => BC5,
        97..=99 => BC7,
        _ => return None,
    })
}

/// Four pixels of four bytes.
const ROW: usize = 16;
const BC1: Layout = Layout::Blocks { bytes: 8, decode: |block, to| bcdec_rs::bc1(block, to, ROW) };
const BC2: Layout = Layout::Blocks { bytes: 16, decode: |block, to| bcdec_rs::bc2(block, to, ROW) };
const BC3: Layout = Layout::Blocks { bytes: 16, decode: |block, to| bcdec_rs::bc3(block, to, ROW) };
const BC7: Layout = Layout::Blocks { bytes: 16, decode: |block, to| bcdec_rs::bc7(block, to, ROW) };
const BC4: Layout = Layout::Blocks {
    bytes: 8,
    decode: |block, to| {
        let mut gray = [0; 16];
        bcdec_rs::bc4(block, &mut gray, 4, false);
        spread(to, gray.iter().map(|v| [*v, *v, *v, 255]));
    },
};
const BC5: Layout = Layout::Blocks {
    bytes: 16,
    decode: |block, to| {
        let mut two = [0; 32];
        bcdec_rs::bc5(block, &mut two, 8, false);
        spread(to, two.as_chunks().0.iter().map(|[r, g]| [*r, *g, 0, 255]));
    },
};

fn spread(to: &mut [u8; 64], pixels: impl Iterator<Item = [u8; 4]>) {
    for (slot, pixel) in to.as_chunks_mut().0.iter_mut().zip(pixels) {
        *slot = pixel;
    }
}

/// Returns all pixels of blocks that are stored row by row; `None` if some are missing.
fn blocks(
    data: &[u8],
    across: usize,
    size: usize,
    bytes: usize,
    decode: fn(&[u8], &mut [u8; 64]),
) -> Option<Vec<u8>> {
    let pitch = across.checked_mul(4)?;
    let mut pixels = vec![0; size];
    let mut data = data.chunks_exact(bytes);
    // Whole blocks are stored where the picture ends within one.
    for rows in pixels.chunks_mut(pitch.checked_mul(4)?) {
        for x in (0..pitch).step_by(ROW) {
            let mut block = [0; 64];
            decode(data.next()?, &mut block);
            for (row, from) in rows.chunks_exact_mut(pitch).zip(block.chunks_exact(ROW)) {
                for (to, from) in row.iter_mut().skip(x).zip(from) {
                    *to = *from;
                }
            }
        }
    }
    Some(pixels)
}
