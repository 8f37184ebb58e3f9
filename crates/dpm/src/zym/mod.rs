//! ZYM, type 1: the older sibling of DPM. One influence per vertex, one vertex array for all shaders, clips in
//! the file.

mod layout;
mod model;
mod read;
#[cfg(feature = "scene")]
mod scene;
mod validate;
mod view;
mod write;

#[cfg(feature = "proptest")]
pub(crate) use layout::{HEADER as ZYM_HEADER, ZymLayout, lengths as zym_lengths};
pub use model::{SceneFlags, Zym, ZymBounds, ZymInfluence, ZymRun, ZymScene};
