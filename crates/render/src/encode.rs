//! PNG and APNG.

use crate::rendering::Rendering;

/// An error of encoding.
#[derive(Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// A rendering has no pixels, or the sizes differ.
    Size,
    /// An error of the PNG encoder.
    Png(png::EncodingError),
}

impl std::fmt::Display for EncodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size => f.write_str("a rendering has no pixels, or the sizes differ"),
            Self::Png(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for EncodeError {}

impl From<png::EncodingError> for EncodeError {
    fn from(e: png::EncodingError) -> Self {
        Self::Png(e)
    }
}

impl Rendering {
    /// Encodes the rendering as PNG, with alpha only if a pixel is transparent.
    ///
    /// # Errors
    /// If it has no pixels.
    pub fn to_png(&self) -> Result<Vec<u8>, EncodeError> {
        encoded(std::slice::from_ref(self), None)
    }
}

/// Encodes renderings as a looping APNG. Each is shown for `numerator / denominator` seconds. Readers without APNG
/// show the first.
///
/// # Errors
/// If there are no renderings, if they have no pixels, or if their sizes differ.
pub fn encode_animation(
    frames: &[Rendering],
    (numerator, denominator): (u16, u16),
) -> Result<Vec<u8>, EncodeError> {
    encoded(frames, Some((numerator, denominator)))
}

fn encoded(frames: &[Rendering], delay: Option<(u16, u16)>) -> Result<Vec<u8>, EncodeError> {
    let first = frames.first().ok_or(EncodeError::Size)?;
    let (width, height) = (first.width(), first.height());
    let odd = |p: &Rendering| (p.width(), p.height()) != (width, height);
    if width == 0 || height == 0 || frames.iter().any(odd) {
        return Err(EncodeError::Size);
    }
    let opaque = frames.iter().flat_map(Rendering::pixels).all(|p| p[3] == u8::MAX);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    if let (Some((numerator, denominator)), 2..) = (delay, frames.len()) {
        encoder.set_animated(u32::try_from(frames.len()).unwrap_or(u32::MAX), 0)?;
        encoder.set_frame_delay(numerator, denominator)?;
    }
    let mut writer = encoder.write_header()?;
    for frame in frames {
        let bytes: Vec<u8> = if opaque {
            frame.pixels().iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect()
        } else {
            frame.pixels().iter().flatten().copied().collect()
        };
        writer.write_image_data(&bytes)?;
    }
    writer.finish()?;
    Ok(file)
}
