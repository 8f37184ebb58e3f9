//! Affine transforms, stored in 32 bits and computed in 64.

use super::vector::{cross, dot, narrow, sqrt, wide};

/// An affine transform as four columns: the images of the x, y and z axis and of the origin.
///
/// Column vectors: `p' = x * p[0] + y * p[1] + z * p[2] + w`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Image of the x axis.
    pub x: [f32; 3],
    /// Image of the y axis.
    pub y: [f32; 3],
    /// Image of the z axis.
    pub z: [f32; 3],
    /// Image of the origin: the translation.
    pub w: [f32; 3],
}

/// An [`Affine`] in 64 bits, for chains of transforms and for inverses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine64 {
    /// Image of the x axis.
    pub x: [f64; 3],
    /// Image of the y axis.
    pub y: [f64; 3],
    /// Image of the z axis.
    pub z: [f64; 3],
    /// Image of the origin: the translation.
    pub w: [f64; 3],
}

/// The determinant relative to the lengths of the columns, below which the columns count as lying in a
/// plane.
const FLAT: f64 = 1e-6;

macro_rules! columns {
    ($name:ident, $float:ty) => {
        impl Default for $name {
            fn default() -> Self {
                Self::IDENTITY
            }
        }

        impl $name {
            /// The identity.
            pub const IDENTITY: Self =
                Self { x: [1.0, 0.0, 0.0], y: [0.0, 1.0, 0.0], z: [0.0, 0.0, 1.0], w: [0.0, 0.0, 0.0] };

            /// Builds the transform from three rows of four; the last element of each row is the
            /// translation.
            #[must_use]
            pub const fn from_rows(r: [[$float; 4]; 3]) -> Self {
                Self {
                    x: [r[0][0], r[1][0], r[2][0]],
                    y: [r[0][1], r[1][1], r[2][1]],
                    z: [r[0][2], r[1][2], r[2][2]],
                    w: [r[0][3], r[1][3], r[2][3]],
                }
            }

            /// Returns three rows of four; the last element of each row is the translation.
            #[must_use]
            pub const fn to_rows(&self) -> [[$float; 4]; 3] {
                let (x, y, z, w) = (self.x, self.y, self.z, self.w);
                [[x[0], y[0], z[0], w[0]], [x[1], y[1], z[1], w[1]], [x[2], y[2], z[2], w[2]]]
            }

            /// Returns a column-major 4x4 matrix: the four columns, each padded with 0 or 1.
            #[must_use]
            pub const fn to_columns(&self) -> [[$float; 4]; 4] {
                let (x, y, z, w) = (self.x, self.y, self.z, self.w);
                [
                    [x[0], x[1], x[2], 0.0],
                    [y[0], y[1], y[2], 0.0],
                    [z[0], z[1], z[2], 0.0],
                    [w[0], w[1], w[2], 1.0],
                ]
            }

            /// Returns the 12 elements, column by column.
            #[must_use]
            pub const fn to_array(&self) -> [$float; 12] {
                let (x, y, z, w) = (self.x, self.y, self.z, self.w);
                [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2], w[0], w[1], w[2]]
            }

            /// Returns whether no component is infinite or NaN.
            #[must_use]
            pub fn is_finite(&self) -> bool {
                [self.x, self.y, self.z, self.w].iter().flatten().all(|c| c.is_finite())
            }
        }
    };
}

columns!(Affine, f32);
columns!(Affine64, f64);

impl From<Affine> for Affine64 {
    fn from(m: Affine) -> Self {
        Self { x: wide(m.x), y: wide(m.y), z: wide(m.z), w: wide(m.w) }
    }
}

impl From<&Affine> for Affine64 {
    fn from(m: &Affine) -> Self {
        Self::from(*m)
    }
}

impl Affine64 {
    /// Rounds to 32 bits.
    #[must_use]
    pub fn narrow(&self) -> Affine {
        Affine { x: narrow(self.x), y: narrow(self.y), z: narrow(self.z), w: narrow(self.w) }
    }

    /// Returns the image of a direction, without the translation.
    #[inline]
    #[must_use]
    pub fn vector(&self, v: [f64; 3]) -> [f64; 3] {
        core::array::from_fn(|i| self.x[i] * v[0] + self.y[i] * v[1] + self.z[i] * v[2])
    }

    /// Returns the image of a point.
    #[inline]
    #[must_use]
    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let v = self.vector(p);
        [v[0] + self.w[0], v[1] + self.w[1], v[2] + self.w[2]]
    }

    /// Returns this transform applied after `first`: `p -> self(first(p))`.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        Self {
            x: self.vector(first.x),
            y: self.vector(first.y),
            z: self.vector(first.z),
            w: self.point(first.w),
        }
    }

    /// Returns the determinant of the linear part.
    #[must_use]
    pub fn determinant(&self) -> f64 {
        dot(self.x, cross(self.y, self.z))
    }

    /// Returns the inverse. `None` if the transform flattens space, within the precision of 32 bits, or has
    /// a component that is not finite.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let (x, y, z, w) = (self.x, self.y, self.z, self.w);
        let det = self.determinant();
        let d = 1.0 / det;
        // A chain with a flat transform in it is seldom exactly flat in 32 bits. Its inverse would be noise
        // times 10^8.
        let size = sqrt(dot(x, x) * dot(y, y) * dot(z, z));
        if !d.is_finite() || det.abs() <= size * FLAT {
            return None;
        }
        // Rows of the inverse are the cross products of columns over the determinant.
        let rows = [cross(y, z), cross(z, x), cross(x, y)].map(|r| r.map(|c| c * d));
        let column = |i: usize| [rows[0][i], rows[1][i], rows[2][i]];
        let t = [-dot(rows[0], w), -dot(rows[1], w), -dot(rows[2], w)];
        let inverse = Self { x: column(0), y: column(1), z: column(2), w: t };
        inverse.is_finite().then_some(inverse)
    }

    /// Returns the matrix that transforms normals: the inverse of the linear part, transposed. Transformed
    /// normals are not of unit length. `None` as in [`inverse`](Self::inverse).
    #[must_use]
    pub fn normals(&self) -> Option<Self> {
        let inverse = Self { w: [0.0; 3], ..*self }.inverse()?;
        let ([a, b, c], [d, e, f], [g, h, i]) = (inverse.x, inverse.y, inverse.z);
        Some(Self { x: [a, d, g], y: [b, e, h], z: [c, f, i], w: [0.0; 3] })
    }
}

impl Affine {
    /// Converts to 64 bits.
    #[must_use]
    pub fn wide(&self) -> Affine64 {
        Affine64::from(self)
    }

    /// Returns the image of a point.
    #[must_use]
    pub fn point(&self, p: [f32; 3]) -> [f32; 3] {
        narrow(self.wide().point(wide(p)))
    }

    /// Returns the image of a direction, without the translation.
    #[must_use]
    pub fn vector(&self, v: [f32; 3]) -> [f32; 3] {
        narrow(self.wide().vector(wide(v)))
    }

    /// Returns this transform applied after `first`: `p -> self(first(p))`.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        self.wide().after(&first.wide()).narrow()
    }

    /// Returns the determinant of the linear part.
    #[must_use]
    pub fn determinant(&self) -> f64 {
        self.wide().determinant()
    }

    /// Returns the inverse. `None` if the transform flattens space, within the precision of 32 bits, or has
    /// a component that is not finite.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        self.wide().inverse().map(|m| m.narrow()).filter(Self::is_finite)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Trs, normalize, unit};
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_inverse_undoes(
            q in [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, 0.125_f32..1.0],
            t: [i8; 3],
            s in [0.125_f32..9.0, 0.125_f32..9.0, 0.125_f32..9.0],
        ) {
            let trs = Trs { translation: t.map(f32::from), rotation: normalize(q).unwrap(), scale: s };
            let m = trs.to_affine();
            let id = m.inverse().unwrap().after(&m);
            for (a, b) in id.to_array().iter().zip(Affine::IDENTITY.to_array()) {
                prop_assert!((a - b).abs() < 1e-3, "{id:?}");
            }
        }

        #[test]
        fn integers_invert_or_are_flat(rows in any::<[[i8; 4]; 3]>()) {
            let m = Affine64::from_rows(rows.map(|r| r.map(f64::from)));
            match m.inverse() {
                Some(inverse) => {
                    let back = inverse.point(m.point([1.0, -2.0, 3.0]));
                    prop_assert!(back.iter().zip([1.0, -2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-4));
                }
                None => prop_assert!(m.determinant().abs() < 10.0),
            }
        }
    }

    #[test]
    fn shapes() {
        let rows = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]];
        let m = Affine::from_rows(rows);
        assert_eq!(m.to_rows(), rows);
        assert_eq!(m.point([1.0, 0.0, 0.0]), [5.0, 13.0, 21.0]);
        assert_eq!(m.to_columns()[3], [4.0, 8.0, 12.0, 1.0]);
        assert_eq!(m.wide().narrow(), m);
        assert!(Affine { z: [0.0; 3], ..Affine::IDENTITY }.inverse().is_none());
    }

    #[test]
    fn noise_is_no_inverse() {
        let turned = |scale| {
            let rotation = normalize([0.2, -0.7, -0.3, 0.5]).unwrap();
            Trs { rotation, scale, ..Trs::IDENTITY }.to_affine()
        };
        let flat = turned([1.0, 0.0, 1.0]).after(&turned([1.0; 3]));
        assert!(flat.determinant() != 0.0, "not exactly flat");
        assert_eq!(flat.inverse(), None);
        assert!(turned([1.0, 1e-12, 1e12]).inverse().is_some());
    }

    #[test]
    fn normals_stand_on_what_is_stretched() {
        let m = Affine64 { x: [2.0, 0.0, 0.0], w: [5.0, 5.0, 5.0], ..Affine64::IDENTITY };
        let n = unit(m.normals().unwrap().vector([1.0, 1.0, 0.0])).unwrap();
        assert!(dot(n, m.vector([1.0, -1.0, 0.0])).abs() < 1e-15, "{n:?}");
    }
}
