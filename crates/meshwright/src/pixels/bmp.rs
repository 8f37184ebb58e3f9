//! BMP. Described in Microsoft's "Bitmap Storage" and, for the oldest header, IBM's for OS/2.

use super::masks::{Masks, Rows};
use super::{Allowance, DecodeError, Header, Pixels};

/// The file header; the one of the image comes after it.
const FILE_HEADER: usize = 14;
/// The sizes of the image header: of OS/2, of Windows 3, with colour masks, with an alpha mask, and of versions 4 and 5.
const CORE: u32 = 12;
const INFO: u32 = 40;
const WITH_MASKS: u32 = 52;
const WITH_ALPHA: u32 = 56;
const V4: u32 = 108;
const V5: u32 = 124;
/// The maximum number of colours of an image of bytes.
const COLORS: usize = 256;

pub(super) fn decode(bytes: &[u8], allowance: &Allowance<'_>) -> Result<Pixels, DecodeError> {
    let header = Header(bytes);
    if header.array(0)? != *b"BM" {
        return Err(DecodeError::Unsound);
    }
    let (data_at, length) = (header.u32(10)?, header.u32(14)?);
    let (width, height, planes, bits, compression, colors) = match length {
        CORE => {
            let (width, height) = (header.u16(18)?, header.u16(20)?);
            (i32::from(width), i32::from(height), header.u16(22)?, header.u16(24)?, 0, 0)
        }
        INFO | WITH_MASKS | WITH_ALPHA | V4 | V5 => {
            let side = |at| header.u32(at).map(u32::cast_signed);
            (side(18)?, side(22)?, header.u16(26)?, header.u16(28)?, header.u32(30)?, header.u32(46)?)
        }
        _ => return Err(DecodeError::Unsupported),
    };
    let (upwards, height) = (height > 0, height.unsigned_abs());
    let side = |side: u32| u16::try_from(side).ok().filter(|side| *side > 0).ok_or(DecodeError::Unsound);
    let (width, height) =
        (u32::try_from(width).ok().ok_or(DecodeError::Unsound).and_then(side)?, side(height)?);
    let size = (u32::from(width), u32::from(height));
    if planes != 1 || (!upwards && matches!(compression, 1 | 2)) {
        return Err(DecodeError::Unsound);
    }
    let data = usize::try_from(data_at).ok().and_then(|at| bytes.get(at..)).ok_or(DecodeError::Cut)?;
    let row_bits = usize::from(width).saturating_mul(bits.into());
    let rows =
        |bytes| Rows { bytes, stride: row_bits.div_ceil(32).saturating_mul(4), upwards, leftwards: false };
    let masks = |alpha: bool| -> Result<[u32; 4], DecodeError> {
        let [r, g, b] = [54, 58, 62].map(|at| header.u32(at));
        Ok([r?, g?, b?, if alpha { header.u32(66)? } else { 0 }])
    };
    let colored = |masks: [u32; 4]| match masks {
        [0, ..] | [_, 0, ..] | [_, _, 0, _] => Err(DecodeError::Unsound),
        masks => Masks::new(masks).image(data, size, rows(usize::from(bits / 8)), allowance),
    };
    match (compression, bits) {
        (0, 1 | 2 | 4 | 8) | (1, 8) | (2, 4) => {
            let palette = palette(header, length, bits, colors)?;
            indexed(data, size, bits, rows(1), compression, &palette, allowance)
        }
        (0, 16) => colored(Masks::RGB_555),
        (0, 24 | 32) => colored(Masks::RGB_888),
        (3, 16 | 32) => colored(masks(length >= WITH_ALPHA)?),
        (6, 16 | 32) => colored(masks(true)?),
        // JPEG, PNG and CMYK inside.
        (4 | 5 | 11..=13, _) => Err(DecodeError::Unsupported),
        _ => Err(DecodeError::Unsound),
    }
}

/// Returns the colours of the palette. Those that the file does not have are black.
fn palette(
    header: Header<'_>,
    length: u32,
    bits: u16,
    colors: u32,
) -> Result<[[u8; 3]; COLORS], DecodeError> {
    let most = 1_u32.checked_shl(bits.into()).unwrap_or(u32::MAX);
    if colors > most {
        return Err(DecodeError::Unsound);
    }
    let size = if length == CORE { 3 } else { 4 };
    let count = if colors == 0 { most } else { colors };
    let start = usize::try_from(length).map_or(usize::MAX, |length| length.saturating_add(FILE_HEADER));
    let mut palette = [[0; 3]; COLORS];
    for (i, color) in palette.iter_mut().enumerate().take(usize::try_from(count).unwrap_or(COLORS)) {
        let [b, g, r] = header.array(start.saturating_add(i.saturating_mul(size)))?;
        *color = [r, g, b];
    }
    Ok(palette)
}

/// Decodes an image whose pixels are indices into a palette.
fn indexed(
    data: &[u8],
    size: (u32, u32),
    bits: u16,
    rows: Rows,
    compression: u32,
    palette: &[[u8; 3]; COLORS],
    allowance: &Allowance<'_>,
) -> Result<Pixels, DecodeError> {
    let across = usize::try_from(size.0).map_err(|_| DecodeError::Memory)?;
    let mut samples = vec![0; allowance.samples(size.0, size.1, 3, 0)?];
    let pitch = across.saturating_mul(3);
    let show = |to: &mut [u8], index: u8| {
        let color = palette.get(usize::from(index)).copied().unwrap_or_default();
        to.iter_mut().zip(color).for_each(|(to, value)| *to = value);
    };
    if compression == 0 {
        let per_byte = 8_u16.checked_div(bits).unwrap_or(1);
        let mask = u8::MAX.checked_shr(u32::from(8_u16.saturating_sub(bits))).unwrap_or(0);
        let used = across.div_ceil(per_byte.into());
        for (i, row) in samples.chunks_exact_mut(pitch).enumerate() {
            let down = usize::try_from(size.1).unwrap_or(usize::MAX).saturating_sub(1).saturating_sub(i);
            let place = if rows.upwards { down } else { i };
            let start = place.saturating_mul(rows.stride);
            let from = data.get(start..).and_then(|rest| rest.get(..used)).ok_or(DecodeError::Cut)?;
            let indices = from.iter().flat_map(|byte| {
                (1..=per_byte).map(move |n| {
                    let shift = 8_u16.saturating_sub(n.saturating_mul(bits));
                    byte.checked_shr(shift.into()).unwrap_or(0) & mask
                })
            });
            row.chunks_exact_mut(3).zip(indices).for_each(|(to, index)| show(to, index));
        }
    } else {
        let mut rows = samples.chunks_exact_mut(pitch).rev();
        runs(data, across, bits == 4, &mut rows, show)?;
    }
    Pixels::new(size.0, size.1, 3, samples).ok_or(DecodeError::Unsound)
}

/// Expands runs of bytes, or of half bytes if `halves` is true. Pixels that are skipped stay black.
fn runs(
    data: &[u8],
    width: usize,
    halves: bool,
    rows: &mut dyn Iterator<Item = &mut [u8]>,
    show: impl Fn(&mut [u8], u8),
) -> Result<(), DecodeError> {
    let mut data = data.iter().copied();
    let mut next = || data.next().ok_or(DecodeError::Cut);
    let (mut row, mut x) = (rows.next(), 0_usize);
    // The end of the last row ends an image that has no mark for its end.
    while let Some(pixels) = row.as_deref_mut() {
        let half = |byte: u8, i: usize| match (halves, i % 2) {
            (false, _) => byte,
            (true, 0) => byte >> 4,
            (true, _) => byte & 15,
        };
        let mut put = |x: usize, index: u8| {
            let to = pixels.chunks_exact_mut(3).nth(x);
            to.map(|to| show(to, index))
        };
        match (next()?, next()?) {
            (0, 0) => (row, x) = (rows.next(), 0),
            (0, 1) => return Ok(()),
            (0, 2) => {
                let (right, up) = (next()?, next()?);
                x = x.saturating_add(right.into());
                for _ in 0..up {
                    row = rows.next();
                }
                if x > width || row.is_none() {
                    return Err(DecodeError::Unsound);
                }
            }
            (0, count) => {
                let count = usize::from(count);
                let length = if halves { count.div_ceil(2) } else { count };
                let mut byte = 0;
                for i in 0..count {
                    if !halves || i % 2 == 0 {
                        byte = next()?;
                    }
                    put(x.saturating_add(i), half(byte, i)).ok_or(DecodeError::Unsound)?;
                }
                // Such a run takes a whole number of words.
                if length % 2 == 1 {
                    next()?;
                }
                x = x.saturating_add(count);
            }
            // Programs write runs that are longer than the row.
            (count, byte) => {
                for i in 0..usize::from(count) {
                    let _ = put(x.saturating_add(i), half(byte, i));
                }
                x = x.saturating_add(count.into()).min(width);
            }
        }
    }
    Ok(())
}

/// Writes an image with a palette of 256 colours and one byte per pixel.
pub(crate) fn encode(width: u32, height: u32, indices: &[u8], palette: &[[u8; 3]]) -> Option<Vec<u8>> {
    let across = usize::try_from(width).ok().filter(|width| *width > 0)?;
    let padding = across.next_multiple_of(4).checked_sub(across)?;
    let size = u64::from(width).next_multiple_of(4).checked_mul(height.into())?;
    let start = u32::try_from(FILE_HEADER).ok()?.checked_add(INFO)?.checked_add(4 * 256)?;
    let size = u32::try_from(size).ok()?;
    let mut file = b"BM".to_vec();
    // One plane of 8 bits.
    let words = [start.checked_add(size)?, 0, start, INFO, width, height, 0x8_0001, 0, size, 0, 0, 256, 0];
    for word in words {
        file.extend_from_slice(&word.to_le_bytes());
    }
    for color in 0..COLORS {
        let [r, g, b] = palette.get(color).copied().unwrap_or_default();
        file.extend_from_slice(&[b, g, r, 0]);
    }
    for row in indices.chunks_exact(across).rev() {
        file.extend_from_slice(row);
        file.resize(file.len().checked_add(padding)?, 0);
    }
    (file.len() as u64 == u64::from(start).checked_add(size.into())?).then_some(file)
}
