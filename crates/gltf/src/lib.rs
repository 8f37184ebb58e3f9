//! Meshwright scenes as glTF 2.0.
//!
//! [`export`] turns a [`Scene`](meshwright_scene::Scene) into a [`Gltf`], which gives a GLB or a `.gltf` with
//! its buffer. [`document`] reads any glTF document, [`import`] makes a scene of one, and [`playback`] plays a GLB as a
//! viewer would, from its bytes alone. [`GltfFile`] is a file as other formats have them.
//!
//! # What a scene becomes
//!
//! | scene | glTF |
//! |---|---|
//! | level of detail | a scene each, the finest first |
//! | node | a node; where it draws several meshes, a child for each |
//! | mesh | a mesh with one primitive |
//! | skinned mesh | also a node of its own at the root of the scene, without transform |
//! | skeleton | a node with its joints below, and one skin that all its meshes share; it is there without meshes too |
//! | clip | an animation with linear samplers and the keys of the clip; how it is played is in its `extras` |
//! | material, or none | a material with metallic 0 and roughness 1 |
//! | extras | `extras` of the same object; of the scene as a whole, of the first glTF scene |
//! | format, name, scale, clips | `extras.meshwright` of the first glTF scene |
//!
//! Choices that a reader of the file should know:
//!
//! * **Influences.** Four per vertex, the heaviest, unless [`Influences::All`] is asked for. Weights are
//!   made to sum to 1, repeated joints of a vertex are merged, joint 0 stands where the weight is 0. Vertices
//!   that nothing moves hang on an extra joint `neutral_bone` that never moves.
//! * **Loops.** glTF does not say whether an animation loops. The frames of a clip are written as they are, so
//!   a viewer that repeats the animation jumps from the last frame to the first, and a note says by how much the loop
//!   takes longer in its game; [`close_loops`](ExportOptions::close_loops) repeats the first frame at the end, where the
//!   period of the clip ends. The `extras` of every animation hold its `rate` in frames per second, `loop`, the frame of
//!   the file at which it has its `start`, its `frames`, and of a loop the `period` in seconds.
//! * **For an import.** Blender drops the extras of animations, and keeps a text on the scene: `extras.meshwright` is JSON
//!   as a text, with `v` 1, the `format` and `name` of the file, the `scale` by which lengths were multiplied where that
//!   is not 1, and of all `clips` `name`, `rate`, `loop`, `start` and `frames`.
//! * **Another rate.** [`frames_at`](ExportOptions::frames_at) puts frame `k` at `k` over that rate, which is then said beside each
//!   clip: an editor that samples at its own rate meets every frame, and an import has the clips at theirs again. Without it a
//!   note says which rate the editor's scene must have.
//! * **The way back.** [`export_keeping`] puts more into that text, and says of joints, meshes and materials which they are.
//! * **From clip to clip.** Editors leave what a clip has no keys for where the clip before it put it. So where a
//!   skeleton has several clips, each has a key for whatever one of them moves. Blender's bones have no scale at rest
//!   and stand as they are bound: what of a rest pose they cannot hold has a key in every clip, of a single one too.
//! * **Keys.** A channel that never leaves the rest value is left out otherwise, one that is constant has one key. Keys
//!   within three or more equal ones are left out, and those outside the first and the last that differ. One channel of
//!   an animation has keys at its beginning and its end. Keys lie in one view, equal ones once. Where a loop blends from its last key to its first,
//!   or a clip towards a key behind its end, its first and last frame become keys. Signs of quaternions are
//!   changed so that neighbours lie in one hemisphere. Where the format blends between keys otherwise than glTF's
//!   spherical interpolation, the difference is measured and reported as a loss.
//! * **Shear.** Joints are translation, rotation and scale. What a matrix holds beyond that is a reported loss;
//!   in the rest pose the inverse bind matrices make up for it. Inverse bind matrices may shear, but importers that
//!   make bones of joints take them apart: where several joints share one that shears, and no others move their vertices,
//!   vertices and matrices are written as if it did not, which moves nothing. Where vertices follow joints of
//!   different binds that shear, or are scaled unevenly, Blender deforms them otherwise than glTF says.
//! * **Vertices that no triangle uses** are written, and a note says how many: Blender drops them.
//!   [`Scene::prune`](meshwright_scene::Scene::prune) does so before.
//! * **Joints that follow others** are sampled at every frame, and hang from the skeleton's node.
//! * **Vertex colours.** glTF means linear light. Display bytes, which the formats have, are turned into it on the sRGB
//!   curve and written as 16-bit normalised `COLOR_0`, from which every one of them comes back
//!   ([`srgb16`](meshwright_scene::color::srgb16)); bytes that are linear already stay 8-bit normalised. Alpha is never
//!   on a curve.
//! * **Alpha.** `alphaMode` is what the material asks for; where it leaves that open, alpha of texture and vertices
//!   that is 0 or 255 everywhere is a `MASK` at 0.5, any other is `BLEND`. Without alpha below 255 it is `OPAQUE`. A
//!   material on meshes with and without alpha is written once for each.
//!
//! Nothing that is not finite reaches the file, the same scene gives the same bytes, and the Khronos validator
//! finds neither errors nor warnings. It calls the skin of a skeleton without meshes unused, for information.
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
//! linear in the scene and what is written; work that multiplies, such as clips by keys that are equal, is charged as steps. [`document::Document`] makes an error of any bytes, or tables whose indices,
//! ranges and types are all checked, within 256 MiB unless said otherwise and without recursion. [`playback::Player`]
//! makes a player or an error of any bytes, within 1 GiB unless said otherwise.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

mod audit;
pub mod document;
mod export;
mod file;
pub mod import;
mod math;
pub mod playback;
mod reread;

pub use export::{ExportOptions, Gltf, Influences, export, export_keeping};
pub use file::GltfFile;
pub use reread::reread;

/// The README's example, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
