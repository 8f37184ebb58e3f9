//! Every integration test of the crate, as one program: a file of tests is a module here.

mod corpus;
mod fixtures;
mod from_scene;
mod laws;
mod literal;
mod offsets;
mod scene;
mod support;
