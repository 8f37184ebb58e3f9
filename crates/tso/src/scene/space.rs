//! Converts between the space and time of files and scenes.

use meshwright_scene::{AxisMap, Space};

/// The map from the file's space (left-handed, +Z front, 3 units to the metre) to glTF's.
pub const TO_GLTF: AxisMap = AxisMap::new([0, 1, 2], [-1.0, 1.0, 1.0], 1.0 / 3.0);

pub(crate) fn map(space: Space) -> AxisMap {
    match space {
        Space::Gltf => TO_GLTF,
        Space::File => AxisMap::IDENTITY,
    }
}

/// Returns the frame numbers that floats store exactly.
pub(crate) fn frame_numbers() -> impl Iterator<Item = f32> {
    #[expect(clippy::cast_precision_loss, reason = "callers stay below 2^24")]
    (0_u32..).map(|f| f as f32)
}
