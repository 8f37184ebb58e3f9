//! placeholder
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "proptest"))]
extern crate std;

mod anim;
mod bnd;
mod codes;
mod common;
mod mesh;
mod name;
mod pose;
mod props;
#[cfg(feature = "scene")]
mod scene;
mod skel;
#[cfg(feature = "proptest")]
pub mod strategy;
mod ts1;

pub use anim::{Anim, FRAME_RATE, KEYS_UNUSED, Motion, Nesting, TimeProperty};
pub use bnd::{Bnd, ResourceId};
pub use common::Flag;
pub use mesh::{
    BLEND_UNUSED, Binding, BlendVertex, FULL_WEIGHT, Geometry, Mesh, Owners, Posed, RealVertex, Total,
};
pub use name::Name;
pub use pose::{Between, BoneMatrix, BonePose};
pub use props::PropertyList;
#[cfg(feature = "scene")]
pub use scene::{Assembly, ExportOptions, Part, TO_GLTF};
pub use skel::{ADULT_BONES, Bone, Skel};
pub use ts1::{Bmf, Skn};
