//! An edited scene written into the model that it came from. Bones go by name, meshes by shader, vertices and triangles by
//! what they hold in their order, poses by clip, frame and bone.

mod bones;
mod corners;
mod dpm;
mod frames;
mod meshes;
mod zym;

pub use dpm::MergedDpm;
pub use frames::MergedClip;
pub use zym::MergedZym;
