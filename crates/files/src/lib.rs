//! Where models lie: folders, packs and bytes in memory as one read-only [`Tree`] of named bytes.
//!
//! | | |
//! |---|---|
//! | names | bytes between slashes; none leaves the tree: `..`, absolute paths, drive letters, backslashes and NULs are refused |
//! | case | the exact name first, then without regard to the case of ASCII letters, in the order of the bytes |
//! | layers | several trees as one; a later layer hides what has the same path in an earlier one |
//! | packs | zip archives (pk3, pk4, dpk, obb), Quake's `.pak`, FreeSpace's `.vp`, The Sims' `.far` and `.dat`: folders, whose members are read by themselves; the packs of a folder hide each other in the engine's [order](PackOrder), its loose files hide them all |
//! | links | symbolic links are followed as long as they lead to what lies in the tree; a walk does not follow them |
//! | order | listings and walks are sorted, and the same for the same content wherever it lies |
//!
//! # Safety contract
//!
//! No unsafe code. Nothing outside the folders that were named is read. No file is read beyond the caller's budget,
//! and none but a regular file, unless it was named itself. Nothing recurses. A tree calls the operating system in one
//! module; a tree in memory does not need it. Only [`output`] writes.
//!
//! Of a pack the directory is read, then the members that are asked for. No name in it leads out of the tree, no two
//! files share a part of their bytes, all files together are at most 32 times the pack and 256 MiB, and what a member says
//! of its size is not believed: buffers grow with what comes out of it, at most as far as it says and the budget allows. A pack in a pack is a file, but
//! for archives of The Sims: those are folders one level deep, in packs and in folders below the top.
//!
//! # Example
//!
//! ```
//! use meshwright_core::{Budget, Limits};
//! use meshwright_files::Tree;
//!
//! let tree = Tree::memory([("models/hopper.dpm", "model"), ("models/Hopper.dpm.framegroups", "1 6")])?;
//! let found = tree.find("models/hopper.dpm.framegroups")?.unwrap();
//! assert_eq!(found.name(), b"Hopper.dpm.framegroups");
//! assert_eq!(*tree.read(&found, &Budget::new(Limits::default()))?, *b"1 6");
//! assert!(tree.find("../secret").is_err());
//! # Ok::<(), meshwright_files::FilesError>(())
//! ```
//!
//! The minimum Rust version is the workspace's.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(test, allow(clippy::indexing_slicing, reason = "a failing test panics"))]

mod bytes;
mod cache;
mod data_folders;
mod error;
mod folder;
mod inner;
mod layer;
mod layer_index;
mod listing;
mod memory;
mod mount;
mod order;
mod os;
pub mod output;
mod pack;
mod path;
mod remote;
mod search;
mod tree;
mod walk;
mod write;

pub use bytes::ByteSource;
pub use error::FilesError;
pub use listing::EntryKind;
pub use order::PackOrder;
pub use pack::{Coding, Member, Pack, PackKind};
pub use path::{AsTreePath, TreePath};
pub use remote::{Remote, Want};
pub use search::Match;
pub use tree::{Entry, Tree, TreeOptions};
pub use walk::Walk;
pub use write::{PackBuilder, PackContent, Packed};

/// The README's example, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
