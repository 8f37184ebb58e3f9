//! Codes that are not rules of files: losses and notes, errors, and differences between models.

use super::{errors, geometry, motion, retarget, surfaces};
use std::fmt;

/// The kind of a code that is not a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoticeKind {
    /// A conversion dropped or changed something.
    Loss,
    /// A conversion decided something, and nothing is lost.
    Note,
    /// A loss, or a note if the amount is within the rounding of exporters.
    LossOrNote,
    /// A command cannot do what it was asked for.
    Error,
    /// `diff` found two models to differ.
    Difference,
}

impl fmt::Display for NoticeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loss => "loss",
            Self::Note => "note",
            Self::LossOrNote => "loss or note",
            Self::Error => "error",
            Self::Difference => "difference",
        })
    }
}

/// A code that is not a rule, with its explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The stable code, in kebab case.
    pub code: &'static str,
    /// The kind.
    pub kind: NoticeKind,
    /// The cause: a sentence for people.
    pub cause: &'static str,
    /// The remedy: a sentence for people; empty for differences, which need none.
    pub advice: &'static str,
}

impl Notice {
    /// Returns all codes that are not rules.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        let all = [geometry::NOTICES, motion::NOTICES, retarget::NOTICES, surfaces::NOTICES, errors::NOTICES];
        all.into_iter().flatten()
    }
}

/// Declares the notices of a file, a row each: kind, code, cause, advice.
macro_rules! notices {
    ($($kind:ident $code:literal, $cause:literal, $advice:literal;)+) => {
        pub(super) const NOTICES: &[super::Notice] = &[$(super::Notice {
            code: $code,
            kind: $crate::explain::notice::notices!(@$kind),
            cause: $cause,
            advice: $advice,
        }),+];
    };
    (@loss) => { super::NoticeKind::Loss };
    (@note) => { super::NoticeKind::Note };
    (@either) => { super::NoticeKind::LossOrNote };
    (@error) => { super::NoticeKind::Error };
    (@difference) => { super::NoticeKind::Difference };
}
pub(super) use notices;
