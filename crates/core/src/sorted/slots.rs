//! The sorted positions of the items of a map.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The maximum length of a block: an insertion moves at most this many positions.
const BLOCK: usize = 128;

/// A position in the sorted order: a block, and a position in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    block: usize,
    at: usize,
}

/// Numbers of items, sorted by the items' keys, in blocks of limited length. No block is empty.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    blocks: Vec<Vec<usize>>,
}

impl Slots {
    pub(super) const fn empty() -> Slots {
        Slots { blocks: Vec::new() }
    }

    /// Returns the slots `0..count`, for items that are in the order of their keys.
    pub(super) fn ascending(count: usize) -> Slots {
        let mut slots = Slots::empty();
        let mut slot = 0;
        while slot < count {
            let end = slot.saturating_add(BLOCK).min(count);
            slots.blocks.push((slot..end).collect());
            slot = end;
        }
        slots
    }

    /// Finds an item: its place, or the place where it belongs. `compare` compares the item of a slot with the wanted
    /// key.
    pub(super) fn find(&self, compare: &mut dyn FnMut(usize) -> Ordering) -> Result<Place, Place> {
        let mut is_before = |block: &Vec<usize>| block.last().is_some_and(|slot| compare(*slot).is_lt());
        // New items are often the last.
        let block = match self.blocks.split_last() {
            None => return Err(Place { block: 0, at: 0 }),
            Some((last, rest)) if is_before(last) => {
                return Err(Place { block: rest.len(), at: last.len() });
            }
            Some((_, rest)) => rest.partition_point(is_before),
        };
        let slots = self.blocks.get(block).map_or(&[][..], Vec::as_slice);
        match slots.binary_search_by(|slot| compare(*slot)) {
            Ok(at) => Ok(Place { block, at }),
            Err(at) => Err(Place { block, at }),
        }
    }

    /// Returns the slot at a place.
    pub(super) fn slot(&self, place: Place) -> Option<usize> {
        self.blocks.get(place.block)?.get(place.at).copied()
    }

    /// Inserts a slot at the place where it belongs.
    pub(super) fn insert(&mut self, place: Place, slot: usize) {
        let Some(block) = self.blocks.get_mut(place.block) else {
            self.blocks.push(vec![slot]);
            return;
        };
        block.insert(place.at, slot);
        if block.len() > BLOCK {
            // A map that is filled in ascending order keeps full blocks.
            let kept = if place.at == BLOCK { BLOCK } else { BLOCK / 2 };
            let rest = block.split_off(kept);
            self.blocks.insert(place.block.saturating_add(1), rest);
        }
    }

    /// Removes the slot at a place.
    pub(super) fn remove(&mut self, place: Place) {
        if let Some(block) = self.blocks.get_mut(place.block)
            && place.at < block.len()
        {
            block.remove(place.at);
            if block.is_empty() {
                self.blocks.remove(place.block);
            }
        }
    }

    /// Replaces the slot at a place.
    pub(super) fn set(&mut self, place: Place, slot: usize) {
        if let Some(there) = self.blocks.get_mut(place.block).and_then(|block| block.get_mut(place.at)) {
            *there = slot;
        }
    }

    /// Returns the slots of all items, in the order of the keys.
    pub(super) fn walk(&self) -> Walk<'_> {
        Walk {
            blocks: &self.blocks,
            from: Place { block: 0, at: 0 },
            to: Place { block: self.blocks.len(), at: 0 },
        }
    }

    /// Returns the slots between two places, without the one at `to`, in the order of the keys.
    pub(super) fn walk_between(&self, from: Place, to: Place) -> Walk<'_> {
        let walk = self.walk();
        Walk { from: walk.normal(from), to: walk.normal(to), ..walk }
    }

    /// Returns the place after this one.
    pub(super) fn after(place: Place) -> Place {
        Place { at: place.at.saturating_add(1), ..place }
    }

    /// Returns the place of the first and the place after the last item.
    pub(super) fn ends(&self) -> (Place, Place) {
        let walk = self.walk();
        (walk.from, walk.to)
    }

    /// Returns true if the slots are in ascending order.
    pub(super) fn are_ascending(&self) -> bool {
        self.walk().enumerate().all(|(number, slot)| number == slot)
    }
}

/// A walk over slots, from both ends.
#[derive(Clone, Debug)]
pub(super) struct Walk<'a> {
    blocks: &'a [Vec<usize>],
    from: Place,
    to: Place,
}

impl Walk<'_> {
    /// Returns the start of the next block for the end of a block.
    fn normal(&self, place: Place) -> Place {
        match self.blocks.get(place.block) {
            Some(block) if place.at >= block.len() => Place { block: place.block.saturating_add(1), at: 0 },
            _ => place,
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.from == self.to {
            return None;
        }
        let slot = *self.blocks.get(self.from.block)?.get(self.from.at)?;
        self.from = self.normal(Slots::after(self.from));
        Some(slot)
    }
}

impl DoubleEndedIterator for Walk<'_> {
    fn next_back(&mut self) -> Option<usize> {
        if self.from == self.to {
            return None;
        }
        let (block, at) = match self.to {
            Place { block, at: 0 } => {
                let block = block.checked_sub(1)?;
                (block, self.blocks.get(block)?.len())
            }
            Place { block, at } => (block, at),
        };
        self.to = Place { block, at: at.checked_sub(1)? };
        self.blocks.get(block)?.get(self.to.at).copied()
    }
}
