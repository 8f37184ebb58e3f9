//! The rules of a model. The reader, the writer and validation check the same rules; further checks are for
//! validation only.

mod bones;
mod clips;
mod layout;
mod meshes;
mod solid;
mod table;

pub(crate) use table::*;

use crate::layout::Layout;
use crate::model::Bmd;
use meshwright_core::{Findings, ReadError, Report};

impl Bmd {
    /// Reports errors, warnings and remarks.
    ///
    /// Solids are checked for being closed, consistently oriented, right side out, free of self-intersection
    /// and on one bone. In very large solids the search for self-intersections stops early, and a finding
    /// says so.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        // Validation goes on after errors.
        let _ = check(self, self.layout.get(), &mut findings);
        findings.into_report()
    }
}

/// Checks the rules of a model. `layout` has the offsets of its parts in a file.
pub(crate) fn check(model: &Bmd, layout: Option<&Layout>, findings: &mut Findings) -> Result<(), ReadError> {
    meshes::check(model, layout, findings)?;
    meshes::check_lods(model, layout, findings)?;
    bones::check(model, layout, findings)?;
    clips::check(model, layout, findings)?;
    if findings.is_validating() {
        layout::header_remarks(model, layout, findings)?;
        meshes::remarks(model, layout, findings)?;
        meshes::lod_remarks(model, layout, findings)?;
        bones::remarks(model, layout, findings)?;
        clips::remarks(model, layout, findings)?;
        if let Some(layout) = layout {
            layout::remarks(layout, findings)?;
        }
    }
    Ok(())
}
