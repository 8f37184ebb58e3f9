//! The confidence with which a format recognises its own files.

/// The answer of a format's `sniff`, ordered from no to certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// The bytes cannot be this format.
    No,
    /// Nothing speaks against it, little for it: the format has no magic and few fields could be checked.
    Possible,
    /// Several fields fit together that would not by chance.
    Likely,
    /// The magic is present.
    Certain,
}
