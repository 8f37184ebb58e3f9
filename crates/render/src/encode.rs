//! Pictures as PNG, several as APNG.

use crate::picture::Picture;

/// Why pictures are not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// They have no pixels, or not all the same size.
    Size,
    /// The encoder refuses them.
    Png(png::EncodingError),
}

impl std::fmt::Display for EncodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size => f.write_str("pictures without pixels, or of several sizes"),
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

impl Picture {
    /// The picture as PNG: with alpha only where something is transparent.
    ///
    /// # Errors
    /// When it has no pixels.
    pub fn to_png(&self) -> Result<Vec<u8>, EncodeError> {
        encoded(std::slice::from_ref(self), None)
    }
}

/// Pictures that follow each other for `numerator / denominator` seconds each, over and over, as APNG. Readers of PNG that do
/// not know it show the first.
///
/// # Errors
/// When there are none, when they have no pixels, or when they differ in size.
pub fn animation(frames: &[Picture], (numerator, denominator): (u16, u16)) -> Result<Vec<u8>, EncodeError> {
    encoded(frames, Some((numerator, denominator)))
}

fn encoded(frames: &[Picture], delay: Option<(u16, u16)>) -> Result<Vec<u8>, EncodeError> {
    let first = frames.first().ok_or(EncodeError::Size)?;
    let (width, height) = (first.width(), first.height());
    let odd = |p: &Picture| (p.width(), p.height()) != (width, height);
    if width == 0 || height == 0 || frames.iter().any(odd) {
        return Err(EncodeError::Size);
    }
    let opaque = frames.iter().flat_map(Picture::pixels).all(|p| p[3] == u8::MAX);
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
