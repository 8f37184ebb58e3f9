//! Vectors of any length as arrays.

use core::array::from_fn;

/// Returns the square root, correctly rounded; NaN for negative numbers.
#[inline]
#[must_use]
pub fn sqrt(x: f64) -> f64 {
    libm::sqrt(x)
}

/// Returns the sine of an angle in radians.
#[must_use]
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Returns the cosine of an angle in radians.
#[must_use]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Returns the angle in radians whose cosine is `x`; NaN outside -1 to 1.
#[must_use]
pub fn acos(x: f64) -> f64 {
    libm::acos(x)
}

/// Returns the angle in radians of the point (x, y), from -pi to pi.
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Rounds to 32 bits: to the nearest float, ties to even.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "rounding to the stored precision is the purpose")]
pub const fn narrow1(x: f64) -> f32 {
    x as f32
}

/// Rounds to 32 bits.
#[inline]
#[must_use]
pub fn narrow<const N: usize>(v: [f64; N]) -> [f32; N] {
    v.map(narrow1)
}

/// Widens to 64 bits.
#[inline]
#[must_use]
pub fn wide<const N: usize>(v: [f32; N]) -> [f64; N] {
    v.map(f64::from)
}

/// Returns the sum of the products, added from the first component on.
#[inline]
#[must_use]
pub fn dot<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the cross product.
#[inline]
#[must_use]
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `a + b`.
#[inline]
#[must_use]
pub fn add<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
    from_fn(|i| a[i] + b[i])
}

/// `a - b`.
#[inline]
#[must_use]
pub fn sub<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
    from_fn(|i| a[i] - b[i])
}

/// `v` times a number.
#[inline]
#[must_use]
pub fn scale<const N: usize>(v: [f64; N], by: f64) -> [f64; N] {
    v.map(|c| c * by)
}

/// Returns the length.
#[inline]
#[must_use]
pub fn length<const N: usize>(v: [f64; N]) -> f64 {
    sqrt(dot(v, v))
}

/// Returns the distance of two points.
#[inline]
#[must_use]
pub fn distance<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    length(sub(a, b))
}

/// Interpolates from `a` at `t = 0` to `b` at `t = 1`; both ends are exact.
#[inline]
#[must_use]
pub fn lerp<const N: usize>(a: [f64; N], b: [f64; N], t: f64) -> [f64; N] {
    from_fn(|i| a[i] * (1.0 - t) + b[i] * t)
}

/// Returns `v` scaled to length 1. `None` if it is zero or not finite.
#[inline]
#[must_use]
pub fn unit<const N: usize>(mut v: [f64; N]) -> Option<[f64; N]> {
    let mut l = length(v);
    if !l.is_normal() {
        reduce(&mut v)?;
        l = length(v);
    }
    Some(v.map(|c| c / l))
}

/// Divides a vector whose squares overflow or underflow by its largest component. `None` if it is zero or not finite.
#[cold]
fn reduce(v: &mut [f64]) -> Option<()> {
    let largest = v.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if largest == 0.0 || !v.iter().all(|c| c.is_finite()) {
        return None;
    }
    v.iter_mut().for_each(|c| *c /= largest);
    Some(())
}

/// Does the same as [`unit()`] for a vector stored in 32 bits.
#[must_use]
pub fn normalize<const N: usize>(v: [f32; N]) -> Option<[f32; N]> {
    unit(wide(v)).map(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_root_is_that_of_the_machine(bits: u64) {
            let x = f64::from_bits(bits & !(1 << 63));
            prop_assume!(!x.is_nan());
            prop_assert_eq!(sqrt(x).to_bits(), x.sqrt().to_bits());
        }

        #[test]
        fn units_of_all_sizes(v: [f32; 3], power in -300..300) {
            let v = v.map(|c| f64::from(c) * 2_f64.powi(power));
            match unit(v) {
                Some(u) => prop_assert!((length(u) - 1.0).abs() < 1e-12),
                None => prop_assert!(v.iter().all(|c| *c == 0.0) || v.iter().any(|c| !c.is_finite())),
            }
        }
    }

    #[test]
    fn literals() {
        assert_eq!(cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
        assert_eq!(length([2.0, 3.0, 6.0]), 7.0);
        assert_eq!(distance([1.0, 1.0], [4.0, 5.0]), 5.0);
        assert_eq!(lerp([0.0, 8.0], [4.0, 0.0], 0.25), [1.0, 6.0]);
        assert_eq!(normalize([0.0_f32, 3.0, 4.0]), Some([0.0, 0.6, 0.8]));
        assert_eq!(unit([0.0; 3]), None);
        assert_eq!(unit([1e-320, 0.0, 0.0]), Some([1.0, 0.0, 0.0]));
        assert_eq!(unit([f64::NAN, 1.0, 0.0]), None);
        assert_eq!(normalize([f32::INFINITY, 0.0]), None);
        assert_eq!(add(scale([1.0, 2.0], 2.0), [1.0, 1.0]), [3.0, 5.0]);
    }
}
