//! BGBTech BMD1: small skeletal models with packed vertices, of the BGBTech3 engine.
//!
//! This crate follows the text of the format's author (*the seed description*). Where that text is silent,
//! the engine's loader and tools, and the files they made, decide. Where engine and text disagree, the text
//! wins, with two exceptions that real files need: the payload FFFFFFFF means *no key*, and the rotation
//! word 0 means *no rotation*.
//!
//! | | parse | validate | write | evaluate | optimise | to scene | from scene |
//! |---|---|---|---|---|---|---|---|
//! | vertices of 64, 96 and 128 bits | yes | yes | byte-identical | exact | yes | yes | yes |
//! | triangles and quads of 32 and 64 bits | yes | yes | byte-identical | exact | yes | as triangles | triangles |
//! | levels of detail | yes | yes | byte-identical | by distance | yes | yes | yes |
//! | bones, pseudo-bones | yes | yes | byte-identical | yes | as they are | yes | yes, one bone to a vertex |
//! | solids of bones | yes | closed, oriented, uncrossed | byte-identical | yes | as they are | yes | yes |
//! | animations | yes | yes | byte-identical | yes | yes | keys | keys |
//!
//! *Byte-identical*: a file that a strict reader accepts is written again byte for byte, whichever tool
//! wrote it. *Exact*: decoding gives the same floats as the description's arithmetic. *Evaluate*: poses are
//! computed in 64 bits in the engine's order of operations, without the engine's rounding to nine bits.
//!
//! Findings have codes: `E_…` for files that are refused, `W_…` for what readers must live with, `I_…` for
//! remarks. What each means and what to do about it is in the rules of the format (`FileFormat::RULES`).
//!
//! # How files are read
//!
//! Every record has a nom parser. Vertices, primitives and the steps of animations are decoded from slices
//! in one loop, because each element states its own length and a list ends where its record says. Faults in
//! them still have offset and path.
//!
//! # Safety contract
//!
//! No unsafe code. No bytes make a reader panic, loop, or allocate beyond its limits (256 MiB by default): it
//! returns a model, or an error with kind, code, offset and field path. A writer and a conversion return bytes, a scene
//! or an error for any model; conversions have a budget of their own, 256 MiB by default, and so has the optimizer, whose
//! work is bounded by the effort that is asked for. Lists,
//! streams and strings that records share are decoded, charged and kept once. Time is linear in input and output but
//! for sorting, searching names and choosing keys, which has a budget too; solids are checked up to a fixed allowance
//! (1,000,000 vertices and triangles, 4,000,000 boxes, 200,000 exact tests), and evaluation happens on demand. Nothing
//! recurses.
//!
//! # Example
//!
//! ```
//! use meshwright_bmd::{Bmd, Mesh, Name, Primitive, Vertex};
//! use meshwright_core::num::{F8A, Se32};
//! use std::sync::Arc;
//!
//! let up = [F8A::ZERO, F8A::ZERO, F8A::ONE];
//! let corner = |x, y| Vertex::flat64(Se32::encode([x, y, 0.0]), up, 0);
//! let corners = [corner(0.0, 0.0), corner(40.0, 0.0), corner(0.0, 40.0)];
//! let mesh = Mesh {
//!     vertices: Arc::new(corners.into_iter().flatten().collect()),
//!     primitives: Arc::new(Primitive::triangle([0, 1, 2]).into_iter().collect()),
//!     material: Some(Name::new(b"#80C0FF")),
//!     ..Mesh::default()
//! };
//! let model = Bmd::new(vec![mesh]);
//!
//! let file = model.to_bytes()?;
//! let again = Bmd::parse(&file)?;
//! assert_eq!(again, model);
//! assert_eq!(again.meshes[0].positions().nth(1), Some([40.0, 0.0, 0.0]));
//! assert_eq!(again.meshes[0].colors().next(), Some([0x80, 0xc0, 0xff, 0xff]));
//! assert!(again.validate().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! * `scene`: conversion to and from the exchange model of `meshwright-scene`.
//! * `simd`: arrays decoded by the vector instructions that the machine turns out to have.
//! * `proptest`: generators of raw bits for property tests.
//!
//! `no_std` with `alloc`. The minimum Rust version is the workspace's.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

extern crate alloc;
#[cfg(any(test, feature = "proptest"))]
extern crate std;

mod decode;
mod description;
mod layout;
mod list_facts;
mod math;
mod model;
mod optimize;
mod packed;
mod pose;
mod read;
mod record;
mod rules;
#[cfg(feature = "scene")]
mod scene;
mod shade;
#[cfg(feature = "proptest")]
pub mod strategy;
mod stream;
mod transform;
mod view;
mod write;

pub use meshwright_core::NameError;
pub use model::{Bmd, Bone, Clip, ClipRate, Lod, Mesh, MeshFlags, Name, QuadCount};
pub use optimize::{EngineSafety, Errors, OptimizeOptions, Optimized, Sizes};
pub use packed::{Extra96, MaterialKind, Primitive, PrimitiveKind, St96, Vertex, VertexKind};
pub use pose::{BoneSample, Motion, Pose};
#[cfg(feature = "scene")]
pub use scene::{BmdSceneOptions, VertexForm};
pub use shade::{flat_color, nearest_shade, shade, tint};
pub use stream::{Keys, NO_KEY, Step, Stream};
pub use transform::BoneTransform;
pub use write::Arrangement;

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
