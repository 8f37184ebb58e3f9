//! Changes that tools make to unedited parts.

pub(crate) mod assimp;
pub(crate) mod blender;
pub(crate) mod blender_bones;
pub(crate) mod blender_colors;
pub(crate) mod blender_normals;
pub(crate) mod fbx;
pub(crate) mod gltf_transform;
pub(crate) mod gltfpack;
pub(crate) mod names;
pub(crate) mod three;
