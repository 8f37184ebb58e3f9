//! Contact sheets.
#![allow(clippy::arithmetic_side_effects, reason = "sides of at most 16384 pixels, counts that were charged")]

use crate::options::MAX_SIDE;
use crate::rendering::Rendering;
use meshwright_scene::{Budget, ConvertError};

/// The gap around each rendering in pixels.
const GAP: u32 = 6;

/// Arranges renderings in rows of `columns`, each with its name below. A long name is shortened in the middle. If all
/// names are empty, there is no space for them.
///
/// # Errors
/// If a side of the sheet would have more than 16384 pixels, or if the budget does not suffice.
pub fn contact_sheet(
    pictures: &[(&Rendering, &str)],
    columns: u32,
    background: [u8; 4],
    budget: &Budget,
) -> Result<Rendering, ConvertError> {
    let count = u32::try_from(pictures.len()).unwrap_or(u32::MAX);
    let columns = columns.clamp(1, count.max(1));
    let wide = pictures.iter().map(|(p, _)| p.width()).max().unwrap_or(0);
    let high = pictures.iter().map(|(p, _)| p.height()).max().unwrap_or(0);
    let named = pictures.iter().any(|(_, name)| !name.is_empty());
    let line = if named { Rendering::text_size("", 1).1 + GAP } else { 0 };
    let (cell_x, cell_y) = (wide + GAP, high + line + GAP);
    let side = |count: u32, cell: u32| u64::from(count) * u64::from(cell) + u64::from(GAP);
    let (width, height) = (side(columns, cell_x), side(count.div_ceil(columns), cell_y));
    let fits = |side: u64| u32::try_from(side).ok().filter(|s| *s <= MAX_SIDE);
    let (Some(width), Some(height)) = (fits(width), fits(height)) else {
        let why = format!("a sheet of {width} x {height} pixels; a side has at most {MAX_SIDE}");
        return Err(ConvertError::unsupported("size", why));
    };
    let mut page = Rendering::filled(width, height, background, budget)?;
    let [r, g, b, a] = background.map(u32::from);
    let dark = a > 127 && r * 2 + g * 5 + b < 1024;
    let ink = if dark { [235, 238, 242, 255] } else { [24, 28, 34, 255] };
    for (i, (picture, name)) in (0_u32..).zip(pictures) {
        let (left, top) = (GAP + i % columns * cell_x, GAP + i / columns * cell_y);
        page.draw_rendering(i64::from(left), i64::from(top), picture);
        let name = shortened(name, wide / Rendering::text_size("x", 1).0.max(1));
        let free = wide.saturating_sub(Rendering::text_size(&name, 1).0) / 2;
        page.draw_text(i64::from(left + free), i64::from(top + high + GAP / 2), 1, ink, &name);
    }
    Ok(page)
}

/// Shortens a name to at most `most` characters.
fn shortened(name: &str, most: u32) -> String {
    let letters: Vec<char> = name.chars().take(4096).collect();
    let most = most as usize;
    if letters.len() <= most {
        return letters.into_iter().collect();
    }
    let kept = most.saturating_sub(2);
    let (head, tail) = (kept.div_ceil(2), kept / 2);
    let end = letters.iter().skip(letters.len().saturating_sub(tail));
    letters.iter().take(head).chain("..".chars().take(most).collect::<Vec<_>>().iter()).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_scene::Limits;

    #[test]
    fn names_are_cut_in_their_middle() {
        assert_eq!(shortened("player_marine", 13), "player_marine");
        assert_eq!(shortened("player_marine", 9), "play..ine");
        assert_eq!(shortened("abc", 1), ".");
        assert_eq!(shortened("abc", 0), "");
    }

    #[test]
    fn renderings_are_in_rows() {
        let budget = Budget::new(Limits::default());
        let small = Rendering::filled(30, 20, [255, 0, 0, 255], &budget).unwrap();
        let page =
            contact_sheet(&[(&small, "a"), (&small, ""), (&small, "c")], 2, [0, 0, 0, 255], &budget).unwrap();
        assert_eq!((page.width(), page.height()), (6 + 36 * 2, 6 + 40 * 2));
        assert_eq!(page.pixel(6, 6 + 40), Some([255, 0, 0, 255]));
        assert_eq!(page.pixel(6 + 36, 6 + 40), Some([0, 0, 0, 255]), "an empty place");
        assert!(contact_sheet(&[(&small, ""); 4000], 1, [0; 4], &budget).is_err());
        assert_eq!(contact_sheet(&[], 0, [0; 4], &budget).unwrap().width(), 12);
    }
}
