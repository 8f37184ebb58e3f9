//! Reads, checks, converts and writes mesh chunks of the Crucible Engine. Unedited chunks are written byte for byte.
//!
//! # The format
//!
//! A mesh chunk is a bare record without magic or version: an index stream and up to sixteen vertex attribute
//! streams, each a raw LZ4 block. It is described in the engine's own repository ("Mesh Chunk Format"). Later
//! versions of the engine moved attribute bits and made bone weights smaller. A [`Dialect`] names the version; the
//! sizes of the streams identify it in most cases. This crate also reads the `.cmodel` container around chunks and
//! the engine's skeleton chunk.
//!
//! # What is supported
//!
//! | | read | checked | written | to scene | from scene |
//! |---|---|---|---|---|---|
//! | [`Chunk`]: indices, 3D and 2D positions, normals, UVs, colours, bone weights | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | [`Chunk`] in dialect [`Tangent`](Dialect::Tangent): tangents | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | [`Chunk`] in dialect [`Bone32`](Dialect::Bone32) | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | [`CModel`]: several chunks | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | [`SkeletonChunk`] | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | later `cmsh` files | – | – | – | – | – |
//!
//! ✓: complete, every value preserved; –: rejected. "Checked" means that `validate` reports every violation
//! of the description with a stable code. "Written" means that a file is written again byte for byte,
//! including the compressed blocks of unedited streams.
//!
//! # How files are read
//!
//! Headers and bones have nom parsers that use the tables of their fields. Streams of indices and attributes
//! are kept as the decoded bytes. Views decode them in place, without a copy, from slices whose length is a
//! multiple of the item's size.
//!
//! # Safety contract
//!
//! No unsafe code. Any bytes give a model or an error with kind, code, offset, stream and field path, within the
//! limits (256 MiB by default, decompressed streams included) and in time linear in input and output. Offsets in
//! decoded data count in the named stream. Nothing recurses. The sizes of a stream are checked in this order: sign,
//! the rest of the file, ratio (a block never grows more than 255-fold), the caller's limit. Only then memory is
//! allocated, and the decoder must fill it exactly.
//!
//! # Example
//!
//! ```
//! use meshwright_crucible::{Attribute, Chunk, Dialect};
//!
//! let mut chunk = Chunk::new(Dialect::Seed);
//! chunk.set_floats(Attribute::Position3, &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])?;
//! chunk.set_indices(&[0, 2, 1]);
//! assert!(chunk.validate().is_empty());
//!
//! let file = chunk.to_bytes()?;
//! let again = Chunk::parse(&file)?;
//! assert_eq!(again, chunk);
//! assert_eq!(again.triangles().next(), Some([0, 2, 1]));
//! assert_eq!(again.to_bytes()?, file);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! * `scene`: conversion to and from [`meshwright_scene::Scene`].
//! * `simd`: decodes arrays with the vector instructions that it finds at run time.
//! * `rayon`: `CrucibleOptions::with_threads` decodes streams on several threads.
//! * `proptest`: generators of valid models.
//!
//! `no_std` with `alloc` (except for `rayon`). Rust 1.88.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

extern crate alloc;
#[cfg(any(test, feature = "proptest"))]
extern crate std;

mod block;
mod chunk;
mod cmodel;
mod lz4;
mod options;
mod rules;
#[cfg(feature = "scene")]
mod scene;
mod skeleton;
#[cfg(feature = "proptest")]
pub mod strategy;
mod stream;

pub use chunk::model::{AttributeError, AttributeStream, Chunk};
pub use chunk::record::{Attribute, AttributeFlag, Dialect, IndexSize, UnknownDialect};
pub use chunk::view::{BoneWeight, BoneWeights, Floats, Indices};
pub use cmodel::model::CModel;
pub use lz4::{MAX_BLOCK, decode_block, encode_block};
pub use meshwright_core::F32;
pub use meshwright_core::math::Trs;
pub use options::CrucibleOptions;
#[cfg(feature = "scene")]
pub use scene::target::{CrucibleFile, CrucibleTarget};
#[cfg(feature = "scene")]
pub use scene::write_scene::write_scene;
pub use skeleton::model::{Bone, QuaternionOrder, SkeletonChunk, UnknownOrder};
pub use stream::Stream;

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
