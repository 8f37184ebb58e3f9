//! Contact sheets.
#![allow(clippy::arithmetic_side_effects, reason = "sides of at most 16384 pixels, counts that were charged")]

use crate::options::MAX_SIDE;
use crate::rendering::{Rendering, ink_on};
use meshwright_scene::{Budget, ConvertError};

/// The gap around each rendering in pixels.
const GAP: u32 = 6;
/// The gap between two lines of a label in pixels.
const LEADING: u32 = 2;
/// The fewest hexadecimal digits of a hash in a file name.
const HASH: usize = 8;

/// Arranges renderings in rows of `columns`, each with its name below, in two lines if need be. Of a name that is too
/// long the hash before the extension is left out first, then the folders, then the middle. If all names are empty,
/// there is no space for them.
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
    let (letter, line) = Rendering::text_size("x");
    let labels: Vec<Vec<String>> =
        pictures.iter().map(|(_, name)| label(name, (wide / letter.max(1)) as usize)).collect();
    let lines = labels.iter().map(Vec::len).max().unwrap_or(0);
    let text = u32::try_from(lines).unwrap_or(0) * (line + LEADING);
    let text = if lines > 0 { text + GAP - LEADING } else { 0 };
    let (cell_x, cell_y) = (wide + GAP, high + text + GAP);
    let side = |count: u32, cell: u32| u64::from(count) * u64::from(cell) + u64::from(GAP);
    let (width, height) = (side(columns, cell_x), side(count.div_ceil(columns), cell_y));
    let fits = |side: u64| u32::try_from(side).ok().filter(|s| *s <= MAX_SIDE);
    let (Some(width), Some(height)) = (fits(width), fits(height)) else {
        let why = format!("a sheet of {width} x {height} pixels; a side has at most {MAX_SIDE}");
        return Err(ConvertError::unsupported("size", why));
    };
    let mut page = Rendering::filled(width, height, background, budget)?;
    let ink = ink_on(background);
    for ((i, (picture, _)), label) in (0_u32..).zip(pictures).zip(&labels) {
        let (left, top) = (GAP + i % columns * cell_x, GAP + i / columns * cell_y);
        page.draw_rendering(i64::from(left), i64::from(top), picture);
        for (row, text) in (0_u32..).zip(label) {
            let free = wide.saturating_sub(Rendering::text_size(text).0) / 2;
            let down = top + high + GAP / 2 + row * (line + LEADING);
            page.draw_text(i64::from(left + free), i64::from(down), ink, text);
        }
    }
    Ok(page)
}

/// Splits a name into at most two lines of at most `most` characters.
fn label(name: &str, most: usize) -> Vec<String> {
    let fits = |name: &str| name.chars().count() <= most;
    if name.is_empty() {
        return Vec::new();
    }
    if fits(name) {
        return vec![name.to_owned()];
    }
    let (folders, file) = name.rsplit_once('/').unwrap_or(("", name));
    let bare = without_hash(file);
    let whole = if folders.is_empty() { bare.clone() } else { format!("{folders}/{bare}") };
    for shorter in [whole, bare.clone()] {
        if fits(&shorter) {
            return vec![shorter];
        }
    }
    let bare: Vec<char> = bare.chars().take(4096).collect();
    let (first, rest) = bare.split_at(most.min(bare.len()));
    let last = shortened(&rest.iter().collect::<String>(), u32::try_from(most).unwrap_or(u32::MAX));
    vec![first.iter().collect(), last]
}

/// Removes the parts between dots of a file name that are hashes: `hat.1852ebee00000009.mesh` is `hat.mesh`.
fn without_hash(name: &str) -> String {
    let is_hash = |part: &str| part.len() >= HASH && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts: Vec<&str> = name.split('.').collect();
    let kept = parts.iter().enumerate().filter(|(i, part)| *i == 0 || !is_hash(part));
    kept.map(|(_, part)| *part).collect::<Vec<_>>().join(".")
}

/// Shortens a text to at most `most` characters.
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
    fn labels_keep_the_name_and_not_the_hash() {
        let lines = |name: &str, most: usize| label(name, most).join("|");
        assert_eq!(lines("tso/hat.1852ebee00000009.mesh", 40), "tso/hat.1852ebee00000009.mesh");
        assert_eq!(lines("tso/hat.1852ebee00000009.mesh", 20), "tso/hat.mesh");
        assert_eq!(lines("tso/hat.1852ebee00000009.mesh", 10), "hat.mesh");
        assert_eq!(
            lines("FSO-Accessory-PearlNecklace.6d52a4c700000009.mesh", 20),
            "FSO-Accessory-PearlN|ecklace.mesh"
        );
        assert_eq!(lines("abcdefghijklmnopqrstuvwxyz", 8), "abcdefgh|ijk..xyz");
        assert_eq!(lines("deadbeef.dpm", 3), "dea|d..", "a name may look like a hash");
        assert_eq!(lines("", 3), "");
        assert_eq!(lines("abc", 0), "|");
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
