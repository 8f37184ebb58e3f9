//! Optimizes a ZYM.

use super::bones::{BoneChoice, choose};
use super::vertex_cache::{self, VertexNumbering};
use super::{OptimizeOptions, Statistics, first_use, moving, places, renumbered, used_frames};
use crate::clips::FrameClip;
use crate::zym::{Zym, ZymInfluence};
use alloc::vec::Vec;
use meshwright_core::{Budget, WriteError};

impl Zym {
    /// Applies the options in place. The memory has been charged.
    pub(crate) fn reduce(
        &mut self,
        options: &OptimizeOptions,
        clips: &mut [FrameClip],
        _: &Budget,
        dense: &mut VertexNumbering,
    ) -> Result<BoneChoice, WriteError> {
        self.discard_layout();
        if options.meshes {
            join(self);
        }
        let chosen = choose(
            &self.bones,
            &moving(self.bones.len(), self.influences.iter().map(|i| i.bone)),
            options.bones,
        );
        if !chosen.kept.is_identity() {
            self.renumber_bones(&chosen.kept);
        }
        if options.frames {
            drop_poses(self, clips);
        }
        if options.triangles {
            sort_triangles(self, dense);
        }
        sort_vertices(self, options);
        Ok(chosen)
    }

    /// Removes unused data.
    #[cfg(feature = "scene")]
    pub(crate) fn tidy(&mut self, clips: &mut [FrameClip], budget: &Budget) -> Result<(), WriteError> {
        let influences = self.influences.len().saturating_mul(size_of::<ZymInfluence>()).saturating_add(
            self.counts.len().saturating_mul(40).saturating_add(self.triangle_count().saturating_mul(12)),
        );
        budget.charge("vertices", influences as u64)?;
        self.reduce(&OptimizeOptions::tidy(), clips, budget, &mut VertexNumbering::default()).map(|_| ())
    }
}

impl Zym {
    pub(crate) fn statistics(&self, bytes: usize, dense: &mut VertexNumbering) -> Statistics {
        let costs = self.runs.iter().map(|r| dense.cost(&r.triangles));
        let (misses, strips) = costs.fold((0, 0), |sum, c| (sum.0 + c.misses, sum.1 + c.strips));
        Statistics {
            bytes,
            bones: self.bones.len(),
            meshes: self.runs.len(),
            vertices: self.counts.len(),
            influences: self.influences.len(),
            triangles: self.triangle_count(),
            frames: self.pose_count(),
            poses: self.pose_count(),
            misses,
            strips,
        }
    }

    /// Returns the memory of copies and tables.
    pub(crate) fn costs(&self, counted: &Statistics) -> [super::Items; 4] {
        [
            ("vertices", counted.vertices, vertex_cache::VERTEX + 64),
            ("triangles", counted.triangles, vertex_cache::TRIANGLE + 32),
            ("poses", self.poses.len(), 3 * size_of::<crate::bone::BonePose>()),
            ("bones", counted.bones, crate::bone_order::SORTING),
        ]
    }
}

/// Returns the bytes for game code of each triangle, run by run.
fn zones(model: &Zym) -> Vec<Vec<u8>> {
    let mut rest = model.trizone.as_slice();
    let mut take = |n: usize| {
        let (own, left) = rest.split_at_checked(n).unwrap_or((rest, &[]));
        rest = left;
        own.to_vec()
    };
    model.runs.iter().map(|run| take(run.triangles.len())).collect()
}

/// Removes runs without triangles, and joins runs with the same shader.
fn join(model: &mut Zym) {
    let zones = zones(model);
    let (mut places, mut joined) = (meshwright_core::SortedMap::new(), Vec::new());
    for (run, zones) in core::mem::take(&mut model.runs).into_iter().zip(zones) {
        if run.triangles.is_empty() {
            continue;
        }
        let place = *places.entry(run.shader.bytes().to_vec()).or_insert(joined.len());
        match joined.get_mut(place) {
            None => joined.push((run, zones)),
            Some((to, all)) => {
                to.triangles.extend(run.triangles);
                all.extend(zones);
            }
        }
    }
    model.trizone.clear();
    for (run, zones) in joined {
        model.runs.push(run);
        model.trizone.extend(zones);
    }
}

/// Removes poses that neither a scene nor a clip uses.
fn drop_poses(model: &mut Zym, clips: &mut [FrameClip]) {
    let mut ranges: Vec<(u32, u32)> = model.scenes.iter().map(|s| (s.start, s.length)).collect();
    ranges.extend(clips.iter().map(|c| (c.start, c.length)));
    let used = used_frames(model.pose_count(), &ranges);
    let places = places(&used);
    let place = |start: u32| places.get(start as usize).copied().unwrap_or(start);
    model.scenes.iter_mut().for_each(|s| s.start = place(s.start));
    clips.iter_mut().for_each(|c| c.start = place(c.start));
    let mut kept = Vec::with_capacity(model.poses.len());
    for (pose, used) in model.poses.chunks(model.bones.len().max(1)).zip(used) {
        kept.extend_from_slice(if used { pose } else { &[] });
    }
    model.poses = kept;
}

fn sort_triangles(model: &mut Zym, dense: &mut VertexNumbering) {
    let mut zones = zones(model);
    for (run, zones) in model.runs.iter_mut().zip(&mut zones) {
        if let Some(order) = dense.better(&run.triangles) {
            *zones = order.iter().filter_map(|&t| zones.get(t as usize)).copied().collect();
            run.triangles = order.iter().filter_map(|&t| run.triangles.get(t as usize)).copied().collect();
        }
    }
    model.trizone = zones.concat();
}

fn sort_vertices(model: &mut Zym, options: &OptimizeOptions) {
    let count = model.counts.len();
    let mut all = Vec::with_capacity(model.triangle_count());
    model.runs.iter().for_each(|run| all.extend_from_slice(&run.triangles));
    let mut order = first_use(&all, count, !options.vertices);
    if !options.order {
        if order.len() == count {
            return;
        }
        order.sort_unstable();
    }
    renumbered(&mut all, &order, count);
    let mut rest = all.as_slice();
    for run in &mut model.runs {
        let (own, later) = rest.split_at(run.triangles.len());
        run.triangles.copy_from_slice(own);
        rest = later;
    }
    let own: Vec<&[ZymInfluence]> = model.vertices().collect();
    let mut influences = Vec::new();
    order.iter().for_each(|&v| influences.extend_from_slice(own[v as usize]));
    model.influences = influences;
    model.counts = order.iter().map(|&v| model.counts[v as usize]).collect();
    model.texcoords = order.iter().map(|&v| model.texcoords[v as usize]).collect();
}
