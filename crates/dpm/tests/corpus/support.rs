//! Numbers of expected results, and the engine's way to blend poses.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright_dpm::Affine64;
use serde_json::Value;

/// Bytes as text, one to one.
pub(crate) fn text(bytes: &[u8]) -> String {
    meshwright_core::text::latin1(bytes)
}

/// Returns an array of numbers.
pub(crate) fn numbers<const N: usize>(v: &Value) -> [f64; N] {
    std::array::from_fn(|i| v[i].as_f64().unwrap())
}

type Quaternion = [f64; 4];

fn product(a: Quaternion, b: Quaternion) -> Quaternion {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

fn dot(a: Quaternion, b: Quaternion) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns a rotation and a translation as a dual quaternion; the matrix may be scaled as a whole.
fn dual(m: &Affine64, scale: f64) -> (Quaternion, Quaternion) {
    let r = m.to_rows().map(|r| [r[0] / scale, r[1] / scale, r[2] / scale]);
    let trace = r[0][0] + r[1][1] + r[2][2];
    let mut q = if trace > 0.0 {
        [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1], 1.0 + trace]
    } else if r[0][0] > r[1][1] && r[0][0] > r[2][2] {
        [1.0 + r[0][0] - r[1][1] - r[2][2], r[1][0] + r[0][1], r[2][0] + r[0][2], r[2][1] - r[1][2]]
    } else if r[1][1] > r[2][2] {
        [r[1][0] + r[0][1], 1.0 + r[1][1] - r[0][0] - r[2][2], r[2][1] + r[1][2], r[0][2] - r[2][0]]
    } else {
        [r[2][0] + r[0][2], r[2][1] + r[1][2], 1.0 + r[2][2] - r[0][0] - r[1][1], r[1][0] - r[0][1]]
    };
    let length = dot(q, q).sqrt();
    q = if length > 0.0 { q.map(|c| c / length) } else { [0.0, 0.0, 0.0, 1.0] };
    let [x, y, z] = m.w;
    (q, product([x, y, z, 0.0], q).map(|c| 0.5 * c))
}

/// Returns the engine's blend of two local poses, `t` of the way: rotation and translation of each bone as a dual
/// quaternion, the short way. Scales are taken from the first pose.
pub(crate) fn dual_quaternion_pose(a: &[Affine64], b: &[Affine64], t: f64) -> Vec<Affine64> {
    let blend = |(a, b): (&Affine64, &Affine64)| {
        let scale = [a.x, a.y, a.z].iter().map(|c| c[0] * c[0]).sum::<f64>().sqrt();
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let ((qa, da), (qb, db)) = (dual(a, scale), dual(b, scale));
        let sign = if dot(qa, qb) < 0.0 { -1.0 } else { 1.0 };
        let mix = |a: Quaternion, b: Quaternion| {
            std::array::from_fn::<f64, 4, _>(|i| a[i] * (1.0 - t) + b[i] * sign * t)
        };
        let (q, d) = (mix(qa, qb), mix(da, db));
        let length = dot(q, q).sqrt();
        let (q, d) = (q.map(|c| c / length), d.map(|c| c / length));
        let [tx, ty, tz, _] = product(d, [-q[0], -q[1], -q[2], q[3]]).map(|c| 2.0 * c);
        let [x, y, z, w] = q;
        let s = |v: f64| v * scale;
        Affine64::from_rows([
            [s(1.0 - 2.0 * (y * y + z * z)), s(2.0 * (x * y - w * z)), s(2.0 * (x * z + w * y)), tx],
            [s(2.0 * (x * y + w * z)), s(1.0 - 2.0 * (x * x + z * z)), s(2.0 * (y * z - w * x)), ty],
            [s(2.0 * (x * z - w * y)), s(2.0 * (y * z + w * x)), s(1.0 - 2.0 * (x * x + y * y)), tz],
        ])
    };
    a.iter().zip(b).map(blend).collect()
}
