//! Skeletons, poses, animation and CPU skinning for Meshwright scenes and for any glTF skin, on glam.
//!
//! | type | is |
//! |---|---|
//! | [`Rig`] | a skeleton prepared: joints by depth, names, bind matrices |
//! | [`Animation`], [`Player`] | a clip prepared, and a place in it: poses in parts, eight joints at a time |
//! | [`LocalPose`], [`Layer`], [`Mask`] | translation, rotation and scale per joint; blends, additive layers, cross-fades |
//! | [`RootMotion`] | the motion of the whole figure, taken out of its root joint |
//! | [`SkinPlan`], [`Workspace`], [`Output`] | a skinned mesh prepared for one kernel, filling the caller's memory |
//! | [`Sampler`], [`Pose`] | local matrices at any frame by the format's own rule, in either precision |
//! | [`Evaluator`], [`evaluate()`] | all of it for a scene: the vertices of a mesh at a frame of a clip |
//!
//! What is prepared is checked then; what runs per frame allocates nothing. The short ways, which do allocate, are
//! [`Evaluator::pose_seconds`] with [`Evaluator::mesh`], and [`SkinPlan::skin_to_vec`]; `examples/skin.rs` has all of
//! them.
//!
//! ```
//! use meshwright_rig::glam::Affine3A;
//! use meshwright_rig::{
//!     Animation, LocalPose, NameMatch, Output, Player, Pose, Rig, Sampler, SkinPlan, Workspace,
//! };
//! use meshwright_scene::Scene;
//!
//! # fn demo(scene: &Scene) -> Result<(), meshwright_rig::RigError> {
//! // Once.
//! let rig = Rig::new(&scene.skeletons[0])?;
//! // A clip that blends matrices (DPM, ZYM) is refused here, but `.with_blend(Blend::Rigid)` is not.
//! let animation = Animation::new(&rig, &Sampler::new(scene, 0)?)?;
//! let plan = SkinPlan::new(&scene.meshes[0], &rig)?;
//! let mut work = Workspace::new().reserved_for(&plan);
//! let mut player = Player::new(&animation);
//! let mut parts = LocalPose::new(&rig);
//! let mut pose = Pose::<Affine3A>::new(&rig);
//! let mut positions = vec![[0.0; 3]; plan.vertex_count()];
//! let mut normals = positions.clone();
//!
//! // Every frame.
//! player.sample_seconds(1.25, &mut parts)?; // or `sample`, by frames
//! pose.compose(&rig, &parts)?;
//! plan.skin(&pose, &mut work, Output::positions(&mut positions).with_normals(&mut normals))?;
//! let hand = pose.attachment(&rig, "tag_hand", NameMatch::IgnoreCase);
//! # Ok(()) }
//! ```
//!
//! # Kernels
//!
//! [`SkinPlan::new`] chooses how a mesh is moved and [`SkinPlan::info`] reports the choice:
//!
//! | kernel | for vertices |
//! |---|---|
//! | [`Runs`](Kernel::Runs) | of one joint each, many neighbours of the same (BMD, The Sims) |
//! | [`Single`](Kernel::Single) | of one joint each, in any order |
//! | [`Two`](Kernel::Two), [`Three`](Kernel::Three), [`Four`](Kernel::Four), [`Many`](Kernel::Many) | of several weighted joints (glTF, Crucible) |
//! | [`Table`](Kernel::Table) | of several, where neighbours share blends: each is computed once |
//! | [`Local`](Kernel::Local) | stored weighted in the space of every joint (DPM, BMD, The Sims) |
//!
//! All of them fill positions, normals and tangents, in arrays of their own or [interleaved](Interleaved) with
//! other things. With the feature `rayon`, `SkinPlan::skin_parallel` uses all threads on large meshes.
//! [`SkinPlan::skin_dual`] blends dual quaternions instead of matrices. [`SkinPlan::bounds`] finds a box
//! around the posed mesh without skinning it, [`SkinPlan::exact_bounds`] the smallest one.
//!
//! A [`Path`] is the set of instructions: AVX2 with FMA where the machine has them, detected once, NEON on aarch64, and
//! portable code everywhere. Vertices come out the same, to the bit, on any number of threads and in any kind of memory.
//! Two paths differ in the last places, because FMA rounds once where others round twice; a program that
//! needs the same bits on every machine uses [`Path::PORTABLE`]. Dual quaternions and spherical blends are
//! excepted: they depend on how glam adds up four numbers and on the machine's sines.
//!
//! # Precision
//!
//! Players, blends and kernels compute in 32 bits. [`Sampler`] and [`Pose`] are generic over [`Matrix`]:
//! [`glam::Affine3A`] or, for comparisons and long chains of joints, [`glam::DAffine3`]. Vertices go in and out
//! as `[f32; 3]`.
//!
//! # Rules of the formats
//!
//! * A pose set holds local matrices. [`Interpolation::Matrix`](meshwright_scene::Interpolation::Matrix) blends
//!   their elements (what DarkPlaces does); the other rules take them apart and blend translation, rotation
//!   and scale. [`Blend`] chooses one or the other against the clip's own rule.
//! * A looping clip has the period `frames`: behind the last frame comes the first. Another is clamped. Seconds
//!   are frames divided by the clip's own rate.
//! * A skin binds vertices in model space, moved by palettes, or holds them weighted in the space of every
//!   joint, moved by model-space matrices: the sum of `R * position + weight * t`.
//! * The ordered blends of The Sims are such a sum: each blend of weight `w` multiplies the weights before it by
//!   `1 - w`. Normals are the same sum, made of unit length at the end; a blend that makes them so after each
//!   step differs only where a vertex has several blends.
//! * A joint may follow the weighted mean of others.
//!
//! # Features
//!
//! * `std` (default): detects AVX2 at run time. Without it the crate is `no_std` with `alloc`, and portable
//!   unless the build is for machines with AVX2 and FMA.
//! * `rayon`: skinning on all threads; implies `std`.
//!
//! # Safety contract
//!
//! Unsafe code is confined to the kernels for AVX2, which work on arrays that [`SkinPlan::new`] laid out and checked, and
//! to one store of those for NEON;
//! every other module denies it. What is made of a scene is checked once: joints, parents, weights and tracks of any
//! scene give a value or a [`RigError`], and any frame or time, infinite and NaN included, a pose or an error. Memory
//! is proportional to skeleton, clip and mesh; per frame none is taken. There is no budget here: a scene that came
//! from a file was charged when it was made. Chains of joints are walked without recursion.
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod animation;
mod error;
mod evaluate;
mod hierarchy;
mod joint;
mod kernels;
mod keys;
mod layers;
mod local;
mod matrix;
mod player;
mod pose;
mod rig;
mod root;
mod sample;
mod skin;
mod time;
mod tracks;

pub use animation::Animation;
pub use error::RigError;
pub use evaluate::{Evaluator, Precision, evaluate, world_transforms};
pub use glam;
pub use joint::JointPose;
pub use kernels::{Interleaved, Normals, Output, Path};
pub use layers::{Layer, Mask};
pub use local::LocalPose;
pub use matrix::Matrix;
pub use player::Player;
pub use pose::{Pose, blend_poses};
pub use rig::{NameMatch, Rig};
pub use root::{Axes, RootMotion};
pub use sample::{Blend, Sampler};
pub use skin::{
    Bounds, Choice, Form, JointSet, Joints, Kernel, PlanInfo, PlanOptions, SkinPlan, SkinSource, Workspace,
};

/// The README's example, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
