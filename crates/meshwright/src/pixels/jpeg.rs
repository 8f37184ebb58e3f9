//! Decodes JPEG.

use super::{Allowance, DecodeError, Pixels};
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

fn options() -> DecoderOptions {
    DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX))
}

/// Returns the width and height of the header.
pub(super) fn size(bytes: &[u8]) -> Option<[u32; 2]> {
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options());
    decoder.decode_headers().ok()?;
    let (width, height) = decoder.dimensions()?;
    Some([u32::try_from(width).ok()?, u32::try_from(height).ok()?])
}

pub(super) fn decode(bytes: &[u8], allowance: &Allowance<'_>) -> Result<Pixels, DecodeError> {
    let options = options();
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|e| decode_error(&e))?;
    let (width, height) = decoder.dimensions().ok_or(DecodeError::Unsound)?;
    let size = |side: usize| u32::try_from(side).map_err(|_| DecodeError::Unsound);
    let (width, height) = (size(width)?, size(height)?);
    let (channels, out) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (1, ColorSpace::Luma),
        Some(_) => (3, ColorSpace::RGB),
        None => return Err(DecodeError::Unsound),
    };
    let size = allowance.samples(width, height, channels, 0)?;
    decoder.set_options(options.jpeg_set_out_colorspace(out));
    let mut samples = vec![0; size];
    decoder.decode_into(&mut samples).map_err(|e| decode_error(&e))?;
    Pixels::new(width, height, channels, samples).ok_or(DecodeError::Unsound)
}

fn decode_error(e: &DecodeErrors) -> DecodeError {
    match e {
        DecodeErrors::Unsupported(_) => DecodeError::Unsupported,
        DecodeErrors::LargeDimensions(_) => DecodeError::Memory,
        _ => DecodeError::Unsound,
    }
}
