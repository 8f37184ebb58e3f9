//! Transforms of joints as those of bones, which only turn and move.

use alloc::vec::Vec;
use meshwright_core::f32s;
use meshwright_core::{F32, math};
use meshwright_scene::math::{Affine64, Trs64, quat};
use meshwright_scene::{AxisMap, Budget, ConvertError, LimitExceeded, Loss, Order, Skeleton};

/// Scales that differ from 1 by more are reported; the formats have none.
const SCALE_TOLERANCE: f64 = 1e-4;

/// True where a scale changes something.
pub(crate) fn has_scale(scale: [f64; 3]) -> bool {
    scale.iter().any(|s| (s - 1.0).abs() > SCALE_TOLERANCE)
}

/// True where a transform does more than turn and move.
pub(crate) fn is_scaled(m: &Affine64) -> bool {
    let trs = Trs64::from_affine(m);
    has_scale(trs.scale) || trs.misfit(m) > SCALE_TOLERANCE
}

/// The transform without scale and shear.
pub(crate) fn rigid(m: &Affine64) -> Affine64 {
    Trs64 { scale: [1.0; 3], ..Trs64::from_affine(m) }.to_affine()
}

/// Takes transforms of joints relative to their parents, whatever they do, to those of bones that stand in the same
/// places and turn the same way.
#[derive(Debug)]
pub(crate) struct Stiffener<'s> {
    skeleton: &'s Skeleton,
    order: Order,
    model: Vec<Affine64>,
}

impl<'s> Stiffener<'s> {
    pub(crate) fn new(skeleton: &'s Skeleton, budget: &Budget) -> Result<Self, ConvertError> {
        let n = skeleton.joints.len();
        Ok(Self {
            skeleton,
            order: skeleton.parents_first(budget)?,
            model: budget.filled("joints", n, Affine64::IDENTITY)?,
        })
    }

    /// Changes the transforms of all joints.
    pub(crate) fn run(&mut self, locals: &mut [Affine64], budget: &Budget) -> Result<(), LimitExceeded> {
        budget.work("joints", locals.len() as u64)?;
        for &j in self.order.joints() {
            let Some((joint, local)) = self.skeleton.joints.get(j).zip(locals.get_mut(j)) else { continue };
            let above = joint.parent.and_then(|p| self.model.get(p)).copied().unwrap_or_default();
            let model = above.after(local);
            *local = rigid(&above).inverse().unwrap_or_default().after(&rigid(&model));
            if let Some(slot) = self.model.get_mut(j) {
                *slot = model;
            }
        }
        Ok(())
    }
}

/// A translation and a rotation as files store them.
pub(crate) fn stored(axes: &AxisMap, trs: &Trs64) -> ([F32; 3], [F32; 4]) {
    let trs = axes.trs64(trs);
    (f32s(math::narrow(trs.translation)), f32s(math::narrow(quat::conjugate(trs.rotation))))
}

/// Sets values that are beyond the numbers of the format to `none`, and returns how many.
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
        let message = "values are beyond the numbers of the format, set to none";
        losses.push(Loss::new("not-finite", path, message).counted(n));
    }
}
