//! Maps the parts of an edited scene to the parts of its original.

pub(crate) mod correspondence;
pub(crate) mod faces;
pub(crate) mod joints;
pub(crate) mod marks;
pub(crate) mod matching;
pub(crate) mod material_parts;
pub(crate) mod mesh_search;
pub(crate) mod meshes;
pub(crate) mod names;
pub(crate) mod new_joint_indices;
pub(crate) mod poses;
pub(crate) mod sampled;
pub(crate) mod space;
pub(crate) mod steps;
pub(crate) mod twins;
pub(crate) mod vertices;
