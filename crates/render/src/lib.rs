//! Renders Meshwright scenes without a GPU.
//!
//! [`render`] draws a [`Scene`](meshwright_scene::Scene) in a [`ScenePose`] and returns a [`Rendering`]. It draws
//! textures in true perspective with mip levels, three lights in linear light, masks, back-to-front blending, 4x4
//! samples per pixel, and lines with a depth test.
//!
//! | type | purpose |
//! |---|---|
//! | [`RenderOptions`], [`Camera`], [`View`], [`Overlays`] | size, camera, surfaces and lines |
//! | [`ScenePose`] | the posed vertices and joints, computed by this crate or by the caller |
//! | [`Texture`] | a decoded texture with mip levels |
//! | [`Comparison`] | the pixels in which two renderings differ |
//! | [`Rendering`] | the result: pixels, text, PNG, APNG |
//!
//! ```
//! use meshwright_render::{Camera, ScenePose, RenderOptions, render};
//! use meshwright_scene::{Budget, Limits, Mesh, MeshId, Node, Scene};
//!
//! let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let scene = Scene::new("flag")
//!     .with_meshes(vec![Mesh::new("flag", corners, vec![[0, 1, 2]])])
//!     .with_nodes(vec![Node::of_mesh("flag", MeshId(0))]);
//! let budget = Budget::new(Limits::default());
//! let options = RenderOptions::new(64, 64).with_camera(Camera::FRONT);
//! let picture = render(&scene, &ScenePose::bind_pose(), &[], &options, &budget)?;
//! assert_ne!(picture.pixel(24, 40), Some(options.background));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The same bits everywhere
//!
//! Integer arithmetic decides which samples a triangle covers. Everything else uses sums, products,
//! quotients and square roots, which every machine rounds in the same way, and libm's sine for cameras and
//! poses. Threads draw separate bands. So a rendering is the same to the bit on every machine.
//!
//! # Safety contract
//!
//! No unsafe code. Any scene, pose and options give a rendering or an error. Triangles with a corner that is not
//! finite are skipped. Vertices, triangles, bands and samples are charged to the [`Budget`](meshwright_scene::Budget)
//! before memory is allocated and before they are drawn. Time is linear in pixels, triangles, and the samples that
//! triangles cover.
//!
//! # Features
//!
//! `png` (default): [`Rendering::to_png`], [`AnimationEncoder`].
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

mod band;
mod camera;
mod comparison;
mod contact_sheet;
#[cfg(feature = "png")]
mod encode;
mod font;
mod options;
mod overlay_lines;
mod pose;
mod projection;
mod render;
mod rendering;
mod shading;
mod texture;
mod triangle;

pub use camera::{Bounds, Camera};
pub use comparison::Comparison;
pub use contact_sheet::contact_sheet;
#[cfg(feature = "png")]
pub use encode::{AnimationEncoder, EncodeError};
pub use options::{Overlays, RenderOptions, View};
pub use pose::ScenePose;
pub use render::{render, visible_bounds};
pub use rendering::Rendering;
pub use texture::Texture;

/// Compiles the README's example with the documentation tests.
#[cfg(all(doctest, feature = "png"))]
#[doc = include_str!("../README.md")]
struct Readme;
