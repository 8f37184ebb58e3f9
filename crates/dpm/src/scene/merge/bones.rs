//! Bones, and their numbers in the result.

use crate::bone::{Bone, BonePose};
use alloc::vec::Vec;
use meshwright_scene::merge::{Trio, Trios, named, pick};
use meshwright_scene::{Budget, LimitExceeded};

/// The bones of the three models and the poses that they are bound in.
#[derive(Clone, Copy)]
pub(super) struct Rigs<'a> {
    pub native: (&'a [Bone], &'a [BonePose]),
    pub before: (&'a [Bone], &'a [BonePose]),
    pub after: (&'a [Bone], &'a [BonePose]),
}

/// The bones of the result.
pub(super) struct MergedBones {
    pub trios: Trios,
    pub bones: Vec<Bone>,
}

impl MergedBones {
    /// Merges bones; those that the conversion made up are there where they are wanted.
    pub(super) fn of(rigs: Rigs<'_>, made_up: bool, budget: &Budget) -> Result<Self, LimitExceeded> {
        let Rigs { native, before, after } = rigs;
        fn names(bones: &[Bone]) -> Vec<&[u8]> {
            bones.iter().map(|b| b.name.bytes()).collect()
        }
        let places = budget.reserve::<&[u8]>("bones", native.0.len() + before.0.len() + after.0.len())?;
        drop(places);
        let parent = |bones: &[Bone], i: usize| bones.get(i).map(|b| b.parent);
        let stands = |n: usize, b: usize| n == b && parent(native.0, n) == parent(before.0, b);
        let there = named(&names(native.0), &names(before.0), stands, budget)?;
        let as_many = before.0.len() == after.0.len();
        let alike = |b: usize, a: usize| {
            as_many && b == a || before.1.get(b) == after.1.get(a) && before.1.get(b).is_some()
        };
        let edited = named(&names(before.0), &names(after.0), alike, budget)?;
        let trios = Trios::of(native.0.len(), &there, &edited, made_up, budget)?;
        let mut bones = budget.reserve("bones", trios.records.len())?;
        for trio in &trios.records {
            bones.extend(bone(trio, rigs, &trios));
        }
        Ok(Self { trios, bones })
    }

    /// The number of a bone that before calls so.
    pub(super) fn of_before(&self, bone: u32) -> Option<u32> {
        number(self.trios.of_before(bone as usize))
    }

    /// The number of a bone that after calls so.
    pub(super) fn of_after(&self, bone: u32) -> Option<u32> {
        number(self.trios.of_after(bone as usize))
    }

    /// The number of a native bone.
    pub(super) fn of_native(&self, bone: u32) -> Option<u32> {
        number(self.trios.of_native(bone as usize))
    }

    /// True where bones have their native numbers in all three models.
    pub(super) fn same_numbers(&self) -> bool {
        let same = |t: &Trio| t.native.is_some() && t.before == t.native && t.after == t.native;
        self.trios.is_native() && self.trios.records.iter().all(same)
    }

    /// A pose of the result: native matrices unless they were edited. Frames that one of the models does not have are
    /// empty; a bone that a frame has no matrix for stands as it is bound.
    pub(super) fn pose(&self, rigs: Rigs<'_>, [native, before, after]: [&[BonePose]; 3]) -> Vec<BonePose> {
        let get = |list: &[BonePose], at: usize| list.get(at).copied();
        let one = |t: &Trio| {
            let picked = t.pick(|n| get(native, n), |b| get(before, b), |a| get(after, a));
            let bound = || t.after.and_then(|a| get(rigs.after.1, a));
            let rests = || t.native.and_then(|n| get(rigs.native.1, n));
            picked.or_else(bound).or_else(rests).unwrap_or(BonePose::IDENTITY)
        };
        self.trios.records.iter().map(one).collect()
    }
}

fn number(at: Option<usize>) -> Option<u32> {
    at.and_then(|at| u32::try_from(at).ok())
}

fn bone(trio: &Trio, rigs: Rigs<'_>, trios: &Trios) -> Option<Bone> {
    let of = |(bones, _): (&[Bone], _), at: Option<usize>| at.and_then(|at| bones.get(at).copied());
    let (native, before, after) =
        (of(rigs.native, trio.native), of(rigs.before, trio.before), of(rigs.after, trio.after));
    let parent = |place: Option<usize>| place.and_then(|p| i32::try_from(p).ok()).unwrap_or(-1);
    let new = after.map(|a| parent(a.parent().and_then(|p| trios.of_after(p))));
    let Some(native) = native else { return after.map(|a| Bone { parent: new.unwrap_or(-1), ..a }) };
    let kept = match native.parent() {
        Some(p) => trios.of_native(p).map(|p| parent(Some(p))),
        None => Some(native.parent),
    };
    let (Some(before), Some(after), Some(new)) = (before, after, new) else {
        return Some(Bone { parent: kept.unwrap_or(-1), ..native });
    };
    let was = parent(before.parent().and_then(|p| trios.of_before(p)));
    Some(Bone {
        name: pick(native.name, &before.name, after.name),
        parent: kept.filter(|_| was == new).unwrap_or(new),
        flags: pick(native.flags, &before.flags, after.flags),
    })
}
