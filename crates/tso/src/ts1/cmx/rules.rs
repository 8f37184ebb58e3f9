//! The rules of a `.cmx`.

use super::model::Cmx;
use super::text::{self, image, tree};
use crate::fields::{file, wide};
use crate::name::Name;
use crate::props::PropertyList;
use crate::rules::{self, all_rules};
use crate::ts1::character::Character;
use crate::ts1::character::rules::{Places, RULES as TREE, SHARED, check as check_tree};
use crate::ts1::skn::{NAME, NUMBER, fits_line};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{Budget, FieldPath, Findings, Limits, ReadError, ReadOptions, Report, Source};

meshwright_core::rules! {
    error COMMENT = "bad-comment" ("E_COMMENT"), BadName [Ignored],
        "A line before the version is neither blank nor a comment.",
        "Begin it with two slashes.";
}

all_rules!(text::RULES, RULES, TREE, SHARED, &[NAME, NUMBER]);

impl Cmx {
    /// Reports broken rules as errors, oddities as warnings, with the offsets of the text that this is written to.
    pub fn validate(&self) -> Report {
        let written = image(self, &mut Findings::reading(&ReadOptions::lenient())).unwrap_or_default();
        let budget = Budget::new(Limits::UNLIMITED);
        let places = places(&file(&written, &budget)).unwrap_or_default();
        rules::report(|findings| check(self, &places, findings))
    }
}

/// Returns the offsets of the scalars of a text, and the end of the last one.
pub(crate) fn places(source: &Source<'_>) -> Result<Vec<u64>, ReadError> {
    // A scalar and its line end have at least one byte each. A growing list exists twice while it is copied.
    let length = wide(source.bytes().len());
    source.charge(&FieldPath::ROOT, 0, "offsets", length, size_of::<[u64; 3]>())?;
    let (mut places, mut passed) = (Vec::new(), Findings::reading(&ReadOptions::lenient()));
    let (_, end) = tree(source, &mut passed, Some(&mut places))?;
    places.push(end);
    Ok(places)
}

/// Checks all rules.
pub(crate) fn check(cmx: &Cmx, places: &[u64], findings: &mut Findings) -> Result<(), ReadError> {
    lines(cmx, findings)?;
    check_tree(&cmx.character, &mut Places::new(places), findings)?;
    rules::trailing(&cmx.trailing, places.last().copied().unwrap_or(0), findings)
}

/// Checks that every name fits on a line, and that comments are comments.
fn lines(cmx: &Cmx, findings: &mut Findings) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field("comments");
    for (i, comment) in cmx.comments.iter().enumerate() {
        if !comment.bytes().is_empty() && !comment.bytes().starts_with(b"//") {
            let message = || format!("{comment} is not a comment");
            findings.broken(COMMENT, &path.index(i), None, message)?;
        }
    }
    let mut fits = |table: &'static str, name: &Name| {
        if fits_line(name) {
            return Ok(());
        }
        let message = || format!("{name} cannot be stored on a line of text");
        findings.broken(NAME, &FieldPath::ROOT.field(table), None, message)
    };
    cmx.comments.iter().try_for_each(|comment| fits("comments", comment))?;
    names(&cmx.character, &mut fits)
}

/// Passes on all names, with the tables that hold them.
fn names(
    c: &Character,
    visit: &mut dyn FnMut(&'static str, &Name) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    for s in &c.skeletons {
        visit("skeletons", &s.name)?;
        for b in &s.bones {
            visit("skeletons", &b.name)?;
            visit("skeletons", &b.parent)?;
            pairs("skeletons", &b.properties, visit)?;
        }
    }
    for s in &c.suits {
        visit("suits", &s.name)?;
        for skin in &s.skins {
            visit("suits", &skin.bone)?;
            visit("suits", &skin.skin)?;
        }
    }
    for s in &c.skills {
        visit("skills", &s.name)?;
        visit("skills", &s.keys)?;
        for m in &s.motions {
            visit("skills", &m.bone)?;
            pairs("skills", &m.properties, visit)?;
            for event in m.events.iter().flatten() {
                pairs("skills", core::slice::from_ref(&event.properties), visit)?;
            }
        }
    }
    Ok(())
}

fn pairs(
    table: &'static str,
    lists: &[PropertyList],
    visit: &mut dyn FnMut(&'static str, &Name) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    for list in lists {
        for (key, value) in &list.0 {
            visit(table, key)?;
            visit(table, value)?;
        }
    }
    Ok(())
}
