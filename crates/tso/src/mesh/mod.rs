//! `.mesh`, and the geometry that The Sims 1 stores in `.bmf` and `.skn`.

mod facing;
mod model;
pub(crate) mod offsets;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod rules;
mod view;
pub(crate) mod write;

pub use facing::Facing;
pub use model::{BLEND_UNUSED, Binding, BlendVertex, Geometry, Mesh, RealVertex, Total};
pub use view::{Owners, Posed};
