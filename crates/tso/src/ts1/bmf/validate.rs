//! Everything that can be said against a `.bmf`.

use super::model::Bmf;
use crate::common::{Findings, remark_name, wide};
use crate::mesh::places::{Field, Places};
use crate::mesh::rules;
use crate::mesh::validate::remarks;
use meshwright_core::{Path, Report};

impl Bmf {
    fn places(&self) -> Places {
        let names = wide(self.skin.bytes().len()).saturating_add(wide(self.texture.bytes().len()));
        Places::Binary(names.saturating_add(2))
    }

    /// Every broken rule.
    pub(crate) fn rules(&self, mut findings: Findings) -> Findings {
        let places = self.places();
        rules::check(&self.geometry, &places, &mut findings);
        let end = places.finder(&self.geometry).at(Field::End).unwrap_or(0);
        findings.trailing(end, &self.trailing);
        findings
    }

    /// Broken rules as errors, oddities as warnings, with the offsets of the file that this is written to.
    pub fn validate(&self) -> Report {
        let mut report = self.rules(Findings::default()).report;
        remark_name(&mut report, &Path::ROOT.field("skin"), 0, &self.skin);
        let texture = wide(self.skin.bytes().len()).saturating_add(1);
        remark_name(&mut report, &Path::ROOT.field("texture"), texture, &self.texture);
        remarks(&self.geometry, &self.places(), &mut report);
        report
    }
}
