//! `.anim`: keys of bones, and events.

mod model;
mod read;
pub(crate) mod record;
pub(crate) mod rules;
mod view;
mod write;

pub use model::{Anim, FRAME_RATE, KEYS_UNUSED, Motion, Nesting, TimeProperty};
