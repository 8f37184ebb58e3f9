//! The size of an image file, without its pixels.

use super::{Kind, jpeg};

/// Returns width and height that the header of a PNG or JPEG file has; `None` if the header is unreadable.
pub(crate) fn image_size(bytes: &[u8], kind: Kind) -> Option<[u32; 2]> {
    let size = match kind {
        Kind::Jpeg => jpeg::size(bytes)?,
        Kind::Png => png_size(bytes)?,
        #[cfg(feature = "textures")]
        Kind::Tga | Kind::Bmp | Kind::Pcx | Kind::Dds => return None,
    };
    size.iter().all(|side| *side > 0).then_some(size)
}

fn png_size(bytes: &[u8]) -> Option<[u32; 2]> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let (chunk, sides) = (header.get(4..8)?, header.get(8..16)?);
    let side = |at: usize| Some(u32::from_be_bytes(sides.get(at..)?.first_chunk().copied()?));
    (chunk == b"IHDR").then_some([side(0)?, side(4)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_sizes() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 1, 0, 0, 0, 0, 64, 8, 6, 0, 0, 0]);
        assert_eq!(image_size(&png, Kind::Png), Some([256, 64]));
        assert_eq!(image_size(&png[..23], Kind::Png), None, "cut");
        assert_eq!(image_size(&png, Kind::Jpeg), None);
        png[19] = 0;
        png[18] = 0;
        assert_eq!(image_size(&png, Kind::Png), None, "no width");
        // SOI, the start of a frame of one component, the start of its scan.
        let jpeg = [
            0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 48, 0, 80, 1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63,
            0,
        ];
        assert_eq!(image_size(&jpeg, Kind::Jpeg), Some([80, 48]));
        assert_eq!(image_size(&jpeg, Kind::Png), None);
        assert_eq!(image_size(&[], Kind::Jpeg), None);
    }
}
