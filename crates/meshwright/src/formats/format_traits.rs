//! The habits of engines and other files with the files of a format.

use super::Format;

/// An optimizer of files. Each has its own part of [`OptimizeOptions`](crate::OptimizeOptions).
#[cfg(any(feature = "bmd", feature = "dpm"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Optimizer {
    /// The optimizer of BMD files.
    Bmd,
    /// The optimizer of DPM and ZYM files.
    DarkPlaces,
}

/// The habits of engines and other files with a kind of file: the facts that are not in its records.
#[derive(Clone, Copy, Debug)]
pub struct FormatTraits {
    /// The engine reads only BMP images of 256 colours.
    pub(crate) paletted: bool,
    /// The engine searches for a normal map, with the ending `_norm`, and a glow map, `_glow`, next to a texture.
    pub(crate) pictures_beside: bool,
    /// Engines search for skins next to a file.
    pub(crate) has_skins: bool,
    /// Engines attach objects to bones, also to those that move nothing.
    pub(crate) has_tags: bool,
    /// A file refers to meshes that a character wears together.
    pub(crate) is_outfit: bool,
    /// A file is found by its number, and drawn only with other files.
    pub(crate) is_numbered: bool,
    /// Vertices are in the spaces of the bones of a skeleton in another file.
    pub(crate) needs_skeleton: bool,
    /// A file is one clip.
    pub(crate) is_clip: bool,
    /// Frames have names, from which those of clips follow.
    pub(crate) has_frame_names: bool,
    /// The script next to a file that lists its files of clips.
    pub(crate) clip_script: Option<&'static str>,
    /// The kind of the file that states how many numbers a file has.
    pub(crate) owner: Option<Format>,
    /// Further kinds of files that are written with one of this kind.
    #[cfg(feature = "output")]
    pub(crate) written_with: &'static [Format],
    /// The optimizer of its files.
    #[cfg(any(feature = "bmd", feature = "dpm"))]
    pub(crate) optimizer: Option<Optimizer>,
}

impl FormatTraits {
    /// Nothing special.
    pub(crate) const NONE: Self = Self {
        paletted: false,
        pictures_beside: false,
        has_skins: false,
        has_tags: false,
        is_outfit: false,
        is_numbered: false,
        needs_skeleton: false,
        is_clip: false,
        has_frame_names: false,
        clip_script: None,
        owner: None,
        #[cfg(feature = "output")]
        written_with: &[],
        #[cfg(any(feature = "bmd", feature = "dpm"))]
        optimizer: None,
    };
}
