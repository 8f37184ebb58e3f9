//! Limits on the cost of reading a file, and the strictness of reading.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::Cell;

/// The default budget: 256 MiB.
pub const DEFAULT_MEMORY: u64 = 256 << 20;

/// Limits on the cost of reading a file. They are on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes that may be allocated for one file, including its decompressed streams and expanded shared
    /// sections. They are charged before every allocation.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: DEFAULT_MEMORY }
    }
}

impl Limits {
    /// No limit except the machine's memory. For trusted files.
    pub const UNLIMITED: Self = Self { memory: u64::MAX };

    /// Returns the same limits with another budget of bytes.
    #[must_use]
    pub const fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }
}

/// The treatment of broken rules that real engines do not enforce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strictness {
    /// A broken rule is an error.
    #[default]
    Strict,
    /// A broken rule that leaves the rest readable is recorded and forgiven. Each format crate lists these
    /// rules.
    Lenient,
}

/// Options of every `parse_with`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Limits on memory and work.
    pub limits: Limits,
    /// True if broken rules may be forgiven.
    pub strictness: Strictness,
}

impl ReadOptions {
    /// Returns options with the default limits that forgive and report every forgivable rule.
    #[must_use]
    pub fn lenient() -> Self {
        Self { strictness: Strictness::Lenient, ..Self::default() }
    }

    /// Returns the same options with other limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns whether forgivable broken rules are forgiven.
    pub const fn is_lenient(&self) -> bool {
        matches!(self.strictness, Strictness::Lenient)
    }
}

/// A request that exceeds what is left of a [`Budget`].
///
/// As wide as a pointer: nearly every function may return it, and a small result makes less and faster code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {} {} wanted, the limit leaves {}", .0.what, .0.requested, .0.unit, .0.remaining)]
pub struct LimitExceeded(Box<Request>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    what: &'static str,
    requested: u64,
    remaining: u64,
    unit: &'static str,
}

impl LimitExceeded {
    /// Returns the error for too many bytes.
    #[must_use]
    pub fn bytes(what: &'static str, requested: u64, remaining: u64) -> Self {
        Self::new(what, requested, remaining, "bytes")
    }

    /// Returns the error for too much work.
    #[must_use]
    pub fn steps(what: &'static str, requested: u64, remaining: u64) -> Self {
        Self::new(what, requested, remaining, "steps")
    }

    #[cold]
    #[inline(never)]
    fn new(what: &'static str, requested: u64, remaining: u64, unit: &'static str) -> Self {
        Self(Box::new(Request { what, requested, remaining, unit }))
    }

    /// Returns the refused memory or work, in words.
    pub fn what(&self) -> &'static str {
        self.0.what
    }

    /// Returns the amount that was requested; `u64::MAX` if it exceeds 64 bits.
    pub fn requested(&self) -> u64 {
        self.0.requested
    }

    /// Returns the amount that remains.
    pub fn remaining(&self) -> u64 {
        self.0.remaining
    }

    /// Returns the unit: `bytes`, or `steps` of work.
    pub fn unit(&self) -> &'static str {
        self.0.unit
    }
}

/// The bytes and the work that remain for one file. Bytes are charged before they are allocated. Work whose
/// amount multiplies (clips by frames by joints) is charged before it is done.
#[derive(Debug)]
pub struct Budget {
    left: Cell<u64>,
    work: Cell<u64>,
}

impl Budget {
    /// Steps of work per byte of the memory limit. A step is one small operation, such as one joint of one
    /// pose. The default limit allows a few seconds of work.
    pub const STEPS_PER_BYTE: u64 = 16;

    /// Returns a full budget.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        let work = limits.memory.saturating_mul(Self::STEPS_PER_BYTE);
        Self { left: Cell::new(limits.memory), work: Cell::new(work) }
    }

    /// Returns the bytes that may still be charged.
    #[must_use]
    pub const fn remaining(&self) -> u64 {
        self.left.get()
    }

    /// Returns the steps of work that may still be charged.
    #[must_use]
    pub const fn work_left(&self) -> u64 {
        self.work.get()
    }

    /// Charges `bytes`.
    ///
    /// # Errors
    /// If fewer bytes are left.
    pub fn charge(&self, what: &'static str, bytes: u64) -> Result<(), LimitExceeded> {
        let left = self.left.get();
        let rest = left.checked_sub(bytes).ok_or_else(|| LimitExceeded::bytes(what, bytes, left))?;
        self.left.set(rest);
        Ok(())
    }

    /// Charges `count` items of `size` bytes each.
    ///
    /// # Errors
    /// When fewer bytes are left.
    pub fn charge_items(&self, what: &'static str, count: u64, size: usize) -> Result<(), LimitExceeded> {
        self.charge(what, count.saturating_mul(size as u64))
    }

    /// Charges `count` items and returns an empty vector with room for them.
    ///
    /// # Errors
    /// If fewer bytes are left, in the budget or in the machine.
    pub fn reserve<T>(&self, what: &'static str, count: usize) -> Result<Vec<T>, LimitExceeded> {
        self.charge_items(what, count as u64, size_of::<T>())?;
        let mut items = Vec::new();
        match items.try_reserve_exact(count) {
            Ok(()) => Ok(items),
            Err(_) => Err(self.over_limit(what, count as u64, size_of::<T>())),
        }
    }

    #[cold]
    #[inline(never)]
    fn over_limit(&self, what: &'static str, count: u64, size: usize) -> LimitExceeded {
        LimitExceeded::bytes(what, count.saturating_mul(size as u64), self.left.get())
    }

    /// Charges and returns a vector of `count` times `value`.
    ///
    /// # Errors
    /// Same as [`reserve`](Self::reserve).
    pub fn filled<T: Clone>(
        &self,
        what: &'static str,
        count: usize,
        value: T,
    ) -> Result<Vec<T>, LimitExceeded> {
        let mut items = self.reserve(what, count)?;
        items.resize(count, value);
        Ok(items)
    }

    /// Charges `steps` of work.
    ///
    /// # Errors
    /// If fewer steps are left.
    pub fn work(&self, what: &'static str, steps: u64) -> Result<(), LimitExceeded> {
        let left = self.work.get();
        let rest = left.checked_sub(steps).ok_or_else(|| LimitExceeded::steps(what, steps, left))?;
        self.work.set(rest);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_budget_is_spent_once() {
        let budget = Budget::new(Limits::default().with_memory(100));
        assert_eq!(budget.charge("a", 60), Ok(()));
        assert_eq!(budget.charge("b", 41), Err(LimitExceeded::bytes("b", 41, 40)));
        assert_eq!(budget.charge("c", 40), Ok(()));
        assert_eq!(budget.remaining(), 0);
    }

    #[test]
    fn room_is_charged_and_exact() {
        let budget = Budget::new(Limits::default().with_memory(100));
        assert_eq!(budget.reserve::<u32>("a", 20).map(|v| v.capacity()), Ok(20));
        assert_eq!(budget.filled("b", 5, 7_u32), Ok(alloc::vec![7; 5]));
        assert_eq!(budget.reserve::<u8>("c", 1), Err(LimitExceeded::bytes("c", 1, 0)));
        let huge = Budget::new(Limits::UNLIMITED).reserve::<u64>("d", usize::MAX);
        assert_eq!(huge.map_err(|e| e.what()), Err("d"));
    }

    #[test]
    fn work_is_an_account_of_its_own() {
        let budget = Budget::new(Limits::default().with_memory(10));
        assert_eq!(budget.work("poses", 150), Ok(()));
        let e = budget.work("poses", 11).unwrap_err();
        assert_eq!(e.to_string(), "poses: 11 steps wanted, the limit leaves 10");
        assert_eq!((budget.remaining(), budget.work_left()), (10, 10));
    }

    #[test]
    fn a_product_beyond_64_bits_is_refused() {
        let budget = Budget::new(Limits::default());
        assert!(budget.charge_items("x", u64::MAX / 2, 48).is_err());
    }
}
