//! `.anim`: keys of bones, and events.

mod model;
mod read;
mod validate;
mod view;
mod write;

pub use model::{Anim, FRAME_RATE, KEYS_UNUSED, Motion, Nesting, TimeProperty};
