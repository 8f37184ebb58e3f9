//! ZYM, type 1: the older sibling of DPM. One influence per vertex, one vertex array for all shaders, clips in
//! the file.

mod decode;
mod description;
mod layout;
mod lumps;
mod model;
mod parse;
mod plan;
mod read;
mod record;
pub(crate) mod rules;
mod sort;
mod view;
mod write;

pub use model::{SceneFlags, Zym, ZymBounds, ZymInfluence, ZymRun, ZymScene};
#[cfg(feature = "scene")]
pub(crate) use view::share;
#[cfg(feature = "proptest")]
pub(crate) use {layout::ZymLayout, plan::lengths, record::header};
