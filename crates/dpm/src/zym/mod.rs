//! ZYM, type 1: the older sibling of DPM. One influence per vertex, one vertex array for all shaders, clips in
//! the file.

mod layout;
mod model;
mod read;
//#[cfg(feature = "scene")]
//mod scene;
mod validate;
mod view;
mod write;

pub use model::{SceneFlags, Zym, ZymBounds, ZymInfluence, ZymRun, ZymScene};
