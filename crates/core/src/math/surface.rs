//! How triangles lie to the normals of their corners.

use super::vector::{add, atan2, cross, dot, length, sub, unit};

/// A triangle whose area is below this part of its longest edge's square has no side that rounding leaves certain.
const FLAT: f64 = 1e-7;

/// The direction from which a triangle is seen counter-clockwise (in a right-handed space), at length 1; `None` where it
/// is too thin to say.
#[must_use]
pub fn face_normal([a, b, c]: [[f64; 3]; 3]) -> Option<[f64; 3]> {
    let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
    let normal = cross(ab, ac);
    let longest = dot(ab, ab).max(dot(ac, ac)).max(dot(bc, bc));
    unit(normal).filter(|_| length(normal) > FLAT * longest)
}

/// The cosine of the angle between [`face_normal`] and the mean of its corners' normals, of whatever length these are:
/// below 0 the triangle is wound against them. `None` where either has no direction.
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
    // Normals that cancel leave only rounding.
    let mean = unit(sum).filter(|_| length(sum) > FLAT)?;
    Some(dot(normal, mean))
}

/// The angle of a triangle at its first corner, in radians.
#[must_use]
pub fn corner_angle([a, b, c]: [[f64; 3]; 3]) -> f64 {
    let (ab, ac) = (sub(b, a), sub(c, a));
    atan2(length(cross(ab, ac)), dot(ab, ac))
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn corners_have_angles() {
        let [a, b, c] = CORNERS;
        assert!((corner_angle([a, b, c]) - core::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert!((corner_angle([b, c, a]) - core::f64::consts::FRAC_PI_4).abs() < 1e-15);
        assert_eq!(corner_angle([a, a, b]), 0.0);
    }
}
