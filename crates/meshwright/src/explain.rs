//! The meaning of every code.

mod errors;
mod examples;
mod geometry;
mod motion;
mod notice;
mod retarget;
mod surfaces;

pub use notice::{Notice, NoticeKind};

use crate::formats::{COMPANION_RULES, Format};
use meshwright_core::{Order as _, Rule};
use notice::notices;

/// The rules of one format, or of one other subject of checks.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RuleSet {
    /// The stable name: for a format, its short name.
    pub id: &'static str,
    /// The name for display.
    pub title: &'static str,
    /// All rules.
    pub rules: &'static [&'static Rule],
}

impl RuleSet {
    /// Returns all rules that this build checks: those of all formats, then those of companions, packs and engines.
    pub fn all() -> Vec<Self> {
        let formats = Format::ALL.iter().map(|f| Self { id: f.id(), title: f.title(), rules: f.rules() });
        let mut sets: Vec<Self> = formats.collect();
        let mut add = |id, title, rules| sets.push(Self { id, title, rules });
        add("companions", "Models and their companion files", COMPANION_RULES);
        add("packs", "Packs and archives", meshwright_files::Pack::RULES);
        add("files", "Files of any kind", &[crate::model::EMPTY]);
        #[cfg(feature = "dpm")]
        {
            add("engines", "DPM and ZYM in engines", crate::formats::ENGINE_RULES);
            add("shader", "Shader scripts", meshwright_quake::ShaderScript::RULES);
            add("skin", "Skin files", meshwright_quake::Skin::RULES);
        }
        #[cfg(feature = "iqm")]
        add("iqm-engines", "IQM in engines", meshwright_iqm::ENGINE_RULES);
        sets
    }
}

/// The meaning of a code.
#[derive(Clone, Debug)]
pub enum Explanation {
    /// The code of a rule of a file format.
    Rule {
        /// The rule.
        rule: &'static Rule,
        /// The sets that have it.
        sets: Vec<RuleSet>,
        /// A file of the project's test data that breaks it, below `testdata/`.
        example: Option<&'static str>,
    },
    /// The code of a loss, a note, an error or a difference.
    Notice(&'static Notice),
}

impl Explanation {
    /// Returns the cause: a sentence for people.
    pub fn cause(&self) -> &'static str {
        match self {
            Self::Rule { rule, .. } => rule.cause,
            Self::Notice(notice) => notice.cause,
        }
    }

    /// Returns the remedy: a sentence for people.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Rule { rule, .. } => rule.mending,
            Self::Notice(notice) => notice.advice,
        }
    }
}

/// Returns all meanings of a code, ignoring case; the native name of a rule works too. Several formats may use one
/// code, a format may use it with several severities, and a conversion may use the code of a rule.
pub fn explain(code: &str) -> Vec<Explanation> {
    let mut rules: Vec<(&'static Rule, Vec<RuleSet>)> = Vec::new();
    for set in RuleSet::all() {
        for rule in set.rules {
            if !rule.code.eq_ignore_ascii_case(code) && !rule.native.eq_ignore_ascii_case(code) {
                continue;
            }
            match rules.iter_mut().find(|(known, _)| known == rule) {
                Some((_, sets)) => sets.push(set),
                None => rules.push((rule, vec![set])),
            }
        }
    }
    let mut found = Vec::new();
    for (rule, sets) in rules {
        let example = sets.iter().find_map(|set| examples::example_file(set.id, rule.code));
        found.push(Explanation::Rule { rule, sets, example });
    }
    let notices = Notice::all().filter(|notice| notice.code.eq_ignore_ascii_case(code));
    found.extend(notices.map(Explanation::Notice));
    found
}

/// Returns all codes, sorted, each once.
pub fn codes() -> Vec<&'static str> {
    let mut codes: Vec<_> = Notice::all().map(|notice| notice.code).collect();
    for set in RuleSet::all() {
        codes.extend(set.rules.iter().map(|rule| rule.code));
    }
    codes.order();
    codes.dedup();
    codes
}
