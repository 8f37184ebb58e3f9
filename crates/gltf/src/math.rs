//! Rotations in 64 bits.
#![allow(clippy::indexing_slicing, reason = "vectors and matrices of fixed size")]

use meshwright_core::bulk::{INFINITE, MAGNITUDE};
use meshwright_core::math::quat::{self, toward};
pub(crate) use meshwright_core::math::quat::{IDENTITY, to_basis as rotation};
use meshwright_core::math::{Affine, Trs};
pub(crate) use meshwright_core::math::{Quat, cross, dot, lerp, narrow, unit, wide};
use meshwright_scene::Interpolation;

/// Three columns.
pub(crate) type Mat3 = [[f64; 3]; 3];

/// Interpolates unit quaternions spherically, the short way.
pub(crate) fn slerp(a: Quat, b: Quat, t: f64) -> Quat {
    quat::slerp(a, toward(a, b), t)
}

/// Returns the rotation between two unit quaternions by the rule of an engine, as a matrix. Formats that specify
/// blending of matrices count as dual quaternion blending, as in today's engines: linear and renormalised, the short
/// way.
pub(crate) fn blend(a: Quat, b: Quat, t: f64, rule: Interpolation) -> Mat3 {
    rotation(match rule {
        Interpolation::Linear => quat::nlerp(a, b, t),
        Interpolation::LinearShort | Interpolation::Matrix => quat::nlerp(a, toward(a, b), t),
        Interpolation::Spherical => slerp(a, b, t),
    })
}

pub(crate) fn scaled(m: Mat3, s: [f64; 3]) -> Mat3 {
    core::array::from_fn(|i| m[i].map(|c| c * s[i]))
}

pub(crate) fn linear(m: &Affine) -> Mat3 {
    [wide(m.x), wide(m.y), wide(m.z)]
}

/// Returns the angle between two rotations in degrees.
pub(crate) fn degrees_apart(a: Mat3, b: Mat3) -> f64 {
    quat::angle(quat::from_basis(a), quat::from_basis(b)).to_degrees()
}

/// The difference of a scale from 1 that is ignored: the error of matrices from angles in 32 bits.
const SCALE_NOISE: f64 = 1e-6;

/// Decomposes a matrix into translation, rotation and scale. Also returns the error relative to the longest column.
pub(crate) fn decompose(m: &Affine) -> (Trs, f64) {
    let (mut trs, _) = Trs::from_affine(m);
    for s in &mut trs.scale {
        if (f64::from(s.abs()) - 1.0).abs() <= SCALE_NOISE {
            *s = s.signum();
        }
    }
    let back = scaled(rotation(wide(trs.rotation)), wide(trs.scale));
    let largest = trs.scale.iter().fold(0.0_f64, |l, s| l.max(f64::from(s.abs())));
    let error =
        linear(m).iter().flatten().zip(back.iter().flatten()).fold(0.0_f64, |e, (a, b)| e.max((a - b).abs()));
    (trs, if largest > 0.0 { error / largest } else { 0.0 })
}

/// The error of a decomposition that is not reported: the rounding error of 32 bits.
pub(crate) const SHEAR_NOISE: f64 = 5e-6;

/// The least and the greatest of each component.
pub(crate) type Range<const N: usize> = ([f32; N], [f32; N]);

/// Returns the least and the greatest of each component; the values are finite.
pub(crate) fn range<const N: usize>(items: &[[f32; N]]) -> Option<Range<N>> {
    // Four at a time: as many lanes as make whole registers of vectors of any length.
    let first = *items.first()?;
    let (mut low, mut high) = ([first; 4], [first; 4]);
    let (fours, rest) = items.as_chunks::<4>();
    let widen = |item: &[f32; N]| [*item; 4];
    for four in fours.iter().copied().chain(rest.iter().map(widen)) {
        for ((lo, hi), v) in
            low.as_flattened_mut().iter_mut().zip(high.as_flattened_mut()).zip(four.as_flattened())
        {
            *lo = if *v < *lo { *v } else { *lo };
            *hi = if *v > *hi { *v } else { *hi };
        }
    }
    let fold = |lanes: [[f32; N]; 4], pick: fn(f32, f32) -> f32| {
        lanes.into_iter().fold(lanes[0], |all, lane| std::array::from_fn(|i| pick(all[i], lane[i])))
    };
    Some((fold(low, f32::min), fold(high, f32::max)))
}

/// Statistics of points: whether all are finite, and their range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    low: [[f32; 3]; LANES],
    high: [[f32; 3]; LANES],
    /// The greatest magnitudes, as bits, in several lanes: a single maximum would be reduced after every eight
    /// points.
    most: [[u32; 3]; LANES],
}

/// Points side by side: three registers of AVX2 for each limit.
const LANES: usize = 8;

impl Seen {
    pub(crate) const NOTHING: Self = Self {
        low: [[f32::INFINITY; 3]; LANES],
        high: [[f32::NEG_INFINITY; 3]; LANES],
        most: [[0; 3]; LANES],
    };

    pub(crate) fn is_finite(&self) -> bool {
        self.most.as_flattened().iter().all(|most| *most < INFINITE)
    }

    /// Returns the least and the greatest of each component.
    pub(crate) fn range(&self) -> Range<3> {
        let fold = |lanes: [[f32; 3]; LANES], pick: fn(f32, f32) -> f32| {
            lanes.into_iter().fold(lanes[0], |all, lane| std::array::from_fn(|i| pick(all[i], lane[i])))
        };
        (fold(self.low, f32::min), fold(self.high, f32::max))
    }

    #[allow(clippy::inline_always, reason = "part of a kernel")]
    #[inline(always)]
    fn take(&mut self, some: &[[f32; 3]; LANES]) {
        let limits = self.low.as_flattened_mut().iter_mut().zip(self.high.as_flattened_mut());
        for (((lo, hi), most), v) in limits.zip(self.most.as_flattened_mut()).zip(some.as_flattened()) {
            *lo = if *v < *lo { *v } else { *lo };
            *hi = if *v > *hi { *v } else { *hi };
            *most = (*most).max(v.to_bits() & MAGNITUDE);
        }
    }
}

meshwright_core::kernels! {
    /// Adds points to the statistics.
    pub(crate) fn see_points as see_points_portable<'a>(points: &'a [[f32; 3]], seen: &'a mut Seen) -> () {
        let mut all = *seen;
        let (some, rest) = points.as_chunks();
        for some in some {
            all.take(some);
        }
        for point in rest {
            all.take(&[*point; LANES]);
        }
        *seen = all;
    }
}

meshwright_core::kernels! {
    /// Returns true if all normals certainly have length 1, within the rounding of 32 bits. This check is fast.
    pub(crate) fn are_unit as are_unit_portable<'a>(normals: &'a [[f32; 3]]) -> bool {
        // Some at a time, without a branch for each. The error of the sum of three squares is below a quarter of the bound.
        let is_unit = |[x, y, z]: &[f32; 3]| (x * x + y * y + z * z - 1.0).abs() <= 5e-7;
        normals.chunks(64).all(|part| part.iter().fold(true, |all, n| all & is_unit(n)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slerp_passes_the_middle_of_the_short_way() {
        let b = [1.0_f64.sin(), 0.0, 0.0, 1.0_f64.cos()].map(|c| -c);
        let mid = slerp(IDENTITY, b, 0.5);
        assert!((mid[0].abs() - 0.5_f64.sin()).abs() < 1e-12 && (mid[3].abs() - 0.5_f64.cos()).abs() < 1e-12);
        assert_eq!(slerp(IDENTITY, IDENTITY, 0.3), IDENTITY);
        let near = [1e-9, 0.0, 0.0, 1.0];
        assert!((slerp(IDENTITY, near, 0.5)[0] - 5e-10).abs() < 1e-15);
    }

    #[test]
    fn unit_normals_are_found_by_both_versions() {
        let at = |i: u16| {
            let (s, c) = (f32::from(i) * 0.37).sin_cos();
            let (t, d) = (f32::from(i) * 0.11).sin_cos();
            [s * d, c * d, t]
        };
        let all: Vec<_> = (0..200).map(at).collect();
        for len in [0, 1, 7, 63, 64, 65, 128, 191, 192, 200] {
            assert!(are_unit(&all[..len]) && are_unit_portable(&all[..len]));
            for (wrong, component) in
                [(0, 0), (1, 2), (62, 1), (63, 2), (64, 0), (127, 2), (190, 1), (199, 2)]
            {
                for odd in [f32::NAN, f32::INFINITY, 2.0, -1.5] {
                    let mut some = all[..len].to_vec();
                    let Some(normal) = some.get_mut(wrong) else { continue };
                    normal[component] = odd;
                    assert!(!are_unit(&some) && !are_unit_portable(&some), "{wrong} of {len}: {odd}");
                }
            }
        }
        for scale in [1.0 - 3e-7, 1.0 - 2e-7, 1.0 + 2e-7, 1.0 + 3e-7_f32] {
            let scaled: Vec<_> = all.iter().map(|n| n.map(|c| c * scale)).collect();
            let each = scaled.iter().all(|n| (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0).abs() <= 5e-7);
            assert_eq!((are_unit(&scaled), are_unit_portable(&scaled)), (each, each));
        }
    }

    #[test]
    fn points_are_seen_alike_by_both_versions() {
        let at = |i: u16, c: u16| f32::from(i * 7 % 31) * 0.5 - f32::from(c);
        let all: Vec<_> = (0..53).map(|i| [at(i, 0), at(i + 3, 1), at(i + 9, 2)]).collect();
        for (from, to) in [(0, 53), (1, 9), (2, 10), (5, 6), (7, 7)] {
            for odd in [None, Some(f32::NAN), Some(f32::NEG_INFINITY)] {
                let mut some = all[from..to].to_vec();
                if let (Some(odd), Some(last)) = (odd, some.last_mut()) {
                    last[1] = odd;
                }
                let (mut wide, mut portable) = (Seen::NOTHING, Seen::NOTHING);
                see_points(&some, &mut wide);
                see_points_portable(&some, &mut portable);
                assert_eq!(wide.is_finite(), odd.is_none() || some.is_empty());
                assert_eq!((wide.is_finite(), wide.range()), (portable.is_finite(), portable.range()));
                assert_eq!(meshwright_core::bulk::are_finite(some.as_flattened()), wide.is_finite());
                let known = range(&some).unwrap_or(Seen::NOTHING.range());
                assert!(!wide.is_finite() || known == wide.range());
            }
        }
    }

    #[test]
    fn noise_of_scale_is_dropped_and_shear_is_reported() {
        let m = Affine { x: [1.000_000_5, 0.0, 0.0], ..Affine::IDENTITY };
        let (trs, error) = decompose(&m);
        assert_eq!(trs.scale, [1.0; 3]);
        assert!(error < SHEAR_NOISE);
        assert!(decompose(&Affine { y: [0.1, 1.0, 0.0], ..Affine::IDENTITY }).1 > 0.01);
        assert_eq!(decompose(&Affine { x: [0.0; 3], y: [0.0; 3], z: [0.0; 3], w: [1.0; 3] }).1, 0.0);
    }
}
