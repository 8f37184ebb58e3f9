//! Pictures of Meshwright scenes without a GPU.
//!
//! [`render`] draws a [`Scene`](meshwright_scene::Scene) in a [`Posed`] state into a [`Picture`]: textures in true
//! perspective with mip levels, three lights in linear light, masks, blending from the back to the front, 4x4 samples a
//! pixel, lines that are tested for depth.
//!
//! | type | is |
//! |---|---|
//! | [`RenderOptions`], [`Camera`], [`View`], [`Overlays`] | what is drawn, from where, how |
//! | [`Posed`] | vertices and joints as they stand, computed here or elsewhere |
//! | [`Texture`] | a decoded picture of a material with its mip levels |
//! | [`Comparison`] | where two pictures differ |
//! | [`Picture`] | the result: pixels, text on it, pictures side by side, PNG, APNG |
//!
//! ```
//! use meshwright_render::{Camera, Posed, RenderOptions, render};
//! use meshwright_scene::{Budget, Limits, Mesh, MeshId, Node, Scene};
//!
//! let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let scene = Scene::new("flag")
//!     .with_meshes(vec![Mesh::new("flag", corners, vec![[0, 1, 2]])])
//!     .with_nodes(vec![Node::of_mesh("flag", MeshId(0))]);
//! let budget = Budget::new(Limits::default());
//! let options = RenderOptions::new(64, 64).with_camera(Camera::FRONT);
//! let picture = render(&scene, &Posed::bind(), &[], &options, &budget)?;
//! assert_ne!(picture.pixel(24, 40), Some(options.background));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The same bits everywhere
//!
//! Which sample a triangle covers is decided in whole numbers; everything else by sums, products, quotients and square
//! roots, which every machine rounds alike, and by libm's sines for cameras and poses. Bands of the picture are drawn
//! by any number of threads and do not know each other. A picture is the same to the bit on every machine.
//!
//! # Safety contract
//!
//! No unsafe code. Any scene, pose and options give a picture or an error. Triangles with a corner that is not finite are
//! left out. Vertices, triangles, bands and samples are charged to the [`Budget`](meshwright_scene::Budget) before memory is
//! taken for them and before they are drawn; time is linear in pixels, triangles, and the samples that triangles cover.
//!
//! # Features
//!
//! `png` (default): [`Picture::to_png`], [`animation`].
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

mod band;
mod camera;
mod compare;
mod draw;
#[cfg(feature = "png")]
mod encode;
mod font;
mod lines;
mod options;
mod picture;
mod pose;
mod project;
mod shade;
mod sheet;
mod texture;
mod triangle;

pub use camera::{Bounds, Camera};
pub use compare::Comparison;
pub use draw::{extent, render};
#[cfg(feature = "png")]
pub use encode::{EncodeError, animation};
pub use options::{Overlays, RenderOptions, View};
pub use picture::Picture;
pub use pose::Posed;
pub use sheet::sheet;
pub use texture::Texture;

/// The README's example, compiled with the documentation tests.
#[cfg(all(doctest, feature = "png"))]
#[doc = include_str!("../README.md")]
struct Readme;
