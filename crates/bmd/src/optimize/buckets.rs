//! Items grouped by a small number, all in one vector.

use alloc::vec::Vec;

/// Lists of items in one vector. The items of a list are in the order in which they were added.
#[derive(Debug)]
pub(super) struct Buckets<T> {
    /// The end of each list.
    ends: Vec<u32>,
    items: Vec<T>,
}

/// A function that passes on items.
type Visitor<'v, T> = dyn Fn(&mut dyn FnMut(u32, T)) + 'v;

impl<T: Copy + Default> Buckets<T> {
    /// Groups items into `count` lists. `visit` runs twice and passes each item on, after the number of its
    /// list.
    pub(super) fn new(count: usize, visit: &Visitor<'_, T>) -> Self {
        let mut ends = alloc::vec![0_u32; count];
        visit(&mut |list, _| ends[list as usize] += 1);
        // The start of each list; adding items moves it to the end.
        let mut total = 0;
        for end in &mut ends {
            total += core::mem::replace(end, total);
        }
        let mut all = alloc::vec![T::default(); total as usize];
        visit(&mut |list, item| {
            let end = &mut ends[list as usize];
            all[*end as usize] = item;
            *end += 1;
        });
        Self { ends, items: all }
    }

    /// Returns the number of lists.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn range(&self, list: usize) -> core::ops::Range<usize> {
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[list] as usize
    }

    /// Returns the items of a list.
    pub(super) fn get(&self, list: usize) -> &[T] {
        &self.items[self.range(list)]
    }

    /// Returns the items of a list for changing.
    pub(super) fn get_mut(&mut self, list: usize) -> &mut [T] {
        let range = self.range(list);
        &mut self.items[range]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stay_in_order() {
        let items = [(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd'), (0, 'e')];
        let buckets = Buckets::new(5, &|add| items.into_iter().for_each(|(list, item)| add(list, item)));
        let lists: Vec<&[char]> = (0..5).map(|i| buckets.get(i)).collect();
        assert_eq!(lists, [&['b', 'e'][..], &[], &['a', 'c'], &['d'], &[]]);
        let mut buckets = buckets;
        buckets.get_mut(2).reverse();
        assert_eq!(buckets.get(2), ['c', 'a']);
        let none = Buckets::<u8>::new(0, &|_| {});
        assert!(none.items.is_empty());
    }
}
