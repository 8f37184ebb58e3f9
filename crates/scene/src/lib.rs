//! The exchange model that every Meshwright format converts to and from.
//!
//! A [`Scene`] in [`Space::Gltf`] has glTF 2.0's conventions: right-handed, +Y up, +Z to the front, metres
//! if the format has a unit, counter-clockwise front faces, texture origin top left, quaternions `[x, y, z,
//! w]`, column vectors. Time is in frames of a stated rate. A scene in [`Space::File`] keeps the axes,
//! units, winding and texture origin of the source file, for tools that compare with the original engine.
//!
//! The model cannot hold everything: each conversion to it or from it returns a list of [`Loss`]es.
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
//! No unsafe code. [`Scene::validate`] returns for any scene, in time linear in its size. Functions that
//! take a scene validate it first and return an error, never panic. Trees are traversed without recursion.
//! [`Budget`] limits the memory of a conversion and is charged before memory is allocated: 256 MiB unless
//! the options say otherwise. Names in OBJ text are single words.
//!
//! Features: `proptest` adds generators of scenes for property tests, and functions that measure conversions
//! of them.
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
pub use convert::{ConvertError, Converted, SceneFault, SceneOptions, Space};
pub use flatten::{DrawOptions, Drawable, Drawables, Levels, Tangents};
pub use material::alpha::{AlphaLevels, AlphaMode};
pub use material::color::{self, ColorEncoding};
pub use mesh::bounds::Bounds;
pub use mesh::surface::{TextureAxes, handedness, texture_axes, unit_tangent, vertex_normals};
pub use mesh::{Influence, LocalVertex, Mesh, MeshPose, Skin};
pub use meshwright_core::math::{self, Affine, Trs, normalize, sqrt};
pub use meshwright_core::{Budget, LimitExceeded, Limits, text};
pub use model::axes::AxisMap;
pub use model::extra::Extra;
pub use model::ids::{MaterialId, MeshId, NodeId, SkeletonId};
pub use model::marks::{Mark, Marks};
pub use model::names::{self, Naming};
pub use model::{Image, LayerKind, Level, Material, Node, Scene, TextureLayer, Variant};
pub use skeleton::bind::{BindPose, Order};
pub use skeleton::join_skeletons::MostBones;
pub use skeleton::unscaled::Unscaled;
pub use skeleton::{Joint, Local, Skeleton};
#[cfg(feature = "proptest")]
pub use testing::{posed, strategy};
pub use validate::ArraysSeen;

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
