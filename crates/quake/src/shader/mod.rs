//! Shader scripts: what of them leads from the name of a material to its picture.

mod read;
mod rules;
mod select;

use alloc::vec::Vec;
use core::fmt;
use meshwright_core::{F32, Report};

/// A script, `scripts/*.shader`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShaderScript {
    /// Its shaders in their order; of several of one name only [`Shaders`] knows which counts.
    pub shaders: Vec<Shader>,
    /// What is odd about the text.
    pub report: Report,
}

/// A shader: what a surface of this name looks like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shader {
    /// Its name, at most 63 bytes.
    pub name: Vec<u8>,
    /// Passes over the surface; the engine keeps 8. A shader without any is not drawn.
    pub stages: Vec<Stage>,
    /// A condition kills it, which holds while no variable of the engine is set: it has no stages then.
    pub killed: bool,
    /// It is the sky, which has no picture of its own.
    pub sky: bool,
    /// Both sides are drawn.
    pub two_sided: bool,
    /// Its vertices move.
    pub deforms: bool,
}

/// A pass over a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stage {
    /// Names of pictures, of which the first is the still one; several are frames of an animation. A name that starts
    /// with a dollar is no file.
    pub maps: Vec<Vec<u8>>,
    /// Frames per second of an animation; none without.
    pub fps: Option<F32>,
    /// Texture coordinates are clamped and do not repeat.
    pub clamp: bool,
    /// What the picture, and what lies behind it, is multiplied with before they are added.
    pub blend: [BlendFactor; 2],
    /// Parts of it are cut out by their alpha.
    pub alpha_test: bool,
    /// Where its colour comes from.
    pub colour: ColourSource,
    /// Its alpha is that of the vertices.
    pub alpha_of_vertex: bool,
    /// Its texture coordinates are computed or move.
    pub moves: bool,
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            maps: Vec::new(),
            fps: None,
            clamp: false,
            blend: [BlendFactor::One, BlendFactor::Zero],
            alpha_test: false,
            colour: ColourSource::Identity,
            alpha_of_vertex: false,
            moves: false,
        }
    }
}

impl Stage {
    /// The lightmap is no file.
    pub const LIGHTMAP: &'static [u8] = b"$lightmap";

    /// The picture that is shown where nothing moves.
    pub fn map(&self) -> &[u8] {
        self.maps.first().map_or(&[], Vec::as_slice)
    }

    /// It covers what lies behind it.
    pub fn is_opaque(&self) -> bool {
        self.blend == [BlendFactor::One, BlendFactor::Zero]
    }

    /// It lies over what is behind it as its alpha says.
    pub fn is_blended(&self) -> bool {
        self.blend == [BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha]
    }

    fn is_lightmap(&self) -> bool {
        self.map().eq_ignore_ascii_case(Self::LIGHTMAP)
    }
}

/// Where the colour of a stage comes from, as far as it says which stage is the material's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColourSource {
    /// The picture's own.
    #[default]
    Identity,
    /// Multiplied with those of the vertices.
    Vertex,
    /// Multiplied with the light.
    LightingDiffuse,
    /// Anything else: constant, waves, the entity's.
    Other,
}

macro_rules! factors {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)+) => {
        /// What one side of a blend is multiplied with.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum BlendFactor {
            $($(#[$doc])* $variant,)+
        }

        impl BlendFactor {
            /// All factors.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its name, as in OpenGL without the beginning.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
    };
}

factors! {
    /// Itself.
    One = "one";
    /// Nothing.
    Zero = "zero";
    /// The picture's colour.
    SrcColor = "src_color";
    /// What the picture's colour leaves.
    OneMinusSrcColor = "one_minus_src_color";
    /// The picture's alpha.
    SrcAlpha = "src_alpha";
    /// What the picture's alpha leaves.
    OneMinusSrcAlpha = "one_minus_src_alpha";
    /// The colour behind it.
    DstColor = "dst_color";
    /// What the colour behind it leaves.
    OneMinusDstColor = "one_minus_dst_color";
    /// The alpha behind it.
    DstAlpha = "dst_alpha";
    /// What the alpha behind it leaves.
    OneMinusDstAlpha = "one_minus_dst_alpha";
}

impl fmt::Display for BlendFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

pub use select::Shaders;
