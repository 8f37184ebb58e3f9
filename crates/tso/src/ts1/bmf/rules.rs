//! The rules of a `.bmf`.

use super::model::Bmf;
use crate::fields::wide;
use crate::mesh::offsets::Places;
use crate::mesh::rules as mesh;
use crate::rules::{self, all_rules, some};
use meshwright_core::{FieldPath, Findings, ReadError, Report};

all_rules!(
    mesh::RULES,
    &[some::NOT_FINITE, some::BONE_NAME_DUP, some::BONE_MISSING, some::EXTENSION, some::RESOURCE_NAME]
);

impl Bmf {
    /// Reports broken rules as errors, oddities as warnings, with the offsets of the file that this is written to.
    pub fn validate(&self) -> Report {
        rules::report(|findings| check(self, findings))
    }
}

/// Checks all rules; returns where the last field ends.
pub(crate) fn check(bmf: &Bmf, findings: &mut Findings) -> Result<u64, ReadError> {
    let texture_at = wide(bmf.skin.bytes().len()).saturating_add(1);
    let geometry_at = texture_at.saturating_add(wide(bmf.texture.bytes().len())).saturating_add(1);
    let places = Places::Binary(geometry_at);
    let end = places.finder(&bmf.geometry).end();
    mesh::geometry(&bmf.geometry, &places, findings)?;
    rules::trailing(&bmf.trailing, end, findings)?;
    rules::name(&bmf.skin, &FieldPath::ROOT.field("skin"), 0, findings)?;
    rules::name(&bmf.texture, &FieldPath::ROOT.field("texture"), texture_at, findings)?;
    mesh::remarks(&bmf.geometry, &places, findings)?;
    Ok(end)
}
