//! All of Meshwright's formats behind one door: detection, one model type, dumps, and the crates themselves.
//!
//! | what | where |
//! |---|---|
//! | which format some bytes are | [`detect`] |
//! | a model of any format: read, check, write, convert | [`AnyModel`] |
//! | companion files | [`Companions`] |
//! | the JSON that independent readers can be compared with | [`dump`] |
//! | one format's own types | [`dpm`] and its siblings |
//! | skinning and animation | [`rig`] |
//! | glTF | [`gltf`] |
//!
//! ```
//! use meshwright::{AnyModel, ReadOptions, detect};
//! # fn demo(bytes: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
//! let found = detect(bytes, Some("h_nex.dpm")).ok_or("not a known format")?;
//! let model = AnyModel::parse(bytes, found.format, &ReadOptions::default())?.model;
//! for finding in model.validate().findings() {
//!     println!("{finding}");
//! }
//! assert_eq!(model.to_bytes()?, bytes);
//! # Ok(()) }
//! ```
//!
//! # Safety contract
//!
//! No unsafe code. Any bytes, under any format, give a model or a [`ReadError`] with kind, code, offset, stream and
//! field path. [`Limits`] bound the memory of one file, its companion that is read with it included, at 256 MiB unless
//! set; scenes, dumps and exports have a budget each, of the same size by default. Time is linear in input and output
//! but for sorting and searching names. What is said of a file is one line of at most 4 KiB, with control characters
//! escaped.
//!
//! # Features
//!
//! One per format (`dpm`, ...), all on by default, and `gltf` for export. A user of a single format picks that
//! format's crate instead.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
// Whatever is said once for all formats has parts that a build with some of them does not need.
#![cfg_attr(
    not(all(feature = "bmd", feature = "crucible", feature = "dpm", feature = "fsomodel", feature = "tso")),
    allow(
        unused_imports,
        unused_variables,
        unreachable_code,
        unreachable_patterns,
        irrefutable_let_patterns,
        reason = "a build without every format"
    )
)]

mod companions;
mod convert;
pub mod dump;
mod format;
mod model;
mod summary;

pub use companions::{CompanionKind, Companions, FigurePart};
pub use format::{Detection, Format, detect};
#[cfg(feature = "bmd")]
pub use meshwright_bmd as bmd;
pub use meshwright_core::{
    Confidence, ErrorClass, FieldPath, Finding, Limits, Parsed, Path, ReadError, ReadOptions, Report,
    Severity, Stream, Strictness, WriteError,
};
#[cfg(feature = "crucible")]
pub use meshwright_crucible as crucible;
#[cfg(feature = "dpm")]
pub use meshwright_dpm as dpm;
#[cfg(feature = "fsomodel")]
pub use meshwright_fsomodel as fsomodel;
#[cfg(feature = "gltf")]
pub use meshwright_gltf as gltf;
#[cfg(feature = "dpm")]
pub use meshwright_quake as quake;
pub use meshwright_rig as rig;
pub use meshwright_scene as scene;
#[cfg(feature = "tso")]
pub use meshwright_tso as tso;
pub use model::{AnyModel, OpenOptions};
pub use summary::Summary;

/// The README's examples, compiled with the documentation tests.
#[cfg(all(doctest, feature = "dpm"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
