//! Changes that tools make to unedited parts.

pub(crate) mod blender_bones;
pub(crate) mod blender_colors;
pub(crate) mod blender_normals;
pub(crate) mod gltf_transform;
pub(crate) mod names;
