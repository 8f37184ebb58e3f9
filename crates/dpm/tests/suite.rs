//! Every integration test of the crate, as one program: a file of tests is a module here.

mod bound;
mod corpus;
mod edit;
mod fixtures;
mod foreign;
mod laws;
mod losses;
mod merge;
mod optimize;
mod scene;
mod seed;
mod support;
mod zym_scene;
