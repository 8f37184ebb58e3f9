//! DarkPlaces models: DPM type 2 and its older sibling ZYM type 1.
//!
//! Skeletal models of the DarkPlaces engine and its games (Nexuiz, Xonotic, Zymotic). The format's seed description
//! has general notes only; the layouts are those of the engine's loader and of the dpmodel compiler, checked against
//! real files.
//!
//! | | parse | validate | write | evaluate | to scene | from scene |
//! |---|---|---|---|---|---|---|
//! | DPM type 2 | yes | yes | byte-identical | yes | yes | yes |
//! | ZYM type 1 | yes | yes | byte-identical | yes | yes | one bone per vertex |
//!
//! *Byte-identical*: a file that a strict reader accepts is written again byte for byte, whatever layout its
//! exporter chose. A model whose size changed gets the layout of the dpmodel compiler. *Evaluate*: poses are
//! concatenated and vertices skinned by the format's own rules, in 64 bits.
//!
//! [`Dpm::optimize`] and [`Zym::optimize`] drop unused data and sort triangles and vertices, as the
//! description recommends to exporters. [`Dpm::edit`] changes names, flags and group ids and keeps every
//! other byte. A lenient reader moves bones after their parents, as [`Dpm::sort_bones`] does.
//!
//! A scene's native fields hold other data of the format, and are read when converting back: `flags` of a
//! joint as a number, or `attach` (true or false) for the attachment flag; `groupids` of a mesh, one per
//! triangle. A material's name is the shader, a joint's name is the bone's.
//!
//! # How files are read
//!
//! Every record has a nom parser. Vertices, matrices, texture coordinates, triangles and groups are decoded
//! from slices in one loop, because they are arrays of words that vector instructions can swap several at a
//! time. Their sizes are checked and charged first.
//!
//! # Safety contract
//!
//! No unsafe code. No bytes make a reader panic, loop, or allocate beyond its limits (256 MiB by default): it returns
//! a model or an error with kind, code, offset and field path. Sections that many meshes or frames share are decoded,
//! charged and kept once. Conversions have a budget of their own, 256 MiB by default. Time is linear in input and
//! output. Nothing recurses.
//!
//! # Example
//!
//! ```
//! use meshwright_dpm::{Bone, BonePose, Dpm, Frame, Influence, Mesh, Name, Vertices};
//! use std::sync::Arc;
//!
//! let corner = |x: f32| {
//!     let origin = [x.into(), 0.0_f32.into(), 0.0_f32.into()];
//!     [Influence { origin, influence: 1.0_f32.into(), ..Influence::default() }]
//! };
//! let vertices: Vertices = [0.0, 1.0, 2.0].map(corner).into_iter().collect();
//! let mesh = Mesh {
//!     shader: Name::truncated(b"textures/flag"),
//!     vertices: Arc::new(vertices),
//!     texcoords: Arc::new(vec![Default::default(); 3]),
//!     triangles: Arc::new(vec![[0, 1, 2]]),
//!     groupids: Arc::new(vec![0]),
//! };
//! let bone = Bone::new(Name::truncated(b"root"), -1);
//! let model = Dpm::new(vec![bone], vec![mesh], vec![BonePose::IDENTITY], vec![Frame::default()]);
//! let file = model.to_bytes()?;
//! let again = Dpm::parse(&file)?;
//! assert_eq!(again, model);
//! assert_eq!(again.evaluate(0, 0).unwrap().positions[2], [2.0, 0.0, 0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! * `scene`: conversion to and from the exchange model of `meshwright-scene`.
//! * `simd`: decodes arrays with the vector instructions that it finds at run time.
//! * `proptest`: generators of raw bits for property tests.
//!
//! `no_std` with `alloc`. The minimum Rust version is the workspace's.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(test, allow(clippy::indexing_slicing, reason = "a failing test panics"))]

extern crate alloc;
#[cfg(any(test, feature = "proptest"))]
extern crate std;

mod bone;
mod bone_order;
mod clips;
mod decode;
mod dpm;
mod encode;
mod model_verbs;
mod optimize;
mod parse;
mod pose;
mod record;
mod rules;
#[cfg(feature = "scene")]
mod scene;
#[cfg(feature = "proptest")]
pub mod strategy;
mod zym;

pub use bone::{Bone, BoneFlags, BonePose, Name};
pub use clips::FrameClip;
pub use dpm::{
    Bounds, Dpm, Edit, EditError, Frame, Influence, Mesh, PoseId, VertexIter, Vertices, Winding, skin,
};
pub use meshwright_core::math::Affine64;
pub use meshwright_core::{F32, NameError};
pub use optimize::{OptimizeOptions, Optimized, Statistics, UnusedBones};
pub use pose::Surface;
#[cfg(feature = "scene")]
pub use scene::{DpmFiles, DpmSceneOptions, write_scene};
#[cfg(feature = "recover")]
pub use scene::{MergedClip, MergedDpm, MergedZym};
pub use zym::{SceneFlags, Zym, ZymBounds, ZymInfluence, ZymRun, ZymScene};

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
