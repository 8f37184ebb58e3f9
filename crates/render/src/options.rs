//! What is drawn, from where, how.

use crate::camera::{Bounds, Camera};
use meshwright_scene::Levels;

/// What a surface shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum View {
    /// Its material under three lights.
    #[default]
    Lit,
    /// Its material as it is.
    Unlit,
    /// Where it faces: x, y and z of the normal as red, green and blue.
    Normals,
    /// Its texture coordinates: u as red, v as green, over a chequered square.
    Uvs,
}

/// What is drawn over the surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Overlays {
    /// A line from every joint to its parent; faint where a surface hides it.
    pub bones: bool,
    /// The name of every joint beside it, as far as there is room.
    pub names: bool,
    /// The edges of the triangles that are seen.
    pub wireframe: bool,
    /// A line along every vertex normal.
    pub normals: bool,
    /// The box around what is drawn.
    pub bounds: bool,
}

/// The largest width and height of a picture.
pub(crate) const MAX_SIDE: u32 = 16_384;

/// How a picture is drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RenderOptions {
    /// Pixels from left to right, at most 16384.
    pub width: u32,
    /// Pixels from top to bottom, at most 16384.
    pub height: u32,
    /// Where it is seen from.
    pub camera: Camera,
    /// What the camera takes in; what is drawn where there is nothing said.
    pub frame: Option<Bounds>,
    /// The colour behind everything, on the sRGB curve, its alpha not multiplied.
    pub background: [u8; 4],
    /// What surfaces show.
    pub view: View,
    /// What is drawn over them.
    pub overlays: Overlays,
    /// 4x4 samples a pixel instead of one.
    pub supersample: bool,
    /// Which levels of detail are drawn.
    pub levels: Levels,
    /// How many threads draw.
    pub threads: usize,
}

impl RenderOptions {
    /// The colour behind everything unless another is chosen: a grey on which both black and white are seen.
    pub const BACKGROUND: [u8; 4] = [0x59, 0x60, 0x69, 0xff];

    /// A lit picture of this size, seen from three quarters, drawn by one thread.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Self {
        Self {
            width,
            height,
            camera: Camera::THREE_QUARTER,
            frame: None,
            background: Self::BACKGROUND,
            view: View::Lit,
            overlays: Overlays::default(),
            supersample: true,
            levels: Levels::Finest,
            threads: 1,
        }
    }
}

macro_rules! with {
    ($($(#[$doc:meta])* $name:ident($field:ident: $type:ty);)+) => {
        impl RenderOptions {$(
            $(#[$doc])*
            #[must_use]
            pub const fn $name(mut self, $field: $type) -> Self {
                self.$field = $field;
                self
            }
        )+}
    };
}

with! {
    /// The same seen from elsewhere.
    with_camera(camera: Camera);
    /// The same with a box that the camera takes in: several pictures of one model then fit each other.
    with_frame(frame: Option<Bounds>);
    /// The same before another colour.
    with_background(background: [u8; 4]);
    /// The same with surfaces that show something else.
    with_view(view: View);
    /// The same with other things drawn over the surfaces.
    with_overlays(overlays: Overlays);
    /// The same with 4x4 samples a pixel, or with one.
    with_supersample(supersample: bool);
    /// The same with another choice of levels of detail.
    with_levels(levels: Levels);
    /// The same drawn by so many threads.
    with_threads(threads: usize);
}
