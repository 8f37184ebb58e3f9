//! FSOMODEL, the model format designed for FreeSpace Open: read, checked, converted, and written again byte for
//! byte.
//!
//! # The format
//!
//! The file has a header and chunks. A chunk has an id of four letters, a length and a payload: vertices
//! (`VDAT`), indices (`INDX`), meshes (`MESH`). The format is described in the repository of GL3Test
//! ("Internal model format for FreeSpace Open"). The description was revised, and the only implementation
//! differs from both versions, all with version number 1. They are [`Dialect`]s here; the bytes or the
//! caller decide which one a file has. Materials and nodes are in a companion `.json`, the [`Metadata`].
//!
//! # What is supported
//!
//! | | read | checked | written | to scene | from scene |
//! |---|---|---|---|---|---|
//! | [`Seed44`](Dialect::Seed44): the description | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | [`Doc56`](Dialect::Doc56): its revision | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | [`Gl3`](Dialect::Gl3): the implementation | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | [`Metadata`]: materials, meshes, nodes | ✓ | ✓ | ✓ | ✓ | ✓ |
//! | unknown chunks | kept | – | ✓ | – | – |
//!
//! ✓: complete, every value kept. "Checked" means that `validate` reports every violation of the description
//! with a stable code. "Written" means that an unedited file is written byte for byte, including unknown
//! chunks in their order and the text of the companion file.
//!
//! # How files are read
//!
//! Headers of file and chunks have nom parsers that use the tables of their fields. Vertices, indices and
//! entries are kept as the bytes of their chunk, which can be sent to the GPU unchanged. Views decode them
//! in place from slices whose length is checked.
//!
//! # Safety contract
//!
//! No unsafe code. Any bytes, of the file and of the companion, give a model or an error with kind, code, offset,
//! stream and field path, within the limits (256 MiB by default). Chunks are borrowed, not copied; thousands of meshes
//! over the same indices cost little more than reading these once. The companion is read without recursion, and
//! refused beyond 2048 levels of JSON or 1024 of nodes. Time is linear in input and output but for sorting.
//!
//! # Example
//!
//! ```
//! use meshwright_fsomodel::{ChunkId, Dialect, FsoModel, MeshEntry, Vertex};
//! use meshwright_core::f32s;
//!
//! let corner = |x, y| Vertex { position: f32s([x, y, 0.0]), normal: f32s([0.0, 0.0, 1.0]), ..Vertex::default() };
//! let mut model = FsoModel::new(Dialect::Seed44);
//! model.set_vertices(&[corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0)]);
//! model.set_indices(&[0, 1, 2])?;
//! model.set_meshes(&[MeshEntry { count: 3, max_index: 2, ..MeshEntry::default() }]);
//! assert!(model.validate().is_empty());
//!
//! let file = model.to_bytes()?;
//! let again = FsoModel::parse(&file).expect("what was written is read");
//! assert_eq!(again, model);
//! assert_eq!(again.chunk(ChunkId::VDAT).map(<[u8]>::len), Some(3 * 44));
//! # Ok::<(), meshwright_core::WriteError>(())
//! ```
//!
//! # Features
//!
//! * `scene`: conversion to and from [`meshwright_scene::Scene`]; `write_scene` makes the file and its companion.
//! * `simd`: arrays decoded by the vector instructions that the machine turns out to have.
//! * `proptest`: generators of valid models.
//!
//! `no_std` with `alloc`. Rust 1.88.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

extern crate alloc;
#[cfg(any(test, feature = "proptest"))]
extern crate std;

mod chunks;
mod description;
mod detect;
mod dialect;
mod index_extents;
mod metadata;
mod model;
mod ranges;
mod read;
mod record;
mod repair;
mod rules;
#[cfg(feature = "scene")]
mod scene;
#[cfg(feature = "proptest")]
pub mod strategy;
mod view;
mod write;

pub use chunks::{ChunkRef, Chunks, chunks};
pub use dialect::{Dialect, UnknownDialect};
pub use meshwright_core::F32;
pub use metadata::{MAX_NODE_DEPTH, Material, Mesh, Metadata, Node};
pub use model::{Chunk, ChunkId, FsoModel, MeshEntry, NoChunkId, VERSION};
pub use ranges::MeshRange;
pub use read::FsoOptions;
#[cfg(feature = "scene")]
pub use scene::{FsoSceneOptions, write_scene};
pub use view::{Indices, Vertex, Vertices};

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
