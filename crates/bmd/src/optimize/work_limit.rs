//! The limit on the work of an optimisation.

use core::cell::Cell;

/// The remaining steps of work. A step is one small operation, such as the test of one value against its
/// bound. When no steps are left, the best choice found so far is used.
#[derive(Debug)]
pub(crate) struct WorkLimit {
    left: Cell<u64>,
    cut: Cell<bool>,
}

impl WorkLimit {
    pub(crate) const fn new(steps: u64) -> Self {
        Self { left: Cell::new(steps), cut: Cell::new(false) }
    }

    pub(crate) fn remaining(&self) -> u64 {
        self.left.get()
    }

    /// Spends steps. If there are too few, it returns false and remembers that something was skipped.
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

    /// Returns true if something was skipped.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.get()
    }

    /// Runs a part of the work with at most `steps`. Steps that are left are returned to this account.
    pub(crate) fn part<T>(&self, steps: u64, work: impl FnOnce(&Self) -> T) -> T {
        let part = Self::new(steps.min(self.remaining()));
        let given = part.remaining();
        let done = work(&part);
        self.left.set(self.remaining().saturating_sub(given.saturating_sub(part.remaining())));
        if part.is_cut() {
            self.cut.set(true);
        }
        done
    }
}
