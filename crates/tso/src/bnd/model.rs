//! The content of a binding of mesh and texture.

use crate::name::Name;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A `.bnd` file of The Sims Online, version 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bnd {
    /// The bone; in known files the first of the mesh.
    pub bone: Name,
    /// The mesh.
    pub mesh: Option<ResourceId>,
    /// The texture.
    pub texture: Option<ResourceId>,
    /// Bytes after the last field, which a lenient reader keeps; no known file has any.
    pub trailing: Vec<u8>,
}

/// The game's name for a file within its archives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId {
    /// Group, 0 in most files.
    pub group: u32,
    /// File within the type.
    pub file: u32,
    /// Type, such as [`MESH`](Self::MESH).
    pub kind: u32,
}

impl ResourceId {
    /// The type of a `.skel`.
    pub const SKELETON: u32 = 5;
    /// The type of an `.anim`.
    pub const ANIMATION: u32 = 7;
    /// The type of a `.mesh`.
    pub const MESH: u32 = 9;
    /// The type of a `.bnd`.
    pub const BINDING: u32 = 11;
    /// The types of image files: BMP, TGA, PNG, JPEG, and one that FreeSO uses for PNG.
    pub const TEXTURES: [u32; 5] = [1, 2, Self::PNG, Self::JPEG, 20];
    pub(crate) const PNG: u32 = 14;
    pub(crate) const JPEG: u32 = 19;

    /// Returns the sixteen hexadecimal digits before the extension in names of unpacked files, as in
    /// `pride-cape.c02bdebf00000009.mesh`.
    pub fn tag(&self) -> String {
        format!("{:08x}{:08x}", self.file, self.kind)
    }

    /// Returns the file and type in the name of an unpacked file, with group 0.
    pub fn from_file_name(name: &str) -> Option<Self> {
        let tag = name.rsplit('.').nth(1).unwrap_or_default();
        let digits = tag.len() == 16 && tag.bytes().all(|b| b.is_ascii_hexdigit());
        let (file, kind) = tag.split_at_checked(8).filter(|_| digits)?;
        let number = |digits| u32::from_str_radix(digits, 16).ok();
        Some(Self { group: 0, file: number(file)?, kind: number(kind)? })
    }

    /// Returns the number of a file in the name of a mesh or texture, such as `pride-cape.c02bdebf00000009` or only the
    /// digits.
    #[cfg(feature = "scene")]
    pub(crate) fn in_name(name: &str) -> Option<Self> {
        Self::from_file_name(name).or_else(|| Self::from_file_name(&format!("{name}.")))
    }

    /// Returns true if both name the same file, whatever their groups.
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.file, self.kind) == (other.file, other.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_hold_ids() {
        let id = ResourceId::from_file_name("pride-cape.c02bdebf00000009.mesh").unwrap();
        assert_eq!((id.file, id.kind), (0xc02b_debf, 9));
        assert_eq!(id.tag(), "c02bdebf00000009");
        for other in ["pride-cape.mesh", "x.c02bdebf0000000.mesh", "x.+02bdebf00000009.mesh", ""] {
            assert_eq!(ResourceId::from_file_name(other), None, "{other}");
        }
    }
}
