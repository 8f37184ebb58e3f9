//! All integration tests of the crate, as one program. Each file is a module here.

mod fixtures;
mod join;
mod laws;
mod merge;
mod scene;
