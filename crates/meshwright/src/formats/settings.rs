//! The settings for reading a file of any format.

use meshwright_core::{ReadOptions, Role};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A dialect of a format that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect(&'static str);

impl Dialect {
    /// Returns the dialects of all formats.
    pub fn all() -> impl Iterator<Item = Self> {
        const NAMES: &[&[&str]] = &[
            #[cfg(feature = "crucible")]
            meshwright_crucible::Dialect::NAMES,
            #[cfg(feature = "fsomodel")]
            meshwright_fsomodel::Dialect::NAMES,
        ];
        NAMES.iter().copied().flatten().map(|name| Self(name))
    }

    /// Returns the name of the dialect.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Returns the dialect of one format, if it has one of this name.
    #[cfg(any(feature = "crucible", feature = "fsomodel"))]
    pub(crate) fn of_format<T: FromStr>(self) -> Option<T> {
        self.0.parse().ok()
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let found = Self::all().find(|dialect| dialect.0.eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownDialect(name.into()))
    }
}

/// No [`Dialect`] has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no dialect is called {0:?}; known are {known}", known = Dialect::all().map(Dialect::name).collect::<Vec<_>>().join(", "))]
pub struct UnknownDialect(pub String);

/// The settings for reading a file of any format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadSettings {
    /// Limits and strictness.
    pub read: ReadOptions,
    /// The dialect of files of the format that has it; `None` detects it.
    pub dialect: Option<Dialect>,
    /// The order of the floats of a rotation in Crucible skeletons.
    #[cfg(feature = "crucible")]
    pub quaternions: meshwright_crucible::QuaternionOrder,
    /// The numbers of translations and rotations in a `.cfp` file of The Sims 1, which its skill states.
    #[cfg(feature = "tso")]
    pub key_counts: Option<(u32, u32)>,
    /// Companion files that are part of reading.
    pub attached: Vec<(Role, Arc<[u8]>)>,
}

impl From<ReadOptions> for ReadSettings {
    fn from(read: ReadOptions) -> Self {
        Self { read, ..Self::default() }
    }
}

impl ReadSettings {
    /// Returns the names and values of the choices that differ from the defaults, for embedded originals.
    #[cfg(feature = "gltf")]
    pub(crate) fn choices(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        #[cfg(feature = "crucible")]
        let order =
            (self.quaternions != Default::default()).then(|| ("quaternions", self.quaternions.name()));
        #[cfg(not(feature = "crucible"))]
        let order = None;
        self.dialect.map(|dialect| ("dialect", dialect.name())).into_iter().chain(order)
    }

    /// Sets one of the [`choices`](Self::choices). Unknown ones are ignored.
    #[cfg(feature = "gltf")]
    pub(crate) fn with_choice(self, name: &str, value: &str) -> Self {
        match name {
            "dialect" => Self { dialect: value.parse().ok().or(self.dialect), ..self },
            #[cfg(feature = "crucible")]
            "quaternions" => Self { quaternions: value.parse().unwrap_or(self.quaternions), ..self },
            _ => self,
        }
    }

    /// Adds a companion file.
    #[must_use]
    pub fn with_companion(mut self, role: Role, bytes: impl Into<Arc<[u8]>>) -> Self {
        self.attached.push((role, bytes.into()));
        self
    }
}
