//! Square roots and rotations, in the order of operations that the reference evaluation has.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "exact arithmetic on the bits of floats; tests compare with wider types"
)]

/// A quaternion x, y, z, w.
pub(crate) type Quat = [f64; 4];
/// Three rows of four, the last of each row being the translation.
pub(crate) type Rows = [[f64; 4]; 3];

pub(crate) const IDENTITY: Rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// The square root, correctly rounded: a Newton estimate within one unit in the last place, then the nearest
/// of it and its neighbours by exact comparison.
pub(crate) fn sqrt(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 || x.is_infinite() {
        return x;
    }
    if x < f64::MIN_POSITIVE {
        return sqrt(x * 18_014_398_509_481_984.0) / 134_217_728.0;
    }
    let mut y = f64::from_bits((x.to_bits() >> 1).wrapping_add(0x1ff8_0000_0000_0000));
    for _ in 0..5 {
        y = 0.5 * (y + x / y);
    }
    // Exact from here on: significands in 128 bits, scaled so that the root has 53 bits. The estimate may have
    // been rounded across a power of two, in either direction.
    let significand = |bits: u64| u128::from((bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000);
    let (exponent, expected) = (x.to_bits() >> 52, ((x.to_bits() >> 52) + 1023) >> 1);
    let y = y.max(f64::from_bits(expected << 52));
    let wide = significand(x.to_bits()) << (52 + u32::from(exponent & 1 == 0));
    let root = significand(y.to_bits()) << u32::from(y.to_bits() >> 52 > expected);
    let (down, up, four) = (2 * root - 1, 2 * root + 1, 4 * wide);
    if up * up <= four {
        f64::from_bits(y.to_bits() + 1)
    } else if down * down >= four {
        f64::from_bits(y.to_bits() - 1)
    } else {
        y
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to the stored precision")]
pub(crate) const fn narrow(x: f64) -> f32 {
    x as f32
}

/// `v` at length 1 in single precision, zero where it is zero: the normal that a position implies.
pub(crate) fn direction(v: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = v;
    // The root of a single in double precision, rounded, is the rounded root.
    let length = narrow(sqrt(f64::from(x * x + y * y + z * z)));
    if length > 0.0 && length.is_finite() { v.map(|c| c / length) } else { [0.0; 3] }
}

pub(crate) fn length(q: Quat) -> f64 {
    sqrt(q.iter().map(|c| c * c).sum())
}

/// `q` at unit length, or `None` where it is zero.
pub(crate) fn unit(q: Quat) -> Option<Quat> {
    let l = length(q);
    (l > 0.0 && l.is_finite()).then(|| q.map(|c| c / l))
}

pub(crate) fn dot(a: Quat, b: Quat) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Hamilton product: first `b`, then `a`.
pub(crate) fn product(a: Quat, b: Quat) -> Quat {
    let ([xa, ya, za, wa], [xb, yb, zb, wb]) = (a, b);
    [
        wa * xb + xa * wb + ya * zb - za * yb,
        wa * yb + ya * wb + za * xb - xa * zb,
        wa * zb + za * wb + xa * yb - ya * xb,
        wa * wb - xa * xb - ya * yb - za * zb,
    ]
}

/// The angle in degrees between two rotations given as unit quaternions of any sign.
pub(crate) fn angle(a: Quat, b: Quat) -> f64 {
    let b = if dot(a, b) < 0.0 { b.map(|c| -c) } else { b };
    // The arc on the sphere of quaternions is half the rotation's angle.
    2.0 * arc(a, b) * (180.0 / core::f64::consts::PI)
}

/// The length of the arc between two unit quaternions.
pub(crate) fn arc(a: Quat, b: Quat) -> f64 {
    let mut square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    // The chord of half the arc, eight times; a short chord is as long as its arc.
    const HALVINGS: i32 = 8;
    for _ in 0..HALVINGS {
        square /= 2.0 + sqrt((4.0 - square).max(0.0));
    }
    f64::from(1 << HALVINGS) * sqrt(square)
}

/// The rotation at `t` on the great arc from `a` to `b`, the short way: what glTF does between keys.
#[cfg(feature = "scene")]
pub(crate) fn slerp(a: Quat, b: Quat, t: f64) -> Quat {
    let b = if dot(a, b) < 0.0 { b.map(|c| -c) } else { b };
    let whole = arc(a, b);
    let (from, to) = if whole < 1e-9 {
        (1.0 - t, t)
    } else {
        (sine((1.0 - t) * whole) / sine(whole), sine(t * whole) / sine(whole))
    };
    let mixed = core::array::from_fn(|i| from * a[i] + to * b[i]);
    unit(mixed).unwrap_or(a)
}

/// The sine of an angle of 0 to a quarter turn, by its series.
pub(crate) fn sine(x: f64) -> f64 {
    let square = x * x;
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    for _ in 0..11 {
        term *= -square / ((n + 1.0) * (n + 2.0));
        sum += term;
        n += 2.0;
    }
    sum
}

/// The linear part of a rotation by a unit quaternion times a scale per axis.
pub(crate) fn rotation_scale(q: Quat, s: [f64; 3]) -> [[f64; 3]; 3] {
    let [x, y, z, w] = q;
    [
        [
            (1.0 - 2.0 * (y * y + z * z)) * s[0],
            (2.0 * (x * y - w * z)) * s[1],
            (2.0 * (x * z + w * y)) * s[2],
        ],
        [
            (2.0 * (x * y + w * z)) * s[0],
            (1.0 - 2.0 * (x * x + z * z)) * s[1],
            (2.0 * (y * z - w * x)) * s[2],
        ],
        [
            (2.0 * (x * z - w * y)) * s[0],
            (2.0 * (y * z + w * x)) * s[1],
            (1.0 - 2.0 * (x * x + y * y)) * s[2],
        ],
    ]
}

/// The transform `a` after `b`.
pub(crate) fn compose(a: &Rows, b: &Rows) -> Rows {
    let mut out = IDENTITY;
    for (row, ra) in out.iter_mut().zip(a) {
        for (j, cell) in row.iter_mut().enumerate() {
            let column = |k: usize| b.get(k).and_then(|r| r.get(j)).copied().unwrap_or(0.0);
            *cell = ra[0] * column(0) + ra[1] * column(1) + ra[2] * column(2);
            if j == 3 {
                *cell += ra[3];
            }
        }
    }
    out
}

pub(crate) fn point(m: &Rows, p: [f64; 3]) -> [f64; 3] {
    m.map(|r| r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3])
}

pub(crate) fn vector(m: &Rows, p: [f64; 3]) -> [f64; 3] {
    m.map(|r| r[0] * p[0] + r[1] * p[1] + r[2] * p[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn root_is_correctly_rounded(bits: u64) {
            let x = f64::from_bits(bits & 0x7fff_ffff_ffff_ffff);
            prop_assume!(!x.is_nan());
            prop_assert_eq!(sqrt(x).to_bits(), x.sqrt().to_bits());
        }

        #[test]
        fn angle_matches_the_machine(a in [-1.0_f64..1.0, -1.0_f64..1.0, -1.0_f64..1.0, 0.01_f64..1.0],
                                     b in [-1.0_f64..1.0, -1.0_f64..1.0, -1.0_f64..1.0, 0.01_f64..1.0]) {
            let (a, b) = (unit(a).unwrap(), unit(b).unwrap());
            let want = 2.0 * dot(a, b).abs().min(1.0).acos().to_degrees();
            prop_assert!((angle(a, b) - want).abs() < 1e-3, "{} {want}", angle(a, b));
        }

        #[test]
        #[cfg(feature = "scene")]
        fn a_great_arc_is_walked_evenly(a in [-1.0_f64..1.0, -1.0_f64..1.0, -1.0_f64..1.0, 0.01_f64..1.0],
                                        b in [-1.0_f64..1.0, -1.0_f64..1.0, -1.0_f64..1.0, 0.01_f64..1.0],
                                        t in 0.0_f64..1.0) {
            let (a, b) = (unit(a).unwrap(), unit(b).unwrap());
            let q = slerp(a, b, t);
            prop_assert!((angle(a, q) - t * angle(a, b)).abs() < 2e-3);
            prop_assert!((angle(q, b) - (1.0 - t) * angle(a, b)).abs() < 2e-3);
        }
    }

    #[test]
    fn roots_beside_powers_of_two() {
        for e in -1020..1020 {
            let p = 2_f64.powi(e);
            for x in [p, f64::from_bits(p.to_bits() - 1), f64::from_bits(p.to_bits() + 1)] {
                assert_eq!(sqrt(x).to_bits(), x.sqrt().to_bits(), "{x:e}");
            }
        }
        assert_eq!(sqrt(f64::from_bits(3)), f64::from_bits(3).sqrt());
    }

    #[test]
    fn small_angles_are_exact() {
        let half = 1e-7_f64;
        let b = [half.sin(), 0.0, 0.0, half.cos()];
        let want = 2e-7_f64.to_degrees();
        assert!((angle([0.0, 0.0, 0.0, 1.0], b) / want - 1.0).abs() < 1e-6);
    }
}
