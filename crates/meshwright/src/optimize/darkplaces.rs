//! DPM and ZYM: removes unused data, and reorders the rest for faster rendering.

use super::{OptimizedFile, percent};
use crate::error::Error;
use crate::formats::{AnyModel, frame_clips};
use crate::model::Model;
use meshwright_core::Budget;
use meshwright_core::text::visible;
use meshwright_dpm::{FrameClip, Name, OptimizeOptions, Optimized, Statistics};
use meshwright_quake::FrameGroups;
#[cfg(feature = "dump")]
use serde_json::{Value, json};

pub(super) fn optimize(asset: &Model, options: &OptimizeOptions) -> Result<OptimizedFile, Error> {
    let groups = asset.companions().one::<FrameGroups>();
    let clips = |poses: usize| -> Result<Vec<FrameClip>, Error> {
        let budget = Budget::new(options.limits);
        let Some(groups) = groups.filter(|_| options.frames) else { return Ok(Vec::new()) };
        Ok(frame_clips(groups.resolve(poses, &budget)?.clips))
    };
    let done = match asset.model() {
        AnyModel::Dpm(model) => Report::new(model.optimize(options, &clips(model.frames.len())?)?),
        AnyModel::Zym(model) => Report::new(model.optimize(options, &clips(model.pose_count())?)?),
        _ => return Err(Error::unknown_format()),
    };
    let companion = groups.map(|groups| companion(groups, &done.clips)).transpose()?;
    Ok(OptimizedFile {
        summary: done.text(),
        #[cfg(feature = "dump")]
        document: done.document(),
        is_companion_needed: done.after.frames < done.before.frames && companion.is_some(),
        bytes: done.bytes,
        companion: companion.map(|bytes| (".framegroups", bytes)),
    })
}

/// Returns the companion's text, with the new positions of its clips.
fn companion(groups: &FrameGroups, clips: &[FrameClip]) -> Result<Vec<u8>, Error> {
    let mut groups = groups.clone();
    for (group, clip) in groups.groups.iter_mut().zip(clips) {
        let number = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
        (group.start, group.length) = (number(clip.start), number(clip.length));
    }
    Ok(groups.to_bytes()?)
}

/// The results of the optimizer of either format.
struct Report {
    bytes: Vec<u8>,
    clips: Vec<FrameClip>,
    before: Statistics,
    after: Statistics,
    removed: Vec<Name>,
    unmarked: Vec<Name>,
}

impl Report {
    fn new<M>(o: Optimized<M>) -> Self {
        let Optimized { bytes, clips, before, after, removed, unmarked, .. } = o;
        Self { bytes, clips, before, after, removed, unmarked }
    }

    fn text(&self) -> String {
        let (b, a) = (self.before, self.after);
        let percent = percent(a.bytes as u64, b.bytes as u64);
        let mut text = format!("{} bytes, now {} ({percent:.1} %)", b.bytes, a.bytes);
        let counts = [
            ("meshes", b.meshes, a.meshes),
            ("vertices", b.vertices, a.vertices),
            ("influences", b.influences, a.influences),
            ("bones", b.bones, a.bones),
            ("frames", b.frames, a.frames),
            ("poses", b.poses, a.poses),
        ];
        for (what, before, after) in counts {
            if before == after {
                continue;
            }
            text.push_str(&format!("; {what} {before} to {after}"));
        }
        text.push_str(&format!(
            "; cache misses per triangle {:.3} to {:.3}, strips {} to {}",
            b.acmr(),
            a.acmr(),
            b.strips,
            a.strips
        ));
        if !self.removed.is_empty() {
            text.push_str(&format!("; bones removed: {}", names(&self.removed)));
        }
        if !self.unmarked.is_empty() {
            let n = self.unmarked.len();
            text.push_str(&format!(
                "; {n} bones move nothing and may be attachments: {} (--unused-bones remove)",
                names(&self.unmarked)
            ));
        }
        text
    }

    #[cfg(feature = "dump")]
    fn document(&self) -> Value {
        let side = |s: &Statistics| {
            json!({
                "bytes": s.bytes,
                "meshes": s.meshes,
                "vertices": s.vertices,
                "influences": s.influences,
                "triangles": s.triangles,
                "bones": s.bones,
                "frames": s.frames,
                "poses": s.poses,
                "acmr": s.acmr(),
                "strips": s.strips,
            })
        };
        let names = |list: &[Name]| list.iter().map(|n| visible(&n.text()).into_owned()).collect::<Vec<_>>();
        json!({
            "before": side(&self.before),
            "after": side(&self.after),
            "bones_removed": names(&self.removed),
            "bones_that_may_be_attachments": names(&self.unmarked),
        })
    }
}

/// Formats the first names of a list.
fn names(list: &[Name]) -> String {
    const SHOWN: usize = 6;
    let name = |n: &Name| match n.text().as_str() {
        "" => "one without a name".to_owned(),
        name => visible(name).into_owned(),
    };
    let mut text: Vec<_> = list.iter().take(SHOWN).map(name).collect();
    if list.len() > SHOWN {
        text.push(format!("{} more", list.len().saturating_sub(SHOWN)));
    }
    text.join(", ")
}
