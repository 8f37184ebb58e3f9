//! ZYM.

use super::bones::{MergedBones, Rigs};
use super::corners::{Corners, MergedCorners};
use super::frames::{Clips, MergedClip};
use crate::bone::BonePose;
use crate::clips::FrameClip;
use crate::scene::options::DpmSceneOptions;
use crate::zym::rules::check;
use crate::zym::{SceneFlags, Zym, ZymScene};
use alloc::string::ToString;
use alloc::vec::Vec;
use meshwright_core::Findings;
use meshwright_scene::merge::{Frames, Kept, Trio, frames, new_losses, pick};
use meshwright_scene::{Budget, ConvertError, Converted, FromSceneOptions, Loss, Scene};

/// A model with an edited scene in it, and its clips.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedZym {
    /// The model.
    pub model: Zym,
    /// The clips of the edited scene.
    pub clips: Vec<MergedClip>,
}

impl Zym {
    /// The model with what is other in `recovered` than in `native`, the scene that the model gives, as
    /// [`Dpm::merge`](crate::Dpm::merge) does it: vertices that shaders share stay shared where they were edited alike.
    /// Where the clips are `listed` in a companion, the scenes of the model and all its poses stay, and new poses come
    /// behind them.
    ///
    /// # Errors
    /// As [`Zym::from_scene`] for either scene, and when the result breaks a rule of the format.
    pub fn merge(
        &self,
        native: &Scene,
        recovered: &Scene,
        listed: bool,
        options: &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<MergedZym>, ConvertError> {
        let before = Self::from_scene(native, options)?;
        let after = Self::from_scene(recovered, options)?;
        let budget = options.budget();
        let mut losses = new_losses(&before.losses, after.losses);
        let (old, new) = (listed_clips(native, &before.value), listed_clips(recovered, &after.value));
        let clips = Clips::of(native, &old, &new, &budget)?;
        let work =
            Work { native: self, before: &before.value, after: &after.value, clips, listed, budget: &budget };
        let (mut merged, corners) = work.merge(false)?;
        if corners.made_up {
            merged = work.merge(true)?.0;
        }
        if corners.rewritten > 0 {
            let message = "the scene counts other triangles than the model; these are written anew";
            losses.push(Loss::new("mesh-rewritten", "shaders", message).of(
                corners.rewritten,
                "mesh",
                "meshes",
            ));
        }
        check(&merged.model, &mut Findings::writing())
            .map_err(|e| ConvertError::unsupported(e.path().to_string(), e.message()))?;
        Ok(Converted::new(merged, losses))
    }
}

/// The clips of a scene as what was made of it has them: a scene without clips gets one that is none.
fn listed_clips(scene: &Scene, model: &Zym) -> Vec<FrameClip> {
    let some = scene.clips.iter().any(|c| c.motion.frames() > 0);
    let clip = |s: &ZymScene| FrameClip {
        name: s.name.bytes().to_vec(),
        start: s.start,
        length: s.length,
        fps: s.framerate.get(),
        looping: !s.flags.contains(SceneFlags::NO_LOOP),
    };
    model.scenes.iter().filter(|_| some).map(clip).collect()
}

struct Work<'a> {
    native: &'a Zym,
    before: &'a Zym,
    after: &'a Zym,
    clips: Clips<'a>,
    listed: bool,
    budget: &'a Budget,
}

impl Work<'_> {
    fn models(&self) -> [&Zym; 3] {
        [self.native, self.before, self.after]
    }

    fn merge(&self, made_up: bool) -> Result<(MergedZym, MergedCorners), ConvertError> {
        let [native, before, after] = self.models();
        let [n, b, a] = self.models().map(|m| m.pose(0).unwrap_or_default());
        let rigs = Rigs { native: (&native.bones, n), before: (&before.bones, b), after: (&after.bones, a) };
        let bones = MergedBones::of(rigs, made_up, self.budget)?;
        let mut model = native.clone();
        let corners = Corners::new([native, before, after], &bones, self.budget)?.merge(&mut model)?;
        let bits = |trio: &Trio| bones.pose(rigs, self.poses(trio));
        let same = |a: &Trio, b: &Trio| bits(a) == bits(b);
        let kept = Kept { first: true, all: self.listed };
        let plan = frames(&self.clips.runs(), native.pose_count(), kept, same, self.budget)?;
        let matrices = plan.frames.len().saturating_mul(bones.bones.len());
        model.poses = self.budget.reserve("poses", matrices)?;
        for trio in &plan.frames {
            model.poses.extend(bits(trio));
        }
        model.scenes = self.scenes(&plan)?;
        model.bones = bones.bones;
        model.bounds = pick(native.bounds, &before.bounds, after.bounds);
        // A new bone may be the parent of one that was there.
        model.sort_bones();
        Ok((MergedZym { model, clips: self.clips.merged(&plan) }, corners))
    }

    /// The poses of a frame in the three models; none where it is not there.
    fn poses(&self, trio: &Trio) -> [&[BonePose]; 3] {
        let [n, b, a] = self.models();
        [(n, trio.native), (b, trio.before), (a, trio.after)]
            .map(|(model, at)| at.and_then(|at| model.pose(at)).unwrap_or_default())
    }

    fn scenes(&self, plan: &Frames) -> Result<Vec<ZymScene>, ConvertError> {
        let [native, before, after] = self.models();
        let count = native.scenes.len().saturating_add(after.scenes.len());
        let mut scenes = self.budget.reserve("scenes", count)?;
        // A companion's clips are no scenes of the model, and those of a model that stands still are in no scene.
        let own = self.listed || self.clips.native.is_empty();
        if own {
            scenes.extend_from_slice(&native.scenes);
        }
        for (a, start) in plan.starts.iter().enumerate() {
            let (Some(new), found) = (after.scenes.get(a), self.clips.found.get(a).copied().flatten()) else {
                continue;
            };
            if own && (found.is_some() || (start.saturating_add(new.length)) as usize <= native.pose_count())
            {
                continue;
            }
            let old = found.and_then(|c| native.scenes.get(c).zip(before.scenes.get(c)));
            scenes.push(match old {
                Some((n, b)) => ZymScene {
                    name: pick(n.name, &b.name, new.name),
                    bounds: pick(n.bounds, &b.bounds, new.bounds),
                    framerate: pick(n.framerate, &b.framerate, new.framerate),
                    flags: flags(n.flags, b.flags, new.flags),
                    start: *start,
                    length: new.length,
                },
                None => ZymScene { start: *start, ..*new },
            });
        }
        if scenes.is_empty() {
            scenes.extend(after.scenes.first().copied());
        }
        Ok(scenes)
    }
}

/// Native flags with those that were edited.
fn flags(native: SceneFlags, before: SceneFlags, after: SceneFlags) -> SceneFlags {
    SceneFlags(native.0 ^ before.0 ^ after.0)
}
