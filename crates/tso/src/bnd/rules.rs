//! The rules of a binding of mesh and texture.

use super::model::{Bnd, ResourceId};
use super::record::{BONE, id};
use crate::rules::{self, all_rules, some};
use alloc::format;
use meshwright_core::{FieldPath, Findings, ReadError, Report};

meshwright_core::rules! {
    error TAG = "bad-tag" ("E_TAG"), BadValue [Tolerated],
        "The word before a mesh or texture is neither 0 nor 8, so it is unknown whether one follows.",
        "Set it to 8 if a file is named and to 0 if not; Niotso reads any word but 0 as yes, FreeSO only 8.";
}

all_rules!(RULES, &[some::VERSION, some::TYPE_ID, some::EXTENSION]);

impl Bnd {
    /// Reports broken rules as errors, oddities as warnings.
    pub fn validate(&self) -> Report {
        rules::report(|findings| check(self, findings))
    }
}

/// Checks all rules but those on single words.
pub(crate) fn check(bnd: &Bnd, findings: &mut Findings) -> Result<(), ReadError> {
    rules::trailing(&bnd.trailing, bnd.end(), findings)?;
    rules::name(&bnd.bone, &FieldPath::ROOT.field("bone"), BONE, findings)?;
    if findings.is_validating() { types(bnd, findings) } else { Ok(()) }
}

/// Checks that linked resources have the types of their links.
fn types(bnd: &Bnd, findings: &mut Findings) -> Result<(), ReadError> {
    let [mesh_at, texture_at] = bnd.kinds_at();
    for (field, resource, known, at) in [
        ("mesh", bnd.mesh, &[ResourceId::MESH][..], mesh_at),
        ("texture", bnd.texture, &ResourceId::TEXTURES, texture_at),
    ] {
        let Some(named) = resource.filter(|r| !known.contains(&r.kind)) else { continue };
        let path = FieldPath::ROOT.field(field);
        findings.broken(some::TYPE_ID, &id::KIND.path(&path), at, || {
            format!("type {} is not a type of {field}; known are {known:?}", named.kind)
        })?;
    }
    Ok(())
}
