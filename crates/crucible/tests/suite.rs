//! All integration tests of the crate, as one program. Each file is a module here.

#[global_allocator]
static ALLOCATOR: meshwright_testkit::heap::Counting = meshwright_testkit::heap::Counting;

mod bombs;
mod fixtures;
mod laws;
mod literal;
mod lz4;
#[path = "support/lz4_blocks.rs"]
mod lz4_blocks;
mod merge;
mod scene;
