//! The rules of a container, in addition to those of its chunks.

use crate::chunk::rules::content::{self, bone_count};
use crate::chunk::rules::structure::Places;
use crate::cmodel::model::CModel;
use crate::cmodel::record::{mesh_header, model_header};
use crate::rules::{TRAILING_BYTES, joined};
use crate::skeleton::model::SkeletonChunk;
use alloc::format;
use meshwright_core::{FieldPath, Findings, ReadError, Report, Rule, rules};

rules! {
    error BAD_MAGIC = "bad-magic" ("Magic"), BadMagic [Refuses],
        "The file does not begin with \"cmodel\" and a line feed. Later engines write \"cmsh\", which is another format.",
        "Nothing can be repaired: the file is of another format, or its beginning is lost.";
}

/// All rules of a container and its chunks.
pub(crate) const ALL: [&Rule; RULES.len() + crate::chunk::rules::ALL.len()] =
    joined(RULES, &crate::chunk::rules::ALL);

/// Checks all rules of a container. If the number of bones is given, it also checks that all bones exist.
fn check(model: &CModel<'_>, bones: Option<u32>, findings: &mut Findings) -> Result<(), ReadError> {
    let table = FieldPath::ROOT.field("meshes");
    let mut at = Some(model_header::SIZE as u64);
    for (i, mesh) in model.meshes.iter().enumerate() {
        let start = at.map(|at| at.saturating_add(mesh_header::SIZE as u64));
        let places = Places::compute(mesh, start);
        content::check(mesh, &table.index(i), &places, bones, findings)?;
        at = places.tail.map(|at| at.saturating_add(mesh.tail.len() as u64));
    }
    if !model.tail.is_empty() {
        let n = model.tail.len();
        findings.broken(TRAILING_BYTES, &FieldPath::ROOT, at, || format!("{n} bytes after the last mesh"))?;
    }
    Ok(())
}

impl CModel<'_> {
    /// Reports every broken rule of the container and its chunks.
    pub fn validate(&self) -> Report {
        self.report(None)
    }

    /// Does the same as [`validate`](Self::validate), and checks that all bones exist in a skeleton.
    pub fn validate_with(&self, skeleton: &SkeletonChunk) -> Report {
        self.report(Some(bone_count(skeleton)))
    }

    fn report(&self, bones: Option<u32>) -> Report {
        let mut findings = Findings::validating();
        let ended = check(self, bones, &mut findings);
        debug_assert!(ended.is_ok(), "validation never ends a check");
        findings.into_report()
    }
}
