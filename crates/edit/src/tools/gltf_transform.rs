//! glTF-Transform: materials of one colour become pixels of one picture (`optimize`, `palette`; measured with 4.5.1).

/// True for what glTF-Transform calls a material that it makes of flat ones, whose colours are then pixels of a picture. In a
/// scene that is held against another one each of those colours has a material of this name, without a picture.
pub fn is_palette(name: &str) -> bool {
    name.strip_prefix("PaletteMaterial")
        .is_some_and(|n| n.len() >= 3 && n.bytes().all(|b| b.is_ascii_digit()))
}
