//! Axes.

use meshwright_scene::{AxisMap, Space};

/// From x forward, y left, z up to glTF's z forward, x left, y up: a rotation.
pub(super) const TO_GLTF: AxisMap = AxisMap::new([1, 2, 0], [1.0; 3], 1.0);

/// The map from the format's axes to those of a scene.
pub(super) const fn axes(space: Space) -> AxisMap {
    match space {
        Space::Gltf => TO_GLTF,
        Space::File => AxisMap::IDENTITY,
    }
}

/// A triangle from one space to the other: the format's are clockwise.
pub(super) const fn map_corners([a, b, c]: [u32; 3], space: Space) -> [u32; 3] {
    match space {
        Space::Gltf => [a, c, b],
        Space::File => [a, b, c],
    }
}
