//! The axes and units of the format.

use meshwright_scene::{AxisMap, Space};

/// Converts Z up and front +Y in units of 1/40 metre to Y up and front +Z in metres.
pub(super) const AXES: AxisMap = AxisMap::new([0, 2, 1], [-1.0, 1.0, 1.0], 1.0 / 40.0);

/// Returns the map from the file's axes to those of a scene.
pub(super) fn axes(space: Space) -> AxisMap {
    match space {
        Space::Gltf => AXES,
        Space::File => AxisMap::IDENTITY,
    }
}
