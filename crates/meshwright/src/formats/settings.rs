//! The settings for reading a file of any format.

use meshwright_core::{ReadOptions, Role};
use std::sync::Arc;

/// The settings for reading a file of any format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadSettings {
    /// Limits and strictness.
    pub read: ReadOptions,
    /// The dialect of Crucible meshes; `None` detects it.
    #[cfg(feature = "crucible")]
    pub crucible_dialect: Option<meshwright_crucible::Dialect>,
    /// The order of the floats of a rotation in Crucible skeletons.
    #[cfg(feature = "crucible")]
    pub quaternions: meshwright_crucible::QuaternionOrder,
    /// The dialect of FSOMODEL files; `None` detects it.
    #[cfg(feature = "fsomodel")]
    pub fso_dialect: Option<meshwright_fsomodel::Dialect>,
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
    /// Sets the dialect of the formats that have one of this name, which
    /// [`Format::values`](crate::Format::values) lists.
    #[must_use]
    pub fn with_dialect(self, name: &str) -> Self {
        let _ = name;
        Self {
            #[cfg(feature = "crucible")]
            crucible_dialect: name.parse().ok().or(self.crucible_dialect),
            #[cfg(feature = "fsomodel")]
            fso_dialect: name.parse().ok().or(self.fso_dialect),
            ..self
        }
    }

    /// Returns the names and values of the choices that differ from the defaults, for embedded originals.
    #[cfg(feature = "gltf")]
    pub(crate) fn choices(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        #[cfg(feature = "crucible")]
        let [dialect, order] = {
            use meshwright_crucible::{Dialect, QuaternionOrder};
            let order = Some(self.quaternions).filter(|order| *order != QuaternionOrder::default());
            [self.crucible_dialect.map(Dialect::name), order.map(QuaternionOrder::name)]
        };
        #[cfg(not(feature = "crucible"))]
        let [dialect, order] = [None; 2];
        #[cfg(feature = "fsomodel")]
        let dialect = dialect.or(self.fso_dialect.map(meshwright_fsomodel::Dialect::name));
        let order = order.map(|order| ("quaternions", order));
        dialect.map(|dialect| ("dialect", dialect)).into_iter().chain(order)
    }

    /// Sets one of the [`choices`](Self::choices). Unknown ones are ignored.
    #[cfg(feature = "gltf")]
    pub(crate) fn with_choice(self, name: &str, value: &str) -> Self {
        match name {
            "dialect" => self.with_dialect(value),
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
