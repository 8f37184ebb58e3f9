//! PCX.

use super::{Kind, Refused, Room};
use image::{DynamicImage, RgbImage};
use pcx::Reader;

pub(super) fn decode(bytes: &[u8], room: &Room) -> Result<DynamicImage, Refused> {
    let reader = Reader::from_mem(bytes).map_err(|_| Refused::Broken(Kind::Pcx, "is not sound"))?;
    let (width, height) = reader.dimensions();
    let row = usize::from(width).saturating_mul(3);
    let size = row.saturating_mul(height.into());
    // The palette comes behind the pixels, so that these are kept until it is known.
    room.decoded(width.into(), height.into(), size as u64)?;
    let cut = || Refused::Broken(Kind::Pcx, "is cut short");
    let pixels = if reader.is_paletted() { paletted(reader) } else { rgb(reader, row, size) };
    let picture = RgbImage::from_raw(width.into(), height.into(), pixels.ok_or_else(cut)?);
    picture.map(DynamicImage::ImageRgb8).ok_or_else(cut)
}

type FromMemory<'b> = Reader<std::io::Cursor<&'b [u8]>>;

fn rgb(mut reader: FromMemory<'_>, row: usize, size: usize) -> Option<Vec<u8>> {
    let mut pixels = vec![0; size];
    for row in pixels.chunks_exact_mut(row) {
        reader.next_row_rgb(row).ok()?;
    }
    Some(pixels)
}

fn paletted(mut reader: FromMemory<'_>) -> Option<Vec<u8>> {
    let (width, height) = (usize::from(reader.width()), usize::from(reader.height()));
    let mut indices = vec![0; width.checked_mul(height)?];
    for row in indices.chunks_exact_mut(width) {
        reader.next_row_paletted(row).ok()?;
    }
    let mut palette = [0; 768];
    reader.read_palette(&mut palette).ok()?;
    let colors = palette.as_chunks::<3>().0;
    let color = |i: &u8| colors.get(usize::from(*i)).copied().unwrap_or_default();
    Some(indices.iter().flat_map(color).collect())
}
