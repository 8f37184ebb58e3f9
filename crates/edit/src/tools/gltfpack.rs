//! gltfpack and glTF-Transform round values to fewer bits (gltfpack 1.3.0, glTF-Transform 4.5.1; measured: positions
//! 5.9e-5 of the extent, normals 1 degree, poses 3e-4 of the extent).

use crate::tolerance::Tolerance;

/// Returns the tolerance for packed values.
pub(crate) fn tolerance(extent: f64) -> Tolerance {
    Tolerance {
        position: 1e-4 * extent,
        normal: [1.5, 1.5],
        // Half a step of 12 bits, for coordinates slightly beyond 1.
        uv: 1.5e-4,
        color: 4e-3,
        // Steps of eight bits; the largest weight absorbs the rounding of the others.
        weight: 8e-3,
        rotation: 4e-3,
        translation: 4e-4 * extent,
        // Half a step of 12 bits for each component. The first component is the sign of the largest.
        reach: 8.5e-4,
        scale: 1e-3,
        still: true,
        joined: true,
    }
}

#[cfg(test)]
mod tests {
    use super::tolerance;
    use crate::options::Snap;
    use crate::tolerance::Tolerance;

    /// The measured changes are within the tolerance. An edit of a thousandth of the extent is not.
    #[test]
    fn packed_values_are_unedited_and_visible_edits_are_not() {
        let packed = tolerance(2.0);
        assert!(packed.position >= 2.0 * 5.9e-5 && packed.translation >= 2.0 * 3e-4);
        assert!(packed.normal.iter().all(|degrees| *degrees >= 1.0));
        assert!(packed.position < 2e-3 && packed.translation < 2e-3);
        let editors = Tolerance::new(Snap::Default, 2.0);
        assert!(editors.position < 2.0 * 5.9e-5, "editors do not pack");
    }
}
