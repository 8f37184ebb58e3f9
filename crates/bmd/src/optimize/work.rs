//! How much an optimisation may look at.

use core::cell::Cell;

/// An account of steps. A step is one small operation, such as one value held against its bound; what is looked at
/// beyond the account is passed over, so that the best choice found so far stands.
#[derive(Debug)]
pub(crate) struct Work {
    left: Cell<u64>,
    cut: Cell<bool>,
}

impl Work {
    pub(crate) const fn new(steps: u64) -> Self {
        Self { left: Cell::new(steps), cut: Cell::new(false) }
    }

    pub(crate) fn left(&self) -> u64 {
        self.left.get()
    }

    /// Takes steps out of the account; false, and remembered, where they are not there.
    pub(crate) fn spend(&self, steps: u64) -> bool {
        match self.left.get().checked_sub(steps) {
            Some(rest) => {
                self.left.set(rest);
                true
            }
            None => {
                self.cut.set(true);
                false
            }
        }
    }

    /// Whether something was passed over.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.get()
    }

    /// Does a part of the work on an account of its own of at most `steps`; what it leaves comes back.
    pub(crate) fn part<T>(&self, steps: u64, work: impl FnOnce(&Self) -> T) -> T {
        let part = Self::new(steps.min(self.left()));
        let given = part.left();
        let done = work(&part);
        self.left.set(self.left().saturating_sub(given.saturating_sub(part.left())));
        if part.is_cut() {
            self.cut.set(true);
        }
        done
    }
}
