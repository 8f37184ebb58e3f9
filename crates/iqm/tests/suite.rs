//! Every integration test of the crate, as one program: a file of tests is a module here.

mod fixtures;
mod join;
mod laws;
mod merge;
mod scene;
