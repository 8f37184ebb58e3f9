//! The sorted map.

use super::slots::{Place, Slots, Walk};
use crate::order::arrange;
use alloc::vec;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::convert::Infallible;
use core::fmt;
use core::ops::{Bound, Index, RangeBounds};

/// A map that is sorted by its keys, with the methods of the standard library's `BTreeMap`. The standard library
/// compiles several kilobytes for each pair of types; this map shares its code between all types and only calls a
/// comparison.
///
/// A lookup or an insertion takes O(log n) comparisons and moves at most 128 positions. The items are in one vector, in
/// the order of insertion.
///
/// ```
/// use meshwright_core::SortedMap;
/// let mut parents = SortedMap::from([("head", "neck"), ("arm", "chest")]);
/// parents.insert("neck", "chest");
/// assert_eq!(parents.get("neck"), Some(&"chest"));
/// assert_eq!(parents.keys().copied().collect::<Vec<_>>(), ["arm", "head", "neck"]);
/// ```
#[derive(Clone)]
pub struct SortedMap<K, V> {
    items: Vec<(K, V)>,
    slots: Slots,
}

impl<K, V> SortedMap<K, V> {
    /// Returns an empty map.
    #[must_use]
    pub const fn new() -> Self {
        SortedMap { items: Vec::new(), slots: Slots::empty() }
    }

    /// Returns how many items the map has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if the map has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Returns the items in the order of the keys.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { items: &self.items, slots: self.slots.walk(), left: self.items.len() }
    }

    /// Returns the items in the order of the keys, with values that can be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&K, &mut V)> + ExactSizeIterator {
        self.arrange();
        self.items.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Returns the keys in ascending order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// Returns the values in the order of the keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// Returns the values in the order of the keys, for changes.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.iter_mut().map(|(_, value)| value)
    }

    /// Returns the keys in ascending order.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.into_iter().map(|(key, _)| key)
    }

    /// Returns the values in the order of the keys.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.into_iter().map(|(_, value)| value)
    }

    /// Returns the item with the lowest key.
    #[must_use]
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    /// Brings the items into the order of the keys.
    fn arrange(&mut self) {
        if !self.slots.are_ascending() {
            let mut order: Vec<usize> = self.slots.walk().collect();
            arrange(&mut order, &mut |a, b| self.items.swap(a, b));
            self.slots = Slots::ascending(self.items.len());
        }
    }

    /// Inserts an item at the place where it belongs, and returns its slot.
    fn insert_at(&mut self, place: Place, key: K, value: V) -> usize {
        let slot = self.items.len();
        self.slots.insert(place, slot);
        self.items.push((key, value));
        slot
    }

    /// Removes the item at a place.
    fn remove_at(&mut self, place: Place) -> Option<(K, V)>
    where
        K: Ord,
    {
        let slot = self.slots.slot(place)?;
        // The last item takes the slot of the removed one.
        if let Some((key, _)) = self.items.last()
            && let Ok(moved) = self.find(key)
        {
            self.slots.set(moved, slot);
        }
        self.slots.remove(place);
        Some(self.items.swap_remove(slot))
    }

    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<Place, Place>
    where
        K: Borrow<Q>,
    {
        self.slots.find(&mut |slot| self.items.get(slot).map_or(Ordering::Less, |(k, _)| k.borrow().cmp(key)))
    }

    fn slot<Q: Ord + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.slots.slot(self.find(key).ok()?)
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.items.get(self.slot(key)?).map(|(_, value)| value)
    }

    /// Returns the value of a key, for changes.
    #[must_use]
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let slot = self.slot(key)?;
        self.items.get_mut(slot).map(|(_, value)| value)
    }

    /// Returns true if the map has this key.
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Removes a key and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q> + Ord,
    {
        let place = self.find(key).ok()?;
        self.remove_at(place).map(|(_, value)| value)
    }

    /// Returns the items whose keys are within bounds, in the order of the keys.
    pub fn range<Q: Ord + ?Sized>(&self, bounds: impl RangeBounds<Q>) -> Range<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let (first, end) = self.slots.ends();
        let before = |key: &Q| self.find(key).unwrap_or_else(|place| place);
        let after = |key: &Q| self.find(key).map_or_else(|place| place, Slots::after);
        let from = match bounds.start_bound() {
            Bound::Included(key) => before(key),
            Bound::Excluded(key) => after(key),
            Bound::Unbounded => first,
        };
        let to = match bounds.end_bound() {
            Bound::Included(key) => after(key),
            Bound::Excluded(key) => before(key),
            Bound::Unbounded => end,
        };
        Range { items: &self.items, slots: self.slots.walk_between(from, to) }
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Sets the value of a key and returns its former value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(place) => {
                let slot = self.slots.slot(place)?;
                let (_, there) = self.items.get_mut(slot)?;
                Some(core::mem::replace(there, value))
            }
            Err(place) => {
                self.insert_at(place, key, value);
                None
            }
        }
    }

    /// Returns the entry of a key, for an insertion if the key is new.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { place: self.find(&key), map: self, key }
    }

    /// Removes the item with the lowest key and returns it.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        self.remove_at(self.slots.ends().0)
    }

    /// Keeps the items for which a function returns true. The function gets them in the order of the keys.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.arrange();
        self.items.retain_mut(|(key, value)| keep(key, value));
        self.slots = Slots::ascending(self.items.len());
    }
}

/// The entry of a key in a [`SortedMap`].
#[derive(Debug)]
pub struct Entry<'a, K, V> {
    map: &'a mut SortedMap<K, V>,
    key: K,
    place: Result<Place, Place>,
}

impl<'a, K, V> Entry<'a, K, V> {
    /// Returns the value, or inserts what a function returns.
    ///
    /// # Errors
    ///
    /// The function's error; nothing is inserted then.
    #[allow(clippy::indexing_slicing, reason = "the slot was found, or its item was pushed here")]
    pub fn or_try_insert_with<E>(self, value: impl FnOnce() -> Result<V, E>) -> Result<&'a mut V, E> {
        let Entry { map, key, place } = self;
        let slot = match place {
            Ok(place) => map.slots.slot(place).unwrap_or_default(),
            Err(place) => map.insert_at(place, key, value()?),
        };
        Ok(&mut map.items[slot].1)
    }

    /// Returns the value, or inserts what a function returns.
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        let Ok(value) = self.or_try_insert_with(|| Ok::<V, Infallible>(value()));
        value
    }

    /// Returns the value, or inserts this one.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// Returns the value, or inserts the default value.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

/// The items of a [`SortedMap`] in the order of the keys.
#[derive(Debug)]
pub struct Iter<'a, K, V> {
    items: &'a [(K, V)],
    slots: Walk<'a>,
    left: usize,
}

/// The items of a [`SortedMap`] with keys within bounds.
#[derive(Debug)]
pub struct Range<'a, K, V> {
    items: &'a [(K, V)],
    slots: Walk<'a>,
}

/// The items of a consumed [`SortedMap`] in the order of the keys.
pub type IntoIter<K, V> = vec::IntoIter<(K, V)>;

fn item<K, V>(items: &[(K, V)], slot: usize) -> Option<(&K, &V)> {
    items.get(slot).map(|(key, value)| (key, value))
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        let found = item(self.items, self.slots.next()?);
        self.left = self.left.saturating_sub(1);
        found
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let found = item(self.items, self.slots.next_back()?);
        self.left = self.left.saturating_sub(1);
        found
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter { slots: self.slots.clone(), ..*self }
    }
}

impl<'a, K, V> Iterator for Range<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        item(self.items, self.slots.next()?)
    }
}

impl<K, V> DoubleEndedIterator for Range<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        item(self.items, self.slots.next_back()?)
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(mut self) -> IntoIter<K, V> {
        self.arrange();
        self.items.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, items: I) {
        for (key, value) in items {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(items: I) -> Self {
        let mut map = Self::new();
        map.extend(items);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(items: [(K, V); N]) -> Self {
        Self::from_iter(items)
    }
}

impl<K: Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    #[allow(clippy::indexing_slicing, reason = "as in every map, an unknown key is a fault of the caller")]
    fn index(&self, key: &Q) -> &V {
        &self.items[self.slot(key).unwrap_or(usize::MAX)].1
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for SortedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq> Eq for SortedMap<K, V> {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    proptest! {
        /// Few keys, so that keys occur again; many steps, so that blocks are split and emptied.
        #[test]
        fn the_map_does_what_the_standard_library_does(
            steps in proptest::collection::vec((0_u16..900, 0_u8..8), 0..3000),
            bounds: (u16, u16),
        ) {
            let (mut ours, mut standard) = (SortedMap::new(), BTreeMap::new());
            for (number, (key, step)) in steps.into_iter().enumerate() {
                match step {
                    0 => prop_assert_eq!(ours.remove(&key), standard.remove(&key)),
                    1 => prop_assert_eq!(ours.pop_first(), standard.pop_first()),
                    2 => {
                        *ours.entry(key).or_default() += 2;
                        *standard.entry(key).or_default() += 2;
                    }
                    3 => prop_assert_eq!(ours.get_mut(&key), standard.get_mut(&key)),
                    _ => prop_assert_eq!(ours.insert(key, number), standard.insert(key, number)),
                }
            }
            prop_assert_eq!(ours.len(), standard.len());
            prop_assert!(ours.iter().eq(&standard) && ours.iter().rev().eq(standard.iter().rev()));
            let (from, to) = (bounds.0.min(bounds.1) % 1000, bounds.0.max(bounds.1) % 1000);
            if from <= to {
                prop_assert!(ours.range(from..to).eq(standard.range(from..to)));
                prop_assert!(ours.range(from..=to).rev().eq(standard.range(from..=to).rev()));
                prop_assert!(ours.range(..to).next_back() == standard.range(..to).next_back());
            }
            let mut changed = ours.clone();
            changed.retain(|key, _| key % 3 != 0);
            standard.retain(|key, _| key % 3 != 0);
            prop_assert!(changed.iter_mut().map(|(k, v)| (*k, *v)).eq(standard.iter_mut().map(|(k, v)| (*k, *v))));
            prop_assert!(changed.into_iter().eq(standard));
        }
    }

    #[test]
    fn a_map_filled_in_any_order_equals_one_filled_in_order() {
        let ascending: SortedMap<u32, ()> = (0..1000).map(|n| (n, ())).collect();
        let mixed: SortedMap<u32, ()> = (0..1000).map(|n| (n * 619 % 1000, ())).collect();
        assert_eq!(ascending, mixed);
        assert_eq!(SortedMap::from([(2, 'b'), (1, 'a')])[&1], 'a');
    }
}
