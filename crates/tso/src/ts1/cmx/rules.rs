//! The rules of a `.cmx`.

use super::model::Cmx;
use super::text::{self, image, tree};
use crate::fields::{file, wide};
use crate::name::Name;
use crate::rules::{self, all_rules};
use crate::ts1::character::rules::{Places, RULES as TREE, SHARED, check as check_tree};
use crate::ts1::character::{Character, Skill, Suit};
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
        let mut findings = Findings::validating();
        let written = image(self, &mut Findings::reading(&ReadOptions::lenient())).unwrap_or_default();
        let budget = Budget::new(Limits::UNLIMITED);
        let places = places(&file(&written, &budget)).unwrap_or_default();
        // Validation passes over everything.
        let _ = check(self, &places, &mut findings);
        findings.into_report()
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
    let comments = cmx.comments.iter().map(|name| ("comments", name));
    for (field, name) in comments.chain(names(&cmx.character)) {
        if !fits_line(name) {
            let message = || format!("{name} cannot be stored on a line of text");
            findings.broken(NAME, &FieldPath::ROOT.field(field), None, message)?;
        }
    }
    Ok(())
}

/// Returns all names, with the tables that hold them.
fn names(c: &Character) -> impl Iterator<Item = (&'static str, &Name)> {
    fn pairs(list: &crate::PropertyList) -> impl Iterator<Item = &Name> {
        list.0.iter().flat_map(|(key, value)| [key, value])
    }
    let skeletons = c.skeletons.iter().flat_map(|s| {
        let bones = s
            .bones
            .iter()
            .flat_map(|b| [&b.name, &b.parent].into_iter().chain(b.properties.iter().flat_map(pairs)));
        core::iter::once(&s.name).chain(bones)
    });
    let suits = c.suits.iter().flat_map(|s: &Suit| {
        core::iter::once(&s.name).chain(s.skins.iter().flat_map(|skin| [&skin.bone, &skin.skin]))
    });
    let skills = c.skills.iter().flat_map(|s: &Skill| {
        let motions = s.motions.iter().flat_map(|m| {
            let events = m.events.iter().flatten().map(|e| &e.properties);
            core::iter::once(&m.bone).chain(m.properties.iter().chain(events).flat_map(pairs))
        });
        [&s.name, &s.keys].into_iter().chain(motions)
    });
    let tagged = skeletons.map(|n| ("skeletons", n)).chain(suits.map(|n| ("suits", n)));
    tagged.chain(skills.map(|n| ("skills", n)))
}
