//! How Crucible files are read.

use crate::chunk::record::Dialect;
use crate::skeleton::model::QuaternionOrder;
use meshwright_core::ReadOptions;

/// How a Crucible file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrucibleOptions {
    /// Limits and strictness. Forgiven are an index beyond the vertices (`IndexRange`), a reserved flag
    /// (`ReservedFlag`), a partial last vertex or index (`StreamSize`), and a block of a mesh chunk that holds less
    /// than it states (`Lz4OutputTooShort`), which the engine fills up with zeros.
    pub read: ReadOptions,
    /// What the attribute flags mean; `None` lets the bytes decide.
    pub dialect: Option<Dialect>,
    /// How rotations of a skeleton chunk are stored.
    pub quaternions: QuaternionOrder,
    pub(crate) parallel: bool,
}

impl CrucibleOptions {
    /// The same options with a dialect that the bytes cannot overrule.
    #[must_use]
    pub const fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// The same options with another order of the floats of a rotation.
    #[must_use]
    pub const fn with_quaternions(mut self, order: QuaternionOrder) -> Self {
        self.quaternions = order;
        self
    }

    /// The same options; streams are decoded on the threads of the current rayon pool, with the same result.
    #[cfg(feature = "rayon")]
    #[must_use]
    pub const fn with_threads(mut self, parallel: bool) -> Self {
        self.parallel = parallel;
        self
    }
}

impl From<ReadOptions> for CrucibleOptions {
    fn from(read: ReadOptions) -> Self {
        Self { read, ..Self::default() }
    }
}
