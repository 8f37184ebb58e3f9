//! Options for reading Crucible files.

use crate::chunk::record::Dialect;
use crate::skeleton::model::QuaternionOrder;
use meshwright_core::{ReadOptions, Setting};

/// Options for reading a Crucible file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrucibleOptions {
    /// Limits and strictness. A lenient reader forgives an index beyond the vertices (`IndexRange`), a
    /// reserved flag (`ReservedFlag`), a partial last vertex or index (`StreamSize`), and a block of a mesh
    /// chunk that decodes to fewer bytes than stated (`Lz4OutputTooShort`). The engine fills such a block up
    /// with zeros.
    pub read: ReadOptions,
    /// The dialect; `None` detects it.
    pub dialect: Option<Dialect>,
    /// The order of the four floats of a rotation in a skeleton chunk.
    pub quaternions: QuaternionOrder,
    pub(crate) parallel: bool,
}

impl CrucibleOptions {
    /// Sets the dialect, so that it is not detected.
    #[must_use]
    pub const fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// Sets the order of the floats of a rotation.
    #[must_use]
    pub const fn with_quaternions(mut self, order: QuaternionOrder) -> Self {
        self.quaternions = order;
        self
    }

    /// If `parallel` is true, streams are decoded on the threads of the current rayon pool, with the same
    /// result.
    #[cfg(feature = "rayon")]
    #[must_use]
    pub const fn with_threads(mut self, parallel: bool) -> Self {
        self.parallel = parallel;
        self
    }
}

/// The setting for the dialect of a chunk.
pub(crate) const DIALECT: Setting = Setting { name: "dialect", values: Dialect::NAMES };

/// The setting for the order of the floats of a rotation.
pub(crate) const QUATERNIONS: Setting = Setting { name: "quaternions", values: QuaternionOrder::NAMES };

impl CrucibleOptions {
    /// Sets a value of [`DIALECT`].
    pub(crate) fn set_dialect(&mut self, setting: &str, value: &str) -> bool {
        let chosen = Dialect::ALL.into_iter().find(|d| setting == DIALECT.name && d.name() == value);
        self.dialect = chosen.or(self.dialect);
        chosen.is_some()
    }

    /// Sets a value of [`QUATERNIONS`].
    pub(crate) fn set_quaternions(&mut self, setting: &str, value: &str) -> bool {
        let is = |o: &QuaternionOrder| setting == QUATERNIONS.name && o.name() == value;
        let chosen = QuaternionOrder::ALL.into_iter().find(is);
        self.quaternions = chosen.unwrap_or(self.quaternions);
        chosen.is_some()
    }
}

impl From<ReadOptions> for CrucibleOptions {
    fn from(read: ReadOptions) -> Self {
        Self { read, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_made_by_name() {
        let mut options = CrucibleOptions::default();
        assert!(DIALECT.values.iter().all(|v| options.set_dialect("dialect", v)));
        assert_eq!(options.dialect, Some(Dialect::Bone32));
        assert!(QUATERNIONS.values.iter().all(|v| options.set_quaternions("quaternions", v)));
        assert_eq!(options.quaternions, QuaternionOrder::Wxyz);
        let before = options;
        assert!(!options.set_dialect("dialect", "doc56") && !options.set_quaternions("dialect", "xyzw"));
        assert_eq!(options, before);
    }
}
