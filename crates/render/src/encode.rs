//! PNG and APNG.

use crate::rendering::Rendering;
use std::cell::RefCell;
use std::rc::Rc;

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
        let opaque = self.pixels().iter().all(|p| p[3] == u8::MAX);
        let mut png = AnimationEncoder::new((self.width(), self.height()), 1, (0, 1), !opaque)?;
        png.add(self)?;
        png.finish()
    }
}

/// Encodes renderings as a looping APNG, one after another, so that only one of them is in memory. Readers without APNG
/// show the first.
///
/// ```
/// use meshwright_render::{AnimationEncoder, Rendering};
/// use meshwright_scene::{Budget, Limits};
/// let budget = Budget::new(Limits::default());
/// let mut png = AnimationEncoder::new((4, 4), 2, (1, 12), false)?;
/// for color in [[255, 0, 0, 255], [0, 0, 255, 255]] {
///     png.add(&Rendering::filled(4, 4, color, &budget)?)?;
/// }
/// assert!(png.finish()?.starts_with(b"\x89PNG"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AnimationEncoder {
    writer: png::Writer<Shared>,
    file: Shared,
    size: (u32, u32),
    alpha: bool,
}

impl std::fmt::Debug for AnimationEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnimationEncoder").field("size", &self.size).finish_non_exhaustive()
    }
}

impl AnimationEncoder {
    /// Begins an animation of `frames` renderings of `size` pixels. Each is shown for `numerator / denominator` seconds.
    /// Without `alpha`, the pixels are opaque.
    ///
    /// # Errors
    /// If there are no frames, or if they have no pixels.
    pub fn new(
        size: (u32, u32),
        frames: u32,
        (numerator, denominator): (u16, u16),
        alpha: bool,
    ) -> Result<Self, EncodeError> {
        let (width, height) = size;
        if width == 0 || height == 0 || frames == 0 {
            return Err(EncodeError::Size);
        }
        let file = Shared::default();
        let mut encoder = png::Encoder::new(file.clone(), width, height);
        encoder.set_color(if alpha { png::ColorType::Rgba } else { png::ColorType::Rgb });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.validate_sequence(true);
        if frames > 1 {
            encoder.set_animated(frames, 0)?;
            encoder.set_frame_delay(numerator, denominator)?;
        }
        Ok(Self { writer: encoder.write_header()?, file, size, alpha })
    }

    /// Adds the next rendering.
    ///
    /// # Errors
    /// If it has another size, or if all frames were added.
    pub fn add(&mut self, frame: &Rendering) -> Result<(), EncodeError> {
        if (frame.width(), frame.height()) != self.size {
            return Err(EncodeError::Size);
        }
        let pixels = frame.pixels().iter();
        let bytes: Vec<u8> = if self.alpha {
            pixels.flatten().copied().collect()
        } else {
            pixels.flat_map(|[r, g, b, _]| [*r, *g, *b]).collect()
        };
        Ok(self.writer.write_image_data(&bytes)?)
    }

    /// Returns the size of the file so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.file.0.borrow().len() as u64
    }

    /// Returns the file.
    ///
    /// # Errors
    /// If frames are missing.
    pub fn finish(self) -> Result<Vec<u8>, EncodeError> {
        self.writer.finish()?;
        Ok(self.file.0.take())
    }
}

/// A file in memory, whose size can be read while the encoder writes it.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
