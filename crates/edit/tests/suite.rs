//! All integration tests of the crate, as one program. Each file is a module here.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a failing test panics; tests use small numbers"
)]

mod apply;
mod blender;
mod clips;
mod correspondence;
mod document;
mod editor;
mod recovery;
mod split_and_joined_meshes;
mod support;
mod vertices;
