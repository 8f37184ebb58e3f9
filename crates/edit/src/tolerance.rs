//! How near values must be to count as unedited.

use crate::options::Snap;

/// Distances within which values are equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// Lengths, in the scene's unit.
    pub(crate) position: f64,
    /// Degrees between unit normals, and where the native normal was not of unit length.
    pub(crate) normal: [f64; 2],
    pub(crate) uv: f64,
    /// Linear light.
    pub(crate) color: f64,
    pub(crate) weight: f64,
    /// Radians between rotations of joints.
    pub(crate) rotation: f64,
    /// Lengths of translations of joints, in the scene's unit.
    pub(crate) translation: f64,
    /// The same in parts of a translation's own largest number.
    pub(crate) reach: f64,
    pub(crate) scale: f64,
    /// What hardly moves may stand still.
    pub(crate) still: bool,
    /// Materials that look alike may be one.
    pub(crate) joined: bool,
}

impl Tolerance {
    /// The same where bits were kept: some units in the last place of the whole model's numbers.
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
            Snap::Exact => Self {
                position: 0.0,
                normal: [0.0; 2],
                uv: 0.0,
                color: 0.0,
                weight: 0.0,
                rotation: 0.0,
                translation: 0.0,
                reach: 0.0,
                scale: 0.0,
                still: false,
                joined: false,
            },
            Snap::Default => Self {
                position: 4e-6 * extent,
                normal: [0.2, 0.7],
                uv: 1e-6,
                color: 1e-6,
                weight: 1e-6,
                rotation: 2e-5,
                translation: 3e-5 * extent,
                reach: 0.0,
                scale: 1e-5,
                still: true,
                joined: false,
            },
            Snap::Loose => Self {
                position: 1e-4 * extent,
                normal: [1.5, 1.5],
                // Half a step of 12 bits, of coordinates a little beyond 1.
                uv: 1.5e-4,
                color: 4e-3,
                // Steps of eight bits, where the largest takes what the others leave.
                weight: 8e-3,
                rotation: 4e-3,
                translation: 4e-4 * extent,
                // Half a step of 12 bits in each number, the first of which is the sign of the largest.
                reach: 8.5e-4,
                scale: 1e-3,
                still: true,
                joined: true,
            },
        }
    }
}

/// How many of the values that nobody edited came back as the bits that went out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exactness {
    pub(crate) near: usize,
    pub(crate) exact: usize,
}

impl Exactness {
    /// Of a tool that is known to compute.
    pub(crate) const COMPUTED: Self = Self { near: 20, exact: 0 };

    pub(crate) fn add(&mut self, exact: bool) {
        self.near = self.near.saturating_add(1);
        self.exact = self.exact.saturating_add(usize::from(exact));
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self { near: self.near.saturating_add(other.near), exact: self.exact.saturating_add(other.exact) }
    }

    /// All but one.
    pub(crate) const fn is_near(self) -> bool {
        self.near.saturating_sub(self.exact) <= 1
    }

    /// So few that they do not tell.
    pub(crate) const fn is_few(self) -> bool {
        self.near < 20
    }

    /// Nearly all of them, or all but one: a tool that keeps bits brought them, and what is off is an edit.
    pub(crate) const fn is_lossless(self) -> bool {
        let off = self.near.saturating_sub(self.exact);
        off.saturating_mul(20) <= self.near && self.exact > 0 || off == 1 && self.exact > 1
    }
}
