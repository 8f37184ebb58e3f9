//! Arranges clips as ranges of one list of frames.

use super::bake::{Baker, channels};
use super::bones::{Bones, Posed};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_core::math::Affine64;
use meshwright_scene::{
    Budget, ConvertError, Interpolation, Loss, Motion, PoseSet, PoseSetId, Sampler, Scene,
};

/// The maximum number of unused frames, in addition to the frames of all clips.
const GAP: usize = 1024;

/// The source of a frame.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// The pose in which vertices are bound.
    Bind,
    /// A pose of the pose set that all clips are ranges of.
    Stored(usize),
    /// A frame of a clip; the first number is that of its sampler.
    Sampled(usize, u32),
}

/// A range of the frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) clip: usize,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// All frames of a model.
pub(super) struct Timeline<'s, 'b> {
    bones: &'b Bones,
    set: Option<&'s PoseSet>,
    samplers: Vec<Sampler<'s, 'b>>,
    origins: Vec<Origin>,
    /// The channels of each joint, frame by frame; empty for frames that are not computed yet.
    pub(super) rows: Vec<[f32; 10]>,
    pub(super) ranges: Vec<Range>,
    model: Vec<Affine64>,
}

impl<'s, 'b> Timeline<'s, 'b> {
    pub(super) fn arrange(
        scene: &'s Scene,
        bones: &'b Bones,
        baker: &mut Baker<'_>,
        budget: &'b Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Self, ConvertError> {
        let mut all = Self {
            bones,
            set: whole_set(scene, bones),
            samplers: Vec::new(),
            origins: Vec::new(),
            rows: Vec::new(),
            ranges: Vec::new(),
            model: Vec::new(),
        };
        let clips = scene.clips.iter().enumerate().filter(|(_, c)| c.skeleton == bones.id);
        let clips: Vec<usize> = clips.map(|(i, _)| i).collect();
        if let Some(set) = all.set {
            all.origins = (0..set.len()).map(Origin::Stored).collect();
            for i in clips {
                let clip = &scene.clips[i];
                if clip.frames == 0 {
                    losses.push(Loss::new("empty-clip", format!("clips[{i}]"), "has no frame"));
                    continue;
                }
                note_interpolation(clip.interpolation, i, losses);
                all.ranges.push(Range { clip: i, first: clip.start, count: clip.frames });
            }
        } else {
            let total: usize = clips.iter().map(|i| scene.clips[*i].frames as usize).sum();
            for i in clips {
                all.place(scene, i, total, baker, budget, losses)?;
            }
        }
        if all.origins.is_empty() {
            all.origins.push(Origin::Bind);
        }
        all.fill(baker, budget)?;
        Ok(all)
    }

    /// Computes the channels of all frames that have none yet.
    fn fill(&mut self, baker: &mut Baker<'_>, budget: &Budget) -> Result<(), ConvertError> {
        let joints = self.bones.len();
        if self.rows.len() < self.origins.len() * joints {
            let more = self.origins.len() * joints - self.rows.len();
            budget.charge_items("frames", more as u64, size_of::<[f32; 10]>())?;
            self.rows.resize(self.origins.len() * joints, [f32::NAN; 10]);
        }
        let mut pose = Vec::new();
        for frame in 0..self.origins.len() {
            if matches!(self.origins[frame], Origin::Sampled(..)) {
                continue;
            }
            budget.work("frames", joints as u64)?;
            self.pose(frame, &mut pose)?;
            let row = baker.transforms(&pose);
            for (to, from) in self.rows[frame * joints..].iter_mut().zip(&row) {
                *to = channels(from);
            }
        }
        Ok(())
    }

    /// Computes every joint at a frame.
    pub(super) fn pose(&mut self, frame: usize, out: &mut Vec<Posed>) -> Result<(), ConvertError> {
        match self.origins.get(frame).copied().unwrap_or(Origin::Bind) {
            Origin::Bind => out.clone_from(&self.bones.bind),
            Origin::Stored(pose) => {
                let pose = self.set.and_then(|set| set.pose(pose)).unwrap_or_default();
                self.bones.stored(pose, out);
            }
            Origin::Sampled(sampler, frame) => {
                self.bones.sampled(&self.samplers[sampler], f64::from(frame), &mut self.model, out)?;
            }
        }
        Ok(())
    }

    pub(super) fn frames(&self) -> usize {
        self.origins.len()
    }

    /// Adds the frames of a clip: at the clip's start frame if these frames are free, otherwise after all
    /// others.
    fn place(
        &mut self,
        scene: &'s Scene,
        number: usize,
        total: usize,
        baker: &mut Baker<'_>,
        budget: &'b Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        let path = format!("clips[{number}]");
        let sampler = Sampler::new(scene, number, budget)?;
        let (count, joints) = (sampler.frames(), self.bones.len());
        if count == 0 {
            losses.push(Loss::new("empty-clip", path, "has no frame"));
            return Ok(());
        }
        note_interpolation(sampler.clip().interpolation, number, losses);
        if sampler.is_off_frame() {
            let frames = u32::try_from(count).unwrap_or(u32::MAX);
            let worst = sampler.resampling(1.0, frames)?;
            worst.report(
                &path,
                "keys between whole frames were dropped; the motion was sampled at whole frames",
                losses,
            );
        }
        budget.work("frames", (count as u64).saturating_mul(joints as u64))?;
        let mut rows: Vec<[f32; 10]> = budget.reserve("frames", count.saturating_mul(joints))?;
        let mut pose = Vec::new();
        for frame in sampler.whole_frames() {
            self.bones.sampled(&sampler, frame, &mut self.model, &mut pose)?;
            rows.extend(baker.transforms(&pose).iter().map(channels));
        }
        let wished = sampler.clip().start as usize;
        let near = wished <= total.saturating_add(GAP);
        let first = if near && self.is_free(wished, &rows) { wished } else { self.origins.len() };
        self.samplers.push(sampler);
        self.place_rows(first, &rows, budget)?;
        let range = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.ranges.push(Range { clip: number, first: range(first), count: range(count) });
        Ok(())
    }

    /// Returns whether these frames are unused or have the same content.
    fn is_free(&self, first: usize, rows: &[[f32; 10]]) -> bool {
        let joints = self.bones.len().max(1);
        let there = self.rows.get(first.saturating_mul(joints)..).unwrap_or_default();
        let origins = self.origins.get(first..).unwrap_or_default();
        let pairs = there.chunks(joints).zip(rows.chunks(joints)).zip(origins);
        pairs.into_iter().all(|((there, own), origin)| matches!(origin, Origin::Bind) || there == own)
    }

    fn place_rows(&mut self, first: usize, rows: &[[f32; 10]], budget: &Budget) -> Result<(), ConvertError> {
        let joints = self.bones.len().max(1);
        let (count, sampler) = (rows.len() / joints, self.samplers.len() - 1);
        let end = first + count;
        if end > self.origins.len() {
            let more = end - self.origins.len();
            budget.charge_items(
                "frames",
                (more as u64).saturating_mul(joints as u64),
                size_of::<[f32; 10]>(),
            )?;
            budget.charge_items("frames", more as u64, 2 * size_of::<Origin>())?;
            self.origins.resize(end, Origin::Bind);
            self.rows.resize(end * joints, [f32::NAN; 10]);
        }
        for (i, row) in rows.chunks(joints).enumerate() {
            if let Origin::Bind = self.origins[first + i] {
                self.origins[first + i] = Origin::Sampled(sampler, u32::try_from(i).unwrap_or(u32::MAX));
                self.rows[(first + i) * joints..(first + i + 1) * joints].copy_from_slice(row);
            }
        }
        Ok(())
    }
}

fn note_interpolation(rule: Interpolation, clip: usize, losses: &mut Vec<Loss>) {
    if rule != Interpolation::LinearShort {
        let message = "between frames, engines blend quaternions the short way";
        losses.push(Loss::note("interpolation", format!("clips[{clip}]"), message));
    }
}

/// Returns the pose set whose ranges are the clips, if each pose has the number of its frame. Then all its
/// poses become frames, even those outside clips.
fn whole_set<'s>(scene: &'s Scene, bones: &Bones) -> Option<&'s PoseSet> {
    if bones.any_follows() {
        return None;
    }
    let mut sets: SortedMap<PoseSetId, ()> = SortedMap::new();
    for clip in scene.clips.iter().filter(|c| c.skeleton == bones.id) {
        let Motion::Poses { set, frames } = &clip.motion else { return None };
        let own = (clip.start..).zip(frames).all(|(own, pose)| own == *pose);
        if !own {
            return None;
        }
        sets.insert(*set, ());
    }
    let id = match (sets.len(), scene.pose_sets.len()) {
        (1, _) => sets.into_keys().next()?,
        (0, 1) => PoseSetId(0),
        _ => return None,
    };
    let joints = scene.skeletons.get(bones.id.0).map_or(0, |s| s.joints.len());
    scene.pose_sets.get(id.0).filter(|set| set.joints == joints && !set.is_empty())
}
