//! Axes, and amounts in messages.

use meshwright_scene::{AxisMap, Space};

/// From x forward, y left, z up to glTF's z forward, x left, y up: a rotation, so that winding is kept.
pub(super) const TO_GLTF: AxisMap = AxisMap::new([1, 2, 0], [1.0; 3], 1.0);

/// The map from the format's axes to those of a scene.
pub(super) const fn axes(space: Space) -> AxisMap {
    match space {
        Space::Gltf => TO_GLTF,
        Space::File => AxisMap::IDENTITY,
    }
}

/// A number of things that a conversion did something to, for a message.
pub(super) fn amount(n: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count for a message")]
    let amount = n as f64;
    amount
}
