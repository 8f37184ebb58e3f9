//! DPM and ZYM: removes unused data, and reorders the rest for faster rendering.

use super::Outcome;
use crate::args::{MoreArg, OptimizeArgs, StepArg, UnusedBonesArg};
use crate::destination::Destination;
use crate::refusal::Refusal;
use crate::render;
use meshwright::dpm::{FrameClip, Name, OptimizeOptions, Optimized, Statistics, UnusedBones};
use meshwright::quake::{ClipRange, FrameGroups};
use meshwright::{AnyModel, Budget, Limits, Model, WriteError};
use serde_json::{Value, json};

/// Returns the refusal of an option that belongs to another format.
fn foreign_option(option: &str, of: &str, here: &str) -> Refusal {
    Refusal::Argument(format!("{option} works only for {of}; the file is a {here}"))
}

/// Refuses options that only DPM and ZYM have.
pub(super) fn refuse_options(args: &OptimizeArgs) -> Result<(), Refusal> {
    let own = &args.darkplaces;
    let given = [
        ("--unused-bones", own.unused_bones.is_some()),
        ("--skip", !own.skip.is_empty()),
        ("--also", !own.also.is_empty()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(foreign_option(option, "DPM and ZYM", "BMD")),
        None => Ok(()),
    }
}

/// Refuses options that only BMD has: DPM and ZYM files are optimized without errors.
fn refuse_bmd_options(args: &OptimizeArgs, here: &str) -> Result<(), Refusal> {
    let given = [
        ("--max-position", args.max_position > 0.0),
        ("--max-normal", args.max_normal > 0.0),
        ("--max-st", args.max_st > 0.0),
        ("--max-angle", args.max_angle > 0.0),
        ("--max-distance", args.max_distance > 0.0),
        ("--max-scale", args.max_scale > 0.0),
        ("--compact", args.compact),
        ("--engine-safe", args.engine_safe),
        ("--effort", args.effort != meshwright::bmd::OptimizeOptions::DEFAULT_EFFORT),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(foreign_option(option, "BMD", here)),
        None => Ok(()),
    }
}

fn options(args: &OptimizeArgs) -> OptimizeOptions {
    let own = &args.darkplaces;
    let limits = Limits::default().with_memory(args.read.max_memory);
    let mut options = OptimizeOptions::default()
        .with_bones(match own.unused_bones.unwrap_or_default() {
            UnusedBonesArg::Keep => UnusedBones::Keep,
            UnusedBonesArg::Unmarked => UnusedBones::Unmarked,
            UnusedBonesArg::Remove => UnusedBones::Remove,
        })
        .with_meshes(own.also.contains(&MoreArg::Meshes))
        .with_frames(own.also.contains(&MoreArg::Frames))
        .with_limits(limits);
    for step in &own.skip {
        *match step {
            StepArg::Influences => &mut options.influences,
            StepArg::Vertices => &mut options.vertices,
            StepArg::Poses => &mut options.poses,
            StepArg::Triangles => &mut options.triangles,
            StepArg::Order => &mut options.order,
        } = false;
    }
    options
}

pub(super) fn optimize(asset: &Model, args: &OptimizeArgs) -> Result<Outcome, Refusal> {
    refuse_bmd_options(args, asset.format().title())?;
    let options = options(args);
    let groups = asset.companions().one::<FrameGroups>();
    let clips = |poses: usize| -> Result<Vec<FrameClip>, Refusal> {
        let budget = Budget::new(options.limits);
        let Some(groups) = groups.filter(|_| options.frames) else { return Ok(Vec::new()) };
        let limit = |e: meshwright::scene::LimitExceeded| WriteError::Limit {
            what: e.what,
            wanted: e.wanted,
            limit: e.left,
        };
        let clip = |c: ClipRange| FrameClip {
            name: c.name,
            start: c.start,
            length: c.length,
            fps: c.fps,
            looping: c.looping,
        };
        Ok(groups.resolve(poses, &budget).map_err(limit)?.clips.into_iter().map(clip).collect())
    };
    let done = match asset.model() {
        AnyModel::Dpm(model) => Report::new(model.optimize(&options, &clips(model.frames.len())?)?),
        AnyModel::Zym(model) => Report::new(model.optimize(&options, &clips(model.pose_count())?)?),
        _ => return Err(Refusal::UNKNOWN),
    };
    let companion = groups.map(|groups| companion(groups, &done.clips)).transpose()?;
    if done.after.frames < done.before.frames
        && groups.is_some()
        && Destination::new(&args.output) == Destination::Stdout
    {
        let why = "--also frames changes the .framegroups file too: name a file with -o".to_owned();
        return Err(Refusal::Argument(why));
    }
    let (text, document) = (done.text(), done.document());
    let companion = companion.map(|bytes| (".framegroups", bytes));
    Ok(Outcome { bytes: done.bytes, companion, text, document })
}

/// Returns the companion's text, with the new positions of its clips.
fn companion(groups: &FrameGroups, clips: &[FrameClip]) -> Result<Vec<u8>, Refusal> {
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
        #[expect(clippy::cast_precision_loss, reason = "a percentage")]
        let percent = 100.0 * a.bytes as f64 / b.bytes.max(1) as f64;
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
        let names = |list: &[Name]| list.iter().map(|n| render::plain(&n.text())).collect::<Vec<_>>();
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
        name => render::plain(name),
    };
    let mut text: Vec<_> = list.iter().take(SHOWN).map(name).collect();
    if list.len() > SHOWN {
        text.push(format!("{} more", list.len().saturating_sub(SHOWN)));
    }
    text.join(", ")
}
