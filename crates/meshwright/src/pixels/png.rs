//! Decodes and encodes PNG.

use super::{Allowance, DecodeError, Pixels};
use meshwright_scene::AlphaLevels;
use png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Transformations};
use std::io::Cursor;

pub(super) fn decode(bytes: &[u8], allowance: &Allowance<'_>) -> Result<Pixels, DecodeError> {
    let memory = usize::try_from(allowance.memory).unwrap_or(usize::MAX);
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: memory });
    // Palettes become colours; 16 bits stay, since their alpha is looked at.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(decode_error)?;
    let (width, height) = reader.info().size();
    let (color, depth) = reader.output_color_type();
    let channels: u8 = match color {
        ColorType::Grayscale => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
        ColorType::Indexed => return Err(DecodeError::Unsupported),
    };
    let bytes: u8 = if depth == BitDepth::Sixteen { 2 } else { 1 };
    let size = allowance.samples(width, height, channels.saturating_mul(bytes), 0)?;
    let mut samples = vec![0; size];
    reader.next_frame(&mut samples).map_err(decode_error)?;
    if depth != BitDepth::Sixteen {
        return Pixels::new(width, height, channels, samples).ok_or(DecodeError::Unsound);
    }
    let wide: Vec<u16> = samples.as_chunks().0.iter().map(|b| u16::from_be_bytes(*b)).collect();
    let alpha = match channels {
        2 => levels(wide.iter().skip(1).step_by(2)),
        4 => levels(wide.iter().skip(3).step_by(4)),
        _ => AlphaLevels::Full,
    };
    let narrow = wide.iter().map(|value| narrowed(*value)).collect();
    let pixels = Pixels::new(width, height, channels, narrow).ok_or(DecodeError::Unsound)?;
    Ok(Pixels { alpha, ..pixels })
}

/// Returns the nearest value of 8 bits.
fn narrowed(value: u16) -> u8 {
    u8::try_from(u32::from(value).saturating_add(128).div_euclid(257)).unwrap_or(u8::MAX)
}

fn levels<'a>(alpha: impl Iterator<Item = &'a u16>) -> AlphaLevels {
    AlphaLevels::classify(alpha.map(|value| match *value {
        0 => 0,
        u16::MAX => u8::MAX,
        _ => 1,
    }))
}

fn decode_error(e: DecodingError) -> DecodeError {
    match e {
        DecodingError::IoError(_) => DecodeError::Cut,
        DecodingError::LimitsExceeded => DecodeError::Memory,
        DecodingError::Format(_) | DecodingError::Parameter(_) => DecodeError::Unsound,
    }
}

#[cfg(any(test, feature = "textures"))]
pub(super) fn encode(pixels: &Pixels) -> Result<Vec<u8>, DecodeError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width, pixels.height);
    encoder.set_color(match pixels.channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Adaptive);
    // An image without pixels is refused here.
    let mut writer = encoder.write_header().map_err(|_| DecodeError::Unsound)?;
    writer.write_image_data(&pixels.samples).map_err(|_| DecodeError::Unsound)?;
    drop(writer);
    Ok(file)
}
