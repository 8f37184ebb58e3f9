//! What a model makes of a text.

use super::model::{FrameGroup, FrameGroups};
use super::rules;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::text::Escaped;
use meshwright_core::{F32, Path, Report};

/// A clip's name is cut to this many bytes.
const MAX_NAME: usize = 31;

/// A clip of a model: a range of its poses.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRange {
    /// Its name, as bytes.
    pub name: Vec<u8>,
    /// Its first pose.
    pub start: u32,
    /// How many poses it has, at least 1.
    pub length: u32,
    /// Frames per second.
    pub fps: f32,
    /// Whether the last pose blends into the first.
    pub looping: bool,
}

impl ClipRange {
    /// The poses of the model that the clip has.
    pub fn frames(&self) -> core::ops::Range<u32> {
        self.start..self.start.saturating_add(self.length)
    }
}

/// What a model makes of a [`FrameGroups`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResolvedClips {
    /// The clips. Empty when the text has none: then the model's own list stays.
    pub clips: Vec<ClipRange>,
    /// What was changed to fit the model.
    pub report: Report,
}

impl FrameGroups {
    /// A group for each clip, without a text. What 32 bits with a sign cannot hold is cut to the greatest they can.
    pub fn from_clips(clips: impl IntoIterator<Item = ClipRange>) -> Self {
        let number = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
        let group = |clip: ClipRange| FrameGroup {
            fps: F32::new(clip.fps),
            looping: clip.looping,
            name: clip.name,
            ..FrameGroup::new(number(clip.start), number(clip.length))
        };
        Self::from_groups(clips.into_iter().map(group).collect())
    }

    /// The clips of a model with `num_poses` poses (DPM: frames): starts and lengths clamped to it, rates to at
    /// least 1, names cut to 31 bytes, `groupified_<n>_anim` where there is none.
    pub fn resolve(&self, num_poses: usize) -> ResolvedClips {
        let mut report = Report::new();
        let mut clips = Vec::new();
        let poses = u32::try_from(num_poses).unwrap_or(u32::MAX);
        let table = Path::ROOT.field("groups");
        for (i, group) in self.groups.iter().enumerate().filter(|_| poses > 0) {
            let path = table.index(i);
            let at = Some(group.offset).filter(|_| !self.text.is_empty());
            let start = clamp(group.start, 0, poses.saturating_sub(1));
            if i64::from(start) != i64::from(group.start) {
                let message = || format!("{} of {poses} poses, {start} taken", group.start);
                report.broken(rules::START, &path.field("start"), at, message);
            }
            let length = clamp(group.length, 1, poses.saturating_sub(start));
            if i64::from(length) != i64::from(group.length) {
                let message = || format!("{} from pose {start} of {poses}, {length} taken", group.length);
                report.broken(rules::LENGTH, &path.field("length"), at, message);
            }
            let stored = group.fps.get();
            let fps = if stored.is_finite() { stored.max(1.0) } else { 1.0 };
            if fps.to_bits() != stored.to_bits() {
                let message = || format!("{:?} frames per second, {fps} taken", group.fps);
                report.broken(rules::FPS, &path.field("fps"), at, message);
            }
            let mut name = group.name.clone();
            if name.is_empty() {
                name = format!("groupified_{i}_anim").into_bytes();
            } else if name.len() > MAX_NAME {
                report.broken(rules::NAME, &path.field("name"), at, || format!("{} is cut", Escaped(&name)));
                name.truncate(MAX_NAME);
            }
            clips.push(ClipRange { name, start, length, fps, looping: group.looping });
        }
        ResolvedClips { clips, report }
    }
}

fn clamp(value: i32, least: u32, most: u32) -> u32 {
    u32::try_from(value).unwrap_or(0).clamp(least, most.max(least))
}
