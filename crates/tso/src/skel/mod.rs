//! `.skel`: bones, their parents and their rest pose.

mod model;
mod read;
mod validate;
#[cfg(feature = "scene")]
pub(crate) use validate::is_unit;
pub(crate) use validate::remark_rotation;
mod view;
mod write;

pub use model::{ADULT_BONES, Bone, Skel};
