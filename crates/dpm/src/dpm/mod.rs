//! DPM, type 2: any number of influences per vertex, separate vertices for each mesh, clips in a companion file.

mod decode;
mod description;
mod edit;
mod layout;
mod model;
mod parse;
mod plan;
mod read;
mod record;
pub(crate) mod rules;
mod sections;
mod sort;
mod view;
mod winding;
mod write;

pub use edit::{Edit, EditError};
pub use model::{Bounds, Dpm, Frame, Influence, Mesh, PoseId, VertexIter, Vertices};
pub use view::skin;
pub use winding::Winding;
#[cfg(feature = "proptest")]
pub(crate) use {
    layout::{Layout, MeshLayout},
    record::{bone, frame, header, mesh},
};
