//! The clips of a model.

use super::model::{FrameGroup, FrameGroups};
use super::rules;
use super::scanner::{Event, scan_lines};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::text::Escaped;
use meshwright_core::{Budget, F32, FieldPath, LimitExceeded, Report};

/// The maximum length of a clip's name in bytes; longer names are cut.
const MAX_NAME: usize = 31;

/// A clip of a model: a range of its poses.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRange {
    /// The name, as bytes.
    pub name: Vec<u8>,
    /// The first pose.
    pub start: u32,
    /// The number of poses, at least 1.
    pub length: u32,
    /// Frames per second.
    pub fps: f32,
    /// True if the last pose blends into the first.
    pub looping: bool,
}

impl ClipRange {
    /// Returns the range of poses.
    pub fn frames(&self) -> core::ops::Range<u32> {
        self.start..self.start.saturating_add(self.length)
    }
}

/// The clips of a model, from its [`FrameGroups`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResolvedClips {
    /// The clips. If there are none, the model keeps its own.
    pub clips: Vec<ClipRange>,
    /// The values that were changed to fit the model.
    pub report: Report,
}

impl FrameGroups {
    /// Creates a group for each clip, without a text. Numbers above `i32::MAX` become `i32::MAX`.
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

    /// Returns the clips of a model with `num_poses` poses (DPM: frames). Starts and lengths are clamped to the model,
    /// rates to at least 1; names are cut to 31 bytes. A clip without a name is called `groupified_<n>_anim`.
    ///
    /// # Errors
    /// If the clips need more memory than the budget allows.
    pub fn resolve(&self, num_poses: usize, budget: &Budget) -> Result<ResolvedClips, LimitExceeded> {
        let mut report = Report::new();
        let groups = if num_poses > 0 { self.groups.as_slice() } else { &[] };
        let mut clips = budget.reserve("clips", groups.len())?;
        for i in 0..groups.len() {
            let Some(fitted) = self.fit(i, num_poses, &mut report) else { break };
            let name = fitted.name;
            // An allocation has a minimum size.
            budget.charge_items("clip names", name.len().max(MAX_NAME.saturating_add(1)) as u64, 1)?;
            let name = if name.is_empty() { default_name(i) } else { name.to_vec() };
            let Fitted { start, length, fps, looping, .. } = fitted;
            clips.push(ClipRange { name, start, length, fps, looping });
        }
        Ok(ResolvedClips { clips, report })
    }

    /// Reports what [`resolve`](Self::resolve) would change for a model of `num_poses` poses, without making the
    /// clips.
    pub fn validate_for(&self, num_poses: usize) -> Report {
        let mut report = Report::new();
        for i in 0..self.groups.len() {
            self.fit(i, num_poses, &mut report);
        }
        report
    }

    /// Returns the number of clips of a model of `num_poses` poses.
    pub fn clip_count(&self, num_poses: usize) -> usize {
        if num_poses > 0 { self.groups.len() } else { 0 }
    }

    /// Calls `found` with the number of each group and the trimmed `//` comment of its line. Authors name
    /// clips in these comments; engines ignore them. Does nothing if the groups were edited.
    pub fn comments(&self, mut found: impl FnMut(usize, &[u8])) {
        if self.is_as_read() {
            let mut i = 0_usize;
            scan_lines(&self.text, |event, comment| {
                if matches!(event, Event::Group(_)) {
                    found(i, comment);
                    i = i.saturating_add(1);
                }
            });
        }
    }

    /// Clamps a group to a model and reports the changes.
    fn fit(&self, i: usize, num_poses: usize, report: &mut Report) -> Option<Fitted<'_>> {
        let group = self.groups.get(i)?;
        let poses = u32::try_from(num_poses).unwrap_or(u32::MAX);
        let last = poses.checked_sub(1)?;
        let table = FieldPath::ROOT.field("groups");
        let path = table.index(i);
        let at = Some(group.offset).filter(|_| !self.text.is_empty());
        let start = clamp(group.start, 0, last);
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
        let mut name = group.name.as_slice();
        if let Some(cut) = name.get(..MAX_NAME).filter(|cut| cut.len() < name.len()) {
            report.broken(rules::NAME, &path.field("name"), at, || format!("{} is cut", Escaped(name)));
            name = cut;
        }
        Some(Fitted { name, start, length, fps, looping: group.looping })
    }
}

/// A group that is clamped to a model. The name is empty if the line has none.
struct Fitted<'g> {
    name: &'g [u8],
    start: u32,
    length: u32,
    fps: f32,
    looping: bool,
}

/// Returns the engine's name for a clip without one.
fn default_name(i: usize) -> Vec<u8> {
    format!("groupified_{i}_anim").into_bytes()
}

fn clamp(value: i32, least: u32, most: u32) -> u32 {
    u32::try_from(value).unwrap_or(0).clamp(least, most.max(least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::Limits;

    #[test]
    fn clips_are_charged_before_they_are_made() {
        let groups = FrameGroups::parse(&b"0 9\n".repeat(100_000)).unwrap();
        assert_eq!((groups.clip_count(4), groups.clip_count(0)), (100_000, 0));
        let budget = |bytes| Budget::new(Limits::default().with_memory(bytes));
        let e = groups.resolve(4, &budget(100_000 * size_of::<ClipRange>() as u64)).unwrap_err();
        assert_eq!((e.what(), e.unit()), ("clip names", "bytes"));
        assert_eq!(groups.resolve(4, &budget(10_000)).unwrap_err().what(), "clips");
        let all = groups.resolve(4, &budget(8 << 20)).unwrap();
        assert_eq!(
            (all.clips.len(), all.clips[99_999].name.as_slice()),
            (100_000, &b"groupified_99999_anim"[..])
        );
        assert_eq!(all.report, groups.validate_for(4));
    }

    #[test]
    fn comments_are_those_of_their_lines() {
        let text =
            b"// all of it\n1 8 20 0 // fire \r\n9 5\n15 200 20 1 idle//no\n/* a */ 3 4 /* b */ //\tlast";
        let mut groups = FrameGroups::parse(text).unwrap();
        let comments = |groups: &FrameGroups| {
            let mut all = Vec::new();
            groups.comments(|i, comment| all.push((i, comment.to_vec())));
            all
        };
        let expected: [(usize, &[u8]); 4] = [(0, b"fire"), (1, b""), (2, b""), (3, b"last")];
        assert_eq!(comments(&groups), expected.map(|(i, c)| (i, c.to_vec())));
        assert_eq!(groups.groups[2].name, b"idle//no", "a comment starts where a token may");
        groups.groups.remove(0);
        assert_eq!(comments(&groups), []);
    }
}
