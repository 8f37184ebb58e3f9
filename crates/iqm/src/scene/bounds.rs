//! Posed vertices: their bounds, and how far they are from where the scene has them.

use super::bones::{Bones, Posed};
use super::timeline::Timeline;
use super::vertices::Vertices;
use crate::model::{Iqm, IqmBounds};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::f32s;
use meshwright_core::math::{Affine64, add, distance, narrow1, scale, sqrt, wide};
use meshwright_scene::{Budget, ConvertError, Loss};

/// Parts of vertices over all frames up to which they are posed, some seconds' work.
const MOST: u64 = 1 << 29;

/// A box around points, with the squares of their greatest distances from the origin.
#[derive(Default)]
struct Hull {
    span: Option<([f32; 3], [f32; 3])>,
    yaw: f64,
    all: f64,
}

impl Hull {
    fn add(&mut self, p: [f64; 3]) {
        let p32 = p.map(narrow1);
        let (mins, maxs) = self.span.get_or_insert((p32, p32));
        for i in 0..3 {
            mins[i] = mins[i].min(p32[i]);
            maxs[i] = maxs[i].max(p32[i]);
        }
        let [x, y, z] = p.map(|c| c * c);
        self.yaw = self.yaw.max(x + y);
        self.all = self.all.max(x + y + z);
    }

    fn bounds(&self) -> IqmBounds {
        let (mins, maxs) = self.span.unwrap_or_default();
        let root = |v: f64| narrow1(sqrt(v)).into();
        IqmBounds { mins: f32s(mins), maxs: f32s(maxs), xyradius: root(self.yaw), radius: root(self.all) }
    }

    fn extent(&self) -> f64 {
        let (mins, maxs) = self.span.unwrap_or_default();
        (0..3).map(|i| f64::from(maxs[i]) - f64::from(mins[i])).fold(0.0, f64::max)
    }
}

/// Gives a model the bounds of its vertices at every frame, and reports for each clip how far they are from where the
/// scene has them.
pub(super) fn measure(
    model: &mut Iqm,
    timeline: &mut Timeline<'_, '_>,
    bones: &Bones,
    vertices: &Vertices,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<(), ConvertError> {
    let frames = timeline.frames();
    let work = (vertices.parts.len() as u64).saturating_mul(frames as u64);
    if work > MOST {
        let message = "too many frames of too many vertices: engines compute the bounds";
        losses.push(Loss::new("bounds", "frames", message));
        return Ok(());
    }
    budget.work("bounds", work)?;
    budget.charge_items("bounds", frames as u64, size_of::<(IqmBounds, f64)>())?;
    let rest: Vec<_> = model.rest_matrices().iter().map(|m| m.inverse().unwrap_or_default()).collect();
    let (mut bounds, mut errors) = (Vec::with_capacity(frames), Vec::with_capacity(frames));
    let mut pose = Vec::new();
    for frame in 0..frames {
        timeline.pose(frame, &mut pose)?;
        let truth = worlds(&pose, bones);
        let posed = model.frame_matrices(u32::try_from(frame).unwrap_or(u32::MAX)).unwrap_or_default();
        let skin: Vec<_> = posed.iter().zip(&rest).map(|(m, rest)| m.after(rest)).collect();
        let (mut hull, mut error, mut start) = (Hull::default(), 0.0_f64, 0);
        for (v, &end) in vertices.ends.iter().enumerate() {
            let own = blended(vertices, v, &skin);
            let mut meant = [0.0; 3];
            for part in &vertices.parts[start..end] {
                let m = truth.get(part.bone).copied().unwrap_or_default();
                meant = add(meant, add(m.vector(part.at), scale(m.w, part.weight)));
            }
            start = end;
            hull.add(own);
            let off = distance(own, meant);
            error = if off > error { off } else { error };
        }
        bounds.push(hull.bounds());
        errors.push(error);
    }
    model.bounds = Some(bounds);
    report(model, timeline, vertices, &errors, losses);
    Ok(())
}

/// The joints of a pose in model space.
fn worlds(pose: &[Posed], bones: &Bones) -> Vec<Affine64> {
    let mut out: Vec<Affine64> = Vec::with_capacity(pose.len());
    for (joint, parent) in pose.iter().zip(&bones.parents) {
        let matrix = parent.and_then(|p| out.get(p)).map_or(joint.exact, |parent| parent.after(&joint.exact));
        out.push(matrix);
    }
    out
}

/// A vertex where the model's own joints and weights take it.
fn blended(vertices: &Vertices, v: usize, skin: &[Affine64]) -> [f64; 3] {
    let at = wide(vertices.positions[v]);
    let mut sum = [0.0; 3];
    for (joint, weight) in vertices.joints[v].iter().zip(vertices.weights[v]).filter(|(_, w)| *w > 0) {
        let m = skin.get(usize::from(*joint)).copied().unwrap_or_default();
        sum = add(sum, scale(m.point(at), f64::from(weight) / 255.0));
    }
    sum
}

/// What each clip's vertices are off by: a note within what 16-bit channels and 8-bit weights leave, else a loss.
fn report(
    model: &Iqm,
    timeline: &Timeline<'_, '_>,
    vertices: &Vertices,
    errors: &[f64],
    losses: &mut Vec<Loss>,
) {
    let mut hull = Hull::default();
    vertices.positions.iter().for_each(|p| hull.add(wide(*p)));
    let extent = hull.extent();
    let steps = model.poses.iter().flat_map(|p| p.scale.iter().take(3)).map(|s| f64::from(s.get()));
    let step = steps.fold(0.0, f64::max);
    let blends = vertices.weights.iter().any(|w| w[1] > 0);
    let allowed = 5e-5 * extent + step + if blends { 5e-4 * extent } else { 0.0 };
    for range in &timeline.ranges {
        let own = errors.iter().skip(range.first as usize).take(range.count as usize);
        let error = own.copied().fold(0.0, f64::max);
        let path = format!("clips[{}]", range.clip);
        let loss = if error <= allowed {
            let message = "posed vertices are as near as 16-bit channels and 8-bit weights bring them";
            Loss::note("pose-error", path, message)
        } else {
            Loss::new("pose-error", path, "posed vertices are not where the scene has them")
        };
        losses.push(loss.by(error, "units"));
    }
}
