//! The facts about a format that do not need a model, and formats by name.

use super::{Format, FormatTraits, ROWS, Row, WriteOptions};
use meshwright_core::description::Description;
use meshwright_core::{Companion, Confidence, Finding, Role, Rule, Setting};
use std::fmt;
use std::str::FromStr;

impl Format {
    #[expect(clippy::indexing_slicing, reason = "there is a row for every format")]
    pub(super) const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Returns the short name used on the command line and in JSON.
    pub const fn id(self) -> &'static str {
        self.row().id
    }

    /// Returns the name in dumps. Formats of a family may share one.
    pub const fn family(self) -> &'static str {
        self.row().family
    }

    /// Returns the feature of this crate that enables it. Formats of a family share one.
    pub(crate) const fn feature(self) -> &'static str {
        self.row().feature
    }

    /// Returns the display name.
    pub const fn title(self) -> &'static str {
        self.row().title
    }

    /// File name extensions in use, lower case, the usual one first.
    pub const fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// Returns true if files of this format have something to draw or to move.
    pub const fn holds_model(self) -> bool {
        self.row().holds_model
    }

    /// Returns every rule that reading, writing or validating can find broken.
    pub const fn rules(self) -> &'static [&'static Rule] {
        self.row().rules
    }

    /// Returns true if files of this format have companion files with a role.
    pub fn takes(self, role: Role) -> bool {
        self.companions().iter().any(|companion| companion.role == role)
    }

    /// Returns the axis of its files that points up, 0 to 2.
    pub const fn up(self) -> usize {
        self.row().up
    }

    /// Returns how engines and other files use files of this kind.
    pub(crate) const fn traits(self) -> &'static FormatTraits {
        &self.row().traits
    }

    /// Returns the optimizer of its files.
    #[cfg(any(feature = "bmd", feature = "dpm"))]
    pub const fn optimizer(self) -> Option<super::Optimizer> {
        self.traits().optimizer
    }

    /// Returns the ending of the name of a written file, with a dot.
    pub(crate) fn ending(self, options: &WriteOptions) -> String {
        (self.row().ending)(options)
    }

    /// Returns the unit of length of its files in metres, if it has one.
    pub const fn metres(self) -> Option<f64> {
        self.row().metres
    }

    /// Returns the codes of faults that [`repair`](crate::repair) repairs, each with a description.
    pub const fn mended(self) -> &'static [(&'static str, &'static str)] {
        self.row().mended
    }

    pub(crate) fn mend_bytes(self, bytes: &mut [u8], finding: &Finding) -> bool {
        (self.row().mend_bytes)(bytes, finding)
    }

    /// Returns the companion files of this format.
    pub const fn companions(self) -> &'static [Companion] {
        self.row().companions
    }

    /// Returns the choices of a caller for cases that the bytes do not decide.
    pub const fn settings(self) -> &'static [Setting] {
        self.row().settings
    }

    /// Returns how certainly the bytes are of this format.
    pub fn sniff(self, bytes: &[u8]) -> Confidence {
        (self.row().sniff)(bytes)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// No [`Format`] has this short name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no format is called {0:?}; known are {known}", known = known())]
pub struct UnknownFormat(pub String);

fn known() -> String {
    Format::ALL.iter().map(|f| f.id()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(id: &str) -> Result<Self, UnknownFormat> {
        let found = Self::ALL.iter().copied().find(|f| f.id().eq_ignore_ascii_case(id));
        found.ok_or_else(|| UnknownFormat(id.into()))
    }
}

impl Format {
    /// Returns the format with a file name's extension; the first one if several share it.
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        let has = |f: &Self| f.extensions().iter().any(|e| e.eq_ignore_ascii_case(extension));
        Self::ALL.iter().copied().find(has)
    }

    /// Returns true for companion files, which are found with their model: a search does not list them separately.
    pub fn is_companion(self) -> bool {
        let of = |f: &Self| f.companions().iter().any(|c| c.kind == self.id() && !c.beside.is_empty());
        !self.holds_model() && Self::ALL.iter().any(of)
    }

    /// Returns the layout of the format's files.
    pub const fn description(self) -> Description {
        self.row().description
    }

    /// Returns the values of a setting, if this format has it.
    pub fn values(self, setting: &str) -> &'static [&'static str] {
        self.settings().iter().find(|s| s.name == setting).map_or(&[], |s| s.values)
    }
}
