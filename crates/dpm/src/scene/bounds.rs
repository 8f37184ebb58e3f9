//! Computes the bounds of skinned vertices.

use crate::dpm::{Bounds, Dpm, PoseId, skin};
use crate::pose::Surface;
use crate::zym::{Zym, ZymBounds};
use alloc::vec::Vec;
use meshwright_core::math::{narrow1, sqrt};
use meshwright_core::{F32, SortedMap, f32s};
use meshwright_scene::{Budget, LimitExceeded, Loss};

/// The maximum number of influences over all poses for which bounds are computed, about a second of work.
/// Engines do not use the stored bounds.
const MOST: u64 = 1 << 28;

/// Returns true if bounds can be computed for this many influences and poses. It charges the work, or reports the
/// missing bounds as a loss.
fn is_affordable(
    influences: usize,
    poses: usize,
    budget: &Budget,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<bool, LimitExceeded> {
    let work = (influences as u64).saturating_mul(poses as u64);
    if work <= MOST {
        budget.work("bounds", work)?;
        return Ok(true);
    }
    let message = "too many poses of too many vertices: bounds are left at 0";
    losses.push(Loss::new("bounds", path, message));
    Ok(false)
}

impl Dpm {
    /// Recomputes the bounds if the budget allows for it. Returns whether it did.
    pub(super) fn bound_within(
        &mut self,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<bool, LimitExceeded> {
        let influences = self.meshes.iter().map(|m| m.vertices.influences.len()).sum();
        let affordable = is_affordable(influences, self.pose_count(), budget, "frames", losses)?;
        affordable.then(|| self.recompute_bounds());
        Ok(affordable)
    }

    /// Replaces all stored bounds by the actual ones: those of the skinned vertices of every frame.
    pub fn recompute_bounds(&mut self) {
        let (mut surface, mut matrices) = (Surface::default(), Vec::new());
        let mut known: SortedMap<PoseId, Bounds> = SortedMap::new();
        for i in 0..self.frames.len() {
            let Some(pose) = self.frames.get(i).map(|f| f.pose) else { break };
            let bounds = match known.get(&pose) {
                Some(bounds) => *bounds,
                None => {
                    let mut hull = Hull::default();
                    if self.model_matrices_into(pose, &mut matrices) {
                        for mesh in &self.meshes {
                            skin(&mesh.vertices, &matrices, &mut surface);
                            surface.positions.iter().for_each(|p| hull.add(*p));
                        }
                    }
                    *known.entry(pose).or_insert(hull.bounds())
                }
            };
            if let Some(frame) = self.frames.get_mut(i) {
                frame.bounds = bounds;
            }
        }
        let mut all = Hull::default();
        let mut radii = (0.0_f32, 0.0_f32);
        for bounds in known.values() {
            all.add(meshwright_core::values(bounds.mins));
            all.add(meshwright_core::values(bounds.maxs));
            radii = (radii.0.max(bounds.yawradius.get()), radii.1.max(bounds.allradius.get()));
        }
        self.bounds = all.bounds();
        (self.bounds.yawradius, self.bounds.allradius) = (radii.0.into(), radii.1.into());
    }
}

impl Zym {
    /// Recomputes the bounds if the budget allows for it. Returns whether it did.
    pub(super) fn bound_within(
        &mut self,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<bool, LimitExceeded> {
        let poses = self.scenes.iter().map(|s| s.length as usize).fold(0, usize::saturating_add);
        let affordable = is_affordable(self.influences.len(), poses, budget, "scenes", losses)?;
        affordable.then(|| self.recompute_bounds());
        Ok(affordable)
    }

    /// Replaces all stored bounds by the actual ones: those of the skinned vertices in the poses of every
    /// scene.
    pub fn recompute_bounds(&mut self) {
        let mut all = Hull::default();
        for i in 0..self.scenes.len() {
            let Some((start, length)) = self.scenes.get(i).map(|s| (s.start as usize, s.length as usize))
            else {
                break;
            };
            let mut hull = Hull::default();
            for pose in start..start.saturating_add(length) {
                let Some(matrices) = self.model_matrices(pose) else { break };
                self.positions(&matrices).for_each(|p| hull.add(p));
            }
            all.join(&hull);
            if let Some(scene) = self.scenes.get_mut(i) {
                scene.bounds = hull.zym_bounds();
            }
        }
        self.bounds = all.zym_bounds();
    }
}

/// A bounding box, with the squares of the largest distances.
#[derive(Default)]
struct Hull {
    span: Option<([f32; 3], [f32; 3])>,
    yaw: f64,
    all: f64,
}

impl Hull {
    fn add(&mut self, p: [f32; 3]) {
        let (mins, maxs) = self.span.get_or_insert((p, p));
        for i in 0..3 {
            mins[i] = mins[i].min(p[i]);
            maxs[i] = maxs[i].max(p[i]);
        }
        let [x, y, z] = p.map(|c| f64::from(c) * f64::from(c));
        self.yaw = self.yaw.max(x + y);
        self.all = self.all.max(x + y + z);
    }

    fn join(&mut self, other: &Self) {
        let radii = (self.yaw.max(other.yaw), self.all.max(other.all));
        if let Some((mins, maxs)) = other.span {
            self.add(mins);
            self.add(maxs);
        }
        (self.yaw, self.all) = radii;
    }

    fn bounds(&self) -> Bounds {
        let (mins, maxs) = self.span.unwrap_or_default();
        let root = |v: f64| F32::new(narrow1(sqrt(v)));
        Bounds { mins: f32s(mins), maxs: f32s(maxs), yawradius: root(self.yaw), allradius: root(self.all) }
    }

    fn zym_bounds(&self) -> ZymBounds {
        let (mins, maxs) = self.span.unwrap_or_default();
        ZymBounds { mins: f32s(mins), maxs: f32s(maxs), radius_squared: F32::new(narrow1(self.all)) }
    }
}
