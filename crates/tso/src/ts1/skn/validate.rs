//! Everything that can be said against a `.skn`.

use super::model::Skn;
use crate::common::{Findings, remark_name, wide};
use crate::mesh::places::Places;
use crate::mesh::rules;
use crate::mesh::validate::remarks;
use crate::ts1::text::{line, space};
use alloc::vec::Vec;
use meshwright_core::{Path, Report};

impl Skn {
    /// Where names and numbers stand in the text; in the text that would be written when there is none.
    pub(crate) fn places(&self) -> Places {
        let written;
        let text = match self.text.is_empty() {
            true => {
                written = self.canonical().unwrap_or_default();
                &written
            }
            false => &self.text,
        };
        let offset = |rest: &[u8]| wide(text.len().saturating_sub(rest.len()));
        let mut rest = text.as_slice();
        let next_line = |rest: &mut &[u8]| {
            let at = offset(rest);
            *rest = line(rest).map_or(&[], |(rest, _)| rest);
            at
        };
        next_line(&mut rest);
        next_line(&mut rest);
        rest = space(rest).map_or(rest, |(rest, _)| rest);
        next_line(&mut rest);
        let names: Vec<_> = self.geometry.bones.iter().map(|_| next_line(&mut rest)).collect();
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

    /// Broken rules as errors, oddities as warnings. Offsets are those of the text.
    pub fn validate(&self) -> Report {
        let (places, mut findings) = (self.places(), Findings::default());
        rules::check(&self.geometry, &places, &mut findings);
        let end = self.text.len().saturating_sub(self.trailing.len());
        findings.trailing(wide(end), &self.trailing);
        let mut report = findings.report;
        remark_name(&mut report, &Path::ROOT.field("skin"), 0, &self.skin);
        let texture = self.text.iter().position(|b| *b == b'\n').map_or(0, |n| wide(n).saturating_add(1));
        remark_name(&mut report, &Path::ROOT.field("texture"), texture, &self.texture);
        remarks(&self.geometry, &places, &mut report);
        report
    }
}
