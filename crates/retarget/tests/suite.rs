//! All integration tests of the crate, as one program. Each file is a module here.

mod figure;
mod laws;
mod maps;
mod meshes;
