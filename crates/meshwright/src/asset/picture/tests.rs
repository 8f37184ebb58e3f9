#![allow(clippy::cast_possible_truncation, reason = "tests use small numbers")]

use super::*;
use image::{GrayImage, LumaA, Rgb, RgbImage, Rgba, RgbaImage};
use meshwright_core::Limits as Own;

fn room(memory: u64) -> Room {
    Room::new(Budget::new(Own::default().with_memory(memory)))
}

fn tried(bytes: &[u8], extension: &str) -> Result<Image, String> {
    read("p".into(), bytes.to_vec(), extension.as_bytes(), &room(1 << 20)).map_err(|e| e.to_string())
}

fn file(picture: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.into().write_to(&mut Cursor::new(&mut bytes), format).unwrap();
    bytes
}

/// Four pixels in colours of their own.
fn four() -> RgbImage {
    RgbImage::from_fn(2, 2, |x, y| Rgb([x as u8 * 200, y as u8 * 100, 7]))
}

fn shown(image: &Image) -> Vec<[u8; 4]> {
    image::load_from_memory(&image.bytes).unwrap().to_rgba8().pixels().map(|p| p.0).collect()
}

fn opaque() -> Vec<[u8; 4]> {
    four().pixels().map(|Rgb([r, g, b])| [*r, *g, *b, 255]).collect()
}

/// A PCX of 8 bits a channel, every byte a run of its own.
fn pcx(planes: u8, lanes: &[u8], palette: &[u8]) -> Vec<u8> {
    let mut pcx = vec![0; 128];
    pcx[..4].copy_from_slice(&[10, 5, 1, 8]);
    (pcx[8], pcx[10], pcx[65], pcx[66]) = (1, 1, planes, 2);
    pcx.extend(lanes.iter().flat_map(|b| [0xc1, *b]));
    pcx.extend(palette);
    pcx
}

/// A surface of a number of words from the height on, a pixel format from its flags on, and data.
fn dds([width, height]: [u32; 2], format: [u32; 7], data: &[u8]) -> Vec<u8> {
    let mut words = [0_u32; 32];
    (words[0], words[1], words[3], words[4]) = (u32::from_le_bytes(*b"DDS "), 124, height, width);
    words[19] = 32;
    words[20..27].copy_from_slice(&format);
    words.into_iter().flat_map(u32::to_le_bytes).chain(data.iter().copied()).collect()
}

#[test]
fn every_kind_gives_its_pixels() {
    let kinds = [(ImageFormat::Png, "png"), (ImageFormat::Tga, "tga"), (ImageFormat::Bmp, "bmp")];
    for (format, extension) in kinds {
        let image = tried(&file(four(), format), extension).unwrap();
        assert_eq!((image.mime, image.alpha, shown(&image)), ("image/png", AlphaLevels::Full, opaque()));
    }
    let lanes = [0, 200, 0, 0, 7, 7, 0, 200, 100, 100, 7, 7];
    let image = tried(&pcx(3, &lanes, &[]), "pcx").unwrap();
    assert_eq!(shown(&image), opaque());
    let mut palette = [0; 769];
    palette[0] = 12;
    for (color, [r, g, b, _]) in palette[1..].chunks_exact_mut(3).zip(opaque()) {
        color.copy_from_slice(&[r, g, b]);
    }
    let image = tried(&pcx(1, &[0, 1, 2, 3], &palette), "pcx").unwrap();
    assert_eq!(shown(&image), opaque());
    let gray = GrayImage::from_pixel(8, 8, image::Luma([90]));
    let image = tried(&file(gray, ImageFormat::Jpeg), "jpg").unwrap();
    assert_eq!((image.mime, shown(&image)[9]), ("image/jpeg", [90, 90, 90, 255]));
    // What it is decides, not what it is called.
    assert_eq!(tried(&file(four(), ImageFormat::Png), "tga").unwrap().mime, "image/png");
}

#[test]
fn surfaces_are_read_in_every_layout() {
    let rgba = |layout: u32, data: &[u8]| {
        let long = [layout, 3, 0, 1, 0].into_iter().flat_map(u32::to_le_bytes).chain(data.iter().copied());
        let ten = u32::from_le_bytes(*b"DX10");
        dds([1, 1], [4, ten, 0, 0, 0, 0, 0], &long.collect::<Vec<_>>())
    };
    for (bytes, expected) in [
        // 24 bits, blue first; 16 bits of 5, 6 and 5; four bits each; gray with alpha.
        (dds([1, 1], [0x40, 0, 24, 0xff_0000, 0xff00, 0xff, 0], &[1, 2, 3]), [3, 2, 1, 255]),
        (dds([1, 1], [0x40, 0, 16, 0xf800, 0x7e0, 0x1f, 0], &[0x1f, 0x84]), [132, 130, 255, 255]),
        (dds([1, 1], [0x41, 0, 16, 0xf00, 0xf0, 0xf, 0xf000], &[0x3c, 0x8f]), [255, 51, 204, 136]),
        (dds([1, 1], [0x2_0001, 0, 16, 0xff, 0, 0, 0xff00], &[9, 8]), [9, 9, 9, 8]),
        (rgba(28, &[1, 2, 3, 4]), [1, 2, 3, 4]),
        (rgba(87, &[1, 2, 3, 4]), [3, 2, 1, 4]),
        (rgba(88, &[1, 2, 3, 4]), [3, 2, 1, 255]),
    ] {
        assert_eq!(shown(&tried(&bytes, "dds").unwrap()), [expected]);
    }
    // Red and blue ends, indices 0 1 2 3 in each row: of six by five pixels, so that blocks are cut.
    let block = [0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4];
    let row = [[255, 0, 0, 255], [0, 0, 255, 255], [170, 0, 85, 255], [85, 0, 170, 255]];
    let name = |name: &[u8; 4]| [4, u32::from_le_bytes(*name), 0, 0, 0, 0, 0];
    let picture = tried(&dds([6, 5], name(b"DXT1"), &block.repeat(4)), "dds").unwrap();
    let expected: Vec<_> = (0..30).map(|i| row[i % 6 % 4]).collect();
    assert_eq!((shown(&picture), picture.alpha), (expected, AlphaLevels::Full));
    let faint = [&[0x21; 8], &block[..]].concat();
    let picture = tried(&dds([4, 4], name(b"DXT3"), &faint), "dds").unwrap();
    assert_eq!((shown(&picture)[0], shown(&picture)[1]), ([255, 0, 0, 17], [0, 0, 255, 34]));
    assert_eq!(picture.alpha, AlphaLevels::Many);
    let picture =
        tried(&dds([4, 4], name(b"DXT5"), &[&[200, 0, 0, 0, 0, 0, 0, 0], &block[..]].concat()), "dds");
    assert_eq!(shown(&picture.unwrap())[0], [255, 0, 0, 200]);
    let gray = [77, 0, 0, 0, 0, 0, 0, 0];
    let picture = tried(&dds([4, 4], name(b"ATI1"), &gray), "dds").unwrap();
    assert_eq!(shown(&picture)[5], [77, 77, 77, 255]);
    let picture =
        tried(&dds([4, 4], name(b"ATI2"), &[gray, [5, 0, 0, 0, 0, 0, 0, 0]].concat()), "dds").unwrap();
    assert_eq!(shown(&picture)[5], [77, 5, 0, 255]);
}

#[test]
fn alpha_is_looked_at() {
    let rgba =
        |values: [u8; 4]| RgbaImage::from_fn(2, 2, |x, y| Rgba([1, 2, 3, values[(y * 2 + x) as usize]]));
    for (values, levels) in [
        ([255; 4], AlphaLevels::Full),
        ([0, 255, 0, 255], AlphaLevels::Two),
        ([0, 255, 128, 255], AlphaLevels::Many),
        ([0; 4], AlphaLevels::None),
    ] {
        for (format, extension) in [(ImageFormat::Png, "png"), (ImageFormat::Tga, "tga")] {
            assert_eq!(tried(&file(rgba(values), format), extension).unwrap().alpha, levels);
        }
    }
    let wide = image::ImageBuffer::from_fn(2, 1, |x, _| LumaA([9_u16, if x == 0 { 65535 } else { 255 }]));
    assert_eq!(tried(&file(wide, ImageFormat::Png), "png").unwrap().alpha, AlphaLevels::Many);
}

#[test]
fn what_is_cut_short_is_refused_wherever_it_is_cut() {
    let colors = RgbImage::from_fn(32, 32, |x, y| Rgb([(x * y) as u8, (x * 7) as u8, (y * 13) as u8]));
    let small = [(ImageFormat::Png, "png"), (ImageFormat::Jpeg, "jpg"), (ImageFormat::Bmp, "bmp")];
    let mut files: Vec<_> = small.map(|(f, e)| (file(colors.clone(), f), e)).into();
    files.push((pcx(3, &[0, 200, 0, 0, 7, 7, 0, 200, 100, 100, 7, 7], &[]), "pcx"));
    files.push((dds([4, 4], [4, u32::from_le_bytes(*b"DXT1"), 0, 0, 0, 0, 0], &[0; 8]), "dds"));
    for (whole, extension) in files {
        assert!(tried(&whole, extension).is_ok());
        for length in (0..whole.len()).step_by(1 + whole.len() / 97).chain([3, 33, whole.len() - 1]) {
            let cut = tried(&whole[..length.min(whole.len() - 1)], extension);
            assert!(cut.is_err(), "{extension} of {length} bytes");
        }
    }
    for (bytes, extension) in
        [(&b""[..], "png"), (b"no picture", "tga"), (b"root:x:0:0", "png"), (b"\xff\xd8\xff", "jpg")]
    {
        let why = tried(bytes, extension).unwrap_err();
        assert!(!why.contains("root"), "{why}");
    }
}

#[test]
fn what_viewers_take_differently_is_left_out() {
    let plain = file(four(), ImageFormat::Png);
    let (head, rest) = plain.split_at(33);
    // Their sums are not looked at by this program.
    let gamma = [&[0, 0, 0, 4][..], b"gAMA", &[0, 1, 0, 0, 0, 0, 0, 0]].concat();
    let comment = [&[0, 0, 0, 3][..], b"tEXt", b"a\0b", &[0xb5, 0x3f, 0x25, 0x7f]].concat();
    let both = [head, &comment, &gamma, rest, b"behind"].concat();
    let kept = [head, &comment, rest].concat();
    assert_eq!(whole::png(both).unwrap(), kept);
    assert_eq!(whole::png(plain.clone()).unwrap(), plain);
}

#[test]
fn dimensions_are_charged_before_anything_is_decoded() {
    // 60000 pixels either way, and not one of them there.
    let mut tga = vec![0; 18];
    (tga[2], tga[16]) = (10, 24);
    tga[12..16].copy_from_slice(&[0x60, 0xea, 0x60, 0xea]);
    let mut bmp = b"BM".to_vec();
    bmp.extend(
        [58_u32, 0, 54, 40, 60000, 60000, 0x18_0001, 0, 4, 0, 0, 0, 0].iter().flat_map(|w| w.to_le_bytes()),
    );
    let mut large = pcx(3, &[], &[]);
    large[8..12].copy_from_slice(&[0x5f, 0xea, 0x5f, 0xea]);
    large[66..68].copy_from_slice(&[0x60, 0xea]);
    let surface = dds([60000, 60000], [4, u32::from_le_bytes(*b"DXT1"), 0, 0, 0, 0, 0], &[]);
    let mut png = file(four(), ImageFormat::Png);
    png[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    let sum = crc(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    for (bytes, extension) in [(tga, "tga"), (bmp, "bmp"), (large, "pcx"), (surface, "dds"), (png, "png")] {
        let why = tried(&bytes, extension).unwrap_err();
        assert!(why.contains("a texture while it is read"), "{extension}: {why}");
    }
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, b| {
        (0..8).fold(crc ^ u32::from(*b), |c, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 })
    })
}

#[test]
fn only_the_largest_picture_is_charged_while_it_is_read() {
    let room = room(1000);
    for bytes in [300, 200, 400] {
        room.passing(bytes).unwrap();
    }
    assert_eq!((room.budget().left(), room.left()), (600, 1000));
    assert!(room.passing(1001).is_err());
}
