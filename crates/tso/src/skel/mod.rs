//! `.skel`: bones, their parents and their rest pose.

mod model;
mod read;
pub(crate) mod record;
pub(crate) mod rules;
mod view;
mod write;

pub(crate) use model::is_null;
pub use model::{ADULT_BONES, Bone, Skel};
pub(crate) use view::Walk;
