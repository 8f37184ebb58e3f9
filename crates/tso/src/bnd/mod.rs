//! `.bnd`: the binding of a mesh to a bone and a texture.

mod model;
mod read;
pub(crate) mod record;
pub(crate) mod rules;
mod write;

pub use model::{Bnd, ResourceId};
pub(crate) use read::resource;
pub(crate) use write::put_resource;
