//! Skeletons, poses, clip sampling and skinning for Meshwright scenes, on glam.
//!
//! | type | is |
//! |---|---|
//! | [`Rig`] | a skeleton made ready: joints in an order in which parents come first, names, bind matrices |
//! | [`Sampler`] | a clip made ready: local matrices at any frame, by the format's own rule or a chosen [`Blend`] |
//! | [`Pose`] | local, model-space and palette matrices of one skeleton, in buffers that are used again |
//! | [`SkinPlan`] | a skinned mesh made ready, filling the caller's slices |
//! | [`Evaluator`], [`evaluate`] | all of it for a scene: the vertices of a mesh at a frame of a clip |
//!
//! What is made ready once is checked then; what runs per frame allocates nothing.
//!
//! # Precision
//!
//! Everything that holds matrices is generic over [`Matrix`]: [`glam::Affine3A`] for speed,
//! [`glam::DAffine3`] for comparisons and for long chains of joints. Vertices go in and out as `[f32; 3]`.
//!
//! # Rules of the formats
//!
//! * A pose set holds local matrices. [`Interpolation::Matrix`](meshwright_scene::Interpolation::Matrix) blends
//!   their elements (what DarkPlaces does); the other rules take them apart and blend translation, rotation
//!   and scale. [`Blend`] chooses one or the other against the clip's own rule.
//! * A looping clip has the period `frames`: behind the last frame comes the first. Another is clamped.
//! * A skin binds vertices in model space, moved by palettes, or holds them weighted in the space of every
//!   joint, moved by model-space matrices: the sum of `R * position + weight * t`.
//! * A joint may follow the weighted mean of others.
//!
//! ```
//! use meshwright_rig::{NameMatch, Pose, Rig, Sampler, glam::Affine3A};
//! use meshwright_scene::Scene;
//! # fn demo(scene: &Scene) -> Result<(), meshwright_rig::RigError> {
//! let rig = Rig::new(&scene.skeletons[0])?;
//! let sampler = Sampler::new(scene, 0)?;
//! let mut pose = Pose::<Affine3A>::new(&rig);
//! pose.sample(&rig, &sampler, 12.5)?;
//! let hand = pose.attachment(&rig, "tag_hand", NameMatch::IgnoreCase);
//! # Ok(()) }
//! ```
//!
//! `no_std` with `alloc`, no unsafe code.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod animation;
mod bounds;
mod dual;
mod error;
mod evaluate;
mod kernels;
mod layers;
mod local;
mod matrix;
mod plan;
mod pose;
mod rig;
mod root;
mod sample;
mod skin;
mod tracks;
mod workspace;

pub use animation::{Animation, Player};
pub use bounds::Bounds;
pub use error::RigError;
pub use evaluate::{Evaluator, Precision, evaluate, world_transforms};
pub use glam;
pub use kernels::{Interleaved, Output, Path};
pub use layers::{Layer, Mask};
pub use local::{JointPose, LocalPose};
pub use matrix::Matrix;
pub use plan::{Choice, Kernel, PlanInfo, PlanOptions};
pub use pose::{Pose, blend_poses};
pub use rig::{NameMatch, Rig};
pub use root::{Axes, RootMotion};
pub use sample::{Blend, Sampler};
pub use skin::{Form, JointSet, Joints, Normals, SkinPlan, SkinSource};
pub use workspace::Workspace;
