//! Options of [`render`](crate::render()).

use crate::camera::{Bounds, Camera};
use meshwright_scene::Levels;

/// The way in which surfaces are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum View {
    /// Materials under three lights.
    #[default]
    Lit,
    /// Materials without lights.
    Unlit,
    /// Normals: x, y and z as red, green and blue.
    Normals,
    /// Texture coordinates: u as red, v as green, on a chequered pattern.
    Uvs,
}

/// Lines and names over the surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Overlays {
    /// A line from every joint to its parent. It is faint where a surface hides it.
    pub bones: bool,
    /// The name of every joint next to it, if there is room.
    pub names: bool,
    /// The edges of visible triangles.
    pub wireframe: bool,
    /// A line along every vertex normal.
    pub normals: bool,
    /// The bounding box of the model.
    pub bounds: bool,
}

/// The largest width and height of a rendering.
pub(crate) const MAX_SIDE: u32 = 16_384;

/// Options of [`render`](crate::render()).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RenderOptions {
    /// The width in pixels, at most 16384.
    pub width: u32,
    /// The height in pixels, at most 16384.
    pub height: u32,
    /// The camera.
    pub camera: Camera,
    /// The box that the camera shows; by default the bounding box of the model.
    pub frame: Option<Bounds>,
    /// The background in sRGB, with straight alpha.
    pub background: [u8; 4],
    /// The look of surfaces.
    pub view: View,
    /// Lines and names over the surfaces.
    pub overlays: Overlays,
    /// True if there are 4x4 samples per pixel instead of one.
    pub supersample: bool,
    /// The visible levels of detail.
    pub levels: Levels,
    /// The number of threads.
    pub threads: usize,
}

impl RenderOptions {
    /// The default background: a grey on which both black and white are visible.
    pub const BACKGROUND: [u8; 4] = [0x59, 0x60, 0x69, 0xff];

    /// Returns options for a lit rendering of this size, from three quarters, on one thread.
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
    /// Sets the camera.
    with_camera(camera: Camera);
    /// Sets the box that the camera shows, so that several renderings fit each other.
    with_frame(frame: Option<Bounds>);
    /// Sets the background.
    with_background(background: [u8; 4]);
    /// Sets the way in which surfaces are drawn.
    with_view(view: View);
    /// Sets the overlays.
    with_overlays(overlays: Overlays);
    /// Sets whether there are 4x4 samples per pixel.
    with_supersample(supersample: bool);
    /// Sets the levels of detail.
    with_levels(levels: Levels);
    /// Sets the number of threads.
    with_threads(threads: usize);
}
