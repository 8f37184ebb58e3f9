//! The trait that every file format implements.

use crate::description::Description;
use crate::error::{ReadError, WriteError};
use crate::limits::ReadOptions;
use crate::report::{Parsed, Report};
use crate::rule::Rule;
use crate::sniff::Confidence;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Debug;

/// The output buffer of writers. Macros use this alias, because their users need not have `alloc` in scope.
#[doc(hidden)]
pub type Bytes = Vec<u8>;

/// Defines the functions of [`FileFormat`] as the type's own functions of the same names, inside its `impl`.
/// For a model that borrows from its file, the type of the owned model is given too.
#[macro_export]
macro_rules! own_verbs {
    () => {
        fn parse_with(
            bytes: &[u8],
            options: &Self::Options,
        ) -> ::core::result::Result<$crate::Parsed<Self>, $crate::ReadError> {
            Self::parse_with(bytes, options)
        }

        $crate::own_verbs!(@others Self);
    };
    (@others $model:ident) => {
        fn sniff(bytes: &[u8]) -> $crate::Confidence {
            $model::sniff(bytes)
        }

        fn validate(&self) -> $crate::Report {
            self.validate()
        }

        fn to_bytes(&self) -> ::core::result::Result<$crate::Bytes, $crate::WriteError> {
            self.to_bytes()
        }
    };
    ($model:ident) => {
        fn parse_with(
            bytes: &[u8],
            options: &Self::Options,
        ) -> ::core::result::Result<$crate::Parsed<Self>, $crate::ReadError> {
            $model::parse_with(bytes, options).map(|parsed| parsed.map($model::into_owned))
        }

        $crate::own_verbs!(@others $model);
    };
}

/// A file format: detection, reading, validation and writing.
///
/// Models have inherent functions of the same names; this trait is for code that works with every format: laws,
/// detection, mutation, conformance.
pub trait FileFormat: Sized + Clone + PartialEq + Debug + 'static {
    /// The short name used on command lines and in JSON, such as `dpm`.
    const ID: &'static str;
    /// The title of the format, such as `DarkPlaces DPM`.
    const TITLE: &'static str;
    /// File name extensions in use, lower case, the usual one first.
    const EXTENSIONS: &'static [&'static str];
    /// Every rule that reading, writing or validating checks.
    const RULES: &'static [&'static Rule];
    /// The companion files that a file of this format may have.
    const COMPANIONS: &'static [Companion] = &[];

    /// True if a file of this format holds something to draw or to animate; false if it only adds to other
    /// files.
    const HOLDS_MODEL: bool = true;
    /// Settings for cases that the bytes do not decide.
    const SETTINGS: &'static [Setting] = &[];
    /// The records and how they follow each other; a text has none.
    const DESCRIPTION: Description = Description::TEXT;

    /// The options of a read. The default is strict, within the default limits.
    type Options: Clone + Debug + Default + From<ReadOptions>;

    /// Adds a companion file that takes part in reading. Returns `false` if the format has no companion of
    /// this role.
    fn attach(_options: &mut Self::Options, _role: Role, _bytes: Arc<[u8]>) -> bool {
        false
    }

    /// Returns how certainly the bytes are a file of this format.
    fn sniff(bytes: &[u8]) -> Confidence;

    /// Reads a file.
    ///
    /// # Errors
    /// If the file breaks a rule that the options do not forgive, or would take more memory than they allow.
    fn parse_with(bytes: &[u8], options: &Self::Options) -> Result<Parsed<Self>, ReadError>;

    /// Returns true if the model is incomplete without a companion file of this role.
    fn needs(&self, _role: Role) -> bool {
        false
    }

    /// Finds every broken rule of the model, with offsets if the model came from a file.
    fn validate(&self) -> Report;

    /// Returns the bytes of the file. They equal the bytes that the model was read from, unless it was
    /// edited.
    ///
    /// # Errors
    /// If the model breaks a rule of the format, or a number does not fit its field.
    fn to_bytes(&self) -> Result<Vec<u8>, WriteError>;
}

/// A setting of the caller for a case that the bytes do not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The name of the setting, such as `dialect`.
    pub name: &'static str,
    /// The allowed values.
    pub values: &'static [&'static str],
}

/// A kind of file that belongs to a model and adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Companion {
    /// The use of the companion file for the model, such as `skeleton`.
    pub role: Role,
    /// The [`ID`](FileFormat::ID) of the companion's own format.
    pub kind: &'static str,
    /// The names of the companion file next to the model, the likeliest first. If it is empty, the file can
    /// have any name: the caller names it, or Meshwright finds it by its content.
    pub beside: &'static [Beside],
    /// True if a model may have several.
    pub many: bool,
    /// True if reading the model needs this companion.
    pub part_of_reading: bool,
}

impl Companion {
    /// Returns a companion under one of these names. A model has at most one.
    pub const fn one(role: Role, kind: &'static str, beside: &'static [Beside]) -> Self {
        Self { role, kind, beside, many: false, part_of_reading: false }
    }

    /// Returns a kind of companion. A model may have several.
    pub const fn many(role: Role, kind: &'static str, beside: &'static [Beside]) -> Self {
        Self { role, kind, beside, many: true, part_of_reading: false }
    }

    /// Returns the same companion as one that reading the model needs.
    #[must_use]
    pub const fn read_with_model(mut self) -> Self {
        self.part_of_reading = true;
        self
    }
}

/// The use of a companion file for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Role {
    /// A list of clips with their frame numbers.
    Clips,
    /// The bones that the model's vertices name.
    Skeleton,
    /// A motion of the skeleton.
    Animation,
    /// The texture of the mesh, and the bone it is attached to.
    Binding,
    /// Meshes, materials and nodes that the model's file leaves out.
    Metadata,
    /// A further mesh of the same character.
    Part,
    /// The keys of a motion that the model's file only refers to.
    Keys,
}

impl Role {
    /// Returns the role's stable name, which findings use as the name of the stream.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clips => "clips",
            Self::Skeleton => "skeleton",
            Self::Animation => "animation",
            Self::Binding => "binding",
            Self::Metadata => "metadata",
            Self::Part => "part",
            Self::Keys => "keys",
        }
    }
}

/// A rule that derives the name of a companion file from the name of its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// `x.dpm` has `x.dpm.framegroups`.
    Appended(&'static str),
    /// `x.fom` has `x.json`.
    Replaced(&'static str),
}

impl Beside {
    /// Returns the companion's file name for a model of this file name.
    pub fn name(self, model: &[u8]) -> Vec<u8> {
        let (stem, extension) = match self {
            Self::Appended(extension) => (model, extension),
            Self::Replaced(extension) => {
                let stem = model.iter().rposition(|b| *b == b'.').and_then(|dot| model.get(..dot));
                (stem.unwrap_or(model), extension)
            }
        };
        [stem, b".", extension.as_bytes()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_companions_follow_from_the_model() {
        assert_eq!(Beside::Appended("framegroups").name(b"h.x.dpm"), b"h.x.dpm.framegroups");
        assert_eq!(Beside::Replaced("json").name(b"a.b.fom"), b"a.b.json");
        assert_eq!(Beside::Replaced("json").name(b"\xff"), b"\xff.json");
    }
}
