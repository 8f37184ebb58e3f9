//! Meshwright scenes as glTF 2.0.
//!
//! [`export`] turns a [`Scene`](meshwright_scene::Scene) into a [`Gltf`], which gives a GLB or a `.gltf` with
//! its buffer. [`document`] reads any glTF document, and [`playback`] plays a GLB as a viewer would, from its bytes
//! alone.
//!
//! # What a scene becomes
//!
//! | scene | glTF |
//! |---|---|
//! | level of detail | a scene each, the finest first |
//! | node | a node; where it draws several meshes, a child for each |
//! | mesh | a mesh with one primitive |
//! | skinned mesh | also a node of its own at the root of the scene, without transform |
//! | skeleton | a node with its joints below, and one skin that all its meshes share |
//! | clip | an animation with linear samplers and the keys of the clip |
//! | material, or none | a material with metallic 0 and roughness 1, blended when its colour is not opaque |
//! | extras | `extras` of the same object; of the scene as a whole, of the first glTF scene |
//!
//! Choices that a reader of the file should know:
//!
//! * **Influences.** Four per vertex, the heaviest, unless [`Influences::All`] is asked for. Weights are
//!   made to sum to 1, repeated joints of a vertex are merged, joint 0 stands where the weight is 0. Vertices
//!   that nothing moves hang on an extra joint `neutral_bone` that never moves.
//! * **Loops.** glTF does not say whether an animation loops. The frames of a clip are written as they are, so
//!   a viewer that repeats the animation jumps from the last frame to the first;
//!   [`close_loops`](ExportOptions::close_loops) repeats the first frame at the end, where the period of the
//!   clip ends.
//! * **Keys.** A channel that never leaves the rest value is left out, one that is constant has one key. The
//!   length of the clip is kept, if need be by two equal keys. Where a loop blends from its last key to its first,
//!   or a clip towards a key behind its end, its first and last frame become keys. Signs of quaternions are
//!   changed so that neighbours lie in one hemisphere. Where the format blends between keys otherwise than glTF's
//!   spherical interpolation, the difference is measured and reported as a loss.
//! * **Shear.** Joints are translation, rotation and scale. What a matrix holds beyond that is a reported loss;
//!   in the rest pose the inverse bind matrices make up for it.
//! * **Joints that follow others** are sampled at every frame, and hang from the skeleton's node.
//! * **Vertex colours** are written byte for byte as normalised `COLOR_0`. glTF reads them as linear light; the
//!   formats do not say what they are.
//!
//! Nothing that is not finite reaches the file, the same scene gives the same bytes, and the Khronos validator
//! finds neither errors nor warnings.
//!
//! ```
//! use meshwright_gltf::{ExportOptions, export};
//! use meshwright_scene::{Mesh, MeshId, Node, Scene};
//!
//! let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let mut scene = Scene::new("tri");
//! scene.meshes.push(Mesh::new("tri", corners, vec![[0, 1, 2]]));
//! scene.nodes.push(Node::of_mesh("tri", MeshId(0)));
//! let glb = export(&scene, &ExportOptions::default())?.value.to_glb();
//! assert_eq!(&glb[..4], b"glTF");
//! # Ok::<(), meshwright_scene::ConvertError>(())
//! ```
//!
//! # Safety contract
//!
//! No unsafe code. [`export`] validates the scene and charges buffer, JSON and working memory before they are taken,
//! 256 MiB unless the options say otherwise; what does not fit, or is longer than a GLB can be, is an error. Time is
//! linear in the scene and what is written. [`document::Document`] makes an error of any bytes, or tables whose indices,
//! ranges and types are all checked, within 256 MiB unless said otherwise and without recursion. [`playback::Player`]
//! makes a player or an error of any bytes, within 1 GiB unless said otherwise.
#![forbid(unsafe_code)]

pub mod document;
mod export;
mod math;
pub mod playback;

pub use export::{ExportOptions, Gltf, Influences, export};

/// The README's example, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
