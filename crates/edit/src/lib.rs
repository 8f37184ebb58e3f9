//! Comparison of an edited scene with the model that it was exported from.
//!
//! A model is exported as glTF, edited in a tool, and imported as a plain scene. Its joints have other axes, its
//! vertices another order, its clips other keys, and every number is slightly off. [`Patch::find`] compares that scene
//! with the original. The [`Patch`] says, for each joint, mesh, vertex, triangle and clip, which part of the original
//! it is and what changed. A format keeps its own records for unchanged parts and encodes the rest: [`apply`] has the
//! code that formats share for this.
//!
//! Of a material, the comparison covers colour and name; of a clip's extras, the fields that the original clip has.
//! Tangents, the use of alpha, the colour of hidden surfaces and other extras keep the original's values. So does an
//! attribute that the edited mesh lacks.
//!
//! Tools change some values of unedited models. Except at [`Snap::Exact`], the following changes are not edits. A real
//! edit with the same effect is not detected:
//! - a normal whose direction is within 0.81 degrees of an edge's direction is on the edge, or at an edge without
//!   length is the mean of the faces around it; normals of triangles too thin to be visible are ignored;
//! - influences below 1e-4 are dropped, and the others divided by their sum;
//! - bones and all their poses are tilted by less than 1e-3 radians, because bone ends are 32-bit floats;
//! - each vertex of a mesh has the colour of the corner with its index (Blender 3.4);
//! - clips are sampled between keys by linear interpolation of quaternion components.
//!
//! # Safety contract
//!
//! No unsafe code. Any two scenes give a patch or an error. Comparisons are charged to the [`Budget`] before they are made.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod apply;
mod attributes;
mod comparison;
mod correspond;
mod find_patch;
mod joint_index;
mod options;
mod original_mesh;
mod patch;
mod report;
mod tolerance;
mod tools;

pub use attributes::Attributes;
pub use correspond::correspondence::{Correspondence, MeshMatch};
pub use correspond::mesh_search::PartAt;
pub use joint_index::At as JointAt;
pub use meshwright_core::{Budget, LimitExceeded, Limits};
pub use options::{Absent, Options, Original, Snap};
pub use original_mesh::OriginalMesh;
pub use patch::{ClipPatch, JointPatch, MaterialPatch, MeshPatch, Patch, Poses, VertexPatch};
pub use report::{ClipChange, JointChange, MaterialChange, MeshChange, Part, Recovery, State};
pub use tools::gltf_transform::is_palette;
