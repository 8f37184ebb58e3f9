//! The merged model, its clips, and the bounds of its frames.

use super::{AnimOrigin, IqmMerge, Text, channels, extensions, joints};
use crate::check::check;
use crate::model::{AnimFlags, ArrayFormat, ArrayKind, Iqm, IqmAnim, IqmBounds};
use crate::scene::from_scene::{MOST_JOINTS, Traced};
use crate::scene::options::{IqmOptions, Scales};
use crate::scene::vertices::VertexForm;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::math::Trs64;
use meshwright_core::{F32, Findings};
use meshwright_edit::apply::{ClipList, Clips, FrameOrigin, Frames, Joints, Kept, Origin, Records, frames};
use meshwright_edit::{Attributes, Patch, VertexPatch};
use meshwright_scene::{
    Clip, ConvertError, Converted, FromSceneOptions, Joint, Loss, MostBones, Motion, Scene, SkeletonId,
};

/// A clip of a merged model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedAnim {
    /// The name.
    pub name: Vec<u8>,
    /// The frames in the result.
    pub frames: Range<u32>,
    /// Frames per second.
    pub rate: f32,
    /// True if the last frame blends into the first.
    pub looping: bool,
    /// The original clip: its index in the native scene, and its frames in the original.
    pub was: Option<(usize, Range<u32>)>,
}

/// A merged model and its clips.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedIqm {
    /// The model.
    pub model: Iqm,
    /// The clips of the edited scene.
    pub clips: Vec<MergedAnim>,
}

impl Iqm {
    /// Applies a patch of `native`, the scene of this model. Everything else keeps its bits: the text, flags, arrays
    /// of any format and of other programs, the encoding of channels, frames outside of anims, the comment,
    /// extensions, and the layout of the file if no size changed. If the `list` of clips is a companion file, the
    /// anims are unchanged, and new ones are appended.
    ///
    /// A channel whose range has no room for a new value is stored again in all frames, which a loss reports.
    ///
    /// # Errors
    /// As [`Iqm::from_scene`] for the edited scene, and if the result breaks a rule of the format.
    pub fn merge(
        &self,
        native: &Scene,
        patch: &Patch,
        list: ClipList,
        options: &FromSceneOptions<IqmOptions>,
    ) -> Result<Converted<MergedIqm>, ConvertError> {
        let mut options = options.clone();
        // The model's own scales would be applied twice.
        if self.is_scaled() {
            options.format.scales = Scales::Kept;
        }
        let (budget, mut losses) = (options.budget(), Vec::new());
        let patch = &*patch.with_one_skeleton(|_| true, &budget, &mut losses)?;
        let by = options.engine_of("iqm").map_or("the format", |(engine, _)| engine.title());
        let limit = MostBones { most: MOST_JOINTS.max(joints::count(self)), by };
        let kept = |j: &Joint| j.extras.is_some();
        let home = patch.scene.skeletons.iter().position(|s| !s.joints.is_empty()).unwrap_or_default();
        let patch = &*patch.with_fewer_joints(SkeletonId(home), limit, kept, &budget, &mut losses)?;
        if limit.most > MOST_JOINTS && has_new_weights(patch) {
            let message = "vertices of a model of more than 256 joints cannot get other weights";
            return Err(ConvertError::unsupported("joints", message));
        }
        let floats = [ArrayFormat::HALF, ArrayFormat::FLOAT, ArrayFormat::DOUBLE];
        let form = VertexForm {
            tangents: Some(self.array(ArrayKind::TANGENT).is_some()),
            float_weights: self.array(ArrayKind::BLEND_WEIGHTS).is_some_and(|a| floats.contains(&a.format)),
        };
        let made = Traced::convert(&patch.scene, &options, form, limit.most)?;
        losses.extend(made.losses);
        let losses = patch.losses_of_edits(losses);
        let mut wanted = false;
        loop {
            let joints =
                Joints::new(joints::count(self), &made.value.joints, (native, patch), wanted, &budget)?;
            let work = IqmMerge {
                original: self,
                made: &made.value,
                native,
                patch,
                joints,
                clips: Clips::new(native, patch, &budget)?,
                list,
                baked: options.format.scales == Scales::Baked && has_scales(&patch.scene),
                budget: &budget,
            };
            let mut losses = losses.clone();
            let merged = work.merge(&mut losses)?;
            if wanted || !work.joints.is_missing() {
                check(&merged.model, &mut Findings::writing())
                    .map_err(|e| ConvertError::unsupported(e.path().to_string(), e.message()))?;
                return Ok(Converted::new(merged, losses));
            }
            wanted = true;
        }
    }

    /// Returns true if joints or frames have scales.
    fn is_scaled(&self) -> bool {
        let one = |s: &[F32]| s.iter().all(|c| (c.get() - 1.0).abs() < 1e-6);
        let scaled = |p: &crate::model::IqmPose| {
            let scale = if self.version == 1 { 6..9 } else { 7..10 };
            scale.clone().any(|c| p.stores(c)) || !one(p.offset.get(scale).unwrap_or_default())
        };
        self.joints.iter().any(|j| !one(&j.scale)) || self.poses.iter().any(scaled)
    }
}

/// Returns true if vertices have other weights than in the original.
fn has_new_weights(patch: &Patch) -> bool {
    let weights = |v: &VertexPatch| v.original.is_none() || v.changed.has(Attributes::WEIGHTS);
    patch.meshes.iter().any(|m| m.original.is_none() || m.vertices.iter().any(weights))
}

/// Returns true if joints of a scene have scales, at rest or in a clip.
fn has_scales(scene: &Scene) -> bool {
    let scaled = |s: [f64; 3]| s.iter().any(|c| (c - 1.0).abs() > 1e-5);
    let joints = scene.skeletons.iter().flat_map(|s| &s.joints);
    let keys = |clip: &Clip| match &clip.motion {
        Motion::Tracks(tracks) => {
            tracks.iter().any(|t| t.scale.values.iter().any(|s| scaled(s.map(f64::from))))
        }
        Motion::Poses { .. } => false,
    };
    let poses = scene.pose_sets.iter().flat_map(|set| &set.locals);
    joints.into_iter().any(|j| scaled(j.rest.to_trs64().scale))
        || scene.clips.iter().any(keys)
        || poses.into_iter().any(|m| scaled(Trs64::from_affine(&m.wide()).scale))
}

impl IqmMerge<'_> {
    fn merge(&self, losses: &mut Vec<Loss>) -> Result<MergedIqm, ConvertError> {
        let original = self.original;
        let mut model = original.clone();
        let mut text = Text::parse(&original.text, self.budget)?;
        self.put_joints(&mut model, &mut text)?;
        let (meshes, still) = self.put_meshes(&mut model, &mut text, losses)?;
        let range = |a: &IqmAnim| a.first_frame..a.first_frame.saturating_add(a.frame_count);
        let made = self.made.model.anims.iter().take(self.made.clips.len());
        let runs = self.clips.runs(made.map(range).collect());
        let kept = Kept { first: false, all: self.list == ClipList::Companion };
        let count = original.frame_count as usize;
        let plan = frames(&runs, count, kept, |x, y| self.is_same(x, y), self.budget)?;
        let rescaled = channels::write_frames(self, &plan.frames, &mut model)?;
        self.hold_rest(&mut model, &mut text)?;
        if rescaled.channels > 0 {
            let message = "a channel has no room for a new value; its values are rounded again in all frames";
            let loss = Loss::new("channels-rescaled", "poses", message);
            losses.push(
                loss.with_count(rescaled.channels, "channel", "channels")
                    .with_amount(rescaled.most, "at most"),
            );
        }
        let still = still && self.has_same_rest();
        self.put_bounds(&plan, |f| still && self.is_still(f), &mut model);
        let anims = self.put_anims(&plan, &mut model, &mut text)?;
        extensions::write_extensions(self, &meshes, &anims, &mut model, &mut text)?;
        let clip = |(a, start): (usize, &u32)| {
            let anim = self.made.model.anims.get(a)?;
            let was = self.clips.was(a).map(|(c, old)| (c, old.start..old.start.saturating_add(old.frames)));
            Some(MergedAnim {
                name: self.made.model.str(anim.name).to_vec(),
                frames: *start..start.saturating_add(anim.frame_count),
                rate: anim.framerate.get(),
                looping: anim.flags.contains(AnimFlags::LOOP),
                was,
            })
        };
        let clips = plan.starts.iter().enumerate().filter_map(clip).collect();
        model.text = text.finish();
        Ok(MergedIqm { model, clips })
    }

    /// Updates the boxes of frames. Those of `still` frames stay, and so do those that did not change.
    fn put_bounds(&self, plan: &Frames, still: impl Fn(&FrameOrigin) -> bool, model: &mut Iqm) {
        let Some(old) = &self.original.bounds else { return };
        let new = self.made.model.bounds.as_deref().unwrap_or_default();
        let one = |f: &FrameOrigin| {
            let kept = f.original.and_then(|n| old.get(n)).copied();
            let made = f.made.and_then(|m| new.get(m)).copied();
            let same = |kept: &IqmBounds| made.is_none_or(|made| is_near(kept, &made));
            kept.filter(|kept| still(f) || same(kept)).or(made).or(kept).unwrap_or_default()
        };
        model.bounds = Some(plan.frames.iter().map(one).collect());
    }

    /// Writes the anims into the model, and returns their origins.
    fn put_anims(
        &self,
        plan: &Frames,
        model: &mut Iqm,
        text: &mut Text<'_>,
    ) -> Result<Vec<AnimOrigin>, ConvertError> {
        let (original, made) = (self.original, &self.made.model);
        let mut anims = self.budget.reserve("anims", original.anims.len() + made.anims.len())?;
        let mut origins = Vec::new();
        let new = |a: usize| made.anims.get(a).zip(plan.starts.get(a));
        if self.list == ClipList::Companion || self.native.clips.is_empty() {
            anims.extend_from_slice(&original.anims);
            origins.extend((0..original.anims.len()).map(|n| (Some(n), None)));
            for a in 0..plan.starts.len() {
                let Some((anim, start)) = new(a).filter(|_| self.clips.was(a).is_none()) else { continue };
                if start.saturating_add(anim.frame_count) > original.frame_count {
                    anims.push(IqmAnim {
                        name: text.add(made.str(anim.name))?,
                        first_frame: *start,
                        ..*anim
                    });
                    origins.push((None, Some(a)));
                }
            }
        } else {
            // The clips of the scene are the anims.
            let shown = self.native.clips.len();
            let found: Vec<_> = self.patch.clips.iter().map(|c| c.original).collect();
            let records = Records::new(original.anims.len(), |n| n < shown, &found, self.budget)?;
            for origin in &records.list {
                let a = origin.made.and_then(|c| self.clips.place(c));
                if let Some(anim) = self.anim(origin, a.and_then(new), plan, text)? {
                    anims.push(anim);
                    origins.push((origin.original, a));
                }
            }
        }
        model.anims = anims;
        Ok(origins)
    }

    /// Returns an anim of the result. A made anim starts at a frame of the result; a clip without frames has none.
    fn anim(
        &self,
        origin: &Origin,
        made: Option<(&IqmAnim, &u32)>,
        plan: &Frames,
        text: &mut Text<'_>,
    ) -> Result<Option<IqmAnim>, ConvertError> {
        let model = &self.made.model;
        let Some((n, old)) = origin.original.and_then(|n| self.original.anims.get(n).zip(Some(n))) else {
            let Some((new, start)) = made else { return Ok(None) };
            return Ok(Some(IqmAnim { name: text.add(model.str(new.name))?, first_frame: *start, ..*new }));
        };
        let (mut anim, edited) = (*n, origin.made.and_then(|c| self.patch.scene.clips.get(c)));
        let (Some(old), Some(edited)) = (self.native.clips.get(old), edited) else { return Ok(Some(anim)) };
        if old.name != edited.name {
            anim.name = match made {
                Some((new, _)) => text.add(model.str(new.name))?,
                None => text.add(edited.name.replace('\0', "?").as_bytes())?,
            };
        }
        if let Some((new, start)) = made {
            (anim.first_frame, anim.frame_count) = (*start, new.frame_count);
        } else if edited.frames != old.frames {
            return Ok(None);
        } else {
            let end = u32::try_from(plan.frames.len()).unwrap_or(u32::MAX);
            anim.first_frame = anim.first_frame.min(end);
        }
        if edited.rate.to_bits() != old.rate.to_bits() {
            anim.framerate = F32::new(edited.rate);
        }
        if edited.looping != old.looping {
            anim.flags = AnimFlags(anim.flags.0 ^ AnimFlags::LOOP.0);
        }
        Ok(Some(anim))
    }
}

/// Returns true if a stored box equals the computed one except for rounding.
fn is_near(stored: &IqmBounds, made: &IqmBounds) -> bool {
    let all = |b: &IqmBounds| {
        let ([a, b, c], [d, e, f]) = (b.mins, b.maxs);
        [a, b, c, d, e, f].map(|v| f64::from(v.get()))
    };
    let (stored, made) = (all(stored), all(made));
    let extent = made.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    stored.iter().zip(&made).all(|(a, b)| (a - b).abs() <= 1e-4 * extent)
}
