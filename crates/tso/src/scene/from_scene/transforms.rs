//! Converts transforms of joints to those of bones, which only rotate and move.

use alloc::vec::Vec;
use meshwright_core::f32s;
use meshwright_core::{F32, math};
use meshwright_scene::math::{Affine64, Trs64, quat};
use meshwright_scene::{AxisMap, Budget, ConvertError, Loss, Skeleton, Unscaled};

/// Scales that differ from 1 by more are reported; the formats have none.
const SCALE_TOLERANCE: f64 = 1e-4;

/// Returns true if a scale changes something.
pub(crate) fn has_scale(scale: [f64; 3]) -> bool {
    scale.iter().any(|s| (s - 1.0).abs() > SCALE_TOLERANCE)
}

/// Returns true if a transform has more than a rotation and a translation.
pub(crate) fn is_scaled(m: &Affine64) -> bool {
    let trs = Trs64::from_affine(m);
    has_scale(trs.scale) || trs.misfit(m) > SCALE_TOLERANCE
}

/// Returns the bones of a skeleton, which only rotate and move.
pub(crate) fn bones<'s>(skeleton: &'s Skeleton, budget: &Budget) -> Result<Unscaled<'s>, ConvertError> {
    Unscaled::new(skeleton, |j| skeleton.joints.get(j).and_then(|j| j.parent), budget)
}

/// Returns a translation and a rotation as files store them.
pub(crate) fn stored(axes: &AxisMap, trs: &Trs64) -> ([F32; 3], [F32; 4]) {
    let trs = axes.trs64(trs);
    (f32s(math::narrow(trs.translation)), f32s(math::narrow(quat::conjugate(trs.rotation))))
}

/// Replaces values outside the format's range by `none`, and returns their number.
pub(crate) fn bounded<const N: usize>(values: &mut [[F32; N]], none: [f32; N]) -> usize {
    let bad = values.iter_mut().filter(|v| !v.iter().all(|c| c.is_finite()));
    bad.map(|v| *v = f32s(none)).count()
}

/// No translation.
pub(crate) const NO_MOVE: [f32; 3] = [0.0; 3];
/// No rotation.
pub(crate) const NO_TURN: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Reports what [`bounded`] set.
pub(crate) fn not_finite(path: &str, n: usize, losses: &mut Vec<Loss>) {
    if n > 0 {
        let message = "transforms outside the format's range were replaced by none";
        losses.push(Loss::new("not-finite", path, message).counted(n));
    }
}
