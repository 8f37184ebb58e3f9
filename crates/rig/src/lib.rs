//! Poses, animates and skins Meshwright scenes on the CPU, with the math of glam.
//!
//! [`Evaluator`] is the simplest interface: it takes a scene, a clip and a time, and returns the vertices of
//! each mesh.
//!
//! ```
//! use meshwright_rig::Evaluator;
//! use meshwright_scene::{MeshId, Scene};
//!
//! # fn demo(scene: &Scene) -> Result<(), meshwright_rig::RigError> {
//! let mut evaluator = Evaluator::new(scene)?;
//! evaluator.pose_seconds(0, 1.25)?; // the first clip at 1.25 seconds
//! let mesh = evaluator.mesh(MeshId(0))?;
//! println!("{:?}", mesh.positions);
//! # Ok(()) }
//! ```
//!
//! An engine that allocates nothing per frame uses the eight types that `Evaluator` is built from:
//!
//! | type | purpose |
//! |---|---|
//! | [`Rig`] | a skeleton, prepared: joint order, names, inverse bind matrices |
//! | [`Sampler`] | a clip, sampled by the rule of its format, in 32 or 64 bits |
//! | [`Animation`] | a clip, prepared for fast playback |
//! | [`Player`] | plays an `Animation`; remembers the current keys |
//! | [`LocalPose`] | translation, rotation and scale of each joint; can be blended |
//! | [`Pose`] | the matrices of each joint |
//! | [`SkinPlan`] | a skinned mesh, prepared for its kernel |
//! | [`Workspace`] | the memory that skinning needs between its steps |
//!
//! ```
//! use meshwright_rig::glam::Affine3A;
//! use meshwright_rig::{
//!     Animation, LocalPose, NameMatch, Output, Player, Pose, Rig, Sampler, SkinPlan, Workspace,
//! };
//! use meshwright_scene::Scene;
//!
//! # fn demo(scene: &Scene) -> Result<(), meshwright_rig::RigError> {
//! // Once per model. Everything is checked here.
//! let rig = Rig::new(&scene.skeletons[0])?;
//! // `Animation::new` rejects clips that blend matrices (DPM, ZYM) unless the sampler has `.with_blend(Blend::Rigid)`.
//! let animation = Animation::new(&rig, &Sampler::new(scene, 0)?)?;
//! let plan = SkinPlan::new(&scene.meshes[0], &rig)?;
//! let mut work = Workspace::new().reserved_for(&plan);
//! let mut player = Player::new(&animation);
//! let mut local_pose = LocalPose::new(&rig);
//! let mut pose = Pose::<Affine3A>::new(&rig);
//! let mut positions = vec![[0.0; 3]; plan.vertex_count()];
//! let mut normals = positions.clone();
//!
//! // Every frame. Nothing is allocated here.
//! player.sample_seconds(1.25, &mut local_pose)?; // `sample` takes a frame instead
//! pose.compose(&rig, &local_pose)?;
//! plan.skin(&pose, &mut work, Output::positions(&mut positions).with_normals(&mut normals))?;
//! let hand = pose.attachment(&rig, "tag_hand", NameMatch::IgnoreCase);
//! # Ok(()) }
//! ```
//!
//! [`Layer`] and [`Mask`] blend poses, add differences and cross-fade. [`RootMotion`] extracts the motion of
//! the whole character from its root joint. `examples/skin.rs` shows the simple and the fast way.
//!
//! # Kernels
//!
//! [`SkinPlan::new`] chooses a kernel for each mesh, and [`SkinPlan::info`] reports it:
//!
//! | kernel | vertices |
//! |---|---|
//! | [`Runs`](Kernel::Runs) | one joint each, many neighbours with the same joint (BMD, The Sims) |
//! | [`Single`](Kernel::Single) | one joint each, in any order |
//! | [`Two`](Kernel::Two), [`Three`](Kernel::Three), [`Four`](Kernel::Four), [`Many`](Kernel::Many) | several weighted joints (glTF, Crucible) |
//! | [`Table`](Kernel::Table) | several joints, and neighbours share blends: each blend is computed once |
//! | [`JointSpace`](Kernel::JointSpace) | stored weighted in the space of every joint (DPM, BMD, The Sims) |
//!
//! All kernels write positions, normals and tangents into separate arrays or into one
//! [interleaved](InterleavedLayout) buffer. With the feature `rayon`, `SkinPlan::skin_parallel` uses all threads on
//! large meshes. [`SkinPlan::skin_dual`] blends dual quaternions instead of matrices. [`SkinPlan::bounds`] returns
//! a box around the posed mesh without skinning it, [`SkinPlan::exact_bounds`] the smallest box.
//!
//! An [`InstructionSet`] is AVX2 with FMA, NEON or portable code. It is detected once. Vertices are the same, to
//! the bit, for any number of threads and any memory layout. Two instruction sets differ in the last bits, because
//! FMA rounds once instead of twice. A program that needs the same bits on every machine uses
//! [`InstructionSet::PORTABLE`]. Dual quaternions and spherical blends are an exception: they depend on how glam
//! adds four numbers and on the machine's sine function.
//!
//! # Precision
//!
//! Players, blends and kernels compute in 32 bits. [`Sampler`] and [`Pose`] are generic over [`Matrix`]:
//! [`glam::Affine3A`], or [`glam::DAffine3`] for comparisons and for long chains of joints. Vertices are `[f32; 3]`.
//!
//! # Rules of the formats
//!
//! * A pose set holds local matrices. [`Interpolation::Matrix`](meshwright_scene::Interpolation::Matrix) blends
//!   their elements, as DarkPlaces does. The other rules split each matrix and blend translation, rotation and
//!   scale. [`Blend`] replaces the clip's own rule.
//! * A looping clip repeats after `frames` frames. Another clip is clamped at both ends. Seconds are frames divided
//!   by the clip's rate.
//! * A skin stores vertices in model space, where palette matrices move them, or weighted in the space of every
//!   joint, where model-space matrices move them: the sum of `R * position + weight * t`.
//! * The ordered blends of The Sims are such a sum: each blend of weight `w` multiplies the weights before it by
//!   `1 - w`. Normals are the same sum, normalised at the end. An engine that normalises after each blend gets
//!   other normals only for vertices with several blends.
//! * A joint can follow the weighted mean of other joints.
//!
//! # Features
//!
//! * `std` (default): detects AVX2 at run time. Without it the crate is `no_std` with `alloc`, and uses AVX2 only
//!   if the build targets machines that have it.
//! * `rayon`: skinning on all threads; implies `std`.
//!
//! # Safety contract
//!
//! Only the AVX2 kernels and one store of the NEON kernels are unsafe; every other module denies unsafe
//! code. The kernels read arrays that [`SkinPlan::new`] arranged and checked. Any joints, parents, weights
//! and tracks of a scene give a value or a [`RigError`]. Any frame or time, including infinity and NaN,
//! gives a pose or an error. Memory is proportional to skeleton, clip and mesh. This crate has no memory
//! budget, because the reader that created the scene has charged it. Chains of joints are processed without
//! recursion.
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod animation;
mod error;
mod evaluator;
mod hierarchy;
mod interpolation;
mod joint_pose;
mod kernels;
mod keyed_motion;
mod layers;
mod local_pose;
mod matrix;
mod player;
mod pose;
mod rig;
mod root_motion;
mod sampler;
mod skin;
mod timing;

pub use animation::Animation;
pub use error::RigError;
pub use evaluator::{Evaluator, Precision, evaluate, world_transforms};
pub use glam;
pub use joint_pose::JointPose;
pub use kernels::{InstructionSet, InterleavedLayout, NormalLength, Output};
pub use layers::{Layer, Mask};
pub use local_pose::LocalPose;
pub use matrix::Matrix;
pub use player::Player;
pub use pose::{Pose, blend_poses};
pub use rig::{NameMatch, Rig};
pub use root_motion::{RootAxes, RootMotion};
pub use sampler::{Blend, Sampler};
pub use skin::{
    Bounds, Choice, JointIndices, JointSet, Kernel, PlanInfo, PlanOptions, SkinPlan, SkinSource, VertexSpace,
    Workspace,
};

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
