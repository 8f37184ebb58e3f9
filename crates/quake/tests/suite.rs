//! All integration tests of the crate, as one program. Each file is a module here.

mod laws;
