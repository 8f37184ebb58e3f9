//! To and from the exchange model.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

mod bones;
mod clips;
mod color;
mod export;
mod import;
mod motion;

pub use import::{ImportOptions, VertexForm};

use meshwright_scene::{AxisMap, Space};

/// Z up and front +Y in units of 1/40 metre, to Y up and front +Z in metres.
const AXES: AxisMap = AxisMap::new([0, 2, 1], [-1.0, 1.0, 1.0], 1.0 / 40.0);

fn axes(space: Space) -> AxisMap {
    match space {
        Space::Gltf => AXES,
        Space::File => AxisMap::IDENTITY,
    }
}
