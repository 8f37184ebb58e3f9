//! The rules that every model keeps, checked alike after reading, before writing and by validation; and what only
//! validation looks for.

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
    /// Lists what is wrong (errors), what readers must live with (warnings) and what is worth knowing.
    ///
    /// Solids are checked for being closed, consistently oriented, right side out, free of self-intersection
    /// and on one bone; on very large ones the search for self-intersections is cut off and reported so.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        // Validation goes on after errors.
        let _ = check(self, self.layout.get(), &mut findings);
        findings.into_report()
    }
}

/// Finds the broken rules of a model; `layout` says where its parts lie in a file.
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
