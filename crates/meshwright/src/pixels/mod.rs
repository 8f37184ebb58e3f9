//! Image files decoded to pixels, and pixels encoded as PNG or BMP.
//!
//! A decoder reports the size of an image before it takes memory for the pixels. Messages never quote a file.

#[cfg(feature = "textures")]
pub(crate) mod bmp;
#[cfg(feature = "textures")]
mod dds;
mod jpeg;
#[cfg(feature = "textures")]
mod masks;
#[cfg(feature = "textures")]
mod pcx;
mod png;
mod size;
#[cfg(feature = "textures")]
mod tga;

pub(crate) use size::image_size;

use meshwright_core::LimitExceeded;
use meshwright_scene::AlphaLevels;
use std::fmt;

/// A kind of image file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Png,
    Jpeg,
    #[cfg(feature = "textures")]
    Tga,
    #[cfg(feature = "textures")]
    Bmp,
    #[cfg(feature = "textures")]
    Pcx,
    #[cfg(feature = "textures")]
    Dds,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            #[cfg(feature = "textures")]
            Self::Tga => "TGA",
            #[cfg(feature = "textures")]
            Self::Bmp => "BMP",
            #[cfg(feature = "textures")]
            Self::Pcx => "PCX",
            #[cfg(feature = "textures")]
            Self::Dds => "DDS",
        })
    }
}

impl Kind {
    /// Returns the kind of an image that a scene holds: PNG or JPEG.
    pub(crate) fn of_mime(mime: &str) -> Self {
        if mime == "image/jpeg" { Self::Jpeg } else { Self::Png }
    }

    /// Detects a kind by the first bytes. TGA has none of its own and PCX only one, so their extension decides.
    #[cfg(feature = "textures")]
    pub(crate) fn detect(bytes: &[u8], extension: &[u8]) -> Option<Self> {
        let is = |e: &str| extension.eq_ignore_ascii_case(e.as_bytes());
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'D', b'D', b'S', b' ', ..] => Some(Self::Dds),
            [0x0a, ..] if is("pcx") => Some(Self::Pcx),
            _ if is("tga") => Some(Self::Tga),
            [b'B', b'M', ..] => Some(Self::Bmp),
            _ => None,
        }
    }
}

/// The reason why an image file is not decoded.
#[derive(Clone, Debug)]
pub(crate) enum DecodeError {
    Cut,
    Unsound,
    Unsupported,
    /// A decoder needs more memory than it may take.
    Memory,
    Limit(LimitExceeded),
}

impl From<LimitExceeded> for DecodeError {
    fn from(e: LimitExceeded) -> Self {
        Self::Limit(e)
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cut => "is cut short",
            Self::Unsound => "is damaged",
            Self::Unsupported => "has an unsupported encoding",
            Self::Memory => "needs more memory than the limit leaves",
            Self::Limit(e) => return e.fmt(f),
        })
    }
}

/// The limits of decoding.
pub(crate) struct Allowance<'a> {
    /// The bytes that a decoder may take for itself.
    pub(crate) memory: u64,
    /// Called with width, height and the bytes of the samples before memory is taken for these.
    pub(crate) charge: &'a dyn Fn(u32, u32, u64) -> Result<(), LimitExceeded>,
}

impl Allowance<'_> {
    /// Charges the samples of an image, and other bytes that decoding it takes. Returns how many bytes the samples are.
    fn samples(&self, width: u32, height: u32, pixel: u8, others: usize) -> Result<usize, DecodeError> {
        let bytes = u64::from(width).saturating_mul(height.into()).saturating_mul(pixel.into());
        (self.charge)(width, height, bytes.saturating_add(others as u64))?;
        usize::try_from(bytes).map_err(|_| DecodeError::Memory)
    }
}

/// A decoded image: rows from the top, 8 bits a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pixels {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// 1 for gray, 2 for gray with alpha, 3 for RGB, 4 for RGBA.
    channels: u8,
    samples: Vec<u8>,
    /// The class of its alpha values, in the precision of the file.
    pub(crate) alpha: AlphaLevels,
}

impl Pixels {
    /// Makes an image; `None` if the number of samples does not match the size.
    fn new(width: u32, height: u32, channels: u8, samples: Vec<u8>) -> Option<Self> {
        let pixels = u64::from(width).checked_mul(height.into())?;
        (pixels.checked_mul(channels.into())? == samples.len() as u64).then_some(())?;
        let alpha = match channels {
            2 => AlphaLevels::classify(samples.iter().skip(1).step_by(2).copied()),
            4 => AlphaLevels::classify(samples.iter().skip(3).step_by(4).copied()),
            _ => AlphaLevels::Full,
        };
        Some(Self { width, height, channels, samples, alpha })
    }

    #[cfg(feature = "textures")]
    pub(crate) fn from_rgb(width: u32, height: u32, pixels: Vec<[u8; 3]>) -> Option<Self> {
        Self::new(width, height, 3, pixels.into_flattened())
    }

    #[cfg(any(test, feature = "textures"))]
    pub(crate) fn from_rgba(width: u32, height: u32, pixels: Vec<[u8; 4]>) -> Option<Self> {
        Self::new(width, height, 4, pixels.into_flattened())
    }

    pub(crate) fn to_rgba(&self) -> Vec<[u8; 4]> {
        match self.channels {
            1 => self.samples.iter().map(|v| [*v, *v, *v, 255]).collect(),
            2 => self.samples.as_chunks().0.iter().map(|[v, a]| [*v, *v, *v, *a]).collect(),
            3 => self.samples.as_chunks().0.iter().map(|[r, g, b]| [*r, *g, *b, 255]).collect(),
            _ => self.samples.as_chunks().0.to_vec(),
        }
    }

    #[cfg(feature = "textures")]
    pub(crate) fn to_rgb(&self) -> Vec<[u8; 3]> {
        match self.channels {
            3 => self.samples.as_chunks().0.to_vec(),
            _ => self.to_rgba().into_iter().map(|[r, g, b, _]| [r, g, b]).collect(),
        }
    }

    /// Encodes it as PNG.
    #[cfg(any(test, feature = "textures"))]
    pub(crate) fn to_png(&self) -> Result<Vec<u8>, DecodeError> {
        png::encode(self)
    }
}

/// Decodes an image file.
pub(crate) fn decode(bytes: &[u8], kind: Kind, allowance: &Allowance<'_>) -> Result<Pixels, DecodeError> {
    match kind {
        Kind::Png => png::decode(bytes, allowance),
        Kind::Jpeg => jpeg::decode(bytes, allowance),
        #[cfg(feature = "textures")]
        Kind::Tga => tga::decode(bytes, allowance),
        #[cfg(feature = "textures")]
        Kind::Bmp => bmp::decode(bytes, allowance),
        #[cfg(feature = "textures")]
        Kind::Pcx => pcx::decode(bytes, allowance),
        #[cfg(feature = "textures")]
        Kind::Dds => dds::decode(bytes, allowance),
    }
}

/// Reads little-endian numbers of a header at fixed offsets.
#[cfg(feature = "textures")]
#[derive(Clone, Copy)]
struct Header<'a>(&'a [u8]);

#[cfg(feature = "textures")]
impl Header<'_> {
    fn array<const N: usize>(self, at: usize) -> Result<[u8; N], DecodeError> {
        self.0.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(DecodeError::Cut)
    }

    fn u8(self, at: usize) -> Result<u8, DecodeError> {
        Ok(u8::from_le_bytes(self.array(at)?))
    }

    fn u16(self, at: usize) -> Result<u16, DecodeError> {
        Ok(u16::from_le_bytes(self.array(at)?))
    }

    fn u32(self, at: usize) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.array(at)?))
    }
}
