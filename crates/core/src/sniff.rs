//! The confidence with which a format identifies its own files.

/// The result of a format's `sniff`, ordered from no to certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// The bytes cannot be this format.
    No,
    /// The bytes may be this format: it has no magic, and few fields could be checked.
    Possible,
    /// Several fields are consistent, which is unlikely by chance.
    Likely,
    /// The magic is present.
    Certain,
}
