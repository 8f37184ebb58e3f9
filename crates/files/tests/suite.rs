//! All integration tests of the crate, as one program. Each file is a module here.

#[global_allocator]
static ALLOCATOR: meshwright_testkit::heap::Counting = meshwright_testkit::heap::Counting;

mod common;
mod data_folders;
mod far;
mod output;
mod packs;
mod remote;
mod tree;
