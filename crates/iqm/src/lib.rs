//! Inter-Quake Models (IQM), version 2 and, for reading and rewriting, version 1.
//!
//! Skeletal models of games of the Quake family. DarkPlaces (Xonotic), FTE and Daemon (Unvanquished) load
//! them today, and tools such as assimp and Blender's add-ons read or write them. The layout is that of the
//! format's own tool, checked against files of two exporters and against the engines' loaders.
//!
//! | | parse | validate | write | evaluate | to scene | from scene |
//! |---|---|---|---|---|---|---|
//! | IQM version 2 | yes | yes | byte-identical | yes | yes | yes |
//! | IQM version 1 | yes | yes | byte-identical | yes | yes | as version 2 |
//!
//! *Byte-identical*: a file that a strict reader accepts is written again byte for byte, whatever order and
//! padding its exporter chose. A model whose size changed gets the layout of the format's own tool.
//! *Evaluate*: joints are concatenated and vertices skinned by the format's own rules, in 64 bits, at whole
//! frames.
//!
//! # Space and units
//!
//! Right-handed, z up; x is forward in games of the Quake family. The format itself states neither the
//! forward axis nor a unit. Triangles are clockwise from outside, texture coordinates start at the top,
//! quaternions are x, y, z, w. A frame is relative to the parent joint and replaces the rest pose. Its
//! channels are 16-bit numbers times a scale, plus an offset.
//!
//! # Safety contract
//!
//! No unsafe code. No bytes make a reader panic, loop, or allocate beyond its limits (256 MiB by default):
//! it returns a model or an error with kind, code, offset and field path. Overlapping sections are charged
//! separately. Conversions have their own budget, 256 MiB by default. Time is linear in input and output.
//! Nothing recurses.
//!
//! # Example
//!
//! ```
//! use meshwright_iqm::{ArrayFormat, ArrayKind, Iqm, IqmMesh, TextId, VertexArray};
//!
//! let positions: [[f32; 3]; 3] = [[0.0; 3], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
//! let mut model = Iqm::default();
//! model.text = b"\0flag\0".to_vec();
//! let [name, material] = [TextId(1); 2];
//! model.meshes = vec![IqmMesh { name, material, vertex_count: 3, triangle_count: 1, ..IqmMesh::default() }];
//! model.vertex_count = 3;
//! model.arrays = vec![VertexArray {
//!     kind: ArrayKind::POSITION,
//!     format: ArrayFormat::FLOAT,
//!     components: 3,
//!     data: positions.iter().flatten().flat_map(|c| c.to_le_bytes()).collect(),
//!     ..VertexArray::default()
//! }];
//! model.triangles = vec![[0, 1, 2]];
//! let file = model.to_bytes()?;
//! let again = Iqm::parse(&file)?;
//! assert_eq!(again, model);
//! assert_eq!(again.str(again.meshes[0].name), b"flag");
//! assert_eq!(again.evaluate(&again.meshes[0], None).unwrap().positions[2], [1.0, 0.0, 0.0]);
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

extern crate alloc;
#[cfg(any(test, feature = "proptest"))]
extern crate std;

mod check;
mod check_motion;
mod check_vertices;
mod description;
#[cfg(feature = "scene")]
mod engines;
mod layout;
mod model;
mod parse;
mod plan;
mod pose;
mod read;
mod record;
mod rules;
#[cfg(feature = "scene")]
mod scene;
#[cfg(feature = "proptest")]
pub mod strategy;
mod view;
mod write;

#[cfg(feature = "scene")]
pub use engines::ENGINE_RULES;
pub use meshwright_core::F32;
pub use model::{
    AnimFlags, ArrayFormat, ArrayKind, Iqm, IqmAnim, IqmBounds, IqmExtension, IqmJoint, IqmMesh, IqmPose,
    TextId, VertexArray,
};
pub use pose::Surface;
#[cfg(feature = "scene")]
pub use scene::{IqmOptions, Scales, join_clips};
#[cfg(feature = "recover")]
pub use scene::{MergedAnim, MergedIqm};

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
