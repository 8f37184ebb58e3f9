//! Decodes pixels that are stored as one number with bit masks for the channels.

use super::{Allowance, DecodeError, Pixels};

/// The bit mask of one channel, of any width.
#[derive(Clone, Copy, Debug)]
struct Mask {
    bits: u32,
    shift: u32,
    /// The largest value; 0 if the channel has no bits.
    most: u32,
}

impl Mask {
    fn new(bits: u32) -> Self {
        let shift = bits.trailing_zeros();
        Self { bits, shift, most: bits.checked_shr(shift).unwrap_or(0) }
    }

    /// Returns the nearest value of 8 bits, or the one for a channel without bits.
    fn value(self, pixel: u32, without: u8) -> u8 {
        let share = (pixel & self.bits).checked_shr(self.shift).unwrap_or(0);
        if self.most != 255 {
            let scaled = u64::from(share).saturating_mul(255).saturating_add(u64::from(self.most / 2));
            return scaled
                .checked_div(self.most.into())
                .and_then(|v| u8::try_from(v).ok())
                .unwrap_or(without);
        }
        u8::try_from(share).unwrap_or(u8::MAX)
    }
}

/// The bits of red, green, blue and alpha. Without bits a colour is 0 and alpha 255.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masks([Mask; 4]);

impl Masks {
    /// 16 bits, the highest one not used.
    pub(super) const RGB_555: [u32; 4] = [0x7c00, 0x3e0, 0x1f, 0];
    /// 24 bits, or 32 with an unused highest byte: blue first.
    pub(super) const RGB_888: [u32; 4] = [0xff_0000, 0xff00, 0xff, 0];
    /// 32 bits: blue first, alpha last.
    pub(super) const RGBA_8888: [u32; 4] = [0xff_0000, 0xff00, 0xff, 0xff00_0000];

    pub(super) fn new(masks: [u32; 4]) -> Self {
        Self(masks.map(Mask::new))
    }

    /// Returns 4 with alpha, otherwise 3.
    pub(super) fn channels(self) -> u8 {
        if self.0[3].most == 0 { 3 } else { 4 }
    }

    /// Returns the channels of a pixel, given its bytes with the lowest first.
    pub(super) fn color(self, bytes: &[u8]) -> [u8; 4] {
        let pixel = bytes.iter().rev().fold(0_u32, |value, b| value << 8 | u32::from(*b));
        let [r, g, b, a] = self.0;
        [r.value(pixel, 0), g.value(pixel, 0), b.value(pixel, 0), a.value(pixel, 255)]
    }

    /// Decodes rows of `stride` bytes with `bytes` a pixel; the first row is the top one unless `upwards`.
    pub(super) fn image(
        self,
        data: &[u8],
        size: (u32, u32),
        layout: Rows,
        allowance: &Allowance<'_>,
    ) -> Result<Pixels, DecodeError> {
        let (width, height) = size;
        let channels = self.channels();
        let mut samples = vec![0; allowance.samples(width, height, channels, 0)?];
        layout.fill(data, &mut samples, width, usize::from(channels), |to, from| {
            to.iter_mut().zip(self.color(from)).for_each(|(to, value)| *to = value);
        })?;
        Pixels::new(width, height, channels, samples).ok_or(DecodeError::Unsound)
    }
}

/// The storage of rows of pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// The bytes of a pixel.
    pub(super) bytes: usize,
    /// The bytes from one row to the next.
    pub(super) stride: usize,
    /// The first row is the lowest one.
    pub(super) upwards: bool,
    /// The first pixel is the rightmost one.
    pub(super) leftwards: bool,
}

impl Rows {
    /// Makes a layout of rows from the top without gaps.
    pub(super) fn dense(width: u32, bytes: usize) -> Result<Self, DecodeError> {
        let width = usize::try_from(width).map_err(|_| DecodeError::Memory)?;
        let stride = width.checked_mul(bytes).ok_or(DecodeError::Memory)?;
        Ok(Self { bytes, stride, upwards: false, leftwards: false })
    }

    /// Calls `decode` with the samples and the bytes of each pixel.
    pub(super) fn fill(
        self,
        data: &[u8],
        samples: &mut [u8],
        width: u32,
        channels: usize,
        mut decode: impl FnMut(&mut [u8], &[u8]),
    ) -> Result<(), DecodeError> {
        let across = usize::try_from(width).map_err(|_| DecodeError::Memory)?;
        let (pitch, used) = (across.saturating_mul(channels), across.saturating_mul(self.bytes));
        if pitch == 0 {
            return Err(DecodeError::Unsound);
        }
        let last = samples.len().div_euclid(pitch).saturating_sub(1);
        for (y, row) in samples.chunks_exact_mut(pitch).enumerate() {
            let stored = if self.upwards { last.saturating_sub(y) } else { y };
            let start = stored.checked_mul(self.stride).ok_or(DecodeError::Cut)?;
            let from = data.get(start..).and_then(|rest| rest.get(..used)).ok_or(DecodeError::Cut)?;
            let from = from.chunks_exact(self.bytes);
            if self.leftwards {
                row.chunks_exact_mut(channels).rev().zip(from).for_each(|(to, from)| decode(to, from));
            } else {
                row.chunks_exact_mut(channels).zip(from).for_each(|(to, from)| decode(to, from));
            }
        }
        Ok(())
    }
}
