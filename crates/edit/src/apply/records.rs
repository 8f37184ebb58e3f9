//! The records of a merged file: those of the original, and those made from the edited scene.

use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::{Budget, F32, LimitExceeded, SortedMap};

/// The sources of a record of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Index in the original.
    pub original: Option<usize>,
    /// Index among the made records.
    pub made: Option<usize>,
}

/// The records of a result in order, and the new indices of original and made records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// The records: original ones in their order, each new one after its predecessor in the edited scene.
    pub list: Vec<Origin>,
    original: Vec<Option<usize>>,
    made: Vec<Option<usize>>,
}

impl Records {
    /// Lists the records of a result. `made` gives the original of each made record. An original record without a made
    /// one was removed if the original's scene `shows` it; otherwise it stays.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn new(
        original: usize,
        shows: impl Fn(usize) -> bool,
        made: &[Option<usize>],
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        Self::build(original, &shows, made, budget)
    }

    fn build(
        original: usize,
        shows: &dyn Fn(usize) -> bool,
        made: &[Option<usize>],
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        let mut known: Vec<Option<usize>> = budget.filled("records", original, None)?;
        for (m, n) in made.iter().enumerate() {
            if let Some(slot) = n.and_then(|n| known.get_mut(n)).filter(|slot| slot.is_none()) {
                *slot = Some(m);
            }
        }
        let of = |m: usize| made.get(m).copied().flatten().filter(|n| known.get(*n) == Some(&Some(m)));
        let stays = |n: &usize| !shows(*n) || known.get(*n).is_some_and(Option::is_some);
        let mut list = budget.reserve("records", original.saturating_add(made.len()))?;
        let kept = |n: usize| Origin { original: Some(n), made: known.get(n).copied().flatten() };
        let new = |m: usize| Origin { original: None, made: Some(m) };
        if made.iter().flatten().is_sorted() {
            // New records by the original record before them.
            budget.charge_items("records", made.len() as u64, 64)?;
            let mut after: SortedMap<Option<usize>, Vec<usize>> = SortedMap::new();
            let mut last = None;
            for m in 0..made.len() {
                match of(m) {
                    Some(n) => last = Some(n),
                    None => after.entry(last).or_default().push(m),
                }
            }
            let news = |n: Option<usize>| after.get(&n).into_iter().flatten().map(|m| new(*m));
            list.extend(news(None));
            for n in 0..original {
                list.extend(stays(&n).then(|| kept(n)));
                list.extend(news(Some(n)));
            }
        } else {
            // The edited scene has another order.
            list.extend((0..made.len()).map(|m| of(m).map_or_else(|| new(m), kept)));
            list.extend((0..original).filter(stays).map(kept).filter(|o| o.made.is_none()));
        }
        let places = budget.filled("records", original, None)?;
        let mut all = Self { list, original: places, made: budget.filled("records", made.len(), None)? };
        all.number();
        Ok(all)
    }

    /// Lists the records as [`new`](Self::new) does, for conversions that reorder them: `key` gives the order of the made
    /// records in the edited scene.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn ordered<K: Ord>(
        original: usize,
        shows: impl Fn(usize) -> bool,
        made: &[Option<usize>],
        key: impl Fn(usize) -> K,
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        let mut order: Vec<usize> = (0..made.len()).collect();
        order.order_by_key(|m| key(*m));
        let sorted: Vec<_> = order.iter().map(|m| made.get(*m).copied().flatten()).collect();
        let mut records = Self::build(original, &shows, &sorted, budget)?;
        for origin in &mut records.list {
            origin.made = origin.made.and_then(|m| order.get(m)).copied();
        }
        records.number();
        Ok(records)
    }

    /// Updates the indices of all records.
    fn number(&mut self) {
        let Self { list, original, made } = self;
        original.fill(None);
        made.fill(None);
        for (place, origin) in list.iter().enumerate() {
            for (at, places) in [(origin.original, &mut *original), (origin.made, &mut *made)] {
                at.and_then(|at| places.get_mut(at)).into_iter().for_each(|slot| *slot = Some(place));
            }
        }
    }

    /// Keeps only the records for which `kept` returns true.
    #[must_use]
    pub fn filtered(mut self, kept: impl FnMut(&Origin) -> bool) -> Self {
        self.list.retain(kept);
        self.number();
        self
    }

    /// Returns the new index of a record of the original.
    #[must_use]
    pub fn of_original(&self, record: usize) -> Option<usize> {
        self.original.get(record).copied().flatten()
    }

    /// Returns the new index of a made record.
    #[must_use]
    pub fn of_made(&self, record: usize) -> Option<usize> {
        self.made.get(record).copied().flatten()
    }

    /// Returns true if the result has only the original's records, in their order.
    #[must_use]
    pub fn is_original(&self) -> bool {
        self.list.len() == self.original.len()
            && self.original.iter().enumerate().all(|(n, at)| *at == Some(n))
    }
}

/// Returns the new value of a record, or the original's if they differ only by rounding.
#[must_use]
pub fn keep_near<const N: usize>(old: [F32; N], new: [F32; N]) -> [F32; N] {
    let wide = |value: &F32| f64::from(value.get());
    let near = |(a, b): (&F32, &F32)| (wide(a) - wide(b)).abs() <= 1e-6 * wide(a).abs().max(1.0);
    if old.iter().zip(&new).all(near) { old } else { new }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use meshwright_core::Limits;

    fn order(
        original: usize,
        made: &[Option<usize>],
        hidden: &[usize],
    ) -> Vec<(Option<usize>, Option<usize>)> {
        let budget = Budget::new(Limits::default());
        let all = Records::new(original, |n| !hidden.contains(&n), made, &budget).unwrap();
        for (at, origin) in all.list.iter().enumerate() {
            assert!(origin.original.is_none_or(|n| all.of_original(n) == Some(at)));
            assert!(origin.made.is_none_or(|m| all.of_made(m) == Some(at)));
        }
        all.list.iter().map(|o| (o.original, o.made)).collect()
    }

    #[test]
    fn removed_records_leave_new_ones_come_after_what_they_came_after_and_hidden_ones_stay() {
        let both = |n, m| (Some(n), Some(m));
        assert_eq!(order(2, &[Some(0), Some(1)], &[]), [both(0, 0), both(1, 1)]);
        assert_eq!(order(3, &[Some(0), Some(2)], &[]), [both(0, 0), both(2, 1)]);
        assert_eq!(order(3, &[Some(0), Some(2)], &[1]), [both(0, 0), (Some(1), None), both(2, 1)]);
        assert_eq!(
            order(2, &[None, Some(0), None, Some(1)], &[]),
            [(None, Some(0)), both(0, 1), (None, Some(2)), both(1, 3)]
        );
        // The edited order, without the removed record.
        assert_eq!(order(3, &[Some(2), None, Some(0)], &[]), [both(2, 0), (None, Some(1)), both(0, 2)]);
        // If two made records have the same original, the first one counts.
        assert_eq!(order(1, &[Some(0), Some(0)], &[]), [both(0, 0), (None, Some(1))]);
        assert!(
            Records::new(2, |_| true, &[Some(0), Some(1)], &Budget::new(Limits::default()))
                .unwrap()
                .is_original()
        );
        assert_eq!(order(0, &[], &[]), vec![]);
    }
}
