//! The list that comes of three.

use super::find::Match;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded};

/// Where a record of the result is in each of three lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trio {
    /// In the native model.
    pub native: Option<usize>,
    /// In what is made of the native scene.
    pub before: Option<usize>,
    /// In what is made of the edited scene.
    pub after: Option<usize>,
}

impl Trio {
    /// The value of a record: the native one unless it was edited.
    pub fn pick<T: PartialEq>(
        &self,
        native: impl FnOnce(usize) -> Option<T>,
        before: impl FnOnce(usize) -> Option<T>,
        after: impl FnOnce(usize) -> Option<T>,
    ) -> Option<T> {
        let after = self.after.and_then(after);
        let Some(native) = self.native.and_then(native) else { return after };
        let before = self.before.and_then(before);
        match after {
            Some(value) if before.as_ref() != Some(&value) => Some(value),
            _ => Some(native),
        }
    }
}

/// The records of a result, and where those of the three lists went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trios {
    /// The records in order: native ones as they were, new ones behind what they come behind.
    pub records: Vec<Trio>,
    native: Match,
    before: Match,
    after: Match,
}

impl Trios {
    /// Merges lists of which `native` says how many native records there are, `before` which native record each of before
    /// is, and `after` which of before each of after is. Records that before and after share without a native one were
    /// made up by the conversion: they are left out unless they are wanted.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn of(
        native: usize,
        before: &[Option<usize>],
        after: &[Option<usize>],
        made_up: bool,
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        let mut known: Vec<Trio> = budget.filled("records", native, Trio::default())?;
        for (b, n) in before.iter().enumerate() {
            if let Some(trio) = n.and_then(|n| known.get_mut(n)) {
                trio.before = Some(b);
            }
        }
        let native_of =
            |a: usize| after.get(a).copied().flatten().and_then(|b| before.get(b).copied().flatten());
        for a in 0..after.len() {
            if let Some(trio) = native_of(a).and_then(|n| known.get_mut(n)) {
                trio.after = Some(a);
            }
        }
        for (n, trio) in known.iter_mut().enumerate() {
            trio.native = Some(n);
        }
        let stays = |trio: &Trio| trio.before.is_none() || trio.after.is_some();
        let is_new =
            |a: usize| native_of(a).is_none() && (made_up || after.get(a).is_some_and(Option::is_none));
        let new = |a: usize| Trio { native: None, before: after.get(a).copied().flatten(), after: Some(a) };
        let mut records = budget.reserve("records", native.saturating_add(after.len()))?;
        if after.iter().flatten().is_sorted() {
            // New records by the native one that they come behind.
            budget.charge_items("records", after.len() as u64, 64)?;
            let mut behind: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
            let mut last = None;
            for a in 0..after.len() {
                match native_of(a) {
                    Some(n) => last = Some(n),
                    None if is_new(a) => behind.entry(last).or_default().push(a),
                    None => {}
                }
            }
            let news = |n: Option<usize>| behind.get(&n).into_iter().flatten().map(|a| new(*a));
            records.extend(news(None));
            for trio in known.into_iter().filter(stays) {
                records.push(trio);
                records.extend(news(trio.native));
            }
        } else {
            // Another order was asked for.
            for a in 0..after.len() {
                match native_of(a).and_then(|n| known.get(n)) {
                    Some(trio) => records.push(*trio),
                    None if is_new(a) => records.push(new(a)),
                    None => {}
                }
            }
            records.extend(known.into_iter().filter(|trio| stays(trio) && trio.after.is_none()));
        }
        let mut all = Self {
            records,
            native: budget.filled("records", native, None)?,
            before: budget.filled("records", before.len(), None)?,
            after: budget.filled("records", after.len(), None)?,
        };
        for (place, trio) in all.records.iter().enumerate() {
            let put = |list: &mut Match, at: Option<usize>| {
                if let Some(slot) = at.and_then(|at| list.get_mut(at)) {
                    *slot = Some(place);
                }
            };
            put(&mut all.native, trio.native);
            put(&mut all.before, trio.before);
            put(&mut all.after, trio.after);
        }
        Ok(all)
    }

    /// Where a native record went.
    #[must_use]
    pub fn of_native(&self, record: usize) -> Option<usize> {
        self.native.get(record).copied().flatten()
    }

    /// Where a record of before went.
    #[must_use]
    pub fn of_before(&self, record: usize) -> Option<usize> {
        self.before.get(record).copied().flatten()
    }

    /// Where a record of after went.
    #[must_use]
    pub fn of_after(&self, record: usize) -> Option<usize> {
        self.after.get(record).copied().flatten()
    }

    /// True where the result has the native records alone, in their order.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.records.len() == self.native.len()
            && self.native.iter().enumerate().all(|(n, at)| *at == Some(n))
    }
}
