//! Finds everything in a document that glTF 2.0 forbids, also what does not concern a model.
//!
//! The reader rejects documents that it cannot make a model of. This module checks the rest: the properties of every
//! object, rules between objects, and the numbers of accessors. Its tolerances are those of the Khronos validator.

mod classes;
mod combined;
mod container;
mod images;
mod links;
mod schema;
mod values;
mod weights;

use crate::document::{Document, Files, tell};
use links::Links;
use meshwright_core::{FieldPath, Finding, ReadError, Report, Rule};
use schema::Walk;
use std::borrow::Cow;
use values::Checks;

/// The extensions that are checked. Others may be on any object.
const KNOWN: [&str; 18] = [
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
];

/// The findings so far.
#[derive(Debug, Default)]
struct Findings(Report);

impl Findings {
    fn broken(
        &mut self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        offset: &dyn Fn() -> u64,
        message: impl Into<Cow<'static, str>>,
    ) {
        tell(&mut self.0, rule, path, offset, message.into());
    }

    fn push(&mut self, error: &ReadError) {
        self.0.push(Finding::from(error));
    }
}

/// Checks the document that was read from these bytes, and the images that `files` finds.
pub(crate) fn audit<'a>(bytes: &'a [u8], document: &Document<'a>, files: &Files<'_, 'a>) -> Report {
    let mut findings = Findings::default();
    container::check(bytes, &mut findings);
    if let Err(error) = all(document, files, &mut findings) {
        findings.push(&error);
    }
    findings.0
}

fn all<'a>(document: &Document<'a>, files: &Files<'_, 'a>, findings: &mut Findings) -> Result<(), ReadError> {
    // The sets of the checks take at most this for each value.
    document.charge::<[u64; 8]>(&FieldPath::ROOT, "checks", document.json_values())?;
    let mut walk = Walk::new(document.json(), findings);
    walk.object(&classes::ROOT, document.json(), &FieldPath::ROOT);
    let surfaces = walk.into_surfaces();
    let mut checks = Checks::default();
    Links::new(document, findings, &surfaces, &mut checks).check()?;
    checks.run(document, findings)?;
    weights::check(document, findings)?;
    images::check(document, files, findings)
}
