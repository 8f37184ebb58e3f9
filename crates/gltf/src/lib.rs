//! Meshwright scenes as glTF 2.0.
//!
//! [`export`] turns a [`Scene`](meshwright_scene::Scene) into a [`Gltf`], which gives a GLB or a `.gltf` with its
//! buffer. [`document`] reads any glTF document, [`import`] converts one to a scene, and [`playback`] plays a GLB
//! like a viewer, using only its bytes. [`GltfFile`] implements the file trait of all formats.
//!
//! # Conversion of a scene
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
//! * **Influences.** Four per vertex, those with the largest weights, unless [`Influences::All`] is chosen. Weights
//!   are normalised to sum to 1, repeated joints of a vertex are merged, and the joint is 0 if the weight is 0.
//!   Vertices without influences are bound to an extra joint `neutral_bone` that never moves.
//! * **Loops.** glTF does not say whether an animation loops. The frames of a clip are written unchanged, so that a
//!   viewer that repeats the animation jumps from the last frame to the first. A note states how much longer the loop
//!   is in its game; [`close_loops`](ExportOptions::close_loops) repeats the first frame at the end, where the period
//!   of the clip ends. The `extras` of every animation hold its `rate` in frames per second, `loop`, the frame of the
//!   file at which it has its `start`, its `frames`, and of a loop the `period` in seconds.
//! * **For an import.** Blender drops the extras of animations, but preserves a text on the scene:
//!   `extras.meshwright` is JSON as a text, with `v` 1, the `format` and `name` of the file, the `scale` of lengths
//!   if it is not 1, and for all `clips` `name`, `rate`, `loop`, `start` and `frames`.
//! * **Another rate.** [`frames_at`](ExportOptions::frames_at) puts frame `k` at `k` over that rate, and writes the
//!   rate in each clip's extras. An editor that samples at this rate gets every frame, and an import restores the
//!   clips' own rates. Without it, a note states the rate that the editor's scene must have.
//! * **Round trip.** [`export_keeping`] adds more to that text, and numbers joints, meshes and materials in their
//!   extras.
//! * **From clip to clip.** If a clip has no keys for a channel, editors leave it where the previous clip put it. So
//!   if a skeleton has several clips, each has a key for every channel that one of them moves. Blender's bones have
//!   the bind pose, and no scale at rest. The rest of a rest pose has a key in every clip, even if there is only one.
//! * **Keys.** Other channels that never leave the rest value are dropped, and a constant channel has one key. Keys
//!   within three or more equal ones are dropped, and those outside the first and the last that differ. One channel
//!   of an animation has keys at its beginning and its end. Keys share one view, equal ones once. If a loop blends
//!   from its last key to its first, or a clip towards a key after its end, its first and last frame become keys.
//!   Signs of quaternions are changed so that neighbours are in one hemisphere. If the format's interpolation differs
//!   from glTF's spherical one, the difference is measured and reported as a loss.
//! * **Shear.** Joints are translation, rotation and scale. The rest of a matrix is a reported loss; in the rest pose
//!   the inverse bind matrices compensate for it. Inverse bind matrices may shear, but importers that convert joints
//!   to bones decompose them. If several joints share a sheared matrix, and no others move their vertices, the shear
//!   is moved from the matrices to the vertices, which changes no position. If vertices follow joints with different
//!   bind matrices that shear or scale unevenly, Blender deforms them differently from glTF.
//! * **Vertices that no triangle uses** are written, and a note counts them: Blender drops them.
//!   [`Scene::prune`](meshwright_scene::Scene::prune) does so before.
//! * **Joints that follow others** are sampled at every frame, and are children of the skeleton's node.
//! * **Vertex colours.** glTF uses linear light. Display bytes, which the formats have, are converted with the sRGB
//!   curve and written as 16-bit normalised `COLOR_0`, which converts back exactly
//!   ([`srgb16`](meshwright_scene::color::srgb16)); bytes that are linear already stay 8-bit normalised. Alpha is
//!   never on a curve.
//! * **Alpha.** `alphaMode` is that of the material. If the material leaves it open, the alpha of texture and
//!   vertices decides: `OPAQUE` if all of it is 255, a `MASK` at 0.5 if all of it is 0 or 255, `BLEND` otherwise. A
//!   material on meshes with and without alpha is written once for each.
//!
//! Nothing that is not finite reaches the file, the same scene gives the same bytes, and the Khronos validator finds
//! neither errors nor warnings. It calls the skin of a skeleton without meshes unused, for information.
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
//! No unsafe code. [`export`] validates the scene and charges buffer, JSON and working memory before it allocates,
//! 256 MiB by default. A larger result, or one that is longer than a GLB can be, is an error. Time is linear in the
//! scene and the output; work that multiplies, such as clips by equal keys, is charged as steps. From any bytes,
//! [`document::Document`] returns an error, or tables whose indices, ranges and types are all checked, within 256 MiB
//! by default and without recursion. From any bytes, [`playback::Player`] returns a player or an error, within 1 GiB
//! by default.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

mod audit;
mod description;
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
