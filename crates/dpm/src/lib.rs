//! DarkPlaces models: DPM type 2 and its older sibling ZYM type 1.
//!
//! Skeletal models of the DarkPlaces engine and of the games that grew on it (Nexuiz, Xonotic, Zymotic). The
//! format's seed description has general notes only; the layouts are those of the engine's loader and of the
//! dpmodel compiler, checked against real files.
//!
//! | | parse | validate | write | evaluate | to scene | from scene |
//! |---|---|---|---|---|---|---|
//! | DPM type 2 | yes | yes | byte-identical | yes | yes | yes |
//! | ZYM type 1 | yes | yes | byte-identical | yes | yes | no |
//!
//! *Byte-identical*: a file that a strict reader accepts is written again byte for byte, whatever layout its
//! exporter chose; a model that was changed in size is laid out as the dpmodel compiler does it. *Evaluate*:
//! poses concatenated and vertices skinned by the format's own rules, in 64 bits.
//!
//! # Safety contract
//!
//! No unsafe code. No bytes make a reader panic, loop, or allocate beyond its limits (256 MiB by default): it
//! answers a model or an error with kind, code, offset and field path. Sections that many meshes or frames share are
//! decoded, charged and kept once. Conversions have a budget of their own, 256
//! MiB by default. Time is linear in input and output. Nothing recurses.
//!
//! # Example
//!
//! ```
//! use meshwright_dpm::{Bone, BonePose, Dpm, Frame, Influence, Mesh, Name, Vertices};
//! use std::sync::Arc;
//!
//! let one = 1.0_f32.into();
//! let mut vertices = Vertices::default();
//! for x in [0.0_f32, 1.0, 2.0] {
//!     let origin = [x.into(), 0.0_f32.into(), 0.0_f32.into()];
//!     vertices.push(&[Influence { origin, influence: one, ..Influence::default() }]);
//! }
//! let mesh = Mesh {
//!     shader: Name::truncated(b"textures/flag"),
//!     vertices: Arc::new(vertices),
//!     texcoords: Arc::new(vec![Default::default(); 3]),
//!     triangles: Arc::new(vec![[0, 1, 2]]),
//!     groupids: Arc::new(vec![0]),
//! };
//! let bone = Bone { parent: -1, ..Bone::default() };
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
//! * `scene` (default): conversion to and from the exchange model of `meshwright-scene`.
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

mod clips;
mod decode;
mod layout;
mod matrix;
mod model;
mod read;
#[cfg(feature = "scene")]
mod scene;
mod sections;
#[cfg(feature = "proptest")]
pub mod strategy;
mod validate;
mod view;
mod write;
mod zym;

pub use clips::FrameClip;
pub use matrix::Matrix;
pub use model::{
    Bone, BoneFlags, BonePose, Bounds, Dpm, Frame, Influence, Mesh, Name, PoseId, VertexIter, Vertices,
};
#[cfg(feature = "scene")]
pub use scene::DpmWithClips;
pub use view::{Surface, skin};
pub use zym::{SceneFlags, Zym, ZymBounds, ZymInfluence, ZymRun, ZymScene};
