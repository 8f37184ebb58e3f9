//! What a caller allows a file to cost, and how strictly it is read.

use core::cell::Cell;

/// The default budget: 256 MiB.
pub const DEFAULT_MEMORY: u64 = 256 << 20;

/// How much a file may cost its reader. On by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes that may be allocated for one file, its decompressed streams and expanded shared sections
    /// included. Charged before every allocation.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: DEFAULT_MEMORY }
    }
}

impl Limits {
    /// No limit but the machine's. For trusted files.
    pub const UNLIMITED: Self = Self { memory: u64::MAX };

    /// The same limits with another budget of bytes.
    #[must_use]
    pub const fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }
}

/// How rules that real readers do not enforce are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strictness {
    /// A broken rule is an error.
    #[default]
    Strict,
    /// A broken rule that leaves the rest readable is recorded and passed over; each format crate lists which.
    Lenient,
}

/// Options of every `parse_with`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// What the file may cost.
    pub limits: Limits,
    /// What is forgiven.
    pub strictness: Strictness,
}

impl ReadOptions {
    /// Default limits, and whatever can be passed over is passed over and reported.
    #[must_use]
    pub fn lenient() -> Self {
        Self { strictness: Strictness::Lenient, ..Self::default() }
    }

    /// The same options with other limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// True when broken rules are passed over where possible.
    pub const fn is_lenient(&self) -> bool {
        matches!(self.strictness, Strictness::Lenient)
    }
}

/// A wish that exceeds what is left of a [`Budget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {wanted} bytes wanted, the limit leaves {left}")]
pub struct LimitExceeded {
    /// What would have been allocated.
    pub what: &'static str,
    /// Bytes wanted; `u64::MAX` stands for more than 64 bits can tell.
    pub wanted: u64,
    /// Bytes left.
    pub left: u64,
}

/// A running account of bytes, charged before they are allocated.
#[derive(Debug)]
pub struct Budget {
    left: Cell<u64>,
}

impl Budget {
    /// A full budget.
    pub const fn new(limits: Limits) -> Self {
        Self { left: Cell::new(limits.memory) }
    }

    /// Bytes that may still be charged.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Takes `bytes` out of the budget, or says that they are not there.
    pub fn charge(&self, what: &'static str, bytes: u64) -> Result<(), LimitExceeded> {
        let left = self.left.get();
        match left.checked_sub(bytes) {
            Some(rest) => {
                self.left.set(rest);
                Ok(())
            }
            None => Err(LimitExceeded { what, wanted: bytes, left }),
        }
    }

    /// Charges `count` items of `size` bytes each.
    pub fn charge_items(&self, what: &'static str, count: u64, size: usize) -> Result<(), LimitExceeded> {
        self.charge(what, count.saturating_mul(size as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_once() {
        let budget = Budget::new(Limits::default().with_memory(100));
        assert_eq!(budget.charge("a", 60), Ok(()));
        assert_eq!(budget.charge("b", 41), Err(LimitExceeded { what: "b", wanted: 41, left: 40 }));
        assert_eq!(budget.charge("c", 40), Ok(()));
        assert_eq!(budget.left(), 0);
    }

    #[test]
    fn a_product_beyond_64_bits_is_refused() {
        let budget = Budget::new(Limits::default());
        assert!(budget.charge_items("x", u64::MAX / 2, 48).is_err());
    }
}
