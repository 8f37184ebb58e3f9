//! Everything that can be said against a binding of mesh and texture.

use super::model::{Bnd, ResourceId};
use crate::common::{Findings, remark_name, wide};
use meshwright_core::{Path, Report};

impl Bnd {
    /// The size of the file without trailing bytes.
    pub(crate) fn size(&self) -> u64 {
        let resource = |r: Option<ResourceId>| if r.is_some() { 16 } else { 4 };
        let name = wide(self.bone.bytes().len()).saturating_add(5);
        name.saturating_add(resource(self.mesh)).saturating_add(resource(self.texture))
    }

    /// Broken rules as errors, oddities as warnings.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::default();
        findings.trailing(self.size(), &self.trailing);
        let mut report = findings.report;
        remark_name(&mut report, &Path::ROOT.field("bone"), 4, &self.bone);
        report
    }
}
