//! The code that Meshwright's format crates share. Nothing in it depends on a format.
//!
//! | module | holds |
//! |---|---|
//! | [`bits`] | bit-fields written `hi..lo`, with a compile-time proof that they tile their word |
//! | [`num`] | numeric encodings: F8A, shared-exponent triples, ST forms, Q2.12, Q1.15, binary16 |
//! | [`math`] | vectors, quaternions and affine transforms in 64 bits, for conversions |
//! | [`Source`], [`Cursor`] | bounded reading over nom, with offsets, field paths and a byte budget |
//! | [`bulk`] | whole arrays decoded in one pass |
//! | [`ReadError`], [`WriteError`] | errors that say what, where and in which field |
//! | [`Rule`], [`Findings`], [`Report`] | rules, the collector of broken rules, and the collected findings |
//! | [`FileFormat`] | the trait of every file format |
//! | [`mod@record`] | records of fixed size, as tables of their fields |
//! | [`ByteWriter`], [`layout`] | writing, and rewriting a file with its original layout |
//! | [`Order`], [`SortedMap`], [`SortedSet`] | sorting, maps and sets whose code exists once |
//! | [`FixedName`], [`text`] | names as bytes |
//! | [`json`] | JSON texts, read with bounds and offsets |
//!
//! # Safety contract
//!
//! No unsafe code. Reading through [`Cursor`] never panics or recurses, never allocates more than the [`Budget`]
//! allows (256 MiB unless [`Limits`] say otherwise), never reads outside its section, and never loops without
//! consuming bytes. Every error has a kind, a code, an offset, the stream it counts in and a field path, on one line
//! of at most 4 KiB. A [`Report`] keeps 32 findings per code and counts the rest.
//!
//! `no_std` with `alloc`. Features: `simd` lets [`bulk`] find out at run time what instructions the machine
//! has; `proptest` adds generators of raw bits for property tests.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

extern crate alloc;
#[cfg(any(test, feature = "proptest", feature = "simd"))]
extern crate std;

pub mod bits;
pub mod bulk;
mod cursor;
pub mod description;
mod error;
mod fault;
mod findings;
mod float;
mod format;
pub mod json;
pub mod layout;
mod limits;
pub mod math;
pub mod num;
mod order;
mod path;
pub mod record;
mod report;
mod rule;
mod setters;
mod similar;
mod sniff;
pub mod sorted;
mod source_bytes;
pub mod text;
mod writer;

pub use cursor::{Codes, Cursor, Source};
pub use error::{DoesNotFit, ErrorClass, InvalidModel, ReadError, Stream, WriteError};
pub use fault::{Fault, Parser};
pub use findings::{Findings, Place};
pub use float::{F32, f32s, values};
pub use format::{Beside, Bytes, Companion, FileFormat, Role, Setting};
pub use limits::{Budget, DEFAULT_MEMORY, LimitExceeded, Limits, ReadOptions, Strictness};
pub use order::Order;
pub use path::{FieldPath, FieldPathBuf, Segment};
pub use report::{Finding, KEPT_PER_CODE, Parsed, Report};
pub use rule::{Kind, Reaction, Rule, Severity};
pub use sniff::Confidence;
pub use sorted::{SortedMap, SortedSet};
pub use source_bytes::SourceBytes;
pub use text::{FixedName, NameError};
pub use writer::ByteWriter;

/// Compiles the README's example with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
