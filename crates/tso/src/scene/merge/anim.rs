//! Merging of animations, key by key.

use super::bones::Bones;
use super::skel::merge_rotation;
use crate::anim::{Anim, Motion, TimeProperty};
use crate::fields::Flag;
use crate::scene::extras::{DISTANCE, DURATION, EVENTS, MOVING, PROPERTIES};
use crate::scene::from_scene::Keys;
use crate::skel::Skel;
use alloc::vec::Vec;
use meshwright_core::{F32, SortedMap};
use meshwright_edit::apply::{Records, keep_near};
use meshwright_edit::{ClipPatch, Poses};
use meshwright_scene::{Budget, Clip, ConvertError};

/// An edited clip.
pub(super) struct Edited<'a> {
    /// The edits.
    pub(super) patch: &'a ClipPatch,
    /// The clip in the original's scene and in the edited scene.
    pub(super) clips: [&'a Clip; 2],
    pub(super) bones: &'a Bones<'a>,
    /// Number of bones in the original's skeleton. Animations move no other bones.
    pub(super) known: usize,
    /// The skeleton of the result.
    pub(super) rest: Option<&'a Skel>,
}

/// The motions of the original for a joint.
#[derive(Default)]
struct Moved {
    /// The motion whose translations count, and the motion whose rotations count.
    channels: [Option<usize>; 2],
    last: usize,
}

impl Edited<'_> {
    /// Merges the edits into an animation; `made` is the converted edited scene. Keys stay if the joint has the same
    /// pose in their frame. Unedited events and properties stay, and so do fields that scenes cannot hold.
    pub(super) fn merge(&self, original: &Anim, made: &Anim, budget: &Budget) -> Result<Anim, ConvertError> {
        for anim in [original, made] {
            let size = size_of::<Motion>() + size_of::<Keys>() + size_of::<[usize; 8]>();
            budget.charge_items("motions", anim.motions.len() as u64, size)?;
            budget.charge_items("keys", anim.translations.len() as u64, 2 * size_of::<[F32; 3]>())?;
            budget.charge_items("keys", anim.rotations.len() as u64, 2 * size_of::<[F32; 4]>())?;
        }
        let joint = |motion: &Motion| self.bones.joint(&motion.bone).filter(|j| *j < self.known);
        let mut moved: SortedMap<usize, Moved> = SortedMap::new();
        for (m, motion) in original.motions.iter().enumerate() {
            if let Some(joint) = joint(motion) {
                let own = moved.entry(joint).or_default();
                own.last = m;
                let keys = [motion.translations(original).is_empty(), motion.rotations(original).is_empty()];
                for (slot, _) in own.channels.iter_mut().zip(keys).filter(|(_, empty)| !empty) {
                    *slot = Some(m);
                }
            }
        }
        let index: SortedMap<_, _> = made
            .motions
            .iter()
            .enumerate()
            .filter_map(|(m, motion)| Some((self.bones.of_made(&motion.bone)?, m)))
            .collect();
        let native = |motion: &Motion| self.bones.joints.get(self.bones.of_made(&motion.bone)?)?.original;
        let last = |motion: &Motion| moved.get(&native(motion)?).map(|own| own.last);
        let found: Vec<_> = made.motions.iter().map(last).collect();
        // Made motions are in the order of joints. Motions of other bones come last.
        let place = |m: usize| found[m].unwrap_or(usize::MAX);
        let gone = |m: usize| self.bones.is_gone(&original.motions[m].bone);
        let records = Records::ordered(original.motions.len(), gone, &found, place, budget)?;
        let mut list = Vec::with_capacity(records.list.len());
        for origin in &records.list {
            if let Some(m) = origin.original {
                let motion = &original.motions[m];
                let old = joint(motion);
                let edited = old.and_then(|joint| self.bones.edited(joint));
                let new = edited.and_then(|joint| Some((joint, &made.motions[*index.get(&joint)?])));
                let own = old.and_then(|joint| moved.get(&joint));
                list.push(self.motion((m, motion), own, new, [original, made]));
            } else if let Some(motion) = origin.made.and_then(|m| made.motions.get(m)) {
                let joint = self.bones.of_made(&motion.bone).filter(|joint| self.is_edited(*joint));
                let keys = joint.map(|_| self.new_keys(made, motion)).unwrap_or_default();
                if let Some(name) = joint.and_then(|joint| self.bones.name(joint))
                    && !keys.is_empty()
                {
                    list.push((Motion { bone: name.clone(), ..motion.clone() }, keys));
                }
            }
        }
        let kept = |key: &str| self.is_same(key);
        // A clip with another length has another duration.
        let duration = self.is_as_long(made) && kept(DURATION);
        let mut result = Anim {
            name: if self.patch.renamed { made.name.clone() } else { original.name.clone() },
            duration: if duration { original.duration } else { made.duration },
            distance: if kept(DISTANCE) { original.distance } else { made.distance },
            moving: if kept(MOVING) { original.moving } else { made.moving },
            ..original.clone()
        };
        let own = original.motions.iter().map(|motion| (motion.clone(), Keys::of_motion(original, motion)));
        if !own.eq(list.iter().cloned()) && !result.overwrite_motions(&list) {
            result.set_motions(list, budget)?;
        }
        Ok(result)
    }

    /// Returns true if an extra of the clip is unedited.
    fn is_same(&self, key: &str) -> bool {
        let [old, new] = self.clips.map(|clip| clip.extras.as_ref().and_then(|extras| extras.get(key)));
        !self.patch.extras || old == new
    }

    /// Returns true if a made animation has as many frames as the original's clip.
    fn is_as_long(&self, made: &Anim) -> bool {
        let [old, _] = self.clips;
        let count = made.frames();
        !matches!(self.patch.poses, Poses::New) || count == 0 || count == old.frames
    }

    /// Returns true if a joint of the edited scene has other poses.
    fn is_edited(&self, joint: usize) -> bool {
        match &self.patch.poses {
            Poses::Unchanged => false,
            Poses::Changed(keys) => keys.iter().any(|(_, j)| *j == joint),
            Poses::New => true,
        }
    }

    /// Returns a motion of the original with its edits.
    fn motion(
        &self,
        (number, original): (usize, &Motion),
        own: Option<&Moved>,
        new: Option<(usize, &Motion)>,
        [old, made]: [&Anim; 2],
    ) -> (Motion, Keys) {
        let mut motion = Motion { bone: self.bones.renamed(&original.bone), ..original.clone() };
        let mut keys = Keys::of_motion(old, original);
        let Some((joint, new)) = new else { return (motion, keys) };
        if !self.is_same(PROPERTIES)
            && !original.properties.iter().flatten().eq(new.properties.iter().flatten())
        {
            (motion.has_properties, motion.properties) = (new.has_properties, new.properties.clone());
        }
        if !self.is_same(EVENTS) {
            (motion.has_time_properties, motion.time_properties) = events(original, new);
        }
        if !self.is_same(DURATION) || !self.is_as_long(made) {
            motion.duration = new.duration;
        }
        if !self.is_edited(joint) {
            return (motion, keys);
        }
        let all = Keys::of_motion(made, new);
        let rest = self.new_keys(made, new);
        let whole = new.frames != original.frames;
        let counts =
            |channel: usize| own.is_some_and(|own| own.channels[channel].unwrap_or(own.last) == number);
        let changed = |frame: u32| self.patch.poses.is_changed(frame, joint);
        let [translations, rotations] = [counts(0), counts(1)];
        if translations {
            keys.translations =
                channel(keys.translations, [all.translations, rest.translations], whole, changed, keep_near);
        }
        if rotations {
            keys.rotations =
                channel(keys.rotations, [all.rotations, rest.rotations], whole, changed, merge_rotation);
        }
        if whole && (translations || rotations) {
            // Another motion of the bone has the keys that count.
            keys.translations.truncate(if translations { usize::MAX } else { 0 });
            keys.rotations.truncate(if rotations { usize::MAX } else { 0 });
            motion.frames = new.frames;
        }
        (motion, keys)
    }

    /// Returns the keys of a bone without keys. Channels that keep the rest pose have none.
    fn new_keys(&self, made: &Anim, motion: &Motion) -> Keys {
        let mut keys = Keys::of_motion(made, motion);
        let name = self.bones.of_made(&motion.bone).and_then(|joint| self.bones.name(joint));
        let bone = self.rest.and_then(|skel| skel.bones.get(skel.find(name?)?));
        if let Some(bone) = bone {
            rested(&mut keys.translations, bone.translation);
            rested(&mut keys.rotations, bone.rotation);
        }
        keys
    }
}

/// Returns the keys of a channel: the original's with the edited ones replaced. `[all, rest]` are the keys of the
/// edited scene; in `rest`, bones that keep their rest pose have none.
fn channel<T: Copy>(
    old: Vec<T>,
    [all, rest]: [Vec<T>; 2],
    whole: bool,
    changed: impl Fn(u32) -> bool,
    merged: fn(T, T) -> T,
) -> Vec<T> {
    if old.is_empty() {
        return rest;
    }
    if whole || old.len() != all.len() {
        return all;
    }
    let one = |((frame, old), new): ((u32, T), T)| if changed(frame) { merged(old, new) } else { old };
    (0..).zip(old).zip(all).map(one).collect()
}

/// Merges the events of a motion. Unedited events stay in their lists; a new event is added to the list of the event
/// before it.
fn events(old: &Motion, new: &Motion) -> (Flag, Vec<Vec<TimeProperty>>) {
    let (was, is): (Vec<_>, Vec<_>) = (old.events().collect(), new.events().collect());
    if was == is {
        return (old.has_time_properties, old.time_properties.clone());
    }
    if was.is_empty() || is.is_empty() {
        return (new.has_time_properties, new.time_properties.clone());
    }
    let shorter = was.len().min(is.len());
    let mut start = 0;
    while start < shorter && was[start] == is[start] {
        start += 1;
    }
    let mut end = 0;
    while end < shorter - start && was[was.len() - 1 - end] == is[is.len() - 1 - end] {
        end += 1;
    }
    let mut list_of = Vec::with_capacity(was.len());
    for (i, list) in old.time_properties.iter().enumerate() {
        list_of.resize(list_of.len() + list.len(), i);
    }
    let mut lists = alloc::vec![Vec::new(); old.time_properties.len()];
    for (i, event) in is.iter().enumerate() {
        let edited = was.len() - end;
        let at = if i >= is.len() - end { i + was.len() - is.len() } else { i.min(edited.max(1) - 1) };
        lists[list_of[at]].push((*event).clone());
    }
    (old.has_time_properties, lists)
}

impl Anim {
    /// Overwrites the original's keys. Returns `false` if their number changed, or if motions that share keys now
    /// differ.
    fn overwrite_motions(&mut self, list: &[(Motion, Keys)]) -> bool {
        fn overwrite<T: Clone>(all: &mut [T], first: u32, keys: &[T]) {
            let own = all.get_mut(first as usize..(first as usize).saturating_add(keys.len()));
            own.into_iter().for_each(|own| own.clone_from_slice(keys));
        }
        let same = |(a, (b, keys)): (&Motion, &(Motion, Keys))| {
            let held = |flag: Flag, is_empty: bool| flag.is_set() != is_empty || a.frames == 0;
            (a.first_translation, a.first_rotation, a.frames)
                == (b.first_translation, b.first_rotation, b.frames)
                && held(a.has_translation, keys.translations.is_empty())
                && held(a.has_rotation, keys.rotations.is_empty())
        };
        if list.len() != self.motions.len() || !self.motions.iter().zip(list).all(same) {
            return false;
        }
        let mut made = self.clone();
        for (motion, keys) in list {
            overwrite(&mut made.translations, motion.first_translation, &keys.translations);
            overwrite(&mut made.rotations, motion.first_rotation, &keys.rotations);
        }
        made.motions = list.iter().map(|(motion, _)| motion.clone()).collect();
        let holds = list.iter().all(|(motion, keys)| Keys::of_motion(&made, motion) == *keys);
        if holds {
            *self = made;
        }
        holds
    }

    /// Stores the keys of all motions in sequence.
    fn set_motions(&mut self, list: Vec<(Motion, Keys)>, budget: &Budget) -> Result<(), ConvertError> {
        (self.translations, self.rotations, self.motions) = Default::default();
        list.into_iter().try_for_each(|(motion, keys)| self.push_motion(motion, keys, "keys", budget))
    }
}

/// Removes the new keys of a bone without keys if all equal its rest pose. Keys that differ from the rest pose only by
/// rounding get its bits. A rotation may have either sign.
fn rested<const N: usize>(keys: &mut Vec<[F32; N]>, rest: [F32; N]) {
    let near = |key: &[F32; N], sign: f32| {
        key.iter().zip(rest).all(|(a, b)| (a.get() * sign - b.get()).abs() <= 1e-5 * b.get().abs().max(1.0))
    };
    if keys.iter().all(|key| near(key, 1.0) || N == 4 && near(key, -1.0)) {
        keys.clear();
    }
    let within = |key: &[F32; N]| {
        key.iter().zip(rest).all(|(a, b)| (a.get() - b.get()).abs() <= 3e-7 * b.get().abs().max(1e-3))
    };
    for key in keys.iter_mut().filter(|key| within(key)) {
        *key = rest;
    }
}
