//! Moves meshes and clips from one skeleton to another.
//!
//! [`retarget_scene`] is the simplest interface: it maps the bones, binds the meshes to the target's
//! skeleton, and writes the clips as keys of the target's bones.
//!
//! ```
//! use meshwright_retarget::{Hold, RetargetOptions, retarget_scene};
//! use meshwright_scene::Scene;
//!
//! # fn demo(body: &Scene, game: &Scene) -> Result<(), Box<dyn std::error::Error>> {
//! let options = RetargetOptions::default().with_hold(Hold::NOTHING.with_feet(true));
//! let done = retarget_scene(body, game, &options)?;
//! for loss in &done.losses {
//!     println!("{loss}");
//! }
//! std::fs::write("bones.toml", done.value.map.to_string())?;
//! # Ok(()) }
//! ```
//!
//! An engine that retargets during playback creates a [`BoneMap`] and a [`Retargeter`] once, and calls
//! [`Retargeter::retarget`] for each pose. That call does not allocate.
//!
//! # Rules
//!
//! * A bone points in the direction of the source's bone. Rest poses may differ: a T-pose, an A-pose and a
//!   stance with a gun fit each other. The rotation between two rest poses follows from the directions of
//!   limbs, and from the lines between hips and between shoulders. In both rest poses the head must face
//!   forward and the soles must be level.
//! * Bones have the target's lengths. If the source's clip translates a bone, the translation is scaled and
//!   added.
//! * The motion of the whole character is multiplied by the ratio of leg lengths.
//! * If the target has a joint above the hips and the source does not, the joint moves with the hips.
//! * A target bone without a source keeps its rest pose relative to its parent. A source bone without a
//!   target moves nothing, unless it is above all mapped bones; its vertices follow the nearest mapped bone above it.
//! * Meshes keep the pose in which they were modelled. Along a bone they are stretched to its new length;
//!   across it they are scaled as the whole body.
//! * [`Hold`] keeps feet or hands on the source's path, scaled to the target's size, by bending knees or
//!   elbows.
//!
//! # Bone maps
//!
//! [`BoneMap::guess`] maps bones with the same names, then bones of the same body part. It knows the names
//! of [`FAMILIES`]: The Sims, Mixamo, Rigify, VRM, the players of Nexuiz, and Quake-style players. Other
//! skeletons are matched by the words in names, by their hierarchy and by the positions of their joints.
//! [`MapFile`] is a map as text that can be edited.
//!
//! # Safety contract
//!
//! No unsafe code. Any two scenes give a result or an error. Memory is charged to a budget. Time is linear in the number of
//! keys and vertices, and quadratic in the number of joints at most.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

extern crate alloc;

mod align;
mod body;
mod body_parts;
mod clip;
mod error;
mod families;
mod geometry;
mod limbs;
mod map;
mod map_file;
mod mesh;
mod report;
mod retargeter;
mod scene;
mod words;

pub use body::{BodyPart, Part, Side};
pub use error::MapError;
pub use families::{FAMILIES, Family};
pub use limbs::Hold;
pub use map::{Basis, BoneMap, MappedBone};
pub use map_file::{MapEntry, MapFile};
pub use report::{BoneReport, EndReport, Report};
pub use retargeter::Retargeter;
pub use scene::{RetargetOptions, Retargeted, retarget_scene};

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
