//! Converts poses to channels of joints. Scales are applied to the children of a joint.

use super::bones::Posed;
use super::options::Scales;
use alloc::vec::Vec;
use meshwright_core::math::{Trs64, narrow};
use meshwright_scene::Loss;

/// Scales that differ by less are equal.
const SAME: f64 = 1.0e-4;

/// Converts poses to channels.
pub(super) struct Baker<'b> {
    scales: Scales,
    parents: &'b [Option<usize>],
    /// The scale of every joint in model space in the rest pose.
    rest: Vec<f64>,
    now: Vec<f64>,
    shear: Worst,
    uneven: Worst,
}

/// The number of affected joints, and the largest error.
#[derive(Default)]
struct Worst {
    joints: Vec<bool>,
    amount: f64,
}

impl Worst {
    fn note(&mut self, joint: usize, amount: f64) {
        if amount > SAME {
            if self.joints.len() <= joint {
                self.joints.resize(joint + 1, false);
            }
            self.joints[joint] = true;
            self.amount = self.amount.max(amount);
        }
    }

    fn report(&self, code: &'static str, message: &str, losses: &mut Vec<Loss>) {
        let n = self.joints.iter().filter(|j| **j).count();
        if n > 0 {
            let loss = Loss::new(code, "skeletons", message).with_count(n, "joint", "joints");
            losses.push(loss.with_amount(self.amount, "of its size"));
        }
    }
}

impl<'b> Baker<'b> {
    /// Creates the baker for joints with these parents and the rest poses `bind`.
    pub(super) fn new(scales: Scales, parents: &'b [Option<usize>], bind: &[Posed]) -> (Self, Vec<Trs64>) {
        let (shear, uneven) = (Worst::default(), Worst::default());
        let mut baker = Self { scales, parents, rest: Vec::new(), now: Vec::new(), shear, uneven };
        let rest = baker.transforms(bind);
        baker.rest = baker.now.clone();
        (baker, rest)
    }

    /// Returns the transforms of a pose's joints as they are stored.
    pub(super) fn transforms(&mut self, pose: &[Posed]) -> Vec<Trs64> {
        self.now.clear();
        let mut out = Vec::with_capacity(pose.len());
        for (i, joint) in pose.iter().enumerate() {
            let flat = joint.exact.inverse().is_none();
            if !flat {
                self.shear.note(i, joint.trs.misfit(&joint.exact));
            }
            if self.scales == Scales::Kept {
                self.now.push(1.0);
                out.push(joint.trs);
                continue;
            }
            let own = mean(joint.trs.scale);
            let above =
                self.parents.get(i).copied().flatten().and_then(|p| self.now.get(p)).copied().unwrap_or(1.0);
            let all = own * above;
            let uneven = joint.trs.scale.iter().map(|s| (s / own - 1.0).abs()).fold(0.0, f64::max);
            let moved = self.rest.get(i).map_or(0.0, |rest| (all / rest - 1.0).abs());
            self.uneven.note(i, uneven.max(moved));
            self.now.push(all);
            let translation = joint.trs.translation.map(|c| c * above);
            out.push(Trs64 { translation, rotation: joint.trs.rotation, scale: [1.0; 3] });
        }
        out
    }

    /// Reports motion that joints cannot store.
    pub(super) fn report(&self, losses: &mut Vec<Loss>) {
        self.shear.report(
            "shear-dropped",
            "the format has no shear; the nearest transform without shear was used",
            losses,
        );
        let message =
            "animated or uneven scales were dropped, because most engines ignore them; --for fte keeps them";
        self.uneven.report("scale-dropped", message, losses);
    }
}

/// Returns the mean of a scale; 1 if it is 0.
fn mean([x, y, z]: [f64; 3]) -> f64 {
    let mean = (x.abs() + y.abs() + z.abs()) / 3.0;
    if mean > 0.0 && mean.is_finite() { mean } else { 1.0 }
}

/// Returns the ten channels of a joint.
pub(super) fn channels(t: &Trs64) -> [f32; 10] {
    let ([a, b, c], [x, y, z, w], [d, e, f]) = (narrow(t.translation), narrow(t.rotation), narrow(t.scale));
    [a, b, c, x, y, z, w, d, e, f]
}
