//! Parts of an edited scene found in the native one.

use super::find::{Match, named};
use alloc::vec::Vec;
use core::cell::Cell;
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::{Clip, Joint, Mesh, Scene, Skeleton};

/// Names as keys, charged.
fn names<'a, T>(
    items: &'a [T],
    name: impl Fn(&'a T) -> &'a str,
    budget: &Budget,
) -> Result<Vec<&'a str>, LimitExceeded> {
    let mut names = budget.reserve("names", items.len())?;
    names.extend(items.iter().map(name));
    Ok(names)
}

/// For each joint of an edited skeleton the native one: by name, a renamed one by its place.
///
/// # Errors
/// When the budget does not allow for it.
pub fn joints(native: &Skeleton, edited: &Skeleton, budget: &Budget) -> Result<Match, LimitExceeded> {
    let list = |skeleton: &'_ Skeleton| skeleton.joints.len();
    let as_many = list(native) == list(edited);
    let same = |n: usize, e: usize| {
        let pair = native.joints.get(n).zip(edited.joints.get(e));
        pair.is_some_and(|(n, e)| n.parent == e.parent && n.rest == e.rest)
    };
    // Of several that stand alike, each is in its own place where none is gone.
    let alike = |n: usize, e: usize| as_many && n == e || same(n, e) && !(as_many && same(n, n));
    fn name(of: &Joint) -> &str {
        &of.name
    }
    named(&names(&native.joints, name, budget)?, &names(&edited.joints, name, budget)?, alike, budget)
}

/// For each mesh of an edited scene the native one: by name, a renamed one by its triangles, of several that of its material.
///
/// # Errors
/// When the budget does not allow for it.
pub fn meshes(native: &Scene, edited: &Scene, budget: &Budget) -> Result<Match, LimitExceeded> {
    let pair = |n: usize, e: usize| native.meshes.get(n).zip(edited.meshes.get(e));
    // What went beyond the work that is left: what is called here cannot say it itself.
    let spent = Cell::new(None);
    let shaped = |(n, e): (&Mesh, &Mesh)| {
        let sizes = |m: &Mesh| (m.positions.len(), m.triangles.len());
        if sizes(n) != sizes(e) || spent.get().is_some() {
            return false;
        }
        spent.set(budget.work("triangles", n.triangles.len() as u64).err());
        spent.get().is_none() && n.triangles == e.triangles
    };
    let ended = || spent.get().map_or(Ok(()), Err);
    let alike = |n: usize, e: usize| {
        pair(n, e).is_some_and(|pair| pair.0.material == pair.1.material && shaped(pair))
    };
    fn name(of: &Mesh) -> &str {
        &of.name
    }
    let mut found =
        named(&names(&native.meshes, name, budget)?, &names(&edited.meshes, name, budget)?, alike, budget)?;
    ended()?;
    let mut free = budget.filled("meshes", native.meshes.len(), true)?;
    for n in found.iter().flatten() {
        free.get_mut(*n).into_iter().for_each(|slot| *slot = false);
    }
    let mut left: Vec<usize> = budget.reserve("meshes", native.meshes.len())?;
    left.extend(free.iter().enumerate().filter(|(_, free)| **free).map(|(n, _)| n));
    for (e, slot) in found.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
        budget.work("meshes", left.len() as u64)?;
        let own = left.iter().position(|n| pair(*n, e).is_some_and(shaped));
        ended()?;
        *slot = own.map(|at| left.remove(at));
    }
    Ok(found)
}

/// For each clip of an edited scene the native one: by name, a renamed one by its frames.
///
/// # Errors
/// When the budget does not allow for it.
pub fn clips(native: &Scene, edited: &Scene, budget: &Budget) -> Result<Match, LimitExceeded> {
    let alike = |n: usize, e: usize| {
        let pair = native.clips.get(n).zip(edited.clips.get(e));
        let key = |c: &Clip| (c.frames, c.rate.to_bits(), c.looping, c.start);
        pair.is_some_and(|(n, e)| key(n) == key(e))
    };
    fn name(of: &Clip) -> &str {
        &of.name
    }
    named(&names(&native.clips, name, budget)?, &names(&edited.clips, name, budget)?, alike, budget)
}
