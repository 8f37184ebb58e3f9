//! All integration tests of the crate, as one program. Each file is a module here.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

#[global_allocator]
static ALLOCATOR: meshwright_testkit::heap::Counting = meshwright_testkit::heap::Counting;

mod bombs;
mod fixtures;
mod from_scene;
mod laws;
mod literal;
mod merge;
mod optimize;
mod seed;
mod support;
mod to_scene;
