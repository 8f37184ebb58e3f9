//! The rules of a `.skn`.

use super::canonical::canonical;
use super::model::Skn;
use super::text::{self, line, space};
use crate::fields::wide;
use crate::mesh::offsets::Places;
use crate::mesh::rules as mesh;
use crate::name::Name;
use crate::rules::{self, all_rules, some};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{FieldPath, Findings, ReadError, Report};

meshwright_core::rules! {
    error NAME = "bad-name" ("E_NAME"), BadName [NoEngine],
        "A name cannot be stored on a line of text: it has a line end in it, or white space at its start or end.",
        "Remove those characters from the name.";
}

all_rules!(
    RULES,
    text::RULES,
    mesh::RULES,
    &[some::NOT_FINITE, some::BONE_NAME_DUP, some::BONE_MISSING, some::EXTENSION, some::RESOURCE_NAME]
);

impl Skn {
    /// Reports broken rules as errors, oddities as warnings. Offsets are those of the text.
    pub fn validate(&self) -> Report {
        rules::report(|findings| check(self, &places(self), findings))
    }
}

/// Checks all rules.
pub(crate) fn check(skn: &Skn, places: &Places, findings: &mut Findings) -> Result<(), ReadError> {
    names(skn, findings)?;
    mesh::geometry(&skn.geometry, places, findings)?;
    let end = skn.text().len().saturating_sub(skn.trailing.len());
    rules::trailing(&skn.trailing, wide(end), findings)?;
    rules::name(&skn.skin, &FieldPath::ROOT.field("skin"), 0, findings)?;
    let texture = skn.text().iter().position(|b| *b == b'\n').map_or(0, |n| wide(n).saturating_add(1));
    rules::name(&skn.texture, &FieldPath::ROOT.field("texture"), texture, findings)?;
    mesh::remarks(&skn.geometry, places, findings)
}

/// Checks that every name fits on a line.
pub(crate) fn names(skn: &Skn, findings: &mut Findings) -> Result<(), ReadError> {
    let root = FieldPath::ROOT;
    let mut fits = |path: &FieldPath<'_>, name: &Name| {
        if fits_line(name) {
            return Ok(());
        }
        findings.broken(NAME, path, None, || format!("{name} cannot be stored on a line of text"))
    };
    fits(&root.field("skin"), &skn.skin)?;
    fits(&root.field("texture"), &skn.texture)?;
    let path = root.field("bones");
    skn.geometry.bones.iter().enumerate().try_for_each(|(i, name)| fits(&path.index(i), name))
}

/// Returns true if a name can be stored on a line of text.
pub(crate) fn fits_line(name: &Name) -> bool {
    let bytes = name.bytes();
    !bytes.contains(&b'\n') && bytes.trim_ascii().len() == bytes.len()
}

/// Returns the offsets of names and numbers in the text; without a text, in the text that would be written.
pub(crate) fn places(skn: &Skn) -> Places {
    let written;
    let text = if skn.text().is_empty() {
        written = canonical(skn).unwrap_or_default();
        &written
    } else {
        skn.text()
    };
    let offset = |rest: &[u8]| wide(text.len().saturating_sub(rest.len()));
    let mut rest = text;
    let next_line = |rest: &mut &[u8]| {
        let at = offset(rest);
        *rest = line(rest).map_or(&[], |(rest, _)| rest);
        at
    };
    next_line(&mut rest);
    next_line(&mut rest);
    rest = space(rest).map_or(rest, |(rest, _)| rest);
    next_line(&mut rest);
    let names: Vec<_> = skn.geometry.bones.iter().map(|_| next_line(&mut rest)).collect();
    let mut numbers = Vec::new();
    while let Ok((word, _)) = space(rest) {
        if word.is_empty() {
            break;
        }
        numbers.push(offset(word));
        rest = word.iter().position(u8::is_ascii_whitespace).and_then(|n| word.get(n..)).unwrap_or(&[]);
    }
    Places::Text(names, numbers)
}
