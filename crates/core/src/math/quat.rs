//! Rotations as unit quaternions `[x, y, z, w]`.

use super::vector::{acos, atan2, cross, dot, length, lerp, sin, sub, unit};

/// A quaternion x, y, z, w.
pub type Quat = [f64; 4];

/// The identity rotation.
pub const IDENTITY: Quat = [0.0, 0.0, 0.0, 1.0];

/// Returns Hamilton's product: the rotation `b`, then `a`.
#[must_use]
pub fn product(a: Quat, b: Quat) -> Quat {
    let ([xa, ya, za, wa], [xb, yb, zb, wb]) = (a, b);
    [
        wa * xb + xa * wb + ya * zb - za * yb,
        wa * yb + ya * wb + za * xb - xa * zb,
        wa * zb + za * wb + xa * yb - ya * xb,
        wa * wb - xa * xb - ya * yb - za * zb,
    ]
}

/// Returns the inverse of a unit quaternion.
#[must_use]
pub fn conjugate([x, y, z, w]: Quat) -> Quat {
    [-x, -y, -z, w]
}

/// Rotates `v` by a unit quaternion.
#[must_use]
pub fn rotate([x, y, z, w]: Quat, v: [f64; 3]) -> [f64; 3] {
    let axis = [x, y, z];
    let t = cross(axis, v).map(|c| 2.0 * c);
    let u = cross(axis, t);
    [v[0] + w * t[0] + u[0], v[1] + w * t[1] + u[1], v[2] + w * t[2] + u[2]]
}

/// Returns the rotation by an angle in radians about an axis of length 1.
#[must_use]
pub fn about(axis: [f64; 3], angle: f64) -> Quat {
    let (s, c) = (sin(0.5 * angle), super::cos(0.5 * angle));
    [axis[0] * s, axis[1] * s, axis[2] * s, c]
}

/// Returns the images of the three axes. The quaternion is not normalised first.
#[must_use]
pub fn to_basis([x, y, z, w]: Quat) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Returns the unit quaternion of a rotation given by the images of the three axes. If they do not form a
/// basis, the result is an arbitrary rotation.
#[must_use]
pub fn from_basis([x, y, z]: [[f64; 3]; 3]) -> Quat {
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
    unit(q).unwrap_or(IDENTITY)
}

/// Returns `b` or its negative (the same rotation), whichever is nearer to `a`.
#[must_use]
pub fn toward(a: Quat, b: Quat) -> Quat {
    if dot(a, b) < 0.0 { b.map(|c| -c) } else { b }
}

/// Interpolates linearly between `a` and `b` at `t` and renormalises. The signs decide between the short and
/// the long way.
#[must_use]
pub fn nlerp(a: Quat, b: Quat, t: f64) -> Quat {
    unit(lerp(a, b, t)).unwrap_or(a)
}

/// Interpolates on the arc between `a` and `b`, both of unit length, at `t`. The signs decide between the
/// short and the long way.
#[must_use]
pub fn slerp(a: Quat, b: Quat, t: f64) -> Quat {
    let angle = arc(a, b);
    // The chord is as good as the arc between nearly equal rotations. Any arc is equally good between
    // opposite ones.
    let s = sin(angle);
    if angle < 1e-6 || s < 1e-9 {
        return nlerp(a, b, t);
    }
    let (wa, wb) = (sin((1.0 - t) * angle) / s, sin(t * angle) / s);
    core::array::from_fn(|i| a[i] * wa + b[i] * wb)
}

/// Returns the length of the arc between two unit quaternions, precise for small ones too.
#[must_use]
pub fn arc(a: Quat, b: Quat) -> f64 {
    let d = dot(a, b);
    if d.abs() < 0.5 { acos(d) } else { 2.0 * atan2(length(sub(a, b)), length(super::add(a, b))) }
}

/// Returns the angle in radians between two rotations given as unit quaternions of any sign.
#[must_use]
pub fn angle(a: Quat, b: Quat) -> f64 {
    2.0 * arc(a, toward(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn quaternion() -> impl Strategy<Value = Quat> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_filter_map("zero", unit)
    }

    fn is_near<const N: usize>(a: [f64; N], b: [f64; N], by: f64) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < by)
    }

    #[test]
    fn a_quarter_about_z() {
        let q = about([0.0, 0.0, 1.0], FRAC_PI_2);
        assert!(is_near(q, [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2], 1e-15));
        assert!(is_near(rotate(q, [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0], 1e-15));
        assert!((angle(IDENTITY, q.map(|c| -c)) - FRAC_PI_2).abs() < 1e-15);
        assert!(is_near(slerp(IDENTITY, q, 0.5), about([0.0, 0.0, 1.0], FRAC_PI_2 / 2.0), 1e-15));
        assert_eq!(from_basis([[f64::NAN; 3]; 3]), IDENTITY);
    }

    #[test]
    fn small_angles_are_exact() {
        let b = about([1.0, 0.0, 0.0], 2e-7);
        assert!((angle(IDENTITY, b) / 2e-7 - 1.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn bases_and_products_agree(a in quaternion(), b in quaternion(), v in [-9.0..9.0, -9.0..9.0, -9.0..9.0_f64]) {
            let [x, y, z] = to_basis(a);
            let turned = core::array::from_fn(|i| x[i] * v[0] + y[i] * v[1] + z[i] * v[2]);
            prop_assert!(is_near(rotate(a, v), turned, 1e-12));
            prop_assert!(is_near(rotate(product(a, b), v), rotate(a, rotate(b, v)), 1e-12));
            prop_assert!(is_near(rotate(conjugate(a), rotate(a, v)), v, 1e-12));
            prop_assert!(angle(from_basis(to_basis(a)), a) < 1e-7);
        }

        #[test]
        fn an_arc_is_walked_evenly(a in quaternion(), b in quaternion(), t in 0.0..=1.0_f64) {
            let b = toward(a, b);
            let q = slerp(a, b, t);
            prop_assert!((length(q) - 1.0).abs() < 1e-9);
            prop_assert!((arc(a, q) - t * arc(a, b)).abs() < 1e-7);
        }
    }
}
