//! A model with an edited scene in it.

use super::work::{Origin, Work, identity};
use super::{channels, extensions, joints, meshes, text};
use crate::check::check;
use crate::model::{AnimFlags, ArrayKind, Iqm, IqmAnim, IqmBounds};
use crate::scene::from_scene::Traced;
use crate::scene::options::{IqmOptions, Scales};
use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::{F32, Findings};
use meshwright_edit::three_way::{self as merge, Frames, Kept, Match, Runs, Trio, Trios, frames, new_losses};
use meshwright_scene::{ConvertError, Converted, FromSceneOptions, Loss, Scene};

/// A clip of a merged model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedAnim {
    /// Its name.
    pub name: Vec<u8>,
    /// Its frames in the result.
    pub frames: Range<u32>,
    /// Frames per second.
    pub rate: f32,
    /// Whether the last frame blends into the first.
    pub looping: bool,
    /// The clip of the native scene that it was, by number, and its frames in the original.
    pub was: Option<(usize, Range<u32>)>,
}

/// A model with an edited scene in it, and its clips.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedIqm {
    /// The model.
    pub model: Iqm,
    /// The clips of the edited scene.
    pub clips: Vec<MergedAnim>,
}

impl Iqm {
    /// The model with what is other in `recovered` than in `native`, the scene that the model gives. All else keeps its
    /// bits: the text, flags, arrays of any format and of other programs, how channels are stored, frames that no anim
    /// has, the comment, extensions, and the layout of the file where nothing changed in size. Where the clips are
    /// `listed` in a companion, the anims stay as they are, and new ones come behind them.
    ///
    /// Kept apart are joints (name, parent, transform), meshes (name, material), the value of each array for each vertex,
    /// triangles, anims (name, rate, loop), bounds of frames, and the channels of each joint in each frame. A channel
    /// whose range has no room for a new value is stored anew in all frames, which a loss says.
    ///
    /// # Errors
    /// As [`Iqm::from_scene`] for either scene, and when the result breaks a rule of the format.
    pub fn merge(
        &self,
        native: &Scene,
        recovered: &Scene,
        listed: bool,
        options: &FromSceneOptions<IqmOptions>,
    ) -> Result<Converted<MergedIqm>, ConvertError> {
        let mut options = options.clone();
        // The model's own scales would be applied twice.
        if self.is_scaled() {
            options.format.scales = Scales::Kept;
        }
        let tangents = self.array(ArrayKind::TANGENT).is_some();
        let before = Traced::convert(native, &options, Some(tangents))?;
        let after = Traced::convert(recovered, &options, Some(tangents))?;
        let budget = options.budget();
        let all = new_losses(&before.losses, after.losses);
        let mut losses = all.clone();
        let work = Work {
            native: self,
            before: &before.value,
            after: &after.value,
            scenes: [native, recovered],
            clips: merge::clips(native, recovered, &budget)?,
            meshes: merge::meshes(native, recovered, &budget)?,
            listed,
            budget: &budget,
        };
        let mut merged = work.merge(false, &mut losses)?;
        if merged.1 {
            losses = all;
            merged = work.merge(true, &mut losses)?;
        }
        check(&merged.0.model, &mut Findings::writing())
            .map_err(|e| ConvertError::unsupported(e.path().to_string(), e.message()))?;
        Ok(Converted::new(merged.0, losses))
    }

    /// Whether joints or frames have scales.
    fn is_scaled(&self) -> bool {
        let one = |s: &[F32]| s.iter().all(|c| (c.get() - 1.0).abs() < 1e-6);
        let scaled = |p: &crate::model::IqmPose| {
            let scale = if self.version == 1 { 6..9 } else { 7..10 };
            scale.clone().any(|c| p.stores(c)) || !one(p.offset.get(scale).unwrap_or_default())
        };
        self.joints.iter().any(|j| !one(&j.scale)) || self.poses.iter().any(scaled)
    }
}

impl Work<'_> {
    /// The result, and whether joints are missing that the conversion made up.
    fn merge(&self, made_up: bool, losses: &mut Vec<Loss>) -> Result<(MergedIqm, bool), ConvertError> {
        let (native, after) = (self.native, &self.after.model);
        let mut model = native.clone();
        let mut text = text::Text::of(&native.text, self.budget)?;
        let joints = joints::MergedJoints::of(self, made_up)?;
        joints.put(&mut model, &mut text)?;
        let (meshes, still) = meshes::merge(self, &joints, &mut model, &mut text, losses)?;
        let runs = self.runs()?;
        let kept = Kept { first: false, all: self.listed };
        let count = native.frame_count as usize;
        let same = |x: &Trio, y: &Trio| channels::same(self, &joints, x, y);
        let plan = frames(&runs, count, kept, same, self.budget)?;
        let rescaled = channels::put(self, &joints, &plan.frames, &mut model)?;
        joints.hold_rest(&mut model, &mut text)?;
        if rescaled.channels > 0 {
            let message = "a channel has no room for a new value; its values are rounded anew in all frames";
            let loss = Loss::new("channels-rescaled", "poses", message);
            losses.push(
                loss.with_count(rescaled.channels, "channel", "channels")
                    .with_amount(rescaled.most, "at most"),
            );
        }
        self.bounds(&plan, |t| still && channels::is_still(self, &joints, t), &mut model);
        let anims = self.anims(&runs, &plan, &mut model, &mut text)?;
        extensions::put(self, &meshes, &anims, &mut model, &mut text)?;
        let clip = |(a, start): (usize, &u32)| {
            let (anim, b) = (after.anims.get(a)?, runs.found.get(a).copied().flatten());
            let was = b.and_then(|b| Some((*self.before.clips.get(b)?, runs.native.get(b)?.clone())));
            Some(MergedAnim {
                name: after.str(anim.name).to_vec(),
                frames: *start..start.saturating_add(anim.frame_count),
                rate: anim.framerate.get(),
                looping: anim.flags.contains(AnimFlags::LOOP),
                was,
            })
        };
        let clips = plan.starts.iter().enumerate().filter_map(clip).collect();
        model.text = text.finish();
        Ok((MergedIqm { model, clips }, joints.lacks()))
    }

    /// The boxes of frames: those of `still` ones stay.
    fn bounds(&self, plan: &Frames, still: impl Fn(&Trio) -> bool, model: &mut Iqm) {
        if self.native.bounds.is_none() {
            return;
        }
        let get = |model: &Iqm, at: usize| model.bounds.as_ref().and_then(|b| b.get(at)).copied();
        let (native, before, after) = (self.native, &self.before.model, &self.after.model);
        let one = |t: &Trio| -> IqmBounds {
            let kept = t.native.filter(|_| still(t)).and_then(|n| get(native, n));
            let own = || t.pick(|n| get(native, n), |b| get(before, b), |a| get(after, a));
            kept.or_else(own).unwrap_or_default()
        };
        model.bounds = Some(plan.frames.iter().map(one).collect());
    }

    /// The clips as ranges of frames.
    fn runs(&self) -> Result<Runs, ConvertError> {
        let pairs = &self.clips;
        let (before, after) = (self.before, self.after);
        let range = |a: &IqmAnim| a.first_frame..a.first_frame.saturating_add(a.frame_count);
        let native = |c: &usize| {
            self.scenes[0].clips.get(*c).map_or(0..0, |c| c.start..c.start.saturating_add(c.frames))
        };
        let mut places: Match = self.budget.filled("clips", self.scenes[0].clips.len(), None)?;
        for (place, clip) in before.clips.iter().enumerate() {
            if let Some(slot) = places.get_mut(*clip) {
                *slot = Some(place);
            }
        }
        let found = |c: &usize| places.get(pairs.get(*c).copied().flatten()?).copied().flatten();
        Ok(Runs {
            native: before.clips.iter().map(native).collect(),
            before: before.model.anims.iter().take(before.clips.len()).map(range).collect(),
            after: after.model.anims.iter().take(after.clips.len()).map(range).collect(),
            found: after.clips.iter().map(found).collect(),
        })
    }

    /// Puts the anims into the model, and says which native one each is, and which of after.
    fn anims(
        &self,
        runs: &Runs,
        plan: &Frames,
        model: &mut Iqm,
        text: &mut text::Text<'_>,
    ) -> Result<Vec<Origin>, ConvertError> {
        let (native, after) = (self.native, &self.after.model);
        let mut anims = self.budget.reserve("anims", native.anims.len() + after.anims.len())?;
        let mut origins = Vec::new();
        if self.listed || self.scenes[0].clips.is_empty() {
            anims.extend_from_slice(&native.anims);
            origins.extend((0..native.anims.len()).map(|n| (Some(n), None)));
            for (a, (start, new)) in plan.starts.iter().zip(&after.anims).enumerate() {
                let was = runs.found.get(a).copied().flatten();
                if was.is_none() && start.saturating_add(new.frame_count) > native.frame_count {
                    anims.push(IqmAnim { name: text.put(after.str(new.name))?, first_frame: *start, ..*new });
                    origins.push((None, Some(a)));
                }
            }
        } else {
            // The clips of the scene are the anims.
            let there = identity(self.scenes[0].clips.len());
            let trios = Trios::of(native.anims.len(), &there, &self.clips, false, self.budget)?;
            for trio in &trios.records {
                let made = trio.after.and_then(|c| self.after.clips.iter().position(|clip| *clip == c));
                if let Some(anim) = self.anim(trio, made, plan, text)? {
                    anims.push(anim);
                    origins.push((trio.native, made));
                }
            }
        }
        model.anims = anims;
        Ok(origins)
    }

    /// An anim of the result, of which after has made one; none of a clip without frames.
    fn anim(
        &self,
        trio: &Trio,
        made: Option<usize>,
        plan: &Frames,
        text: &mut text::Text<'_>,
    ) -> Result<Option<IqmAnim>, ConvertError> {
        let (before, after) = (&self.before.model, &self.after.model);
        let Some(n) = trio.native.and_then(|n| self.native.anims.get(n)).copied() else {
            let Some((a, start)) = made.and_then(|a| after.anims.get(a).zip(plan.starts.get(a))) else {
                return Ok(None);
            };
            return Ok(Some(IqmAnim { name: text.put(after.str(a.name))?, first_frame: *start, ..*a }));
        };
        let clip = |scene: usize, at: Option<usize>| self.scenes[scene].clips.get(at?);
        let (Some(old), Some(new)) = (clip(0, trio.before), clip(1, trio.after)) else { return Ok(Some(n)) };
        let mut anim = n;
        let was = trio.before.and_then(|c| self.before.clips.iter().position(|clip| *clip == c));
        match (was.and_then(|b| before.anims.get(b)), made.and_then(|a| after.anims.get(a))) {
            (Some(b), Some(a)) if before.str(b.name) == after.str(a.name) => {}
            (_, Some(a)) => anim.name = text.put(after.str(a.name))?,
            (_, None) if old.name == new.name => {}
            (_, None) => anim.name = text.put(new.name.replace('\0', "?").as_bytes())?,
        }
        if let Some((a, start)) = made.and_then(|a| after.anims.get(a).zip(plan.starts.get(a))) {
            (anim.first_frame, anim.frame_count) = (*start, a.frame_count);
        } else if new.frames != old.frames {
            return Ok(None);
        } else {
            let end = u32::try_from(plan.frames.len()).unwrap_or(u32::MAX);
            anim.first_frame = anim.first_frame.min(end);
        }
        if new.rate.to_bits() != old.rate.to_bits() {
            anim.framerate = F32::new(new.rate);
        }
        if new.looping != old.looping {
            anim.flags = AnimFlags(anim.flags.0 ^ AnimFlags::LOOP.0);
        }
        Ok(Some(anim))
    }
}
