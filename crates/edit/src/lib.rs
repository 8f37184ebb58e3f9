//! An edited scene compared with the model that it was exported from.
//!
//! A model is exported as glTF, edited in a tool, and imported as a plain scene: joints have other axes, vertices another
//! order, clips other keys, and every number is slightly off. [`Patch::find`] compares that scene with the original, once.
//! The [`Patch`] says for each joint, mesh, vertex, triangle and clip which of the original's it is and what of it changed.
//! A format keeps its own records for what did not change, and encodes the rest: [`apply`] has what formats share for that.
//!
//! Of a material colour and name are compared, of the extras of a clip those fields that the original's clip has. Tangents,
//! what becomes of alpha, the colour of what is hidden and other extras are not: they stay the original's. So does an
//! attribute that the edited mesh does not have.
//!
//! Except at [`Snap::Exact`] these are not edits, since tools make them of what nobody touched; an edit that does the same
//! is not seen:
//! - a normal that leans within 0.81 degrees of an edge's way leans along the edge, or is the mean of the faces around at
//!   an edge without length; normals of triangles too thin to be seen say nothing;
//! - influences below 1e-4 are left out, and the others divided by their sum;
//! - bones lean by less than 1e-3 radians, and all poses with them, as their ends are numbers of 32 bits;
//! - colours are those of the corners that have the numbers of the vertices (3.4), of all vertices of a mesh;
//! - clips are sampled between keys by blending the parts of rotations.
//!
//! # Safety contract
//!
//! No unsafe code. Any two scenes give a patch or an error. Comparisons are charged to the [`Budget`] before they are made.
//!
//! Features: `proptest` adds edits of scenes, and what measures a format's result against them.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "tests use small numbers")
)]

extern crate alloc;
#[cfg(any(test, feature = "proptest"))]
extern crate std;

pub mod apply;
mod attributes;
mod correspond;
#[cfg(feature = "proptest")]
pub mod edits;
mod find;
mod joint_index;
mod options;
mod patch;
mod report;
mod tolerance;
mod tools;
mod work;

pub use attributes::Attributes;
pub use meshwright_core::{Budget, LimitExceeded, Limits};
pub use options::{Absent, Options, Original, Snap};
pub use patch::{ClipPatch, JointPatch, MaterialPatch, MeshPatch, Patch, Poses, VertexPatch};
pub use report::{ClipChange, JointChange, MaterialChange, MeshChange, Part, Recovery, State};
pub use tools::gltf_transform::is_palette;

#[cfg(test)]
mod tests;
