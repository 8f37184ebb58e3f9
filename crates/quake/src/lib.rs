//! Reads the text files that models of the Quake family share.
//!
//! `.framegroups`: the clips of a DPM, ZYM, MD3 or similar model, as text next to it. The layout and its odd cases are
//! those of the DarkPlaces engine's reader.
//!
//! | | detect | parse | validate | write |
//! |---|---|---|---|---|
//! | `.framegroups` | possible at most | yes | yes | byte-identical |
//! | `.skin` | no | yes | yes, with parsing | no |
//! | `scripts/*.shader` | no | the statements that name textures | yes, with parsing | no |
//!
//! *Byte-identical*: an unedited text is written back byte for byte.
//!
//! `.skin` files state the texture of each mesh of a model. `.shader` files describe surfaces by name; only
//! the statements that choose the base colour texture and its blending are read. Both readers follow the
//! rules of DarkPlaces.
//!
//! # How files are read
//!
//! A hand-written tokenizer reads texts as the engine does. The engine rejects no text, so a nom parser would have
//! nothing to reject either.
//!
//! # Safety contract
//!
//! No unsafe code. No bytes make a reader panic, loop, or allocate beyond its limits (256 MiB by default). Any
//! `.framegroups` text gives clips, and all of them are within the model. Time is linear in the text. No function is
//! recursive.
//!
//! # Example
//!
//! ```
//! use meshwright_quake::{Budget, FrameGroups, Limits};
//!
//! let groups = FrameGroups::parse(b"1 6 6 1 idle // sways\n7 80 12 1 hop\n")?;
//! let resolved = groups.resolve(15, &Budget::new(Limits::default()))?;
//! assert_eq!(resolved.clips[0].name, b"idle");
//! assert_eq!(resolved.clips[1].frames(), 7..15);
//! assert!(resolved.report.has("length-clamped"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `no_std` with `alloc`. The minimum Rust version is the workspace's.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(test, allow(clippy::indexing_slicing, reason = "a failing test panics"))]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod cube;
mod framegroups;
mod player_colors;
mod shader;
mod skin;
mod tokens;

pub use cube::CubeFile;
pub use framegroups::{ClipRange, FrameGroup, FrameGroups, ResolvedClips};
pub use meshwright_core::{Budget, F32, LimitExceeded, Limits};
pub use player_colors::{PlayerColor, PlayerColors};
pub use shader::{BlendFactor, ColourSource, Shader, ShaderScript, Shaders, Stage};
pub use skin::{Skin, SkinLine};

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
