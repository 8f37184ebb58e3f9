//! Converts anims to clips, with a key for every frame if a channel moves.

use super::fte;
use super::text::decoded;
use crate::model::{AnimFlags, Iqm, IqmAnim};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_scene::{
    AxisMap, Budget, Channel, Clip, ConvertError, Loss, Motion, SceneOptions, SkeletonId, Track, Trs,
};

/// The rate at which FTE plays anims without a rate.
const DEFAULT_RATE: f32 = 10.0;

/// Converts anims to tracks.
pub(super) struct Tracks<'a> {
    pub(super) model: &'a Iqm,
    pub(super) map: AxisMap,
    pub(super) options: &'a SceneOptions,
    pub(super) budget: &'a Budget,
    /// The rest pose of the joints.
    pub(super) rest: Vec<Trs>,
}

impl Tracks<'_> {
    pub(super) fn clips(&self, losses: &mut Vec<Loss>) -> Result<Vec<Clip>, ConvertError> {
        let mut clips = self.budget.reserve("clips", self.model.anims.len())?;
        for (i, anim) in self.model.anims.iter().enumerate() {
            let name = self.model.str(anim.name);
            self.budget.charge("names", name.len() as u64 * 2)?;
            let stated = anim.framerate.get();
            let rate = if stated > 0.0 { stated } else { DEFAULT_RATE };
            if rate != stated {
                let message = "an anim without a rate plays at 10 frames per second, as in FTE";
                losses.push(Loss::note("rate-assumed", format!("anims[{i}]"), message));
            }
            let looping = anim.flags.contains(AnimFlags::LOOP);
            let clip = Clip::new(decoded(name), SkeletonId(0), rate, Motion::Tracks(self.tracks(anim)?));
            let mut clip =
                clip.with_frames(anim.frame_count).with_looping(looping).with_start(anim.first_frame);
            clip.extras =
                fte::events(self.model, i).map(|(events, _)| events).filter(|_| self.options.extras);
            clips.push(clip);
        }
        let covered = self.covered();
        let left = self.model.frame_count as usize - covered.min(self.model.frame_count as usize);
        if left > 0 {
            let loss = Loss::new("frames-dropped", "frames", "frames outside every anim");
            losses.push(loss.with_count(left, "frame", "frames"));
        }
        Ok(clips)
    }

    /// Returns the number of frames that are in some anim.
    fn covered(&self) -> usize {
        let mut ranges: Vec<(u32, u32)> = self
            .model
            .anims
            .iter()
            .map(|a| (a.first_frame, a.first_frame.saturating_add(a.frame_count)))
            .collect();
        ranges.order();
        let (mut covered, mut end) = (0_u32, 0_u32);
        for (from, to) in ranges {
            covered += to.saturating_sub(from.max(end));
            end = end.max(to);
        }
        covered as usize
    }

    fn tracks(&self, anim: &IqmAnim) -> Result<Vec<Track>, ConvertError> {
        let (joints, frames) = (self.model.poses.len(), anim.frame_count as usize);
        self.budget.work("frames", (joints as u64).saturating_mul(frames as u64))?;
        let mut rows: Vec<Trs> = self.budget.reserve("frames", joints.saturating_mul(frames))?;
        for frame in anim.first_frame..anim.first_frame.saturating_add(anim.frame_count) {
            let transforms = self.model.frame_transforms(frame).unwrap_or_default();
            rows.extend(transforms.iter().map(|t| self.map.trs64(t).narrow()));
        }
        let mut tracks = self.budget.reserve("tracks", joints)?;
        for joint in 0..joints {
            let own = || rows.iter().skip(joint).step_by(joints.max(1));
            let rest = self.rest.get(joint).copied().unwrap_or_default();
            let mut track = Track { joint, ..Track::default() };
            self.channel(own().map(|t| t.translation), rest.translation, &mut track.translation)?;
            self.channel(own().map(|t| t.rotation), rest.rotation, &mut track.rotation)?;
            self.channel(own().map(|t| t.scale), rest.scale, &mut track.scale)?;
            tracks.push(track);
        }
        Ok(tracks)
    }

    /// Adds a key for every frame; a single one if all are equal, and none if they equal the rest pose.
    fn channel<const N: usize>(
        &self,
        values: impl Iterator<Item = [f32; N]> + Clone,
        rest: [f32; N],
        channel: &mut Channel<[f32; N]>,
    ) -> Result<(), ConvertError> {
        let Some(first) = values.clone().next() else { return Ok(()) };
        let still = values.clone().all(|v| v == first);
        let count = if !still { values.clone().count() } else { usize::from(first != rest) };
        channel.frames = self.budget.reserve("keys", count)?;
        channel.values = self.budget.reserve("keys", count)?;
        for (frame, value) in values.take(count).enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "a file has at most 2^22 frames")]
            channel.push(frame as f32, value);
        }
        Ok(())
    }
}
