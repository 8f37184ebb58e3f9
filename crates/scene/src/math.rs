//! The little linear algebra that conversions need, on plain arrays, computed in 64 bits.

/// An affine transform as four columns: where it takes the x, y and z axis, and the origin.
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

impl Default for Affine {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding a result to the precision it is stored in")]
pub(crate) fn narrow(v: [f64; 3]) -> [f32; 3] {
    v.map(|c| c as f32)
}

pub(crate) fn wide(v: [f32; 3]) -> [f64; 3] {
    v.map(f64::from)
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Columns that span no more of the box of their lengths than this lie in a plane, as far as 32 bits can tell.
const FLAT: f64 = 1e-6;

impl Affine {
    /// The transform that changes nothing.
    pub const IDENTITY: Self =
        Self { x: [1.0, 0.0, 0.0], y: [0.0, 1.0, 0.0], z: [0.0, 0.0, 1.0], w: [0.0, 0.0, 0.0] };

    /// From three rows of four, the last of each row being the translation.
    pub const fn from_rows(r: [[f32; 4]; 3]) -> Self {
        Self {
            x: [r[0][0], r[1][0], r[2][0]],
            y: [r[0][1], r[1][1], r[2][1]],
            z: [r[0][2], r[1][2], r[2][2]],
            w: [r[0][3], r[1][3], r[2][3]],
        }
    }

    /// As three rows of four, the last of each row being the translation.
    pub const fn to_rows(&self) -> [[f32; 4]; 3] {
        let (x, y, z, w) = (self.x, self.y, self.z, self.w);
        [[x[0], y[0], z[0], w[0]], [x[1], y[1], z[1], w[1]], [x[2], y[2], z[2], w[2]]]
    }

    /// The four columns, each padded to four with 0 or 1: a column-major 4x4 matrix.
    pub const fn to_columns(&self) -> [[f32; 4]; 4] {
        let (x, y, z, w) = (self.x, self.y, self.z, self.w);
        [[x[0], x[1], x[2], 0.0], [y[0], y[1], y[2], 0.0], [z[0], z[1], z[2], 0.0], [w[0], w[1], w[2], 1.0]]
    }

    fn linear(&self, v: [f64; 3]) -> [f64; 3] {
        let (x, y, z) = (wide(self.x), wide(self.y), wide(self.z));
        core::array::from_fn(|i| x[i] * v[0] + y[i] * v[1] + z[i] * v[2])
    }

    /// The image of a point.
    #[must_use]
    pub fn point(&self, p: [f32; 3]) -> [f32; 3] {
        let (v, w) = (self.linear(wide(p)), wide(self.w));
        narrow([v[0] + w[0], v[1] + w[1], v[2] + w[2]])
    }

    /// The image of a direction: the translation does not take part.
    #[must_use]
    pub fn vector(&self, v: [f32; 3]) -> [f32; 3] {
        narrow(self.linear(wide(v)))
    }

    /// This transform after `first`: `p -> self(first(p))`.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        Self {
            x: self.vector(first.x),
            y: self.vector(first.y),
            z: self.vector(first.z),
            w: self.point(first.w),
        }
    }

    /// The determinant of the linear part.
    pub fn determinant(&self) -> f64 {
        dot(wide(self.x), cross(wide(self.y), wide(self.z)))
    }

    /// The inverse, or `None` where the transform flattens space, up to the noise of 32 bits, or holds a value that
    /// is not finite.
    pub fn inverse(&self) -> Option<Self> {
        let (x, y, z, w) = (wide(self.x), wide(self.y), wide(self.z), wide(self.w));
        let det = dot(x, cross(y, z));
        let d = 1.0 / det;
        // A chain with a flat link is seldom exactly flat in 32 bits; its inverse would be noise times 10^8.
        let size = sqrt(dot(x, x) * dot(y, y) * dot(z, z));
        if !d.is_finite() || det.abs() <= size * FLAT {
            return None;
        }
        // Rows of the inverse are the cross products of columns over the determinant.
        let rows = [cross(y, z), cross(z, x), cross(x, y)].map(|r| r.map(|c| c * d));
        let column = |i: usize| narrow([rows[0][i], rows[1][i], rows[2][i]]);
        let t = [-dot(rows[0], w), -dot(rows[1], w), -dot(rows[2], w)];
        let inverse = Self { x: column(0), y: column(1), z: column(2), w: narrow(t) };
        inverse.is_finite().then_some(inverse)
    }

    /// No component is infinite or NaN.
    pub fn is_finite(&self) -> bool {
        [self.x, self.y, self.z, self.w].iter().flatten().all(|c| c.is_finite())
    }

    /// The transform's columns, flattened.
    pub const fn to_array(&self) -> [f32; 12] {
        let (x, y, z, w) = (self.x, self.y, self.z, self.w);
        [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2], w[0], w[1], w[2]]
    }
}

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

impl Default for Trs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Trs {
    /// The transform that changes nothing.
    pub const IDENTITY: Self =
        Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    /// The same transform as a matrix. The quaternion is taken as it is, not normalised.
    #[must_use]
    pub fn to_affine(&self) -> Affine {
        let [x, y, z, w] = self.rotation.map(f64::from);
        let s = wide(self.scale);
        let column = |c: [f64; 3], s: f64| narrow(c.map(|v| v * s));
        Affine {
            x: column([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)], s[0]),
            y: column([2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)], s[1]),
            z: column([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)], s[2]),
            w: self.translation,
        }
    }

    /// The translation, rotation and scale nearest to `m`, and the largest difference between an element of
    /// `m` and of the result, relative to the largest column: 0 up to rounding unless `m` shears.
    ///
    /// A matrix that mirrors gets a negative scale on x. Where a column is zero its scale is 0 and the rotation
    /// is completed from the others.
    pub fn from_affine(m: &Affine) -> (Self, f32) {
        let (x, y, z) = (wide(m.x), wide(m.y), wide(m.z));
        let mut scale = [x, y, z].map(|c| sqrt(dot(c, c)));
        if m.determinant() < 0.0 {
            scale[0] = -scale[0];
        }
        let unit = |c: [f64; 3], s: f64| if s == 0.0 { None } else { Some(c.map(|v| v / s)) };
        let basis = complete([unit(x, scale[0]), unit(y, scale[1]), unit(z, scale[2])]);
        let rotation = quaternion(basis);
        #[expect(clippy::cast_possible_truncation, reason = "rounded to the stored precision")]
        let trs =
            Self { translation: m.w, rotation: rotation.map(|c| c as f32), scale: scale.map(|c| c as f32) };
        let back = trs.to_affine();
        let largest = scale.iter().fold(0.0_f64, |a, s| a.max(s.abs()));
        let error = [(m.x, back.x), (m.y, back.y), (m.z, back.z)]
            .iter()
            .flat_map(|(a, b)| a.iter().zip(b))
            .fold(0.0_f64, |e, (a, b)| e.max((f64::from(*a) - f64::from(*b)).abs()));
        #[expect(clippy::cast_possible_truncation, reason = "an error estimate")]
        let relative = if largest > 0.0 { (error / largest) as f32 } else { 0.0 };
        (trs, relative)
    }
}

/// A right-handed orthonormal basis that keeps the directions that are given.
fn complete(columns: [Option<[f64; 3]>; 3]) -> [[f64; 3]; 3] {
    let any_normal = |a: [f64; 3]| {
        let helper = if a[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let n = cross(a, helper);
        let l = sqrt(dot(n, n));
        n.map(|c| c / l)
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

/// The unit quaternion of a rotation given by its columns, by the largest of the four components.
fn quaternion([x, y, z]: [[f64; 3]; 3]) -> [f64; 4] {
    let (xx, yy, zz) = (x[0], y[1], z[2]);
    let q = if xx + yy + zz > 0.0 {
        [y[2] - z[1], z[0] - x[2], x[1] - y[0], 1.0 + xx + yy + zz]
    } else if xx >= yy && xx >= zz {
        [1.0 + xx - yy - zz, y[0] + x[1], z[0] + x[2], y[2] - z[1]]
    } else if yy >= zz {
        [y[0] + x[1], 1.0 - xx + yy - zz, z[1] + y[2], z[0] - x[2]]
    } else {
        [z[0] + x[2], z[1] + y[2], 1.0 - xx - yy + zz, x[1] - y[0]]
    };
    let l = sqrt(q.iter().map(|c| c * c).sum());
    if l > 0.0 && l.is_finite() { q.map(|c| c / l) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// `v` at length 1, or `None` where it is zero or not finite.
pub fn normalize<const N: usize>(v: [f32; N]) -> Option<[f32; N]> {
    let wide = v.map(f64::from);
    let l = sqrt(wide.iter().map(|c| c * c).sum());
    #[expect(clippy::cast_possible_truncation, reason = "rounded to the stored precision")]
    let unit = wide.map(|c| (c / l) as f32);
    (l > 0.0 && l.is_finite()).then_some(unit)
}

/// The square root, for targets whose `core` has none: Newton's method from an exponent-halving guess.
///
/// Within one unit in the last place; 0 for 0, NaN for negative numbers.
pub fn sqrt(v: f64) -> f64 {
    if v.is_nan() || v < 0.0 {
        return f64::NAN;
    }
    if v == 0.0 || v.is_infinite() {
        return v;
    }
    // Subnormal numbers halve badly: scale them up by an even power of two first.
    if v < f64::MIN_POSITIVE {
        return sqrt(v * 18_014_398_509_481_984.0) / 134_217_728.0;
    }
    let mut x = f64::from_bits((v.to_bits() >> 1) + 0x1ff8_0000_0000_0000);
    for _ in 0..5 {
        x = 0.5 * (x + v / x);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit_quaternion() -> impl Strategy<Value = [f32; 4]> {
        [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0]
            .prop_filter_map("zero", |q| normalize(q).filter(|_| q.iter().any(|c| c.abs() > 0.01)))
    }

    proptest! {
        #[test]
        fn root_matches_the_machine(v in 0.0_f64..1e300) {
            let (ours, machine) = (sqrt(v), v.sqrt());
            prop_assert!((ours - machine).abs() <= machine * 4.0e-16, "{ours} {machine}");
        }

        #[test]
        fn inverse_undoes(q in unit_quaternion(), t: [i8; 3], s in [0.1_f32..9.0, 0.1_f32..9.0, 0.1_f32..9.0]) {
            let trs = Trs { translation: t.map(f32::from), rotation: q, scale: s };
            let m = trs.to_affine();
            let id = m.inverse().unwrap().after(&m);
            for (a, b) in id.to_array().iter().zip(Affine::IDENTITY.to_array()) {
                prop_assert!((a - b).abs() < 1e-3, "{id:?}");
            }
        }

        #[test]
        fn decomposition_rebuilds(q in unit_quaternion(), s in [-9.0_f32..9.0, 0.1_f32..9.0, 0.1_f32..9.0]) {
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
    fn shear_is_told() {
        let m = Affine { y: [0.5, 1.0, 0.0], ..Affine::IDENTITY };
        assert!(Trs::from_affine(&m).1 > 0.1);
        assert!(Affine { z: [0.0; 3], ..Affine::IDENTITY }.inverse().is_none());
        assert_eq!(Affine::from_rows(m.to_rows()), m);
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
    fn subnormal_roots() {
        assert!((sqrt(5e-324) - 5e-324_f64.sqrt()).abs() < 1e-170);
        assert!(sqrt(-1.0).is_nan() && sqrt(0.0) == 0.0 && sqrt(f64::INFINITY).is_infinite());
    }
}
