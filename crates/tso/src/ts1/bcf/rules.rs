//! The rules of a `.bcf`.

use super::model::Bcf;
use super::record::{image, tree};
use crate::fields::{file, wide};
use crate::rules::{self, all_rules};
use crate::ts1::character::rules::{Places, RULES, SHARED, check as check_tree};
use alloc::vec::Vec;
use meshwright_core::{Budget, FieldPath, Findings, Limits, ReadError, Report, Source};

all_rules!(RULES, SHARED);

impl Bcf {
    /// Reports broken rules as errors, oddities as warnings, with the offsets of the file that this is written to.
    pub fn validate(&self) -> Report {
        let written = image(self).unwrap_or_default();
        let budget = Budget::new(Limits::UNLIMITED);
        let places = places(&file(&written, &budget)).unwrap_or_default();
        rules::report(|findings| check(self, &places, findings))
    }
}

/// Returns the offsets of the scalars of a file, and the end of the last one.
pub(crate) fn places(source: &Source<'_>) -> Result<Vec<u64>, ReadError> {
    let length = wide(source.bytes().len());
    // Every scalar has a byte, and a growing list exists twice for a while.
    source.charge(&FieldPath::ROOT, 0, "offsets", length, size_of::<[u64; 3]>())?;
    let mut places = Vec::new();
    let bcf = tree(source, Some(&mut places))?;
    places.push(length.saturating_sub(wide(bcf.trailing.len())));
    Ok(places)
}

/// Checks all rules.
pub(crate) fn check(bcf: &Bcf, places: &[u64], findings: &mut Findings) -> Result<(), ReadError> {
    check_tree(&bcf.character, &mut Places::new(places), findings)?;
    rules::trailing(&bcf.trailing, places.last().copied().unwrap_or(0), findings)
}
