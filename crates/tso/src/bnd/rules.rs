//! The rules of a binding of mesh and texture.

use super::model::Bnd;
use super::record::BONE;
use crate::rules::{self, all_rules, some};
use meshwright_core::{Findings, Path, ReadError, Report};

meshwright_core::rules! {
    error TAG = "E_TAG", BadValue,
        "The word before a mesh or texture is neither 0 nor 8, so that it is not known whether one follows.",
        "Set it to 8 where a file is named and to 0 where none is; Niotso takes any word but 0 for yes, FreeSO only 8.";
}

all_rules!(RULES, &[some::VERSION]);

impl Bnd {
    /// Broken rules as errors, oddities as warnings.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        // Validation passes over everything.
        let _ = check(self, &mut findings);
        findings.into_report()
    }
}

/// All rules but those on single words.
pub(crate) fn check(bnd: &Bnd, findings: &mut Findings) -> Result<(), ReadError> {
    rules::trailing(&bnd.trailing, bnd.end(), findings)?;
    rules::name(&bnd.bone, &Path::ROOT.field("bone"), BONE, findings)
}
