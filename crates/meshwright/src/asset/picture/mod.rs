//! Picture files as images that glTF can hold. What a decoder refuses is refused, also where it would be passed on as it
//! is. Why a picture is refused is said without anything of what is in it.

mod dds;
#[cfg(feature = "dpm")]
pub(super) mod derived;
mod pcx;
mod whole;

use image::{DynamicImage, ImageDecoder as _, ImageError, ImageFormat, ImageReader, Limits};
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::{AlphaLevels, Image};
use std::cell::Cell;
use std::fmt;
use std::io::Cursor;

/// What reading pictures may take: what stays of each, and what the largest takes while it is read.
#[derive(Debug)]
pub(super) struct Room {
    budget: Budget,
    largest: Cell<u64>,
}

impl Room {
    pub(super) fn new(budget: Budget) -> Self {
        Self { budget, largest: Cell::new(0) }
    }

    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What a file may have that is given back before the next is read.
    pub(super) fn left(&self) -> u64 {
        self.budget.left().saturating_add(self.largest.get())
    }

    /// Memory that is given back before the next picture is read.
    pub(super) fn passing(&self, bytes: u64) -> Result<(), LimitExceeded> {
        let largest = self.largest.get();
        self.budget.charge("a texture while it is read", bytes.saturating_sub(largest))?;
        self.largest.set(largest.max(bytes));
        Ok(())
    }

    /// A picture of so many samples of so many bytes is about to be decoded, and encoded again.
    fn decoded(&self, width: u32, height: u32, bytes: u64) -> Result<(), LimitExceeded> {
        self.passing(bytes.saturating_mul(2))?;
        self.budget.work("pixels of textures", u64::from(width).saturating_mul(height.into()))
    }

    fn kept(&self, bytes: usize) -> Result<(), LimitExceeded> {
        self.budget.charge("textures", bytes as u64)
    }
}

/// Why a picture cannot be used.
#[derive(Debug)]
pub(super) enum Refused {
    /// It is of no kind that is read.
    Unknown,
    /// It is of a kind that is read, and this is wrong with it.
    Broken(Kind, &'static str),
    Limit(LimitExceeded),
}

impl From<LimitExceeded> for Refused {
    fn from(e: LimitExceeded) -> Self {
        Self::Limit(e)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("is no picture of a kind that is read"),
            Self::Broken(kind, why) => write!(f, "{why} ({kind})"),
            Self::Limit(e) => e.fmt(f),
        }
    }
}

/// A kind of picture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Png,
    Jpeg,
    Tga,
    Bmp,
    Pcx,
    Dds,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Tga => "TGA",
            Self::Bmp => "BMP",
            Self::Pcx => "PCX",
            Self::Dds => "DDS",
        })
    }
}

impl Kind {
    /// By the first bytes; TGA has none of its own and PCX but one, so that the extension decides.
    fn of(bytes: &[u8], extension: &[u8]) -> Option<Self> {
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

/// A picture file as PNG or JPEG: these as they are, others as PNG.
pub(super) fn read(name: String, bytes: Vec<u8>, extension: &[u8], room: &Room) -> Result<Image, Refused> {
    let kind = Kind::of(&bytes, extension).ok_or(Refused::Unknown)?;
    let decoded = match kind {
        Kind::Png => by_image(&bytes, kind, ImageFormat::Png, room),
        Kind::Jpeg => by_image(&bytes, kind, ImageFormat::Jpeg, room),
        Kind::Tga => by_image(&bytes, kind, ImageFormat::Tga, room),
        Kind::Bmp => by_image(&bytes, kind, ImageFormat::Bmp, room),
        Kind::Pcx => pcx::decode(&bytes, room),
        Kind::Dds => dds::decode(&bytes, room),
    }?;
    let alpha = levels(&decoded);
    let cut = || Refused::Broken(kind, "is cut short");
    let (mime, bytes) = match kind {
        Kind::Png => ("image/png", whole::png(bytes).ok_or_else(cut)?),
        Kind::Jpeg if whole::is_jpeg(&bytes) => ("image/jpeg", bytes),
        Kind::Jpeg => return Err(cut()),
        _ => ("image/png", encoded(&decoded, kind)?),
    };
    room.kept(bytes.len())?;
    Ok(Image::new(name, mime, bytes).with_alpha(alpha))
}

fn by_image(bytes: &[u8], kind: Kind, format: ImageFormat, room: &Room) -> Result<DynamicImage, Refused> {
    let refused = |e: ImageError| reason(kind, &e);
    let mut limits = Limits::default();
    limits.max_alloc = Some(room.left());
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder().map_err(refused)?;
    let (width, height) = decoder.dimensions();
    room.decoded(width, height, decoder.total_bytes())?;
    decoder.set_limits(limits).map_err(refused)?;
    DynamicImage::from_decoder(decoder).map_err(refused)
}

fn encoded(picture: &DynamicImage, kind: Kind) -> Result<Vec<u8>, Refused> {
    let mut png = Vec::new();
    picture.write_to(&mut Cursor::new(&mut png), ImageFormat::Png).map_err(|e| reason(kind, &e))?;
    Ok(png)
}

/// What decoders say may quote what they read.
fn reason(kind: Kind, e: &ImageError) -> Refused {
    Refused::Broken(
        kind,
        match e {
            ImageError::Unsupported(_) => "is of a kind that is not read",
            ImageError::Limits(_) => "takes more memory than the limit leaves",
            ImageError::IoError(_) => "is cut short",
            _ => "is not sound",
        },
    )
}

/// Which values the alpha of a picture has.
fn levels(picture: &DynamicImage) -> AlphaLevels {
    let narrow = |value: u16| match value {
        0 => 0,
        u16::MAX => u8::MAX,
        _ => 1,
    };
    match picture {
        DynamicImage::ImageLumaA8(p) => AlphaLevels::of(p.pixels().map(|p| p.0[1])),
        DynamicImage::ImageRgba8(p) => AlphaLevels::of(p.pixels().map(|p| p.0[3])),
        DynamicImage::ImageLumaA16(p) => AlphaLevels::of(p.pixels().map(|p| narrow(p.0[1]))),
        DynamicImage::ImageRgba16(p) => AlphaLevels::of(p.pixels().map(|p| narrow(p.0[3]))),
        _ => AlphaLevels::Full,
    }
}

#[cfg(test)]
mod tests;
