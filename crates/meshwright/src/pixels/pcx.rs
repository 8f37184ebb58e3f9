//! PCX. Described in ZSoft's "PCX file format technical reference manual".

use super::{Allowance, DecodeError, Header, Pixels};

const HEADER: usize = 128;
/// 256 colours at the end of the file, and the byte before them.
const PALETTE: usize = 768;
const PALETTE_MARK: u8 = 12;

pub(super) fn decode(bytes: &[u8], allowance: &Allowance<'_>) -> Result<Pixels, DecodeError> {
    let header = Header(bytes);
    let (packed, bits, planes) = (header.u8(2)?, header.u8(3)?, header.u8(65)?);
    let lane = usize::from(header.u16(66)?);
    let side = |low: usize, high: usize| -> Result<u32, DecodeError> {
        let last = header.u16(high)?.checked_sub(header.u16(low)?).ok_or(DecodeError::Unsound)?;
        Ok(u32::from(last).saturating_add(1))
    };
    let (width, height) = (side(4, 8)?, side(6, 10)?);
    let colors = match (bits, planes) {
        (8, 3) => 0,
        (8, 1) => 256,
        (1, 1..=4) => 1_usize << planes,
        (2 | 4, 1) => 1 << bits,
        _ => return Err(DecodeError::Unsupported),
    };
    let across = usize::try_from(width).map_err(|_| DecodeError::Memory)?;
    let needed = across.saturating_mul(bits.into()).div_ceil(8);
    if packed > 1 || lane < needed {
        return Err(DecodeError::Unsound);
    }
    let (lane_count, down) = (usize::from(planes), usize::try_from(height).map_err(|_| DecodeError::Memory)?);
    let length = lane.saturating_mul(lane_count).saturating_mul(down);
    let size = allowance.samples(width, height, 3, length)?;
    let data = bytes.get(HEADER..).ok_or(DecodeError::Cut)?;
    // Some programs leave the padding of the last lane out.
    let least = length.saturating_sub(lane.saturating_sub(needed));
    let mut lanes =
        if packed == 1 { unpacked(data, length) } else { data.iter().copied().take(length).collect() };
    if lanes.len() < least {
        return Err(DecodeError::Cut);
    }
    lanes.resize(length, 0);
    let palette = match colors {
        0 => Vec::new(),
        2 => vec![[0; 3], [255; 3]],
        256 => large_palette(bytes)?,
        _ => header.array::<48>(16)?.as_chunks().0.to_vec(),
    };
    let mut samples = Vec::with_capacity(size);
    for row in lanes.chunks_exact(lane.saturating_mul(lane_count)) {
        let value = |plane: usize, x: usize| {
            let bit = x.saturating_mul(bits.into());
            let byte = row.get(plane.saturating_mul(lane).saturating_add(bit / 8)).copied().unwrap_or(0);
            let shift =
                u32::from(8_u8.saturating_sub(bits)).saturating_sub(u32::try_from(bit % 8).unwrap_or(0));
            byte >> shift & u8::MAX >> 8_u8.saturating_sub(bits)
        };
        for x in 0..across {
            if colors == 0 {
                samples.extend([value(0, x), value(1, x), value(2, x)]);
                continue;
            }
            let index = (0..lane_count).map(|plane| usize::from(value(plane, x)) << plane).sum::<usize>();
            samples.extend(palette.get(index).copied().unwrap_or_default());
        }
    }
    Pixels::new(width, height, 3, samples).ok_or(DecodeError::Cut)
}

fn large_palette(bytes: &[u8]) -> Result<Vec<[u8; 3]>, DecodeError> {
    let (_, last) = bytes.split_last_chunk::<PALETTE>().ok_or(DecodeError::Cut)?;
    let mark = bytes.len().checked_sub(PALETTE + 1).and_then(|at| bytes.get(at));
    if mark != Some(&PALETTE_MARK) {
        return Err(DecodeError::Cut);
    }
    Ok(last.as_chunks().0.to_vec())
}

/// Expands runs, which may go on from one lane to the next, to `length` bytes, or fewer where the file ends.
fn unpacked(data: &[u8], length: usize) -> Vec<u8> {
    let mut lanes = Vec::with_capacity(length);
    let mut data = data.iter().copied();
    while lanes.len() < length {
        let (count, value) = match data.next() {
            Some(byte @ 0xc0..) => (usize::from(byte & 0x3f), data.next()),
            byte => (1, byte),
        };
        let Some(value) = value else { break };
        lanes.extend(std::iter::repeat_n(value, count.min(length.saturating_sub(lanes.len()))));
    }
    lanes
}
