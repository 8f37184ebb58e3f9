//! The axes of the format.

use meshwright_scene::{AxisMap, Space};

/// Converts x forward, y left, z up to glTF's z forward, x left, y up. It is a rotation.
pub(super) const TO_GLTF: AxisMap = AxisMap::new([1, 2, 0], [1.0; 3], 1.0);

/// Returns the map from the format's axes to those of a scene.
pub(super) const fn axes(space: Space) -> AxisMap {
    match space {
        Space::Gltf => TO_GLTF,
        Space::File => AxisMap::IDENTITY,
    }
}

/// Converts a triangle between the spaces: the format's triangles are clockwise.
pub(super) const fn map_corners([a, b, c]: [u32; 3], space: Space) -> [u32; 3] {
    match space {
        Space::Gltf => [a, c, b],
        Space::File => [a, b, c],
    }
}
