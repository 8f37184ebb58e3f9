//! Converts tracks and poses to clips.

use super::bones::{Bones, Placed, unscaled};
use super::names::name;
use super::options::BmdSceneOptions;
use crate::math::degrees;
use crate::model::{Clip, ClipRate};
use crate::optimize::key_candidates::{fit_rotations, fit_triples};
use crate::pose::{Curves, Timing};
use crate::stream::{Keys, Stream};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_core::math::quat::{self, Quat};
use meshwright_core::math::{Trs64, unit};
use meshwright_scene::names::Names;
use meshwright_scene::{
    AxisMap, Budget, Clip as SceneClip, ConvertError, Interpolation, Loss, Motion, Sampler, Scene,
};

/// The maximum number of frames of a clip.
const MOST_FRAMES: f64 = 255.0;
/// The highest rate, in quarters of a frame per second.
const MOST_QUARTERS: f64 = 127.0;
/// A component of a matrix below this does not count as shear.
const SHEAR: f64 = 1e-5;
/// The maximum number of candidate words for the keys of one channel.
const MOST_CANDIDATES: u64 = 1024;

/// The frames of the new clip, as frames of the old one.
struct Plan {
    rate: u8,
    frames: u32,
    /// Frames of the old clip per frame of the new one.
    step: f64,
}

impl Plan {
    /// Returns the plan with the rate nearest to the clip's own, or a lower one if there would be too many
    /// frames.
    fn for_clip(clip: &SceneClip) -> Self {
        let rate = f64::from(clip.rate);
        // A looping clip lasts as long as its number of frames, another clip one frame less.
        let spans = f64::from(if clip.looping { clip.frames.max(1) } else { clip.end() });
        let room = if clip.looping { MOST_FRAMES } else { MOST_FRAMES - 1.0 };
        let seconds = spans / rate;
        let mut quarters = round_half_up(rate * 4.0).clamp(1.0, MOST_QUARTERS);
        if round_half_up(seconds * quarters / 4.0) > room {
            quarters = (room * 4.0 / seconds - 0.5).clamp(1.0, MOST_QUARTERS);
        }
        let quarters = f64::from(byte(quarters)).max(1.0);
        let count = round_half_up(seconds * quarters / 4.0).clamp(if clip.looping { 1.0 } else { 0.0 }, room);
        let step = if count > 0.0 { spans / count } else { 1.0 };
        let frames = u32::from(byte(count)) + u32::from(!clip.looping);
        Self { rate: byte(quarters), frames, step }
    }

    fn times(&self) -> impl Iterator<Item = f64> {
        (0..self.frames).map(|f| f64::from(f) * self.step)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn byte(x: f64) -> u8 {
    x.clamp(0.0, 255.0) as u8
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "counts of frames")]
fn round_half_up(x: f64) -> f64 {
    (x.clamp(-1e15, 1e15) + 0.5) as i64 as f64
}

/// Returns true if a joint needs keys in a clip of the scene, given their numbers in this order.
pub(super) type NeedsKeys<'a> = &'a dyn Fn(usize, usize) -> bool;

/// The inputs for building clips.
pub(super) struct Clips<'s, 'n, 'b> {
    pub(super) scene: &'s Scene,
    pub(super) bones: &'s Bones,
    pub(super) axes: AxisMap,
    pub(super) options: BmdSceneOptions,
    /// The joints of clips that need keys. `None` if all do, and the caller does not need the values of bones.
    pub(super) needs_keys: Option<NeedsKeys<'s>>,
    /// The values of the bones of each clip, of those that need keys.
    pub(super) values: Vec<BoneMotions>,
    pub(super) names: &'n mut Names<'b>,
    pub(super) budget: &'b Budget,
    pub(super) losses: &'n mut Vec<Loss>,
    /// Bytes that were charged for choosing keys.
    pub(super) scratch: u64,
}

impl Clips<'_, '_, '_> {
    /// Converts the scene's clips that move the model's bones.
    pub(super) fn all(mut self) -> Result<(Vec<Clip>, Vec<BoneMotions>), ConvertError> {
        let mut clips = self.budget.reserve("clips", self.scene.clips.len())?;
        for (i, clip) in self.scene.clips.iter().enumerate() {
            let path = format!("clips[{i}]");
            if !self.bones.are_moved_by(clip) {
                let message = "a clip of another skeleton, or without frames";
                self.losses.push(Loss::new("clip-dropped", path, message));
                continue;
            }
            clips.push(self.clip(i, clip, path)?);
        }
        Ok((clips, self.values))
    }

    /// Charges memory for choosing keys, which the clips use one after the other.
    fn scratch(&mut self, bytes: u64) -> Result<(), ConvertError> {
        self.budget.charge("choosing keys", bytes.saturating_sub(self.scratch))?;
        self.scratch = self.scratch.max(bytes);
        Ok(())
    }

    /// If joints do not move as their bones, returns the values of the bones, frame by frame. The second
    /// value is the largest component of a matrix that a bone cannot store.
    fn dense(
        &self,
        sampler: &Sampler<'_, '_>,
        plan: &Plan,
    ) -> Result<(Option<Vec<Trs64>>, f64), ConvertError> {
        let clip = sampler.clip();
        let may_shear =
            matches!(clip.motion, Motion::Poses { .. }) || clip.interpolation == Interpolation::Matrix;
        if self.bones.plain && !may_shear {
            return Ok((None, 0.0));
        }
        let mut unscaled = unscaled(sampler.skeleton(), self.budget)?;
        let joints = sampler.skeleton().joints.len();
        let count = if self.bones.plain { 0 } else { joints.saturating_mul(plan.frames as usize) };
        let (mut rows, mut locals) = (self.budget.reserve("frames", count)?, Vec::new());
        let mut sheared = 0.0_f64;
        for time in plan.times() {
            sampler.locals(time, &mut locals)?;
            if !self.bones.plain {
                unscaled.to_bones(&mut locals, self.budget)?;
            }
            for local in &locals {
                let trs = Trs64::from_affine(local);
                sheared = sheared.max(trs.misfit(local));
                if !self.bones.plain {
                    rows.push(self.axes.trs64(&trs));
                }
            }
        }
        Ok(((!self.bones.plain).then_some(rows), sheared))
    }

    fn clip(&mut self, index: usize, clip: &SceneClip, path: String) -> Result<Clip, ConvertError> {
        let plan = Plan::for_clip(clip);
        let mut done = SortedMap::new();
        let asked = self.needs_keys;
        let needs_keys = |joint: usize| asked.is_none_or(|asked| asked(index, joint));
        if !(0..self.bones.joints.len()).any(needs_keys) {
            self.values.push(done);
            return self.keyed(clip, &plan, &[], &path);
        }
        let change = (f64::from(plan.rate) / 4.0 - f64::from(clip.rate)).abs();
        if change > 1e-4 {
            let message = "the rate was changed to one that the format has";
            self.losses.push(
                Loss::new("rate-changed", path.as_str(), message).with_amount(change, "frames per second"),
            );
        }
        let sampler = Sampler::new(self.scene, index, self.budget)?;
        let timing = Timing { frames: plan.frames, looping: clip.looping };
        let normal = self.bones.bones.iter().filter(|b| !b.is_pseudo()).count();
        let mut keys: Vec<Keys> = self.budget.filled("keys", normal, Keys::default())?;
        let mut worst = LargestErrors::default();
        // The search compares pairs of candidates.
        let candidates = (u64::from(plan.frames) * 6).min(MOST_CANDIDATES);
        let work = candidates * u64::from(plan.frames);
        self.scratch(2 * candidates * candidates)?;
        if plan.step != 1.0 || sampler.is_off_frame() {
            let found = sampler.resampling(plan.step, plan.frames)?;
            found.report(&path, "the motion was sampled at the frames of the new clip", self.losses);
        }
        let (dense, sheared) = self.dense(&sampler, &plan)?;
        if sheared > SHEAR {
            let loss = Loss::new("joint-shear", path.as_str(), "bones cannot shear")
                .with_amount(sheared, "of a matrix");
            self.losses.push(loss.noise_below(Loss::NOISE));
        }
        for (joint, placed) in self.bones.joints.iter().enumerate().filter(|(_, p)| p.bone > 0) {
            let moves = dense.is_some() || sampler.moves(joint);
            let Some(slot) = keys.get_mut(placed.bone).filter(|_| moves && needs_keys(joint)) else {
                continue;
            };
            self.budget.charge_items("frames", u64::from(plan.frames), size_of::<Trs64>())?;
            self.budget.work("choosing keys", work)?;
            let values = match &dense {
                Some(rows) => {
                    let joints = sampler.skeleton().joints.len();
                    Values::relative_to_base(
                        rows.iter().skip(joint).step_by(joints.max(1)).copied(),
                        placed,
                        self.bones,
                    )
                }
                None => {
                    let samples = plan.times().map(|t| self.axes.trs64(&sampler.trs(joint, t)));
                    Values::relative_to_base(samples, placed, self.bones)
                }
            };
            *slot = values.keys(timing, self.options);
            values.measure(slot, timing, &mut worst);
            if asked.is_some() {
                done.insert(placed.bone, values);
            }
        }
        self.values.push(done);
        worst.report(&path, self.losses);
        self.keyed(clip, &plan, &keys, &path)
    }

    /// Builds a clip from keys.
    fn keyed(
        &mut self,
        clip: &SceneClip,
        plan: &Plan,
        keys: &[Keys],
        path: &str,
    ) -> Result<Clip, ConvertError> {
        let rate = ClipRate::looping(plan.rate.min(127)).unwrap_or(ClipRate::USUAL);
        Ok(Clip {
            name: Some(name(self.names, &clip.name, path, self.losses)?),
            frames: u8::try_from(plan.frames).unwrap_or(u8::MAX),
            rate: if clip.looping { rate } else { rate.once() },
            stream: Arc::new(Stream::from_bones(keys.iter().map(Keys::to_steps))),
            ..Clip::default()
        })
    }
}

/// The largest differences at whole frames.
#[derive(Default)]
struct LargestErrors {
    turned: f64,
    moved: f64,
    scaled: f64,
}

impl LargestErrors {
    fn report(&self, path: &str, losses: &mut Vec<Loss>) {
        let errors = [
            ("keys-turned", "degrees", self.turned),
            ("keys-moved", "units", self.moved),
            ("keys-scaled", "", self.scaled),
        ];
        for (code, unit, amount) in errors {
            if amount > 1e-6 {
                let message = "keys were rounded and thinned; largest difference at a whole frame";
                losses.push(Loss::new(code, path, message).with_amount(amount, unit));
            }
        }
    }
}

/// The values of the bones of a clip, by bone.
pub(super) type BoneMotions = SortedMap<usize, Values>;

/// The motion of a bone relative to its base, frame by frame.
#[derive(Default)]
pub(super) struct Values {
    pub(super) rotation: Vec<Quat>,
    pub(super) translation: Vec<[f64; 3]>,
    pub(super) scale: Vec<[f64; 3]>,
}

impl Values {
    fn relative_to_base(samples: impl Iterator<Item = Trs64>, placed: &Placed, bones: &Bones) -> Self {
        let base = bones.base(placed.bone);
        let back = quat::conjugate(base.rotation);
        let mut this = Self::default();
        for trs in samples {
            this.rotation.push(unit(quat::product(trs.rotation, back)).unwrap_or(quat::IDENTITY));
            this.translation.push(core::array::from_fn(|i| trs.translation[i] - base.origin[i]));
            this.scale.push(trs.scale);
        }
        this
    }

    fn keys(&self, timing: Timing, bounds: BmdSceneOptions) -> Keys {
        let mut keys = Keys::default();
        let mut tags = alloc::vec![false; timing.frames as usize];
        let mut tag = |frames: &[u32]| {
            for f in frames {
                if let Some(t) = tags.get_mut(*f as usize) {
                    *t = true;
                }
            }
            tags.clone()
        };
        keys.rotation = fit_rotations(&self.rotation, timing, bounds.angle, &tag(&[]));
        let tagged = tag(&keys.rotation.iter().map(|k| k.0).collect::<Vec<_>>());
        keys.translation = fit_triples(&self.translation, [0.0; 3], timing, bounds.distance, &tagged);
        let tagged = tag(&keys.translation.iter().map(|k| k.0).collect::<Vec<_>>());
        keys.scale = fit_triples(&self.scale, [1.0; 3], timing, bounds.scale, &tagged);
        keys
    }

    fn measure(&self, keys: &Keys, timing: Timing, worst: &mut LargestErrors) {
        let curves = Curves::decode(keys);
        let rows = self.rotation.iter().zip(&self.translation).zip(&self.scale);
        let apart =
            |a: [f64; 3], b: &[f64; 3]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        for (f, ((q, t), s)) in (0..timing.frames).map(f64::from).zip(rows) {
            let turned = timing.rotation(&curves.rotation, f).unwrap_or(quat::IDENTITY);
            worst.turned = worst.turned.max(degrees(*q, turned));
            let moved = timing.triple(&curves.translation, f).unwrap_or([0.0; 3]);
            worst.moved = worst.moved.max(apart(moved, t));
            let scaled = timing.triple(&curves.scale, f).unwrap_or([1.0; 3]);
            worst.scaled = worst.scaled.max(apart(scaled, s));
        }
    }
}
