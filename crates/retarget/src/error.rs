//! Errors of bone maps.

use alloc::string::String;
use meshwright_rig::RigError;

/// A map that does not fit its skeletons.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// A line of a map file cannot be read.
    #[error("line {line}: {message}")]
    Syntax {
        /// The line number, starting with 1.
        line: usize,
        /// The fault.
        message: String,
    },
    /// A map names a bone that its skeleton does not have.
    #[error("line {line}: the {skeleton} has no bone `{bone}`")]
    UnknownBone {
        /// The line number, starting with 1.
        line: usize,
        /// `source` or `target`.
        skeleton: &'static str,
        /// The name.
        bone: String,
    },
    /// No bone of the target is mapped.
    #[error("no bone of the target could be mapped to one of the source; write a map and edit it")]
    Empty,
    /// The map was created for other skeletons.
    #[error("the map was made for other skeletons")]
    OtherSkeleton,
    /// A skeleton is invalid.
    #[error(transparent)]
    Skeleton(#[from] RigError),
}
