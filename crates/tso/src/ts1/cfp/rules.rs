//! The rules of a `.cfp`.

use super::model::Cfp;
use super::record::FULL;
use crate::rules::{self, some};
use meshwright_core::{FieldPath, Findings, ReadError, Report, Rule};

meshwright_core::rules! {
    forgivable TRUNCATED = "truncated" ("E_TRUNCATED"), Truncated,
        "The keys end in the middle of a code, or there are fewer keys than the skill needs.",
        "Get a complete copy; lenient reading repeats the last number.";
    forgivable CODE = "key-code" ("E_CFP_CODE"), BadValue,
        "A code is 0xfd, which has no meaning.",
        "Find out which program wrote the file; lenient reading repeats the number before it.";
    forgivable REPEAT = "key-repeat" ("E_CFP_REPEAT"), BadCount,
        "A run continues after the last number that the skill needs.",
        "Find the skill that the keys belong to; lenient reading cuts the run.";
    warning START = "key-start" ("W_CFP_START"), Missing [Tolerated],
        "The first code is a difference, and no number comes before it.",
        "Begin with a full number: only some readers start from 0.";
}

/// Every rule of this kind of file.
pub(crate) const ALL: &[&Rule] = &[
    TRUNCATED,
    CODE,
    REPEAT,
    START,
    rules::COUNT,
    rules::LIMIT,
    rules::TRAILING,
    some::NOT_FINITE,
    some::EXTENSION,
];

impl Cfp {
    /// Reports broken rules as errors, oddities as warnings. Offsets are those of the file that this is written to.
    pub fn validate(&self) -> Report {
        rules::report(|findings| check(self, findings))
    }
}

/// Checks only the numbers; the reader reports other faults.
pub(crate) fn check(cfp: &Cfp, findings: &mut Findings) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field("values");
    if cfp.kept.0.first().is_some_and(|first| *first != FULL) {
        findings.broken(START, &path.index(0), 0, || "the first code is not a full number")?;
    }
    let mut strange = cfp.values.iter().enumerate().filter(|(_, v)| !v.is_finite());
    strange.try_for_each(|(i, value)| rules::not_finite(*value, &path.index(i), None, findings))
}
