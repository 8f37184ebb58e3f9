//! Axes, and losses that are counted.

use alloc::string::String;
use meshwright_scene::{AxisMap, Loss, Space};

/// From x forward, y left, z up to glTF's z forward, x left, y up: a rotation, so that winding is kept.
pub(super) const TO_GLTF: AxisMap = AxisMap::new([1, 2, 0], [1.0; 3], 1.0);

/// The map from the format's axes to those of a scene.
pub(super) const fn axes(space: Space) -> AxisMap {
    match space {
        Space::Gltf => TO_GLTF,
        Space::File => AxisMap::IDENTITY,
    }
}

/// A loss of so many items.
pub(super) fn counted(
    code: &'static str,
    path: impl Into<String>,
    message: impl Into<String>,
    n: u64,
) -> Loss {
    #[expect(clippy::cast_precision_loss, reason = "a count for a message")]
    let amount = n as f64;
    Loss::measured(code, path, message, amount).counted(usize::try_from(n).unwrap_or(usize::MAX))
}
