//! An edited scene written into the model that it came from. Bones go by joint, meshes by the scene's meshes, vertices and
//! triangles by the corners that the conversions leave them, keys by clip, bone and channel.

mod bones;
mod clips;
mod keys;
mod meshes;
mod model;
mod work;
