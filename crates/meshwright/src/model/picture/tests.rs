#![allow(clippy::cast_possible_truncation, reason = "tests use small numbers")]

use super::*;
use meshwright_core::Limits;
use meshwright_scene::AlphaLevels;

fn room(memory: u64) -> Room {
    Room::new(Budget::new(Limits::default().with_memory(memory)))
}

fn tried(bytes: &[u8], extension: &str) -> Result<Image, String> {
    read("p".into(), bytes.to_vec(), extension.as_bytes(), &room(1 << 20)).map_err(|e| e.to_string())
}

type Rgb = [u8; 3];

/// A gray picture of 8 by 8 pixels and a colourful one of 32 by 32, both by another encoder.
const GRAY_JPEG: &[u8] = include_bytes!("../../../tests/support/gray.jpg");
const JPEG: &[u8] = include_bytes!("../../../tests/support/colors.jpg");

/// Four pixels in different colours.
const FOUR: [Rgb; 4] = [[0, 0, 7], [200, 0, 7], [0, 100, 7], [200, 100, 7]];

fn png(width: u32, pixels: &[Rgb]) -> Vec<u8> {
    let height = u32::try_from(pixels.len()).unwrap() / width;
    Pixels::from_rgb(width, height, pixels.to_vec()).unwrap().to_png().unwrap()
}

/// Returns a header of TGA, and what comes after it.
fn tga(kind: u8, size: [u8; 2], depth: u8, descriptor: u8, rest: &[u8]) -> Vec<u8> {
    let [width, height] = size;
    let head = [0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, width, 0, height, 0, depth, descriptor];
    [&head[..], rest].concat()
}

/// Returns a BMP: the words of its header from the width on, masks or colours, and its rows.
fn bmp(header: u32, words: &[u32], colors: &[u8], rows: &[u8]) -> Vec<u8> {
    let mut image: Vec<_> = [&[header], words].concat().into_iter().flat_map(u32::to_le_bytes).collect();
    image.resize(header as usize, 0);
    image.extend(colors);
    let start = 14 + image.len() as u32;
    let file = [start + rows.len() as u32, 0, start].into_iter().flat_map(u32::to_le_bytes);
    b"BM".iter().copied().chain(file).chain(image).chain(rows.iter().copied()).collect()
}

/// Returns a plane of pixels of `bits` bits.
const fn plane(bits: u32) -> u32 {
    bits << 16 | 1
}

/// The same four pixels, blue first and the lower row first, as BMP stores them.
const ROWS: [u8; 16] = [7, 100, 0, 7, 100, 200, 0, 0, 7, 0, 0, 7, 0, 200, 0, 0];

fn decode_pixels(image: &Image) -> Vec<[u8; 4]> {
    room(1 << 24).decode(&image.bytes, Kind::of_mime(image.mime)).unwrap().to_rgba()
}

fn opaque() -> Vec<[u8; 4]> {
    FOUR.map(|[r, g, b]| [r, g, b, 255]).into()
}

/// Returns a PCX with 8 bits per channel; every byte is a separate run.
fn pcx(planes: u8, lanes: &[u8], palette: &[u8]) -> Vec<u8> {
    let mut pcx = vec![0; 128];
    pcx[..4].copy_from_slice(&[10, 5, 1, 8]);
    (pcx[8], pcx[10], pcx[65], pcx[66]) = (1, 1, planes, 2);
    pcx.extend(lanes.iter().flat_map(|b| [0xc1, *b]));
    pcx.extend(palette);
    pcx
}

/// Returns a surface of a number of words from the height on, a pixel format from its flags on, and data.
fn dds([width, height]: [u32; 2], format: [u32; 7], data: &[u8]) -> Vec<u8> {
    let mut words = [0_u32; 32];
    (words[0], words[1], words[3], words[4]) = (u32::from_le_bytes(*b"DDS "), 124, height, width);
    words[19] = 32;
    words[20..27].copy_from_slice(&format);
    words.into_iter().flat_map(u32::to_le_bytes).chain(data.iter().copied()).collect()
}

#[test]
fn every_kind_gives_its_pixels() {
    let from_the_top = [7, 0, 0, 7, 0, 200, 7, 100, 0, 7, 100, 200];
    for (file, extension) in [
        (png(2, &FOUR), "png"),
        (tga(2, [2, 2], 24, 0x20, &from_the_top), "tga"),
        (bmp(40, &[2, 2, plane(24)], &[], &ROWS), "bmp"),
    ] {
        let image = tried(&file, extension).unwrap();
        assert_eq!(
            (image.mime, image.alpha, decode_pixels(&image)),
            ("image/png", AlphaLevels::Full, opaque())
        );
    }
    let lanes = [0, 200, 0, 0, 7, 7, 0, 200, 100, 100, 7, 7];
    let image = tried(&pcx(3, &lanes, &[]), "pcx").unwrap();
    assert_eq!(decode_pixels(&image), opaque());
    let mut palette = [0; 769];
    palette[0] = 12;
    for (color, [r, g, b, _]) in palette[1..].chunks_exact_mut(3).zip(opaque()) {
        color.copy_from_slice(&[r, g, b]);
    }
    let image = tried(&pcx(1, &[0, 1, 2, 3], &palette), "pcx").unwrap();
    assert_eq!(decode_pixels(&image), opaque());
    let image = tried(GRAY_JPEG, "jpg").unwrap();
    assert_eq!((image.mime, decode_pixels(&image)[9]), ("image/jpeg", [90, 90, 90, 255]));
    // The content decides, not the extension.
    assert_eq!(tried(&png(2, &FOUR), "tga").unwrap().mime, "image/png");
}

/// Ten pixels in a row of numbers, five in each of two rows: 0 to 9 times 20 in red.
fn ten() -> Vec<[u8; 4]> {
    (0..10).map(|i| [i * 20, 0, 0, 255]).collect()
}

#[test]
fn tga_is_read_in_every_layout() {
    let rows = [[0_u8, 1, 2, 3, 4], [5, 6, 7, 8, 9]];
    let colors: Vec<u8> = (0..10).flat_map(|i| [0, 0, i * 20]).collect();
    let mapped = |kind: u8, depth: u8, bits: u8, first: u8, map: &[u8], rest: &[u8]| {
        let length = (map.len() / usize::from(bits).div_ceil(8)) as u8;
        let head = [3, 1, kind, first, 0, length, 0, bits, 0, 0, 0, 0, 5, 0, 2, 0, depth, 0x20];
        [&head[..], b"id.", map, rest].concat()
    };
    let bytes = rows.concat();
    let words: Vec<u8> = bytes.iter().flat_map(|i| [i + 3, 0]).collect();
    let flipped: Vec<u8> = rows.iter().rev().flatten().copied().collect();
    let red = |i: &u8| [0, 0, i * 20];
    let swapped: Vec<u8> = bytes.chunks(5).flat_map(|row| row.iter().rev()).flat_map(red).collect();
    // Runs of three and of one, five that are stored, and more than the image takes.
    let packed = [0x82, 0, 0, 0, 0x80, 0, 0, 20, 0x04];
    let packed: Vec<u8> =
        packed.into_iter().chain((0..5).flat_map(|i| red(&i))).chain([0x83, 0, 0, 9]).collect();
    let expected = [0, 0, 0, 20, 0, 20, 40, 60, 80, 9].map(|red| [red, 0, 0, 255]).to_vec();
    for (file, expected) in [
        (tga(2, [5, 2], 24, 0x20, &colors), ten()),
        (tga(2, [5, 2], 24, 0, &flipped.iter().flat_map(red).collect::<Vec<_>>()), ten()),
        (tga(2, [5, 2], 24, 0x30, &swapped), ten()),
        (tga(10, [5, 2], 24, 0x20, &packed), expected),
        (mapped(1, 8, 24, 0, &colors, &bytes), ten()),
        (mapped(1, 16, 24, 3, &colors, &words), ten()),
        (mapped(9, 8, 24, 0, &colors, &[[4].as_slice(), &rows[0], &[4], &rows[1]].concat()), ten()),
        (tga(3, [2, 1], 8, 0x20, &[7, 90]), vec![[7, 7, 7, 255], [90, 90, 90, 255]]),
        (tga(11, [2, 1], 16, 0x28, &[0x81, 7, 90]), vec![[7, 7, 7, 90]; 2]),
        (tga(2, [1, 1], 32, 0x28, &[1, 2, 3, 4]), vec![[3, 2, 1, 4]]),
        // Five bits each; the highest bit is not alpha.
        (tga(2, [2, 1], 16, 0x21, &[0xff, 0x83, 0x01, 0x7c]), vec![[0, 255, 255, 255], [255, 0, 8, 255]]),
        (mapped(1, 8, 16, 0, &[0x00, 0x7c].repeat(10), &bytes), vec![[255, 0, 0, 255]; 10]),
    ] {
        assert_eq!(decode_pixels(&tried(&file, "tga").unwrap()), expected);
    }
    for (file, why) in [
        (tga(2, [5, 2], 24, 0, &colors[1..]), "is cut short (TGA)"),
        (tga(10, [5, 2], 24, 0, &packed_short()), "is cut short (TGA)"),
        (tga(2, [0, 2], 24, 0, &colors), "is damaged (TGA)"),
        (tga(1, [5, 2], 8, 0, &bytes), "is damaged (TGA)"),
        (mapped(1, 8, 24, 0, &colors[..27], &bytes), "is damaged (TGA)"),
        (tga(2, [5, 2], 12, 0, &colors), "has an unsupported encoding (TGA)"),
        (tga(34, [5, 2], 24, 0, &colors), "has an unsupported encoding (TGA)"),
    ] {
        assert_eq!(tried(&file, "tga").unwrap_err(), why);
    }
}

/// Returns a TGA with runs of fewer than ten pixels.
fn packed_short() -> Vec<u8> {
    vec![0x88, 1, 2, 3]
}

#[test]
fn bmp_is_read_in_every_layout() {
    let colors: Vec<u8> = (0..10).flat_map(|i| [0, 0, i * 20, 0]).collect();
    let size = |bits: u32| [5, 2, plane(bits)];
    let (down, top) = ([5_u8, 6, 7, 8, 9], [0_u8, 1, 2, 3, 4]);
    let used = |bits: u32, compression: u32, colors: u32| {
        [&size(bits)[..], &[compression, 0, 0, 0, colors, 0]].concat()
    };
    let eight = [&down[..], &[0; 3], &top, &[0; 3]].concat();
    let from_top = [5, (-2_i32).cast_unsigned(), plane(8), 0, 0, 0, 0, 10];
    let four = [0x56, 0x78, 0x90, 0, 0x01, 0x23, 0x40, 0];
    // A run, bytes as they are and a byte that fills the word, the end of the row, a step over two pixels.
    let runs = [2, 5, 0, 3, 7, 8, 9, 0, 0, 0, 0, 2, 2, 0, 1, 1, 9, 2, 0, 1];
    let halves = [2, 0x56, 0, 3, 0x78, 0x90, 0, 0, 5, 0x12, 0, 1];
    let red = |reds: [u8; 10]| reds.map(|i| [i * 20, 0, 0, 255]).to_vec();
    let word = |word: u32| word.to_le_bytes();
    let masks = |masks: [u32; 4]| masks.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
    let rgb = [0xff_0000, 0xff00, 0xff, 0];
    for (file, expected) in [
        (bmp(40, &used(8, 0, 10), &colors, &eight), ten()),
        (bmp(40, &from_top, &colors, &[&top[..], &[0; 3], &down, &[0; 3]].concat()), ten()),
        (bmp(40, &used(4, 0, 10), &colors, &four), ten()),
        (bmp(124, &used(4, 0, 10), &colors, &four), ten()),
        (
            bmp(
                12,
                &[2 << 16 | 5, plane(4)],
                &colors.chunks(4).flat_map(|c| &c[..3]).copied().chain([0; 18]).collect::<Vec<_>>(),
                &four,
            ),
            ten(),
        ),
        (
            bmp(40, &used(2, 0, 4), &colors[..16], &[0x1b, 0x40, 0, 0, 0xe4, 0x80, 0, 0]),
            red([3, 2, 1, 0, 2, 0, 1, 2, 3, 1]),
        ),
        (
            bmp(40, &used(1, 0, 2), &colors[4..12], &[0x88, 0, 0, 0, 0x70, 0, 0, 0]),
            red([1, 2, 2, 2, 1, 2, 1, 1, 1, 2]),
        ),
        (bmp(40, &used(8, 1, 10), &colors, &runs), red([0, 0, 1, 2, 2, 5, 5, 7, 8, 9])),
        (bmp(40, &used(4, 2, 10), &colors, &halves), red([1, 2, 1, 2, 1, 5, 6, 7, 8, 9])),
        // A colour that the palette does not have.
        (bmp(40, &[1, 1, plane(8), 0, 0, 0, 0, 1], &[1, 2, 3, 0], &[9, 0, 0, 0]), vec![[0, 0, 0, 255]]),
        (bmp(40, &[1, 1, plane(16)], &[], &[0xff, 0x83, 0, 0]), vec![[0, 255, 255, 255]]),
        (bmp(40, &[1, 1, plane(32)], &[], &[1, 2, 3, 4]), vec![[3, 2, 1, 255]]),
        (
            bmp(40, &[1, 1, plane(16), 3], &masks([0xf800, 0x7e0, 0x1f, 0])[..12], &[0x1f, 0x84, 0, 0]),
            vec![[132, 130, 255, 255]],
        ),
        (
            bmp(
                56,
                &[&[1, 1, plane(32), 3, 0, 0, 0, 0, 0][..], &[0xff, 0xff00, 0xff_0000, 0xff00_0000]].concat(),
                &[],
                &word(0x0403_0201),
            ),
            vec![[1, 2, 3, 4]],
        ),
        (
            bmp(52, &[&[1, 1, plane(32), 3, 0, 0, 0, 0, 0][..], &rgb[..3]].concat(), &[], &word(0x0403_0201)),
            vec![[3, 2, 1, 255]],
        ),
    ] {
        assert_eq!(decode_pixels(&tried(&file, "bmp").unwrap()), expected);
    }
    for (file, why) in [
        (bmp(40, &used(8, 0, 257), &colors, &eight), "is damaged (BMP)"),
        (bmp(40, &used(8, 1, 10), &colors, &runs[..runs.len() - 2]), "is cut short (BMP)"),
        (bmp(40, &used(8, 1, 10), &colors, &[0, 6, 1, 1, 1, 1, 1, 1, 0, 1]), "is damaged (BMP)"),
        (bmp(40, &used(8, 1, 10), &colors, &[0, 2, 0, 3, 0, 1]), "is damaged (BMP)"),
        (bmp(40, &[0, 2, plane(24)], &[], &eight), "is damaged (BMP)"),
        (bmp(40, &[5, 1 << 31, plane(24)], &[], &eight), "is damaged (BMP)"),
        (bmp(40, &[5, 2, 24 << 16 | 2], &[], &eight), "is damaged (BMP)"),
        (bmp(40, &[1, 1, plane(32), 3], &[0; 12], &eight), "is damaged (BMP)"),
        (bmp(40, &used(24, 4, 0), &[], &eight), "has an unsupported encoding (BMP)"),
        (bmp(16, &size(24), &[], &eight), "has an unsupported encoding (BMP)"),
    ] {
        assert_eq!(tried(&file, "bmp").unwrap_err(), why);
    }
}

#[test]
fn pcx_of_few_colours_is_read() {
    let few = |[bits, planes]: [u8; 2], lane: u8, packed: bool, rows: &[u8]| {
        let mut pcx = vec![0; 128];
        pcx[..4].copy_from_slice(&[10, 5, u8::from(packed), bits]);
        (pcx[8], pcx[10], pcx[65], pcx[66]) = (4, 1, planes, lane);
        for (i, color) in pcx[16..64].chunks_exact_mut(3).enumerate() {
            color[0] = i as u8 * 10;
        }
        pcx.extend(rows);
        pcx
    };
    let red = |reds: [u8; 10]| reds.map(|i| [i * 10, 0, 0, 255]).to_vec();
    for (file, expected) in [
        (
            few([4, 1], 4, false, &[0x01, 0x23, 0x40, 0, 0x56, 0x78, 0x90]),
            red([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ),
        (few([2, 1], 2, true, &[0x1b, 0x40, 0xc1, 0xe4, 0x80]), red([0, 1, 2, 3, 1, 3, 2, 1, 0, 2])),
        // A run from one plane to the next.
        (few([1, 3], 1, true, &[0x50, 0xc2, 0x30, 0x08, 0xc2, 0]), red([0, 1, 6, 7, 0, 0, 0, 0, 0, 1])),
    ] {
        assert_eq!(decode_pixels(&tried(&file, "pcx").unwrap()), expected);
    }
    let [black, white] = [[0, 0, 0, 255], [255; 4]];
    let image = tried(&few([1, 1], 1, false, &[0x50, 0x08]), "pcx").unwrap();
    assert_eq!(decode_pixels(&image), [black, white, black, white, black, black, black, black, black, white]);
    for (file, why) in [
        (few([4, 1], 2, false, &[0; 8]), "is damaged (PCX)"),
        (few([4, 3], 8, false, &[0; 64]), "has an unsupported encoding (PCX)"),
        (few([4, 1], 4, false, &[0; 6]), "is cut short (PCX)"),
    ] {
        assert_eq!(tried(&file, "pcx").unwrap_err(), why);
    }
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
        assert_eq!(decode_pixels(&tried(&bytes, "dds").unwrap()), [expected]);
    }
    // Red and blue ends, indices 0 1 2 3 in each row: of six by five pixels, so that blocks are cut.
    let block = [0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4];
    let row = [[255, 0, 0, 255], [0, 0, 255, 255], [170, 0, 85, 255], [85, 0, 170, 255]];
    let name = |name: &[u8; 4]| [4, u32::from_le_bytes(*name), 0, 0, 0, 0, 0];
    let picture = tried(&dds([6, 5], name(b"DXT1"), &block.repeat(4)), "dds").unwrap();
    let expected: Vec<_> = (0..30).map(|i| row[i % 6 % 4]).collect();
    assert_eq!((decode_pixels(&picture), picture.alpha), (expected, AlphaLevels::Full));
    let faint = [&[0x21; 8], &block[..]].concat();
    let picture = tried(&dds([4, 4], name(b"DXT3"), &faint), "dds").unwrap();
    assert_eq!((decode_pixels(&picture)[0], decode_pixels(&picture)[1]), ([255, 0, 0, 17], [0, 0, 255, 34]));
    assert_eq!(picture.alpha, AlphaLevels::Many);
    let picture =
        tried(&dds([4, 4], name(b"DXT5"), &[&[200, 0, 0, 0, 0, 0, 0, 0], &block[..]].concat()), "dds");
    assert_eq!(decode_pixels(&picture.unwrap())[0], [255, 0, 0, 200]);
    let gray = [77, 0, 0, 0, 0, 0, 0, 0];
    let picture = tried(&dds([4, 4], name(b"ATI1"), &gray), "dds").unwrap();
    assert_eq!(decode_pixels(&picture)[5], [77, 77, 77, 255]);
    let picture =
        tried(&dds([4, 4], name(b"ATI2"), &[gray, [5, 0, 0, 0, 0, 0, 0, 0]].concat()), "dds").unwrap();
    assert_eq!(decode_pixels(&picture)[5], [77, 5, 0, 255]);
}

#[test]
fn alpha_is_looked_at() {
    for (values, levels) in [
        ([255; 4], AlphaLevels::Full),
        ([0, 255, 0, 255], AlphaLevels::Two),
        ([0, 255, 128, 255], AlphaLevels::Many),
        ([0; 4], AlphaLevels::None),
    ] {
        let pixels = values.map(|alpha| [1, 2, 3, alpha]);
        let png = Pixels::from_rgba(2, 2, pixels.to_vec()).unwrap().to_png().unwrap();
        let tga = tga(2, [2, 2], 32, 8, pixels.as_flattened());
        for (file, extension) in [(png, "png"), (tga, "tga")] {
            assert_eq!(tried(&file, extension).unwrap().alpha, levels);
        }
    }
    // 16-bit samples: 65535 and 255 stay distinct.
    let mut wide = Vec::new();
    let mut encoder = png::Encoder::new(&mut wide, 2, 1);
    encoder.set_color(png::ColorType::GrayscaleAlpha);
    encoder.set_depth(png::BitDepth::Sixteen);
    encoder.write_header().unwrap().write_image_data(&[0, 9, 255, 255, 0x80, 0x80, 0, 255]).unwrap();
    let image = tried(&wide, "png").unwrap();
    assert_eq!(
        (image.alpha, decode_pixels(&image)),
        (AlphaLevels::Many, vec![[0, 0, 0, 255], [128, 128, 128, 1]])
    );
}

#[test]
fn what_is_cut_short_is_refused_wherever_it_is_cut() {
    let colors: Vec<Rgb> =
        (0..32_u32 * 32).map(|i| [(i % 32 * (i / 32)) as u8, (i * 7) as u8, (i / 32 * 13) as u8]).collect();
    let mut files = vec![
        (png(32, &colors), "png"),
        (JPEG.to_vec(), "jpg"),
        (bmp(40, &[2, 2, plane(24)], &[], &ROWS[..14]), "bmp"),
        (bmp(40, &[2, 2, plane(8), 1, 0, 0, 0, 2], &[0; 8], &[2, 1, 0, 0, 2, 0, 0, 1]), "bmp"),
    ];
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
    let plain = png(2, &FOUR);
    let (head, rest) = plain.split_at(33);
    // Their sums are not looked at by this program.
    let gamma = [&[0, 0, 0, 4][..], b"gAMA", &[0, 1, 0, 0, 0, 0, 0, 0]].concat();
    let comment = [&[0, 0, 0, 3][..], b"tEXt", b"a\0b", &[0xb5, 0x3f, 0x25, 0x7f]].concat();
    let both = [head, &comment, &gamma, rest, b"behind"].concat();
    let kept = [head, &comment, rest].concat();
    assert_eq!(completeness::png(both).unwrap(), kept);
    assert_eq!(completeness::png(plain.clone()).unwrap(), plain);
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
    let mut png = png(2, &FOUR);
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
    assert_eq!((room.budget().remaining(), room.remaining()), (600, 1000));
    assert!(room.passing(1001).is_err());
}
