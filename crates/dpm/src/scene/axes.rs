//! The axes of the format.

use meshwright_scene::{AxisMap, Space};

/// Converts x forward, y left, z up to glTF's z forward, x left, y up. It is a rotation, so the winding is
/// kept.
pub(super) const TO_GLTF: AxisMap = AxisMap::new([1, 2, 0], [1.0; 3], 1.0);

/// Returns the map from the format's axes to those of a scene.
pub(super) const fn axes(space: Space) -> AxisMap {
    match space {
        Space::Gltf => TO_GLTF,
        Space::File => AxisMap::IDENTITY,
    }
}
