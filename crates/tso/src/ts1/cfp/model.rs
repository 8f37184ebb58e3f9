//! The content of a `.cfp`.

use alloc::vec::Vec;
use core::fmt;
use meshwright_core::{F32, ReadOptions, SourceBytes};

/// A `.cfp` file of The Sims 1: the keys of a skill, as one run of numbers.
///
/// The [`Skill`](crate::Skill), not this file, gives the number of keys of each kind. The numbers are all x of the
/// translations, all y, all z, then all x, y, z and w of the rotations.
///
/// Two values are equal if they hold the same numbers, in any compression.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Cfp {
    /// All numbers.
    pub values: Vec<F32>,
    /// The bytes that the numbers were read from, if the writer would write others.
    pub(crate) kept: SourceBytes,
}

impl Cfp {
    /// Returns a file of these numbers.
    pub fn new(values: Vec<F32>) -> Self {
        Self { values, kept: SourceBytes::default() }
    }

    /// Makes a file of these keys.
    pub fn of_keys(translations: &[[F32; 3]], rotations: &[[F32; 4]]) -> Self {
        let mut values = Vec::new();
        for c in 0..3 {
            values.extend(translations.iter().filter_map(|key| key.get(c)));
        }
        for c in 0..4 {
            values.extend(rotations.iter().filter_map(|key| key.get(c)));
        }
        Self::new(values)
    }

    /// Returns the number of numbers of these keys.
    pub fn numbers(translations: u32, rotations: u32) -> u64 {
        u64::from(translations).saturating_mul(3).saturating_add(u64::from(rotations).saturating_mul(4))
    }

    /// Returns the keys; `None` if the number of values does not match.
    pub fn keys(&self, translations: u32, rotations: u32) -> Option<KeyLists> {
        let (t, r) = (usize::try_from(translations).ok()?, usize::try_from(rotations).ok()?);
        if u64::try_from(self.values.len()).ok()? != Self::numbers(translations, rotations) {
            return None;
        }
        let (first, second) = self.values.split_at_checked(t.checked_mul(3)?)?;
        Some((gather(first, t), gather(second, r)))
    }
}

/// Translations and rotations.
pub(crate) type KeyLists = (Vec<[F32; 3]>, Vec<[F32; 4]>);

/// Joins numbers that are stored by component into keys.
fn gather<const N: usize>(values: &[F32], n: usize) -> Vec<[F32; N]> {
    let at = |c: usize, i: usize| values.get(c.saturating_mul(n).saturating_add(i)).copied();
    (0..n).map(|i| core::array::from_fn(|c| at(c, i).unwrap_or_default())).collect()
}

impl fmt::Debug for Cfp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cfp")
            .field("values", &format_args!("{} numbers", self.values.len()))
            .field("kept", &self.kept)
            .finish()
    }
}

/// Options for reading a `.cfp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CfpOptions {
    /// Limits and strictness.
    pub read: ReadOptions,
    /// The numbers of translations and rotations that the skill needs. Without them, the file is read to its end, and
    /// any number of numbers is valid.
    pub counts: Option<(u32, u32)>,
}

impl From<ReadOptions> for CfpOptions {
    fn from(read: ReadOptions) -> Self {
        Self { read, counts: None }
    }
}

impl CfpOptions {
    /// Returns the same options for a skill with this many translations and rotations.
    #[must_use]
    pub const fn with_counts(mut self, translations: u32, rotations: u32) -> Self {
        self.counts = Some((translations, rotations));
        self
    }
}
