//! A scene's clip as an `.anim`.

use super::names::{self, LONG, Namer};
use super::options::{MeshForm, TsoSceneOptions, chosen};
use super::transforms::{self, NO_MOVE, NO_TURN, bounded, has_scale, is_scaled, not_finite, stored};
use crate::anim::{Anim, FRAME_RATE, KEYS_UNUSED, Motion};
use crate::fields::Flag;
use crate::name::Name;
use crate::scene::extras;
use crate::scene::space::TO_GLTF;
use crate::skel::Skel;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::math::narrow1;
use meshwright_scene::math::{Trs64, wide};
use meshwright_scene::{
    AxisMap, Budget, Clip, ConvertError, Converted, FromScene, FromSceneOptions, Loss, Motion as ClipMotion,
    Sampler, Scene,
};

impl Anim {
    /// Makes an animation of one of a scene's clips, with a key for every thirtieth of a second. A clip that loops
    /// closes with the frame that it starts with.
    ///
    /// # Errors
    /// When the scene breaks its own rules or has no such clip, when the clip has more frames than floats count
    /// exactly, when a name would have to be changed and may not, or when the result would take more memory than
    /// allowed.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<TsoSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        let (budget, mut losses) = (options.budget(), Vec::new());
        let id = chosen(options.format.clip, scene.clips.len(), "clips-dropped", "clips", &mut losses);
        let skeleton = scene.clips.get(id).map_or(0, |c| c.skeleton.0);
        let names = names::bones(scene, skeleton, MeshForm::Mesh, options.names, &budget, &mut losses)?;
        let anim = make(scene, id, &names, options, &budget, &mut losses)?;
        Ok(Converted::new(anim, losses))
    }
}

impl FromScene for Anim {
    type Options = TsoSceneOptions;

    fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<TsoSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        Self::from_scene(scene, options)
    }
}

/// Clip `id` for bones of these names.
pub(crate) fn make(
    scene: &Scene,
    id: usize,
    names: &[Name],
    options: &FromSceneOptions<TsoSceneOptions>,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Anim, ConvertError> {
    let path = format!("clips[{id}]");
    let sampler = Sampler::new(scene, id, budget)?;
    let clip = sampler.clip();
    let frames = Frames::of(&sampler, &path, losses)?;
    let mut namer = Namer::new(LONG, MeshForm::Mesh, options.names, budget);
    let mut anim = Anim {
        name: namer.fit(&clip.name, &format!("{path}.name"), losses)?,
        duration: F32::new(frames.milliseconds()),
        moving: Flag::YES,
        ..Anim::default()
    };
    let axes = options.axes(scene, &TO_GLTF);
    let keys = Keys::of(&sampler, scene, frames, &axes, budget, &path, losses)?;
    let game = options.format.made_for.as_ref().map(Skel::index);
    let mut strangers = 0_usize;
    for (joint, keys) in keys.into_iter().enumerate() {
        if keys.translations.is_empty() && keys.rotations.is_empty() {
            continue;
        }
        let name = names.get(joint).cloned().unwrap_or_default();
        if game.as_ref().is_some_and(|game| game.find(&name).is_none()) {
            strangers += 1;
            continue;
        }
        budget.charge("motions", (size_of::<Motion>() + name.bytes().len()) as u64)?;
        let mut motion = Motion {
            bone: name,
            frames: frames.count,
            duration: anim.duration,
            first_translation: KEYS_UNUSED,
            first_rotation: KEYS_UNUSED,
            ..Motion::default()
        };
        if !keys.translations.is_empty() {
            motion.has_translation = Flag::YES;
            motion.first_translation = append(&mut anim.translations, keys.translations, &path, budget)?;
        }
        if !keys.rotations.is_empty() {
            motion.has_rotation = Flag::YES;
            motion.first_rotation = append(&mut anim.rotations, keys.rotations, &path, budget)?;
        }
        anim.motions.push(motion);
    }
    if strangers > 0 {
        let message = "the skeleton has no such bones";
        losses.push(Loss::new("motion-dropped", &*path, message).of(strangers, "bone", "bones"));
    }
    let bad = bounded(&mut anim.translations, NO_MOVE) + bounded(&mut anim.rotations, NO_TURN);
    not_finite(&path, bad, losses);
    let lost = extras::take_events(clip, &mut anim);
    if lost > 0 {
        losses.push(Loss::new("event-dropped", path, "events cannot be stored").counted(lost));
    }
    Ok(anim)
}

/// Appends keys and returns the number of the first.
fn append<T>(all: &mut Vec<T>, keys: Vec<T>, path: &str, budget: &Budget) -> Result<u32, ConvertError> {
    budget.charge_items("keys", keys.len() as u64, size_of::<T>())?;
    let first = u32::try_from(all.len());
    all.extend(keys);
    first.map_err(|_| ConvertError::unsupported(path, "the format counts keys with 32 bits"))
}

/// The keys of one joint, one per frame where there are any.
#[derive(Clone, Debug, Default)]
struct Keys {
    translations: Vec<[F32; 3]>,
    rotations: Vec<[F32; 4]>,
}

impl Keys {
    /// Keys of all joints.
    fn of(
        sampler: &Sampler<'_, '_>,
        scene: &Scene,
        frames: Frames,
        axes: &AxisMap,
        budget: &Budget,
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<Self>, ConvertError> {
        let (clip, skeleton) = (sampler.clip(), sampler.skeleton());
        let scaled = scaled_joints(scene, clip, skeleton.joints.len(), budget)?;
        let count = scaled.iter().filter(|s| **s).count();
        let mut keys = budget.filled("motions", skeleton.joints.len(), Self::default())?;
        let rests = || skeleton.joints.iter().map(|j| j.rest.to_affine64());
        if count == 0 && !rests().any(|rest| is_scaled(&rest)) {
            let channels = channels(clip, skeleton.joints.len());
            for ((joint, keys), [moves, turns]) in keys.iter_mut().enumerate().zip(channels) {
                keys.reserve(moves, turns, frames, budget)?;
                budget.work("keys", u64::from(frames.count) * u64::from(moves || turns))?;
                for frame in frames.times().filter(|_| moves || turns) {
                    keys.push(moves, turns, axes, &sampler.trs(joint, frame));
                }
            }
            return Ok(keys);
        }
        // Whatever hangs from a scaled joint is elsewhere than its own keys say.
        keys.iter_mut().try_for_each(|keys| keys.reserve(true, true, frames, budget))?;
        let (mut bones, mut locals) = (transforms::bones(skeleton, budget)?, Vec::new());
        let mut lost = 0.0_f64;
        for frame in frames.times() {
            sampler.locals(frame, &mut locals)?;
            lost = lost.max(bones.run(&mut locals, false, budget)?);
            for (keys, local) in keys.iter_mut().zip(&locals) {
                keys.push(true, true, axes, &Trs64::from_affine(local));
            }
        }
        if count > 0 || lost > Loss::NOISE {
            // What joints are scaled at rest the vertices have already.
            let loss = Loss::new("scale-dropped", path, "bones have no scale beyond that of the rest pose");
            losses.push(loss.of(count, "joint", "joints").by(lost, "of a matrix").noise_below(Loss::NOISE));
        }
        Ok(keys)
    }

    fn reserve(
        &mut self,
        moves: bool,
        turns: bool,
        frames: Frames,
        budget: &Budget,
    ) -> Result<(), ConvertError> {
        let count = usize::try_from(frames.count).unwrap_or(usize::MAX);
        if moves {
            self.translations = budget.reserve("keys", count)?;
        }
        if turns {
            self.rotations = budget.reserve("keys", count)?;
        }
        Ok(())
    }

    fn push(&mut self, moves: bool, turns: bool, axes: &AxisMap, trs: &Trs64) {
        let (translation, rotation) = stored(axes, trs);
        if moves {
            self.translations.push(translation);
        }
        if turns {
            self.rotations.push(rotation);
        }
    }
}

/// For each joint whether a clip moves it, and whether it turns it. What a clip leaves alone stays as the skeleton
/// has it.
fn channels(clip: &Clip, n: usize) -> Vec<[bool; 2]> {
    match &clip.motion {
        ClipMotion::Poses { frames, .. } => alloc::vec![[!frames.is_empty(); 2]; n],
        ClipMotion::Tracks(tracks) => {
            let mut channels = alloc::vec![[false; 2]; n];
            for track in tracks {
                if let Some([moves, turns]) = channels.get_mut(track.joint) {
                    *moves |= !track.translation.is_empty();
                    *turns |= !track.rotation.is_empty();
                }
            }
            channels
        }
    }
}

/// Which joints a clip scales.
fn scaled_joints(scene: &Scene, clip: &Clip, n: usize, budget: &Budget) -> Result<Vec<bool>, ConvertError> {
    let mut scaled = budget.filled("joints", n, false)?;
    match &clip.motion {
        ClipMotion::Tracks(tracks) => {
            for track in tracks.iter().filter(|t| t.scale.values.iter().any(|s| has_scale(wide(*s)))) {
                if let Some(slot) = scaled.get_mut(track.joint) {
                    *slot = true;
                }
            }
        }
        ClipMotion::Poses { set, frames } => {
            let set = scene.pose_sets.get(set.0);
            budget.work("poses", (frames.len() as u64).saturating_mul(n as u64))?;
            for pose in frames.iter().filter_map(|f| set?.pose(usize::try_from(*f).ok()?)) {
                for (slot, local) in scaled.iter_mut().zip(pose) {
                    *slot |= is_scaled(&local.wide());
                }
            }
        }
    }
    Ok(scaled)
}

/// The frames of a clip at 30 per second.
#[derive(Clone, Copy, Debug)]
struct Frames {
    count: u32,
    /// The clip's own frames per one of ours.
    step: f64,
    /// The clip's own frames from one start to the next, where it loops.
    period: Option<f64>,
}

impl Frames {
    fn of(sampler: &Sampler<'_, '_>, path: &str, losses: &mut Vec<Loss>) -> Result<Self, ConvertError> {
        let clip = sampler.clip();
        let step = f64::from(clip.rate) / f64::from(FRAME_RATE);
        let last = f64::from(clip.end());
        let count = (last / step + 0.5).clamp(0.0, f64::from(u32::MAX));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 32 bits")]
        let count = (count as u32).saturating_add(1);
        if count > 1 << f32::MANTISSA_DIGITS {
            return Err(ConvertError::unsupported(path, "more than 16777216 frames"));
        }
        if step != 1.0 || sampler.is_off_frame() {
            let message = match step == 1.0 {
                true => String::from("keys between frames were resampled"),
                false => format!("{} frames per second were resampled to 30", clip.rate),
            };
            sampler.resampling(step, count)?.report(path, &message, losses);
        }
        Ok(Self { count, step, period: clip.looping.then_some(last) })
    }

    /// Every frame as one of the clip.
    fn times(self) -> impl Iterator<Item = f64> {
        let own = move |t: f64| self.period.filter(|p| t >= *p).map_or(t, |_| 0.0);
        (0..self.count).map(move |f| own(f64::from(f) * self.step))
    }

    fn milliseconds(self) -> f32 {
        narrow1(f64::from(self.count) * 1000.0 / f64::from(FRAME_RATE))
    }
}
