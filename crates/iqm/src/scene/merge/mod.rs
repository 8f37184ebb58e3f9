//! An edited scene written into the model that it came from. Joints go by name, meshes by name, vertices and triangles by
//! what they hold in their order, channels by frame and joint.

mod channels;
mod extensions;
mod joints;
mod meshes;
mod model;
mod text;
mod work;

pub use model::{MergedAnim, MergedIqm};
