//! Rules that files keep or break, each stated once with its code, kind and severity.

use core::fmt;

/// The severity of a broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information; nothing is wrong.
    Info,
    /// The file opens, but something in it is probably wrong.
    Warning,
    /// A rule of the format is broken.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Declares [`Kind`] with its names.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)+) => {
        /// The kind of fault of a broken rule, from a small vocabulary that all formats share and programs can rely
        /// on. The format's own code names the rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $variant,)+
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the kind's stable name, in kebab case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
    };
}

kinds! {
    /// The file ends within a field or a table.
    Truncated = "truncated";
    /// A section or a string is outside the file or outside the part that holds it.
    OutOfBounds = "out-of-bounds";
    /// The magic bytes of the format are missing.
    BadMagic = "bad-magic";
    /// A version, dialect or feature that the reader does not support.
    Unsupported = "unsupported";
    /// A count that is zero, too large, or does not agree with the number of items.
    BadCount = "bad-count";
    /// A length in bytes that does not agree with the data.
    BadSize = "bad-size";
    /// A number or flag outside the values that the format defines.
    BadValue = "bad-value";
    /// An index or a name that refers to nothing.
    BadReference = "bad-reference";
    /// A parent that comes after its child, or parents in a cycle.
    BadHierarchy = "bad-hierarchy";
    /// A required part is missing.
    Missing = "missing";
    /// Something that must be unique occurs twice.
    Duplicate = "duplicate";
    /// Two parts use the same bytes or items.
    Overlap = "overlap";
    /// Bytes or items that nothing uses.
    Unused = "unused";
    /// An offset that is not a multiple of the required alignment.
    Misaligned = "misaligned";
    /// A float that is infinite or NaN.
    NonFinite = "non-finite";
    /// Weights that do not sum to 1, or rotations or normals that are not of unit length.
    NotNormalized = "not-normalized";
    /// Geometry without area or volume, or inside out.
    Degenerate = "degenerate";
    /// A name that is empty, too long or in an unknown encoding.
    BadName = "bad-name";
    /// Text that does not follow its grammar.
    Syntax = "syntax";
    /// Bytes that can be read in more than one way.
    Ambiguous = "ambiguous";
    /// The file is valid, but engines are known to read it differently or not at all.
    Compatibility = "compatibility";
    /// A limit of the caller is reached.
    Limit = "limit";
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Declares [`Reaction`] with its names and sentences.
macro_rules! reactions {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $text:literal;)+) => {
        /// The reaction of a format's original engine to a file that breaks a rule, according to its
        /// description or source code.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Reaction {
            $($(#[$doc])* $variant,)+
        }

        impl Reaction {
            /// Returns the reaction's stable name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }

        impl fmt::Display for Reaction {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$variant => $text,)+ })
            }
        }
    };
}

reactions! {
    /// No known source says.
    #[default]
    Unknown = "unknown", "The reaction of the original engine is not known.";
    /// The engine does not load the file or the affected part.
    Refuses = "refuses", "The original engine refuses the file, or the part that breaks the rule.";
    /// The engine reads the bytes without a check.
    Unchecked = "unchecked", "The original engine does not check this. It reads whatever bytes it finds, and may crash.";
    /// The engine loads the file and shows or plays it wrongly.
    Misshown = "misshown", "The original engine loads the file, and shows or plays it wrongly.";
    /// The engine uses another value.
    Tolerated = "tolerated", "The original engine loads the file and uses another value instead.";
    /// The engine does not read it.
    Ignored = "ignored", "The original engine ignores this; the game shows no difference.";
    /// The rule does not come from an engine.
    NoEngine = "no-engine", "No engine is affected: the rule is one of the format or of its other readers.";
}

/// A rule of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The stable code, in lower case with hyphens. Variants of a rule that differ only in
    /// `forgivable` share a code.
    pub code: &'static str,
    /// The name of the same rule in the format's description or its engine's tools; the code if they have
    /// none.
    pub native: &'static str,
    /// The kind of fault.
    pub kind: Kind,
    /// The severity of the fault.
    pub severity: Severity,
    /// True if a lenient reader forgives it.
    pub forgivable: bool,
    /// The cause of the fault, as a sentence for the user.
    pub cause: &'static str,
    /// The remedy, as a sentence for the user.
    pub mending: &'static str,
    /// The reaction of the original engine.
    pub reaction: Reaction,
}

impl Rule {
    /// Returns a rule whose breach is an error, in lenient reading too.
    pub const fn error(code: &'static str, kind: Kind, cause: &'static str, mending: &'static str) -> Self {
        Self {
            code,
            native: code,
            kind,
            severity: Severity::Error,
            forgivable: false,
            cause,
            mending,
            reaction: Reaction::Unknown,
        }
    }

    /// Returns a rule whose breach is an error that a lenient reader forgives and reports.
    pub const fn forgivable(
        code: &'static str,
        kind: Kind,
        cause: &'static str,
        mending: &'static str,
    ) -> Self {
        Self {
            code,
            native: code,
            kind,
            severity: Severity::Error,
            forgivable: true,
            cause,
            mending,
            reaction: Reaction::Unknown,
        }
    }

    /// Returns a rule that every reader forgives and validation reports as a warning.
    pub const fn warning(code: &'static str, kind: Kind, cause: &'static str, mending: &'static str) -> Self {
        Self {
            code,
            native: code,
            kind,
            severity: Severity::Warning,
            forgivable: true,
            cause,
            mending,
            reaction: Reaction::Unknown,
        }
    }

    /// Returns a rule that validation reports as information, not as a fault.
    pub const fn info(code: &'static str, kind: Kind, cause: &'static str, mending: &'static str) -> Self {
        Self {
            code,
            native: code,
            kind,
            severity: Severity::Info,
            forgivable: true,
            cause,
            mending,
            reaction: Reaction::Unknown,
        }
    }
}

impl Rule {
    /// Returns the same rule with the original engine's reaction.
    #[must_use]
    pub const fn with_reaction(mut self, reaction: Reaction) -> Self {
        self.reaction = reaction;
        self
    }

    /// Returns the same rule with the name that the format's description or its engine's tools give it.
    #[must_use]
    pub const fn with_native(mut self, native: &'static str) -> Self {
        self.native = native;
        self
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] ({}): {} {}", self.severity, self.code, self.kind, self.cause, self.mending)
    }
}

/// Declares the rules of one kind of file as constants, and all of them as `RULES`.
///
/// Each row is severity (`error`, `forgivable`, `warning`, `info`), name, code, [native name](Rule::native) in
/// parentheses if there is one, [`Kind`], the engine's [`Reaction`] in brackets if it is known, cause and remedy.
///
/// ```
/// meshwright_core::rules! {
///     error MAGIC = "bad-magic", BadMagic [Refuses],
///         "The file does not begin with the letters of its format.",
///         "Check that the file is of this format; a lost beginning cannot be repaired.";
///     warning SUM = "influence-sum" ("W_SUM"), NotNormalized,
///         "The influences of a vertex do not sum to 1.",
///         "Divide each influence by their sum.";
/// }
/// assert_eq!(RULES.len(), 2);
/// assert!(!MAGIC.forgivable && SUM.code == "influence-sum");
/// assert!(MAGIC.native == MAGIC.code && SUM.native == "W_SUM");
/// ```
#[macro_export]
macro_rules! rules {
    ($(
        $level:ident $name:ident = $code:literal $(($native:literal))?, $kind:ident $([$reaction:ident])?, $cause:literal, $mending:literal;
    )+) => {
        $(pub(crate) const $name: &$crate::Rule =
            &$crate::Rule::$level($code, $crate::Kind::$kind, $cause, $mending)
                $(.with_native($native))? $(.with_reaction($crate::Reaction::$reaction))?;)+

        /// All rules, in the order in which they are declared.
        pub(crate) const RULES: &[&$crate::Rule] = &[$($name),+];
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SortedSet;

    #[test]
    fn kinds_have_names_of_their_own() {
        let names: SortedSet<_> = Kind::ALL.iter().map(|k| k.name()).collect();
        assert_eq!(names.len(), Kind::ALL.len());
        assert!(names.iter().all(|n| n.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
    }
}
