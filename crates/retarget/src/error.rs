//! Errors of bone maps.

use alloc::string::String;
use meshwright_rig::RigError;

/// A map that does not fit its skeletons.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapError {
    /// A line of a map file cannot be read.
    Syntax {
        /// The line number, starting with 1.
        line: usize,
        /// The fault.
        message: String,
    },
    /// A map names a bone that its skeleton does not have.
    UnknownBone {
        /// The line number, starting with 1.
        line: usize,
        /// `source` or `target`.
        skeleton: &'static str,
        /// The name.
        bone: String,
    },
    /// No bone of the target is mapped.
    Empty,
    /// The map was created for other skeletons.
    OtherSkeleton,
    /// A skeleton is invalid.
    Skeleton(RigError),
}

meshwright_scene::display_error! {
    MapError:
    Self::Syntax { line, message } => "line {line}: {message}";
    Self::UnknownBone { line, skeleton, bone } => "line {line}: the {skeleton} has no bone `{bone}`";
    Self::Empty => "no bone of the target could be mapped to one of the source; write a map and edit it";
    Self::OtherSkeleton => "the map was made for other skeletons";
    Self::Skeleton(e) => "{e}";
}

impl From<RigError> for MapError {
    fn from(e: RigError) -> Self {
        Self::Skeleton(e)
    }
}
