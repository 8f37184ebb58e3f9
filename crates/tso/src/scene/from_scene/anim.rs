//! A scene's clip as an `.anim`.

use super::existing_skeleton;
use super::keys::{Frames, Keys};
use super::names::{self, LONG, Namer};
use super::options::{MeshForm, TsoSceneOptions, chosen};
use super::transforms::{NO_MOVE, NO_TURN, bounded, not_finite};
use crate::anim::{Anim, KEYS_UNUSED, Motion};
use crate::fields::Flag;
use crate::name::Name;
use crate::scene::extras;
use crate::scene::space::TO_GLTF;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_scene::{Budget, ConvertError, Converted, FromScene, FromSceneOptions, Loss, Sampler, Scene};

impl Anim {
    /// Converts one of a scene's clips to an animation, with 30 keys per second. A looping clip ends with its first
    /// frame.
    ///
    /// For an [existing skeleton](TsoSceneOptions::made_for), its bones are moved, in its order and with its names.
    /// They have the poses of the joints with these names in every frame, even if the rest poses or parents of the
    /// scene's joints differ. Bones that it does not allow to move, and that keep their rest position, get no
    /// translations.
    ///
    /// # Errors
    /// If the scene breaks its own rules or has no such clip, if the clip has more frames than floats count exactly,
    /// if a name is not possible and must not be changed, or if the result would take more memory than allowed.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<TsoSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        scene.validate()?;
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

/// Converts clip `id` for bones with these names.
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
    let frames = Frames::of_clip(&sampler, &path, losses)?;
    let mut namer = Namer::new(LONG, options.format.record_names(), options.names, budget);
    let mut anim = Anim {
        name: namer.fit(&clip.name, &format!("{path}.name"), losses)?,
        duration: F32::new(frames.milliseconds()),
        moving: Flag::YES,
        ..Anim::default()
    };
    let axes = options.axes(scene, &TO_GLTF);
    let keys = Keys::sample(&sampler, scene, frames, &axes, budget, &path, losses)?;
    let keyed = match &options.format.made_for {
        Some(skel) => {
            existing_skeleton::keys(skel, keys, names, &sampler, frames, &axes, budget, &path, losses)?
        }
        None => names.iter().cloned().zip(keys).collect(),
    };
    for (name, keys) in keyed {
        if keys.is_empty() {
            continue;
        }
        budget.charge("motions", (size_of::<Motion>() + name.bytes().len()) as u64)?;
        let motion =
            Motion { bone: name, frames: frames.count, duration: anim.duration, ..Motion::default() };
        anim.push_motion(motion, keys, &path, budget)?;
    }
    let bad = bounded(&mut anim.translations, NO_MOVE) + bounded(&mut anim.rotations, NO_TURN);
    not_finite(&path, bad, losses);
    extras::take_anim(clip, &mut anim);
    let lost = extras::take_events(clip, &mut anim);
    if lost > 0 {
        losses.push(Loss::new("event-dropped", path, "events cannot be stored").counted(lost));
    }
    Ok(anim)
}

impl Anim {
    /// Adds a motion and its keys. Its flags stay if they already state which keys there are.
    pub(crate) fn push_motion(
        &mut self,
        mut motion: Motion,
        keys: Keys,
        path: &str,
        budget: &Budget,
    ) -> Result<(), ConvertError> {
        (motion.has_translation, motion.first_translation) =
            append(motion.has_translation, &mut self.translations, keys.translations, path, budget)?;
        (motion.has_rotation, motion.first_rotation) =
            append(motion.has_rotation, &mut self.rotations, keys.rotations, path, budget)?;
        self.motions.push(motion);
        Ok(())
    }
}

/// Appends keys. Returns the flag that states whether there are any, and the number of the first.
fn append<T>(
    flag: Flag,
    all: &mut Vec<T>,
    keys: Vec<T>,
    path: &str,
    budget: &Budget,
) -> Result<(Flag, u32), ConvertError> {
    let flag = if flag.is_set() == keys.is_empty() { Flag::from(!keys.is_empty()) } else { flag };
    if keys.is_empty() {
        return Ok((flag, KEYS_UNUSED));
    }
    budget.charge_items("keys", keys.len() as u64, size_of::<T>())?;
    let first = u32::try_from(all.len());
    all.extend(keys);
    let first = first.map_err(|_| ConvertError::unsupported(path, "the format counts keys with 32 bits"))?;
    Ok((flag, first))
}
