//! Folders, packs and bytes in memory as one read-only [`Tree`] of named files.
//!
//! | | |
//! |---|---|
//! | names | bytes between slashes; no name leaves the tree: `..`, absolute paths, drive letters, backslashes and NULs are rejected |
//! | case | the exact name first, then any case of ASCII letters, in the order of the bytes |
//! | layers | several trees as one; a file of a later layer hides the file with the same path in an earlier layer |
//! | packs | zip archives (pk3, pk4, dpk, obb), Quake's `.pak`, FreeSpace's `.vp`, The Sims' `.far` and `.dat`: packs are folders, whose members are read one by one; later packs in the engine's [order](PackOrder) hide earlier ones, and loose files hide all packs |
//! | links | symbolic links are followed if their target is in the tree; a walk does not follow them |
//! | order | listings and walks are sorted, so that the same content gives the same order everywhere |
//!
//! # Safety contract
//!
//! No unsafe code. Only files in the named folders are read, and no file beyond the caller's budget. Files
//! that are not regular are read only if the caller names them. Nothing recurses. One module calls the
//! operating system; a tree in memory does not need it. Only [`output`] writes files.
//!
//! For a pack, the directory is read first, then each requested member. No name in it leaves the tree. No
//! two members share only a part of their bytes, and the limit for all members together is 32 times the size
//! of the pack plus 256 MiB. Buffers grow with the actual content of a member, at most to its stated size
//! and to the budget. A pack in a pack is a file. Archives of The Sims are an exception: they are folders
//! one level deep, in packs and in folders below the top.
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

mod byte_source;
mod cache;
mod data_folders;
mod error;
mod folder;
mod inner_archives;
mod layer;
mod layer_index;
mod listing;
mod memory;
mod mount;
mod os;
pub mod output;
mod pack;
mod pack_order;
mod path;
mod remote;
mod search;
mod tree;
mod walk;
mod write;

pub use byte_source::ByteSource;
pub use error::FilesError;
pub use listing::EntryKind;
pub use pack::{Coding, FarVersion, Member, Pack, PackKind};
pub use pack_order::PackOrder;
pub use path::{AsTreePath, TreePath};
pub use remote::{Remote, Want};
pub use search::Match;
pub use tree::{Entry, Tree, TreeOptions};
pub use walk::Walk;
pub use write::{PackBuilder, PackContent, Packed};

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
