//! `.skel`: bones, their parents and their rest pose.

mod model;
mod read;
mod validate;
pub(crate) use validate::{is_unit, remark_rotation};
mod view;
mod write;

pub use model::{ADULT_BONES, Bone, Skel};
