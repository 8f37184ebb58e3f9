//! What several formats of the Quake family share, as plain data.
//!
//! `.framegroups`: the clips of a DPM, ZYM, MD3 or similar model, as text beside it. The layout and its odd cases are
//! those of the DarkPlaces engine's reader.
//!
//! | | recognise | parse | validate | write |
//! |---|---|---|---|---|
//! | `.framegroups` | possible at most | yes | yes | byte-identical |
//! | `.skin` | no | yes | yes, with parsing | no |
//! | `scripts/*.shader` | no | what leads to the picture of a material | yes, with parsing | no |
//!
//! *Byte-identical*: a text is written again byte for byte as long as no group changes.
//!
//! `.skin`: which texture each mesh of a model has. `.shader`: what a surface of a name looks like; of its words those are
//! read that say which picture is the base colour, and how it is drawn. Both are read as DarkPlaces reads them.
//!
//! # How files are read
//!
//! Texts are taken apart by hand, token by token as the engine does it, and not with nom: there is no text that the engine
//! refuses, so that there is nothing for a parser to fail at.
//!
//! # Safety contract
//!
//! No unsafe code. No bytes make a reader panic, loop, or allocate beyond its limits (256 MiB by default). Any
//! `.framegroups` text gives clips, and none of them lies outside the model. Time is linear in the text. Nothing
//! recurses.
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

mod framegroups;
mod shader;
mod skin;
mod tokens;

pub use framegroups::{ClipRange, FrameGroup, FrameGroups, ResolvedClips};
pub use meshwright_core::{Budget, F32, LimitExceeded, Limits};
pub use shader::{BlendFactor, ColourSource, Shader, ShaderScript, Shaders, Stage};
pub use skin::{Skin, SkinLine};

/// The README's example, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
