//! Matrices in the layout of kernels.

use crate::matrix::Matrix;
use glam::Vec4;

/// An affine matrix in two 256-bit registers: x and y axis, z axis and translation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Packed {
    pub(crate) x: Vec4,
    pub(crate) y: Vec4,
    pub(crate) z: Vec4,
    pub(crate) w: Vec4,
}

const _: () = assert!(size_of::<Packed>() == 64 && align_of::<Packed>() == 32);

impl Packed {
    pub(crate) const IDENTITY: Self = Self { x: Vec4::X, y: Vec4::Y, z: Vec4::Z, w: Vec4::W };

    pub(crate) fn new<M: Matrix>(m: &M) -> Self {
        let [x, y, z, w] = m.columns();
        Self { x, y, z, w }
    }

    /// Returns the same numbers row by row, with pairs of x and y and of z and translation. The product with a vector
    /// is then a sum of neighbours.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn in_pairs(&self) -> Self {
        let Self { x, y, z, w } = *self;
        Self {
            x: Vec4::new(x.x, y.x, x.y, y.y),
            y: Vec4::new(x.z, y.z, 0.0, 0.0),
            z: Vec4::new(z.x, w.x, z.y, w.y),
            w: Vec4::new(z.z, w.z, 0.0, 0.0),
        }
    }
}
