//! Sorting code that exists only once, instead of once for every type.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Stable sorting for slices, for code whose size matters more than its speed. The standard library compiles
/// several kilobytes for each type and comparison.
///
/// ```
/// use meshwright_core::Order as _;
/// let mut names = ["c", "a", "b"];
/// names.order();
/// assert_eq!(names, ["a", "b", "c"]);
/// names.order_by_key(|name| *name != "b");
/// assert_eq!(names, ["b", "a", "c"]);
/// ```
pub trait Order<T> {
    /// Sorts by a comparison.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key.
    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Sorts by the items themselves.
    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }
}

/// The most items that are sorted where they are, without a list of numbers.
const FEW: usize = 16;

impl<T> Order<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        if self.len() <= FEW {
            for end in 2..=self.len() {
                let mut rest = self.get_mut(..end).unwrap_or_default();
                while let [.., a, b] = &mut *rest
                    && compare(a, b).is_gt()
                {
                    core::mem::swap(a, b);
                    rest = rest.split_last_mut().map_or(&mut [], |(_, before)| before);
                }
            }
            return;
        }
        let mut order = sorted(self.len(), &mut |a, b| match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        });
        arrange(&mut order, &mut |a, b| self.swap(a, b));
    }
}

/// Returns the numbers below `count`, sorted by a comparison.
fn sorted(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Swaps items until each position has the item that `order` states for it.
pub(crate) fn arrange(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..order.len() {
        let mut place = first;
        // A position with the right item refers to itself.
        while let Some(slot) = order.get_mut(place) {
            let from = core::mem::replace(slot, place);
            if from == first {
                break;
            }
            swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_the_standard_library(items: Vec<(u8, u16)>) {
            let (mut ours, mut standard) = (items.clone(), items);
            ours.order_by_key(|item| item.0);
            standard.sort_by_key(|item| item.0);
            prop_assert_eq!(&ours, &standard);
            ours.order();
            standard.sort();
            prop_assert_eq!(ours, standard);
        }
    }
}
