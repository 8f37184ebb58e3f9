//! Poses vertices to compute their bounds and their distance from the scene's positions.

use super::bones::{Bones, Posed};
use super::timeline::Timeline;
use super::vertices::{BoundVertex, Vertices};
use crate::model::{Iqm, IqmBounds};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::f32s;
use meshwright_core::math::{Affine64, add, dot, narrow1, scale, sqrt, sub, wide};
use meshwright_scene::{Budget, ConvertError, Loss};

/// The maximum number of vertex parts over all frames that are posed, a few seconds of work.
const MOST: u64 = 1 << 29;

/// A bounding box, with the squares of the largest distances from the origin.
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

/// Measures the bounds of each frame, and the distance of posed vertices from the scene's positions.
pub(super) struct Measure<'m, 's, 'b> {
    /// A model with only joints and frames.
    rig: &'m Iqm,
    timeline: &'m mut Timeline<'s, 'b>,
    bones: &'m Bones,
    /// The transforms from model space at rest to the space of each joint.
    inverses: Vec<Affine64>,
    hulls: Vec<Hull>,
    errors: Vec<f64>,
    pose: Vec<Posed>,
    /// The vertices of a block as the model has them.
    bound: Vec<BoundVertex>,
}

impl<'m, 's, 'b> Measure<'m, 's, 'b> {
    /// Prepares to measure vertices with this many parts; `None` if that takes too long.
    pub(super) fn new(
        rig: &'m Iqm,
        timeline: &'m mut Timeline<'s, 'b>,
        bones: &'m Bones,
        parts: usize,
        budget: &Budget,
    ) -> Result<Option<Self>, ConvertError> {
        let frames = timeline.frames();
        let work = (parts as u64).saturating_mul(frames as u64);
        if work > MOST {
            return Ok(None);
        }
        budget.work("bounds", work)?;
        let mut hulls = budget.reserve("bounds", frames)?;
        hulls.resize_with(frames, Hull::default);
        let errors = budget.filled("bounds", frames, 0.0)?;
        budget.charge_items("bounds", frames as u64, size_of::<IqmBounds>())?;
        let inverses = rig.rest_matrices().iter().map(|m| m.inverse().unwrap_or_default()).collect();
        Ok(Some(Self { rig, timeline, bones, inverses, hulls, errors, pose: Vec::new(), bound: Vec::new() }))
    }

    /// Poses the vertices whose parts are known at every frame.
    pub(super) fn add(&mut self, vertices: &Vertices) -> Result<(), ConvertError> {
        let parts = vertices.parts.iter();
        let first = vertices.count.saturating_sub(parts.len());
        if parts.len() == 0 {
            return Ok(());
        }
        self.bound.clear();
        self.bound.extend((first..vertices.count).map(|v| vertices.bound(v)));
        for (frame, (hull, error)) in self.hulls.iter_mut().zip(&mut self.errors).enumerate() {
            self.timeline.pose(frame, &mut self.pose)?;
            let truth = worlds(&self.pose, self.bones);
            let posed = self.rig.frame_matrices(u32::try_from(frame).unwrap_or(u32::MAX)).unwrap_or_default();
            let skin: Vec<_> = posed.iter().zip(&self.inverses).map(|(m, rest)| m.after(rest)).collect();
            // The largest square: a root for each vertex would take longer than the rest.
            let mut farthest = 0.0;
            for (own, parts) in self.bound.iter().zip(vertices.parts.iter()) {
                let own = blended(own, &skin);
                let mut meant = [0.0; 3];
                for part in parts {
                    let m = truth.get(part.bone).unwrap_or(&Affine64::IDENTITY);
                    meant = add(meant, add(m.vector(part.at), scale(m.w, part.weight)));
                }
                hull.add(own);
                let off = sub(own, meant);
                let off = dot(off, off);
                farthest = if off > farthest { off } else { farthest };
            }
            *error = error.max(sqrt(farthest));
        }
        Ok(())
    }

    /// Returns the bounds and the greatest distance of each frame.
    pub(super) fn finish(self) -> (Vec<IqmBounds>, Vec<f64>) {
        (self.hulls.iter().map(Hull::bounds).collect(), self.errors)
    }
}

/// Returns the joints of a pose in model space.
fn worlds(pose: &[Posed], bones: &Bones) -> Vec<Affine64> {
    let mut out: Vec<Affine64> = Vec::with_capacity(pose.len());
    for (joint, parent) in pose.iter().zip(&bones.parents) {
        let matrix = parent.and_then(|p| out.get(p)).map_or(joint.exact, |parent| parent.after(&joint.exact));
        out.push(matrix);
    }
    out
}

/// Returns the position of a vertex by the joints and weights of the model.
fn blended(vertex: &BoundVertex, skin: &[Affine64]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (joint, weight) in vertex.joints.iter().zip(vertex.weights).filter(|(_, weight)| *weight > 0.0) {
        let m = skin.get(usize::from(*joint)).unwrap_or(&Affine64::IDENTITY);
        sum = add(sum, scale(m.point(vertex.at), weight));
    }
    sum
}

/// Reports the largest error of each clip's vertices: a note within the precision of channels and weights, otherwise a
/// loss.
pub(super) fn report(
    model: &Iqm,
    timeline: &Timeline<'_, '_>,
    vertices: &Vertices,
    errors: &[f64],
    losses: &mut Vec<Loss>,
) {
    let mut hull = Hull::default();
    vertices.positions().for_each(|p| hull.add(wide(p)));
    let extent = hull.extent();
    let steps = model.poses.iter().flat_map(|p| p.scale.iter().take(3)).map(|s| f64::from(s.get()));
    let step = steps.fold(0.0, f64::max);
    let allowed = 5e-5 * extent + step + if vertices.blends() { 5e-4 * extent } else { 0.0 };
    for range in &timeline.ranges {
        let own = errors.iter().skip(range.first as usize).take(range.count as usize);
        let error = own.copied().fold(0.0, f64::max);
        let path = format!("clips[{}]", range.clip);
        let loss = if error <= allowed {
            let message = "posed vertices differ by the rounding to 16-bit channels and 8-bit weights";
            Loss::note("pose-error", path, message)
        } else {
            Loss::new("pose-error", path, "posed vertices differ from those of the scene")
        };
        losses.push(loss.with_amount(error, "units"));
    }
}
