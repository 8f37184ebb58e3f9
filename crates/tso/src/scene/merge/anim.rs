//! Animations, key by key.

use crate::anim::{Anim, KEYS_UNUSED, Motion, TimeProperty};
use crate::fields::Flag;
use crate::name::Name;
use crate::skel::Skel;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_edit::three_way::{Trios, digest, named, pick, sequence};
use meshwright_scene::{Budget, ConvertError};

/// The keys of a motion, where it has such.
#[derive(Clone, Debug, Default, PartialEq)]
struct Keys {
    translations: Option<Vec<[F32; 3]>>,
    rotations: Option<Vec<[F32; 4]>>,
}

impl Keys {
    fn of(anim: &Anim, motion: &Motion) -> Self {
        fn some<T: Clone>(all: &[T], has: Flag, first: u32, frames: u32) -> Option<Vec<T>> {
            let first = first as usize;
            let own = all.get(first..first.checked_add(frames as usize)?);
            own.filter(|_| has.is_set()).map(<[T]>::to_vec)
        }
        Self {
            translations: some(
                &anim.translations,
                motion.has_translation,
                motion.first_translation,
                motion.frames,
            ),
            rotations: some(&anim.rotations, motion.has_rotation, motion.first_rotation, motion.frames),
        }
    }
}

impl Anim {
    /// The animation with what is other in `after` than in `before`: what is made of the edited scene, and of the native
    /// one. Motions go by bone, and the keys of each frame are kept apart; events and properties that the two scenes
    /// have alike stay, and so does what a scene has no place for. Where `after` has keys for bones that nothing moved, and they stand as in `rest`, there are none.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn merge(
        &self,
        before: &Self,
        after: &Self,
        rest: Option<&Skel>,
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        fn names(anim: &Anim) -> Vec<&[u8]> {
            anim.motions.iter().map(|m| m.bone.bytes()).collect()
        }
        let models = [self, before, after];
        for anim in models {
            let size = size_of::<&[u8]>() + size_of::<Motion>() + size_of::<Keys>();
            budget.charge_items("motions", anim.motions.len() as u64, size)?;
            budget.charge_items("keys", anim.translations.len() as u64, 2 * size_of::<[F32; 3]>())?;
            budget.charge_items("keys", anim.rotations.len() as u64, 2 * size_of::<[F32; 4]>())?;
        }
        let there = named(&names(self), &names(before), |n, b| n == b, budget)?;
        let edited = named(&names(before), &names(after), |_, _| false, budget)?;
        let trios = Trios::of(self.motions.len(), &there, &edited, false, budget)?;
        let index = rest.map(Skel::index);
        let mut list: Vec<(Motion, Keys)> = Vec::with_capacity(trios.records.len());
        for trio in &trios.records {
            let of = |anim: &Self, at: Option<usize>| {
                at.map(|at| &anim.motions[at]).map(|m| (m.clone(), Keys::of(anim, m)))
            };
            let three = [of(self, trio.native), of(before, trio.before), of(after, trio.after)];
            let (motion, mut keys) = merged(three, budget)?;
            // A bone that moves in no other way than at rest does not move.
            let still = rest.zip(index.as_ref()).and_then(|(s, i)| s.bones.get(i.find(&motion.bone)?));
            if let Some(bone) = still {
                let had = trio.native.map(|n| Keys::of(self, &self.motions[n])).unwrap_or_default();
                if had.translations.is_none() {
                    rested(&mut keys.translations, bone.translation);
                }
                if had.rotations.is_none() {
                    rested(&mut keys.rotations, bone.rotation);
                }
            }
            if trio.native.is_some() || keys != Keys::default() {
                list.push((motion, keys));
            }
        }
        let mut made = Self {
            name: pick(self.name.clone(), &before.name, after.name.clone()),
            duration: pick(self.duration, &before.duration, after.duration),
            distance: pick(self.distance, &before.distance, after.distance),
            moving: pick(self.moving, &before.moving, after.moving),
            ..self.clone()
        };
        if !made.patch(&list) {
            made.rebuild(list)?;
        }
        Ok(made)
    }

    /// Puts keys where the native ones are; false where they are not as many, or where motions that share keys no longer
    /// have the same.
    fn patch(&mut self, list: &[(Motion, Keys)]) -> bool {
        fn put<T: Clone>(all: &mut [T], first: u32, keys: Option<&Vec<T>>) -> bool {
            let Some(keys) = keys else { return true };
            let first = first as usize;
            let own = all.get_mut(first..first.saturating_add(keys.len()));
            own.map(|own| own.clone_from_slice(keys)).is_some()
        }
        let same = |(a, (b, keys)): (&Motion, &(Motion, Keys))| {
            let held = |flag: Flag, any: bool| flag.is_set() == any;
            (a.first_translation, a.first_rotation, a.frames)
                == (b.first_translation, b.first_rotation, b.frames)
                && held(a.has_translation, keys.translations.is_some())
                && held(a.has_rotation, keys.rotations.is_some())
        };
        if list.len() != self.motions.len() || !self.motions.iter().zip(list).all(same) {
            return false;
        }
        let mut made = self.clone();
        for (motion, keys) in list {
            if !put(&mut made.translations, motion.first_translation, keys.translations.as_ref())
                || !put(&mut made.rotations, motion.first_rotation, keys.rotations.as_ref())
            {
                return false;
            }
        }
        made.motions = list.iter().map(|(motion, _)| motion.clone()).collect();
        if list.iter().any(|(motion, keys)| Keys::of(&made, motion) != *keys) {
            return false;
        }
        *self = made;
        true
    }

    /// Puts the keys of all motions behind each other.
    fn rebuild(&mut self, list: Vec<(Motion, Keys)>) -> Result<(), ConvertError> {
        fn put<T>(all: &mut Vec<T>, keys: Option<Vec<T>>) -> Result<Option<u32>, ConvertError> {
            let first = u32::try_from(all.len())
                .map_err(|_| ConvertError::unsupported("keys", "the format counts keys with 32 bits"))?;
            Ok(keys.map(|keys| {
                all.extend(keys);
                first
            }))
        }
        fn flag(flag: Flag, set: bool) -> Flag {
            if flag.is_set() == set { flag } else { set.into() }
        }
        (self.translations, self.rotations, self.motions) = Default::default();
        for (mut motion, keys) in list {
            motion.has_translation = flag(motion.has_translation, keys.translations.is_some());
            motion.has_rotation = flag(motion.has_rotation, keys.rotations.is_some());
            motion.first_translation = put(&mut self.translations, keys.translations)?.unwrap_or(KEYS_UNUSED);
            motion.first_rotation = put(&mut self.rotations, keys.rotations)?.unwrap_or(KEYS_UNUSED);
            self.motions.push(motion);
        }
        Ok(())
    }
}

/// A motion with its keys: native ones but for those that were edited.
fn merged(three: [Option<(Motion, Keys)>; 3], budget: &Budget) -> Result<(Motion, Keys), ConvertError> {
    fn keys<T: Copy + PartialEq>([n, b, a]: [Option<Vec<T>>; 3]) -> Option<Vec<T>> {
        let (Some(native), Some(before), Some(after)) = (&n, &b, &a) else {
            // What the model has and the scene has not is in neither of the two.
            return if b.is_none() && a.is_none() { n } else { a };
        };
        if before == after {
            return n;
        }
        if native.len() != before.len() || before.len() != after.len() {
            return a;
        }
        let one = |((n, b), a): ((&T, &T), &T)| pick(*n, b, *a);
        Some(native.iter().zip(before).zip(after).map(one).collect())
    }
    let [native, before, after] = three;
    let Some((native, own)) = native else { return Ok(after.unwrap_or_default()) };
    let (Some((before, was)), Some((after, is))) = (before, after) else { return Ok((native, own)) };
    let translations = keys([own.translations, was.translations, is.translations]);
    let rotations = keys([own.rotations, was.rotations, is.rotations]);
    let events = events([&native, &before, &after], budget)?;
    let lists = |m: Motion| (m.has_properties, m.properties);
    let mut motion = Motion {
        frames: pick(native.frames, &before.frames, after.frames),
        duration: pick(native.duration, &before.duration, after.duration),
        ..native.clone()
    };
    (motion.has_properties, motion.properties) = pick(lists(native), &lists(before), lists(after));
    (motion.has_time_properties, motion.time_properties) = events;
    Ok((motion, Keys { translations, rotations }))
}

/// The events of a motion: native ones stay in the lists in which they are, and new ones come behind what they come behind.
/// Times and what happens are kept apart.
fn events(
    [native, before, after]: [&Motion; 3],
    budget: &Budget,
) -> Result<(Flag, Vec<Vec<TimeProperty>>), ConvertError> {
    let of = |m: &Motion| (m.has_time_properties, m.time_properties.clone());
    if of(before) == of(after) {
        return Ok(of(native));
    }
    fn all(motion: &Motion) -> Vec<&TimeProperty> {
        motion.time_properties.iter().flatten().collect()
    }
    let [n, b, a] = [all(native), all(before), all(after)];
    budget.charge_items("events", n.len().saturating_add(a.len()) as u64, 2 * size_of::<TimeProperty>())?;
    if n.is_empty() || n.len() != b.len() || a.is_empty() {
        return Ok(of(after));
    }
    let keys = |list: &[&TimeProperty]| -> Vec<u64> {
        let text = |(k, v): &(Name, Name)| [k, v].map(|name| name.bytes().to_vec());
        let words = |event: &TimeProperty| {
            let bytes = event.lists.iter().flat_map(|list| list.0.iter().flat_map(text)).flatten();
            digest(core::iter::once(event.time).chain(bytes.map(u32::from)))
        };
        list.iter().map(|event| words(event)).collect()
    };
    let found = sequence(&keys(&b), &keys(&a), budget)?;
    let identity: Vec<_> = (0..n.len()).map(Some).collect();
    let trios = Trios::of(n.len(), &identity, &found, false, budget)?;
    let counts = native.time_properties.iter().enumerate();
    let list_of: Vec<usize> = counts.flat_map(|(i, list)| list.iter().map(move |_| i)).collect();
    let mut made: Vec<Vec<TimeProperty>> = alloc::vec![Vec::new(); native.time_properties.len()];
    let mut last = list_of.first().copied().unwrap_or(0);
    for trio in &trios.records {
        let event = match (trio.native, trio.before, trio.after) {
            (Some(n_), Some(b_), Some(a_)) => TimeProperty {
                time: pick(n[n_].time, &b[b_].time, a[a_].time),
                lists: pick(n[n_].lists.clone(), &b[b_].lists, a[a_].lists.clone()),
            },
            (Some(n_), ..) => n[n_].clone(),
            (None, _, Some(a_)) => a[a_].clone(),
            (None, ..) => continue,
        };
        last = trio.native.and_then(|n| list_of.get(n).copied()).unwrap_or(last);
        made[last].push(event);
    }
    Ok((native.has_time_properties, made))
}

/// New keys of a bone that had none: those that are its own at rest, up to rounding, are that; none where all are.
/// Rotations may be on either side.
fn rested<const N: usize>(keys: &mut Option<Vec<[F32; N]>>, rest: [F32; N]) {
    let Some(list) = keys else { return };
    let near = |key: &[F32; N], sign: f32| {
        key.iter().zip(rest).all(|(a, b)| (a.get() * sign - b.get()).abs() <= 1e-5 * b.get().abs().max(1.0))
    };
    if list.iter().all(|key| near(key, 1.0) || N == 4 && near(key, -1.0)) {
        *keys = None;
        return;
    }
    let within = |key: &[F32; N]| {
        key.iter().zip(rest).all(|(a, b)| (a.get() - b.get()).abs() <= 3e-7 * b.get().abs().max(1e-3))
    };
    for key in list.iter_mut().filter(|key| within(key)) {
        *key = rest;
    }
}
