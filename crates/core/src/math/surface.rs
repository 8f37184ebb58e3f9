//! Compares the winding of triangles with the normals of their corners.

use super::vector::{add, atan2, cross, dot, length, sub, unit};

/// A triangle is too thin to have a direction if its area is below this part of the square of its longest
/// edge.
const FLAT: f64 = 1e-7;

/// Returns the unit direction from which a triangle is seen counter-clockwise, in a right-handed space.
/// `None` if the triangle is too thin.
#[must_use]
pub fn face_normal([a, b, c]: [[f64; 3]; 3]) -> Option<[f64; 3]> {
    let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
    let normal = cross(ab, ac);
    let longest = dot(ab, ab).max(dot(ac, ac)).max(dot(bc, bc));
    unit(normal).filter(|_| length(normal) > FLAT * longest)
}

/// Returns the cosine of the angle between [`face_normal`] and the mean of the corners' normals, which need
/// not be of unit length. Below 0 the triangle is wound against the normals. `None` if either has no
/// direction.
///
/// ```
/// use meshwright_core::math::facing;
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// assert_eq!(facing(corners, [[0.0, 0.0, 3.0]; 3]), Some(1.0));
/// assert_eq!(facing(corners, [[0.0, 0.0, -1.0]; 3]), Some(-1.0));
/// ```
#[must_use]
pub fn facing(corners: [[f64; 3]; 3], normals: [[f64; 3]; 3]) -> Option<f64> {
    let normal = face_normal(corners)?;
    let sum = normals.into_iter().filter_map(unit).fold([0.0; 3], add);
    // If the normals cancel out, only rounding errors are left.
    let mean = unit(sum).filter(|_| length(sum) > FLAT)?;
    Some(dot(normal, mean))
}

/// Returns whether a triangle is wound against the normals of its corners, or `None` if the triangle is a sliver or
/// its normals are not all clearly on one side. [`facing`] gives the same answer at a higher cost.
///
/// ```
/// use meshwright_core::math::clearly_against;
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// assert_eq!(clearly_against(corners, [[0.0, 0.0, 3.0]; 3]), Some(false));
/// assert_eq!(clearly_against(corners, [[0.0, 0.0, -1.0]; 3]), Some(true));
/// assert_eq!(clearly_against(corners, [[1.0, 0.0, 1e-3]; 3]), None);
/// ```
#[allow(clippy::inline_always, reason = "for use in kernels")]
#[inline(always)]
#[must_use]
pub fn clearly_against([a, b, c]: [[f32; 3]; 3], normals: [[f32; 3]; 3]) -> Option<bool> {
    // Sine and cosine of half a degree, squared. Rounding to 32 bits changes a hundred times less, unless
    // values are near the limits of 32 bits.
    const CLEAR: f32 = 1e-4;
    const SMALLEST: f32 = 1e-30;
    let sub = |a: [f32; 3], b: [f32; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
    let face = [ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2], ab[0] * ac[1] - ab[1] * ac[0]];
    let (area, longest) = (dot(face, face), dot(ab, ab).max(dot(ac, ac)).max(dot(bc, bc)));
    let (mut clear, mut sides) = (area > SMALLEST && area > CLEAR * (longest * longest), [true; 2]);
    for normal in normals {
        let (along, scale) = (dot(face, normal), area * dot(normal, normal));
        clear &= scale > SMALLEST && along * along > CLEAR * scale;
        sides = [sides[0] & (along > 0.0), sides[1] & (along < 0.0)];
    }
    match sides {
        [true, _] if clear => Some(false),
        [_, true] if clear => Some(true),
        _ => None,
    }
}

/// Returns the angle of a triangle at its first corner, in radians.
#[must_use]
pub fn corner_angle([a, b, c]: [[f64; 3]; 3]) -> f64 {
    let (ab, ac) = (sub(b, a), sub(c, a));
    atan2(length(cross(ab, ac)), dot(ab, ac))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    const CORNERS: [[f64; 3]; 3] = [[1.0, 1.0, 1.0], [3.0, 1.0, 1.0], [1.0, 3.0, 1.0]];

    #[test]
    fn a_triangle_faces_where_it_is_seen_counter_clockwise() {
        assert_eq!(face_normal(CORNERS), Some([0.0, 0.0, 1.0]));
        let [a, b, c] = CORNERS;
        assert_eq!(face_normal([a, c, b]), Some([0.0, 0.0, -1.0]));
        assert_eq!(face_normal([a, b, b]), None);
        assert_eq!(face_normal([a, b, [5.0, 1.0 + 1e-9, 1.0]]), None, "a sliver");
        assert_eq!(face_normal(CORNERS.map(|v| v.map(|c| c * 1e-60))), Some([0.0, 0.0, 1.0]));
        assert_eq!(face_normal([a, b, [f64::NAN, 0.0, 0.0]]), None);
    }

    #[test]
    fn normals_are_taken_at_length_1() {
        let normals = [[0.0, 0.0, 9.0], [1.0, 0.0, 0.0], [0.0; 3]];
        let cosine = facing(CORNERS, normals).unwrap();
        assert!((cosine - core::f64::consts::FRAC_1_SQRT_2).abs() < 1e-15);
        assert_eq!(facing(CORNERS, [[0.0; 3]; 3]), None);
        assert_eq!(facing(CORNERS, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.0; 3]]), None);
    }

    proptest! {
        #[test]
        fn what_is_clear_is_so(
            corners: [[f32; 3]; 3],
            near in prop::array::uniform3(prop::array::uniform3(-1.0_f32..1.0)),
            normals in prop::array::uniform3(prop::array::uniform3(-1.0_f32..1.0)),
            scale in prop::array::uniform2(-30..30),
        ) {
            let grown = |v: [[f32; 3]; 3], by: i32| v.map(|v| v.map(|c| c * 2_f32.powi(by)));
            let of = |v: [[f32; 3]; 3]| v.map(|v| v.map(f64::from));
            let mut flat = near;
            flat[2] = core::array::from_fn(|i| near[0][i] + (near[1][i] - near[0][i]) * 0.3 + near[2][i] * 0.01);
            for corners in [corners, grown(near, scale[0]), grown(flat, scale[0])] {
                let normals = grown(normals, scale[1]);
                if let Some(against) = clearly_against(corners, normals) {
                    prop_assert_eq!(facing(of(corners), of(normals)).map(|cosine| cosine < 0.0), Some(against));
                }
            }
        }
    }

    #[test]
    fn what_is_not_clear_is_left_open() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let up = [0.0, 0.0, 1.0];
        for (corners, normals) in [
            (corners, [up, up, [0.0, 0.0, -1.0]]),
            (corners, [up, up, [0.0; 3]]),
            (corners, [up, up, [f32::NAN; 3]]),
            (corners, [up, up, [0.0, 0.0, f32::INFINITY]]),
            ([corners[0], corners[1], corners[1]], [up; 3]),
            (corners.map(|c| c.map(|c| c * 1e-10)), [up; 3]),
            (corners.map(|c| c.map(|c| c * 1e20)), [up; 3]),
            (corners, [[0.0, 0.0, 1e-20]; 3]),
            (corners, [[0.0, 0.0, 1e20]; 3]),
        ] {
            assert_eq!(clearly_against(corners, normals), None);
        }
    }

    #[test]
    fn corners_have_angles() {
        let [a, b, c] = CORNERS;
        assert!((corner_angle([a, b, c]) - core::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert!((corner_angle([b, c, a]) - core::f64::consts::FRAC_PI_4).abs() < 1e-15);
        assert_eq!(corner_angle([a, a, b]), 0.0);
    }
}
