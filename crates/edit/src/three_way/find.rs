//! Records of one list found in another.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded};

/// For each record of the later list its number in the earlier one; each is there at most once.
pub type Match = Vec<Option<usize>>;

/// A number for a record that is nearly certain to be another for another record (FNV-1a). Where two share one, a merge
/// compares more than it needs to, and is right all the same.
pub fn digest(words: impl IntoIterator<Item = u32>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    words
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, word| word.to_le_bytes().into_iter().fold(hash, step))
}

/// What an entry of a map takes, about.
const ENTRY: usize = 64;

/// Records with names: those of one name that are alike first, then those of one name in their order, then those that are
/// alike and were renamed. `alike` takes numbers in `before` and `after`.
///
/// # Errors
/// When the budget does not allow for it.
pub fn named<K: Ord>(
    before: &[K],
    after: &[K],
    mut alike: impl FnMut(usize, usize) -> bool,
    budget: &Budget,
) -> Result<Match, LimitExceeded> {
    budget.charge_items("names", before.len() as u64, ENTRY)?;
    let mut found: Match = budget.filled("names", after.len(), None)?;
    let mut free = budget.filled("names", before.len(), true)?;
    let mut places: BTreeMap<&K, Vec<usize>> = BTreeMap::new();
    for (b, key) in before.iter().enumerate() {
        places.entry(key).or_default().push(b);
    }
    let none = Vec::new();
    for by_name in [true, false] {
        for (a, (key, slot)) in
            after.iter().zip(&mut found).enumerate().filter(|(_, (_, slot))| slot.is_none())
        {
            let own = places.get(key).unwrap_or(&none);
            budget.work("names", own.len() as u64)?;
            let is_free = |b: &usize, free: &[bool]| free.get(*b).copied().unwrap_or(false);
            *slot = own.iter().copied().find(|b| is_free(b, &free) && (!by_name || alike(*b, a)));
            if let Some(taken) = slot.and_then(|b| free.get_mut(b)) {
                *taken = false;
            }
        }
    }
    for (a, slot) in found.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
        budget.work("names", before.len() as u64)?;
        let free_ones = free.iter().enumerate().filter(|(_, free)| **free).map(|(b, _)| b);
        *slot = free_ones.into_iter().find(|b| alike(*b, a));
        if let Some(taken) = slot.and_then(|b| free.get_mut(b)) {
            *taken = false;
        }
    }
    Ok(found)
}

/// Records by what they hold, as [`digest`] says it, in their order: some may be gone, new or changed. Where as many lie
/// between two that were found, they are those that were changed.
///
/// # Errors
/// When the budget does not allow for it.
pub fn sequence(before: &[u64], after: &[u64], budget: &Budget) -> Result<Match, LimitExceeded> {
    let equal = before.iter().zip(after).filter(|(a, b)| a == b).count();
    let mut found: Match = budget.filled("records", after.len(), None)?;
    if before.len() == after.len() && equal >= before.len() / 2 {
        for (i, slot) in found.iter_mut().enumerate() {
            *slot = Some(i);
        }
        return Ok(found);
    }
    budget.charge_items("records", before.len() as u64, ENTRY)?;
    let mut places: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (b, key) in before.iter().enumerate() {
        places.entry(*key).or_default().push(b);
    }
    let mut next = 0_usize;
    for (a, (key, slot)) in after.iter().zip(&mut found).enumerate() {
        if before.get(next) == Some(key) {
            *slot = Some(next);
        } else {
            let own = places.get(key).map_or(&[][..], Vec::as_slice);
            let later = own.get(own.partition_point(|b| *b < next)..).unwrap_or_default();
            // One that looks like another far away is not that one, unless what follows is there too.
            let follows = |b: usize| {
                let step = |i: usize| i.saturating_add(1);
                before.get(step(b)) == after.get(step(a))
            };
            *slot = later.first().copied().filter(|b| own.len() == 1 || follows(*b));
        }
        if let Some(b) = *slot {
            next = b.saturating_add(1);
        }
    }
    pair_gaps(before.len(), &mut found);
    Ok(found)
}

/// Pairs what lies between records that were found, where it is as much on both sides.
fn pair_gaps(before: usize, found: &mut Match) {
    let (mut a, mut from) = (0_usize, 0_usize);
    while a < found.len() {
        let rest = found.get(a..).unwrap_or_default();
        let length = rest.iter().take_while(|slot| slot.is_none()).count();
        let to = rest.get(length).copied().flatten().unwrap_or(before);
        let end = a.saturating_add(length);
        if to.saturating_sub(from) == length {
            for (slot, b) in found.get_mut(a..end).unwrap_or_default().iter_mut().zip(from..) {
                *slot = Some(b);
            }
        }
        from = to.saturating_add(1);
        a = end.saturating_add(1);
    }
}
