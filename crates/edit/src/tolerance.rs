//! Tolerances within which values count as unedited.

use crate::options::Snap;
use crate::tools::gltfpack;

/// The tolerances of a comparison. By default, all are zero.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tolerance {
    /// Distance of positions, in the scene's unit.
    pub(crate) position: f64,
    /// Angle between unit normals, in degrees; then the same if the native normal does not have unit length.
    pub(crate) normal: [f64; 2],
    pub(crate) uv: f64,
    /// Difference of colours in linear light.
    pub(crate) color: f64,
    pub(crate) weight: f64,
    /// Angle between rotations of joints, in radians.
    pub(crate) rotation: f64,
    /// Distance of translations of joints, in the scene's unit.
    pub(crate) translation: f64,
    /// The same as a fraction of the translation's largest component.
    pub(crate) reach: f64,
    pub(crate) scale: f64,
    /// A channel that hardly moves may be constant.
    pub(crate) still: bool,
    /// Materials that look alike may be joined.
    pub(crate) joined: bool,
}

impl Tolerance {
    /// Returns the tolerance for values stored without rounding: a few units in the last place of the model's numbers.
    pub(crate) fn lossless(self) -> Self {
        Self {
            position: self.position / 16.0,
            rotation: self.rotation / 16.0,
            translation: self.translation / 64.0,
            reach: 0.0,
            scale: self.scale / 16.0,
            still: false,
            ..self
        }
    }

    /// Figures of `spec/gltf-in.md`, section 2: what editors and packers were measured to change.
    pub(crate) fn new(snap: Snap, extent: f64) -> Self {
        match snap {
            Snap::Exact => Self::default(),
            Snap::Default => Self {
                position: 4e-6 * extent,
                normal: [0.2, 0.7],
                uv: 1e-6,
                color: 1e-6,
                weight: 1e-6,
                rotation: 2e-5,
                translation: 3e-5 * extent,
                scale: 1e-5,
                still: true,
                ..Self::default()
            },
            Snap::Loose => Self {
                position: gltfpack::POSITION * extent,
                normal: [gltfpack::NORMAL; 2],
                uv: gltfpack::UV,
                color: gltfpack::COLOR,
                weight: gltfpack::WEIGHT,
                rotation: gltfpack::ROTATION,
                translation: gltfpack::TRANSLATION * extent,
                reach: gltfpack::REACH,
                scale: gltfpack::SCALE,
                still: true,
                joined: true,
            },
        }
    }
}

/// Counts how many unedited values are bit-identical to the exported ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exactness {
    pub(crate) near: usize,
    pub(crate) exact: usize,
}

impl Exactness {
    /// The counts of a tool that is known to compute.
    pub(crate) const COMPUTED: Self = Self { near: 20, exact: 0 };

    pub(crate) fn add(&mut self, exact: bool) {
        self.near = self.near.saturating_add(1);
        self.exact = self.exact.saturating_add(usize::from(exact));
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self { near: self.near.saturating_add(other.near), exact: self.exact.saturating_add(other.exact) }
    }

    /// Returns true if at most one value is not bit-identical.
    pub(crate) const fn is_near(self) -> bool {
        self.near.saturating_sub(self.exact) <= 1
    }

    /// Returns true if there are too few values to decide.
    pub(crate) const fn is_few(self) -> bool {
        self.near < 20
    }

    /// Returns true if nearly all values, or all but one, are bit-identical. Then the tool does not round, and the
    /// other values are edits.
    pub(crate) const fn is_lossless(self) -> bool {
        let off = self.near.saturating_sub(self.exact);
        off.saturating_mul(20) <= self.near && self.exact > 0 || off == 1 && self.exact > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The measured changes of packers are within the tolerance. An edit of a thousandth of the extent is not.
    #[test]
    fn packed_values_are_unedited_and_visible_edits_are_not() {
        let packed = Tolerance::new(Snap::Loose, 2.0);
        assert!(packed.position >= 2.0 * 5.9e-5 && packed.translation >= 2.0 * 3e-4);
        assert!(packed.normal.iter().all(|degrees| *degrees >= 1.0));
        assert!(packed.position < 2e-3 && packed.translation < 2e-3);
        let editors = Tolerance::new(Snap::Default, 2.0);
        assert!(editors.position < 2.0 * 5.9e-5, "editors do not pack");
    }
}
