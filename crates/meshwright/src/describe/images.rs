//! Sizes and formats of the textures of a model.

#[cfg(any(feature = "render", feature = "textures"))]
use crate::pixels::{Kind, image_size};
use meshwright_scene::Image;

/// The texture that was found for a material.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageInfo {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The format of the image file: `png`, `jpeg`, `tga`, `bmp`, `pcx` or `dds`.
    pub format: &'static str,
}

impl ImageInfo {
    /// Describes an image; `None` if its header is unreadable, or if this build reads no images.
    #[cfg(not(any(feature = "render", feature = "textures")))]
    pub(super) fn read(_: &Image) -> Option<Self> {
        None
    }

    /// Describes an image; `None` if its header is unreadable.
    #[cfg(any(feature = "render", feature = "textures"))]
    pub(super) fn read(image: &Image) -> Option<Self> {
        let kind = Kind::of_mime(image.mime);
        let [width, height] = image_size(&image.bytes, kind)?;
        Some(Self { width, height, format: file_format(image, kind) })
    }
}

/// Returns the format of the file that an image was read from. A scene holds PNG and JPEG: other formats are
/// converted to PNG, and the extension of the file tells which it was.
#[cfg(any(feature = "render", feature = "textures"))]
fn file_format(image: &Image, kind: Kind) -> &'static str {
    if kind == Kind::Jpeg {
        return "jpeg";
    }
    let extension = image.source.as_deref().and_then(|source| source.rsplit_once('.')).map(|(_, e)| e);
    let converted = ["tga", "bmp", "pcx", "dds"];
    let format = extension.and_then(|e| converted.into_iter().find(|other| e.eq_ignore_ascii_case(other)));
    format.unwrap_or("png")
}
