//! DirectDraw surfaces: the largest level of the first picture. Described in Microsoft's "Programming guide for DDS".

use super::{Kind, Refused, Room};
use image::{DynamicImage, RgbaImage};

const HEADER: usize = 128;
/// With the part that names a DXGI format.
const LONG_HEADER: usize = HEADER + 20;

/// Flags of the pixel format.
const HAS_ALPHA: u32 = 0x1;
const ALPHA_ONLY: u32 = 0x2;
const FOUR_CC: u32 = 0x4;
const RGB: u32 = 0x40;
const LUMINANCE: u32 = 0x2_0000;

/// How pixels are stored.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// Blocks of four by four pixels.
    Blocks { bytes: usize, decode: fn(&[u8], &mut [u8; 64]) },
    /// One number a pixel.
    Plain { bytes: usize, masks: Masks },
}

/// The bits of red, green, blue and alpha in a number. Without bits of its own a channel is the mean of nothing: 0, and
/// alpha 255.
#[derive(Clone, Copy, Debug)]
struct Masks([u32; 4]);

fn broken(why: &'static str) -> Refused {
    Refused::Broken(Kind::Dds, why)
}

fn word(bytes: &[u8], at: usize) -> Result<u32, Refused> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    word.map(|word| u32::from_le_bytes(*word)).ok_or_else(|| broken("is cut short"))
}

pub(super) fn decode(bytes: &[u8], room: &Room) -> Result<DynamicImage, Refused> {
    let (height, width) = (word(bytes, 12)?, word(bytes, 16)?);
    if word(bytes, 4)? != 124 || width == 0 || height == 0 {
        return Err(broken("is not sound"));
    }
    let (layout, start) = layout(bytes)?;
    let size = u64::from(width).saturating_mul(height.into()).saturating_mul(4);
    room.decoded(width, height, size)?;
    let data = bytes.get(start..).unwrap_or_default();
    let size = usize::try_from(size).map_err(|_| broken("is too large"))?;
    let across = usize::try_from(width).map_err(|_| broken("is too large"))?;
    let pixels = match layout {
        Layout::Blocks { bytes, decode } => blocks(data, across, size, bytes, decode),
        Layout::Plain { bytes, masks } => plain(data, size, bytes, masks),
    };
    let picture = pixels.and_then(|pixels| RgbaImage::from_raw(width, height, pixels));
    picture.map(DynamicImage::ImageRgba8).ok_or_else(|| broken("is cut short"))
}

fn layout(bytes: &[u8]) -> Result<(Layout, usize), Refused> {
    let (flags, bits) = (word(bytes, 80)?, word(bytes, 88)?);
    let unread = || broken("is of a kind that is not read");
    if flags & FOUR_CC != 0 {
        let name = word(bytes, 84)?.to_le_bytes();
        return match &name {
            b"DX10" => Ok((dxgi(word(bytes, HEADER)?).ok_or_else(unread)?, LONG_HEADER)),
            name => Ok((four_cc(name).ok_or_else(unread)?, HEADER)),
        };
    }
    let channels = [92, 96, 100, 104].map(|at| word(bytes, at));
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
        8 | 16 | 24 | 32 => Ok((Layout::Plain { bytes: (bits / 8) as usize, masks: Masks(masks) }, HEADER)),
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

/// Linear and sRGB values of a format mean the same here: a picture's colours are on that curve.
fn dxgi(format: u32) -> Option<Layout> {
    let plain = |masks| Layout::Plain { bytes: 4, masks: Masks(masks) };
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

/// All pixels of blocks that come row by row; `None` where some are missing.
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

fn plain(data: &[u8], size: usize, bytes: usize, masks: Masks) -> Option<Vec<u8>> {
    let mut pixels = Vec::with_capacity(size);
    for pixel in data.chunks_exact(bytes).take(size / 4) {
        let value = pixel.iter().rev().fold(0_u32, |value, b| value << 8 | u32::from(*b));
        pixels.extend(masks.channels(value));
    }
    Some(pixels).filter(|pixels| pixels.len() == size)
}

impl Masks {
    fn channels(self, value: u32) -> [u8; 4] {
        let channel = |mask: u32| {
            let most = mask.checked_shr(mask.trailing_zeros()).filter(|most| *most > 0)?;
            let share = u64::from((value & mask).checked_shr(mask.trailing_zeros())?);
            let scaled = share.saturating_mul(255).saturating_add(u64::from(most / 2));
            u8::try_from(scaled.checked_div(most.into())?).ok()
        };
        let [r, g, b, a] = self.0;
        let [r, g, b] = [r, g, b].map(|mask| channel(mask).unwrap_or(0));
        [r, g, b, channel(a).unwrap_or(u8::MAX)]
    }
}
