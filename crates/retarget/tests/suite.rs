//! Every integration test of the crate, as one program: a file of tests is a module here.

mod figure;
mod laws;
mod maps;
mod meshes;
