//! All integration tests of the crate, as one program. Each file is a module here.

#[global_allocator]
static ALLOCATOR: meshwright_testkit::heap::Counting = meshwright_testkit::heap::Counting;

mod allocations;
mod edges;
mod kernels;
mod laws;
mod memory;
mod poses;
mod scene_sampler;
