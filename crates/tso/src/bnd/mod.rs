//! `.bnd`: which mesh hangs on which bone with which texture.

mod model;
mod read;
mod validate;
mod write;

pub use model::{Bnd, ResourceId};
