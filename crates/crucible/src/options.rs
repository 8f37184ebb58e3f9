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

impl From<ReadOptions> for CrucibleOptions {
    fn from(read: ReadOptions) -> Self {
        Self { read, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn choices_are_made_by_name() {
        let dialects: Vec<Dialect> = DIALECT.values.iter().map(|v| v.parse().unwrap()).collect();
        assert_eq!(dialects, Dialect::ALL);
        let orders: Vec<QuaternionOrder> = QUATERNIONS.values.iter().map(|v| v.parse().unwrap()).collect();
        assert_eq!(orders, QuaternionOrder::ALL);
        assert!("doc56".parse::<Dialect>().is_err() && "wyxz".parse::<QuaternionOrder>().is_err());
    }
}
