//! Shader scripts, which map the name of a material to its texture.

mod read;
mod rules;
mod select;

use alloc::vec::Vec;
use core::fmt;
use meshwright_core::{F32, Report};

/// A script, `scripts/*.shader`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShaderScript {
    /// The shaders in file order. If several have one name, [`Shaders`] decides which counts.
    pub shaders: Vec<Shader>,
    /// The findings about the text.
    pub report: Report,
}

/// A shader: the description of a surface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shader {
    /// The name, at most 63 bytes.
    pub name: Vec<u8>,
    /// The passes over the surface; the engine keeps 8. A shader without stages is not drawn.
    pub stages: Vec<Stage>,
    /// True if a condition on an engine variable disables the shader while all variables have their
    /// defaults. Then it has no stages.
    pub killed: bool,
    /// True if it is the sky, which has no texture of its own.
    pub sky: bool,
    /// True if both sides are drawn.
    pub two_sided: bool,
    /// True if its vertices move.
    pub deforms: bool,
}

/// A stage: one drawing pass over a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stage {
    /// Names of textures. Several are the frames of an animation, and the first is shown in a still image. A name that
    /// starts with a dollar is not a file.
    pub maps: Vec<Vec<u8>>,
    /// The frames per second of an animation; `None` if it is not animated.
    pub fps: Option<F32>,
    /// True if texture coordinates are clamped instead of repeated.
    pub clamp: bool,
    /// The blend factors of the texture and of the background, as in OpenGL.
    pub blend: [BlendFactor; 2],
    /// True if alpha cuts out parts of the stage.
    pub alpha_test: bool,
    /// The source of its colour.
    pub colour: ColourSource,
    /// True if its alpha is that of the vertices.
    pub alpha_of_vertex: bool,
    /// True if its texture coordinates are computed or move.
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
    /// The name of the lightmap, which is not a file.
    pub const LIGHTMAP: &'static [u8] = b"$lightmap";

    /// Returns the texture of a still image.
    pub fn map(&self) -> &[u8] {
        self.maps.first().map_or(&[], Vec::as_slice)
    }

    /// Returns true if the stage hides the background.
    pub fn is_opaque(&self) -> bool {
        self.blend == [BlendFactor::One, BlendFactor::Zero]
    }

    /// Returns true if the stage is blended with the background by its alpha.
    pub fn is_blended(&self) -> bool {
        self.blend == [BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha]
    }

    fn is_lightmap(&self) -> bool {
        self.map().eq_ignore_ascii_case(Self::LIGHTMAP)
    }
}

/// The source of a stage's colour. It helps to find the stage that shows the material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColourSource {
    /// The texture's own colour.
    #[default]
    Identity,
    /// The texture times the vertex colours.
    Vertex,
    /// The texture times the light.
    LightingDiffuse,
    /// Anything else, such as a constant, a wave or the colour of the entity.
    Other,
}

macro_rules! factors {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)+) => {
        /// The factor of one side of a blend.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum BlendFactor {
            $($(#[$doc])* $variant,)+
        }

        impl BlendFactor {
            /// All factors.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns its name, as in OpenGL without the prefix.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
    };
}

factors! {
    /// The factor 1.
    One = "one";
    /// The factor 0.
    Zero = "zero";
    /// The texture's colour.
    SrcColor = "src_color";
    /// 1 minus the texture's colour.
    OneMinusSrcColor = "one_minus_src_color";
    /// The texture's alpha.
    SrcAlpha = "src_alpha";
    /// 1 minus the texture's alpha.
    OneMinusSrcAlpha = "one_minus_src_alpha";
    /// The background's colour.
    DstColor = "dst_color";
    /// 1 minus the background's colour.
    OneMinusDstColor = "one_minus_dst_color";
    /// The background's alpha.
    DstAlpha = "dst_alpha";
    /// 1 minus the background's alpha.
    OneMinusDstAlpha = "one_minus_dst_alpha";
}

impl fmt::Display for BlendFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

pub use select::Shaders;
