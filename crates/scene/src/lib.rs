//! The exchange model that every Meshwright format converts to and from.
//!
//! A [`Scene`] in [`Space::Gltf`] means what glTF 2.0 means: right-handed, +Y up, +Z to the front, metres where
//! the format has a unit, counter-clockwise front faces, texture origin top left, quaternions `[x, y, z, w]`,
//! column vectors, time in frames of a stated rate. A scene in [`Space::File`] keeps the axes, units, winding
//! and texture origin of the file it came from, for tools that compare with the original engine.
//!
//! The model is openly lossy: a conversion into it or out of it returns a list of [`Loss`]es.
//!
//! Plain arrays, no input or output, `no_std` with `alloc`.
//!
//! | module | holds |
//! |---|---|
//! | [`flatten`] | drawables for simpler formats: levels chosen, instances applied, meshes split and joined, influences cut |
//! | [`sample`] | a clip's poses at any frame |
//! | [`names`] | names encoded, cut and made unique |
//! | [`Unsupported`] | what a format has no place for, in the same words everywhere |
//! | [`BindPose`], [`Order`], [`Unscaled`] | where vertices are bound, joints with parents first, and bones without scale |
//! | [`Engine`] | engines that take less than their formats hold |
//! | [`FromSceneOptions`], [`FromScene`], [`OutputFiles`] | the shape of every conversion of a scene |
//! | [`obj`] | a scene as Wavefront OBJ text |
//! | [`color`] | display bytes and linear light |
//!
//! # Safety contract
//!
//! No unsafe code. [`Scene::validate`] returns for any scene, in time linear in its size; what takes a scene validates
//! it first and returns an error, never a panic. Trees are walked without recursion. [`Budget`] is the account of a
//! conversion, charged before memory is taken: 256 MiB unless the options say otherwise. Names go into OBJ text as
//! single words.
//!
//! Features: `proptest` adds generators of scenes for property tests, and what measures conversions of them.
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

#[macro_use]
mod setters;

mod animation;
mod convert;
pub mod flatten;
mod material;
mod mesh;
mod model;
pub mod obj;
mod skeleton;
#[cfg(feature = "proptest")]
mod testing;
mod validate;

pub use animation::motion::{Channel, Clip, Interpolation, Motion, PoseSet, PoseSetId, Track};
pub use animation::sample::{self, Sampler};
pub use convert::engine::{Engine, EngineLimits, UnknownEngine};
pub use convert::loss::{Loss, LossGroup, LossKind};
pub use convert::target::{FromScene, FromSceneOptions, OutputFile, OutputFiles};
pub use convert::unsupported::Unsupported;
pub use convert::{ConvertError, Converted, SceneOptions, Space};
pub use flatten::{DrawOptions, Drawable, Drawables, Levels, Tangents};
pub use material::alpha::{AlphaLevels, AlphaMode};
pub use material::color::{self, ColorEncoding};
pub use mesh::bounds::Bounds;
pub use mesh::surface::{TextureAxes, handedness, texture_axes, unit_tangent, vertex_normals};
pub use mesh::{Influence, LocalVertex, Mesh, MeshPose, Skin};
pub use meshwright_core::math::{self, Affine, Trs, normalize, sqrt};
pub use meshwright_core::{Budget, LimitExceeded, Limits, display_error};
pub use model::axes::AxisMap;
pub use model::extra::Extra;
pub use model::ids::{MaterialId, MeshId, NodeId, SkeletonId};
pub use model::marks::{Mark, Marks};
pub use model::names::{self, Naming};
pub use model::{Image, Level, Material, Node, Scene, Variant};
pub use skeleton::bind::{BindPose, Order};
pub use skeleton::unite::MostBones;
pub use skeleton::unscaled::Unscaled;
pub use skeleton::{Joint, Local, Skeleton};
#[cfg(feature = "proptest")]
pub use testing::{posed, strategy};
pub use validate::{ArraysSeen, SceneError};

/// The README's example, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
