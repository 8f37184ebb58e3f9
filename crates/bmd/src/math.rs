//! Arithmetic in the order of operations of the original tools. Poses use the engine's order, which the
//! shared mathematics has too. Tests compare both with the original's values.

use meshwright_core::math::{narrow1, quat, sqrt};

pub(crate) use meshwright_core::math::Quat;

/// Returns `v` scaled to length 1 in single precision, or zero if `v` is zero: the normal that a position
/// implies.
#[allow(clippy::arithmetic_side_effects, reason = "floats")]
pub(crate) fn direction(v: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = v;
    // The square root of a single in double precision, rounded to single, is the correctly rounded root.
    let length = narrow1(sqrt(f64::from(x * x + y * y + z * z)));
    if length > 0.0 && length.is_finite() { v.map(|c| c / length) } else { [0.0; 3] }
}

/// Returns the angle in degrees between two rotations given as unit quaternions of any sign.
pub(crate) fn degrees(a: Quat, b: Quat) -> f64 {
    quat::angle(a, b).to_degrees()
}

/// Returns the angle in degrees between two directions; `None` where one has no length.
pub(crate) fn degrees_between(a: [f32; 3], b: [f32; 3]) -> Option<f64> {
    let unit =
        |[x, y, z]: [f32; 3]| meshwright_core::math::unit([f64::from(x), f64::from(y), f64::from(z), 0.0]);
    Some(quat::arc(unit(a)?, unit(b)?).to_degrees())
}
