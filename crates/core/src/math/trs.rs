//! Transforms as translation, rotation and scale.

use super::affine::{Affine, Affine64};
use super::quat::{self, Quat};
use super::vector::{cross, length, narrow, narrow1, unit, wide};

/// Translation, rotation and scale: `p' = translation + rotation * (scale . p)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trs {
    /// Added last.
    pub translation: [f32; 3],
    /// A unit quaternion `[x, y, z, w]`.
    pub rotation: [f32; 4],
    /// Applied first, per axis.
    pub scale: [f32; 3],
}

/// A [`Trs`] in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trs64 {
    /// Added last.
    pub translation: [f64; 3],
    /// A unit quaternion `[x, y, z, w]`.
    pub rotation: Quat,
    /// Applied first, per axis.
    pub scale: [f64; 3],
}

impl Default for Trs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Default for Trs64 {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl From<Trs> for Trs64 {
    fn from(t: Trs) -> Self {
        Self { translation: wide(t.translation), rotation: wide(t.rotation), scale: wide(t.scale) }
    }
}

impl From<&Trs> for Trs64 {
    fn from(t: &Trs) -> Self {
        Self::from(*t)
    }
}

impl Trs64 {
    /// The identity.
    pub const IDENTITY: Self = Self { translation: [0.0; 3], rotation: quat::IDENTITY, scale: [1.0; 3] };

    /// Rounds to 32 bits.
    #[must_use]
    pub fn narrow(&self) -> Trs {
        Trs {
            translation: narrow(self.translation),
            rotation: narrow(self.rotation),
            scale: narrow(self.scale),
        }
    }

    /// Returns the same transform as a matrix. The quaternion is not normalised first.
    #[must_use]
    pub fn to_affine(&self) -> Affine64 {
        let ([x, y, z], s) = (quat::to_basis(self.rotation), self.scale);
        Affine64 {
            x: x.map(|c| c * s[0]),
            y: y.map(|c| c * s[1]),
            z: z.map(|c| c * s[2]),
            w: self.translation,
        }
    }

    /// Splits `m` into translation, rotation and scale. Shear is lost; then the result is only near to `m`.
    ///
    /// A matrix that mirrors gets a negative scale on x. A column of zeros gets scale 0; the other columns
    /// determine the rotation.
    #[must_use]
    pub fn from_affine(m: &Affine64) -> Self {
        let columns = [m.x, m.y, m.z];
        let mut scale = columns.map(length);
        if m.determinant() < 0.0 {
            scale[0] = -scale[0];
        }
        let along = |i: usize| (scale[i] != 0.0).then(|| columns[i].map(|c| c / scale[i]));
        let basis = complete([along(0), along(1), along(2)]);
        Self { translation: m.w, rotation: quat::from_basis(basis), scale }
    }

    /// Returns the largest difference between an element of the linear part of `m` and of this transform,
    /// relative to the largest scale. It is 0, up to rounding, unless `m` shears.
    #[must_use]
    pub fn misfit(&self, m: &Affine64) -> f64 {
        misfit(&self.to_affine(), m, self.scale)
    }
}

impl Trs {
    /// The identity.
    pub const IDENTITY: Self =
        Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    /// Converts to 64 bits.
    #[must_use]
    pub fn wide(&self) -> Trs64 {
        Trs64::from(self)
    }

    /// Returns the same transform as a matrix. The quaternion is not normalised first.
    #[must_use]
    pub fn to_affine(&self) -> Affine {
        self.wide().to_affine().narrow()
    }

    /// Splits `m` into translation, rotation and scale. The second value is the largest difference between an
    /// element of `m` and of the result, relative to the largest column. It is 0, up to rounding, unless `m`
    /// shears.
    ///
    /// A matrix that mirrors gets a negative scale on x. A column of zeros gets scale 0; the other columns
    /// determine the rotation.
    #[must_use]
    pub fn from_affine(m: &Affine) -> (Self, f32) {
        let exact = Trs64::from_affine(&m.wide());
        let trs = exact.narrow();
        // The difference includes the error of rounding to 32 bits.
        let error = misfit(&trs.to_affine().wide(), &m.wide(), exact.scale);
        (trs, narrow1(error))
    }
}

fn misfit(a: &Affine64, b: &Affine64, scale: [f64; 3]) -> f64 {
    let largest = scale.iter().fold(0.0_f64, |a, s| a.max(s.abs()));
    let error = [(a.x, b.x), (a.y, b.y), (a.z, b.z)]
        .iter()
        .flat_map(|(a, b)| a.iter().zip(b))
        .fold(0.0_f64, |e, (a, b)| e.max((a - b).abs()));
    if largest > 0.0 { error / largest } else { 0.0 }
}

/// Completes the given directions to a right-handed orthonormal basis.
fn complete(columns: [Option<[f64; 3]>; 3]) -> [[f64; 3]; 3] {
    let any_normal = |a: [f64; 3]| {
        let helper = if a[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        unit(cross(a, helper)).unwrap_or(helper)
    };
    match columns {
        [Some(x), Some(y), Some(z)] => [x, y, z],
        [Some(x), Some(y), None] => [x, y, cross(x, y)],
        [Some(x), None, Some(z)] => [x, cross(z, x), z],
        [None, Some(y), Some(z)] => [cross(y, z), y, z],
        [Some(x), None, None] => {
            let y = any_normal(x);
            [x, y, cross(x, y)]
        }
        [None, Some(y), None] => {
            let z = any_normal(y);
            [cross(y, z), y, z]
        }
        [None, None, Some(z)] => {
            let x = any_normal(z);
            [x, cross(z, x), z]
        }
        [None, None, None] => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    }
}

#[cfg(test)]
mod tests {
    use super::super::normalize;
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn unit_quaternion() -> impl Strategy<Value = [f32; 4]> {
        [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0]
            .prop_filter_map("zero", |q| normalize(q).filter(|_| q.iter().any(|c| c.abs() > 0.01)))
    }

    proptest! {
        #[test]
        fn decomposition_rebuilds(q in unit_quaternion(), s in [-9.0_f32..9.0, 0.125_f32..9.0, 0.125_f32..9.0]) {
            let m = Trs { translation: [1.0, 2.0, 3.0], rotation: q, scale: s }.to_affine();
            let (back, error) = Trs::from_affine(&m);
            prop_assert!(error < 1e-5, "{error}");
            prop_assert!((back.rotation.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-5);
        }

        #[test]
        fn zero_columns_survive(q in unit_quaternion(), mask in 0_u8..8) {
            let s = [0, 1, 2].map(|i| if mask >> i & 1 == 1 { 1.5 } else { 0.0 });
            let m = Trs { translation: [0.0; 3], rotation: q, scale: s }.to_affine();
            let (back, error) = Trs::from_affine(&m);
            prop_assert!(error < 1e-5);
            prop_assert!((back.rotation.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn shear_is_reported() {
        let m = Affine { y: [0.5, 1.0, 0.0], ..Affine::IDENTITY };
        assert!(Trs::from_affine(&m).1 > 0.1);
        assert!(Trs64::from_affine(&m.wide()).misfit(&m.wide()) > 0.1);
    }

    #[test]
    fn a_mirror_scales_x_by_less_than_nothing() {
        let m = Affine64 { y: [0.0, -2.0, 0.0], ..Affine64::IDENTITY };
        let trs = Trs64::from_affine(&m);
        assert_eq!(trs.scale, [-1.0, 2.0, 1.0]);
        assert_eq!(trs.to_affine(), m);
    }
}
