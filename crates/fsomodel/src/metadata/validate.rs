//! Validates the companion file and its original text.

use super::model::Metadata;
use super::read::read;
use super::rules;
use meshwright_core::{Budget, Findings, Limits, Report};

impl Metadata {
    /// Reports every broken rule of the companion file by itself.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        let ended = rules::check(self, &mut findings).and_then(|()| rules::loader(self, &mut findings));
        debug_assert!(ended.is_ok(), "validation goes on to the end");
        // The original text is checked if it will be written.
        if let Some(text) = self.text() {
            let mut notes = Findings::validating();
            let said = read(text, &Budget::new(Limits::UNLIMITED), &mut notes);
            if said.is_ok_and(|said| said == *self) {
                findings.append(notes.into_report());
            }
        }
        findings.into_report()
    }
}
