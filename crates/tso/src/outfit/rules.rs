//! The rules of outfits and their parts.

use super::model::{Apr, Col, FileRef, Hag, Oft, Po, Region, kinds};
use crate::bnd::rules::TAG;
use crate::fields::wide;
use crate::rules::{self, all_rules, some};
use alloc::format;
use meshwright_core::{FieldPath, Findings, ReadError, Report};

meshwright_core::rules! {
    warning REGION = "region" ("W_REGION"), BadValue,
        "An outfit covers neither the head nor the body.",
        "Write 0 for the head or 18 for the body.";
    warning INDEX = "item-number" ("W_INDEX"), BadValue,
        "The items of a collection are not numbered in order from 0.",
        "Number them in their order.";
}

all_rules!(RULES, &[TAG, some::VERSION, some::TYPE_ID, some::EXTENSION]);

/// A record with rules; the last field ends at [`end`](Self::end).
pub(crate) trait Checked {
    fn end(&self) -> u64;
    fn behind(&self) -> &[u8];
    fn remarks(&self, findings: &mut Findings) -> Result<(), ReadError>;

    /// Checks all rules.
    fn check(&self, findings: &mut Findings) -> Result<(), ReadError> {
        rules::trailing(self.behind(), self.end(), findings)?;
        if findings.is_validating() { self.remarks(findings) } else { Ok(()) }
    }
}

/// Checks that the type number at `at` is the expected one.
fn kind(found: u32, wanted: u32, path: &FieldPath<'_>, at: u64, f: &mut Findings) -> Result<(), ReadError> {
    if found == wanted {
        return Ok(());
    }
    f.broken(some::TYPE_ID, path, at, || format!("type {found}, {wanted} is expected"))
}

/// Checks references of 8 bytes each from `start` on; empty ones are skipped.
fn refs(
    all: &[FileRef],
    wanted: u32,
    field: &'static str,
    start: u64,
    f: &mut Findings,
) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field(field);
    for (i, r) in all.iter().enumerate().filter(|(_, r)| **r != FileRef::default()) {
        let at = start.saturating_add(wide(i).saturating_mul(8)).saturating_add(4);
        kind(r.kind, wanted, &path.index(i).field("kind"), at, f)?;
    }
    Ok(())
}

impl Checked for Apr {
    fn end(&self) -> u64 {
        wide(self.bindings.len()).saturating_mul(8).saturating_add(16)
    }

    fn behind(&self) -> &[u8] {
        &self.trailing
    }

    fn remarks(&self, f: &mut Findings) -> Result<(), ReadError> {
        refs(&self.bindings, kinds::BINDING, "bindings", 16, f)
    }
}

impl Checked for Oft {
    fn end(&self) -> u64 {
        40
    }

    fn behind(&self) -> &[u8] {
        &self.trailing
    }

    fn remarks(&self, f: &mut Findings) -> Result<(), ReadError> {
        refs(&self.appearances, kinds::APPEARANCE, "appearances", 8, f)?;
        if matches!(self.region, Region::HEAD | Region::BODY) {
            return Ok(());
        }
        let message = || format!("region {}; known are 0 and 18", self.region.0);
        f.broken(REGION, &FieldPath::ROOT.field("region"), 36, message)
    }
}

impl Checked for Hag {
    fn end(&self) -> u64 {
        148
    }

    fn behind(&self) -> &[u8] {
        &self.trailing
    }

    fn remarks(&self, f: &mut Findings) -> Result<(), ReadError> {
        refs(&self.appearances, kinds::APPEARANCE, "appearances", 4, f)
    }
}

impl Po {
    fn collection_at(&self) -> u64 {
        if self.outfit.is_some() { 24 } else { 12 }
    }
}

impl Checked for Po {
    fn end(&self) -> u64 {
        let link = if self.collection.is_some() { 16 } else { 4 };
        self.collection_at().saturating_add(link)
    }

    fn behind(&self) -> &[u8] {
        &self.trailing
    }

    fn remarks(&self, f: &mut Findings) -> Result<(), ReadError> {
        let links = [
            ("outfit", self.outfit, kinds::OUTFIT, 8),
            ("collection", self.collection, kinds::COLLECTION, self.collection_at()),
        ];
        for (field, link, wanted, at) in links {
            if let Some(id) = link {
                kind(id.kind, wanted, &FieldPath::ROOT.field(field).field("kind"), at.saturating_add(12), f)?;
            }
        }
        Ok(())
    }
}

impl Checked for Col {
    fn end(&self) -> u64 {
        wide(self.items.len()).saturating_mul(12).saturating_add(4)
    }

    fn behind(&self) -> &[u8] {
        &self.trailing
    }

    fn remarks(&self, f: &mut Findings) -> Result<(), ReadError> {
        let path = FieldPath::ROOT.field("items");
        for (i, item) in self.items.iter().enumerate() {
            let (path, at) = (path.index(i), wide(i).saturating_mul(12).saturating_add(4));
            if wide(i) != u64::from(item.index) {
                f.broken(INDEX, &path.field("index"), at, || format!("{} is item {i}", item.index))?;
            }
            kind(item.purchasable.kind, kinds::PURCHASABLE, &path.field("kind"), at.saturating_add(8), f)?;
        }
        Ok(())
    }
}

macro_rules! validated {
    ($($ty:ident)+) => {$(
        impl $ty {
            /// Reports broken rules as errors, oddities as warnings, with the offsets of the file that this is written to.
            pub fn validate(&self) -> Report {
                rules::report(|findings| Checked::check(self, findings))
            }
        }
    )+};
}

validated!(Apr Oft Hag Po Col);
